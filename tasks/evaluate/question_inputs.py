"""Load the inputs of a run for one question: the stored ones, or inputs computed from ratings."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import duckdb
import polars as pl

from tasks.evaluate.agreement import SystemVersions
from tasks.evaluate.evaluation_options import EvaluationOptions
from tasks.evaluate.gold.gold_inclusion import Inclusion
from tasks.evaluate.patterns import (
    QuestionPatterns,
    WindowPatterns,
    from_ratings,
    from_warehouse,
    windows_from_warehouse,
    windows_of_ratings,
)
from tasks.evaluate.slices import GoldInSlices
from warehouse.datasets.stored import dataset_questions
from warehouse.patterns import rebuild, versions_in_force
from warehouse.questions import items_alike, rating_contents, region_work_of, system_versions, votes_of
from warehouse.runs.run_results import last_accuracies, last_rates, stored_digests

MAX_COMPARED_ITEMS = 1_000_000  # a second
log = logging.getLogger("kappaflow")


@dataclass(frozen=True)
class QuestionInputs:
    """The inputs of a run for one question.

    `patterns` are always present, and so is `region_work`, the marked items (see `warehouse.questions.region_work_of`).
    `versions`, `slices` (see `tasks.evaluate.slices`) and `votes` on pairs of models (see
    `warehouse.questions.votes_of`) are for a run of kind evaluate, `windows`, `accuracies` and label `rates`
    (both over all items, by the last evaluation) for one of kind monitor, and so are the `digests` of the stored
    windows (see `warehouse.runs.run_results.stored_digests`). `look_alikes` are groups of items that a reader takes
    for one (see `warehouse.questions.items_alike`), unless there are more than MAX_COMPARED_ITEMS items.
    `n_worklist_gold` counts the gold items of worklists if all gold counts as it is (no `inclusion`), and
    `unused_probabilities` tells whether exports say with which probability items were drawn then.
    """

    patterns: QuestionPatterns
    versions: SystemVersions = field(default_factory=SystemVersions)
    windows: WindowPatterns = field(default_factory=WindowPatterns)
    slices: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    accuracies: pl.DataFrame | None = None
    rates: pl.DataFrame | None = None
    inclusion: Inclusion | None = None
    n_worklist_gold: int = 0
    unused_probabilities: bool = False
    gold_in_slices: GoldInSlices | None = None
    votes: pl.DataFrame | None = None
    region_work: pl.DataFrame | None = None
    digests: pl.DataFrame | None = None
    look_alikes: pl.DataFrame | None = None

    @property
    def n_ratings(self) -> int:
        """Count the ratings, the votes on pairs of models, and the marked items."""
        further = sum(rows.height for rows in (self.votes, self.region_work) if rows is not None)
        return self.patterns.n_ratings + further


def read_question_inputs(con: duckdb.DuckDBPyConnection, kind: str, question: str, n_last: int) -> QuestionInputs:
    """Read the stored inputs of a question. Ratings are read only for systems that answered with several versions."""
    return READ[kind](con, question, from_warehouse(con, question), n_last)


def inputs_from_ratings(ratings: pl.DataFrame, answers: pl.DataFrame, options: EvaluationOptions) -> QuestionInputs:
    """Compute the inputs of a question from ratings, as they were at any moment.

    `ratings` are from `warehouse.questions.ratings_as_of`, `answers` from `warehouse.questions.system_versions`.
    """
    patterns = from_ratings(ratings)
    versions = ratings.drop_nulls("system_version").group_by("rater", "system_version").len("n_ratings")
    pattern_of_item = patterns.names.rename({"source": "item", "item": "pattern"})
    answers_with_pattern = answers.drop("pattern_id").join(pattern_of_item, on="item", how="left")
    windows = windows_of_ratings(ratings, patterns.names, options.last_items, options.timezone)
    return QuestionInputs(patterns, _versions(versions, answers_with_pattern), windows)


def repair_patterns(con: duckdb.DuckDBPyConnection, question: str, *, sound: bool = True) -> tuple[str, ...]:
    """Count the patterns of a question from its ratings, compare them with the stored ones, and rebuild if they differ.

    `sound=False` says that the stored counts by day, batch or version are wrong; then everything is rebuilt too. A
    rebuild is logged, and its message returned. Raises RuntimeError if the patterns differ even after the rebuild.
    """
    if question in dataset_questions(con):
        return ()  # its ratings are in its files
    counted = from_ratings(rating_contents(con, question)).frame
    if sound and from_warehouse(con, question).frame.equals(counted):
        return ()
    message = (
        f"{question}: the stored rating patterns did not equal the ratings. They were rebuilt, and so"
        " were these results; run `kappaflow doctor`, and please report it."
    )
    log.warning(message)
    rebuild(con, question)
    if not from_warehouse(con, question).frame.equals(counted):
        raise RuntimeError(
            f"The rating patterns of {question!r} differ from its ratings even after they were built again. This is an "
            "error of kappaflow: please report it."
        )
    return (message,)


def _with_versions(con: duckdb.DuckDBPyConnection, question: str, patterns: QuestionPatterns, _: int) -> QuestionInputs:
    in_force, votes = versions_in_force(con, question), votes_of(con, question)
    region_work = region_work_of(con, question)
    n_items = 0 if patterns.frame.is_empty() else int(patterns.frame.unique("item")["n_items"].sum())
    alike = items_alike(con, question) if n_items <= MAX_COMPARED_ITEMS else None
    if in_force.is_empty():  # no versions to compare, so no ratings have to be read
        return QuestionInputs(patterns, votes=votes, region_work=region_work, look_alikes=alike)
    pattern_of_id = patterns.names.rename({"source": "pattern_id", "item": "pattern"})
    answers = system_versions(con, question).join(pattern_of_id, on="pattern_id", how="left")
    versions = _versions(in_force, answers)
    return QuestionInputs(patterns, versions, votes=votes, region_work=region_work, look_alikes=alike)


def _with_windows(
    con: duckdb.DuckDBPyConnection, question: str, patterns: QuestionPatterns, n_last: int
) -> QuestionInputs:
    windows = windows_from_warehouse(con, question, patterns.names, n_last)
    accuracies, rates = last_accuracies(con, question), last_rates(con, question)
    region_work, digests = region_work_of(con, question), stored_digests(con, question)
    return QuestionInputs(
        patterns, windows=windows, accuracies=accuracies, rates=rates, region_work=region_work, digests=digests
    )  # fmt: skip


def _versions(in_force: pl.DataFrame, answers: pl.DataFrame) -> SystemVersions:
    """Keep only the answers of systems whose current answers have a version."""
    kept = answers.join(in_force, on="rater", how="semi")
    return SystemVersions(
        in_force=in_force.with_columns(pl.col("n_ratings").cast(pl.Int64)).sort("rater", "system_version"),
        answers=kept.select("item", "pattern", "rater", "system_version", "label", "first_at"),
    )


READ: Mapping[str, Callable[[duckdb.DuckDBPyConnection, str, QuestionPatterns, int], QuestionInputs]] = {
    "evaluate": _with_versions,
    "monitor": _with_windows,
}
