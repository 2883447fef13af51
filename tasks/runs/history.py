"""Look into the past: the results of a run, the same run computed again, and the agreement at any moment."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from schemas.rating_columns import IS_GOLD
from tasks.errors import InputError
from tasks.evaluate.agreement import humans_agreement, humans_of
from tasks.evaluate.dataset_questions import refuse_history
from tasks.evaluate.evaluation_options import EvaluationOptions
from tasks.evaluate.gold.stored_audits import audits_of, past_inclusion
from tasks.evaluate.gold.worklist_gold import has_worklist_origin
from tasks.evaluate.labels import labels_of_question
from tasks.evaluate.patterns import from_ratings
from tasks.evaluate.question_config import QuestionConfig, kinds_as_declared
from tasks.evaluate.question_inputs import QuestionInputs, inputs_from_ratings
from tasks.question_runs import KINDS
from tasks.summary.other_answers import refuse_other_answers
from warehouse.connect import connect
from warehouse.questions import (
    ratings_as_of,
    region_work_of,
    rows_of_run,
    runs_like,
    stored_questions,
    system_versions,
    votes_of,
)
from warehouse.runs.run_results import CONSENSUS, TABLES

ROUNDING = 1e-9
# Columns that runs from before the setting of the same line do not have.
LATER_COLUMNS = {
    "system_accuracy": ("outer_error", ("outer_low", "outer_high")),
    "agreement": ("windows", ("too_few",)),
    "item_consensus": ("consensus", ("method",)),
}

SENTENCES = ("warnings", "detail")  # not compared: a later kappaflow may say otherwise what the figures are worth
LATER_TABLES = ("shared_errors",)  # every evaluation writes them now, and older ones did not


@dataclass(frozen=True)
class PastRun:
    """A row of `runs`, and the rows that the run wrote to each table."""

    run: Mapping[str, Any]
    tables: Mapping[str, pl.DataFrame]


@dataclass(frozen=True)
class ReproducedRun:
    """A run computed again, compared with its stored results.

    `compared` has the number of compared rows by table; `differences` has every figure that differs. `left_out` counts
    the rows of slices. They cannot be computed again, because earlier metadata of items are not stored.
    """

    run: Mapping[str, Any]
    compared: Mapping[str, int]
    differences: tuple[Mapping[str, Any], ...]
    left_out: int = 0


def past_run(db: Path, run_id: str) -> PastRun:
    """Read a run by its id or the beginning of its id. Raises InputError if no run matches, or several do."""
    with connect(db, read_only=True) as con:
        runs = runs_like(con, run_id) if run_id else []
        if len(runs) != 1:
            problem = "names several runs" if runs else "is not a run"
            raise InputError(
                f"{run_id!r} {problem}.", 'Ids: kappaflow sql "select run_id, kind, question, started_at from runs".'
            )
        run = runs[0]
        tables = {name: rows_of_run(con, name, str(run["run_id"])) for name in TABLES}
    return PastRun(run, {name: rows for name, rows in tables.items() if rows.height})


def reproduce(db: Path, run_id: str) -> ReproducedRun:
    """Compute a run again, from the ratings that were current when it started and with its stored settings.

    Raises InputError for a run that evaluated no question or did not succeed.
    """
    past = past_run(db, run_id)
    run = past.run
    if run["question"] is None or run["kind"] not in KINDS or run["status"] != "succeeded":
        raise InputError(
            f"Run {run['run_id']} has no results to compare ({run['kind']}, {run['status']}).",
            "Name a run of kind evaluate or monitor that has succeeded.",
        )
    config, options = settings_of(run)
    with connect(db, read_only=True) as con:
        refuse_history(con, run["question"], run["started_at"])
        ratings = ratings_as_of(con, run["question"], run["started_at"])
        kinds = {"systems": config.systems, "gold": config.gold}  # those of now may be others
        answers = system_versions(con, run["question"], run["started_at"], **kinds)
        votes = votes_of(con, run["question"], run["started_at"])
        region_work = region_work_of(con, run["question"], run["started_at"])
        audits = audits_of(con, run["question"])
        revisions = {stored.question: stored.revision for stored in stored_questions(con)}
    inputs = replace(
        inputs_from_ratings(kinds_as_declared(ratings, config), answers, options), votes=votes, region_work=region_work
    )
    with_gold = ratings.filter(IS_GOLD)
    inputs = replace(
        inputs,
        inclusion=past_inclusion(audits, with_gold, inputs.patterns.names),
        n_worklist_gold=int(has_worklist_origin(past.tables)),
    )
    recomputed = _consensus_by_item(KINDS[run["kind"]](run["question"], inputs, config, options).tables, inputs)
    # The consensus is stored only for the latest run, and refers to the current patterns of the items.
    is_latest = run["input_revision"] == revisions.get(run["question"]) and CONSENSUS in past.tables
    differences, compared = [], {}
    recomputed = _without_later_rows(recomputed, past.tables)
    without_slices, left_out = _without_slices(_known_then(past))
    for name in (name for name in TABLES if is_latest or name != CONSENSUS):
        tables = without_slices.get(name), recomputed.get(name)
        before, now = (_with_ordered_pairs(_without_batch_times(rows)) for rows in tables)
        if before is None and (now is None or now.is_empty() or name in LATER_TABLES):
            continue
        differences += _differences(name, before, now)
        compared[name] = 0 if before is None else before.height
    return ReproducedRun(run, compared, tuple(differences), left_out)


def agreement_as_of(
    db: Path, question: str, moment: datetime, config: QuestionConfig, confidence: float
) -> pl.DataFrame:
    """Compute the agreement of the human raters from the ratings, spans and boxes that were current at a moment.

    Raises InputError if the question had none then.
    """
    with connect(db, read_only=True) as con:
        refuse_history(con, question, moment)
        ratings = ratings_as_of(con, question, moment)
        region_work = region_work_of(con, question, moment)
    regions = _regions_as_of(question, region_work, config, confidence)
    if ratings.is_empty() and regions is not None:
        return regions
    if ratings.is_empty():
        with connect(db, read_only=True) as con:
            refuse_other_answers(con, question, "`as-of`", refused=["votes"])
        raise InputError(
            f"{question!r} had no ratings at {moment:%Y-%m-%d %H:%M} UTC.",
            'Check its name, and when its first batch was ingested: kappaflow sql "select * from batches".',
        )
    with_kinds = kinds_as_declared(ratings, config)
    labels = labels_of_question(with_kinds, config.labels, config.scale, question, config.weights)
    patterns, _ = labels.keep_known(from_ratings(with_kinds).frame)
    figures = humans_agreement(humans_of(patterns)[0], labels, config.scale, confidence, weights=config.weights)
    return figures if regions is None else pl.concat([figures, regions], how="diagonal_relaxed")


def _regions_as_of(
    question: str, region_work: pl.DataFrame, config: QuestionConfig, confidence: float
) -> pl.DataFrame | None:
    """Compute the agreement on spans or boxes over all raters. None if nobody had marked anything."""
    if region_work.is_empty():
        return None
    from tasks.evaluate.regions.region_figures import region_tables  # loads scipy.optimize

    tables, notes = region_tables(question, region_work, config, confidence)
    if not tables:
        raise InputError(notes[0], "See the results of earlier runs with `kappaflow show`.")
    rows = tables["region_agreement"].filter(pl.col("rater_a").is_null(), pl.col("label").is_null())
    return rows.drop("rater_a", "rater_b", "label").with_columns(p_value=pl.lit(None, pl.Float64))


def settings_of(run: Mapping[str, Any]) -> tuple[QuestionConfig, EvaluationOptions]:
    """Parse the settings that `tasks.question_runs` wrote to `runs.settings`."""
    config, options = json.loads(run["settings"])
    labels = config["labels"]
    read: dict[str, Any] = {name: frozenset(config[name]) for name in ("systems", "gold")}
    read["consensus"] = config.get("consensus", "lehner")  # the only method of runs from before the setting
    read |= {"labels": None if labels is None else tuple(labels), "slices": tuple(config.get("slices", ()))}
    if "windows" in options:  # older runs had no such setting
        options["windows"] = tuple(options["windows"])
    return QuestionConfig(**{**config, **read}), EvaluationOptions(**options)


def _known_then(past: PastRun) -> dict[str, pl.DataFrame]:
    """Return the tables of a run without the columns that came after it."""
    config, options = json.loads(past.run["settings"])
    settings = {**config, **options}
    later = {table: columns for table, (setting, columns) in LATER_COLUMNS.items() if setting not in settings}
    tables = {name: rows.drop(later.get(name, ()), strict=False) for name, rows in past.tables.items()}
    rates = tables.get("label_rates")
    if rates is not None and rates["outer_low"].null_count() == rates.height:  # from before these columns
        tables["label_rates"] = rates.drop("outer_low", "outer_high")
    pairs = tables.get("pairwise_agreement")
    if pairs is not None and pairs["weighted_kappa"].null_count() == pairs.height:  # from before these columns
        tables["pairwise_agreement"] = pairs.drop("weighted_kappa", "weighted_low", "weighted_high")
    for name in ("system_accuracy", "rater_quality"):  # runs from before the column have none with gold either
        rows = tables.get(name)
        if (
            rows is not None
            and rows["gold_origin"].null_count() == rows.height
            and (rows["n_gold"].fill_null(0) > 0).any()
        ):
            tables[name] = rows.drop("gold_origin")
    return tables


def _without_later_rows(
    recomputed: Mapping[str, pl.DataFrame], stored: Mapping[str, pl.DataFrame]
) -> dict[str, pl.DataFrame]:
    """Remove the position bias of judges beside people if the stored run has it for none: it is older than the row."""
    name = "preference_figures"
    if name not in recomputed or name not in stored:
        return dict(recomputed)
    figures = recomputed[name]
    judges = figures.filter(pl.col("figure") == "agreement_with_people")["rater"].to_list()
    of_judges = ((pl.col("figure") == "first_wins") & pl.col("rater").is_in(judges)).fill_null(False)
    if stored[name].filter(of_judges).is_empty():
        figures = figures.filter(~of_judges)
    return {**recomputed, name: figures}


def _consensus_by_item(tables: Mapping[str, pl.DataFrame], inputs: QuestionInputs) -> dict[str, pl.DataFrame]:
    """Replace the pattern names in the consensus table by the items of the ratings."""
    if CONSENSUS not in tables:
        return dict(tables)
    consensus = tables[CONSENSUS].join(inputs.patterns.names, on="item").drop("item").rename({"source": "item"})
    return {**tables, CONSENSUS: consensus}


def _without_slices(tables: Mapping[str, pl.DataFrame]) -> tuple[dict[str, pl.DataFrame], int]:
    """Remove the rows of slices from the tables. Return the tables and the number of removed rows."""
    of_slice = pl.col("scope").str.starts_with("slice:").fill_null(False)
    whole = {name: rows.filter(~of_slice) if "scope" in rows.columns else rows for name, rows in tables.items()}
    return whole, sum(rows.height - whole[name].height for name, rows in tables.items())


def _without_batch_times(rows: pl.DataFrame | None) -> pl.DataFrame | None:
    """Set the start and end of batches to null: they are fixed when a batch is stored and cannot be recomputed."""
    if rows is None or "batch_id" not in rows.columns or "period_start" not in rows.columns:
        return rows
    ends = pl.when(pl.col("period") != "batch").then(pl.col("period_start", "period_end"))
    return rows.with_columns(ends)


def _with_ordered_pairs(rows: pl.DataFrame | None) -> pl.DataFrame | None:
    """Put the raters of each pair in the order of their names: a pseudonym may have changed it."""
    if rows is None or "rater_a" not in rows.columns:
        return rows
    pair = pl.col("rater_a", "rater_b")
    ordered = rows.with_columns(pl.min_horizontal(pair).alias("rater_a"), pl.max_horizontal(pair).alias("rater_b"))
    return ordered.select(rows.columns)


def _differences(name: str, before: pl.DataFrame | None, now: pl.DataFrame | None) -> list[dict[str, Any]]:
    """Return a row per figure that differs: table, row (its text columns), column, stored, again."""
    if before is None or now is None or before.height != now.height:
        heights = [0 if rows is None else rows.height for rows in (before, now)]
        return [{"table": name, "row": None, "column": "rows", "stored": heights[0], "again": heights[1]}]
    columns = [column for column in now.columns if column in before.columns and column not in SENTENCES]
    texts = [column for column in columns if now[column].dtype == pl.String and column != "reason"]
    numbers = [column for column in columns if now[column].dtype.is_numeric()]
    # Times before numbers: figures that differ in the last bit would stand in another order.
    times = [column for column in columns if now[column].dtype.is_temporal()]
    keys = [*texts, *times, *numbers]
    old_rows, new_rows = (rows.select(columns).sort(keys, nulls_last=True) for rows in (before, now))
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
