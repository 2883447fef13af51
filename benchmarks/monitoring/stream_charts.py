"""Draw the charts of simulated streams with the project's own scores, references and detector, many streams at once.

The scores come from `stats.monitoring.scores` and the statistic from `run_detector`. Only the counting differs: each
item is looked up in a table of all rating patterns, so that no data frame is made for a stream. A test compares it
with `question_charts`.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from math import ceil

import numpy as np
import polars as pl

from benchmarks.monitoring.streams import CodeArray
from stats.arrays import FloatArray, IntArray
from stats.defaults import REFERENCE_DAYS, REFERENCE_ITEMS
from stats.monitoring import ChartGroup, run_detector
from stats.monitoring.chart_group import MIN_VARIANCE, UNIT
from stats.monitoring.chart_groups import (
    DIRECTIONS,
    PRIOR_CORRELATION,
    PRIOR_CORRELATIONS,
    RATER_CHANGE,
    SMALLEST_CHANGES,
)
from stats.monitoring.daily_counts import CodedCounts
from stats.monitoring.scores.agreement_scores import AgreementReference, agreement_reference, agreement_scores
from stats.monitoring.scores.frozen_one_coin import fit_one_coin
from stats.monitoring.scores.rater_scores import rater_scores
from stats.monitoring.scores.score_table import ScoreTable, score_moments
from stats.monitoring.scores.system_scores import system_references, system_scores
from stats.patterns import patterns_of

FIRST_DAY = np.datetime64("2026-01-05")


def agreement_statistic(labels: CodeArray, n_labels: int) -> FloatArray:
    """Return (S, T) the statistic of the agreement chart of each stream. labels (S, T, n, r)."""
    counts, pattern = _all_patterns(labels.shape[-1], n_labels), _pattern_numbers(labels, n_labels)
    groups = []
    for stream in pattern:
        n_items = _reference_items(stream, counts)
        table = agreement_scores(counts, _agreement(counts, n_items))
        groups.append(_group(table, 0, n_items, stream))
    return _statistic(groups)


def rater_statistic(labels: CodeArray, n_labels: int) -> FloatArray:
    """Return (S, r, T) the statistic of each rater's chart of agreement with the others."""
    r = labels.shape[-1]
    counts, pattern = _all_patterns(r, n_labels), _pattern_numbers(labels, n_labels)
    table, groups = rater_scores(counts), []
    for stream in pattern:
        n_items = _reference_items(stream, counts)
        span = _agreement(counts, n_items).span
        groups += [_group(table, rater, n_items, stream, span) for rater in range(r)]
    return _statistic(groups).reshape(len(labels), r, -1)


def system_statistic(labels: CodeArray, answers: CodeArray, n_labels: int) -> FloatArray:
    """Return (S, T) the statistic of the chart of a system's accuracy. answers (S, T, n)."""
    groups = []
    for ratings, system_labels in zip(labels, answers, strict=True):
        rows = np.concatenate([ratings, system_labels[..., None]], axis=-1).reshape(-1, ratings.shape[-1] + 1)
        distinct, numbers = np.unique(rows, axis=0, return_inverse=True)
        stream = numbers.reshape(system_labels.shape)
        counts = _coded(distinct[:, :-1].astype(np.int64), n_labels, distinct[:, -1].astype(np.int64))
        n_items = _reference_items(stream, counts)
        model = fit_one_coin(counts, n_items)
        table = system_scores(counts, system_references(counts, n_items, model), model)
        groups.append(_group(table, 0, n_items, stream))
    return _statistic(groups)


def _group(
    table: ScoreTable, series: int, n_items: IntArray, stream: IntArray, span: float | None = None
) -> ChartGroup:
    """Return the chart of one series of a stream (T, n) of pattern numbers. It never opens an alarm.

    So its statistic is that of a chart with any threshold A up to the first look that reaches A.
    """
    moments, chosen = score_moments(table, n_items), table.series == series
    whole = np.zeros(len(n_items), np.int64)
    whole[table.pattern[chosen]] = np.rint(table.score[chosen] * UNIT)
    return ChartGroup(
        chart=table.chart,
        subject=None,
        days=FIRST_DAY + np.arange(len(stream)),
        n_items=np.full(len(stream), stream.shape[1]),
        score_sums=whole[stream].sum(axis=1)[None],
        n_reference=_reference_looks(stream),
        labels=(),
        direction=DIRECTIONS[table.chart],
        levels=moments.mean[[series]],
        variances=np.maximum(moments.variance[[series]], MIN_VARIANCE),
        smallest_change=SMALLEST_CHANGES[table.chart] if span is None else RATER_CHANGE * span,
        larger_change=span,
        prior_correlation=PRIOR_CORRELATIONS.get(table.chart, PRIOR_CORRELATION),
        threshold=np.inf,
    )


def _statistic(groups: Sequence[ChartGroup]) -> FloatArray:
    return np.array([history.statistic for history in run_detector(groups)])


def _agreement(counts: CodedCounts, n_items: IntArray) -> AgreementReference:
    reference = agreement_reference(counts, n_items, coefficient="fleiss_kappa")
    assert reference is not None  # 400 items of raters who do not all give one label
    return reference


def _reference_looks(stream: IntArray) -> int:
    """Return the number of the first whole days with enough items and looks."""
    return max(REFERENCE_DAYS, ceil(REFERENCE_ITEMS / stream.shape[1]))


def _reference_items(stream: IntArray, counts: CodedCounts) -> IntArray:
    """Return (P,) the reference items of each pattern."""
    return np.bincount(stream[: _reference_looks(stream)].ravel(), minlength=len(counts.m))


def _pattern_numbers(labels: CodeArray, n_labels: int) -> Iterator[IntArray]:
    """Yield (T, n) the number of each item's pattern among `_all_patterns`, stream by stream."""
    place = n_labels ** np.arange(labels.shape[-1])
    return (stream.astype(np.int64) @ place for stream in labels)


@cache
def _all_patterns(r: int, k: int) -> CodedCounts:
    """Return all k^r ways in which r raters can rate an item, at the positions that `_pattern_numbers` gives."""
    return _coded(np.arange(k**r)[:, None] // k ** np.arange(r) % k, k)


def _coded(rows: IntArray, k: int, answers: IntArray | None = None) -> CodedCounts:
    """Return the patterns rows (P, r) as codes, with the answers (P,) of a system, and without days."""
    nothing, (P, r) = np.zeros(0, np.int64), rows.shape
    C = (rows[:, :, None] == np.arange(k)).sum(axis=1)
    return CodedCounts(
        labels=tuple(map(str, range(k))),
        raters=tuple(map(str, range(r))),
        systems=() if answers is None else ("system",),
        days=np.zeros(0, "datetime64[D]"),
        row_day=nothing,
        row_pattern=nothing,
        row_items=nothing,
        patterns=patterns_of(rows, np.zeros(P, np.int64), k),
        C=C,
        m=C.sum(axis=1),
        answers=np.zeros((0, P), np.int64) if answers is None else answers[None],
        codes=pl.DataFrame(),
    )
