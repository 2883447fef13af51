"""Agreement and accuracy of the items that share a value of their metadata: of each language, of each source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import duckdb
import polars as pl

from stats.accuracy import DEFAULT_METHODS, accuracy
from tasks.evaluate import Declared, humans_agreement, humans_of, overall, undefined_accuracy
from tasks.labels import Labels, declared_or_inferred
from tasks.monitor import TREND
from tasks.systems import gold_of
from warehouse.patterns import slice_patterns

MOST_VALUES = 30  # of one key: each takes as long as a small question
METHODS = (DEFAULT_METHODS[0], "lehner")
COUNTS = {"value": pl.String, "item": pl.String, "n_items": pl.Int64}
Slices = Mapping[str, pl.DataFrame]
"""Key -> which patterns (`item`) the items with each `value` show, and how many of them: `n_items`."""


@dataclass(frozen=True)
class BySlice:
    """Rows of the tables `agreement` and `system_accuracy`, scope 'slice:key=value'; and what was left out."""

    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def stored_slices(con: duckdb.DuckDBPyConnection, question: str, keys: Sequence[str], names: pl.DataFrame) -> Slices:
    """The slices of a question by each key, as the warehouse knows its items now; `names` are those of its patterns
    (`tasks.patterns.Patterns`)."""
    return {
        key: slice_patterns(con, question, key)
        .rename({"pattern_id": "source"})
        .join(names, on="source")
        .group_by("value", "item")
        .agg(pl.col("n_items").sum().cast(pl.Int64))
        .sort("value", "item")
        for key in keys
    }


def by_slice(
    question: str,
    patterns: pl.DataFrame,
    slices: Slices,
    declared: Declared,
    systems: pl.DataFrame | None,
    *,
    confidence: float,
    seed: int,
) -> BySlice:
    """The headline coefficients of the human raters, and the accuracy of each system, for each value of each key.

    `patterns` is the frame of `tasks.patterns`; `systems` are the rows of the whole question in `system_accuracy`, None
    without systems. Labels and scale are those of the whole question, too. Of a key the MOST_VALUES values with most
    items are looked at; items without it are in no slice; both are noted. A figure that a slice does not determine is
    null and has a reason, as everywhere. Raises InputError on an undeclared ordinal scale.
    """
    labels = declared_or_inferred(patterns["label"], declared.labels, declared.scale, question)
    known, _ = labels.known(patterns)
    n_items = int(patterns.unique("item")["n_items"].sum())
    agreed, estimated, notes = [], [], []
    for key, counts in slices.items():
        kept = _largest(counts)
        notes += [f"{question}: {text}" for text in _notes(key, counts, kept, n_items)]
        for value in kept:
            scope = pl.lit(f"slice:{key}={value}").alias("scope")
            of_value = _slice(known, counts.filter(pl.col("value") == value))
            human, _ = humans_of(of_value)
            found = humans_agreement(human, labels, declared.scale, confidence, TREND)
            agreed.append(overall(found).with_columns(scope))
            rows = _accuracy(of_value, labels, declared, confidence, seed)
            estimated += [rows.with_columns(scope, confidence=pl.lit(confidence))] if rows.height else []
    tables = {"agreement": agreed, "system_accuracy": [_named(rows, systems) for rows in estimated]}
    return BySlice({name: pl.concat(rows, how="diagonal") for name, rows in tables.items() if rows}, tuple(notes))


def _largest(counts: pl.DataFrame) -> list[str]:
    """The values with most items, by name."""
    sizes = counts.group_by("value").agg(pl.col("n_items").sum())
    return sorted(sizes.sort("n_items", "value", descending=[True, False])["value"].head(MOST_VALUES))


def _notes(key: str, counts: pl.DataFrame, kept: Sequence[str], n_items: int) -> list[str]:
    if counts.is_empty():
        return [f"No item has the metadata '{key}', so there is no slice by it."]
    n_values, without = counts["value"].n_unique(), n_items - int(counts["n_items"].sum())
    said = [f"'{key}' has {n_values:,} values; the {len(kept)} with most items are slices."] * (n_values > len(kept))
    return said + [f"{without:,} items have no metadata '{key}' and are in none of its slices."] * (without > 0)


def _slice(patterns: pl.DataFrame, counts: pl.DataFrame) -> pl.DataFrame:
    """The patterns as often as the items of one slice show them."""
    return patterns.drop("n_items").join(counts.select("item", "n_items"), on="item", maintain_order="left")


def _accuracy(patterns: pl.DataFrame, labels: Labels, declared: Declared, confidence: float, seed: int) -> pl.DataFrame:
    """One row per system that answered in the slice, and method; none without a system."""
    undefined = undefined_accuracy(patterns, labels)
    if undefined is not None:
        return undefined
    systems = patterns.filter(pl.col("rater_kind") == "system")["rater"].unique().sort().to_list()
    if not systems:
        return pl.DataFrame()
    rated = patterns.filter(pl.col("rater_kind") != "gold").select("item", "rater", "label", "n_items")
    gold = gold_of(patterns)
    answered = rated.filter(pl.col("rater").is_in(systems)).select("item").unique()
    if gold is not None and gold.join(answered, on="item").is_empty():
        gold = None
    return accuracy(
        rated,
        systems=systems,
        labels=labels.names,
        scale=declared.scale,
        methods=METHODS,
        gold=gold,
        confidence=confidence,
        seed=seed,
    )


def _named(rows: pl.DataFrame, systems: pl.DataFrame | None) -> pl.DataFrame:
    """With the version of each system, as the rows of the whole question have it."""
    if systems is None:
        return rows
    versions = systems.select("system", "system_version").unique("system")
    return rows.join(versions, on="system", how="left", maintain_order="left")
