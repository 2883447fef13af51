"""Read questions, their ratings, votes and marked regions, and files. Times are in UTC, and no column is Decimal."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

import duckdb
import polars as pl

from warehouse import sql
from warehouse.errors import WarehouseError, duckdb_errors


@dataclass(frozen=True)
class StoredQuestion:
    """A question that has ratings. `revision` counts the batches that changed them."""

    question: str
    revision: int


def known_files(con: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """List one dict per batch: batch_id, sha256, reader, source, file_name, status, settings_hash, attempt, n_rejected,
    reading, questions (a list)."""
    with duckdb_errors("list the known files"):
        return sql.named_rows(con, "batches/files_known")


def has_batch(con: duckdb.DuckDBPyConnection, batch_id: str) -> bool:
    """Tell whether a batch with this identity came in, stored or rejected."""
    with duckdb_errors(f"look up the batch {batch_id}"):
        return bool(sql.rows(con, "batches/known", batch_id=batch_id))


def batches_with_text_in_label(con: duckdb.DuckDBPyConnection, text: str) -> frozenset[str]:
    """List the batches that have a rating in force whose label holds this text and is not a set of labels."""
    with duckdb_errors("look for labels that hold a separator"):
        return frozenset(str(batch_id) for (batch_id,) in sql.rows(con, "batches/with_text_in_label", text=text))


def full_exports(con: duckdb.DuckDBPyConnection, source: str) -> pl.DataFrame:
    """List one row per question and stored file of a source, by arrival: batch_id, sha256, question, modified_at (when
    the file was written; null if it was not a full export), file_name."""
    return sql.read(con, "batches/full_exports", "list the full exports", source=source)


def stored_questions(con: duckdb.DuckDBPyConnection) -> list[StoredQuestion]:
    """List the questions that have ratings, sorted by name."""
    with duckdb_errors("list the questions"):
        rows = cast(list[tuple[str, int]], sql.rows(con, "questions/all_questions"))
        return [StoredQuestion(question, revision) for question, revision in rows]


def raters_in_force(con: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """List each question and rater with a rating in force, sorted."""
    with duckdb_errors("list the raters"):
        return [(str(question), str(rater)) for question, rater in sql.rows(con, "raters/in_force")]


def ratings_of_other_kinds(con: duckdb.DuckDBPyConnection, rater: str, kind: str, source: str) -> list[tuple[str, int]]:
    """List the questions with ratings in force by a rater, from files of a source, that do not count as this kind."""
    with duckdb_errors("list the kinds of a rater"):
        rows = sql.rows(con, "raters/kinds_of_source", rater=rater, kind=kind, source=source)
        return [(str(question), int(str(n_ratings))) for question, n_ratings in rows]


def rejected_raters(con: duckdb.DuckDBPyConnection) -> list[tuple[str, str | None, int]]:
    """List each question and rater of whom rows were rejected, with the number of rows, sorted."""
    with duckdb_errors("list the raters of rejected rows"):
        return cast(list[tuple[str, str | None, int]], sql.rows(con, "rejects/rejected_raters"))


def unread_files(con: duckdb.DuckDBPyConnection) -> list[str]:
    """List the files that could not be read."""
    with duckdb_errors("list the files that could not be read"):
        return [str(file_name) for (file_name,) in sql.rows(con, "batches/unread_files")]


def names_in_files(con: duckdb.DuckDBPyConnection) -> list[str]:
    """List the raters under whose names ratings came in, before aliases; empty where the stored data do not tell."""
    with duckdb_errors("list the names of the raters in the files"):
        return [str(rater) for (rater,) in sql.rows(con, "raters/names_in_files")]


def systems_in_force(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """List each question and system with a rating in force: question, system."""
    return sql.read(con, "raters/systems", "list the systems")


def people_in_force(con: duckdb.DuckDBPyConnection) -> list[str]:
    """List the people with a rating in force, sorted."""
    with duckdb_errors("list the people"):
        return [str(rater) for (rater,) in sql.rows(con, "raters/people")]


def metadata_keys(con: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """List each question and key of its items' metadata, sorted."""
    with duckdb_errors("list the metadata of the items"):
        return [(str(question), str(key)) for question, key in sql.rows(con, "questions/metadata_keys")]


def changed_questions(
    con: duckdb.DuckDBPyConnection, *, kind: str, settings_hash: Mapping[str, str]
) -> list[StoredQuestion]:
    """List the questions that need a run of this kind: without a successful run, or whose ratings or settings have
    changed since. settings_hash: question -> hash; a question that is missing there is judged by its ratings alone."""
    with duckdb_errors("find the changed questions"):
        rows = cast(
            list[tuple[str, int, bool, int | None, str | None]], sql.rows(con, "questions/with_last_runs", kind=kind)
        )
    return [
        StoredQuestion(question, revision)
        for question, revision, has_run, last_revision, last_hash in rows
        if not has_run or last_revision != revision or last_hash != settings_hash.get(question, last_hash)
    ]


def rating_contents(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """Read the ratings in force of one question, in no particular order: item, rater, rater_kind, label (text).
    Takes less time and memory than the view `current_ratings`. Empty if the question is unknown."""
    return sql.read(con, "questions/contents", f"read the ratings of {question}", question=question)


def ratings_as_of(con: duckdb.DuckDBPyConnection, question: str, moment: datetime) -> pl.DataFrame:
    """Read the ratings of one question that were in force at a moment: item, rater, rater_kind (as the export had it),
    system_version, label (text), rated_at, ingested_at (UTC), batch_id, item_id (Int32, grows with the items' arrival).
    """
    with duckdb_errors(f"read the ratings of {question} as they were"):
        return sql.frame(con, "questions/ratings_as_of", question=question, moment=moment)


def system_versions(
    con: duckdb.DuckDBPyConnection,
    question: str,
    moment: datetime | None = None,
    *,
    systems: Collection[str] | None = None,
    gold: Collection[str] = (),
) -> pl.DataFrame:
    """Read what each version of a system answered, for systems with at least two versions in the history of a question:
    item, rater, system_version, label, pattern_id (the item's pattern now), first_at (UTC time of the version's first
    answer; null if unknown). Empty if no system has two versions.

    `systems` and `gold` are the raters that count as such. Without `systems`, the kinds that are declared now count.
    """
    kinds = {"systems": None if systems is None else sorted(systems), "gold": sorted(gold)}
    with duckdb_errors(f"read the versions of the systems of {question}"):
        return sql.frame(con, "questions/versions", question=question, moment=moment, **kinds)


def votes_of(con: duckdb.DuckDBPyConnection, question: str, moment: datetime | None = None) -> pl.DataFrame:
    """Read the votes that count in one question, now or at a moment: item, cluster, rater, rater_kind (as the export
    had it), first, second (the models in the order in which they were shown), outcome (first, second, tie). Empty if
    there are none."""
    return sql.read(con, "preferences/votes", f"read the votes of {question}", question=question, moment=moment)


def items_alike(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """List groups of items of one question that a reader takes for one: items (up to three), n_items."""
    return sql.read(con, "questions/items_alike", f"compare the items of {question}", question=question)


def region_work_of(con: duckdb.DuckDBPyConnection, question: str, moment: datetime | None = None) -> pl.DataFrame:
    """Read the work that counts in one question, now or at a moment: item, rater, rater_kind (as the export had it),
    regions (JSON), text_length, batch_id, worked_at (else when it arrived). Empty if nobody marked anything."""
    return sql.read(con, "regions/work", f"read the spans and boxes of {question}", question=question, moment=moment)


def runs_like(con: duckdb.DuckDBPyConnection, beginning: str) -> list[dict[str, object]]:
    """List the runs whose id starts with `beginning`: at most three, the latest first."""
    return sql.read(con, "runs/runs_like", "find the run", beginning=beginning).to_dicts()


def rows_of_run(con: duckdb.DuckDBPyConnection, name: str, run_id: str) -> pl.DataFrame:
    """Read the rows of a result table that one run wrote."""
    with duckdb_errors(f"read {name} of run {run_id}"):
        is_of_run = duckdb.ColumnExpression("run_id") == duckdb.ConstantExpression(run_id)
        return sql.plain(con.table(name).filter(is_of_run).pl())


def item_metadata(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """Read the metadata of the items of one question: item, key, value."""
    return sql.read(con, "questions/metadata", f"read the metadata of {question}", question=question)


def read_table(con: duckdb.DuckDBPyConnection, name: str) -> pl.DataFrame:
    """Read a public table or view, in the view's order. Raises WarehouseError if there is none of that name."""
    with duckdb_errors(f"read {name}"):
        if name not in public_names(con):
            raise WarehouseError(f"There is no table or view {name!r}; there are {', '.join(public_names(con))}.")
        return sql.plain(con.table(name).pl())


def open_alerts(con: duckdb.DuckDBPyConnection) -> list[dict[str, object]]:
    """List the open alerts: question, kind, state, acknowledged_by, muted_until (UTC), evidence, detail."""
    with duckdb_errors("list the open alerts"):
        return sql.named_rows(con, "alerts/still_open")


def has_figures(con: duckdb.DuckDBPyConnection) -> bool:
    """Return whether there is agreement on anything, or a strength of a model."""
    with duckdb_errors("look for results"):
        return bool(sql.value(con, "status/any_figures"))


def has_only_regions(con: duckdb.DuckDBPyConnection) -> bool:
    """Return whether there are figures of spans or boxes, and none of labels."""
    with duckdb_errors("look for results"):
        return bool(sql.value(con, "status/only_regions"))


def other_answers(con: duckdb.DuckDBPyConnection, question: str) -> str | None:
    """Return what the answers to a question without labels are, 'regions' or 'votes'; None with labels or unknown."""
    with duckdb_errors(f"look up the answers to {question!r}"):
        return cast(str | None, sql.value(con, "questions/other_answers", question=question))


def has_only_votes(con: duckdb.DuckDBPyConnection) -> bool:
    """Return whether there are strengths of models by votes, and no agreement on anything."""
    with duckdb_errors("look for results"):
        return bool(sql.value(con, "status/only_votes"))


def queue_heads(con: duckdb.DuckDBPyConnection, n_items: int) -> pl.DataFrame:
    """Read the first rows of `disagreement_queue` for each question; n_doubtful is the number of all its rows.

    All texts together may be more than the memory holds.
    """
    return sql.read(con, "questions/queue_heads", "read the first items of the queue", n_items=n_items)


def item_agreement(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Count the items of each question by the share of their pairs of human ratings that agree, in tenths."""
    with duckdb_errors("count the items by agreement"):
        names = [question.question for question in stored_questions(con)]
        return pl.concat([sql.frame(con, "questions/item_agreement", question=name) for name in (*names, "")])


def weekly_windows(con: duckdb.DuckDBPyConnection, n_weeks: int) -> pl.DataFrame:
    """Read the figures of systems, raters and labels in the last weeks of each question: question, kind (system, rater
    or label), subject, first_day, n_items, estimate, low, high, reason, confidence, too_few."""
    return sql.read(con, "questions/weekly_windows", "read the figures by week", n_weeks=n_weeks)


def public_names(con: duckdb.DuckDBPyConnection) -> list[str]:
    """List the public tables and views, sorted by name."""
    with duckdb_errors("list its tables"):
        return [str(name) for (name,) in sql.rows(con, "maintenance/public_names")]
