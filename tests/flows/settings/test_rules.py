"""[rules], [[alerts.mute]] and the kinds of alerts: what reaches the tasks, and the sentence for what is wrong."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from flows.project_folder import CODE_VERSION, Project
from flows.settings.model import load_settings
from flows.settings.task_inputs import alert_mutes, monitoring_configs
from tasks.errors import SettingsError
from tasks.monitor.rules import RULES
from warehouse.alerting.alert_mutes import AlertMute


def project(folder: Path, text: str) -> Project:
    (folder / "kappaflow.toml").write_text(text, encoding="utf-8")
    return Project(folder, load_settings(folder))


def test_a_question_has_its_own_limits_before_those_of_all(tmp_path: Path) -> None:
    text = """
        [alerts]
        below = 0.6
        [rules]
        batch_late = "3d"
        gold_score = "80%"
        new_label = "14d"
        [questions.tone]
        alert_below = 0.5
        [questions.tone.rules]
        batch_late = "36h"
        new_label = false
        ratings_per_item = 3
        [questions.score]
        scale = "interval"
        [questions.points]
        scale = "ratio"
        rules = {new_label = "1d"}
    """
    configs = monitoring_configs(project(tmp_path, text))
    assert configs.of("tone").rules == {
        "batch_late": 129_600, "gold_score": 0.8, "ratings_per_item": 3, "low_agreement": 0.5,
    }  # fmt: skip
    assert configs.of("other").rules == {
        "batch_late": 259_200, "gold_score": 0.8, "new_label": 1_209_600, "low_agreement": 0.6,
    }  # fmt: skip
    assert "new_label" not in configs.of("score").rules, "each new number would open an alert"
    assert configs.of("points").rules["new_label"] == 86_400
    assert configs.of("tone").rules_of_other_answers() == {
        "batch_late": 129_600, "ratings_per_item": 3, "low_agreement": 0.5,
    }  # fmt: skip
    assert configs.of("other").rules_of_other_answers() == {}
    assert monitoring_configs(project(tmp_path, "")).of("tone").rules == {}
    assert configs.of("tone").charts.code_version == CODE_VERSION


def test_each_rule_has_a_setting(tmp_path: Path) -> None:
    assert {*project(tmp_path, "").settings.rules.model_dump(), "low_agreement"} == set(RULES)


def test_a_mute_ends_when_the_day_begins_in_the_projects_time_zone(tmp_path: Path) -> None:
    text = (
        '[project]\ntimezone = "Europe/Berlin"\n[[alerts.mute]]\nuntil = 2026-07-01\nkind = "rater*"\nquestion = "tone"'
    )
    assert alert_mutes(project(tmp_path, text)) == (
        AlertMute(datetime(2026, 6, 30, 22, tzinfo=UTC), "tone", "rater*", None),
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[[notify]]\nkinds = ["ratre"]', "notify.kinds, value 1 = 'ratre': is a kind of alert, or a pattern"),
        ('[[notify]]\nkinds = ["ratre*"]', "kinds are agreement, labels, rater, rater_labels"),
        ('[alerts]\nseverity = { ratre = "critical" }', "is a kind of alert: agreement, labels"),
        ('[[alerts.mute]]\nuntil = 2026-07-01\nkind = "x"', "alerts.mute.kind = 'x': is a kind of alert"),
        ("[[alerts.mute]]\nuntil = 2026-07-01\nwhen = 1", "allowed are until, question, kind, subject"),
        ('[rules]\nbatch_late = "soon"', "rules.batch_late = 'soon': Use a number of seconds, or 30s, 15m, 6h, 1d."),
        (
            '[rules]\nrater_missing = "3h"',
            "rules.rater_missing = '3h': is a time of 1d or more, because days are compared",
        ),
        ("[questions.tone.rules]\nrater_missing = 60", "tone.rules.rater_missing = 60: is a time of 1d or more"),
        ("[rules]\nrecent_agreement = 2", "rules.recent_agreement = 2: Input should be less than or equal to 1."),
        ("[rules]\nnew_label = true", "rules.new_label = True: is a limit, or false for no such rule."),
        (
            "[questions.tone.rules]\nlate = 3",
            "questions.tone.rules.late is not a setting; allowed are recent_agreement",
        ),
    ],
)
def test_what_is_wrong_is_said_with_what_is_allowed(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(SettingsError) as caught:
        project(tmp_path, text)
    assert sentence in str(caught.value)
    assert not str(caught.value).endswith("..")


def test_a_limit_of_0_is_a_limit_and_switches_no_rule_off(tmp_path: Path) -> None:
    text = (
        "[rules]\nrejected_rows = 0\nrecent_agreement = 0\ngold_score = 0\n[questions.tone.rules]\ngold_score = false\n"
    )
    configs = monitoring_configs(project(tmp_path, text))
    assert configs.of("other").rules == {"rejected_rows": 0, "recent_agreement": 0, "gold_score": 0}
    assert configs.of("tone").rules == {"rejected_rows": 0, "recent_agreement": 0}
    for name in ("batch_late", "rater_missing", "new_label", "ratings_per_item"):
        with pytest.raises(SettingsError, match=rf"rules\.{name} = 0: Input should be greater than"):
            project(tmp_path, f"[rules]\n{name} = 0\n")
