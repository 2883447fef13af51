"""Which labels a question has: declared, or inferred from what the raters used, and then said."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from tasks.errors import InputError
from tasks.formats.cells import labels_of_set, tidy_label

# Labels that may be meant (none of these), and that tools write for no value, too.
NO_ANSWER = {"null", "none", "na", "n/a", "<na>", "#n/a", "undefined", "nil"}


@dataclass(frozen=True)
class Labels:
    """The labels in their order, and a sentence when they were inferred (else None)."""

    names: tuple[str, ...]
    note: str | None = None

    def known(self, ratings: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
        """The ratings with one of these labels, and the sentences that say what was inferred or left out; `n_items`,
        where there is such a column, says for how many items a row stands.

        A label that was declared away after its ratings came in is left out of every figure, and said.
        """
        kept = ratings.filter(pl.col("label").is_in(self.names))
        notes = [self.note] if self.note else []
        if kept.height < ratings.height:
            unknown = sorted(set(ratings["label"]) - set(self.names))
            shown = ", ".join(repr(label) for label in unknown[:6]) + (" ..." if len(unknown) > 6 else "")
            n_left = _n_ratings(ratings) - _n_ratings(kept)
            notes.append(
                f"{n_left:,} stored ratings have a label that is not declared ({shown}) and are "
                "left out; declare it to count them."
            )
        return kept, notes


def declared_or_inferred(labels: pl.Series, declared: Sequence[str] | None, scale: str, question: str) -> Labels:
    """The declared labels, else the distinct ones found: by value when all are numbers, else by name.

    Sets of labels that were chosen together are labels of their own, after the declared ones. An ordinal scale of
    labels that are not numbers needs its order declared: InputError otherwise.
    """
    found = labels.drop_nulls().unique().to_list()
    if declared is not None:
        names = [name for name in map(tidy_label, declared) if name]
        sets = sorted(label for label in found if label not in names and len(labels_of_set(label)) > 1)
        return Labels((*names, *sets))
    numbers = {label: _number(label) for label in found}
    if all(number is not None for number in numbers.values()):
        ordered = sorted(found, key=lambda label: (numbers[label], label))
    elif scale == "nominal":
        ordered = sorted(found)
    else:
        raise InputError(
            f"Question '{question}' is declared {scale}, but its labels have no declared order "
            f"(found: {', '.join(sorted(found)[:6])}).",
            "List them from lowest to highest: --labels low,mid,high, or labels = [...] in kappaflow.toml.",
        )
    shown = ", ".join(ordered[:12]) + (" ..." if len(ordered) > 12 else "")
    note = f"Its labels were not declared; the {len(ordered)} found were used: {shown}."
    if doubtful := [label for label in ordered if label.casefold() in NO_ANSWER]:
        note += f" If {', '.join(map(repr, doubtful))} stands for no answer, declare the labels: others are rejected."
    return Labels(tuple(ordered), note)


def _n_ratings(ratings: pl.DataFrame) -> int:
    return int(ratings["n_items"].sum()) if "n_items" in ratings.columns else ratings.height


def _number(label: str) -> float | None:
    try:
        value = float(label)
    except ValueError:
        return None
    return value if value == value and abs(value) != float("inf") else None
