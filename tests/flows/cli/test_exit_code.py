"""A command keeps its exit code if the reader of its output stops early, as `head` does."""

import subprocess
from pathlib import Path

import pytest
import typer

from flows.cli.exit_code import exit_code

GWET = Path("examples/literature/gwet_2014_four_raters.csv").resolve()


def test_a_reader_that_ends_early_does_not_hide_a_finding(command: Path) -> None:
    """With pipefail, `kappaflow check ... | head` fails as without a pipe."""
    for extra in ([], ["--json"], ["--markdown", "-"]):
        arguments = ["check", str(GWET), "--min-alpha", ".99", "--judge", "point", *extra]
        result = subprocess.run(["bash", "-o", "pipefail", "-c", '"$0" "$@" | true', command, *arguments],
                                capture_output=True, text=True, timeout=60)  # fmt: skip
        assert (result.returncode, result.stderr) == (1, "")


def test_the_code_is_that_of_the_block_and_other_ends_stay() -> None:
    with exit_code(0):
        pass
    with pytest.raises(typer.Exit) as ended, exit_code(3):
        pass
    assert ended.value.exit_code == 3
    with pytest.raises(SystemExit, match="7"), exit_code(0):
        raise SystemExit(7)
    with pytest.raises(ValueError, match="inside"), exit_code(1):
        raise ValueError("inside")
