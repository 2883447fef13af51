"""Write the sentences beside a figure: why it is undefined, which items it uses, how far to trust its errors."""

import numpy as np

from stats.agreement.coefficients.coefficient import Coefficient
from stats.agreement.count_tables import CountTables
from stats.agreement.inference.estimates import CoefficientEstimates
from stats.agreement.weights import NUMERIC, LabelSetting
from stats.arrays import BoolArray

ONE_LABEL = "Only one label is known, so agreement by chance is certain. Declare all labels that there are."


def detail_of(
    coefficient: Coefficient, results: CoefficientEstimates, tables: CountTables, setting: LabelSetting
) -> str | None:
    """Return the sentences for the column `detail`, or None if the first set needs none."""
    if results.reason[0] is not None:
        return _why_undefined(coefficient, results.reason[0], tables, setting)
    caution = coefficient.caution(tables) if coefficient.caution else None
    notes = [results.note, _about_items(results, tables), _about_errors(results), caution]
    return " ".join(note for note in notes if note) or None


def needs_detail(coefficient: Coefficient, results: CoefficientEstimates, tables: CountTables) -> BoolArray:
    """Return, for each set, whether there may be something to say. Where not, `detail_of` returns None."""
    if results.note or coefficient.caution:
        return np.ones(len(results.estimate), dtype=bool)
    plain = (results.n_items == tables.n) & ~results.degenerate & (results.se != 0) & (results.undefined == 0)
    incomplete = ~plain | np.isnan(results.low) | np.isnan(results.high)
    needed: BoolArray = incomplete | np.array([code is not None for code in results.reason], dtype=bool)
    return needed


def degenerate(what: str, method: str) -> str:
    """Say in a sentence why the standard error is 0 although raters differ: `what` was the same by this method."""
    if method in ("t", "normal"):
        return (
            f"Degenerate: the formula gives a standard error of 0 for these ratings. That does not make the {what}"
            " certain, and there is no test."
        )
    same = "in every bootstrap sample" if method in ("percentile", "bca") else "whichever item is left out"
    return f"Degenerate: the {what} is the same {same}, so the standard error is 0 and there is no test."


def _why_undefined(coefficient: Coefficient, reason: str, tables: CountTables, setting: LabelSetting) -> str:
    k, pairable = tables.n_labels, int(tables.n_pairable[0])
    if reason == "too_few_raters":
        return f"Agreement needs at least 2 raters, found {tables.n_raters}."
    if reason == "too_few_items":
        rated = "that every rater rated" if coefficient.numeric else "with two ratings or more"
        return (
            f"Needs at least 2 items {rated}, of {pairable} with two ratings."
            if coefficient.numeric
            else (f"Needs at least 2 items {rated}, found {pairable}.")
        )
    if reason == "not_applicable":
        if coefficient.two_raters and tables.n_raters > 2:
            return f"Defined for 2 raters, found {tables.n_raters}; see the pairs of raters."
        if coefficient.two_labels and k != 2:
            return f"Defined for 2 labels, found {k} declared."
        if coefficient.numeric and setting.scale not in NUMERIC:
            return f"Defined for labels that are numbers: scale interval or ratio, found {setting.scale}."
        return f"Defined without weights, found {setting.weights}."
    if k == 1 and coefficient.corrects_chance:
        return ONE_LABEL
    return coefficient.zero_denominator


def _about_items(results: CoefficientEstimates, tables: CountTables) -> str | None:
    used, rated = int(results.n_items[0]), int(tables.n[0])
    if results.note or used == rated:
        return None
    return f"From the {used} of {rated} items that have two ratings or more."


def _about_errors(results: CoefficientEstimates) -> str | None:
    if results.degenerate[0] and results.observed[0] == 1:
        return (
            "Degenerate: every rating agrees, so the standard error is 0. That does not make the estimate certain, and "
            "there is no test."
        )
    if results.degenerate[0] and results.estimate[0] == 1 and np.isnan(results.observed[0]):
        return "Degenerate: the estimate is the largest possible one, so the standard error is 0 and there is no test."
    if results.degenerate[0]:
        return degenerate("estimate", results.method)
    if results.se[0] == 0:
        return "Every item of the population was rated, so the standard error is 0 and there is no test."
    sentences = []
    if results.undefined[0] > 0:
        what = "items left out" if results.method in ("jackknife", "F") else "replicates"
        sentences.append(
            f"Undefined for {results.undefined[0]:.2%} of the {what}, which are not counted in the errors."
        )
    if np.isnan(results.high[0]):
        sentences.append("There is no interval: too few values differ.")
    elif np.isnan(results.low[0]):
        sentences.append("The interval has no lower end.")
    return " ".join(sentences) or None
