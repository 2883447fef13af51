"""The half year holds what it says, and a replay tells true alerts from false ones."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from benchmarks.monitoring.half_year import DRIFT, DRIFTER, LATE, LATE_ARRIVAL, NEW_VERSION, SYSTEM, Day, half_year
from benchmarks.monitoring.replay import Replay, alert_tables, kept, replay_page, summary_tables
from benchmarks.monitoring.replay_days import Alert, replay_in_process


def alert(kind: str, subject: str | None, day: date) -> Alert:
    return Alert(kind, subject, day, day, day, day, None, day)


def test_a_half_year_has_a_drift_a_late_week_and_a_new_version() -> None:
    days = {day.arrival: day.ratings for day in half_year(1)}
    ratings = pl.concat(days.values()).with_columns(day=pl.col("rated_at").dt.date())
    late = ratings.filter(pl.col("day").is_between(LATE, LATE.replace(day=LATE.day + 4)) & (pl.col("duration_s") != 15))
    assert set(late.join(days[LATE_ARRIVAL], on=["item", "rater", "label"], how="anti")["item"]) == set()
    versions = (
        ratings.filter(rater=SYSTEM).group_by(pl.col("day") >= NEW_VERSION).agg(pl.col("system_version").unique())
    )
    assert dict(versions.rows()) == {False: ["1"], True: ["2"]}
    seconds = ratings.filter(rater=DRIFTER).group_by(pl.col("day") >= DRIFT).agg(pl.col("duration_s").mean())
    assert dict(seconds.rows())[True] < 0.9 * dict(seconds.rows())[False]
    again = pl.concat(day.ratings for day in half_year(1)).drop("rated_at")
    assert again.equals(ratings.drop("rated_at", "day"))


@pytest.mark.parametrize(
    ("result", "quiet", "true"),
    [
        (alert("rater_speed", DRIFTER, DRIFT), False, True),
        (alert("rater", DRIFTER, DRIFT), True, False),
        (alert("rater", "ada", DRIFT), False, False),
        (alert("agreement", None, LATE), False, True),
        (alert("agreement", None, date(2025, 2, 1)), False, False),
        (alert("version", SYSTEM, NEW_VERSION), False, True),
        (alert("system", SYSTEM, DRIFT), False, False),
        (alert("labels", "else", NEW_VERSION), False, False),
    ],
)
def test_an_alert_is_true_if_it_names_what_happened(result: Alert, quiet: bool, true: bool) -> None:
    assert Replay(1, quiet, 141, [result], 1).false_alarms == ([] if true else [result])


def test_the_annotator_who_begins_to_click_is_found(tmp_path: Path) -> None:
    """Some weeks arrive at once, to save time: the charts do not depend on it."""
    days = list(half_year(1))
    parts = [
        Day(some[-1].arrival, pl.concat(day.ratings for day in some)) for some in (days[:40], days[40:65], days[65:85])
    ]
    result = Replay(1, False, 85, replay_in_process(tmp_path, iter(parts)), 1)
    drifts = [outcome for outcome in result.alerts if outcome.subject == DRIFTER]
    assert drifts
    assert all(drift.changed_high >= DRIFT and drift not in result.false_alarms for drift in drifts)
    assert {outcome.seen_on for outcome in result.alerts} <= {part.arrival for part in parts}


def test_a_kept_replay_is_read_and_not_made_again(tmp_path: Path) -> None:
    made = Replay(2, False, 141, [alert("rater", DRIFTER, DRIFT)], 60.5, n_messages=1)
    assert kept(tmp_path / "kept", "seed-2", lambda: made) == made
    assert kept(tmp_path / "kept", "seed-2", lambda: Replay(2, False, 1, [], 0)) == made


def test_the_page_says_what_was_found_and_how_often_an_alarm_was_false() -> None:
    loud = Replay(2, False, 141, [alert("rater", DRIFTER, DRIFT), alert("rater", "ada", DRIFT)], 60)
    quiet = Replay(3, True, 141, [], 60)
    by_runs = Replay(1, False, 10, [alert("agreement", None, DRIFT)], 100, n_messages=3)
    tables = [*alert_tables([by_runs]), *summary_tables([loud, quiet])]
    assert tables[0].rows[0][-1] == "yes"
    assert tables[1].rows[0][2:] == ["1 of 1", "0"]
    assert tables[1].rows[2][2:] == ["0 of 1", "—"]
    assert [row[3:5] for row in tables[2].rows] == [["1", "0.167"], ["0", "0.000"], ["1", "0.084"]]
    partly = replace(by_runs, alerts=[*by_runs.alerts, alert("rater", "di", DRIFT)])
    (alarms,) = summary_tables([loud, quiet], [partly])[1:]  # those of the runs count, too
    assert [row[3] for row in alarms.rows] == ["2", "0", "2"]
    text = replay_page([by_runs], [loud, quiet], tables)
    assert "received 3 messages" in text.replace("\n", " ")
    assert "rater of ada (seed 2)" in text
