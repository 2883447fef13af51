"""The past: what a run found, whether the same ratings give it again, and how a question stood at any moment."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from tasks.errors import InputError
from tasks.evaluate import Declared, humans_agreement, humans_of
from tasks.labels import declared_or_inferred
from tasks.material import Material, material_of_ratings
from tasks.patterns import from_ratings
from tasks.questions import CONSENSUS, KINDS, Asked
from warehouse.connect import connect
from warehouse.reads import questions, ratings_as_of, rows_of_run, runs_like, system_versions
from warehouse.results import TABLES

ROUNDING = 1e-9


@dataclass(frozen=True)
class PastRun:
    """A row of `runs`, and the rows that the run wrote, by table."""

    run: Mapping[str, Any]
    tables: Mapping[str, pl.DataFrame]


@dataclass(frozen=True)
class Reproduced:
    """A run computed again: the tables that were compared with their rows, and every figure that differs. `left_out`
    counts the rows of slices: what an item's metadata was then is not known, so that they cannot be computed again."""

    run: Mapping[str, Any]
    compared: Mapping[str, int]
    differences: tuple[Mapping[str, Any], ...]
    left_out: int = 0


def past_run(db: Path, run_id: str) -> PastRun:
    """A run by its id or the beginning of it. Raises InputError where that is no run, or several."""
    with connect(db, read_only=True) as con:
        found = runs_like(con, run_id) if run_id else []
        if len(found) != 1:
            said = "names several runs" if found else "is no run"
            raise InputError(
                f"{run_id!r} {said}.", 'Ids: kappaflow sql "select run_id, kind, question, started_at from runs".'
            )
        run = found[0]
        tables = {name: rows_of_run(con, name, str(run["run_id"])) for name in TABLES}
    return PastRun(run, {name: rows for name, rows in tables.items() if rows.height})


def reproduce(db: Path, run_id: str) -> Reproduced:
    """Compute a run again, from the ratings that were in force when it began and under its own settings.

    Raises InputError for a run that evaluated no question, or did not succeed.
    """
    past = past_run(db, run_id)
    run = past.run
    if run["question"] is None or run["kind"] not in KINDS or run["status"] != "succeeded":
        raise InputError(
            f"Run {run['run_id']} has no results to compare ({run['kind']}, {run['status']}).",
            "Name a run of kind evaluate or monitor that has succeeded.",
        )
    declared, asked = settings_of(run)
    with connect(db, read_only=True) as con:
        ratings = ratings_as_of(con, run["question"], run["started_at"])
        answers = system_versions(con, run["question"], run["started_at"])
        revisions = {known.question: known.revision for known in questions(con)}
    material = material_of_ratings(kinds_as_declared(ratings, declared), answers, asked.last_items)
    again = _by_item(KINDS[run["kind"]](run["question"], material, declared, asked).tables, material)
    # the consensus is kept of the latest run only, and shown by what the items' ratings are now
    is_latest = run["input_revision"] == revisions.get(run["question"]) and CONSENSUS in past.tables
    differences, compared = [], {}
    whole, left_out = _without_slices(past.tables)
    for name in (name for name in TABLES if is_latest or name != CONSENSUS):
        before, now = (_without_batch_times(rows) for rows in (whole.get(name), again.get(name)))
        if before is None and (now is None or now.is_empty()):
            continue
        differences += _differences(name, before, now)
        compared[name] = 0 if before is None else before.height
    return Reproduced(run, compared, tuple(differences), left_out)


def agreement_as_of(db: Path, question: str, moment: datetime, declared: Declared, confidence: float) -> pl.DataFrame:
    """The agreement of the human raters, from the ratings that were in force at a moment.

    Raises InputError where the question had none then.
    """
    with connect(db, read_only=True) as con:
        ratings = ratings_as_of(con, question, moment)
    if ratings.is_empty():
        raise InputError(
            f"{question!r} had no ratings at {moment:%Y-%m-%d %H:%M} UTC.",
            'Check its name, and when its first batch was ingested: kappaflow sql "select * from batches".',
        )
    labels = declared_or_inferred(ratings["label"], declared.labels, declared.scale, question)
    known, _ = labels.known(from_ratings(kinds_as_declared(ratings, declared)).frame)
    return humans_agreement(humans_of(known)[0], labels, declared.scale, confidence)


def settings_of(run: Mapping[str, Any]) -> tuple[Declared, Asked]:
    """What `tasks.questions` wrote to `runs.settings`, read back."""
    declared, asked = json.loads(run["settings"])
    labels = declared["labels"]
    read: dict[str, Any] = {name: frozenset(declared[name]) for name in ("systems", "gold")}
    read |= {"labels": None if labels is None else tuple(labels), "slices": tuple(declared.get("slices", ()))}
    return Declared(**{**declared, **read}), Asked(**asked)


def kinds_as_declared(ratings: pl.DataFrame, declared: Declared) -> pl.DataFrame:
    """The ratings with the kinds that the settings gave the raters; gold goes before system."""
    rater = pl.col("rater")
    kind = (
        pl.when(rater.is_in(sorted(declared.gold)))
        .then(pl.lit("gold"))
        .when(rater.is_in(sorted(declared.systems)))
        .then(pl.lit("system"))
        .otherwise("rater_kind")
    )
    return ratings.with_columns(rater_kind=kind)


def _by_item(tables: Mapping[str, pl.DataFrame], material: Material) -> dict[str, pl.DataFrame]:
    """The tables with the consensus of each item of the ratings in the place of each pattern's."""
    if CONSENSUS not in tables:
        return dict(tables)
    found = tables[CONSENSUS].join(material.patterns.names, on="item").drop("item").rename({"source": "item"})
    return {**tables, CONSENSUS: found}


def _without_slices(tables: Mapping[str, pl.DataFrame]) -> tuple[dict[str, pl.DataFrame], int]:
    """The tables without the rows of slices; and how many those were."""
    of_slice = pl.col("scope").str.starts_with("slice:").fill_null(False)
    whole = {name: rows.filter(~of_slice) if "scope" in rows.columns else rows for name, rows in tables.items()}
    return whole, sum(rows.height - whole[name].height for name, rows in tables.items())


def _without_batch_times(rows: pl.DataFrame | None) -> pl.DataFrame | None:
    """Start and end of a batch are fixed when it is stored: no figures that are computed, and null here."""
    if rows is None or "batch_id" not in rows.columns or "period_start" not in rows.columns:
        return rows
    ends = pl.when(pl.col("period") != "batch").then(pl.col("period_start", "period_end"))
    return rows.with_columns(ends)


def _differences(name: str, before: pl.DataFrame | None, now: pl.DataFrame | None) -> list[dict[str, Any]]:
    """One row per figure that is not the same: table, row (its texts), column, stored, again."""
    if before is None or now is None or before.height != now.height:
        heights = [0 if rows is None else rows.height for rows in (before, now)]
        return [{"table": name, "row": None, "column": "rows", "stored": heights[0], "again": heights[1]}]
    columns = [column for column in now.columns if column in before.columns]
    texts = [column for column in columns if now[column].dtype == pl.String and column not in ("detail", "reason")]
    numbers = [column for column in columns if now[column].dtype.is_numeric()]
    old_rows, new_rows = (rows.select(columns).sort(*texts, *numbers, nulls_last=True) for rows in (before, now))
    pairs = zip(old_rows.to_dicts(), new_rows.to_dicts(), strict=True)
    return [
        {
            "table": name,
            "row": ", ".join(str(new[column]) for column in texts if new[column] is not None),
            "column": column,
            "stored": old[column],
            "again": new[column],
        }
        for old, new in pairs
        for column in columns
        if not _same(old[column], new[column])
    ]


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= ROUNDING * max(1.0, abs(a))
    return bool(a == b)
