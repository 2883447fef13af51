"""The sentences beside a figure: why it is undefined, what it rests on, what its errors are worth."""

import numpy as np

from stats.agreement.coefficient import Coefficient
from stats.agreement.results import Results
from stats.agreement.tables import Tables
from stats.agreement.weights import NUMERIC, Setting


def detail_of(coefficient: Coefficient, results: Results, tables: Tables, setting: Setting) -> str | None:
    """The sentences beside a reason or a figure that needs some; null for a plain result."""
    if results.reason[0] is not None:
        return _why_undefined(coefficient, results.reason[0], tables, setting)
    notes = [results.note, _about_items(results, tables), _about_errors(results)]
    return " ".join(note for note in notes if note) or None


def _why_undefined(coefficient: Coefficient, reason: str, tables: Tables, setting: Setting) -> str:
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
    if k == 1 and coefficient.chance:
        return "Only one label is declared, so that agreement by chance is certain."
    return coefficient.denominator


def _about_items(results: Results, tables: Tables) -> str | None:
    used, rated = int(results.n_items[0]), int(tables.n[0])
    if results.note or used == rated:
        return None
    return f"From the {used} of {rated} items that have two ratings or more."


def _about_errors(results: Results) -> str | None:
    if results.degenerate[0] and results.observed[0] == 1:
        return "Degenerate: every rating agrees, so that the standard error is 0 and there is no test."
    if results.degenerate[0]:
        return "Degenerate: no item changes the estimate, so that the standard error is 0 and there is no test."
    if results.se[0] == 0:
        return "Every item of the population was rated, so that the standard error is 0 and there is no test."
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
