"""Compute the scorecards of the people who rated one question."""

from collections.abc import Sequence

import polars as pl

from schemas.rating_columns import IS_HUMAN
from stats.accuracy import annotators
from stats.accuracy.raters.annotators import Annotators
from stats.agreement.scorecard.against_others import against_others
from stats.agreement.scorecard.severity import rater_severity
from stats.agreement.scorecard.share_interval import share_interval
from stats.counts import CountedRatings
from stats.reasons import TOO_MANY_LABELS
from stats.unnamed import name_nobody

MAX_RATERS = 300  # with more, there is no table of biases: a row for each rater and label


def scorecards(
    human: CountedRatings,
    patterns: pl.DataFrame,
    labels: Sequence[str],
    scale: str,
    gold: pl.DataFrame | None,
    people: Annotators | None,
    confidence: float,
) -> dict[str, pl.DataFrame]:
    """Return the tables rater_scorecards and rater_bias. A rater without any figure has no row.

    Votes without names have no scorecards: nobody knows which votes are of one person.

    - human: the ratings of people, counted. patterns: all ratings as patterns, with rater_kind.
    - gold: item and label of the gold items that are used. people: the annotators with the gold, if there is any.

    The accuracy by the models leaves the gold aside, so that the two can be compared.
    """
    if people is None or name_nobody(human.raters):
        return {}
    beside_others = against_others(human, labels=labels, confidence=confidence)
    has_none = people.reason == TOO_MANY_LABELS
    gold = None if has_none else gold
    alone = people if gold is None else annotators(human, labels=labels, scale=scale, confidence=confidence)
    by_model = alone.raters.select(
        "rater", "accuracy", accuracy_low="low", accuracy_high="high", accuracy_reason="reason"
    )
    cards = (
        beside_others.agreement.rename({"low": "agreement_low", "high": "agreement_high", "reason": "agreement_reason"})
        .join(by_model, on="rater", how="left", maintain_order="left")
        .join(_by_gold(patterns, gold, confidence), on="rater", how="left", maintain_order="left")
        .join(_severity(human, labels, scale, confidence), on="rater", how="left", maintain_order="left")
        .with_columns(
            pl.col("n_gold").fill_null(0),
            gold_reason=pl.when(pl.col("gold_accuracy").is_null()).then(
                pl.lit(TOO_MANY_LABELS if has_none else "too_few_gold")
            ),
            confidence=pl.lit(confidence),
        )
    )
    tables = {"rater_scorecards": cards}
    if beside_others.agreement.height <= MAX_RATERS:
        tables["rater_bias"] = beside_others.bias.with_columns(confidence=pl.lit(confidence))
    return tables


def _by_gold(patterns: pl.DataFrame, gold: pl.DataFrame | None, confidence: float) -> pl.DataFrame:
    """Return the share of right labels of each person on the gold items, with Wilson's interval."""
    schema = {"rater": pl.String, "n_gold": pl.Int64, "gold_accuracy": pl.Float64}
    if gold is None:
        counted = pl.DataFrame(schema=schema)
    else:
        people = patterns.filter(IS_HUMAN)
        answers = people.join(gold.select("item", right="label").unique("item"), on="item")
        n = pl.col("n_items").sum()
        is_right = (pl.col("label") == pl.col("right")) * pl.col("n_items")
        counted = answers.group_by("rater").agg(n_gold=n.cast(pl.Int64), gold_accuracy=is_right.sum() / n)
    low, high = share_interval(counted["gold_accuracy"].to_numpy(), counted["n_gold"].to_numpy(), confidence)
    return counted.with_columns(gold_low=pl.Series(low, dtype=pl.Float64), gold_high=pl.Series(high, dtype=pl.Float64))


def _severity(human: CountedRatings, labels: Sequence[str], scale: str, confidence: float) -> pl.DataFrame:
    if scale == "nominal":
        empty = pl.lit(None, pl.Float64)
        return pl.DataFrame({"rater": human.raters}, schema={"rater": pl.String}).with_columns(
            severity=empty, severity_low=empty, severity_high=empty, severity_reason=pl.lit("not_applicable")
        )
    severities = rater_severity(human, labels=labels, confidence=confidence)
    return severities.select("rater", "severity", severity_low="low", severity_high="high", severity_reason="reason")
