"""Simulated work of three raters: spans, boxes, rankings and texts, of items that are not equally hard."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import polars as pl

from stats.answers import RANKS, TEXTS, answer_agreement, ranking_distances, text_distances
from stats.regions import character_alpha, match_boxes, match_spans, region_agreement, unitised_alpha
from stats.regions.box_matching import BOXES
from stats.regions.span_matching import SPANS

RATERS = ("ann", "ben", "cem")
LABELS = ("PER", "LOC", "ORG")
WORDS = ("red", "house", "runs", "old", "tree", "blue", "car", "sings", "here", "now")
TEXT_LENGTH = 200
Rows = list[tuple[Any, ...]]
Intervals = dict[str, tuple[float | None, float | None, float | None]]
"""Name of a coefficient -> estimate, low, high."""


@dataclass(frozen=True)
class World:
    """A kind of work. `draw` returns the rows of an item of which each rater gets a share `care` right."""

    name: str
    noun: str
    draw: Callable[[Random, str, float], Rows]
    figures: Callable[[Rows, int], Intervals]


def care_of_item(rng: Random, care: float, spread: float) -> float:
    """Return the share that raters get right of one item: some items are harder than others."""
    return min(max(rng.gauss(care, spread), 0.05), 0.995)


def _spans(rng: Random, item: str, care: float) -> Rows:
    places = sorted(rng.sample(range(5), rng.randint(0, 5)))
    right = [(35 * place, 35 * place + rng.randint(4, 20), rng.choice(LABELS)) for place in places]
    rows: Rows = []
    for rater in RATERS:
        for start, end, label in right:
            if rng.random() < care:
                rows.append((item, rater, start, end, label))
            elif (mistake := rng.random()) > 0.7:
                rows.append((item, rater, start, end, rng.choice(LABELS)))
            elif mistake > 0.4:  # else the rater misses it
                rows.append((item, rater, start, end + rng.randint(1, 5), label))
        if rng.random() < (1 - care) / 2:
            rows.append((item, rater, 180, 180 + rng.randint(3, 15), "LOC"))
    return rows


def _span_figures(rows: Rows, n_items: int) -> Intervals:
    spans = pl.DataFrame(rows, schema=SPANS, orient="row")
    result = _worked(n_items)
    lengths = pl.DataFrame({"item": result["item"].unique(), "length": TEXT_LENGTH})
    figures = _of_rows(region_agreement(match_spans(spans, result), result))
    for name, alpha in (("character_alpha", character_alpha), ("unitised_alpha", unitised_alpha)):
        figure = alpha(spans, result, lengths)
        figures[name] = (figure.estimate, figure.low, figure.high)
    return figures


def _boxes(rng: Random, item: str, care: float) -> Rows:
    right = [(100.0 * place, rng.uniform(20, 60), rng.choice(LABELS)) for place in range(rng.randint(1, 5))]
    rows: Rows = []
    for rater in RATERS:
        for left, size, label in right:
            if rng.random() > care and rng.random() < 0.5:
                continue  # the rater misses it
            shift = rng.gauss(0, size * (1 - care) * 0.6)
            label_given = label if rng.random() < care + (1 - care) / 2 else rng.choice(LABELS)
            rows.append((item, rater, left + shift, shift, left + size + shift, size + shift, label_given))
    return rows


def _box_figures(rows: Rows, n_items: int) -> Intervals:
    result = _worked(n_items)
    return _of_rows(region_agreement(match_boxes(pl.DataFrame(rows, schema=BOXES, orient="row"), result), result))


def _ranking(rng: Random, item: str, care: float) -> Rows:
    noise = 6 * (1 - care)
    return [
        (item, rater, option, float(rank))
        for rater in RATERS
        for rank, option in enumerate(sorted("abcde", key=lambda option: ord(option) + rng.gauss(0, noise)), start=1)
    ]


def _ranking_figures(rows: Rows, n_items: int) -> Intervals:
    distances, concordance = ranking_distances(pl.DataFrame(rows, schema=RANKS, orient="row"))
    return _of_rows(answer_agreement(distances, concordance=concordance))


def _texts(rng: Random, item: str, care: float) -> Rows:
    right = [rng.choice(WORDS) for _ in range(rng.randint(3, 12))]
    rows: Rows = []
    for rater in RATERS:
        text = [word if rng.random() < care else rng.choice(WORDS) for word in right]
        rows.append((item, rater, " ".join(text[:-1] if rng.random() > care else text)))
    return rows


def _text_figures(rows: Rows, n_items: int) -> Intervals:
    return _of_rows(answer_agreement(text_distances(pl.DataFrame(rows, schema=TEXTS, orient="row"))))


def _worked(n_items: int) -> pl.DataFrame:
    rows = [(str(item), rater) for item in range(n_items) for rater in RATERS]
    return pl.DataFrame(rows, schema=["item", "rater"], orient="row")


def _of_rows(figures: pl.DataFrame) -> Intervals:
    return {row["name"]: (row["estimate"], row["low"], row["high"]) for row in figures.to_dicts()}


WORLDS: Sequence[World] = (
    World("spans", "texts", _spans, _span_figures),
    World("boxes", "images", _boxes, _box_figures),
    World("rankings", "items", _ranking, _ranking_figures),
    World("texts", "items", _texts, _text_figures),
)
