"""A command imports what it needs and no more. Nothing here is timed: the modules that cost time are named."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import typer

from flows.cli import app
from flows.cli.help.command_list import HELP, MODULES

GWET = Path(__file__).parents[4] / "examples" / "literature" / "gwet_2014_four_raters.csv"
COMMAND_LINE = typer.main.get_command(app)
IMPORTED = """
import json, sys
sys.argv[:] = ["kappaflow", *json.loads(sys.argv[1])]
from flows.cli import main
try:
    main()
except SystemExit as ended:
    assert not ended.code, ended.code
print("\\n" + json.dumps(sorted(sys.modules)))
"""


def imported(*arguments: str) -> set[str]:
    """The modules that a call of the command imports."""
    result = subprocess.run([sys.executable, "-c", IMPORTED, json.dumps(arguments)], capture_output=True, text=True,
                            timeout=120, check=True, cwd=GWET.parents[2])  # fmt: skip
    return set(json.loads(result.stdout.splitlines()[-1]))


@pytest.mark.parametrize("name", HELP)
def test_the_list_says_what_the_command_says(name: str) -> None:
    command = COMMAND_LINE.commands[name]  # type: ignore[attr-defined]
    assert command.name == name
    paragraph = " ".join(str(command.help).partition("\n\n")[0].split())
    assert HELP[name] == paragraph, f"write it in flows/cli/help/command_list.py: {paragraph}"


def test_every_command_of_the_modules_is_listed() -> None:
    modules = {import_module(f"flows.cli.{module}") for module in MODULES}
    defined = {name for module in modules for name in typer.main.get_group(module.app).commands}
    alerts = set(COMMAND_LINE.commands["alerts"].commands)  # type: ignore[attr-defined]
    assert defined - alerts - {"show"} == set(HELP) - {"alerts", "show"}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_the_list_of_commands_needs_no_command(arguments: list[str]) -> None:
    modules = imported(*arguments)
    heavy = {"polars", "duckdb", "numpy", "scipy", "prefect", "pandera", "pyarrow", "pydantic", "flows.cli.options"}
    assert not heavy & modules


def test_agree_needs_no_warehouse_and_no_pipeline() -> None:
    modules = imported("agree", str(GWET))
    assert "polars" in modules
    heavy = {
        "prefect",
        "pandera",
        "altair",
        "fastapi",
        "scipy.stats",
        "scipy.optimize",
        "duckdb",
        "rich.markdown",
        "narwhals",
    }
    assert not (heavy | {"flows.pipeline", "flows.settings", "warehouse.connect"}) & modules


def test_agree_on_many_items_needs_no_scipy(tmp_path: Path) -> None:
    labels = {"ann": "yyn", "bob": "yyn", "cid": "yny"}
    rows = [f"{item},{rater},{given[item % 3]}" for item in range(60) for rater, given in labels.items()]
    (tmp_path / "ratings.csv").write_text("item_id,rater_id,label\n" + "\n".join(rows))
    assert "scipy" not in imported("agree", str(tmp_path / "ratings.csv"))


def test_agree_as_json_needs_no_more_than_polars_numpy_and_typer() -> None:
    modules = imported("agree", str(GWET), "--json")
    assert {"numpy", "polars", "typer"} <= modules
    heavy = {"duckdb", "pandera", "prefect", "pyarrow", "pydantic", "rich", "scipy"}
    heavy |= {"stats.accuracy", "stats.answers", "stats.regions"}
    assert not heavy & modules
