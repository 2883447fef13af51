"""Compute Krippendorff's alpha for unitising: how far raters agree on where units of a label lie, and on their lengths.

Krippendorff, K. (2004), Content Analysis, 2nd ed., ch. 11.6: alpha_U = 1 - sum of D_o / sum of D_e over the labels. The
texts are laid end to end, and no gap between units reaches from one text into another.
"""

from dataclasses import dataclass
from itertools import permutations

import numpy as np
import polars as pl

from stats.arrays import FloatArray, IntArray
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
    lengths of the units and of the gaps between them, of all raters, by text; unit_text and gap_text: their texts.
    """

    disagreement: FloatArray
    units: FloatArray
    unit_text: IntArray
    gaps: FloatArray
    gap_text: IntArray


def unitised_alpha(
    spans: pl.DataFrame, done: pl.DataFrame, lengths: pl.DataFrame, *, confidence: float = 0.95
) -> Figure:
    """Compute alpha for unitising, over the labels, of the texts of a known length that all raters did.

    Spans without a character are left out. Interval: jackknife over texts, with Student's t; one text gives a figure
    without an interval. Null: `too_few_raters`; `not_identified` (no length is known); `not_applicable` (no text was
    done by all, or a rater marked overlapping spans of a label); `zero_denominator` (nothing is marked).
    """
    check_confidence(confidence)
    spans = spans.select(pl.col(name).cast(dtype) for name, dtype in SPANS.items()).filter(
        pl.col("start") < pl.col("end")
    )
    done = done.select("item", "rater").unique()
    raters = done["rater"].unique().sort().to_list()
    texts = lengths.select(pl.col(name).cast(dtype) for name, dtype in LENGTHS.items()).unique("item")
    known = done.join(texts, on="item")
    if len(raters) < 2:
        return Figure(reason="too_few_raters", detail=NOBODY)
    if known.is_empty():
        return Figure(reason="not_identified", detail=NO_LENGTH)
    whole = known.filter(pl.len().over("item") == len(raters)).select("item", "length").unique().sort("item")
    if whole.is_empty():
        return Figure(reason="not_applicable", detail=NOT_ALL)
    units = spans.join(whole.with_row_index("text"), on="item").sort("label", "text", "rater", "start")
    before = pl.col("end").shift().over("label", "text", "rater")
    if units.select((pl.col("start") < before).any()).item():
        return Figure(reason="not_applicable", detail=OVERLAP)
    L = whole["length"].to_numpy().astype(float)
    sums = [_sums(part, raters, L) for _, part in units.group_by("label", maintain_order=True)]
    return _figure(sums, L, len(raters), confidence)


def _sums(units: pl.DataFrame, raters: list[str], L: FloatArray) -> LabelSums:
    """Collect units, gaps and disagreements of one label. A text that nobody marked is a gap of each rater."""
    marks: dict[int, dict[str, list[tuple[int, int]]]] = {}
    for text, rater, start, end in units.select("text", "rater", "start", "end").rows():
        marks.setdefault(text, {}).setdefault(rater, []).append((start, end - start))
    disagreement, gaps = np.zeros(len(L)), list[tuple[int, float]]()
    for text, length in enumerate(L):
        own = [marks.get(text, {}).get(rater, []) for rater in raters]
        free = [_gaps(marked, int(length)) for marked in own]
        gaps += [(text, float(size)) for of_rater in free for _, size in of_rater]
        for i, j in permutations(range(len(raters)), 2) if text in marks else ():
            disagreement[text] += _differences(own[i], own[j], free[j])
    lengths = units.select((pl.col("end") - pl.col("start")).cast(pl.Float64))["end"].to_numpy()
    sizes, places = np.array([size for _, size in gaps]), np.array([text for text, _ in gaps], dtype=np.int64)
    return LabelSums(disagreement, lengths, units["text"].to_numpy().astype(np.int64), sizes, places)


def _gaps(units: list[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    found, place = [], 0
    for start, size in units:
        if start > place:
            found.append((place, start - place))
        place = start + size
    return [*found, (place, length - place)] if place < length else found


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
        without = 1 - observed_left / sum(_expected(s, left, m, leave_out=True) for s in sums)
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
        N, A, S, P = N - per[0], A - per[1], S - per[2], P - per[3] - around + _within(sums)
    found: FloatArray = 2 / L * ((N - 1) * A + P) / (m * L * (m * L - 1) - S)
    return found


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
    found: FloatArray = (gaps + 1) * squares[n] - cubes[n]
    return found


def _within(sums: LabelSums) -> FloatArray:
    """Return for each text the sum of unit^2 (gap - unit + 1) over its own units and gaps."""
    found = np.zeros(len(sums.disagreement))
    marked = np.unique(sums.unit_text)
    units, gaps = (np.searchsorted(of, [marked, marked + 1]) for of in (sums.unit_text, sums.gap_text))
    for text, first, last, first_gap, last_gap in zip(marked, *units, *gaps, strict=True):
        u = sums.units[first:last]
        found[text] = (u**2 * _places(u, sums.gaps[first_gap:last_gap])).sum()
    return found
