"""Take the labels of an audit's items back as gold."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import duckdb
import polars as pl

from tasks.counted_words import counted
from tasks.errors import ReadError
from tasks.worklist.answers_file import NO_ALIASES, AnswerSource, TakenAnswers, take_answers
from warehouse.audits import drawn_items

AUDIT = AnswerSource("audit", rater="audit", rater_kind="gold", command="audit")


def take_audit_answers(
    con: duckdb.DuckDBPyConnection,
    db: Path,
    path: Path,
    question: str,
    *,
    labels: tuple[str, ...] | None,
    aliases: Mapping[str, str] = NO_ALIASES,
    now: datetime,
) -> TakenAnswers:
    """Store the answers as ratings of kind gold, each with the sample that its item was drawn for.

    `labels`, `aliases` and errors: as `take_answers`. Raises ReadError also where nothing was drawn for the question.
    """
    drawn = drawn_items(con, question)
    if drawn.is_empty():
        raise ReadError(
            f"No item was drawn for an audit of {question!r}.",
            f"Draw some first: kappaflow audit --question {question} --n 20 --seed 1 --out audit.csv",
        )
    items = drawn.select("item", pl.col("audit_id").alias("source_ref"))
    items_are = f"{counted(drawn.height, 'item was', 'items were')} drawn."
    return take_answers(
        con, db, path, question, AUDIT, items, items_are=items_are, labels=labels, aliases=aliases, now=now
    )
