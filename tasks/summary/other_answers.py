"""Refuse what needs labels, for questions whose answers are something else."""

from collections.abc import Collection
from pathlib import Path

import duckdb

from tasks.errors import InputError
from warehouse.connect import connect
from warehouse.questions import has_figures, other_answers

_WORDS = {"regions": "spans, boxes, rankings or texts", "votes": "votes on pairs of models"}
_HINTS = {
    "regions": "`kappaflow status` says how far raters agree on them. On which items they differ most is in the table "
    "item_distances: kappaflow help spans.",
    "votes": "`kappaflow status` says which model is in front: kappaflow help preferences.",
}


def refuse_other_answers(
    con: duckdb.DuckDBPyConnection, question: str, what: str, *, refused: Collection[str] = _WORDS
) -> None:
    """Raise InputError if the answers to a question are no labels of items, but something that is refused.

    `what` says what needs labels, such as "a worklist".
    """
    if (answers := other_answers(con, question)) in refused and answers is not None:
        raise InputError(
            f"The answers to {question!r} are not labels, which {what} needs, but {_WORDS[answers]}.", _HINTS[answers]
        )


def refuse_published_answers(snapshot: Path, question: str, what: str) -> None:
    """Do the same with the published snapshot."""
    with connect(snapshot, read_only=True) as con:
        refuse_other_answers(con, question, what)


def nothing_evaluated(snapshot: Path, what: str) -> InputError:
    """Return the error for a project without agreement on labels: nothing is evaluated, or all answers are others."""
    with connect(snapshot, read_only=True) as con:
        if has_figures(con):
            return InputError(
                f"No question of this project has labels, which {what} needs.",
                "`kappaflow status` shows the figures of spans, boxes, rankings, texts and votes.",
            )
    return InputError("No question has been evaluated yet.", "Put exports into inbox/ and run `kappaflow run`.")
