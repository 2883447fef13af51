"""`kappaflow audit`: what it refuses, and what it prints."""

from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Give --out FILE to draw items, or --answers FILE"),
        (("--out", "a.csv", "--answers", "b.csv"), "Give --out FILE to draw items, or --answers FILE"),
        (("--out", "a.csv"), "Nothing is published"),
    ],
)
def test_bad_input_is_two_lines_and_exit_code_2(
    arguments: tuple[str, ...], said: str, tmp_path: Path, kappaflow: Any
) -> None:
    found = kappaflow("audit", "--question", "tone", "--project", tmp_path, *arguments, code=2)
    assert said in found.stderr
