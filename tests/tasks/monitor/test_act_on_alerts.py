"""Alerts acted on by their ids: what is found, what is refused, and what the next run makes of it."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from tasks.errors import InputError
from tasks.monitor.act_on_alerts import AlertDesk, read_alerts, start_of
from tests.tasks.monitor.conftest import Project, ratings_of
from tests.tasks.monitor.test_chart_updates import open_alerts, rows, update
from warehouse.alerting.messages import MessageRoute
from warehouse.connect import connect
from warehouse.errors import WarehouseBusyError

OPEN = """
insert into alerts (alert_id, incident_id, question, kind, subject, severity, opened_at, changed_on, closed_at)
values ('aaaa1', 'iiii1', 'q', 'rater', 'r1', 'warning', now(), '2026-02-16', null),
    ('aaaa2', 'iiii1', 'q', 'agreement', null, 'warning', now(), '2026-02-16', null),
    ('aaaa22', 'iiii1', 'q', 'rater', 'r2', 'warning', now(), '2026-02-16', now()),
    ('bbbb', 'bbbb', 'q', 'low_agreement', null, 'critical', now(), null, null),
    ('cccc', 'iiii2', 'q', 'system', 'bot', 'critical', now(), '2026-02-16', now())
"""


@pytest.fixture
def desk(project: Project) -> AlertDesk:
    with connect(project.db) as con:
        con.execute(OPEN)
    return AlertDesk(project.db, [MessageRoute("TEAM")], "ann")


def test_an_id_may_be_shortened_and_that_of_an_incident_means_its_open_alerts(desk: AlertDesk) -> None:
    assert desk.acknowledge(["aaaa1"])["alert_id"].to_list() == ["aaaa1"]
    assert desk.acknowledge(["aaaa2"])["alert_id"].to_list() == ["aaaa2"]
    assert sorted(desk.close(["iiii1"], "a new guideline")["alert_id"]) == ["aaaa1", "aaaa2"]
    result = desk.mute(["bbb" + "b"], date(2026, 12, 31))
    assert result["muted_until"].to_list() == [datetime(2026, 12, 31, tzinfo=UTC)]
    with connect(desk.db, read_only=True) as con:
        assert con.sql("select event, len(alert_ids), run_id from messages").fetchall() == [("closed", 2, None)]
        assert con.sql("select closed_because, closed_by from alerts where alert_id = 'aaaa1'").fetchall() == [
            ("a new guideline", "ann")
        ]


@pytest.mark.parametrize(
    ("alert_id", "what", "hint"),
    [
        ("aaa", "'aaa' is too short for the id of an alert.", "4 characters"),
        ("aaaa", "3 alerts have an id that begins with 'aaaa'.", "Give more"),
        ("iiii", "Several incidents have an id that begins with 'iiii'.", "Give more"),
        ("nonsense", "No alert and no incident has an id that begins with 'nonsense'.", "kappaflow alerts"),
        ("cccc", "The alert cccc was closed on 20", "--all"),
    ],
)
def test_an_id_that_names_no_open_alert_is_refused(desk: AlertDesk, alert_id: str, what: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        desk.close([alert_id])
    assert str(caught.value).startswith(what)
    assert hint in caught.value.hint


def test_a_rule_has_no_new_normal_and_nothing_is_accepted_then(desk: AlertDesk) -> None:
    with pytest.raises(InputError, match="one of the rule low_agreement, which has no normal"):
        desk.accept(["aaaa1", "bbbb"])
    with connect(desk.db, read_only=True) as con:
        assert con.sql("from accepted_changes").fetchall() == []


def test_without_a_warehouse_and_with_a_busy_one_there_is_a_sentence(desk: AlertDesk, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no warehouse at"):
        AlertDesk(tmp_path / "none.duckdb", (), "ann").acknowledge(["aaaa1"])
    with connect(desk.db), pytest.raises(WarehouseBusyError, match=r"in use by another|was held by"):
        AlertDesk(desk.db, (), "ann", wait_seconds=0.1).acknowledge(["aaaa1"])


def test_an_unknown_filter_is_refused_with_what_there_is(desk: AlertDesk) -> None:
    filters = {"question": None, "kind": None, "severity": None}
    for name, hint in (("kind", "rater_speed"), ("severity", "critical"), ("question", "kappaflow status")):
        with pytest.raises(InputError, match=f"There is no .*{'x y'!r}") as caught:
            read_alerts(desk.db, **filters | {name: "x y"}, only_open=True)  # type: ignore[arg-type]
        assert hint in caught.value.hint


def test_a_day_begins_in_the_time_zone_of_the_project() -> None:
    assert start_of(date(2026, 7, 1), "Europe/Berlin").astimezone(UTC) == datetime(2026, 6, 30, 22, tzinfo=UTC)


def test_an_accepted_change_is_the_new_normal_of_the_next_run(project: Project) -> None:
    project.store(ratings_of(range(25)))
    project.store(ratings_of(range(25, 45), careless="r3"))
    update(project)
    desk = AlertDesk(project.db, (), "ann")
    accused = [alert_id for (alert_id,) in rows(project, "select alert_id from alerts where subject = 'r3'")]
    assert accused
    desk.accept(accused)
    update(project)
    assert [alert for alert in open_alerts(project) if alert[1] == "r3"] == []
    references = rows(project, "select min(day) from charts where chart = 'rater' and subject = 'r3' and is_reference")
    assert references[0][0] >= date(2026, 1, 20)
    project.store(ratings_of(range(45, 60), careless="r3"))
    update(project)
    assert [alert for alert in open_alerts(project) if alert == ("rater", "r3")] == []
