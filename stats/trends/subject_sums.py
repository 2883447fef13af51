"""Add up what the answers of many raters or systems count, by window and subject."""

from dataclasses import dataclass

import numpy as np

from stats.arrays import FloatArray, IntArray
from stats.distinct_keys import distinct_keys
from stats.trends.window_sums import WindowUnits

FILLED = 8  # cells (pattern, subject) per answer up to which a full table of them is faster
MAX_CELLS = 20_000_000  # cells (unit or window, subject) up to which sorting is slower than a table of them


@dataclass(frozen=True)
class SubjectAnswers:
    """Answers of S subjects (raters or systems): one entry per subject and pattern.

    - pattern, subject (E,): sorted by pattern. n_subjects: S.
    - values (E, columns): what an item of the pattern counts for the subject.
    """

    pattern: IntArray
    subject: IntArray
    n_subjects: int
    values: FloatArray

    def whole(self, n_items: IntArray) -> FloatArray:
        """Return (S, columns): the sums over all items. n_items (P,): of each pattern."""
        return _added(self.subject, self.values * n_items[self.pattern][:, None], self.n_subjects)


@dataclass(frozen=True)
class SubjectSums:
    """Sums of windows: one entry per window and subject with items in it, sorted by both; sums (entries, columns)."""

    window: IntArray
    subject: IntArray
    sums: FloatArray


def subject_sums(answers: SubjectAnswers, units: WindowUnits) -> SubjectSums:
    """Add up the answers over the items of each window: first by unit, then the units of each window in their order."""
    n_cells = units.items.shape[1] * answers.n_subjects
    if n_cells <= min(FILLED * len(answers.pattern), MAX_CELLS):
        return _sums_of_tables(answers, units)
    return _sums_of_answers(answers, units)


def _sums_of_tables(answers: SubjectAnswers, units: WindowUnits) -> SubjectSums:
    """Add up a full table (patterns, subjects) for each column.

    The sums equal those of `_sums_of_answers` to the last bit.
    """
    shape = units.items.shape[1], answers.n_subjects

    def in_windows(column: FloatArray | float) -> FloatArray:
        table = np.zeros(shape)
        table[answers.pattern, answers.subject] = column
        return units.sum(table)

    window, subject = np.nonzero(in_windows(1.0))
    sums = [in_windows(column)[window, subject] for column in answers.values.T]
    return SubjectSums(window, subject, np.column_stack(sums) if sums else np.zeros((len(window), 0)))


def _sums_of_answers(answers: SubjectAnswers, units: WindowUnits) -> SubjectSums:
    S = answers.n_subjects
    items = units.items.tocoo()
    start = np.searchsorted(answers.pattern, np.arange(units.items.shape[1] + 1))
    entry, place = _ranges(start[items.col], start[items.col + 1])
    unit_key, _, of_unit = distinct_keys(items.row[entry].astype(np.int64) * S + answers.subject[place])
    by_unit = _by_column(answers.values, place, items.data[entry], of_unit, len(unit_key))
    members = units.members.tocsc()
    unit, subject = np.divmod(unit_key, S)
    ends = members.indptr.astype(np.int64)
    row, member = _ranges(ends[unit], ends[unit + 1])
    window_key, _, of_window = distinct_keys(members.indices[member].astype(np.int64) * S + subject[row])
    sums = _by_column(by_unit, row, np.ones(len(row)), of_window, len(window_key))
    window, subject = np.divmod(window_key, S)
    return SubjectSums(window, subject, sums)


def _ranges(start: IntArray, stop: IntArray) -> tuple[IntArray, IntArray]:
    """Return, for each number of each range start..stop, the place of the range, and the number."""
    length = (stop - start).astype(np.int64)
    place = np.repeat(np.arange(len(length)), length)
    return place, np.arange(len(place)) - np.repeat(np.cumsum(length) - length - start, length)


def _by_column(values: FloatArray, place: IntArray, weight: FloatArray, group: IntArray, n: int) -> FloatArray:
    """Return (n, columns): the sums of values[place] x weight by group. One column at a time, to save memory."""
    columns = [np.bincount(group, weights=column[place] * weight, minlength=n) for column in values.T]
    return np.column_stack(columns) if columns else np.zeros((n, 0))


def _added(group: IntArray, values: FloatArray, n: int) -> FloatArray:
    return np.column_stack([np.bincount(group, weights=column, minlength=n) for column in values.T])
