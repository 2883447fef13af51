"""The sentences for wrong values of kappaflow.toml, and for files that are not TOML."""

import re
from pathlib import Path

import pytest

from flows.settings.model import load_settings
from tasks.errors import SettingsError


def _refused(folder: Path, text: str) -> SettingsError:
    (folder / "kappaflow.toml").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        load_settings(folder)
    return caught.value


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[questions.tone]\nlabels = [1, 2]", 'questions.tone.labels, value 1 = 1: is a text: put it in quotes, "1".'),
        (
            "[questions.tone]\nlabels = [true]",
            'questions.tone.labels, value 1 = True: is a text: put it in quotes, "true".',
        ),
        ('[questions.tone]\nlabels = "a, b"', 'questions.tone.labels = \'a, b\': is a list: write ["a", "b"].'),
        ('[questions.tone]\nsystems = "gpt"', "questions.tone.systems = 'gpt': is a list: write [\"gpt\"]."),
        ('[questions]\nlabels = ["a"]', "questions.labels = ['a']: is a table: begin it with [questions.NAME]."),
        ('[[questions]]\nname = "a"', "questions = [{'name': 'a'}]: is a table: begin it with [questions.NAME]."),
        ('[[project]]\nname = "a"', "project = [{'name': 'a'}]: is a table: begin it with [project]."),
        ('source = "inbox"', "source = 'inbox': is a table: begin it with [[source]]."),
        ('source = ["inbox"]', "source = 'inbox': is a table: begin it with [[source]]."),
        (
            "[check]\nmin_accuracy = 0.8",
            "check.min_accuracy = 0.8: is a table of names and values: write { NAME = 0.8 }.",
        ),
        ('[check]\nmin_alpha = "60%"', "check.min_alpha = '60%': is a number, without a percent sign: 60 % is 0.6."),
        ('[alerts]\nbelow = "low"', "alerts.below = 'low': is a number, such as 0.6."),
        ("[monitor]\nreference_items = 2.5", "monitor.reference_items = 2.5: is a whole number, without a unit."),
        ('[monitor]\nrolling_days = "28d"', "monitor.rolling_days = '28d': is a whole number, without a unit."),
        ('[[alerts.mute]]\nuntil = "31.1.2026"', "alerts.mute.until = '31.1.2026': is a date, such as 2026-01-31."),
        ('[[alerts.mute]]\nkind = "rater"', "alerts.mute.until: is required."),
        ('[publish]\nparquet = "maybe"', "publish.parquet = 'maybe': is true or false, without quotes."),
        ("[evaluate]\nconfidence = nan", "evaluate.confidence = nan: is no number."),
        ("notify = 'slack://tok/SECRET'", "notify: is a table: begin it with [[notify]]."),
        (
            "publish = {target = 'postgresql://u:SECRET@h/db'}",
            "publish.target: is a table: begin it with [[publish.target]].",
        ),
        (
            "[questions.literal]\nscale = 'x'",
            "questions.literal.scale = 'x': Input should be 'nominal', 'ordinal', 'interval' or 'ratio'.",
        ),
        (
            '[questions."[key]"]\nsystems = "gpt"',
            "questions.[key].systems = 'gpt': is a list: write [\"gpt\"].",
        ),
        ("[[source]]\npath = 5", "source.path: is a text."),  # a path may hold a secret
        ("[source]\nheader = 5", "source.header = 5: is true or false, without quotes."),
        (
            "[[source]]\n[[source]]\nsystems = ['a', 3]",
            '[[source]] number 2, systems, value 2 = 3: is a text: put it in quotes, "3".',
        ),
        (
            "[[source]]\nsystems = ['a']\ngold = ['a']\n[[source]]",
            "[[source]] number 1: 'a' is in systems and in gold; a rater is one of them.",
        ),
        (
            '[[alerts.mute]]\nuntil = 2026-01-31\n[[alerts.mute]]\nkind = "rater"',
            "[[alerts.mute]] number 2, until: is required.",
        ),
        (
            '[[publish.target]]\ntype = "postgres"\n[[publish.target]]\nschema = "a"',
            "[[publish.target]] number 2, type: is required.",
        ),
    ],
)
def test_a_wrong_type_says_what_to_write(tmp_path: Path, text: str, sentence: str) -> None:
    assert str(_refused(tmp_path, text)) == f"{tmp_path / 'kappaflow.toml'}: {sentence}"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('[source]\npath = "C:\\data\\inbox"', "Put such a path in single quotes"),
        ('[source]\npath = "C:\\Users\\ann"', "Put such a path in single quotes"),
        ('[questions.tone]\nlabels = ["a", "b"\nscale = "ordinal"', r"End the list with a \]"),
        ('[questions.tone]\nscale = "ordinal\nlabels = ["a"]', "End each text with the quote"),
        ("[questions.tone]\nlabels = ['a', 'b]", "End each text with the quote"),
        ('[questions.tone]\nscale: "ordinal"', "Put = between a key and its value"),
        ("[questions.tone]\nlabels = [\N{LEFT DOUBLE QUOTATION MARK}a\N{RIGHT DOUBLE QUOTATION MARK}]", "straight"),
        ("[questions.tone]\nalert_below = .6", r"0\.6, not \.6"),
    ],
)
def test_the_advice_fits_what_is_wrong_with_the_toml(tmp_path: Path, text: str, hint: str) -> None:
    error = _refused(tmp_path, text)
    assert "is not TOML" in str(error)
    assert re.search(hint, str(error.hint))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            'aws_secret_access_key = "geheim"',
            "[[source]] number 2, aws_secret_access_key: kappaflow.toml takes no",
        ),
        ('patern = "*.csv"', "[[source]] number 2, patern is not a setting; allowed are type, path"),
        ('columns = { itm = "x" }', "[[source]] number 2, columns.itm = 'itm': a column's role is one of item,"),
    ],
)
def test_a_source_is_counted_as_people_count(tmp_path: Path, text: str, sentence: str) -> None:
    error = str(_refused(tmp_path, f"[[source]]\n[[source]]\n{text}"))
    assert sentence in error
    assert "geheim" not in error


def test_labels_are_read_without_blanks_and_an_empty_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "kappaflow.toml").write_text('[questions.tone]\nlabels = [" a", "b "]')
    assert load_settings(tmp_path).questions["tone"].labels == ["a", "b"]
    assert "questions.tone.labels, value 2 = ' ': is no label" in str(
        _refused(tmp_path, '[questions.tone]\nlabels = ["a", " "]')
    )
    assert "declared once" in str(_refused(tmp_path, '[questions.tone]\nlabels = ["a", "a "]'))
