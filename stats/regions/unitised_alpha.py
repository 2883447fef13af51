"""Compute Krippendorff's alpha for unitising: how far raters agree on where units of a label lie, and on their lengths.

Krippendorff, K. (2004), Content Analysis, 2nd ed., ch. 11.6: alpha_U = 1 - sum of D_o / sum of D_e over the labels. The
texts are laid end to end, and no gap between units reaches from one text into another.
"""

from dataclasses import dataclass
from itertools import pairwise, permutations

import numpy as np
import polars as pl

from stats.arrays import BoolArray, FloatArray, IntArray
from stats.cluster_jackknife import FEW_CLUSTERS, SAME, TINY, Figure
from stats.intervals import check_confidence
from stats.regions.character_alpha import LENGTHS, NO_LENGTH, NOBODY
from stats.regions.span_matching import SPANS
from stats.special_functions import stdtrit

NOT_ALL = "No text of a known length was done by all raters. See the pairs of raters."
OVERLAP = "A rater marked overlapping spans of one label, for which alpha of unitising is not defined."
NO_UNITS = "Nobody marked a span, or all marked whole texts."


@dataclass(frozen=True)
class LabelSums:
    """What the texts add for one label.

    disagreement (n,): of each text, the squared differences over all ordered pairs of raters. units and gaps: the
    lengths of the units and of the gaps between them, of all raters, by text; unit_text and gap_text: their texts, in
    order. within (n,): see `_within`. overlaps (n,): whether a rater marked overlapping spans.
    """

    disagreement: FloatArray
    units: FloatArray
    unit_text: IntArray
    gaps: FloatArray
    gap_text: IntArray
    within: FloatArray
    overlaps: BoolArray

    def of(self, texts: IntArray) -> "LabelSums":
        """Return the sums of some texts, by number, under new numbers."""
        unit, unit_text = _rows_of(self.unit_text, texts)
        gap, gap_text = _rows_of(self.gap_text, texts)
        return LabelSums(
            self.disagreement[texts], self.units[unit], unit_text, self.gaps[gap], gap_text, self.within[texts],
            self.overlaps[texts],
        )  # fmt: skip


@dataclass(frozen=True)
class UnitisedTexts:
    """The texts of a known length: `items`, their lengths L (n,), who did each, and what each adds for each label."""

    items: list[str]
    L: FloatArray
    raters: list[tuple[str, ...]]
    labels: dict[str, LabelSums]

    def figure(self, texts: IntArray, m: int, confidence: float, label: str | None = None) -> Figure:
        """Compute alpha of some texts that the same m raters did, over all labels or for one."""
        if not len(texts):
            return Figure(reason="not_applicable", detail=NOT_ALL)
        chosen = [sums.of(texts) for name, sums in self.labels.items() if label in (None, name)]
        if any(sums.overlaps.any() for sums in chosen):
            return Figure(reason="not_applicable", detail=OVERLAP)
        return _figure(chosen, self.L[texts], m, confidence)


def unitised_alpha(
    spans: pl.DataFrame, done: pl.DataFrame, lengths: pl.DataFrame, *, confidence: float = 0.95
) -> Figure:
    """Compute alpha for unitising, over the labels, of the texts of a known length that all raters did.

    Spans without a character are left out. Interval: jackknife over texts, with Student's t; one text gives a figure
    without an interval. Null: `too_few_raters`; `not_identified` (no length is known); `not_applicable` (no text was
    done by all, or a rater marked overlapping spans of a label); `zero_denominator` (nothing is marked).
    """
    check_confidence(confidence)
    done = done.select("item", "rater").unique()
    n_raters = done["rater"].n_unique()
    if n_raters < 2:
        return Figure(reason="too_few_raters", detail=NOBODY)
    with_length = done.join(lengths, on="item", how="semi")
    if with_length.is_empty():
        return Figure(reason="not_identified", detail=NO_LENGTH)
    texts = unitised_texts(spans, with_length.filter(pl.len().over("item") == n_raters), lengths)
    return texts.figure(np.arange(len(texts.items)), n_raters, confidence)


def unitised_texts(spans: pl.DataFrame, assignments: pl.DataFrame, lengths: pl.DataFrame) -> UnitisedTexts:
    """Collect what each text of a known length adds to alpha, of the raters who did it."""
    spans = spans.select(pl.col(name).cast(dtype) for name, dtype in SPANS.items()).filter(
        pl.col("start") < pl.col("end")
    )
    texts = lengths.select(pl.col(name).cast(dtype) for name, dtype in LENGTHS.items()).unique("item")
    did = assignments.select("item", "rater").unique().group_by("item").agg(pl.col("rater").sort())
    with_length = did.join(texts, on="item").sort("item")
    raters = [tuple(names) for names in with_length["rater"]]
    numbered = with_length.select("item").with_row_index("text")
    units = spans.join(numbered, on="item").join(
        assignments.select("item", "rater").unique(), on=["item", "rater"], how="semi"
    )
    units = units.sort("label", "text", "rater", "start")
    L = with_length["length"].to_numpy().astype(float)
    labels = {str(label): _sums(part, raters, L) for (label,), part in units.group_by("label", maintain_order=True)}
    return UnitisedTexts(with_length["item"].to_list(), L, raters, labels)


def _rows_of(of_text: IntArray, texts: IntArray) -> tuple[IntArray, IntArray]:
    """Return the rows of some texts, and the place of each row's text among them. of_text: of each row, in order."""
    first, end = np.searchsorted(of_text, texts), np.searchsorted(of_text, texts + 1)
    sizes = end - first
    rows = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes - first, sizes)
    return rows, np.repeat(np.arange(len(texts)), sizes)


def _sums(units: pl.DataFrame, raters: list[tuple[str, ...]], L: FloatArray) -> LabelSums:
    """Collect units, gaps and disagreements of one label. A text that nobody marked is a gap of each rater."""
    marks: dict[int, dict[str, list[tuple[int, int]]]] = {}
    for text, rater, start, end in units.select("text", "rater", "start", "end").rows():
        marks.setdefault(text, {}).setdefault(rater, []).append((start, end - start))
    disagreement, gaps = np.zeros(len(L)), list[tuple[int, float]]()
    overlaps = np.zeros(len(L), dtype=bool)
    for text, length in enumerate(L):
        own = [marks.get(text, {}).get(rater, []) for rater in raters[text]]
        overlaps[text] = any(b < a + n for marked in own for (a, n), (b, _) in pairwise(marked))
        free = [_gaps(marked, int(length)) for marked in own]
        gaps += [(text, float(size)) for of_rater in free for _, size in of_rater]
        for i, j in permutations(range(len(own)), 2) if text in marks else ():
            disagreement[text] += _differences(own[i], own[j], free[j])
    lengths = units.select((pl.col("end") - pl.col("start")).cast(pl.Float64))["end"].to_numpy()
    sizes, places = np.array([size for _, size in gaps]), np.array([text for text, _ in gaps], dtype=np.int64)
    of_unit = units["text"].to_numpy().astype(np.int64)
    within = _within(lengths, of_unit, sizes, places, len(L))
    return LabelSums(disagreement, lengths, of_unit, sizes, places, within, overlaps)


def _gaps(units: list[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    gaps, place = [], 0
    for start, size in units:
        if start > place:
            gaps.append((place, start - place))
        place = start + size
    return [*gaps, (place, length - place)] if place < length else gaps


def _differences(units: list[tuple[int, int]], others: list[tuple[int, int]], gaps: list[tuple[int, int]]) -> float:
    """Return the squared differences of a rater's units to the units of another, and to the gaps that hold them.

    A unit in a gap counts twice: once as a unit against a gap, once as a gap against a unit.
    """
    total = 0.0
    for b, u in units:
        total += sum((b - c) ** 2 + (b + u - c - k) ** 2 for c, k in others if -u < b - c < k)
        total += sum(2 * u * u for c, k in gaps if 0 <= b - c <= k - u)
    return total


def _figure(sums: list[LabelSums], L: FloatArray, m: int, confidence: float) -> Figure:
    total = float(L.sum())
    observed = sum((float(s.disagreement.sum()) / (m * (m - 1) * total**2) for s in sums), 0.0)
    expected = sum((float(_expected(s, np.array([total]), m)[0]) for s in sums), 0.0)
    if expected <= 0:
        return Figure(reason="zero_denominator", detail=NO_UNITS)
    estimate = 1 - observed / expected
    n = len(L)
    if n < 2:
        return Figure(estimate, reason="too_few_items", detail=FEW_CLUSTERS)
    left = total - L
    with np.errstate(divide="ignore", invalid="ignore"):
        observed_left = sum((s.disagreement.sum() - s.disagreement) / (m * (m - 1) * left**2) for s in sums)
        without = np.asarray(1 - observed_left / sum(_expected(s, left, m, leave_out=True) for s in sums))
    without = without[np.isfinite(without)]
    if len(without) < 2:
        return Figure(estimate, reason="too_few_items", detail=FEW_CLUSTERS)
    variance = (len(without) - 1) / len(without) * float(((without - without.mean()) ** 2).sum())
    se = variance**0.5
    half = float(stdtrit(len(without) - 1, (1 + confidence) / 2)) * se
    detail = None if se > TINY else SAME.format(n=len(without))
    return Figure(estimate, estimate - half, min(1.0, estimate + half), detail=detail, se=se)


def _expected(sums: LabelSums, L: FloatArray, m: int, *, leave_out: bool = False) -> FloatArray:
    """Return D_e of a label for texts of the total length L: of all texts, or without each of them.

    D_e = 2 / L sum over units u of [(N - 1) (2 u^3 - 3 u^2 + u) / 3 + u^2 sum over gaps >= u of (gap - u + 1)]
    / (m L (m L - 1) - sum of u (u - 1)), with N units of m raters.
    """
    u = sums.units
    own, pairs = (2 * u**3 - 3 * u**2 + u) / 3, u * (u - 1)
    placed = u**2 * _places(u, sums.gaps)
    N, A, S, P = np.array([len(u)]), own.sum(keepdims=True), pairs.sum(keepdims=True), placed.sum(keepdims=True)
    if leave_out:
        n = len(sums.disagreement)
        per = [np.bincount(sums.unit_text, weights=w, minlength=n) for w in (np.ones(len(u)), own, pairs, placed)]
        around = np.bincount(sums.gap_text, weights=_around(u, sums.gaps), minlength=n)
        N, A, S, P = N - per[0], A - per[1], S - per[2], P - per[3] - around + sums.within
    expected: FloatArray = 2 / L * ((N - 1) * A + P) / (m * L * (m * L - 1) - S)
    return expected


def _places(units: FloatArray, gaps: FloatArray) -> FloatArray:
    """Return for each unit the places in all gaps that hold it: the sum of gap - unit + 1 over the gaps >= unit."""
    ordered = np.sort(gaps)
    first = np.searchsorted(ordered, units)
    after = np.append(np.cumsum(ordered[::-1])[::-1], 0.0)
    places: FloatArray = after[first] - (units - 1) * (len(ordered) - first)
    return places


def _around(units: FloatArray, gaps: FloatArray) -> FloatArray:
    """Return for each gap the sum of unit^2 (gap - unit + 1) over the units <= gap."""
    ordered = np.sort(units)
    n = np.searchsorted(ordered, gaps, side="right")
    squares, cubes = (np.append(0.0, np.cumsum(ordered**power)) for power in (2, 3))
    pairs: FloatArray = (gaps + 1) * squares[n] - cubes[n]
    return pairs


def _within(u: FloatArray, unit_text: IntArray, gaps: FloatArray, gap_text: IntArray, n: int) -> FloatArray:
    """Return for each of n texts the sum of unit^2 (gap - unit + 1) over its own units and gaps."""
    sums = np.zeros(n)
    marked = np.unique(unit_text)
    units, places = (np.searchsorted(of, [marked, marked + 1]) for of in (unit_text, gap_text))
    for text, first, last, first_gap, last_gap in zip(marked, *units, *places, strict=True):
        own = u[first:last]
        sums[text] = (own**2 * _places(own, gaps[first_gap:last_gap])).sum()
    return sums
