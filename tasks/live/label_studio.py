"""Poll Label Studio: what changed in a project since the last time becomes batches, read by the reader of its exports.

A batch holds up to BATCH_TASKS tasks and is stored with its cursor in one transaction. So a poll that is killed, at
whatever moment, loses nothing: the next one goes on after the last batch; and it doubles nothing: a batch is known by
what it shows, and an answer that is known is counted as unchanged. A project that is read for the first time comes in
several batches, so that not all of its tasks must be fetched again.
"""

import hashlib
import json
import logging
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from tasks.duplicates import number_repeats, rules_of_warehouse
from tasks.errors import KappaflowError, ReadError, SourceError
from tasks.fingerprint import fingerprint
from tasks.formats import CANONICAL, REJECTS, Export
from tasks.ingest import NOTHING, Ingested, in_words
from tasks.live.client import Json, LabelStudio, Page
from tasks.live.cursor import as_filter, changes
from tasks.live.deleted import vanished
from tasks.live.reading import READER, answers, read, states, text
from tasks.live.source import LiveSource
from tasks.rules import USUAL, Rules
from tasks.validate import validate
from warehouse.batches import Batch, store_batch
from warehouse.connect import connect
from warehouse.live import ANSWERS, TASKS, Shown, changed_tasks, cursor, known_tasks

log = logging.getLogger("kappaflow")
BATCH_TASKS = 10_000


class _OvertakenError(Exception):
    """Another run has taken in changes of the same project meanwhile: what was fetched may be older than that."""


def poll(db: Path, sources: Sequence[LiveSource], rules: Rules = USUAL, *, again: bool = False) -> Iterator[Ingested]:
    """Take in what changed in each source since it was last polled; yields each batch as it is stored.

    With `again` everything is read, changed or not, as after a fix of the settings. Raises nothing for a source that
    does not answer, or not as it should: that is one result with status 'failed', and the others go on.
    """
    for source in sources:
        try:
            for result in _poll(db, source, rules, again):
                log.info("%s: %s", result.file_name, in_words(result))
                yield result
        except _OvertakenError:
            log.info("%s: another run is taking it in just now; it goes on from there.", source.file_name)
        except (SourceError, ReadError) as error:
            yield _failed(source, error)


def _failed(source: LiveSource, error: KappaflowError) -> Ingested:
    detail = f"{error} {error.hint}".strip()
    log.warning("%s: not polled. %s", source.file_name, detail)
    reason = "unreadable" if isinstance(error, ReadError) else "unreachable"
    return Ingested(source.file_name, "failed", READER, NOTHING, reason, detail, ())


def _poll(db: Path, source: LiveSource, rules: Rules, again: bool) -> Iterator[Ingested]:
    with LabelStudio(source.url, source.token_env, pauses=source.pauses) as api:
        n_tasks, n_predictions = api.counts(source.project)
        with connect(db) as con:
            at = cursor(con, source.stream)
        for tasks, upto in _portions(db, source, api, None if again else at, again):
            upto = _later(at, upto)
            yield _take_in(db, source, rules, tasks, at, upto)
            at = upto
        if len(known := _known(db, source)) > n_tasks and (gone := vanished(api, source.project, known)):
            yield _forget(db, source, gone, at)
        if n_predictions is not None and sum(_known(db, source).values()) > n_predictions:
            # Predictions that were deleted all at once: their tasks do not say so, so each one is looked at.
            for tasks, _ in _portions(db, source, api, None, False):
                yield _take_in(db, source, rules, tasks, at, at)


def _known(db: Path, source: LiveSource) -> dict[str, int]:
    with connect(db) as con:
        return known_tasks(con, source.stream)


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    return max((moment for moment in (one, other) if moment), default=None)


def _portions(
    db: Path, source: LiveSource, api: LabelStudio, since_when: datetime | None, again: bool
) -> Iterator[tuple[list[Json], datetime | None]]:
    """The tasks that are not as they were last seen, as many at a time as a batch may hold, each with its cursor."""
    portion: list[Json] = []
    upto = None

    def fetch(since: datetime, page: int) -> Page:
        return api.tasks(source.project, as_filter(since), page, source.page_size)

    for stretch in changes(fetch, since_when):
        portion += list(stretch.tasks) if again else _changed(db, source, stretch.tasks)
        # A clock that was ahead for a while must not hide the changes of that while.
        upto = stretch.cursor and min(stretch.cursor, datetime.now(UTC))
        if len(portion) >= BATCH_TASKS:
            yield portion, upto
            portion = []
    if portion:
        yield portion, upto


def _changed(db: Path, source: LiveSource, tasks: Sequence[Json]) -> list[Json]:
    if not tasks:
        return []
    with connect(db) as con:
        changed = changed_tasks(con, source.stream, states(tasks))
    return [task for task in tasks if text(task["id"]) in changed]


def _take_in(
    db: Path, source: LiveSource, rules: Rules, tasks: Sequence[Json], at: datetime | None, upto: datetime | None
) -> Ingested:
    started = datetime.now(UTC)
    # A task may have changed between two pages: what it was last counts.
    tasks = list({text(task["id"]): task for task in tasks}.values())
    export = read(source, tasks, at is None)
    shown = Shown(source.stream, upto, states(tasks), answers(tasks, export))
    return _store(db, source, rules, started, export, shown, at)


def _forget(db: Path, source: LiveSource, gone: Sequence[str], at: datetime | None) -> Ingested:
    """A batch of nothing but tasks that are deleted."""
    nothing = Export(format=READER, rows=pl.DataFrame(schema=CANONICAL), rejects=pl.DataFrame(schema=REJECTS))
    tasks = pl.DataFrame([(task, None, 0) for task in gone], schema=dict(TASKS), orient="row")
    shown = Shown(source.stream, None, tasks, pl.DataFrame(schema=dict(ANSWERS)))
    return _store(db, source, USUAL, datetime.now(UTC), nothing, shown, at)


def _store(
    db: Path,
    source: LiveSource,
    rules: Rules,
    started: datetime,
    export: Export,
    shown: Shown,
    at: datetime | None,
) -> Ingested:
    checked = validate(export, labels=rules.labels)
    with connect(db) as con:
        if cursor(con, source.stream) != at:
            raise _OvertakenError
        batch = Batch(
            batch_id=_identity(shown, at, rules),
            source=source.name,
            file_name=source.file_name,
            sha256=None,
            reader=READER,
            status="stored",
            n_rows=checked.n_rows,
            n_skipped=checked.n_skipped,
            started_at=started,
            settings_hash=fingerprint(source.options, rules.labels, rules.duplicates),
        )
        counts = store_batch(
            con,
            batch,
            number_repeats(checked.ratings, rules.duplicates),
            checked.rejects,
            export.metadata,
            now=datetime.now(UTC),
            rules=rules_of_warehouse(rules.duplicates),
            shown=shown,
        )
    return Ingested(source.file_name, batch.status, READER, counts, None, None, export.warnings)


def _identity(shown: Shown, before: datetime | None, rules: Rules) -> str:
    """The batch_id: the stream, from where to where it was read, what its tasks were, and with which rules."""
    states = shown.tasks.sort("task").rows()
    span = [moment.isoformat() if moment else None for moment in (before, shown.cursor)]
    text = json.dumps([shown.stream, span, states, fingerprint(rules.labels, rules.duplicates)])
    return hashlib.sha256(text.encode()).hexdigest()
