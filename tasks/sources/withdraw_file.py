"""Withdraw files that were taken in by mistake, so that their rows no longer count, or have them taken in again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from schemas.rating_columns import METADATA, RATINGS, REJECTS
from tasks.errors import InputError
from tasks.ingest.datasets.count_datasets import READER as DATASET
from tasks.ingest.duplicates import DuplicateRule, rules_of_warehouse
from tasks.ingest.file_result import ANSWER_READERS, WITHDRAWN
from tasks.sources.live_label_studio.read_tasks import READER as LIVE
from warehouse import sql
from warehouse.batches import Batch, store_batch
from warehouse.connect import connect
from warehouse.migrate import migrate
from warehouse.questions import known_files

Row = Mapping[str, Any]
_ID_LENGTH = 12  # of the beginning of a batch_id that names it in a message
_NO_ROWS = tuple(pl.DataFrame(schema=dict(columns)) for columns in (RATINGS, REJECTS, METADATA))


@dataclass(frozen=True)
class FileName:
    """What names a file: the name that its batch has, of one source or of any, or the beginning of its batch_id."""

    name: str
    source: str | None = None


@dataclass(frozen=True)
class Withdrawal:
    """A file that is withdrawn, or that will be taken in again.

    questions: question -> how many ratings, votes and marked items the file had brought to it. Empty for a file that
    will be taken in again. is_answers: it came from no source, but was given to `audit` or `worklist`. has_metadata:
    items of its questions have metadata, which stays as the file set it.
    """

    batch_id: str
    file_name: str
    source: str | None
    questions: Mapping[str, int]
    is_answers: bool = False
    has_metadata: bool = False


def plan_withdrawal(db: Path, files: Sequence[FileName], *, force: bool = False) -> list[Withdrawal]:
    """Find the files, and change nothing.

    Raises InputError if there is no such file, if it cannot be withdrawn, or if other files have rows that would be
    lost with it (unless `force`). Files that are withdrawn together do not count as other files.
    """
    with connect(db) as con:
        migrate(con)
        return [_withdrawal(row) for row in _to_withdraw(con, files, force=force)]


def withdraw_files(
    db: Path,
    files: Sequence[FileName],
    *,
    by: str,
    because: str | None = None,
    rules: Mapping[str, DuplicateRule] | None = None,
    force: bool = False,
) -> list[Withdrawal]:
    """Withdraw files: their rows get `deleted_at`, and ratings that they had replaced count again.

    `rules` say which of several other ratings by one rater counts then, by question; else the latest one does. Each
    file is withdrawn in one transaction. It is not taken in again while its content is the same.
    Raises InputError as `plan_withdrawal` does, before anything is withdrawn.
    """
    detail = f"Withdrawn by {by}: {because}" if because else f"Withdrawn by {by}."
    chosen = rules_of_warehouse(rules or {})
    with connect(db) as con:
        migrate(con)
        rows = _to_withdraw(con, files, force=force)
        for row in rows:
            if _is_wanted_again(row):
                values = {"detail": detail, "settings_hash": WITHDRAWN}
                sql.run(con, "batches/withdraw_again", batch_id=row["batch_id"], **values)
            else:
                batch = _empty_batch(row, detail)
                store_batch(con, batch, *_NO_ROWS, now=datetime.now(UTC), rules=chosen, retry=True)
        return [_withdrawal(row) for row in rows]


def undo_withdrawal(db: Path, files: Sequence[FileName]) -> list[Withdrawal]:
    """Let the next run take withdrawn files in again. Raises InputError if one is not withdrawn, or is in no source."""
    with connect(db) as con:
        migrate(con)
        rows = [_withdrawn(con, file) for file in files]
        detail = "It was withdrawn, and then wanted again. The next run reads it, if it is in its source."
        for row in rows:
            sql.run(con, "batches/undo_withdrawal", batch_id=row["batch_id"], detail=detail)
        return [Withdrawal(row["batch_id"], row["file_name"], row["source"], {}) for row in rows]


def _empty_batch(row: Row, detail: str) -> Batch:
    """Return a further attempt at the batch that has no rows."""
    return Batch(
        batch_id=row["batch_id"],
        source=row["source"],
        file_name=row["file_name"],
        sha256=row["sha256"],
        reader=row["reader"],
        status="stored",
        n_rows=0,
        n_skipped=0,
        started_at=datetime.now(UTC),
        settings_hash=WITHDRAWN,
        detail=detail,
        file_modified_at=row["file_modified_at"],
        reading=row["reading"],
    )


def _withdrawal(row: Row) -> Withdrawal:
    questions = {each["question"]: each["n_ratings"] for each in row["questions"]}
    origin = (row["batch_id"], row["file_name"], row["source"])
    return Withdrawal(*origin, questions, _is_answers(row), row["has_metadata"])


def _is_answers(row: Row) -> bool:
    return row["reader"] in ANSWER_READERS


def _is_wanted_again(row: Row) -> bool:
    """Check whether a batch was withdrawn, and its file not read since that was undone."""
    return bool(row["status"] == "rejected" and row["reason"] == "withdrawn")


def _to_withdraw(con: duckdb.DuckDBPyConnection, files: Sequence[FileName], *, force: bool) -> list[Row]:
    """Return the batches to withdraw, or raise InputError."""
    rows = [_withdrawable(con, file) for file in files]
    together = [row["batch_id"] for row in rows]
    for row in rows if not force else []:
        if others := sql.named_rows(con, "batches/repeating", batch_id=row["batch_id"], together=together):
            answers = " Answers of an audit or a worklist are given again." if any(map(_is_answers, others)) else ""
            raise InputError(
                f"{_listed(others)} had rows that were stored already, or were refused because of them. These may be"
                f" rows of {row['file_name']}, and would be lost with it.",
                f"Withdraw the files together, in one command. Afterwards --undo has those taken in again that are"
                f" right.{answers} Or give --force: then such rows are lost until their files are read again.",
            )
    return rows


def _withdrawable(con: duckdb.DuckDBPyConnection, file: FileName) -> Row:
    """Return the batch that a file is, or raise InputError if it cannot be withdrawn."""
    rows = _batches_of(con, file)
    wanted_again = [row for row in rows if _is_wanted_again(row)]
    stored = [row for row in rows if row["status"] == "stored" and row["settings_hash"] != WITHDRAWN]
    row = _only([*stored, *wanted_again], file.name)
    if row is None:
        is_withdrawn = any(row["settings_hash"] == WITHDRAWN for row in rows)
        raise InputError(
            f"{rows[0]['file_name']} {'is withdrawn already' if is_withdrawn else 'could not be read'}: nothing of it"
            " counts.",
            "`--undo` has it taken in again." if is_withdrawn else "`kappaflow rejects` says why.",
        )
    if row["sha256"] is None and row["reader"] in (LIVE, DATASET):  # answers of an audit have none either
        place = "in Label Studio" if row["reader"] == LIVE else "in the dataset"
        raise InputError(
            f"{row['file_name']} is no file: its ratings are {place}.", f"Delete them {place}. The next run follows."
        )
    if row["full_export"]:
        raise InputError(
            f"{row['file_name']} is a full export: it also deleted what it lacks, and that would not come back.",
            "Put the right full export into the source. It replaces this one.",
        )
    return row


def _withdrawn(con: duckdb.DuckDBPyConnection, file: FileName) -> Row:
    """Return the batch of a withdrawn file that a source may have, or raise InputError."""
    rows = _batches_of(con, file)
    row = _only([row for row in rows if row["settings_hash"] == WITHDRAWN], file.name)
    if row is None:
        raise InputError(f"{rows[0]['file_name']} is not withdrawn.", "Nothing is to be undone.")
    if _is_answers(row):
        raise InputError(
            f"{row['file_name']} is in no source, so no run can read it.",
            f"Give it to `kappaflow {row['reader']} --answers` again.",
        )
    return row


def _batches_of(con: duckdb.DuckDBPyConnection, file: FileName) -> list[dict[str, Any]]:
    """Return the batches with this file name or batch_id. Raises InputError if no batch has it."""
    if rows := sql.named_rows(con, "batches/named", name=file.name, source=file.source):
        return rows
    nearest = get_close_matches(file.name, sorted({row["file_name"] for row in known_files(con)}), n=1)
    of_source = f" of the source {file.source}" if file.source else ""
    raise InputError(
        f"No file {file.name!r}{of_source} was taken in.",
        f"The most similar name is {nearest[0]!r}."
        if nearest and nearest[0] != file.name
        else 'Names: kappaflow sql "select source, file_name, batch_id from batches".',
    )


def _only(rows: Sequence[Row], name: str) -> Row | None:
    """Return the row, or None without a row. Raises InputError for several rows."""
    if len(rows) > 1:
        raise InputError(f"{name!r} may be {_listed(rows)}.", "Give the beginning of the batch_id.")
    return rows[0] if rows else None


def _listed(rows: Sequence[Row]) -> str:
    return ", ".join(f"{row['file_name']} ({row['batch_id'][:_ID_LENGTH]})" for row in rows)
