"""Estimate the systems of one question: accuracy, checks of its assumptions, comparisons with systems and raters."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from stats.accuracy import (
    DEFAULT_METHODS,
    Annotators,
    PreparedRatings,
    accuracy,
    annotators,
    compare_systems,
    label_quality,
    prepared,
)
from stats.accuracy.comparison.system_comparison import COMPARISON_SCHEMA
from stats.accuracy.rates.label_rates import label_rates
from stats.accuracy.systems import ACCURACY_SCHEMA
from stats.defaults import DEFAULT_CONSENSUS, OUTER_ERROR
from stats.ratings import INCLUSION
from stats.threads import executor_for
from tasks.evaluate.accuracy_warnings import with_check_warnings, with_unused_labels
from tasks.evaluate.gold.gold_inclusion import Inclusion
from tasks.evaluate.rater_tables import no_rater_tables, rater_tables
from tasks.evaluate.undefined_accuracy import no_accuracy

COMPARED = 12  # at most this many systems are compared with each other: more would make too many pairs to read
RATERS = 30  # up to this many human raters get figures by label: each of them takes a fit
ABOUT_PAIRS = ("copying", "alike")  # checks with a row per pair of raters: hundreds of raters make thousands of rows


@dataclass(frozen=True)
class SystemRatings:
    """The ratings of the human raters and systems of one question, and the options for the estimates.

    `rated` has item, rater, label, without gold ratings. `inclusion`: how the gold items were drawn, if unequally.
    """

    rated: pl.DataFrame
    systems: Sequence[str]
    labels: Sequence[str]
    scale: str
    gold: pl.DataFrame | None = None
    confidence: float = 0.95
    seed: int = 0
    outer_error: float = OUTER_ERROR
    consensus: str = DEFAULT_CONSENSUS
    inclusion: Inclusion | None = None

    @property
    def n_raters(self) -> int:
        """The number of human raters."""
        return self.rated["rater"].n_unique() - len(self.systems)


@dataclass(frozen=True)
class SystemTables:
    """Frames from the functions of `stats.accuracy`. The warnings in `accuracy` include those of the checks."""

    accuracy: pl.DataFrame
    bins: pl.DataFrame
    checks: pl.DataFrame
    comparison: pl.DataFrame
    against_raters: pl.DataFrame
    annotator_test: pl.DataFrame
    label_quality: pl.DataFrame | None
    label_rates: pl.DataFrame | None = None


def estimate_systems(
    inputs: SystemRatings,
    *,
    methods: Sequence[str] | None = None,
    labels: bool = False,
    raters: Annotators | None = None,
    rates: bool = False,
) -> SystemTables:
    """Compute all figures about the systems; with `labels`, also for each label; with `rates`, the label rates.

    If there are more than COMPARED systems, only the best ones are compared with each other and with the raters, and
    get figures by label. With gold, every system is audited, or its accuracy is null. `raters` is the result of
    `annotators_of`, if the caller has it already. With gold fewer than two human raters will do: what needs them is
    empty then, and only `average` is estimated unless methods are named. Raises StatsError as `stats.accuracy.accuracy`
    does.
    """
    by_gold_alone = inputs.gold is not None and inputs.n_raters < 2
    if methods is None and by_gold_alone:
        methods = DEFAULT_METHODS[:1]
    subset: dict[str, Any] = {"systems": inputs.systems, "labels": inputs.labels}
    options: dict[str, Any] = {"scale": inputs.scale, "confidence": inputs.confidence, "seed": inputs.seed}
    prepared_ratings = prepared(inputs.rated, **subset, scale=inputs.scale, audited=inputs.gold is not None)
    estimates = accuracy(
        prepared_ratings, **subset, **options, gold=inputs.gold, methods=methods, outer_error=inputs.outer_error
    )
    estimates = with_unused_labels(estimates, inputs.rated, inputs.systems, inputs.gold)
    compared = prepared_ratings.among(best(estimates))
    human_quality = annotators_of(inputs) if raters is None else raters
    by_raters = no_rater_tables()
    with executor_for(inputs.rated.height) as executor:
        comparison = executor.submit(compare, inputs, compared, compared.systems)
        quality = executor.submit(by_label, inputs, compared, human_quality) if labels else None
        label_rates = executor.submit(_rates, inputs, prepared_ratings) if rates else None
        if not by_gold_alone:
            by_raters = executor.submit(
                rater_tables, prepared_ratings, compared, human_quality, inputs.gold, options
            ).result()
            estimates = with_check_warnings(estimates, by_raters["checks"])
    return SystemTables(
        accuracy=estimates,
        **{**by_raters, "checks": violated_checks(by_raters["checks"])},
        comparison=comparison.result(),
        label_quality=quality.result() if quality else None,
        label_rates=label_rates.result() if label_rates else None,
    )


def without_accuracy(inputs: SystemRatings, why: tuple[str, str]) -> SystemTables:
    """Return the tables of systems that have no accuracy for this reason: a row for each, and nothing to compare."""
    answered = inputs.rated.filter(pl.col("rater").is_in(list(inputs.systems)))
    rows = no_accuracy(answered, why)
    return SystemTables(
        accuracy=pl.concat([pl.DataFrame(schema=ACCURACY_SCHEMA), rows], how="diagonal"),
        **no_rater_tables(),
        comparison=pl.DataFrame(schema=COMPARISON_SCHEMA),
        label_quality=None,
    )


def _rates(inputs: SystemRatings, prepared_ratings: PreparedRatings) -> pl.DataFrame:
    options: dict[str, Any] = {"scale": inputs.scale, "gold": inputs.gold, "confidence": inputs.confidence}
    return label_rates(
        prepared_ratings, systems=inputs.systems, labels=inputs.labels, outer_error=inputs.outer_error, **options
    )


def annotators_of(inputs: SystemRatings) -> Annotators:
    """Estimate the accuracy of the human raters of the question."""
    humans = inputs.rated.filter(~pl.col("rater").is_in(list(inputs.systems)))
    return annotators(humans, labels=inputs.labels, scale=inputs.scale, gold=inputs.gold, confidence=inputs.confidence)


def compare(inputs: SystemRatings, rated: pl.DataFrame | PreparedRatings, systems: Sequence[str]) -> pl.DataFrame:
    """Compare every two of these systems. `rated` must contain no other system. Empty for fewer than two systems."""
    if len(systems) < 2:
        return pl.DataFrame(schema=COMPARISON_SCHEMA)
    return compare_systems(
        rated,
        systems=systems,
        labels=inputs.labels,
        scale=inputs.scale,
        gold=inputs.gold,
        confidence=inputs.confidence,
        seed=inputs.seed,
    )


def compare_versions(inputs: SystemRatings, answers: pl.DataFrame) -> pl.DataFrame:
    """Compare every two versions of each system.

    The rows are those of `compare`, with version_a and version_b added; system_a and system_b are both the name of the
    system. `answers` has a row for each answer of each version: item, pattern (its item in `inputs.rated`; null if no
    other rater rated it), rater, system_version, label, first_at (of the version). `inputs.rated` must have n_items.
    If there are more than COMPARED versions, the last ones are compared (see `in_order`). The time is proportional to
    the number of answers.
    """
    schema = {**COMPARISON_SCHEMA, "version_a": pl.String, "version_b": pl.String}
    frames = []
    for name, version_of_name, version_inputs in version_ratings(inputs, answers):
        pairs = compare(version_inputs, version_inputs.rated, version_inputs.systems)
        frames.append(
            pairs.with_columns(
                version_a=pl.col("system_a").replace_strict(version_of_name, return_dtype=pl.String),
                version_b=pl.col("system_b").replace_strict(version_of_name, return_dtype=pl.String),
                system_a=pl.lit(name),
                system_b=pl.lit(name),
            )
        )
    return pl.concat([pl.DataFrame(schema=schema), *(frame.select(list(schema)) for frame in frames)])


def version_ratings(
    inputs: SystemRatings, answers: pl.DataFrame
) -> Iterator[tuple[str, Mapping[str, str], SystemRatings]]:
    """Yield each system of the answers, with its versions as the systems: name, version by rater name, ratings.

    Arguments are as for `compare_versions`.
    """
    declared_answers = answers.filter(pl.col("label").is_in(list(inputs.labels)))
    for (name,), of_system in declared_answers.sort("rater").group_by("rater", maintain_order=True):
        versions = in_order(of_system)[-COMPARED:]
        # a name that no rater can have: a rater may have the same name as a version
        name_of_version = {version: f"{name} {version}\x00" for version in versions}
        version_answers = of_system.filter(pl.col("system_version").is_in(versions)).with_columns(
            rater=pl.col("system_version").replace_strict(name_of_version)
        )
        rated, gold = _replace_systems(inputs, version_answers)
        version_inputs = replace(inputs, rated=rated, gold=gold, systems=list(name_of_version.values()))
        yield str(name), {name_of_version[version]: version for version in versions}, version_inputs


def in_order(answers: pl.DataFrame) -> list[str]:
    """Sort the versions of one system by the time of their first answer (`first_at`).

    Versions with equal times are sorted by name, with numbers in it compared as numbers. If a time is missing, all
    versions are sorted by name.

    >>> in_order(pl.DataFrame({"system_version": ["v10", "v2"], "first_at": [None, None]}))
    ['v2', 'v10']
    """
    first_answers = answers.group_by("system_version").agg(pl.col("first_at").min())
    times = dict(first_answers.iter_rows())
    all_dated = first_answers["first_at"].null_count() == 0
    return sorted(times, key=lambda version: (times[version] if all_dated else 0, numbers_in(version), version))


def numbers_in(name: str) -> list[str | int]:
    """Split a name into texts and numbers, as a sort key: 'v1.10' becomes ['v', 1, '.', 10, ''].

    Even places are always texts and odd places numbers, so any two keys can be compared.
    """
    return [int(part) if place % 2 else part for place, part in enumerate(re.split(r"([0-9]+)", name))]


def _replace_systems(inputs: SystemRatings, answers: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Replace the ratings of the systems in `rated` by these answers. Return the new `rated` and `gold`.

    The items of a pattern are split by their answers into new patterns. The items without an answer stay in the old
    pattern, whose n_items becomes smaller.
    """
    humans = inputs.rated.filter(~pl.col("rater").is_in(list(inputs.systems)))
    answer_patterns = (
        answers.sort("item", "rater")
        .group_by("item", maintain_order=True)
        .agg(pl.col("pattern").first(), "rater", "label")
        .group_by("pattern", "rater", "label")
        .agg(n_items=pl.len().cast(pl.Int64), of_items=pl.col("item"))
        .sort("pattern", "rater", "label")
        .with_row_index("number")
        .with_columns(item=pl.format("{}/{}", pl.col("pattern").fill_null(""), "number"))
    )
    replaced = answer_patterns.group_by(pl.col("pattern").alias("item")).agg(gone=pl.col("n_items").sum())
    remaining = humans.join(replaced, on="item", how="left", maintain_order="left").with_columns(
        n_items=pl.col("n_items") - pl.col("gone").fill_null(0)
    )
    pattern_names = answer_patterns.select("item", "pattern", "n_items")
    columns = ["item", "rater", "label", "n_items"]
    rated = pl.concat(
        [
            remaining.filter(pl.col("n_items") > 0).select(columns),
            pattern_names.join(humans.drop("n_items").rename({"item": "pattern"}), on="pattern").select(columns),
            answer_patterns.explode("rater", "label").select(columns),
        ]
    )
    gold = inputs.gold
    if gold is not None:
        if inputs.inclusion is not None:
            return rated.sort("item", "rater"), _gold_of_versions(gold, answer_patterns, inputs.inclusion)
        gold = gold.select("item", "label")  # the number of items of a new pattern is in `rated`
        answered_gold = pattern_names.join(gold.rename({"item": "pattern"}), on="pattern").select("item", "label")
        gold = pl.concat([gold, answered_gold]).sort("item")
    return rated.sort("item", "rater"), gold


def _gold_of_versions(gold: pl.DataFrame, answer_patterns: pl.DataFrame, inclusion: Inclusion) -> pl.DataFrame:
    """Return the gold of the new patterns, with the probabilities of their items."""
    of_items = answer_patterns.select("item", "pattern", source="of_items").explode("source")
    probabilities = of_items.join(inclusion.select("item", INCLUSION).rename({"item": "source"}), on="source")
    lists = probabilities.sort("source").group_by("item", "pattern").agg(INCLUSION)
    labels = gold.select(pl.col("item").alias("pattern"), "label")
    return lists.join(labels, on="pattern").drop("pattern").sort("item")


def by_label(inputs: SystemRatings, prepared_ratings: PreparedRatings, raters: Annotators) -> pl.DataFrame:
    """Compute precision and recall by label, of the systems in `prepared_ratings` and of the human raters.

    With more than RATERS human raters, only of the systems.
    """
    return label_quality(
        prepared_ratings,
        systems=prepared_ratings.systems,
        raters=None if inputs.n_raters <= RATERS else (),
        labels=inputs.labels,
        scale=inputs.scale,
        gold=inputs.gold,
        found=raters,
        confidence=inputs.confidence,
        seed=inputs.seed,
    )


def best(accuracies: pl.DataFrame) -> list[str]:
    """Return the COMPARED most accurate systems by the first method, in the order of the rows."""
    by_first_method = accuracies.filter(pl.col("method") == accuracies["method"][0])
    chosen = by_first_method.sort("accuracy", descending=True, nulls_last=True, maintain_order=True).head(COMPARED)[
        "system"
    ]
    return [system for system in by_first_method["system"] if system in set(chosen)]


def violated_checks(checks: pl.DataFrame) -> pl.DataFrame:
    """Remove most checks of pairs that are not violated.

    All violated checks are kept. Of the checks in ABOUT_PAIRS, the one with the smallest p value is kept too, for each
    system and for the raters.
    """
    pairs = checks.filter(pl.col("name").is_in(ABOUT_PAIRS))
    least = pairs.sort("p_value", nulls_last=True, maintain_order=True).unique(("name", "system"), keep="first")
    violated = pairs.filter(pl.col("reason").is_null() & pl.col("violated").fill_null(value=True))  # null: unclear
    kept = pl.concat([violated, least]).unique(("name", "system", "rater", "other"))
    order = pl.col("name").replace_strict(
        {name: i for i, name in enumerate(checks["name"].unique(maintain_order=True))}
    )
    rest = checks.filter(~pl.col("name").is_in(ABOUT_PAIRS))
    return pl.concat([rest, kept]).sort(order, "system", "p_value", "rater", "other", nulls_last=True)
