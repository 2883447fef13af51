"""`kappaflow worklist`: what it refuses."""

from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--gold",), "--gold and --rater go with --answers FILE."),
        (("--answers", "a.csv"), "The command needs to know whose answers these are."),
        (("--answers", "a.csv", "--gold", "--rater", "eve"), "The command needs to know whose answers these are."),
        (("--answers", "a.csv", "--gold", "--out", "b.csv"), "--answers excludes --out and --blind."),
        ((), "Nothing is published"),
    ],
)
def test_bad_input_is_two_lines_and_exit_code_2(
    arguments: tuple[str, ...], said: str, tmp_path: Path, kappaflow: Any
) -> None:
    found = kappaflow("worklist", "--question", "tone", "--project", tmp_path, *arguments, code=2)
    assert said in found.stderr
    assert len(found.stderr.splitlines()) == 2
