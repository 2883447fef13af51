"""The doctor compares the stored charts with those of all counts."""

from datetime import UTC, datetime

import pytest

from tasks.monitor.act_on_alerts import AlertDesk
from tasks.monitor.chart_check import charts_finding
from tasks.monitor.chart_updates import update_charts
from tasks.monitor.monitoring_configs import MonitoringConfigs
from tests.tasks.monitor.conftest import Project, ratings_of
from warehouse.connect import connect

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
CONFIGS = MonitoringConfigs({})


@pytest.mark.parametrize(
    "damage",
    [
        "update internal.chart_sums set score_sum = score_sum + 1 where day = '2026-01-30' and chart = 'agreement'",
        "update internal.version_sums set n_items = n_items + 1 where day = '2026-01-30'",
        "update internal.chart_points set statistic = 2000 where day = '2026-01-30'",
        "delete from internal.chart_points where day = '2026-01-30'",
        "update internal.chart_states set detector = replace(detector, '\"rater\"', '\"system\"')",
    ],
)
def test_damage_is_found_and_mended(project: Project, damage: str) -> None:
    project.store(ratings_of(range(28)))
    update_charts(project.db, CONFIGS, now=NOW)
    assert [finding.ok for finding in charts_finding(project.db, CONFIGS)] == [True]
    with connect(project.db) as con:
        con.execute(damage)
    (finding,) = charts_finding(project.db, CONFIGS)
    assert not finding.ok
    assert finding.rows == ({"question": "q"},)
    charts_finding(project.db, CONFIGS, fix=True)
    update_charts(project.db, CONFIGS, now=NOW)
    assert [finding.ok for finding in charts_finding(project.db, CONFIGS)] == [True]


def test_charts_that_are_due_are_no_finding(project: Project) -> None:
    project.store(ratings_of(range(28)))
    update_charts(project.db, CONFIGS, now=NOW)
    project.store(ratings_of([28]))
    with connect(project.db) as con:
        con.execute("update internal.chart_points set statistic = 2000")
    assert [finding.ok for finding in charts_finding(project.db, CONFIGS)] == [True]


def test_an_accepted_change_is_no_finding_before_the_next_run(project: Project) -> None:
    project.store(ratings_of(range(25)))
    project.store(ratings_of(range(25, 60), careless="r3"))
    update_charts(project.db, CONFIGS, now=NOW)
    with connect(project.db, read_only=True) as con:
        accused = con.execute("select alert_id from alerts where kind = 'rater' and subject = 'r3'").fetchall()
    assert accused
    AlertDesk(project.db, (), "ann").accept([alert_id for (alert_id,) in accused])
    assert [finding.ok for finding in charts_finding(project.db, CONFIGS)] == [True]
    update_charts(project.db, CONFIGS, now=NOW)
    assert [finding.ok for finding in charts_finding(project.db, CONFIGS)] == [True]


def test_a_missing_or_older_warehouse_has_no_finding(project: Project) -> None:
    assert charts_finding(project.db.with_name("none.duckdb"), CONFIGS) == []
    with connect(project.db) as con:
        con.execute("delete from internal.ledger where version >= 21 or version is null")
    assert charts_finding(project.db, CONFIGS) == []
