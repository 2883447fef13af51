"""All that is asked of the systems of one question: accuracy, what it assumes, systems and raters compared."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from stats.accuracy import (
    Prepared,
    accuracy,
    alternative_annotator_test,
    assumption_checks,
    better_than_raters,
    bins,
    compare_systems,
    label_quality,
    prepared,
)
from stats.accuracy.compare.comparison import COMPARISON_SCHEMA
from stats.accuracy.notes import from_checks

COMPARED = 12  # systems that are compared with each other: more make more pairs than anyone reads
RATERS = 30  # human raters up to whom each is looked at label by label: that takes a fit for each of them
ABOUT_PAIRS = ("copying", "alike")  # checks with a row for each pair: hundreds of raters make thousands of them


@dataclass(frozen=True)
class Question:
    """Human raters and systems on one question: `rated` has item, rater, label; nobody else's ratings are in it."""

    rated: pl.DataFrame
    systems: Sequence[str]
    labels: Sequence[str]
    scale: str
    gold: pl.DataFrame | None = None
    confidence: float = 0.95
    seed: int = 0

    @property
    def n_raters(self) -> int:
        """Human raters."""
        return self.rated["rater"].n_unique() - len(self.systems)


@dataclass(frozen=True)
class Found:
    """Frames as the functions of `stats.accuracy` give them; `accuracy` has the checks among its warnings."""

    accuracy: pl.DataFrame
    bins: pl.DataFrame
    checks: pl.DataFrame
    comparison: pl.DataFrame
    against_raters: pl.DataFrame
    annotator_test: pl.DataFrame
    label_quality: pl.DataFrame | None


def estimate_systems(asked: Question, *, methods: Sequence[str] | None = None, labels: bool = False) -> Found:
    """Every figure about the systems, with `labels` also label by label. Of more than COMPARED systems the best are
    compared with each other and with the raters, and looked at label by label. Raises StatsError as
    `stats.accuracy.accuracy`."""
    among: dict[str, Any] = {"systems": asked.systems, "labels": asked.labels}
    how: dict[str, Any] = {"scale": asked.scale, "confidence": asked.confidence, "seed": asked.seed}
    once = prepared(asked.rated, **among, scale=asked.scale)
    found = accuracy(once, **among, **how, gold=asked.gold, methods=methods)
    few = once.among(best(found))
    checks = assumption_checks(asked.rated, **among, scale=asked.scale, seed=asked.seed)
    return Found(
        accuracy=with_warnings(found, checks),
        bins=bins(asked.rated, **among),
        checks=conspicuous(checks),
        comparison=compare(asked, few, few.systems),
        against_raters=better_than_raters(few, systems=few.systems, labels=asked.labels, **how),
        label_quality=by_label(asked, few) if labels else None,
        annotator_test=alternative_annotator_test(asked.rated, **among),
    )


def compare(asked: Question, rated: pl.DataFrame | Prepared, systems: Sequence[str]) -> pl.DataFrame:
    """Every two of these systems, which are all that are among the ratings; no row with fewer than two."""
    if len(systems) < 2:
        return pl.DataFrame(schema=COMPARISON_SCHEMA)
    return compare_systems(
        rated,
        systems=systems,
        labels=asked.labels,
        scale=asked.scale,
        gold=asked.gold,
        confidence=asked.confidence,
        seed=asked.seed,
    )


def compare_versions(asked: Question, answers: pl.DataFrame) -> pl.DataFrame:
    """Every two versions of one system, as `compare` has two systems, with version_a and version_b beside the system's
    name in system_a and system_b.

    answers: item, pattern (the item of `asked.rated` that it shows; null where nobody else rated it), rater,
    system_version, label, and first_at of the version: a row for each answer of each version, so that this takes time
    in proportion to the answers of such systems. `asked.rated` has n_items. Of more than COMPARED versions the last are
    compared (`in_order`).
    """
    schema = {**COMPARISON_SCHEMA, "version_a": pl.String, "version_b": pl.String}
    declared = answers.filter(pl.col("label").is_in(list(asked.labels)))
    found = []
    for (name,), of_one in declared.sort("rater").group_by("rater", maintain_order=True):
        known = in_order(of_one)[-COMPARED:]
        # a name that no rater has, since a rater may well be called as a version is
        called = {version: f"{name} {version}\x00" for version in known}
        theirs = of_one.filter(pl.col("system_version").is_in(known)).with_columns(
            rater=pl.col("system_version").replace_strict(called)
        )
        rated, gold = _beside_humans(asked, theirs)
        both = replace(asked, rated=rated, gold=gold, systems=list(called.values()))
        versus, back = compare(both, both.rated, both.systems), {called[version]: version for version in known}
        found.append(
            versus.with_columns(
                version_a=pl.col("system_a").replace_strict(back, return_dtype=pl.String),
                version_b=pl.col("system_b").replace_strict(back, return_dtype=pl.String),
                system_a=pl.lit(name),
                system_b=pl.lit(name),
            )
        )
    return pl.concat([pl.DataFrame(schema=schema), *(frame.select(list(schema)) for frame in found)])


def in_order(answers: pl.DataFrame) -> list[str]:
    """The versions of one system as they followed each other: by when each first answered (`first_at`), where that is
    known of all of them; else, and at the same time, by name with its numbers as numbers.

    >>> in_order(pl.DataFrame({"system_version": ["v10", "v2"], "first_at": [None, None]}))
    ['v2', 'v10']
    """
    first = answers.group_by("system_version").agg(pl.col("first_at").min())
    times = dict(first.iter_rows())
    known = first["first_at"].null_count() == 0
    return sorted(times, key=lambda version: (times[version] if known else 0, numbers_in(version), version))


def numbers_in(name: str) -> list[str | int]:
    """A name to sort by: 'v1.10' as ['v', 1, '.', 10, '']; two names have words and numbers at the same places."""
    return [int(part) if place % 2 else part for place, part in enumerate(re.split(r"([0-9]+)", name))]


def _beside_humans(asked: Question, answers: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """`rated` and `gold` with these answers in the place of the systems': the items that show a pattern are told apart
    by the answers, and those without any stay what they were, fewer."""
    humans = asked.rated.filter(~pl.col("rater").is_in(list(asked.systems)))
    given = (
        answers.sort("item", "rater")
        .group_by("item", maintain_order=True)
        .agg(pl.col("pattern").first(), "rater", "label")
        .group_by("pattern", "rater", "label")
        .agg(n_items=pl.len().cast(pl.Int64))
        .sort("pattern", "rater", "label")
        .with_row_index("number")
        .with_columns(item=pl.format("{}/{}", pl.col("pattern").fill_null(""), "number"))
    )
    gone = given.group_by(pl.col("pattern").alias("item")).agg(gone=pl.col("n_items").sum())
    rest = humans.join(gone, on="item", how="left", maintain_order="left").with_columns(
        n_items=pl.col("n_items") - pl.col("gone").fill_null(0)
    )
    told = given.select("item", "pattern", "n_items")
    columns = ["item", "rater", "label", "n_items"]
    rated = pl.concat(
        [
            rest.filter(pl.col("n_items") > 0).select(columns),
            told.join(humans.drop("n_items").rename({"item": "pattern"}), on="pattern").select(columns),
            given.explode("rater", "label").select(columns),
        ]
    )
    gold = asked.gold
    if gold is not None:
        gold = gold.select("item", "label")  # what is told apart has its number in `rated`
        told_gold = told.join(gold.rename({"item": "pattern"}), on="pattern").select("item", "label")
        gold = pl.concat([gold, told_gold]).sort("item")
    return rated.sort("item", "rater"), gold


def by_label(asked: Question, few: Prepared) -> pl.DataFrame:
    """Precision and recall, label by label, of these systems and, up to RATERS of them, of the human raters."""
    return label_quality(
        few,
        systems=few.systems,
        raters=None if asked.n_raters <= RATERS else (),
        labels=asked.labels,
        scale=asked.scale,
        confidence=asked.confidence,
        seed=asked.seed,
    )


def best(found: pl.DataFrame) -> list[str]:
    """The COMPARED systems that come out best by the first method, in the order in which they were asked for."""
    first = found.filter(pl.col("method") == found["method"][0])
    chosen = first.sort("accuracy", descending=True, nulls_last=True, maintain_order=True).head(COMPARED)["system"]
    return [system for system in first["system"] if system in set(chosen)]


def gold_of(ratings: pl.DataFrame) -> pl.DataFrame | None:
    """The answers of the raters of kind gold, item and label (and n_items, where the ratings are patterns), where they
    do not differ; None where there are none."""
    answers, weight = ratings.filter(pl.col("rater_kind") == "gold"), pl.col("^n_items$")
    gold = answers.group_by("item").agg(pl.col("label").unique(), weight.first())
    gold = gold.filter(pl.col("label").list.len() == 1)
    return None if gold.is_empty() else gold.with_columns(pl.col("label").list.first()).sort("item")


def with_warnings(found: pl.DataFrame, checks: pl.DataFrame) -> pl.DataFrame:
    """The systems' rows with what the checks found added to the warnings of those that have a figure."""
    said = {system: list(from_checks(checks, system)) for system in found["system"].unique()}
    rows = [
        {**row, "warnings": row["warnings"] + (said[row["system"]] if row["accuracy"] is not None else [])}
        for row in found.to_dicts()
    ]
    return pl.DataFrame(rows, schema=found.schema)


def conspicuous(checks: pl.DataFrame) -> pl.DataFrame:
    """The checks without most of the pairs that nothing was found about: of each system's, and of the raters', the
    one with the smallest p value is kept beside those where something was found."""
    pairs = checks.filter(pl.col("name").is_in(ABOUT_PAIRS))
    least = pairs.sort("p_value", nulls_last=True, maintain_order=True).unique(("name", "system"), keep="first")
    kept = pl.concat([pairs.filter("violated"), least]).unique(("name", "system", "rater", "other"))
    order = pl.col("name").replace_strict(
        {name: i for i, name in enumerate(checks["name"].unique(maintain_order=True))}
    )
    rest = checks.filter(~pl.col("name").is_in(ABOUT_PAIRS))
    return pl.concat([rest, kept]).sort(order, "system", "p_value", "rater", "other", nulls_last=True)
