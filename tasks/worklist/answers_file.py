"""Store labels that people filled in for items of one question, once, with a reason for each refused row."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from schemas.rating_columns import MAX_VALUE_LENGTH, REJECTS
from tasks.counted_words import counted
from tasks.errors import InputError, ReadError
from tasks.export.table_files import spreadsheet_table
from tasks.formats import CANONICAL, ReadOptions
from tasks.formats.parsing.file_look import look_at_file
from tasks.formats.parsing.text_table import read_table
from tasks.ingest.rater_names import rename_raters
from tasks.ingest.validate import ValidatedExport, validate
from tasks.look_alikes import NUMBER, plain_name
from tasks.worklist.filled_in_answers import AnswerSource, filled_in_answers, label_text
from warehouse.audits import labels_in_force
from warehouse.batches import Batch, BatchCounts, store_batch
from warehouse.questions import has_batch
from warehouse.raters.forgotten_names import forgotten_names
from warehouse.worklist import answers_in_force

NO_ALIASES: Mapping[str, str] = {}
UNKNOWN_ITEM = "unknown_item"


@dataclass(frozen=True)
class TakenAnswers:
    """What became of the rows of a file of answers. `rejects` has the columns of REJECTS.

    n_twice: items to which one rater gives several labels in the file. The last row counts.
    numbers: items by their number in the file, where that is written otherwise, such as 007 by 7.
    n_unlabelled: rows whose label is still missing. n_other_questions: answers of the file to other questions. Both are
    among the skipped rows, and so is what systems said.
    """

    counts: BatchCounts
    rejects: pl.DataFrame
    n_twice: int = 0
    numbers: Mapping[str, str] = field(default_factory=dict)
    n_unlabelled: int = 0
    n_other_questions: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the counts and the rejected rows. A file that was taken before brings nothing new."""
        counts = self.counts
        return {
            "repeated": counts.repeated,
            "n_ratings": 0 if counts.repeated else counts.n_ratings,
            "n_unchanged": counts.n_unchanged + (counts.n_ratings if counts.repeated else 0),
            "n_skipped": counts.n_skipped,
            "n_unlabelled": self.n_unlabelled,
            "n_other_questions": min(self.n_other_questions, counts.n_skipped),
            "n_rejected": counts.n_rejected,
            "rejected": self.rejects.to_dicts(),
        }

    def notes(self) -> list[str]:
        """Say what a reader of the counts would not expect."""
        texts = ["The file was taken before, so nothing changed."] if self.counts.repeated else []
        if self.n_twice and not self.counts.repeated:
            texts.append(
                f"{counted(self.n_twice, 'item has', 'items have')} several labels in the file. The last one counts."
            )
        if self.n_other_questions:
            answers = counted(self.n_other_questions, "answer")
            texts.append(f"{answers} to other questions in the file: left out. Take them with --question of theirs.")
        if self.numbers:
            number, item = next(iter(self.numbers.items()))
            texts.append(
                f"{counted(len(self.numbers), 'item is', 'items are')} written otherwise in the file, such as {number}"
                f" for {item}: a spreadsheet drops zeros. They were taken for the same."
            )
        return texts


def take_answers(
    con: duckdb.DuckDBPyConnection,
    db: Path,
    path: Path,
    question: str,
    source: AnswerSource,
    items: pl.DataFrame,
    *,
    items_are: str,
    labels: tuple[str, ...] | None,
    aliases: Mapping[str, str] = NO_ALIASES,
    now: datetime,
) -> TakenAnswers:
    """Store the answers as ratings. The same file a second time changes nothing, unless others replaced its answers.

    `items` (item, source_ref) are the items that may be answered, and `items_are` says why another one may not.
    `labels` are the declared labels; None stands for those that the question has. `aliases` are further names of
    raters. A row without a label is an item that is not labelled yet, and is skipped. Capital and small letters of a
    label do not matter where this leaves one label of the question. A label that the question does not have, and
    another item, are rejected. Raises ReadError for a file that cannot be read.
    """
    filled_in = filled_in_answers(path, question, source)
    export = filled_in.export
    numbers = _other_numbers(export.rows["item"], items["item"])
    names = numbers | _names(items["item"])
    rows = export.rows.drop("source_ref").with_columns(item=pl.col("item").replace(names))
    rows = rows.join(items.with_columns(known=True), on="item", how="left", maintain_order="left")
    foreign = rows["known"].is_null() & rows["item"].is_not_null()
    of_items, refused = rows.filter(~foreign).select(*CANONICAL), _unknown_items(rows.filter(foreign), items_are)
    allowed = labels or labels_in_force(con, question)
    of_items = of_items.with_columns(label=pl.col("label").replace(_other_cases(of_items["label"], allowed)))
    answers = replace(export, rows=of_items, rejects=pl.concat([export.rejects, refused]))
    forgotten = forgotten_names(con, db)
    checked = rename_raters(validate(answers, labels={question: allowed}), aliases, ReadOptions(), forgotten)
    batch_id = _batch_id(con, path, question, source, checked.ratings)
    counts = store_batch(
        con,
        _batch(batch_id, forgotten.file_name(path.name), source, checked, now),
        checked.ratings,
        checked.rejects,
        export.metadata.clear(),
        now=now,
    )
    twice = checked.ratings.group_by("item", "rater").agg(pl.col("label").n_unique()).filter(pl.col("label") > 1)
    return TakenAnswers(
        counts,
        checked.rejects.select(*REJECTS),
        twice["item"].n_unique(),
        numbers,
        filled_in.n_unlabelled,
        filled_in.n_other_questions,
    )


def check_not_filled_in(path: Path) -> None:
    """Raise InputError if this is a table in whose column `label` somebody wrote: an empty one must not replace it."""
    try:
        if not path.is_file() or look_at_file(path).kind in ("json", "jsonl"):
            return
        table = read_table(path)
    except ReadError:
        return
    columns = [f"c{i}" for i, header in enumerate(table.headers) if header.lower() == "label"]
    labels = table.frame.select(columns).with_columns(pl.all().map_elements(label_text, pl.String))
    n_labels = labels.height - labels.null_count().row(0)[0] if columns else 0
    if n_labels:
        raise InputError(
            f"{path} has labels in it already ({n_labels:,}).",
            "Take them with --answers first, or name another file with --out.",
        )


def _other_cases(written: pl.Series, allowed: Sequence[str]) -> dict[str, str]:
    """Return the label of the question by what people wrote, where only capital and small letters differ.

    >>> _other_cases(pl.Series(["Helpful", "Yes", "no"]), ["helpful", "yes", "YES", "no"])
    {'Helpful': 'helpful'}
    """
    folded: dict[str, list[str]] = {}
    for label in allowed:
        folded.setdefault(label.casefold(), []).append(label)
    labels_of = {text: folded.get(text.casefold(), []) for text in written.drop_nulls().unique(maintain_order=True)}
    return {
        text: labels[0]
        for text, labels in labels_of.items()
        if len(labels) == 1 and labels[0] != text and text not in allowed
    }


def _names(items: pl.Series) -> dict[str, str]:
    """Return the item by its text in the file, where that differs: an apostrophe stands before a formula, and � for
    characters that control a terminal. A text that could be two items is left out, so its row is rejected."""
    names = frozenset(items)
    texts = pl.DataFrame({"item": items, "written": spreadsheet_table(items.to_frame())["item"]})
    changed = texts.filter(pl.col("written") != pl.col("item"), pl.col("written").is_unique())
    return {written: item for item, written in changed.iter_rows() if written not in names}


def _other_numbers(written: pl.Series, items: pl.Series) -> dict[str, str]:
    """Return the item by the number in the file, where the number alone is equal, and no other item's is.

    >>> _other_numbers(pl.Series(["7", "8", "9.0", "x"]), pl.Series(["007", "08", "8.0", "9", "x"]))
    {'7': '007', '9.0': '9'}
    """
    by_number: dict[str, list[str]] = {}
    for item in items.filter(items.str.contains(NUMBER)):
        by_number.setdefault(plain_name(item), []).append(item)
    others = written.drop_nulls().unique(maintain_order=True)
    others = others.filter(others.str.contains(NUMBER) & ~others.is_in(items.to_list()))
    equal = {text: by_number.get(plain_name(text), []) for text in others}
    return {text: names[0] for text, names in equal.items() if len(names) == 1}


def _unknown_items(rows: pl.DataFrame, items_are: str) -> pl.DataFrame:
    return rows.select(
        "row_number",
        pl.lit("item").alias("column_name"),
        pl.col("item").str.slice(0, MAX_VALUE_LENGTH).alias("value"),
        pl.lit(UNKNOWN_ITEM).alias("reason"),
        pl.lit(items_are).alias("detail"),
    )


def _batch_id(
    con: duckdb.DuckDBPyConnection, path: Path, question: str, source: AnswerSource, ratings: pl.DataFrame
) -> str:
    """Return the identity of a file of answers: its content, and how often it was taken.

    The file that is given last decides. So a file that was taken before counts once more if other answers are in force.
    Answers with a time do not: the latest time decides, whatever the order of the files.
    """
    content = hashlib.sha256(path.read_bytes()).hexdigest()
    last = ratings.filter(pl.col("rated_at").is_null()).group_by("item", "rater", maintain_order=True).last()
    in_force = answers_in_force(con, question, last["item"].to_list())
    is_in_force = last.join(in_force, on=["item", "rater", "label"], how="anti").is_empty()
    earlier, n_taken = None, 0
    while True:
        text = f"{source.batch_key} {question} {content}" + (f" {n_taken}" if n_taken else "")
        batch_id = hashlib.sha256(text.encode()).hexdigest()
        if not has_batch(con, batch_id):
            return earlier if earlier is not None and is_in_force else batch_id
        earlier, n_taken = batch_id, n_taken + 1


def _batch(batch_id: str, name: str, source: AnswerSource, checked: ValidatedExport, now: datetime) -> Batch:
    return Batch(
        batch_id=batch_id,
        source=source.name,
        file_name=name,
        sha256=None,  # None as for a live source: no source has the file, so no run looks for it
        reader=source.name,
        status="stored",
        n_rows=checked.n_rows,
        n_skipped=checked.n_skipped,
        started_at=now,
    )
