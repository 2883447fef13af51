"""Take the labels of a worklist back: as gold, or as the ratings of one more annotator."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from tasks.counted_words import counted
from tasks.errors import InputError
from tasks.summary.other_answers import refuse_other_answers
from tasks.worklist.answers_file import NO_ALIASES, TakenAnswers, take_answers
from tasks.worklist.filled_in_answers import AnswerSource
from warehouse.connect import connect
from warehouse.worklist import kinds_of, rated_items

NOT_RANDOM = (
    "Items of a worklist are the difficult ones. So their gold settles these items, and is not a random sample:"
    " accuracies that use it are about difficult items. For accuracies of all items draw at random: kappaflow audit."
)
NOT_INDEPENDENT = (
    "Somebody who saw the answers of others is not independent of them: agreement with the others comes out too high."
    " Take such answers with --gold, or write the list with --blind."
)


@dataclass(frozen=True)
class WorklistOutcome:
    """What the answers of a worklist brought."""

    question: str
    rater_kind: str
    answers: TakenAnswers

    def to_json(self) -> dict[str, Any]:
        """Return the JSON value of `kappaflow worklist --answers --json`."""
        return {
            "question": self.question,
            "rater_kind": self.rater_kind,
            **self.answers.to_json(),
            "notes": self.notes(),
        }

    def notes(self) -> list[str]:
        """Say what the answers are good for."""
        texts = self.answers.notes()
        return [*texts, NOT_RANDOM if self.rater_kind == "gold" else NOT_INDEPENDENT]


def take_worklist(
    db: Path,
    path: Path,
    question: str,
    rater: str | None,
    *,
    labels: tuple[str, ...] | None,
    aliases: Mapping[str, str] = NO_ALIASES,
    now: datetime,
) -> WorklistOutcome:
    """Store the answers as gold, or as ratings of the annotator `rater`. The same file again changes nothing.

    `labels` and `aliases`: as `take_answers`. Raises InputError for a question without items, and for a rater who is
    known as a system or as gold; ReadError for a file that cannot be read.
    """
    source = AnswerSource("worklist", rater or "adjudication", "human" if rater else "gold", "worklist", bool(rater))
    with connect(db) as con:
        items = rated_items(con, question)
        if items.is_empty():
            refuse_other_answers(con, question, "a worklist")
            raise InputError(f"There is no question {question!r}.", "`kappaflow status` lists the questions.")
        if rater and (other := [kind for kind in kinds_of(con, rater) if kind != "human"]):
            raise InputError(f"The rater {rater!r} is of the kind {other[0]}.", "Give the annotator another name.")
        answers = take_answers(
            con,
            db,
            path,
            question,
            source,
            items.with_columns(source_ref=pl.lit(None, pl.String)),
            items_are=f"The question does not have this item. The question has {counted(items.height, 'item')}.",
            labels=labels,
            aliases=aliases,
            now=now,
        )
    return WorklistOutcome(question, source.rater_kind, answers)
