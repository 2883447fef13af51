"""Some kills of `make crash-messages`, which makes 1,000 and prints figures."""

from pathlib import Path

from tests.crash.messages import Campaign, kill_messages


def test_no_kill_loses_an_alert_or_tells_of_it_twice(tmp_path: Path) -> None:
    total = Campaign()
    for _ in kill_messages(20, 15, tmp_path, total):
        pass
    assert total.is_well, (total.lost, total.doubled, total.inconsistent)
    assert total.n_kills == 20
    assert total.n_hit >= 15
    assert total.n_messages >= 2 * total.n_alerts > 0
    assert total.n_repeats > 0, "some were killed after the receiver had the message and before that was stored"
