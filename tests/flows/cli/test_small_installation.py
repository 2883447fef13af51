"""The small installation: what `pip install kappaflow` brings, without the extra `pipeline`.

The environment of the tests has everything. Here Python sees only the packages that pip would install.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[3]
TABLE = ROOT / "examples" / "literature" / "lehner_2015_table_2.csv"
START = "import sys; sys.argv = ['kappaflow', *sys.argv[1:]]; from flows.__main__ import main; main()"
Small = Callable[..., "subprocess.CompletedProcess[str]"]


def needed(name: str, known: set[str]) -> set[str]:
    """All distributions that one needs, without its extras."""
    if name not in known:
        known.add(name)
        for text in distribution(name).requires or ():
            wanted = Requirement(text)
            if wanted.marker is None or wanted.marker.evaluate({"extra": ""}):
                needed(wanted.name, known)
    return known


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packages of the small installation."""
    folder = tmp_path_factory.mktemp("small")
    for name in needed("kappaflow", set()) - {"kappaflow"}:
        files = distribution(name).files or ()
        for top in {file.parts[0] for file in files} - {"..", "__pycache__"}:
            place = folder / top
            if not place.exists():
                place.symlink_to(Path(str(distribution(name).locate_file(top))))
    return folder


@pytest.fixture
def small(packages: Path, tmp_path: Path) -> Small:
    """Run a command in the small installation."""

    def run(*arguments: str | Path, code: int = 0) -> "subprocess.CompletedProcess[str]":
        result = subprocess.run(
            [sys.executable, "-S", "-c", START, *map(str, arguments)], capture_output=True, text=True, cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": f"{packages}{os.pathsep}{ROOT}", "HOME": str(tmp_path)}, check=False,
        )  # fmt: skip
        assert result.returncode == code, result.stderr
        return result

    return run


def test_prefect_and_the_pages_are_not_in_it(packages: Path) -> None:
    there = {path.name for path in packages.iterdir()}
    assert {"polars", "scipy", "typer"} <= there
    assert not there & {"prefect", "fastapi", "altair", "jinja2", "pandera", "duckdb", "pyarrow"}


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (("agree", TABLE, "--json"), "krippendorff_alpha"),
        (("accuracy", TABLE, "--system", "system", "--json"), "average"),
        (("inspect", TABLE, "--json"), '"format": "long"'),
        (
            ("plan", "--n-labels", "5", "--n-raters", "3", "--kappa", "0.3", "--half-width", "0.1"),
            "items with 3 raters",
        ),
        (("help", "settings"), "kappaflow.toml"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_commands_on_a_file_work(small: Small, arguments: tuple[str, ...], printed: str) -> None:
    assert printed in small(*arguments).stdout


@pytest.mark.parametrize("command", ["run", "serve", "dashboard", "sql"])
def test_commands_on_a_project_name_what_to_install(small: Small, tmp_path: Path, command: str) -> None:
    (tmp_path / "kappaflow.toml").touch()
    result = small(command, *(["select 1"] if command == "sql" else []), code=2)
    assert "Traceback" not in result.stderr
    what, hint = result.stderr.strip().splitlines()
    assert what.startswith("This needs the Python package '")
    assert hint == "Install the rest: pip install 'kappaflow[pipeline]'."
