"""Evaluate one question: from its rating patterns to the rows of the result tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from schemas.rating_columns import IS_GOLD, IS_HUMAN, IS_SYSTEM
from stats.accuracy import Annotators, annotators, rating_queue
from stats.accuracy.items.rating_queue import QUEUE_SCHEMA
from stats.accuracy.raters.annotators import annotators_without_figures
from stats.accuracy.shared_errors import shared_errors
from stats.agreement import agreement, by_label
from stats.agreement.breakdowns.contradictions import contradictions
from stats.agreement.breakdowns.pairs_by_scale import pairs_by_scale
from stats.counts import CountedRatings, count_ratings
from stats.reasons import TOO_MANY_LABELS
from stats.unnamed import name_nobody
from tasks.evaluate.accuracy_warnings import with_notes, with_pooled_versions
from tasks.evaluate.gold.gold_inclusion import (
    Inclusion,
    gold_origin,
    inclusion_note,
    on_unlabelled_strata,
    weighted_gold,
)
from tasks.evaluate.gold.usable_gold import gold_of, on_differing_gold, usable_gold
from tasks.evaluate.label_groups import SUBTREE, label_groups
from tasks.evaluate.label_rate_tables import MAX_LABELS, label_rate_tables
from tasks.evaluate.labels import QuestionLabels, labels_of_question
from tasks.evaluate.patterns import QuestionPatterns, merged
from tasks.evaluate.question_config import QuestionConfig
from tasks.evaluate.scorecards import scorecards
from tasks.evaluate.systems import SystemRatings, compare_versions, estimate_systems, numbers_in
from tasks.evaluate.undefined_accuracy import too_many_labels, undefined_accuracy, with_left_out
from tasks.ingest.duplicates import repeats_note
from tasks.look_alikes import look_alikes, note

# Beyond this many raters the table of all pairs is longer than anyone reads and mostly empty.
LABELS = 50  # with more, agreement is not broken down by label
RATERS = 300  # with more, a pair of raters needs COMMON_ITEMS
COMMON_ITEMS = 10
IN_FORCE = {"rater": pl.String, "system_version": pl.String, "n_ratings": pl.Int64}
ANSWERS = dict.fromkeys(("item", "pattern", "rater", "system_version", "label"), pl.String)
CONSENSUS = ("item", "label", "probability", "entropy", "expected_gain", "n_ratings", "method")
# Storing this empty table deletes the consensus of an earlier run.
NO_CONSENSUS = pl.DataFrame(schema={name: QUEUE_SCHEMA[name] for name in CONSENSUS})


@dataclass(frozen=True)
class SystemVersions:
    """Of the systems that tell their version: `in_force` (rater, system_version, n_ratings) has the answers that count;
    `answers` (item, pattern, rater, system_version, label) what each version of a system with several of them said,
    replaced since or not, with the pattern that the item shows now."""

    in_force: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=IN_FORCE))
    answers: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=ANSWERS))


@dataclass(frozen=True)
class EvaluationTables:
    """Result tables by name, without run_id and question, and what the reader of them must know."""

    tables: Mapping[str, pl.DataFrame]
    notes: tuple[str, ...]
    n_ratings: int


def evaluate(
    question: str,
    patterns: pl.DataFrame,
    config: QuestionConfig,
    *,
    confidence: float,
    seed: int,
    versions: SystemVersions | None = None,
    inclusion: Inclusion | None = None,
) -> EvaluationTables:
    """Compute the agreement of the human raters, and the accuracy of systems, raters and consensus labels.

    `patterns` is the frame of `tasks.evaluate.patterns`: item, rater, rater_kind, label, n_items. The table
    item_consensus has a row per pattern with a human rating, named as there. Raises InputError on an undeclared
    ordinal scale."""
    labels = labels_of_question(patterns, config.labels, config.scale, question, config.weights)
    label_patterns, notes = labels.keep_known(patterns)
    rated, names = humans_of(label_patterns)
    human = count_ratings(rated, labels=labels.names)
    unweighted, unused = usable_gold(gold_of(label_patterns), label_patterns, audited_raters(label_patterns))
    gold = weighted_gold(unweighted, inclusion)
    people = _annotators(label_patterns, human, labels, config.scale, gold, confidence)
    tables = {
        "agreement": overall(
            pl.concat(
                [
                    humans_agreement(human, labels, config.scale, confidence, weights=config.weights),
                    *_labels_agreement(human, labels, config.taxonomy, confidence),
                ]
            )
        ),
        **_pairwise(human, labels, config, confidence),
        **_raters(human, names, labels, people, config.consensus, gold_origin(gold)),
        **_shared_errors(label_patterns, labels, people, gold, confidence),
        **scorecards(human, label_patterns, labels.names, config.scale, gold, people, confidence),
        **_systems(
            label_patterns, versions or SystemVersions(), labels, config, (gold, people, inclusion), confidence, seed
        ),
    }
    tables |= with_left_out(tables.get("system_accuracy"), patterns, labels, confidence)
    of_gold = (*on_differing_gold(label_patterns), *unused, *inclusion_note(unweighted, inclusion))
    alike = note(look_alikes(set(label_patterns["rater"].unique())), "raters")
    pairs = tables.get("pairwise_agreement", pl.DataFrame()).to_dicts()
    contrary = [contradiction.sentence for contradiction in contradictions(pairs)]
    texts = (
        *notes,
        *_too_many_note(tables),
        *contrary,
        *_left_out_note(people, tables),
        *([alike] if alike else []),
        *repeats_note(rated["rater"].unique()),
        *of_gold,
    )
    question_notes = tuple(f"{question}: {text}" for text in texts)
    return EvaluationTables(tables, question_notes, int(patterns["n_items"].sum()))


def _left_out_note(people: Annotators | None, tables: Mapping[str, pl.DataFrame]) -> list[str]:
    """Name the raters who are left out, where no accuracy of a system has the warning that does so."""
    if people is None or tables.get("system_accuracy", pl.DataFrame()).height:
        return []
    return people.left_out.warnings()


def _too_many_note(tables: Mapping[str, pl.DataFrame]) -> list[str]:
    """Say why no system has an accuracy, if it is for the number of labels."""
    systems = tables.get("system_accuracy")
    if systems is None or TOO_MANY_LABELS not in systems["reason"]:
        return []
    return [f"No accuracy. {systems.filter(reason=TOO_MANY_LABELS)['detail'][0]}"]


def humans_of(patterns: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Reduce patterns to what the human raters said, which makes far fewer.

    Returns their patterns (item, rater, label, n_items), and for each of the patterns (`source`) the reduced one
    (`item`).
    """
    human = patterns.filter(IS_HUMAN)
    if human.height == patterns.height:  # nobody else rated: each is what it was
        return patterns.drop("rater_kind"), patterns.select(pl.col("item").unique()).select("item", source="item")
    left: QuestionPatterns = merged(human)
    return left.frame.drop("rater_kind"), left.names


def humans_agreement(
    human: pl.DataFrame | CountedRatings,
    labels: QuestionLabels,
    scale: str,
    confidence: float,
    coefficients: list[str] | None = None,
    weights: str | None = None,
) -> pl.DataFrame:
    """Compute the coefficients as rows of the table `agreement`, scope 'humans'."""
    chosen: dict[str, Any] = {"coefficients": coefficients, "weights": weights}
    figures = agreement(human, labels=labels.names, scale=scale, confidence=confidence, **chosen)
    return figures.rename({"name": "coefficient"}).with_columns(scope=pl.lit("humans"))


def overall(figures: pl.DataFrame) -> pl.DataFrame:
    """Mark rows of the table `agreement` as figures over all time."""
    never = pl.lit(None, pl.Datetime("us", "UTC"))
    return figures.with_columns(period=pl.lit("all"), period_start=never, period_end=never)


def _labels_agreement(
    human: CountedRatings, labels: QuestionLabels, taxonomy: str | None, confidence: float
) -> list[pl.DataFrame]:
    """Compute the agreement on each label against the others, scope 'label:X' or 'subtree:X'.

    A set of labels counts as each of its members. With two labels it would be the figure of the question, twice.
    """
    groups = label_groups(labels.names, taxonomy)
    if len(labels.names) < 3 or len(groups or labels.names) > LABELS or not human.raters:
        return []
    figures = by_label(human, labels=labels.names, groups=groups, confidence=confidence)
    is_tree = pl.col("label").str.starts_with(SUBTREE) & (pl.lit(value=taxonomy is not None))
    scoped = figures.with_columns(scope=pl.when(is_tree).then("label").otherwise(pl.format("label:{}", "label")))
    return [scoped.rename({"name": "coefficient"}).drop("label")]


def _pairwise(
    human: CountedRatings, labels: QuestionLabels, config: QuestionConfig, confidence: float
) -> dict[str, pl.DataFrame]:
    if len(human.raters) < 2:
        return {}
    least = 1 if len(human.raters) <= RATERS else COMMON_ITEMS
    chosen: dict[str, Any] = {"scale": config.scale, "weights": config.weights}
    figures = pairs_by_scale(human, labels=labels.names, **chosen, confidence=confidence, min_items=least)
    return {"pairwise_agreement": figures}


def audited_raters(ratings: pl.DataFrame) -> list[str]:
    """Return the raters that gold must audit to be used: the systems, or people if there is no system."""
    kinds = ratings.select("rater", "rater_kind").unique()
    systems = kinds.filter(IS_SYSTEM)
    chosen = kinds.filter(IS_HUMAN) if systems.is_empty() else systems
    return chosen["rater"].sort().to_list()


def _annotators(
    ratings: pl.DataFrame,
    human: CountedRatings,
    labels: QuestionLabels,
    scale: str,
    gold: pl.DataFrame | None,
    confidence: float,
) -> Annotators | None:
    """Estimate the human raters: from the counts, or with gold from the ratings. None if there is nothing to say."""
    if not human.raters or len(labels.names) < 2:
        return None
    too_many = too_many_labels(ratings, labels, scale, audited=gold is not None)
    if too_many is not None:
        return annotators_without_figures(human, labels=labels.names, why=too_many)
    humans: pl.DataFrame | CountedRatings = human
    if gold is not None:
        humans = ratings.filter(IS_HUMAN).select("item", "rater", "label", "n_items")
    return annotators(humans, labels=labels.names, scale=scale, gold=gold, confidence=confidence)


def _shared_errors(
    ratings: pl.DataFrame,
    labels: QuestionLabels,
    people: Annotators | None,
    gold: pl.DataFrame | None,
    confidence: float,
) -> dict[str, pl.DataFrame]:
    """Compute the row of the table `shared_errors`; no table if no human rater can err, or what is right is unclear."""
    humans = ratings.filter(IS_HUMAN)
    if people is None or people.reason == TOO_MANY_LABELS:
        return {}
    correlation = shared_errors(humans, gold, labels=labels.names, confidence=confidence)
    return {"shared_errors": pl.DataFrame([correlation.to_json()]).with_columns(confidence=pl.lit(confidence))}


def _raters(
    human: CountedRatings,
    names: pl.DataFrame,
    labels: QuestionLabels,
    people: Annotators | None,
    method: str,
    origin: str | None,
) -> dict[str, pl.DataFrame]:
    if people is None:
        return {"item_consensus": NO_CONSENSUS}
    unnamed = name_nobody(human.raters)
    if people.reason == TOO_MANY_LABELS:
        return {"item_consensus": NO_CONSENSUS, "rater_quality": _quality(people, origin)}
    # Lehner's method does not ask who gave which label.
    queue = rating_queue(human, labels=labels.names, method="lehner" if unnamed else method).select(*CONSENSUS)
    quality = _quality(people, origin)
    return {
        "rater_quality": quality.clear() if unnamed else quality,
        "item_consensus": names.join(queue, on="item").drop("item").rename({"source": "item"}).sort("item"),
    }


def _quality(people: Annotators, origin: str | None) -> pl.DataFrame:
    return people.raters.with_columns(rater_kind=pl.lit("human"), gold_origin=pl.lit(origin, pl.String))


def _systems(
    ratings: pl.DataFrame,
    versions: SystemVersions,
    labels: QuestionLabels,
    config: QuestionConfig,
    standard: tuple[pl.DataFrame | None, Annotators | None, Inclusion | None],
    confidence: float,
    seed: int,
) -> dict[str, pl.DataFrame]:
    """Compute all tables about the systems. standard: the gold that is used, the human raters, how gold was drawn."""
    answers = ratings.filter(IS_SYSTEM)
    if answers.is_empty():
        return {}
    answered = versions.in_force.group_by("rater").agg("system_version")
    versions_of = {rater: sorted({*each}, key=numbers_in) for rater, each in answered.rows()}
    version_names = answers.select("rater").unique()
    version_names = version_names.with_columns(
        pl.Series("system_version", [", ".join(versions_of.get(rater, ())) for rater in version_names["rater"]])
    )
    undefined, tables = undefined_accuracy(ratings, labels, config.scale, audited=standard[0] is not None), {}
    if undefined is None:
        inputs = SystemRatings(
            rated=ratings.filter(~IS_GOLD).select("item", "rater", "label", "n_items"),
            systems=version_names["rater"].sort().to_list(),
            labels=labels.names,
            scale=config.scale,
            gold=standard[0],
            confidence=confidence,
            seed=seed,
            outer_error=config.outer_error,
            inclusion=standard[2],
        )
        rates = len(labels.names) <= MAX_LABELS
        results = estimate_systems(inputs, labels=True, raters=standard[1], rates=rates)
        undefined = results.accuracy
        differences = pl.concat([results.comparison, compare_versions(inputs, versions.answers)], how="diagonal")
        tables = {
            "accuracy_bins": results.bins,
            "assumption_checks": results.checks,
            "system_differences": differences.with_columns(confidence=pl.lit(confidence)),
            "systems_against_raters": results.against_raters.with_columns(confidence=pl.lit(confidence)),
            "annotator_tests": results.annotator_test,
            **({} if results.label_quality is None else {"label_quality": results.label_quality}),
            **_label_rates(inputs, results.label_rates, versions, version_names),
        }
    rows = undefined.join(version_names, left_on="system", right_on="rater", how="left", maintain_order="left")
    rows = with_notes(with_pooled_versions(rows, versions_of), on_unlabelled_strata(standard[2]))
    return {"system_accuracy": rows.with_columns(scope=pl.lit("all"), confidence=pl.lit(confidence)), **tables}


def _label_rates(
    inputs: SystemRatings, rates: pl.DataFrame | None, versions: SystemVersions, version_names: pl.DataFrame
) -> dict[str, pl.DataFrame]:
    """Return the tables of label rates. named: each system (`rater`) with the versions of its current answers."""
    if rates is None:
        return {}
    current = rates.join(version_names, left_on="system", right_on="rater", how="left", maintain_order="left")
    tables = label_rate_tables(inputs, current, versions.answers)
    differences = {} if tables.differences is None else {"label_rate_differences": tables.differences}
    return {"label_rates": tables.rates, **differences}
