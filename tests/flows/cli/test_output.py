"""How results look on a terminal."""

import csv
import io
import json
import logging
import re
import subprocess
import sys

import polars as pl
import pytest
from rich.console import Console

from flows.cli import terminal
from flows.cli.project_output import print_rows, print_slices
from tasks.summary.run_figures import slice_rows

ROW = {"question": "tone", "scope": "humans", "period": "all", "coefficient": "krippendorff_alpha", "estimate": 0.5,
       "low": 0.25, "high": 0.75, "n_items": 9, "n_raters": 2, "reason": None}  # fmt: skip
LONG = "a message " * 30
HOSTILE = "a\x1b[2J\x07b\x7fc\x9b31md\u202ee\rf"  # clears the screen, beeps, colours, turns letters, goes back
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def frame(*rows: dict[str, object]) -> pl.DataFrame:
    return pl.DataFrame([ROW | row for row in rows], schema_overrides={"reason": pl.String})


def test_each_slice_has_a_line_with_its_reason_where_it_has_no_figure(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(terminal, "console", Console(highlight=False, width=200, force_terminal=False))
    undefined = {"estimate": None, "low": None, "high": None, "reason": "too_few_items"}
    agreement = frame(
        {},
        {"scope": "slice:language=en"},
        {"scope": "slice:language=de", **undefined},
        {"scope": "slice:language=en", "coefficient": "gwet_ac1"},
        {"scope": "slice:language=en", "period": "week"},
    )
    print_slices(slice_rows(agreement).to_dicts())
    title, header, german, english = (line for line in capsys.readouterr().out.splitlines() if line.strip())
    assert title.strip() == "Agreement by slice"
    assert header.split()[:3] == ["question", "slice", "coefficient"]
    assert german.split() == ["tone", "language=de", "krippendorff_alpha", "—", "—", "9", "2", "too_few_items"]
    assert english.split()[:6] == ["tone", "language=en", "krippendorff_alpha", "0.500", "[0.250,", "0.750]"]


def test_a_figure_that_weighs_near_misses_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A percent agreement of .945 was that with quadratic weights: .485 of the answers were equal."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(terminal, "console", Console(highlight=False, width=200, force_terminal=False))
    weights = ("identity", "quadratic", "metric")
    rows = [{"scope": f"slice:language={weight}", "weights": weight} for weight in weights]
    print_slices(slice_rows(frame(*rows)).to_dicts())
    _, header, *lines = (line for line in capsys.readouterr().out.splitlines() if line.strip())
    assert header.split()[3] == "weights"
    assert [line.split()[1:4:2] for line in lines] == [
        ["language=identity", "—"], ["language=metric", "—"], ["language=quadratic", "quadratic"],
    ]  # fmt: skip


def test_without_slices_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    print_slices(slice_rows(frame({})).to_dicts())
    assert capsys.readouterr().out == ""


def test_a_message_is_one_line_of_a_log_file() -> None:
    code = f"""
from flows.cli.runs.run_progress import _Lines
from rich.console import Console
import logging
log = logging.getLogger("kappaflow")
log.addHandler(_Lines(Console(stderr=True, width=80)))
log.warning({LONG!r})
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stderr.strip() == LONG.strip()


def printed_csv(frame: pl.DataFrame, capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    terminal.print_csv(frame)
    return list(csv.reader(io.StringIO(capsys.readouterr().out)))


@pytest.mark.field_trial(27)
@pytest.mark.parametrize(
    "text", ["-1", "+1", "-2+3", "1e5", "+1.5e-3", "-0.5", "-.5", "-", "+", "--", "-1,5", "-1.000,5", "fine", "a=b"]
)
def test_numbers_and_signs_leave_as_csv_as_they_are(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed_csv(pl.DataFrame({"label": [text], text: [1]}), capsys) == [["label", text], [text, "1"]]


@pytest.mark.field_trial(27)
@pytest.mark.parametrize("kind", [pl.String, pl.Categorical, pl.Enum])
@pytest.mark.parametrize(
    "text", ["=1+1", "@x", "\t=x", "-x", "-A1", "-2+E5", "+cmd|' /C calc'!A0", "-1+cmd|'x'!A0", "+1-SUM(A1)", "-1 2"]
)
def test_formulas_are_no_formulas_in_csv(
    text: str, kind: type[pl.DataType], capsys: pytest.CaptureFixture[str]
) -> None:
    values = pl.Series([text], dtype=pl.Enum([text]) if kind is pl.Enum else kind)
    assert printed_csv(pl.DataFrame({"label": values, text: [1]}), capsys) == [["label", "'" + text], ["'" + text, "1"]]


@pytest.mark.field_trial(27)
def test_nothing_that_steers_a_terminal_leaves_as_csv(capsys: pytest.CaptureFixture[str]) -> None:
    other = "two\r\nlines\tand a joined \N{MAN}\u200d\N{WOMAN}, a\u00a0space"
    result = pl.DataFrame({"label": [HOSTILE, other, None], HOSTILE: [[HOSTILE]] * 3, HOSTILE + " ": ["\r=x"] * 3})
    terminal.print_csv(result)
    text = capsys.readouterr().out
    assert RAW.sub("", text) == text.replace("\r\n", "\n"), "only the line end in the text is a control character"
    header, first, second, third = csv.reader(io.StringIO(text, newline=""))
    assert header == ["label", "a�[2J�b�c�31md�e�f", "a�[2J�b�c�31md�e�f "]
    assert (first[0], second[0], third[0]) == ("a�[2J�b�c�31md�e�f", other, "")
    assert json.loads(first[1]) == [HOSTILE]
    assert first[2] == "'�=x"


@pytest.mark.field_trial(27)
def test_nothing_that_steers_a_terminal_leaves_as_json_and_nothing_is_lost(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.print_json({HOSTILE: [HOSTILE, "Grüße"], "half": "\ud800"})
    text = capsys.readouterr().out
    assert RAW.search(text) is None
    assert "Grüße" in text
    assert json.loads(text) == {HOSTILE: [HOSTILE, "Grüße"], "half": "\ud800"}


@pytest.mark.field_trial(27)
def test_nothing_that_steers_a_terminal_leaves_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(pl.DataFrame({HOSTILE: [HOSTILE], "[red]plain": [[HOSTILE]]}))
    terminal.print_table([{"a": HOSTILE}], title=HOSTILE, headers={"a": HOSTILE}, warn="a")
    terminal.note(HOSTILE)
    terminal.heading(HOSTILE)
    terminal.line(HOSTILE)
    text = capsys.readouterr().out
    assert RAW.search(text) is None
    assert text.count("�[2J") == 8
    assert "[red]plain" in text, "what stands in brackets is no markup"


@pytest.mark.field_trial(27)
def test_nothing_that_steers_a_terminal_stands_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    terminal.clean_log()
    with caplog.at_level(logging.INFO, logger="kappaflow"):
        logging.getLogger("kappaflow").info("%s: read", HOSTILE)
    assert RAW.search(caplog.text) is None
    assert "a�[2J" in caplog.text


def test_a_line_break_in_a_name_splits_no_sentence(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    terminal.note("a\nb.csv: read")
    terminal.heading("a\nb")
    assert capsys.readouterr().out.splitlines() == ["· a�b.csv: read", "", "a�b"]
    terminal.clean_log()
    with caplog.at_level(logging.INFO, logger="kappaflow"):
        logging.getLogger("kappaflow").info("a\nb.csv: read")
    assert [record.getMessage() for record in caplog.records] == ["a�b.csv: read"]


WIDE = [{"coefficient": f"krippendorff_alpha_{i}", "scale": "nominal", **{f"figure_{n}": i + n / 7 for n in range(9)}}
        for i in range(3)]  # fmt: skip


def test_a_wide_table_fits_a_narrow_terminal_in_parts(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "60")
        patch.setattr(terminal, "console", Console(highlight=False))
        terminal.print_table([*WIDE, {"coefficient": "x" * 50, "scale": "y" * 70}], title="Figures")
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 60
    headers = [line.split() for line in lines if line.startswith("coefficient")]
    assert [name for header in headers for name in header if name.startswith("figure")] == [
        f"figure_{n}" for n in range(9)
    ], "each figure stands there once, in its order"
    assert len(headers) > 1
    assert sum("0.857" in line for line in lines) == 1


@pytest.mark.parametrize(("width", "is_whole"), [(32, True), (26, False)])
def test_the_words_of_a_header_stay_whole_where_there_is_room(
    width: int, is_whole: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        patch.setattr(terminal, "console", Console(highlight=False))
        rows = [{"coefficient": "some text some text", "difference_to_best": "b", "explanation": "of it " * 5}]
        terminal.print_table(rows)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= width
    assert any("difference_to_best" in line for line in lines) == is_whole


def test_a_table_goes_into_a_pipe_whole(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(terminal, "console", Console(highlight=False))
    terminal.print_table(WIDE)
    header, *rows = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert len(header.split()) == 11
    assert len(rows) == 3


def test_a_long_table_looks_like_a_short_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(terminal, "console", Console(highlight=False, width=120, force_terminal=False))
    values = [(f"item {n}", n / 7, "日本" if n % 2 else "ä", HOSTILE, None if n % 3 else n) for n in range(20)]
    rows = [dict(zip(("item", "share", "label", "text", "n"), row, strict=True)) for row in values]
    terminal.print_table(rows, title="Items", headers={"item": "item", "share": "share", "label": "label", "text": "t",
                                                       "n": "n"})  # fmt: skip
    short = capsys.readouterr().out
    monkeypatch.setattr(terminal, "MANY_ROWS", 19)
    terminal.print_table(rows, title="Items", headers={"item": "item", "share": "share", "label": "label", "text": "t",
                                                       "n": "n"})  # fmt: skip
    long = capsys.readouterr().out
    assert [line.rstrip() for line in long.splitlines()] == [line.rstrip() for line in short.splitlines()]
    assert RAW.search(long) is None


def test_a_long_table_does_not_fold_its_texts(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(terminal, "MANY_ROWS", 1)
    terminal.print_table([{"text": "short", "n": 1}, {"text": LONG, "n": 2}])
    _, _, first, second = capsys.readouterr().out.splitlines()
    assert second == f"{LONG}  2"
    assert first == "short".ljust(terminal.MAX_PADDED) + "  1"
