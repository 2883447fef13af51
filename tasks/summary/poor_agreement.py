"""Tell where agreement is low for sure, and what to clarify there: more ratings of the same kind would not mend it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from stats.numeric_labels import MAX_NUMBERS, SCALE_OR_NAMES
from stats.verdict_interval import NO_INTERVAL, POOR, SURE, reaches, verdict_interval
from tasks.summary.finite import finite
from tasks.summary.label_weights import is_plain

if TYPE_CHECKING:
    from stats.agreement.breakdowns.rater_apart import RaterApart

CLEAR = 3  # standard errors; with 2, one of the many pairs of labels would often be that far ahead by chance
REVERSED = "Look for somebody who has the labels the wrong way round: annotators agree less than by chance."
BY_CHANCE = "Check that annotators read the question alike and see the same items: perhaps they agree only by chance."
NUMBERS = "Say what the labels are: {n:,} different numbers, and only equal ones agree. "
GUIDELINE = "Clarify the guideline before more items are rated."
_MAX_LABEL = 40  # characters
Row = Mapping[str, Any]


@dataclass(frozen=True)
class ConfusedLabels:
    """The two labels of a question that people confuse most. share: of the pairs of ratings of an item that differ,
    those that have these two labels, 0 to 1; by_chance: the same if labels met by chance."""

    label_a: str
    label_b: str
    share: float
    by_chance: float

    @property
    def sentence(self) -> str:
        """Say what to clarify, and why."""
        a, b = _shortened(self.label_a, self.label_b)
        return (
            f"Clarify in the guideline when an item is {a} and when {b}: of the pairs of ratings that differ,"
            f" {100 * self.share:.0f} % have these two labels, by chance {100 * self.by_chance:.0f} %."
        )


@dataclass(frozen=True)
class Causes:
    """What may be behind low agreement: one rater apart from the others, or two labels that people confuse.

    n_numbers: how many labels there are, if they are numbers that may be points on a scale; else None.
    """

    apart: "RaterApart | None" = None
    confused: ConfusedLabels | None = None
    n_numbers: int | None = None


def causes_by_question(pairs: pl.DataFrame, confused: pl.DataFrame) -> dict[str, Causes]:
    """Return what may be behind low agreement, for each question of which something is known.

    pairs: rows of `latest_pairwise_agreement`; confused: of the page query `most_confused_pairs`. Two labels are named
    if they are confused clearly more often than by chance.
    """
    apart = _raters_apart(pairs) if pairs.height else {}
    rows = confused.to_dicts() if confused.height else []
    labels = {row["question"]: _confused(row) for row in rows}
    numbers = {row["question"]: n for row in rows if (n := row["n_numbers"]) is not None and n > MAX_NUMBERS}
    return {
        name: Causes(apart.get(name), labels.get(name), numbers.get(name))
        for name in sorted(apart.keys() | labels.keys())
    }


def what_to_clarify(main: Row | None, causes: Causes) -> str:
    """Say what is to be clarified before more is rated.

    main: the row of `latest_agreement` that stands for the question. Return an empty text where agreement is not low
    for sure, and where it is not poor and no cause is known.
    """
    if not is_low_for_sure(main):
        return ""
    if causes.n_numbers is not None:
        return f"{NUMBERS.format(n=causes.n_numbers)}{SCALE_OR_NAMES}"
    low, high = interval_of(main)
    if causes.apart is not None:
        apart = replace(causes.apart, is_weighted=main is not None and not is_plain(main.get("weights")))
        return f"Ask how they read the labels: {apart.sentence}"
    if is_poor(main) and high is not None and high < 0:
        return REVERSED
    if is_poor(main) and low is not None and low <= 0:
        return BY_CHANCE
    if causes.confused is not None:
        return causes.confused.sentence
    return GUIDELINE if is_poor(main) else ""


def is_poor(main: Row | None) -> bool:
    """Check whether the whole interval of agreement beyond chance lies below POOR."""
    if main is None or finite(main.get("estimate")) is None or main["coefficient"] == "percent_agreement":
        return False
    high = interval_of(main)[1]
    return high is not None and not reaches(high, POOR)


def is_low_for_sure(main: Row | None) -> bool:
    """Check whether a narrower interval of agreement would change nothing: it lies on one side of both limits."""
    low, high = interval_of(main)
    if low is None or high is None:
        return False
    return not reaches(high, POOR) or (reaches(low, POOR) and not reaches(high, SURE))


def interval_of(main: Row | None) -> tuple[float | None, float | None]:
    """Return the interval that a verdict may rest on."""
    if main is None or finite(main.get("low")) is None or finite(main.get("high")) is None:
        return NO_INTERVAL
    return verdict_interval(main)


def _raters_apart(pairs: pl.DataFrame) -> dict[str, "RaterApart | None"]:
    from stats.agreement.breakdowns.rater_apart import rater_apart  # `run` with nothing due has no such pairs

    by_question = pairs.partition_by("question", as_dict=True)
    return {str(question): rater_apart(rows.to_dicts()) for (question,), rows in by_question.items()}


def _confused(row: Row) -> ConfusedLabels | None:
    lead = finite(row["lead"])
    if lead is None or lead <= CLEAR:
        return None
    return ConfusedLabels(row["label_a"], row["label_b"], row["share"], row["by_chance"])


def _shortened(*labels: str) -> list[str]:
    """Shorten long labels at their end, or, where they would be alike then, at their beginning."""
    if all(len(label) <= _MAX_LABEL for label in labels):
        return [repr(label) for label in labels]
    ends = [label if len(label) <= _MAX_LABEL else f"{label[: _MAX_LABEL - 1]}…" for label in labels]
    if len(set(ends)) == len(ends):
        return [repr(label) for label in ends]
    return [repr(label if len(label) <= _MAX_LABEL else f"…{label[1 - _MAX_LABEL :]}") for label in labels]
