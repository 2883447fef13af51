"""What a run needs to know of one question: read from the warehouse as it is kept up there, or made from ratings."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import duckdb
import polars as pl

from tasks.evaluate import Versions
from tasks.patterns import Patterns, Windows, from_ratings, from_warehouse, windows_from_warehouse, windows_of_ratings
from warehouse.patterns import rebuild, versions_in_force
from warehouse.reads import rating_contents, system_versions

log = logging.getLogger("kappaflow")


@dataclass(frozen=True)
class Material:
    """The rating patterns of one question; what the systems' versions answered and the slices (see `tasks.slices`),
    where it is evaluated; the windows, where it is monitored."""

    patterns: Patterns
    versions: Versions = field(default_factory=Versions)
    windows: Windows = field(default_factory=Windows)
    slices: Mapping[str, pl.DataFrame] = field(default_factory=dict)


def stored_material(con: duckdb.DuckDBPyConnection, kind: str, question: str, n_last: int) -> Material:
    """As the warehouse keeps it up. Only of a system that answered under two versions or more are ratings read."""
    return READ[kind](con, question, from_warehouse(con, question), n_last)


def material_of_ratings(ratings: pl.DataFrame, answers: pl.DataFrame, n_last: int) -> Material:
    """The same from ratings (those of `warehouse.reads.ratings_as_of`) and the answers of the systems' versions
    (`warehouse.reads.system_versions`), as they stood at any moment."""
    patterns = from_ratings(ratings)
    versions = ratings.drop_nulls("system_version").group_by("rater", "system_version").len("n_ratings")
    shown = patterns.names.rename({"source": "item", "item": "pattern"})
    said = answers.drop("pattern_id").join(shown, on="item", how="left")
    return Material(patterns, _versions(versions, said), windows_of_ratings(ratings, patterns.names, n_last))


def recounted(con: duckdb.DuckDBPyConnection, question: str, *, sound: bool = True) -> tuple[str, ...]:
    """Count the patterns of a question from its ratings; the stored ones must equal them.

    Where they do not, or its counts by day, batch or version are not `sound`, the stored ones are made anew, and the
    sentence that says so is logged and returned. Raises RuntimeError where the patterns differ even then.
    """
    counted = from_ratings(rating_contents(con, question)).frame
    if sound and from_warehouse(con, question).frame.equals(counted):
        return ()
    said = (
        f"{question}: the stored rating patterns did not equal the ratings. They were made anew, and so"
        " were these results; run `kappaflow doctor`, and please report it."
    )
    log.warning(said)
    rebuild(con, question)
    if not from_warehouse(con, question).frame.equals(counted):
        raise RuntimeError(f"The rating patterns of {question!r} differ from its ratings even when they are new.")
    return (said,)


def _with_versions(con: duckdb.DuckDBPyConnection, question: str, patterns: Patterns, _: int) -> Material:
    in_force = versions_in_force(con, question)
    if in_force.is_empty():  # nothing to compare, so no rating needs to be looked at
        return Material(patterns)
    shown = patterns.names.rename({"source": "pattern_id", "item": "pattern"})
    answers = system_versions(con, question).join(shown, on="pattern_id", how="left")
    return Material(patterns, _versions(in_force, answers))


def _with_windows(con: duckdb.DuckDBPyConnection, question: str, patterns: Patterns, n_last: int) -> Material:
    return Material(patterns, windows=windows_from_warehouse(con, question, patterns.names, n_last))


def _versions(in_force: pl.DataFrame, answers: pl.DataFrame) -> Versions:
    """Answers only of systems that have a version in force."""
    kept = answers.join(in_force, on="rater", how="semi")
    return Versions(
        in_force=in_force.with_columns(pl.col("n_ratings").cast(pl.Int64)).sort("rater", "system_version"),
        answers=kept.select("item", "pattern", "rater", "system_version", "label", "first_at"),
    )


READ: Mapping[str, Callable[[duckdb.DuckDBPyConnection, str, Patterns, int], Material]] = {
    "evaluate": _with_versions,
    "monitor": _with_windows,
}
