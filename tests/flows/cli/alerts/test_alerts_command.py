"""`kappaflow alerts`: the list, one alert, and what is done about one."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.cli import app
from tasks.errors import InputError
from tests.gate_project import make_project

CHART = """
insert into alerts by name
select 'c0ffee00' as alert_id, 'feed0000' as incident_id, 'tone' as question, 'rater' as kind,
    'ann' || chr(27) || '[2J' as subject, 'warning' as severity, now() as opened_at, '2026-02-16'::date as changed_on,
    '2026-02-10'::date as changed_low, '2026-02-20'::date as changed_high, '2026-02-28'::date as detected_on,
    .01 as before, -.14 as after, 159 as n_items, 'before 0.010, after -0.140' as evidence, 'eve' as owner
"""
Shown = Callable[..., str]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published project with an alert of a rule and one of a chart."""
    from warehouse.connect import connect
    from warehouse.publication.snapshot import publish

    folder = tmp_path_factory.mktemp("alerts")
    project = make_project(folder)
    with connect(project.db) as con:
        con.execute(CHART)
    publish(project.db, folder / "published")
    return folder


@pytest.fixture
def shown(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shown:
    """What `kappaflow alerts ...` prints on a copy of the project."""
    folder = tmp_path / "project"
    shutil.copytree(made, folder)

    def run(*arguments: str) -> str:
        capsys.readouterr()
        app(["alerts", *arguments, "--project", str(folder)], standalone_mode=False)
        return capsys.readouterr().out

    return run


def listed(shown: Shown, *arguments: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(shown(*arguments, "--json"))
    return rows


def test_without_a_command_the_open_alerts_are_listed(shown: Shown) -> None:
    rows = listed(shown)
    assert {(row["kind"], row["severity"], row["state"]) for row in rows} == {
        ("rater", "warning", "open"),
        ("low_agreement", "critical", "open"),
    }
    assert listed(shown, "list", "--severity", "critical") == [row for row in rows if row["severity"] == "critical"]
    table = shown()
    assert "c0ffee00" in table
    assert "\x1b[2J" not in table


def test_the_command_for_one_alert_finds_the_project_from_here(
    shown: Shown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for here, command in ((tmp_path, "alerts show ID --project project"), (tmp_path / "project", "alerts show ID")):
        monkeypatch.chdir(here)
        assert shown().rstrip().endswith(command)


def test_an_alert_is_shown_with_its_figures_its_query_and_what_to_look_at(shown: Shown) -> None:
    text = shown("show", "c0ff")
    assert "before 0.010, after -0.140" in text
    assert "Look at the items on which" in text
    assert "a.alert_id = 'c0ffee00'" in text
    assert "2026-02-16" in text
    assert "\x1b[2J" not in text
    details = json.loads(shown("show", "c0ff", "--json"))
    assert (details["before"], details["n_items"], details["owner"], details["state"]) == (0.01, 159, "eve", "open")
    assert details["queries"].keys() == {"alert", "figures"}
    assert any("10-20 February" in sentence for sentence in details["sentences"])


def test_the_figures_of_a_rule_are_those_of_now(shown: Shown) -> None:
    """Nothing has changed "since" a day where agreement is below a limit."""
    (rule,) = listed(shown, "list", "--severity", "critical")
    figures = shown("show", rule["alert_id"][:8]).partition("\nfigure ")[2].partition("SQL behind it")[0]
    assert "now " in figures
    assert "items " in figures
    assert "since" not in figures
    assert "items since " in shown("show", "c0ff")


def test_the_snapshot_shows_what_was_done(shown: Shown) -> None:
    assert "acknowledged" in shown("ack", "c0ff", "--by", "bob")
    assert "acknowledged by bob" in shown()
    (muted,) = listed(shown, "mute", "c0ff", "--until", "2126-01-01")
    assert muted["state"] == "muted"
    assert "muted until 2126-01-01" in shown("mute", "c0ff", "--until", "2126-01-01")
    assert "): not muted." in shown("mute", "c0ff", "--until", "2020-01-01")
    shown("mute", "c0ff", "--until", "2126-01-01")
    assert "muted" in shown("list", "--kind", "rater")
    (accepted,) = listed(shown, "accept", "feed0000", "--by", "bob")
    assert (accepted["closed_because"], accepted["closed_by"]) == ("accepted", "bob")
    rule = listed(shown, "--kind", "low_agreement")[0]["alert_id"]
    shown("close", rule, "--because", "known")
    assert listed(shown) == []
    assert "No alert is open." in shown()
    assert {row["closed_because"] for row in listed(shown, "--all")} == {"accepted", "known"}


def test_a_day_that_is_none_is_refused(shown: Shown) -> None:
    with pytest.raises(InputError, match=r"--until 'soon' is not a day\."):
        shown("mute", "c0ff", "--until", "soon")
