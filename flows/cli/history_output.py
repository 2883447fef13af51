"""How past runs look on a terminal, and as JSON."""

import json
from typing import TYPE_CHECKING, Any

import polars as pl

from flows.cli.terminal import heading, interval, note, p_value, print_table

if TYPE_CHECKING:
    from tasks.evaluate.history import PastRun, ReproducedRun

SHOWN = 40  # rows of a table of results; --json has them all
RUN = ("run_id", "kind", "question", "status", "code_version", "seed", "n_ratings", "started_at", "ended_at", "detail")
COEFFICIENTS = {
    "coefficient": "coefficient",
    "estimate": "estimate",
    "interval": "interval",
    "p_value": "p",
    "n_items": "items",
    "reason": "why not",
}


def run_as_json(found: "PastRun") -> dict[str, object]:
    """The value of `show --json`."""
    settings = found.run["settings"]
    run = {**found.run, "settings": None if settings is None else json.loads(settings)}
    return {"run": run, "results": {name: rows.to_dicts() for name, rows in found.tables.items()}}


def print_run(found: "PastRun") -> None:
    print_table([{"what": name.replace("_", " "), "value": _text(found.run[name])} for name in RUN])
    for name, rows in found.tables.items():
        print_table(_few(rows), title=f"{name} ({rows.height:,} rows)")
        if rows.height > SHOWN:
            note(f"The first {SHOWN} of {rows.height:,} rows; --json has them all.", style="dim")


def reproduced_as_json(found: "ReproducedRun") -> dict[str, object]:
    """The value of `reproduce --json`."""
    return {
        "run_id": found.run["run_id"],
        "question": found.run["question"],
        "equal": not found.differences,
        "compared": dict(found.compared),
        "left_out": found.left_out,
        "differences": list(found.differences),
    }


def print_reproduced(found: "ReproducedRun") -> None:
    if found.left_out:
        note(f"{found.left_out:,} rows of slices are left out: the metadata of items has no history.", style="dim")
    rows = sum(found.compared.values())
    if not found.differences:
        heading(f"Equal: {rows:,} rows in {', '.join(found.compared)} of run {found.run['run_id']}.")
        return
    heading(f"Not equal: {len(found.differences):,} figures of run {found.run['run_id']} differ.")
    print_table([{name: _text(value) for name, value in row.items()} for row in found.differences[:SHOWN]])


def print_agreement(found: pl.DataFrame) -> None:
    rows = [
        {**row, "interval": interval(row["low"], row["high"]), "p_value": p_value(row["p_value"])}
        for row in found.to_dicts()
        if row["reason"] != "not_applicable"
    ]
    print_table(rows, headers=COEFFICIENTS)


def _few(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Without what is the same in every row of the run, and without texts that no table has room for."""
    return rows.drop("run_id", "question", "warnings", "detail", strict=False).head(SHOWN).to_dicts()


def _text(value: object) -> object:
    return str(value) if isinstance(value, list | float) else value
