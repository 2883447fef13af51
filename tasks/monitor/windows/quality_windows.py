"""Compute the quality of raters and systems in windows: agreement with people, and accuracy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from schemas.rating_columns import IS_HUMAN, IS_SYSTEM
from stats.accuracy.gold.gold_weights import WEIGHT, mean_weight
from stats.accuracy.raters.left_out import marked, without_left_out
from stats.arrays import FloatArray, IntArray
from stats.patterns import RatingPatterns
from stats.special_functions import logit, ndtri
from stats.trends.anchored_accuracy import Anchor
from stats.trends.fixed_raters import FixedRaters, fixed_raters
from stats.trends.quality_trends import QualityTrends, rater_trends, system_trends
from stats.trends.window_sums import WindowUnits
from stats.unnamed import name_nobody
from tasks.monitor.windows.label_windows import in_windows
from tasks.monitor.windows.people_in_windows import rating_codes
from tasks.monitor.windows.window_spans import WINDOW, ItemWindows, WindowSettings

NEW_RATER = 0.8  # accuracy of a rater without one in the last evaluation, where that of all people is unknown, too
FIGURES: dict[str, Any] = {
    "n_items": pl.Int64,
    "n_shared": pl.Int64,
    **dict.fromkeys(
        ("agreement_with_others", "agreement_low", "agreement_high", "accuracy", "se", "low", "high"), pl.Float64
    ),
    "reason": pl.String,
    "detail": pl.String,
    "confidence": pl.Float64,
    "too_few": pl.Boolean,
}
NO_QUALITY: Mapping[str, pl.DataFrame] = {
    "rater_windows": pl.DataFrame(schema={**WINDOW, "rater": pl.String, **FIGURES}),
    "system_windows": pl.DataFrame(schema={**WINDOW, "system": pl.String, **FIGURES}),
}
ACCURACIES = {
    "kind": pl.String,
    "subject": pl.String,
    "accuracy": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "reason": pl.String,
    "detail": pl.String,
}
REASONS = {
    "not_evaluated": ("not_identified", "The last evaluation has no accuracy over all items."),
    "too_few_items": ("too_few_items", "An accuracy takes two items that other people rated, too."),
    "not_identified": (
        "not_identified",
        "The ratings of the others do not tell which labels of these items are right.",
    ),
    "contradiction": (
        "not_identified",
        "The accuracy over all items and the ratings of this window contradict each other: together they put the "
        "accuracy below 0 or above 1. Look at whether the gold fits the labels of the annotators.",
    ),
}


@dataclass(frozen=True)
class CodedPatterns:
    """Patterns with a human rating as codes: see `RatingPatterns`. Of a question without any: patterns of systems.

    answers: system -> patterns and labels. items: name (`item`) and number (`place`) of each pattern.
    """

    humans: RatingPatterns
    raters: tuple[str, ...]
    systems: tuple[str, ...]
    answers: dict[int, tuple[IntArray, IntArray]]
    units: WindowUnits
    items: pl.DataFrame

    def codes_of(self, gold: pl.DataFrame, labels: Sequence[str]) -> IntArray:
        """Return the code of each pattern's gold label, -1 without one."""
        truth = self.items.join(gold.select("item", "label"), on="item", how="left").sort("place")["label"]
        codes = truth.replace_strict(list(labels), range(len(labels)), default=-1, return_dtype=pl.Int64)
        return codes.fill_null(-1).to_numpy().astype(np.int64)

    def weights_of(self, gold: pl.DataFrame) -> FloatArray:
        """Return what a gold item of each pattern stands for; 1 without gold."""
        weighted = self.items.join(gold.select("item", mean_weight(gold)), on="item", how="left").sort("place")
        return weighted[WEIGHT].fill_null(1.0).to_numpy()


def quality_rows(
    coded: CodedPatterns,
    windows: ItemWindows,
    accuracies: pl.DataFrame,
    anchored_raters: tuple[Anchor, FixedRaters],
    *,
    confidence: float,
    settings: WindowSettings,
) -> dict[str, pl.DataFrame]:
    """Compute the rows of the tables `rater_windows` and `system_windows`.

    coded: patterns with declared labels. accuracies (ACCURACIES): of people (kind human; people: all together) and
    systems (kind system) over all items, by the last evaluation. anchored_raters: from `known_raters`. Raters keep
    these accuracies in all windows, when the right label is judged. Votes without names are of no rater.
    """
    raters, model = anchored_raters
    tables = {}
    if not name_nobody(coded.raters):
        of_raters = rater_trends(coded.humans, model, coded.units, raters, confidence=confidence)
        tables["rater_windows"] = _rows(of_raters, "rater", coded.raters, accuracies, raters)
    if coded.systems:
        systems = anchor_of(accuracies.filter(kind="system"), coded.systems, confidence)
        of_systems = system_trends(coded.humans, model, coded.answers, coded.units, systems, confidence=confidence)
        tables["system_windows"] = _rows(of_systems, "system", coded.systems, accuracies, systems)
    placed = {name: in_windows(rows, windows, confidence, settings) for name, rows in tables.items()}
    return {
        name: placed[name].select(none.columns).cast(dict(none.schema)) if name in placed else none  # type: ignore[arg-type]
        for name, none in NO_QUALITY.items()
    }


def known_raters(coded: CodedPatterns, accuracies: pl.DataFrame, confidence: float) -> tuple[Anchor, FixedRaters]:
    """Return the accuracies of people, and the model that holds them fixed.

    Who has none, such as a new rater or a vote without a name, is taken to be as good as the people together. Raters
    who are left out of accuracies (`stats.accuracy.raters.left_out`) tell nothing.
    """
    raters = anchor_of(accuracies.filter(kind="human"), coded.raters, confidence)
    together = accuracies.filter(kind="people")["accuracy"].to_list()
    other = together[0] if together else NEW_RATER
    _, left_out = without_left_out(coded.humans, coded.raters)
    unknown = np.where(marked(left_out, coded.raters), 1 / coded.humans.n_labels, other)
    return raters, fixed_raters(coded.humans, np.where(np.isnan(raters.accuracy), unknown, raters.accuracy))


def anchor_of(accuracies: pl.DataFrame, names: Sequence[str], confidence: float) -> Anchor:
    """Return the accuracies by name with their standard errors, from their intervals on the logit scale."""
    rows = {row["subject"]: row for row in accuracies.to_dicts()}
    figures = np.array(
        [[rows.get(name, {}).get(column) for column in ("accuracy", "low", "high")] for name in names], dtype=np.float64
    ).reshape(-1, 3)
    a, low, high = figures.T
    inside = np.clip(figures, 1e-4, 1 - 1e-4)
    width = logit(inside[:, 2]) - logit(inside[:, 1])
    se = inside[:, 0] * (1 - inside[:, 0]) * width / (2 * ndtri((1 + confidence) / 2))
    return Anchor(np.where(np.isnan(low) | np.isnan(high), np.nan, a), se)


def code_patterns(label_patterns: pl.DataFrame, labels: Sequence[str], windows: ItemWindows) -> CodedPatterns | None:
    """Code the patterns with a human rating, with their numbers of items in windows; without any, those of systems.

    `label_patterns`: patterns with declared labels. Returns None without ratings of either, or with fewer than two
    labels.
    """
    human = label_patterns.filter(IS_HUMAN)
    rated = human if human.height else label_patterns.filter(IS_SYSTEM)
    if len(labels) < 2 or rated.is_empty():
        return None
    items = rated.select(pl.col("item").unique().sort()).with_row_index("place")
    people = tuple(human["rater"].unique().sort())
    answered = label_patterns.filter(IS_SYSTEM).join(items, on="item", how="semi")
    systems = tuple(answered["rater"].unique().sort())
    place, rater, label = rating_codes(human, items, people, labels)
    of_item = rated.select("item", "n_items").unique().join(items, on="item").sort("place")["n_items"].to_numpy()
    patterns = RatingPatterns(of_item.astype(np.int64), place, rater, label, len(people), len(labels))
    pattern, system, answer = rating_codes(answered, items, systems, labels)
    answers = {i: (pattern[system == i], answer[system == i]) for i in range(len(systems))}
    counts = windows.counts.join(items, on="item").sort("unit", "place")
    units = windows.coded_units(counts, n_patterns=items.height)
    return CodedPatterns(patterns, people, systems, answers, units, items)


def _rows(
    trends: QualityTrends, subject: str, names: Sequence[str], accuracies: pl.DataFrame, anchor: Anchor
) -> pl.DataFrame:
    """Return the rows by number of the window. An accuracy that is undefined has a reason."""
    kind = "human" if subject == "rater" else "system"
    whole = {row["subject"]: (row["reason"], row["detail"]) for row in accuracies.filter(kind=kind).to_dicts()}
    shares, accuracy = trends.agreement, trends.accuracy
    reasons: list[tuple[str | None, str | None]] = [(None, None), REASONS["too_few_items"], REASONS["not_identified"]]
    reasons.append(REASONS["contradiction"])
    reasons += [whole[name] if whole.get(name, (None,))[0] else REASONS["not_evaluated"] for name in names]
    undefined = np.where(trends.n_shared < 2, 1, 2)
    undefined = np.where(accuracy.contradicts, 3, undefined)
    undefined = np.where(np.isnan(anchor.accuracy[trends.subject]), 4 + trends.subject, undefined)
    why = np.where(np.isnan(accuracy.accuracy), undefined, 0)
    figures = {
        "agreement_with_others": shares.share,
        "agreement_low": shares.low,
        "agreement_high": shares.high,
        "accuracy": accuracy.accuracy,
        "se": accuracy.se,
        "low": accuracy.low,
        "high": accuracy.high,
    }
    return pl.DataFrame(
        {
            "window": trends.window,
            subject: pl.Series(names, dtype=pl.String).gather(trends.subject),
            "n_items": trends.n_items,
            "n_shared": trends.n_shared,
            **figures,
            "reason": pl.Series([reason for reason, _ in reasons], dtype=pl.String).gather(why),
            "detail": pl.Series([detail for _, detail in reasons], dtype=pl.String).gather(why),
        }
    ).with_columns(pl.col(*figures).fill_nan(None))
