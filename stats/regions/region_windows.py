"""Compute the agreement on spans and boxes in windows: each window adds up what its items add."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from stats.arrays import BoolArray, FloatArray, IntArray
from stats.cluster_jackknife import Figure, jackknife, ratio
from stats.intervals import check_confidence
from stats.regions.character_alpha import NO_LENGTH, alpha_of, character_sums, character_table
from stats.regions.region_agreement import (
    BOX_COEFFICIENTS,
    COEFFICIENTS,
    NO_MATCH,
    NO_SPANS,
    SCHEMA,
    item_sums,
    regions_by_label,
)
from stats.regions.unitised_alpha import UnitisedTexts, unitised_texts

WINDOW_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {"window": pl.Int64, "label": pl.String, **SCHEMA}
Label = str | None


@dataclass(frozen=True)
class MarkedTexts:
    """The spans, who did which item, and the known lengths of texts, from which alphas are computed."""

    spans: pl.DataFrame
    assignments: pl.DataFrame
    lengths: pl.DataFrame


@dataclass(frozen=True)
class SharedItems:
    """The items that two raters did or more, by number.

    names (n,); rater and rater_item: their raters by number, and the items of these, in order; known (n,): whether
    the length of the text is known; regions: of each label, and of all (None), the regions of each item.
    """

    names: pl.DataFrame
    rater: IntArray
    rater_item: IntArray
    has_length: BoolArray
    regions: dict[Label, FloatArray]

    def numbers(self, items: IntArray) -> dict[str, Any]:
        """Count the items, their raters, and the work of these."""
        raters = self.rater[_within(self.rater_item, items)]
        return {"n_items": len(items), "n_raters": len(np.unique(raters)), "n_ratings": len(raters)}


@dataclass(frozen=True)
class ItemSums:
    """What each item adds to the sums of one coefficient (n, s), and how a figure is made of them."""

    name: str
    label: Label
    sums: FloatArray
    statistic: Callable[[FloatArray], FloatArray]
    lowest: float = 0.0
    needs_text: bool = False

    def figure(self, items: IntArray, n_regions: int, confidence: float) -> Figure:
        """Compute the figure of some items."""
        rows = self.sums[items]
        if not self.needs_text and not rows[:, 1].any():
            return Figure(reason="zero_denominator", detail=NO_MATCH if n_regions else NO_SPANS)
        return jackknife(rows, self.statistic, confidence, lowest=self.lowest, keep=True)


def region_windows(
    matches: pl.DataFrame,
    assignments: pl.DataFrame,
    members: pl.DataFrame,
    *,
    texts: MarkedTexts | None = None,
    labels: bool = True,
    confidence: float = 0.95,
) -> pl.DataFrame:
    """Compute the figures of `region_agreement` in each window, over all labels and for each label used there.

    `members` says which items are in which window (window, item). The figures of a window are those of its items alone,
    with all the work of their raters. Windows without an item that two raters did have none. With `texts`, the alphas
    of marked texts are computed too; `labels=False` leaves out the labels.
    """
    check_confidence(confidence)
    assignments = assignments.select("item", "rater").unique()
    shared = _shared_items(matches, assignments, texts)
    sums = list(_item_sums(matches, shared, texts, labels))
    units = None if texts is None else _Unitised.of(texts, assignments)
    rows = []
    for window, names in _items_of_windows(members):
        items = _numbers(names, shared.names)
        if not len(items):
            continue
        everything = shared.numbers(items)
        with_length = items[shared.has_length[items]]
        with_text = everything if len(with_length) == len(items) else shared.numbers(with_length)
        whole = (np.zeros(0, dtype=np.int64), 0) if units is None else units.whole_texts(names)
        of_all = np.zeros(0, dtype=np.int64) if units is None else units.items_of(whole[0], shared.names)
        for label, counts in shared.regions.items():
            n_regions, n_known = int(counts[items].sum()), int(counts[with_length].sum())
            if label is not None and not (labels and n_regions):
                continue
            shown = {"window": window, "label": label, "interval_method": "jackknife", "confidence": confidence}
            for each in (each for each in sums if each.label == label):
                figure = _figure(each, items, with_length, (n_regions, n_known), confidence)
                numbers = with_text if each.needs_text else everything
                rows.append(_row(shown, each.name, numbers, n_known if each.needs_text else n_regions, figure))
            if units is not None:
                figure = units.texts.figure(*whole, confidence, label) if len(with_length) else NO_TEXT
                rows.append(_row(shown, "unitised_alpha", shared.numbers(of_all), int(counts[of_all].sum()), figure))
    return pl.DataFrame(rows, schema=WINDOW_SCHEMA)


NO_TEXT = Figure(reason="not_identified", detail=NO_LENGTH)


def _figure(each: ItemSums, items: IntArray, with_length: IntArray, n: tuple[int, int], confidence: float) -> Figure:
    if not each.needs_text:
        return each.figure(items, n[0], confidence)
    return each.figure(with_length, n[1], confidence) if len(with_length) else NO_TEXT


def _row(shown: dict[str, Any], name: str, numbers: dict[str, Any], n_regions: int, figure: Figure) -> dict[str, Any]:
    return shown | numbers | figure.to_dict() | {"name": name, "n_regions": n_regions, "se": figure.se}


def _items_of_windows(members: pl.DataFrame) -> Iterator[tuple[int, pl.Series]]:
    for (window,), rows in members.unique().sort("window", "item").group_by("window", maintain_order=True):
        yield int(str(window)), rows["item"]


def _numbers(names: pl.Series, of: pl.DataFrame) -> IntArray:
    """Return the numbers of the items that `of` (item, number) has."""
    return names.to_frame("item").join(of, on="item")["number"].sort().to_numpy().astype(np.int64)


def _shared_items(matches: pl.DataFrame, assignments: pl.DataFrame, texts: MarkedTexts | None) -> SharedItems:
    several = assignments.filter(pl.len().over("item") > 1)
    names = several.select(pl.col("item").unique().sort()).with_row_index("number")
    raters = several.select(pl.col("rater").unique().sort()).with_row_index("rater_number")
    coded = several.join(names, on="item").join(raters, on="rater").sort("number", "rater_number")
    lengths = pl.DataFrame(schema={"item": pl.String}) if texts is None else texts.lengths
    has_length = names["item"].is_in(lengths["item"].unique().to_list()).to_numpy()
    counted = regions_by_label(matches).join(names, on="item")
    regions: dict[Label, FloatArray] = {None: _per_item(counted, names.height)}
    for label in counted["label"].unique().sort():
        regions[label] = _per_item(counted.filter(pl.col("label") == label), names.height)
    rater, item = (coded[name].to_numpy().astype(np.int64) for name in ("rater_number", "number"))
    return SharedItems(names, rater, item, has_length, regions)


def _per_item(counted: pl.DataFrame, n: int) -> FloatArray:
    numbers, weights = counted["number"].to_numpy().astype(np.int64), counted["n"].to_numpy().astype(float)
    sums: FloatArray = np.bincount(numbers, weights=weights, minlength=n).astype(float)
    return sums


def _item_sums(
    matches: pl.DataFrame, shared: SharedItems, texts: MarkedTexts | None, labels: bool
) -> Iterator[ItemSums]:
    coefficients = BOX_COEFFICIENTS if "iou" in matches.columns else COEFFICIENTS
    for label in shared.regions if labels else (None,):
        own = matches if label is None else matches.filter(pl.col("label") == label)
        for name, column in coefficients.items():
            yield ItemSums(name, label, item_sums(own, shared.names, column), ratio)
        if texts is not None:
            spans = texts.spans if label is None else texts.spans.filter(pl.col("label") == label)
            sums = character_sums(spans, texts.assignments, texts.lengths)
            table = character_table(sums)
            rows = np.zeros((shared.names.height, table.shape[1]))
            rows[_numbers(sums["item"], shared.names)] = table
            yield ItemSums("character_alpha", label, rows, alpha_of, -1.0, needs_text=True)


@dataclass(frozen=True)
class _Unitised:
    """The texts of a known length by number, and the raters of each item by the number of their set."""

    texts: UnitisedTexts
    names: pl.DataFrame
    assignments: pl.DataFrame

    @classmethod
    def of(cls, texts: MarkedTexts, assignments: pl.DataFrame) -> "_Unitised":
        units = unitised_texts(texts.spans, assignments, texts.lengths)
        names = pl.DataFrame({"item": units.items}, schema={"item": pl.String}).with_row_index("number")
        return cls(units, names, assignments.group_by("item").agg(pl.col("rater").sort().alias("raters")))

    def whole_texts(self, names: pl.Series) -> tuple[IntArray, int]:
        """Return the texts that all raters of some items did, and the number of these raters."""
        own = self.assignments.join(names.to_frame("item"), on="item")["raters"]
        raters = tuple(own.explode().unique().sort())
        numbers = _numbers(names, self.names)
        return numbers[[self.texts.raters[number] == raters for number in numbers]], len(raters)

    def items_of(self, texts: IntArray, names: pl.DataFrame) -> IntArray:
        """Return the numbers that `names` (item, number) has for the items of some texts."""
        return _numbers(pl.Series("item", [self.texts.items[text] for text in texts], dtype=pl.String), names)


def _within(of_item: IntArray, items: IntArray) -> IntArray:
    """Return the rows of some items. of_item: the item of each row, in order."""
    first, end = np.searchsorted(of_item, items), np.searchsorted(of_item, items, side="right")
    sizes = end - first
    rows: IntArray = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes - first, sizes)
    return rows
