"""Print past runs, and turn them into JSON."""

import json
from typing import TYPE_CHECKING, Any

import polars as pl

from flows.cli.terminal import headers_of, heading, interval, note, p_value, print_table
from tasks.counted_words import counted

if TYPE_CHECKING:
    from tasks.runs.history import PastRun, ReproducedRun

MAX_ROWS = 40  # of a table of results; --json has all
RUN = ("run_id", "kind", "question", "status", "code_version", "seed", "n_ratings", "started_at", "ended_at", "detail")
P_VALUES = ("p_value", "p_adjusted")
COEFFICIENTS = headers_of("coefficient estimate interval p_value n_items reason")


def run_as_json(past_run: "PastRun") -> dict[str, object]:
    """Return the value of `show --json`."""
    settings = past_run.run["settings"]
    run = {**past_run.run, "settings": None if settings is None else json.loads(settings)}
    return {"run": run, "results": {name: rows.to_dicts() for name, rows in past_run.tables.items()}}


def print_run(past_run: "PastRun") -> None:
    """Print a past run and its result tables."""
    print_table([{"what": name.replace("_", " "), "value": _text(past_run.run[name])} for name in RUN])
    for name, rows in past_run.tables.items():
        print_table(_result_rows(rows), title=f"{name} ({counted(rows.height, 'row')})")
        if rows.height > MAX_ROWS:
            note(f"The first {MAX_ROWS} of {rows.height:,} rows; --json has them all.", style="dim")


def reproduced_as_json(reproduced: "ReproducedRun") -> dict[str, object]:
    """Return the value of `reproduce --json`."""
    return {
        "run_id": reproduced.run["run_id"],
        "question": reproduced.run["question"],
        "equal": not reproduced.differences,
        "n_rows": sum(reproduced.compared.values()),
        "compared": dict(reproduced.compared),
        "left_out": reproduced.left_out,
        "differences": list(reproduced.differences),
    }


def print_reproduced(reproduced: "ReproducedRun") -> None:
    """Print whether a run gave the same figures again, and the figures that differ."""
    if reproduced.left_out:
        note(
            f"Left out: {counted(reproduced.left_out, 'row')} of slices. The metadata of items has no history.",
            style="dim",
        )
    rows = sum(reproduced.compared.values())
    if not rows and not reproduced.differences:
        heading(f"Nothing to compare: run {reproduced.run['run_id']} stored no figures that can be computed again.")
        return
    if not reproduced.differences:
        heading(f"Equal: {counted(rows, 'row')} in {', '.join(reproduced.compared)} of run {reproduced.run['run_id']}.")
        return
    differ = counted(len(reproduced.differences), "figure differs", "figures differ")
    heading(f"Not equal: {differ} from run {reproduced.run['run_id']}.")
    print_table([{name: _text(value) for name, value in row.items()} for row in reproduced.differences[:MAX_ROWS]])


def print_agreement(agreement: pl.DataFrame) -> None:
    """Print a table of coefficients."""
    rows = [
        {**row, "interval": interval(row["low"], row["high"]), "p_value": p_value(row["p_value"])}
        for row in agreement.to_dicts()
        if row["reason"] != "not_applicable"
    ]
    print_table(rows, headers=COEFFICIENTS)


def _result_rows(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the first rows without long texts. No p value is 0, however small."""
    shown = rows.drop("run_id", "question", "warnings", "detail", strict=False).head(MAX_ROWS)
    return [
        {name: p_value(value) if name in P_VALUES else value for name, value in row.items()} for row in shown.to_dicts()
    ]


def _text(value: object) -> object:
    return str(value) if isinstance(value, list | float) else value
