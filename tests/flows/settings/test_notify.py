"""[[notify]]: who is told of what, and the sentence for what is wrong."""

from pathlib import Path
from typing import Any

import pytest

from flows.project_folder import Project
from flows.settings.model import load_settings
from flows.settings.task_inputs import message_context, message_routes, setting_names
from tasks.errors import SettingsError
from warehouse.alerting.messages import MessageRoute


def project(folder: Path, text: str) -> Project:
    (folder / "kappaflow.toml").write_text(text, encoding="utf-8")
    return Project(folder, load_settings(folder))


def test_without_the_table_nobody_is_told(tmp_path: Path) -> None:
    assert message_routes(project(tmp_path, "")) == ()


def test_one_table_and_several_are_both_lists(tmp_path: Path) -> None:
    assert [route.channel for route in message_routes(project(tmp_path, "[notify]"))] == ["KAPPAFLOW_NOTIFY_URL"]
    text = '[[notify]]\nurl_env = "TEAM_URL"\n[[notify]]\nurl_env = "BOSS_URL"'
    assert [route.channel for route in message_routes(project(tmp_path, text))] == ["TEAM_URL", "BOSS_URL"]


def test_the_settings_reach_the_route(tmp_path: Path) -> None:
    text = """
        [[notify]]
        url_env = "TEAM_URL"
        questions = "tone*"
        kinds = ["agreement", "rater*"]
        severity = "critical"
        owners = ["ann"]
        events = "opened"
        reminder_days = 7
    """
    assert message_routes(project(tmp_path, text)) == (
        MessageRoute("TEAM_URL", ("tone*",), ("agreement", "rater*"), ("critical",), ("ann",), ("opened",), 7.0),
    )


@pytest.mark.parametrize(
    ("severity", "severities"),
    [('"warning"', ("warning", "critical")), ('"critical"', ("critical",)), ('["warning"]', ("warning",))],
)
def test_a_severity_is_a_minimum_and_a_list_of_severities_is_a_choice(
    tmp_path: Path, severity: str, severities: tuple[str, ...]
) -> None:
    (route,) = message_routes(project(tmp_path, f"[[notify]]\nseverity = {severity}"))
    assert route.severities == severities


def test_messages_know_the_project_and_its_promise(tmp_path: Path) -> None:
    text = """
        [project]
        name = "Support"
        timezone = "Europe/Berlin"
        [monitor]
        coefficient = "gwet_ac1"
        false_alarms_per_year = 2
    """
    context = message_context(project(tmp_path, text))
    assert (context.name, context.timezone, context.coefficient) == ("Support", "Europe/Berlin", "Gwet's AC1")
    assert (context.folder, context.report.parent, context.false_alarms_per_year) == (tmp_path, tmp_path, 2)


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ('severity = "grave"', "notify.severity = 'grave': is 'warning' or 'critical', or a list of them."),
        ("severity = []", "notify.severity = []: is 'warning' or 'critical', or a list of them."),
        ('events = ["reopened"]', "notify.events, value 1 = 'reopened': Input should be 'opened' or 'closed'."),
        ("reminder_days = 0", "notify.reminder_days = 0: Input should be greater than 0."),
        ('channel = "x"', "notify.channel is not a setting; allowed are url_env, questions,"),
    ],
)
def test_a_wrong_value_gets_a_sentence(tmp_path: Path, setting: str, sentence: str) -> None:
    with pytest.raises(SettingsError) as caught:
        project(tmp_path, f"[[notify]]\n{setting}")
    assert sentence in str(caught.value)


@pytest.mark.parametrize("setting", ['url_env = "slack://T0psecret"', 'url = "slack://T0psecret"'])
def test_an_address_in_the_settings_is_refused_and_not_repeated(tmp_path: Path, setting: str) -> None:
    with pytest.raises(SettingsError) as caught:
        project(tmp_path, f"[[notify]]\n{setting}")
    assert "T0psecret" not in str(caught.value)


def test_the_questions_are_compared_with_the_data_but_patterns_are_not(tmp_path: Path) -> None:
    names: list[Any] = setting_names(project(tmp_path, '[[notify]]\nquestions = ["tone", "t*"]'))
    assert [(name.place, name.name, name.kind) for name in names] == [
        ("[[notify]] KAPPAFLOW_NOTIFY_URL, questions", "tone", "question")
    ]
