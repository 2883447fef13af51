"""Add the alphas of marked texts to the figures of spans: overall, for each pair of raters, and for each label."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import polars as pl

from stats.cluster_jackknife import Figure
from stats.regions import character_alpha, unitised_alpha
from stats.regions.character_alpha import NO_LENGTH
from stats.regions.region_agreement import SCHEMA
from tasks.counted_words import counted

ALPHAS: dict[str, Callable[..., Figure]] = {"character_alpha": character_alpha, "unitised_alpha": unitised_alpha}
QUICK = ("character_alpha",)
"""The alphas of many texts, over all raters: the others, and breakdowns, take as long as all else together."""
BEHIND = "left out of the alphas: a span ends behind the text, or files have it in different lengths."
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class TextAlphas:
    """The spans of a question, who did which item, the lengths of the texts, and the names of the alphas.

    With `only_overall` there are no rows of pairs and labels.
    """

    spans: pl.DataFrame
    assignments: pl.DataFrame
    lengths: pl.DataFrame
    confidence: float
    names: Sequence[str] = tuple(ALPHAS)
    only_overall: bool = False

    def overall(self) -> Rows:
        """Return the rows of all raters, in the columns of `stats.regions.region_agreement`."""
        return [{"name": name, **row} for name, row in self._figures(self.spans, self.assignments)]

    def after_pairs(self, rows: Rows, min_items: int) -> Rows:
        """Add the rows of each pair of raters who did `min_items` items both to those of the other coefficients."""
        own: Rows = []
        if self.only_overall:
            return rows
        for a, b in combinations(self.assignments["rater"].unique().sort().to_list(), 2):
            assignments = self.assignments.filter(pl.col("rater").is_in([a, b]))
            if assignments.select(pl.col("item").is_duplicated().sum()).item() >= 2 * min_items:
                figures = self._figures(self.spans.filter(pl.col("rater").is_in([a, b])), assignments)
                own += [{"rater_a": a, "rater_b": b, "coefficient": name, **row} for name, row in figures]
        return list(_merged(rows, own, ("rater_a", "rater_b")))

    def after_labels(self, rows: Rows) -> Rows:
        """Add the rows of each label, this one or none, to those of the other coefficients."""
        own: Rows = []
        if self.only_overall:
            return rows
        for label in self.spans["label"].unique().sort():
            figures = self._figures(self.spans.filter(pl.col("label") == label), self.assignments)
            own += [{"label": label, "name": name, **row} for name, row in figures]
        return list(_merged(rows, own, ("label",)))

    def _figures(self, spans: pl.DataFrame, assignments: pl.DataFrame) -> Iterator[tuple[str, dict[str, Any]]]:
        shared = assignments.select("item", "rater").unique().filter(pl.len().over("item") > 1)
        with_length = shared.join(self.lengths, on="item", how="semi")
        n_raters = assignments["rater"].n_unique()
        of_all = with_length.filter(pl.len().over("item") == n_raters)
        for name in self.names:
            if (
                with_length.is_empty() and not shared.is_empty()
            ):  # said at once, because there may be thousands of pairs
                figure = Figure(reason="not_identified", detail=NO_LENGTH)
            else:
                figure = ALPHAS[name](spans, assignments, self.lengths, confidence=self.confidence)
            texts = of_all if name == "unitised_alpha" else with_length
            row = self._numbers(spans, texts) | figure.to_dict() | {"se": figure.se}
            yield name, {column: row[column] for column in SCHEMA if column != "name"}

    def _numbers(self, spans: pl.DataFrame, texts: pl.DataFrame) -> dict[str, Any]:
        """Count the texts (item, rater) that a figure is computed from, and what is marked there."""
        return {
            "interval_method": "jackknife",
            "confidence": self.confidence,
            "n_items": texts["item"].n_unique(),
            "n_raters": texts["rater"].n_unique(),
            "n_ratings": texts.height,
            "n_regions": spans.join(texts, on=["item", "rater"], how="semi").height,
        }


def left_out_note(n_texts: int) -> str:
    """Say how many texts of unsure length no alpha counts."""
    return f"{counted(n_texts, 'text is', 'texts are')} {BEHIND}"


def _merged(rows: Rows, own: Rows, key: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield the rows of each key, those of `own` after the others."""
    places: dict[tuple[Any, ...], Rows] = {}
    for row in (*rows, *own):
        places.setdefault(tuple(row[name] for name in key), []).append(row)
    for group in sorted(places):
        yield from places[group]
