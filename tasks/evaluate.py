"""Evaluate one question: from its current ratings to the rows of the result tables."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from stats.accuracy import accuracy, bins, consensus, rater_quality
from stats.agreement import agreement, pairwise
from tasks.labels import Labels, declared_or_inferred

# Beyond this many raters the table of all pairs is longer than anyone reads and mostly empty.
PAIRWISE_RATERS = 300


@dataclass(frozen=True)
class Declared:
    """What the settings say of one question."""

    labels: tuple[str, ...] | None = None
    scale: str = "nominal"
    systems: frozenset[str] = frozenset()
    gold: frozenset[str] = frozenset()
    alert_below: float | None = None


@dataclass(frozen=True)
class Evaluation:
    """Result tables by name, without run_id and question, and what the reader of them must know."""

    tables: Mapping[str, pl.DataFrame]
    notes: tuple[str, ...]
    n_ratings: int


def evaluate(question: str, ratings: pl.DataFrame, declared: Declared, *, confidence: float, seed: int) -> Evaluation:
    """Agreement of the human raters, accuracy of each system, quality of each rater, consensus of each item.

    `ratings` are the current ones: item, rater, rater_kind, system_version, label. A rater whom the settings
    call a system or gold is one, whatever the export said. Raises InputError on an undeclared ordinal scale.
    """
    kinds = with_kinds(ratings, declared)
    labels = declared_or_inferred(kinds["label"], declared.labels, declared.scale, question)
    human = kinds.filter(pl.col("rater_kind") == "human").select("item", "rater", "label")
    tables = {
        "agreement": humans_agreement(human, labels, declared.scale, confidence).with_columns(
            period=pl.lit("all"),
            period_start=pl.lit(None, pl.Datetime("us", "UTC")),
            period_end=pl.lit(None, pl.Datetime("us", "UTC")),
        ),
        **_pairwise(human, labels, declared.scale, confidence),
        **_raters(human, labels, confidence),
        **_systems(kinds, labels, declared.scale, confidence, seed),
    }
    return Evaluation(tables, (labels.note,) if labels.note else (), ratings.height)


def with_kinds(ratings: pl.DataFrame, declared: Declared) -> pl.DataFrame:
    """The ratings with the settings' word on who is a system and who is gold."""
    rater = pl.col("rater")
    return ratings.with_columns(
        rater_kind=pl.when(rater.is_in(list(declared.systems)))
        .then(pl.lit("system"))
        .when(rater.is_in(list(declared.gold)))
        .then(pl.lit("gold"))
        .otherwise(pl.col("rater_kind"))
    )


def humans_agreement(
    human: pl.DataFrame, labels: Labels, scale: str, confidence: float, coefficients: list[str] | None = None
) -> pl.DataFrame:
    """The coefficients as rows of the table `agreement`, scope 'humans'."""
    found = agreement(human, labels=labels.names, scale=scale, coefficients=coefficients, confidence=confidence)
    return found.rename({"name": "coefficient"}).with_columns(scope=pl.lit("humans"))


def _pairwise(human: pl.DataFrame, labels: Labels, scale: str, confidence: float) -> dict[str, pl.DataFrame]:
    if not 2 <= human["rater"].n_unique() <= PAIRWISE_RATERS:
        return {}
    return {"pairwise_agreement": pairwise(human, labels=labels.names, scale=scale, confidence=confidence)}


def _raters(human: pl.DataFrame, labels: Labels, confidence: float) -> dict[str, pl.DataFrame]:
    if human.is_empty():
        return {}
    return {
        "rater_quality": rater_quality(human, labels=labels.names, confidence=confidence).with_columns(
            rater_kind=pl.lit("human")
        ),
        "item_consensus": consensus(human, labels=labels.names),
    }


def _systems(kinds: pl.DataFrame, labels: Labels, scale: str, confidence: float, seed: int) -> dict[str, pl.DataFrame]:
    answers = kinds.filter(pl.col("rater_kind") == "system")
    if answers.is_empty() or not (kinds["rater_kind"] == "human").any():
        return {}
    versions = answers.group_by("rater").agg(
        pl.col("system_version").drop_nulls().unique().sort().str.join(", ").alias("system_version")
    )
    systems = sorted(answers["rater"].unique())
    rated = kinds.filter(pl.col("rater_kind") != "gold").select("item", "rater", "label")
    gold = (
        kinds.filter(pl.col("rater_kind") == "gold")
        .select("item", "label")
        .unique("item", keep="first", maintain_order=True)
    )
    found = accuracy(
        rated,
        systems=systems,
        labels=labels.names,
        scale=scale,
        confidence=confidence,
        seed=seed,
        gold=None if gold.is_empty() else gold,
    )
    return {
        "system_accuracy": found.join(
            versions, left_on="system", right_on="rater", how="left", maintain_order="left"
        ).with_columns(confidence=pl.lit(confidence)),
        "accuracy_bins": bins(rated, systems=systems, labels=labels.names),
    }
