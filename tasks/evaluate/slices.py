"""Compute agreement and accuracy by slice: for the items that share a metadata value, such as a language."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb
import polars as pl

from schemas.rating_columns import IS_GOLD, IS_SYSTEM
from stats.accuracy import DEFAULT_METHODS, accuracy, prepared
from stats.accuracy.gold.gold_rows import LEAST_GOLD, NOT_AUDITED
from stats.accuracy.rates.label_rates import label_rates
from stats.accuracy.systems import FEW_GOLD_OF_SYSTEM
from tasks.counted_words import counted
from tasks.evaluate.agreement import (
    audited_raters,
    humans_agreement,
    humans_of,
    overall,
)
from tasks.evaluate.gold.gold_inclusion import Inclusion, weighted_gold
from tasks.evaluate.gold.usable_gold import gold_of, n_auditable, usable_gold
from tasks.evaluate.label_rate_tables import MAX_LABELS
from tasks.evaluate.labels import QuestionLabels, labels_of_question
from tasks.evaluate.question_config import QuestionConfig
from tasks.evaluate.undefined_accuracy import no_accuracy, undefined_accuracy
from tasks.look_alikes import look_alikes, note
from tasks.monitor.windows.agreement_windows import TREND
from warehouse.audits import strata_of_items
from warehouse.patterns import slice_patterns

MOST_VALUES = 30  # values per key: each takes as long as a small question
MAX_COMPARED = 10_000  # values whose names are compared with each other; a key with more is a text or an id
MAX_VARYING = 0.01
"""Share of the items of a dataset with several values of a key. Above it the key tells something about ratings."""
METHODS = (DEFAULT_METHODS[0], "lehner")
Slices = Mapping[str, pl.DataFrame]
"""For each metadata key, a frame with the number of items per `value` and pattern (`item`): `n_items`. A null value
stands for items of a dataset with several values in one file."""


@dataclass(frozen=True)
class SliceTables:
    """Rows of agreement, system_accuracy and label_rates with scope 'slice:key=value', and notes for the user."""

    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class GoldInSlices:
    """How the gold items were drawn, and for each metadata key the value of each gold item: item, value."""

    inclusion: Inclusion
    values: Mapping[str, pl.DataFrame]

    def of(self, key: str, value: str) -> Inclusion:
        """Return the gold items of a slice."""
        return self.inclusion.join(self.values[key].filter(pl.col("value") == value), on="item", how="semi")


def gold_in_slices(
    con: duckdb.DuckDBPyConnection, question: str, keys: Sequence[str], inclusion: Inclusion | None
) -> GoldInSlices | None:
    """Read in which slices the gold items are; None where they were as likely to be drawn."""
    if inclusion is None:
        return None
    values = {key: strata_of_items(con, question, key).rename({"stratum": "value"}) for key in keys}
    return GoldInSlices(inclusion, values)


def stored_slices(con: duckdb.DuckDBPyConnection, question: str, keys: Sequence[str], names: pl.DataFrame) -> Slices:
    """Read the slices of a question by each key, from the current metadata of its items.

    `names` maps each pattern_id to its pattern (see `tasks.evaluate.patterns.QuestionPatterns`).
    """
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
    config: QuestionConfig,
    systems: pl.DataFrame | None,
    *,
    confidence: float,
    seed: int,
    inclusion: GoldInSlices | None = None,
) -> SliceTables:
    """Compute main coefficients, accuracy of each system and label rates, for each value of each key.

    `patterns` is the frame of `tasks.evaluate.patterns.QuestionPatterns`. `systems` are the rows of the whole question
    in `system_accuracy`, or None without systems. `inclusion` says how the gold items were drawn, and in which slices
    they are. Labels and scale are those of the whole question.

    For each key, only the MOST_VALUES values with most items become slices. Items without the key are in none of its
    slices. Notes report both. A figure that is undefined in a slice is null and has a reason. Raises InputError if the
    scale is ordinal and the order of the labels is not declared.
    """
    labels = labels_of_question(patterns, config.labels, config.scale, question, config.weights)
    known_ratings, _ = labels.keep_known(patterns)
    audited = usable_gold(gold_of(known_ratings), known_ratings, audited_raters(known_ratings))[0] is not None
    n_items = int(patterns.unique("item")["n_items"].sum())
    agreed, estimated, shares, notes = [], [], [], []
    for key, stored in slices.items():
        counts, varying = _with_one_value(key, stored)
        values = _largest(counts)
        without = n_items - int(stored["n_items"].sum())
        notes += [f"{question}: {text}" for text in [*varying, *_notes(key, counts, values, without)]]
        for value in values:
            scope = pl.lit(f"slice:{key}={value}").alias("scope")
            of_value = _slice(known_ratings, counts.filter(pl.col("value") == value))
            human, _ = humans_of(of_value)
            coefficients = humans_agreement(human, labels, config.scale, confidence, TREND, config.weights)
            agreed.append(overall(coefficients).with_columns(scope))
            drawn = None if inclusion is None else inclusion.of(key, value)
            rows, rates = _accuracy(of_value, labels, config, audited, drawn, confidence, seed)
            estimated += [rows.with_columns(scope, confidence=pl.lit(confidence))] if rows.height else []
            shares += [rates.with_columns(scope, confidence=pl.lit(confidence))] if rates.height else []
    tables = {
        "agreement": agreed,
        "system_accuracy": [_with_versions(rows, systems) for rows in estimated],
        "label_rates": [_with_versions(rows, systems) for rows in shares],
    }
    return SliceTables({name: pl.concat(rows, how="diagonal") for name, rows in tables.items() if rows}, tuple(notes))


def _with_one_value(key: str, counts: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Leave out the items with several values of the key, or all if these are many.

    Return a note on them, or on a key that no item has.
    """
    if counts.is_empty():
        return counts, [f"No item has the metadata '{key}', so there is no slice by it."]
    sizes = counts.group_by(pl.col("value").is_null()).agg(pl.col("n_items").sum())
    n = dict(sizes.rows())
    varying = n.get(True, 0)
    if not varying:
        return counts, []
    kept = counts.drop_nulls("value")
    if varying > MAX_VARYING * (varying + n.get(False, 0)):
        return counts.clear(), [
            f"'{key}' has several values for {counted(varying, 'item')}: it tells something about ratings."
        ]
    return kept, [f"{counted(varying, 'item has', 'items have')} several values of '{key}', and so no slice by it."]


def _largest(counts: pl.DataFrame) -> list[str]:
    """Return the MOST_VALUES values with most items, sorted by name."""
    sizes = counts.group_by("value").agg(pl.col("n_items").sum())
    return sorted(sizes.sort("n_items", "value", descending=[True, False])["value"].head(MOST_VALUES))


def _notes(key: str, counts: pl.DataFrame, values: Sequence[str], without: int) -> list[str]:
    """Say which values and items are in no slice. `without` is the number of items without the key."""
    n_values = counts["value"].n_unique()
    notes = [f"'{key}' has {n_values:,} values; the {len(values)} with most items are slices."] * (
        n_values > len(values)
    )
    alike = note(look_alikes(counts["value"].unique() if n_values <= MAX_COMPARED else values), f"values of '{key}'")
    notes += [alike] if alike else []
    return notes + [f"{counted(without, 'item has', 'items have')} no metadata '{key}', and so no slice by it."] * (
        not counts.is_empty() and without > 0
    )


def _slice(patterns: pl.DataFrame, counts: pl.DataFrame) -> pl.DataFrame:
    """Replace n_items of the patterns by the number of items in one slice."""
    return patterns.drop("n_items").join(counts.select("item", "n_items"), on="item", maintain_order="left")


def _accuracy(
    patterns: pl.DataFrame,
    labels: QuestionLabels,
    config: QuestionConfig,
    audited: bool,
    inclusion: Inclusion | None,
    confidence: float,
    seed: int,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Compute accuracy (a row per method) and label rates of each system that answered in the slice.

    Empty without systems.
    """
    undefined = undefined_accuracy(patterns, labels, config.scale, audited=audited)
    if undefined is not None:
        return undefined, pl.DataFrame()
    systems = patterns.filter(IS_SYSTEM)["rater"].unique().sort().to_list()
    if not systems:
        return pl.DataFrame(), pl.DataFrame()
    rated = patterns.filter(~IS_GOLD).select("item", "rater", "label", "n_items")
    gold = weighted_gold(gold_of(patterns), inclusion) if audited else None
    if audited and n_auditable(gold, rated, systems) < LEAST_GOLD:
        # A figure without an audit cannot be compared with the audited ones of the question and of other slices.
        return no_accuracy(patterns, (NOT_AUDITED, FEW_GOLD_OF_SYSTEM)), pl.DataFrame()
    subset: dict[str, Any] = {"systems": systems, "labels": labels.names, "scale": config.scale}
    prepared_ratings = prepared(rated, **subset, audited=audited)
    options: dict[str, Any] = {"gold": gold, "confidence": confidence}
    figures = accuracy(
        prepared_ratings, **subset, **options, methods=METHODS, seed=seed, outer_error=config.outer_error
    )
    few_labels = len(labels.names) <= MAX_LABELS
    rates = (
        label_rates(prepared_ratings, **subset, **options, outer_error=config.outer_error)
        if few_labels
        else pl.DataFrame()
    )
    return figures, rates


def _with_versions(rows: pl.DataFrame, systems: pl.DataFrame | None) -> pl.DataFrame:
    """Add the version of each system, from the rows of the whole question."""
    if systems is None:
        return rows
    versions = systems.select("system", "system_version").unique("system")
    return rows.join(versions, on="system", how="left", maintain_order="left")
