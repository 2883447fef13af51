"""Withdraw a file that was taken in by mistake, so that its rows no longer count, or have it taken in again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from schemas.rating_columns import METADATA, RATINGS, REJECTS
from tasks.counted_words import counted
from tasks.errors import InputError
from tasks.ingest.datasets.count_datasets import READER as DATASET
from tasks.ingest.duplicates import DuplicateRule, rules_of_warehouse
from tasks.sources.live_label_studio.read_tasks import READER as LIVE
from warehouse import sql
from warehouse.batches import WITHDRAWN, Batch, store_batch
from warehouse.connect import connect
from warehouse.migrate import migrate
from warehouse.questions import known_files

Row = Mapping[str, Any]
_ID_LENGTH = 12  # of the beginning of a batch_id that names it in a message
_NO_ROWS = tuple(pl.DataFrame(schema=dict(columns)) for columns in (RATINGS, REJECTS, METADATA))


@dataclass(frozen=True)
class Withdrawal:
    """A file that is withdrawn, or that will be taken in again.

    questions: question -> how many rows the file had brought to it: ratings, votes, marked items. These no longer
    count. Empty for a file that will be taken in again. is_answers: it came from no source, but was given to `audit` or
    `worklist`.
    """

    batch_id: str
    file_name: str
    source: str | None
    questions: Mapping[str, int]
    is_answers: bool = False


def plan_withdrawal(db: Path, name: str) -> Withdrawal:
    """Find the file, and change nothing. `name`: the name of the file, a path to it, or the beginning of its batch_id.

    Raises InputError if there is no such file, or if it cannot be withdrawn.
    """
    with connect(db) as con:
        migrate(con)
        return _withdrawal(_to_withdraw(con, name))


def withdraw_file(
    db: Path, name: str, *, by: str, because: str | None = None, rules: Mapping[str, DuplicateRule] | None = None
) -> Withdrawal:
    """Withdraw a file: its rows get `deleted_at`, and ratings that they had replaced count again.

    `rules` say which of several other ratings by one rater counts then, by question; else the latest one does. All of
    it happens in one transaction, or nothing. The file is not taken in again while its content is the same.
    Raises InputError as `plan_withdrawal` does.
    """
    with connect(db) as con:
        migrate(con)
        row = _to_withdraw(con, name)
        batch = Batch(
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
            detail=f"Withdrawn by {by}: {because}" if because else f"Withdrawn by {by}.",
            file_modified_at=row["file_modified_at"],
            reading=row["reading"],
        )
        chosen = rules_of_warehouse(rules or {})
        store_batch(con, batch, *_NO_ROWS, now=datetime.now(UTC), rules=chosen, retry=True)
        return _withdrawal(row)


def undo_withdrawal(db: Path, name: str) -> Withdrawal:
    """Let the next run take a withdrawn file in again. Raises InputError if it is not withdrawn."""
    with connect(db) as con:
        migrate(con)
        rows = _batches_of(con, name)
        row = _only([row for row in rows if row["settings_hash"] == WITHDRAWN], name)
        if row is None:
            raise InputError(f"{rows[0]['file_name']} is not withdrawn.", "Nothing is to be undone.")
        if _is_answers(row):
            raise InputError(
                f"{row['file_name']} is in no source, so no run can read it.",
                f"Give it to `kappaflow {row['reader']} --answers` again.",
            )
        detail = "It was withdrawn, and then wanted again. The next run reads it, if it is in its source."
        sql.run(con, "batches/undo_withdrawal", batch_id=row["batch_id"], detail=detail)
        return Withdrawal(row["batch_id"], row["file_name"], row["source"], {})


def _withdrawal(row: Row) -> Withdrawal:
    questions = {each["question"]: each["n_ratings"] for each in row["questions"]}
    return Withdrawal(row["batch_id"], row["file_name"], row["source"], questions, _is_answers(row))


def _is_answers(row: Row) -> bool:
    return row["reader"] in ("audit", "worklist")


def _to_withdraw(con: duckdb.DuckDBPyConnection, name: str) -> Row:
    """Return the batch to withdraw, or raise InputError."""
    rows = _batches_of(con, name)
    row = _only([row for row in rows if row["status"] == "stored" and row["settings_hash"] != WITHDRAWN], name)
    if row is None:
        is_withdrawn = any(row["settings_hash"] == WITHDRAWN for row in rows)
        raise InputError(
            f"{rows[0]['file_name']} {'is withdrawn already' if is_withdrawn else 'could not be read'}: nothing of it"
            " counts.",
            "`--undo` has it taken in again." if is_withdrawn else "`kappaflow status` says why.",
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
    if later := sql.named_rows(con, "batches/repeating", batch_id=row["batch_id"]):
        raise InputError(
            f"{_listed(later)} came later and had rows that were stored already, or were refused because of them. These"
            f" may be rows of {row['file_name']}, and would be lost with it.",
            "Withdraw the later ones first, from left to right. Afterwards --undo has each of them taken in again.",
        )
    return row


def _batches_of(con: duckdb.DuckDBPyConnection, name: str) -> list[dict[str, Any]]:
    """Return the batches that a name may mean. Raises InputError if there is none."""
    if rows := sql.named_rows(con, "batches/named", name=name):
        return rows
    nearest = get_close_matches(name, sorted({row["file_name"] for row in known_files(con)}), n=1)
    raise InputError(
        f"No file {name!r} was taken in.",
        f"The most similar name is {nearest[0]!r}."
        if nearest
        else 'Names: kappaflow sql "select file_name, batch_id from batches".',
    )


def _only(rows: Sequence[Row], name: str) -> Row | None:
    """Return the only row, None if there is none. Raises InputError if there are several."""
    if len(rows) > 1:
        raise InputError(f"{name!r} may be {_listed(rows)}.", "Give the beginning of the batch_id.")
    return rows[0] if rows else None


def _listed(rows: Sequence[Row]) -> str:
    shown = [f"{row['file_name']} ({row['batch_id'][:_ID_LENGTH]})" for row in rows[:5]]
    more = [counted(len(rows) - 5, "more file")] if len(rows) > 5 else []
    return ", ".join([*shown, *more])
