"""Say whether accuracy, for which only equal labels are right, means anything for labels that are numbers.

On a scale of many numbers (a score from 0 to 100) hardly two ratings are equal, and 71 where 72 is right is no error
that anyone minds. So there is no accuracy then, and agreement that measures distance stands for the question.
"""

from collections.abc import Sequence

from stats.reasons import TOO_MANY_LABELS

MAX_NUMBERS = 25  # of a scale whose equal numbers are counted: 21 are 0 to 20, or 0 to 10 by halves
MAX_LABELS = 200  # from here on, without gold, there must be ITEMS_PER_LABEL
ITEMS_PER_LABEL = 2
EQUAL_NUMBERS = (
    "Only equal numbers count as right: 3 where 4 is right is as wrong as 1. What counts as near is in agreement"
    " (krippendorff_alpha, icc2)."
)
NUMBERS = (
    "The labels are {n:,} different numbers. Accuracy counts only equal numbers as right, however near the others are,"
    f" and with more than {MAX_NUMBERS} numbers that says little. "
)
OF_SCALE = (
    "Use agreement, which counts what is near (krippendorff_alpha, icc2), or put the numbers into a few classes and"
    " give these as labels."
)
SCALE_OR_NAMES = (
    'If they are points on a scale, set scale = "interval". If they are names of classes, declare them as labels.'
)
FEW_ITEMS_EACH = (
    "There are {n:,} labels for {n_items:,} items. Without gold, an estimate takes"
    f" {ITEMS_PER_LABEL} items for each label, if there are more than {MAX_LABELS} labels."
)


def why_too_many_labels(
    labels: Sequence[str], scale: str, *, n_items: int, are_declared: bool, audited: bool = False
) -> tuple[str, str] | None:
    """Return reason and sentence if there are too many labels for an accuracy, else None.

    On a scale other than nominal that holds for more than MAX_NUMBERS numbers, also with gold. Undeclared labels of a
    nominal scale count as numbers of a scale if some of them have decimals: others may be the names of classes.

    >>> scores = [str(score / 2) for score in range(100)]
    >>> (why_too_many_labels(scores, "nominal", n_items=400, are_declared=False) or ("", ""))[0]
    'too_many_labels'
    >>> why_too_many_labels(["1", "2", "3"], "interval", n_items=400, are_declared=True)
    """
    if are_many_numbers(labels):
        has_decimals = any(not float(label).is_integer() for label in labels)
        if scale != "nominal" or (has_decimals and not are_declared):
            return TOO_MANY_LABELS, NUMBERS.format(n=len(labels)) + (SCALE_OR_NAMES if scale == "nominal" else OF_SCALE)
    if not audited and len(labels) > MAX_LABELS and n_items < ITEMS_PER_LABEL * len(labels):
        return TOO_MANY_LABELS, FEW_ITEMS_EACH.format(n=len(labels), n_items=n_items)
    return None


def are_many_numbers(labels: Sequence[str]) -> bool:
    """Check whether the labels are more than MAX_NUMBERS numbers.

    >>> are_many_numbers([str(score) for score in range(100)]), are_many_numbers(["1", "2"])
    (True, False)
    """
    return len(labels) > MAX_NUMBERS and _are_numbers(labels)


def _are_numbers(labels: Sequence[str]) -> bool:
    try:
        return all(abs(float(label)) < float("inf") for label in labels)
    except ValueError:
        return False
