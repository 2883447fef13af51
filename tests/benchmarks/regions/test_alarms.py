"""The simulation of the chart of spans: a drop is found, and steady work seldom raises an alarm."""

from benchmarks.regions.alarms import STREAMS, measure


def test_streams_with_and_without_a_change_are_told_apart() -> None:
    (row,) = measure(3, STREAMS[:1]).to_dicts()
    assert (row["texts"], row["a day"], row["detected"]) == ("equal texts", 20, 1.0)
    assert row["false_alarms"] < 1.0
    assert 0 < row["items"] <= 800
