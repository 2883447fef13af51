"""How results look on a terminal."""

import subprocess
import sys

import polars as pl
import pytest

from flows.render.project import print_slices

ROW = {"question": "tone", "scope": "humans", "period": "all", "coefficient": "krippendorff_alpha", "estimate": 0.5,
       "low": 0.25, "high": 0.75, "n_items": 9, "n_raters": 2, "reason": None}  # fmt: skip
LONG = "a message " * 30


def frame(*rows: dict[str, object]) -> pl.DataFrame:
    return pl.DataFrame([ROW | row for row in rows], schema_overrides={"reason": pl.String})


def test_each_slice_has_a_line_with_its_reason_where_it_has_no_figure(capsys: pytest.CaptureFixture[str]) -> None:
    undefined = {"estimate": None, "low": None, "high": None, "reason": "too_few_items"}
    print_slices(
        frame(
            {},
            {"scope": "slice:language=en"},
            {"scope": "slice:language=de", **undefined},
            {"scope": "slice:language=en", "coefficient": "gwet_ac1"},
            {"scope": "slice:language=en", "period": "week"},
        )
    )
    title, header, german, english = (line for line in capsys.readouterr().out.splitlines() if line.strip())
    assert title.strip() == "Agreement by slice"
    assert header.split()[:3] == ["question", "slice", "coefficient"]
    assert german.split() == ["tone", "language=de", "krippendorff_alpha", "—", "—", "9", "2", "too_few_items"]
    assert english.split()[:6] == ["tone", "language=en", "krippendorff_alpha", "0.500", "[0.250,", "0.750]"]


def test_without_slices_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    print_slices(frame({}))
    assert capsys.readouterr().out == ""


def test_a_message_is_one_line_of_a_log_file() -> None:
    code = f"""
from flows.run import _Lines
from rich.console import Console
import logging
log = logging.getLogger("kappaflow")
log.addHandler(_Lines(Console(stderr=True, width=80)))
log.warning({LONG!r})
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == LONG.strip()
