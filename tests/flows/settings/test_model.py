"""kappaflow.toml: what is allowed, and the sentence for what is not."""

import re
from pathlib import Path
from typing import get_args

import pytest

from flows.project_folder import Project, find_project
from flows.settings.model import EvaluateSettings, LimitSettings, QuestionSettings, ScheduleSettings, load_settings
from flows.settings.task_inputs import folder_sources, gate_rules, ingest_rules, question_configs
from flows.settings.values import Rule
from stats.defaults import OUTER_ERROR
from tasks.errors import SettingsError
from tasks.gate.gate_rules import FigureLimits, GateRules
from tasks.ingest.duplicates import RULES, DuplicateRule
from tasks.single_file.load_file import FileOptions
from warehouse.memory_limit import memory_limit


def _load(folder: Path, text: str):
    (folder / "kappaflow.toml").write_text(text, encoding="utf-8")
    return load_settings(folder)


def test_no_file_and_an_empty_file_mean_the_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path) == _load(tmp_path, "")
    assert load_settings(tmp_path).source[0].path == "inbox"


def test_a_process_keeps_to_the_memory_of_its_project(tmp_path: Path) -> None:
    _load(tmp_path, '[limits]\nmemory = "2 GB"\n')
    find_project(tmp_path)
    try:
        assert memory_limit() == 2_000_000_000
    finally:
        _load(tmp_path, "")
        find_project(tmp_path)
    assert memory_limit() is None


def test_the_outer_error_is_the_measured_one() -> None:
    assert EvaluateSettings().outer_error == OUTER_ERROR


def test_a_file_without_a_project_has_the_same_defaults() -> None:
    evaluate, question = EvaluateSettings(), QuestionSettings()
    assert (FileOptions.confidence, FileOptions.seed, FileOptions.scale) == (
        evaluate.confidence,
        evaluate.seed,
        question.scale,
    )
    assert DuplicateRule().rule == question.duplicates


def test_a_source_may_name_the_zone_of_times_without_one(tmp_path: Path) -> None:
    _load(tmp_path, '[source]\ntimezone = "Europe/Berlin"\n')
    (source,) = folder_sources(find_project(tmp_path))
    assert (source.options.timezone, source.path) == ("Europe/Berlin", tmp_path / "inbox")
    for unknown in ("Berlin", "CET+1", "Factory"):
        with pytest.raises(SettingsError, match=f"'{re.escape(unknown)}': is no known time zone"):
            _load(tmp_path, f'[[source]]\ntimezone = "{unknown}"\n')
    for other in ('type = "dataset"\npath = "x"', 'type = "label_studio"\nurl = "https://x.org"\nproject = 1'):
        with pytest.raises(SettingsError, match="has no timezone"):
            _load(tmp_path, f'[[source]]\n{other}\ntimezone = "UTC"\n')


def test_one_source_and_several_are_both_lists(tmp_path: Path) -> None:
    assert [source.path for source in _load(tmp_path, '[source]\npath = "a"').source] == ["a"]
    assert [source.path for source in _load(tmp_path, '[[source]]\npath = "a"\n[[source]]\npath = "b"').source] == [
        "a",
        "b",
    ]


def test_full_exports_and_duplicates_reach_the_sweep_and_the_rules(tmp_path: Path) -> None:
    text = """
        [[source]]
        full_export = true
        [questions.tone]
        duplicates = "repeats"
        systems = ["bot"]
        gold = ["lead"]
        [questions.mood]
    """
    settings = _load(tmp_path, text)
    project = Project(tmp_path, settings)
    assert [folder.full_export for folder in folder_sources(project)] == [True]
    assert ingest_rules(project).duplicates == {"tone": DuplicateRule("repeats", frozenset({"bot", "lead"}))}
    assert set(get_args(Rule)) == set(RULES)


@pytest.mark.parametrize(
    ("text", "seconds"), [("15", 15), ('"15"', 15), ('"30s"', 30), ('"15m"', 900), ('"6h"', 21600), ('"1d"', 86400)]
)
def test_schedule_in_words(tmp_path: Path, text: str, seconds: int) -> None:
    assert _load(tmp_path, f"[schedule]\nevery = {text}").schedule.every == seconds


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[questions.tone]\nscal = "nominal"', r"questions\.tone\.scal is not a setting; allowed are labels, scale"),
        ('[questions.tone]\nduplicates = "newest"', r"questions\.tone\.duplicates = 'newest': .*'latest', 'first'"),
        ('[questions.tone]\nscale = "ordnal"', r"questions\.tone\.scale = 'ordnal': .*'nominal', 'ordinal'"),
        ('[questions.tone]\nlabels = ["a", "a"]', r"questions\.tone.*each label is declared once"),
        ('[questions.tone]\nanswers = "ranked"', r"questions\.tone\.answers = 'ranked': .*'ranking' or 'text'"),
        ('[questions.tone]\nanswers = "text"\nlabels = ["a"]', r"questions\.tone.*labels cannot be used with rankings"),
        (
            '[questions.tone]\nanswers = "ranking"\nrules = {new_label = "7d"}',
            r"questions\.tone.*rules\.new_label cannot be used with rankings",
        ),
        (
            '[questions.tone]\nanswers = "text"\ncheck = {min_alpha = 0.5}',
            r"questions\.tone.*check\.min_alpha cannot be used with rankings",
        ),
        ("[questions.tone]\nlabels = []", r"questions\.tone\.labels"),
        ('[evaluate]\nslices = ["a=b"]', r"evaluate\.slices, value 1 = 'a=b': is the name of a property .*without '='"),
        ('[questions.tone]\nslices = ["a", "a"]', r"questions\.tone\.slices.*each property is named once"),
        ('[[source]]\npath = ""', r"source\.path: is a folder, a file or an address; write '\.' for the project"),
        ('[[source]]\npattern = " "', r"source\.pattern = ' ': is a glob such as .*leave it out for all files"),
        ('[[source]]\nsystems = ["a"]\ngold = ["b", "a"]', r"source: 'a' is in systems and in gold; a rater is one"),
        ('[questions.tone]\nsystems = ["a"]\ngold = ["a"]', r"questions\.tone: 'a' is in systems and in gold; a rater"),
        ('[sorce]\npath = "x"', r"sorce is not a setting; allowed are project, warehouse, source"),
        ("[[source]]\nlabel_separator = '|'", r"source\.label_separator .* columns = \{ label_separator = \.\.\. \}\."),
        ("[[source]]\npaht = 'x'", r"source\.paht is not a setting; allowed are type, path"),
        (
            "[questions.tone]\nalert_below = true",
            r"questions\.tone\.alert_below = True: is a number, not true or false",
        ),
        ("[check]\nmin_alpha = false", r"check\.min_alpha = False: is a number, not true or false"),
        (
            "[evaluate]\nlast_items = 99999999999999999999",
            r"evaluate\.last_items = 9+: holds a number that is too large",
        ),
        ("[monitor]\nfalse_alarms_per_year = inf", r"false_alarms_per_year = inf: holds a number that is too large"),
        ('[[source]]\npath = "a\\u0000b"', r"source\.path: holds a NUL character"),
        ('[raters]\naliases = { "a\\u0000" = "b" }', r"raters\.aliases.*: holds a NUL character"),
        ("[evaluate]\nconfidence = 95", r"evaluate\.confidence = 95"),
        ('[schedule]\nevery = "soon"', r"schedule\.every = 'soon'.*15m"),
        ('[schedule]\nevery = 60\ncron = "* * * * *"', "either every or cron"),
        ('[schedule]\ncron = "0 0 LW * *"', r"is not a cron line: L stands alone"),
        ('[schedule]\ncron = "0 0 6 * * *"', r"is not a cron line: Wrong number of fields"),
        ('[warehouse]\npath = "../elsewhere.duckdb"', r"warehouse\.path.*inside the project folder"),
        ('[warehouse]\npath = "/tmp/elsewhere.duckdb"', r"warehouse\.path.*inside the project folder"),
        ("[alerts]\nbelow = 7", r"alerts\.below = 7"),
        ("scale = nominal", "is not TOML"),
        ("[check]\nmin_alpha = 2", r"check\.min_alpha = 2"),
        ('[check]\nmax_rejected = "2"', r"check\.max_rejected = '2': is a share from 0 to 1, such as '2%' or 0\.02"),
        ("[check]\nmax_rejected = 2", r"check\.max_rejected = 2: .*less than or equal to 1"),
        ("[check]\nmin_agreement = { kappa = 0.5 }", r"check\.min_agreement\.kappa.*is one of percent_agreement"),
        ('[check]\njudge = "eye"', r"check\.judge = 'eye': .*'interval' or 'point'"),
        ("[check]\nmin_alfa = 0.5", r"check\.min_alfa is not a setting; allowed are min_alpha, .*no_open_alerts"),
        ("[questions.tone.check]\njudge = 1", r"tone\.check\.judge is not a setting; allowed are min_alpha, min_agr"),
    ],
)
def test_a_mistake_is_named_with_its_place_and_what_is_allowed(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(SettingsError, match=sentence) as caught:
        _load(tmp_path, text)
    assert "kappaflow.toml" in str(caught.value)
    assert caught.value.hint


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    assert _load(tmp_path, '\ufeff[project]\nname = "Größe"').project.name == "Größe"


def test_a_file_in_another_encoding_says_so(tmp_path: Path) -> None:
    (tmp_path / "kappaflow.toml").write_bytes(b'[project]\nname = "Gr\xf6\xdfe"\n')
    with pytest.raises(SettingsError, match=r"is not UTF-8 text, from line 2 on\.") as caught:
        load_settings(tmp_path)
    assert caught.value.hint == "Save it as UTF-8."


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("scale = nominal", "Put text values in quotes"),
        ("[evaluate]\nseed = 1\n[evaluate]\nseed = 2", "Write each .table. and each key once"),
        ("[project]\nname = 'a'\nname = 'b'\n", "Write each .table. and each key once"),
        ("[questions.my question]\n", r"in quotes: \[questions"),
    ],
)
def test_a_file_that_is_not_toml_says_how_to_correct_it(tmp_path: Path, text: str, hint: str) -> None:
    with pytest.raises(SettingsError, match="is not TOML") as caught:
        _load(tmp_path, text)
    assert re.search(hint, str(caught.value.hint))


def test_a_question_has_slices_of_its_own_or_those_of_all(tmp_path: Path) -> None:
    text = '[evaluate]\nslices = ["language", "source"]\n[questions.tone]\nslices = []\n[questions.mood]\n'
    (tmp_path / "kappaflow.toml").write_text(text)
    configs = question_configs(Project(tmp_path, load_settings(tmp_path)))
    results = {name: configs.of(name).slices for name in ("tone", "mood", "other")}
    assert results == {"tone": (), "mood": ("language", "source"), "other": ("language", "source")}


def test_the_rules_of_the_gate_reach_it_with_those_of_each_question(tmp_path: Path) -> None:
    text = """
        [check]
        min_alpha = 0.6
        min_accuracy = { gpt = "80%" }
        no_open_alerts = true
        max_rejected = "2%"
        judge = "point"
        unjudged = "finding"
        [questions.tone.check]
        min_agreement = { gwet_ac1 = 0.5 }
        [questions.mood]
    """
    rules = gate_rules(Project(tmp_path, _load(tmp_path, text)))
    assert rules == GateRules(
        FigureLimits(0.6, {}, {"gpt": 0.8}),
        {"tone": FigureLimits(min_agreement={"gwet_ac1": 0.5})},
        no_open_alerts=True,
        max_rejected=0.02,
        judge="point",
        unjudged="finding",
    )
    assert gate_rules(Project(tmp_path, _load(tmp_path, ""))) == GateRules()


def test_the_template_of_init_is_valid_with_every_example_line_uncommented(tmp_path: Path) -> None:
    from flows.cli.new_project import create_project

    settings = create_project(tmp_path / "project")[0]
    load_settings(settings.parent)
    lines = settings.read_text(encoding="utf-8").splitlines()
    opened = [line[2:] if line.startswith("# ") and ("=" in line or line.startswith("# [")) else line for line in lines]
    result = _load(tmp_path, "\n".join(opened))
    assert "<" not in settings.read_text(encoding="utf-8")
    assert result.schedule == ScheduleSettings(every=ScheduleSettings().every)
    assert result.limits == LimitSettings(memory=8_000_000_000)  # none by default
    assert result.questions["sentiment"].scale == "ordinal"
    assert result.source[0].columns["item"] == "doc_id"


def test_rankings_may_have_limits_of_their_own(tmp_path: Path) -> None:
    text = """
        [questions.order]
        answers = "ranking"
        alert_below = 0.5
        [questions.order.rules]
        recent_agreement = 0.4
        new_label = false
        [questions.order.check]
        min_agreement = { kendall_w = 0.6 }
    """
    question = _load(tmp_path, text).questions["order"]
    assert (question.alert_below, question.check and question.check.min_agreement) == (0.5, {"kendall_w": 0.6})
