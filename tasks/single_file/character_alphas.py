"""Add Krippendorff's alpha of the characters to the figures of spans: overall, for each pair, and for each label."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import polars as pl

from stats.regions import character_alpha
from stats.regions.region_agreement import SCHEMA

ALPHA = "character_alpha"
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class CharacterAlphas:
    """The spans of a question, who did which item, and the lengths of the texts."""

    spans: pl.DataFrame
    done: pl.DataFrame
    lengths: pl.DataFrame
    confidence: float

    def overall(self) -> dict[str, Any]:
        """Return the row of all raters, in the columns of `stats.regions.region_agreement`."""
        return {"name": ALPHA, **self._figure(self.spans, self.done)}

    def after_pairs(self, rows: Rows, min_items: int) -> Rows:
        """Add a row for each pair of raters who did `min_items` items both to the rows of the other coefficients."""
        raters = self.done["rater"].unique().sort().to_list()
        return list(_merged(rows, self._pairs(raters, min_items), ("rater_a", "rater_b")))

    def after_labels(self, rows: Rows) -> Rows:
        """Add a row for each label, this one or none, to the rows of the other coefficients."""
        labels = self.spans["label"].unique().sort().to_list()
        own = [
            {"label": label, "name": ALPHA, **self._figure(self.spans.filter(pl.col("label") == label), self.done)}
            for label in labels
        ]
        return list(_merged(rows, own, ("label",)))

    def _pairs(self, raters: list[str], min_items: int) -> Rows:
        rows = []
        for a, b in combinations(raters, 2):
            done = self.done.filter(pl.col("rater").is_in([a, b]))
            if done.select(pl.col("item").is_duplicated().sum()).item() >= 2 * min_items:
                figure = self._figure(self.spans.filter(pl.col("rater").is_in([a, b])), done)
                rows.append({"rater_a": a, "rater_b": b, "coefficient": ALPHA, **figure})
        return rows

    def _figure(self, spans: pl.DataFrame, done: pl.DataFrame) -> dict[str, Any]:
        figure = character_alpha(spans, done, self.lengths, confidence=self.confidence)
        known = done.select("item", "rater").unique().filter(pl.len().over("item") > 1)
        known = known.join(self.lengths, on="item", how="semi")
        here = spans.join(known, on=["item", "rater"], how="semi")
        row = figure.to_dict() | {"se": figure.se, "interval_method": "jackknife", "confidence": self.confidence}
        row |= {"n_items": known["item"].n_unique(), "n_raters": known["rater"].n_unique(), "n_ratings": known.height}
        row["n_regions"] = here.height
        return {name: row.get(name) for name in SCHEMA if name != "name"}


def _merged(rows: Rows, own: Rows, key: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield the rows of each key, those of `own` after the others."""
    places: dict[tuple[Any, ...], Rows] = {}
    for row in (*rows, *own):
        places.setdefault(tuple(row[name] for name in key), []).append(row)
    for group in sorted(places):
        yield from places[group]
