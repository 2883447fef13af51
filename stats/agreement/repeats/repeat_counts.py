"""Count the answers of judges that are asked several times."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from stats.arrays import FloatArray
from stats.errors import StatsError


@dataclass(frozen=True)
class JudgeAnswers:
    """The answers of one judge: the items, sorted, and how often it gave each label to each (n, k)."""

    name: str
    items: list[str]
    C: FloatArray


def answered_counts(answers: pl.DataFrame, labels: list[str]) -> list[JudgeAnswers]:
    """Count answers (item, judge, label; one row each) by judge, sorted by name.

    Raises StatsError for a missing column and an undeclared label.
    """
    missing = {"item", "judge", "label"} - set(answers.columns)
    if missing:
        raise StatsError(f"Answers need the columns item, judge and label; {sorted(missing)} are missing. Add them.")
    text = answers.select(pl.col("item", "judge", "label").cast(pl.String)).drop_nulls()
    unknown = sorted(set(text["label"].unique()) - set(labels))
    if unknown:
        raise StatsError(f"The label {unknown[0]!r} is not declared. Add it to labels, or correct it.")
    code = {label: i for i, label in enumerate(labels)}
    judges = []
    for (judge,), rows in text.sort("judge", "item").group_by("judge", maintain_order=True):
        items = rows["item"].unique().sort().to_list()
        place = {item: i for i, item in enumerate(items)}
        C = np.zeros((len(items), len(labels)))
        np.add.at(C, ([place[i] for i in rows["item"]], [code[label] for label in rows["label"]]), 1)
        judges.append(JudgeAnswers(str(judge), items, C))
    return judges
