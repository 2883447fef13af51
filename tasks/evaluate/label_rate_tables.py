"""Compute the label rates of the systems of one question: of all items, and of the items of each version."""

from dataclasses import dataclass

import polars as pl

from stats.accuracy.rates.label_rates import label_rates
from stats.accuracy.rates.rate_differences import rate_differences
from tasks.evaluate.systems import SystemRatings, version_ratings

MAX_LABELS = 50  # with more, a table of label rates is longer than anyone reads


@dataclass(frozen=True)
class LabelRateTables:
    """Rows of the tables label_rates and label_rate_differences, without run_id and question."""

    rates: pl.DataFrame
    differences: pl.DataFrame | None


def label_rates_of(inputs: SystemRatings) -> pl.DataFrame:
    """Return the label rates of all systems, over all items that each answered."""
    return label_rates(
        inputs.rated,
        systems=list(inputs.systems),
        labels=inputs.labels,
        scale=inputs.scale,
        gold=inputs.gold,
        confidence=inputs.confidence,
        outer_error=inputs.outer_error,
    )


def label_rate_tables(inputs: SystemRatings, rates: pl.DataFrame, answers: pl.DataFrame) -> LabelRateTables:
    """Add the rates of each version of the systems with several, and their differences where there is gold.

    `rates` are those of `label_rates_of`. `answers` are as for `tasks.evaluate.systems.compare_versions`.
    """
    frames, differences = [rates.with_columns(scope=pl.lit("all"))], []
    for system, names, versions in version_ratings(inputs, answers):
        if len(names) < 2:
            continue
        labelled = pl.col("rater").replace_strict(dict(names), return_dtype=pl.String)
        frames.append(
            label_rates_of(versions)
            .rename({"system": "rater"})
            .with_columns(system=pl.lit(system), system_version=labelled, scope=pl.format("version:{}", labelled))
            .drop("rater")
        )
        if versions.gold is None:
            continue
        rate_changes = rate_differences(
            versions.rated, systems=list(versions.systems), labels=versions.labels, gold=versions.gold,
            confidence=versions.confidence,
        )  # fmt: skip
        differences.append(
            rate_changes.select(
                pl.lit(system).alias("system"),
                pl.col("system_a").replace_strict(dict(names), return_dtype=pl.String).alias("version_a"),
                pl.col("system_b").replace_strict(dict(names), return_dtype=pl.String).alias("version_b"),
                pl.exclude("system_a", "system_b"),
                pl.lit(inputs.confidence).alias("confidence"),
            )
        )
    together = pl.concat(frames, how="diagonal").with_columns(confidence=pl.lit(inputs.confidence))
    return LabelRateTables(together, pl.concat(differences) if differences else None)
