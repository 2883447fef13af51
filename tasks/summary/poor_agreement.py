"""Tell where agreement is low for sure, and what to clarify there: more ratings of the same kind would not mend it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from stats.verdict_interval import NO_INTERVAL, reaches, verdict_interval
from tasks.summary.finite import finite

SURE = 0.667  # Krippendorff (2004): the lowest agreement for tentative conclusions
POOR = 0.4  # Fleiss (1981): agreement beyond chance below it is poor
CLEAR = 1.96  # standard errors by which two labels are ahead of the next two
BY_CHANCE = (
    "Check that annotators read the question alike and see the same items: they may agree no more than by chance."
)
GUIDELINE = "Clarify the guideline before more items are rated."
_MAX_LABEL = 40  # characters
Row = Mapping[str, Any]


@dataclass(frozen=True)
class ConfusedLabels:
    """The two labels of a question that people confuse most. share: of the pairs of ratings of an item that differ,
    those that have these two labels, 0 to 1."""

    label_a: str
    label_b: str
    share: float

    @property
    def sentence(self) -> str:
        """Say what to clarify, and why."""
        a, b = (_shortened(label) for label in (self.label_a, self.label_b))
        return (
            f"Clarify in the guideline when an item is {a} and when {b}: of the pairs of ratings that differ,"
            f" {100 * self.share:.0f} % have these two labels."
        )


def confused_by_question(rows: pl.DataFrame) -> dict[str, ConfusedLabels]:
    """Return the two labels that people confuse most, of each question where they are clearly ahead of the next two.

    `rows` are those of the page query `confused_labels`.
    """
    leads = {row["question"]: (row, finite(row["lead"])) for row in (rows.to_dicts() if rows.height else ())}
    return {
        question: ConfusedLabels(row["label_a"], row["label_b"], row["share"])
        for question, (row, lead) in leads.items()
        if lead is not None and lead > CLEAR
    }


def what_to_clarify(main: Row | None, confused: ConfusedLabels | None) -> str:
    """Say what is to be clarified before more is rated.

    main: the row of `latest_agreement` that stands for the question. Return an empty text where agreement is not low
    for sure, and where it is not poor and no two labels are confused clearly more than others.
    """
    low = interval_of(main)[0]
    if low is not None and low <= 0 and is_poor(main):
        return BY_CHANCE
    if confused is not None and is_low_for_sure(main):
        return confused.sentence
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


def _shortened(label: str) -> str:
    return repr(label if len(label) <= _MAX_LABEL else f"{label[: _MAX_LABEL - 1]}…")
