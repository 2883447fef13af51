"""Determine the labels of a question: declared, or inferred from the ratings with a note that says so."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from stats.agreement.weights import SCORE_WEIGHTS
from tasks.counted_words import counted
from tasks.errors import InputError
from tasks.evaluate.label_order import known_order, order_differs
from tasks.formats.parsing.cells import labels_of_set, nfc, tidy_label
from tasks.formats.parsing.unicode_form import look_alike_note

# These may be real labels, as in "none of these", but tools also write them for a missing value.
NO_ANSWER = {"null", "none", "na", "n/a", "<na>", "#n/a", "undefined", "nil"}
WEIGHTS_BY_ORDER = SCORE_WEIGHTS.keys() - {"identity"}


@dataclass(frozen=True)
class QuestionLabels:
    """The labels in their order. `note` says that they were inferred, or that their declared order is odd."""

    names: tuple[str, ...]
    note: str | None = None

    def keep_known(self, ratings: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
        """Keep the ratings with one of these labels. Return them with notes on what was inferred or left out.

        A row counts for `n_items` items if there is such a column, else for one. Ratings are left out if their label
        was removed from the declared labels after they were stored.
        """
        kept = ratings.filter(pl.col("label").is_in(self.names))
        notes = [self.note] if self.note else []
        if kept.height < ratings.height:
            unknown = sorted(set(ratings["label"]) - set(self.names))
            shown = ", ".join(repr(label) for label in unknown[:6]) + (" ..." if len(unknown) > 6 else "")
            n_left = _n_ratings(ratings) - _n_ratings(kept)
            notes.append(
                f"Left out: {counted(n_left, 'stored rating')} with a label that is not declared ({shown}). To "
                "count them, declare it."
            )
        return kept, notes


def declared_or_inferred(
    labels: pl.Series, declared: Sequence[str] | None, scale: str, question: str, weights: str | None = None
) -> QuestionLabels:
    """Return the declared labels, or else the distinct labels used, ordered by value if all are numbers, else by name.

    A set of labels that a rater chose together is a separate label, after the declared ones. Raises InputError if the
    labels are neither declared nor all numbers, and the scale is not nominal or the weights go by the order of three
    labels or more: the order of such labels is unknown.
    """
    used = labels.drop_nulls().unique().to_list()
    if declared is not None:
        names = [name for name in map(tidy_label, map(nfc, declared)) if name]
        sets = sorted(label for label in used if label not in names and len(labels_of_set(label)) != 1)
        return QuestionLabels((*names, *sets), _order_note(names, scale, weights))
    numbers = {label: _number(label) for label in used}
    if all(number is not None for number in numbers.values()):
        ordered = sorted(used, key=lambda label: (numbers[label], label))
    elif scale == "nominal" and not (len(used) > 2 and weights in WEIGHTS_BY_ORDER):
        ordered = sorted(used)
    else:
        raise _no_order(used, scale, question, weights)
    shown = ", ".join(ordered[:12]) + (" ..." if len(ordered) > 12 else "")
    were = "one found was" if len(ordered) == 1 else f"{len(ordered)} found were"
    note = f"Its labels were not declared; the {were} used: {shown}."
    if doubtful := [label for label in ordered if label.casefold() in NO_ANSWER]:
        note += f" If {', '.join(map(repr, doubtful))} stands for no answer, declare the labels: others are rejected."
    if alike := look_alike_note(ordered):
        note += f" {alike}"
    return QuestionLabels(tuple(ordered), note)


def _no_order(used: Sequence[str], scale: str, question: str, weights: str | None) -> InputError:
    """Return the error for labels whose order is needed and not declared."""
    what = f"is declared {scale}" if scale != "nominal" else f"has the weights {weights!r}, which go by the order"
    example = ",".join(known_order(used) or ("low", "mid", "high"))
    return InputError(
        f"Question '{question}' {what}, but its labels have no declared order (found: {', '.join(sorted(used)[:6])}).",
        f"List them from lowest to highest: --labels {example}, or labels = [...] in kappaflow.toml.",
    )


def _order_note(names: Sequence[str], scale: str, weights: str | None) -> str | None:
    """Say that labels are declared in an order that is not theirs, where scale or weights go by the declared order."""
    by_order = scale == "ordinal" or (scale == "nominal" and weights in WEIGHTS_BY_ORDER)
    if not by_order or not order_differs(names):
        return None
    what = "Its labels are numbers, but they" if None not in map(_number, names) else "Its labels"
    return (
        f"{what} are declared in the order {', '.join(names[:12])}{' ...' if len(names) > 12 else ''}. What is near on "
        "this scale goes by that order: list the lowest first."
    )


def _n_ratings(ratings: pl.DataFrame) -> int:
    return int(ratings["n_items"].sum()) if "n_items" in ratings.columns else ratings.height


def _number(label: str) -> float | None:
    try:
        value = float(label)
    except ValueError:
        return None
    return value if value == value and abs(value) != float("inf") else None
