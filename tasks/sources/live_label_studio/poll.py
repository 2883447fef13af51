"""Poll Label Studio: store the changes of a project since the last poll as batches.

The tasks are read by the reader of Label Studio exports. A batch has about BATCH_TASKS tasks and is stored with its
cursor in one transaction. If a poll is killed, nothing is lost: the next one continues after the last stored batch.
Nothing is stored twice either: a batch is identified by its content, and a known answer counts as unchanged. The first
poll of a large project makes several batches, so that an interrupted poll does not have to start from the beginning.
"""

import hashlib
import json
import logging
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from tasks.errors import KappaflowError, ReadError, SourceError
from tasks.fingerprint import fingerprint
from tasks.formats import CANONICAL, REJECTS, Export
from tasks.ingest.duplicates import number_repeats, rules_of_warehouse
from tasks.ingest.file_result import FileResult, future_notes
from tasks.ingest.incoming_regions import IncomingRegions
from tasks.ingest.ingest_files import NOTHING, in_words
from tasks.ingest.ingest_rules import DEFAULT_RULES, IngestRules
from tasks.ingest.rater_names import rename_raters
from tasks.ingest.validate import ValidatedExport, validate
from tasks.sources.live_label_studio.client import Json, LabelStudioClient, TaskPage
from tasks.sources.live_label_studio.cursor import ChangedTasks, as_filter, changes, changes_after, overlap_start
from tasks.sources.live_label_studio.deleted_tasks import deleted_tasks
from tasks.sources.live_label_studio.live_source import LiveSource
from tasks.sources.live_label_studio.read_tasks import READER, answers, read, states, text
from warehouse.batches import Batch, store_batch
from warehouse.connect import connect
from warehouse.live_cursor import (
    ANSWERS,
    TASKS,
    LiveBatch,
    changed_tasks,
    cursor,
    known_tasks,
    recent_tasks,
    region_questions,
)
from warehouse.raters.forgotten_names import forgotten_names

log = logging.getLogger("kappaflow")
BATCH_TASKS = 10_000


class _OvertakenError(Exception):
    """Another run stored changes of the same project meanwhile, so the fetched tasks may be outdated."""


def poll(
    db: Path, sources: Sequence[LiveSource], rules: IngestRules = DEFAULT_RULES, *, again: bool = False
) -> Iterator[FileResult]:
    """Store what changed in each source since its last poll. Yield a result as soon as each batch is stored.

    With `again`, everything is read, changed or not; use this after the settings were corrected. A source that does not
    answer, or not correctly, raises no error: it becomes a result with status 'failed'.
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


def _failed(source: LiveSource, error: KappaflowError) -> FileResult:
    detail = f"{error} {error.hint}".strip()
    log.warning("%s: not polled. %s", source.file_name, detail)
    reason = "unreadable" if isinstance(error, ReadError) else "unreachable"
    return FileResult(source.file_name, "failed", READER, NOTHING, reason, detail, ())


def _poll(db: Path, source: LiveSource, rules: IngestRules, again: bool) -> Iterator[FileResult]:
    with LabelStudioClient(source.url, source.token_env, patience=source.patience) as api:
        n_tasks, n_predictions = api.counts(source.project)
        with connect(db) as con:
            current_cursor = cursor(con, source.stream)
        for tasks, next_cursor in _portions(db, source, api, None if again else current_cursor, again):
            next_cursor = max((moment for moment in (current_cursor, next_cursor) if moment), default=None)
            yield _store_tasks(db, source, rules, tasks, current_cursor, next_cursor)
            current_cursor = next_cursor
        if len(stored := _stored_tasks(db, source)) > n_tasks and (
            deleted := deleted_tasks(api, source.project, stored)
        ):
            yield _store_deletions(db, source, deleted, current_cursor)
        if n_predictions is not None and sum(_stored_tasks(db, source).values()) > n_predictions:
            # Predictions were deleted in bulk. That does not change the time of their tasks, so all tasks are compared.
            for tasks, _ in _portions(db, source, api, None, False):
                yield _store_tasks(db, source, rules, tasks, current_cursor, current_cursor)


def _stored_tasks(db: Path, source: LiveSource) -> dict[str, int]:
    """Return the stored tasks of a source, with the number of predictions of each."""
    with connect(db) as con:
        return known_tasks(con, source.stream)


def _portions(
    db: Path, source: LiveSource, api: LabelStudioClient, since_when: datetime | None, again: bool
) -> Iterator[tuple[list[Json], datetime | None]]:
    """Yield the changed tasks in portions for a batch, each with its cursor.

    If the server stops answering, the tasks received so far are yielded before the error is raised.
    """
    portion: list[Json] = []
    next_cursor = None
    try:
        for changed in _changed_since(db, source, api, since_when):
            portion += list(changed.tasks) if again else _changed(db, source, changed.tasks)
            # If the server's clock was ahead, a cursor in the future would hide later changes.
            next_cursor = changed.cursor and min(changed.cursor, datetime.now(UTC))
            if len(portion) >= BATCH_TASKS:
                yield portion, next_cursor
                portion = []
    except SourceError:
        if portion:
            yield portion, next_cursor
        raise
    if portion:
        yield portion, next_cursor


def _changed_since(
    db: Path, source: LiveSource, api: LabelStudioClient, since_when: datetime | None
) -> Iterator[ChangedTasks]:
    """Fetch the tasks that changed since a moment, with those of the overlap before it.

    If the tasks of the overlap fill more than a page, they are counted first, and fetched only if the counts differ.
    """

    def fetch(since: datetime, page: int) -> TaskPage:
        return api.tasks(source.project, as_filter(since), page, source.page_size)

    def count(since: datetime) -> int | None:
        return api.n_changed(source.project, as_filter(since))

    if since_when is None:
        return changes(fetch, None)
    with connect(db) as con:
        recent = recent_tasks(con, source.stream, overlap_start(since_when), since_when)
    if len(recent) <= source.page_size:
        return changes(fetch, since_when)
    return changes_after(fetch, count, since_when, recent)


def _changed(db: Path, source: LiveSource, tasks: Sequence[Json]) -> list[Json]:
    if not tasks:
        return []
    with connect(db) as con:
        changed = changed_tasks(con, source.stream, states(tasks))
    return [task for task in tasks if text(task["id"]) in changed]


def _store_tasks(
    db: Path,
    source: LiveSource,
    rules: IngestRules,
    tasks: Sequence[Json],
    current_cursor: datetime | None,
    next_cursor: datetime | None,
) -> FileResult:
    started = datetime.now(UTC)
    # A task may have changed between two pages: its last state counts.
    tasks = list({text(task["id"]): task for task in tasks}.values())
    with connect(db) as con:
        questions = region_questions(con, source.stream)
    export, checked, regions = read(source, tasks, current_cursor is None, rules, questions)
    live_batch = LiveBatch(source.stream, next_cursor, states(tasks), answers(tasks, export, regions))
    return _store(db, source, rules, started, (export, checked, regions), live_batch, current_cursor)


def _store_deletions(
    db: Path, source: LiveSource, deleted: Sequence[str], current_cursor: datetime | None
) -> FileResult:
    """Store a batch that contains only deletions of tasks."""
    empty = Export(format=READER, rows=pl.DataFrame(schema=CANONICAL), rejects=pl.DataFrame(schema=REJECTS))
    tasks = pl.DataFrame([(task, None, 0, None) for task in deleted], schema=dict(TASKS), orient="row")
    live_batch = LiveBatch(source.stream, None, tasks, pl.DataFrame(schema=dict(ANSWERS)))
    nothing = (empty, validate(empty), None)
    return _store(db, source, DEFAULT_RULES, datetime.now(UTC), nothing, live_batch, current_cursor)


def _store(
    db: Path,
    source: LiveSource,
    rules: IngestRules,
    started: datetime,
    held: tuple[Export, ValidatedExport, IncomingRegions | None],
    shown: LiveBatch,
    current_cursor: datetime | None,
) -> FileResult:
    export, validated, regions = held
    with connect(db) as con:
        if cursor(con, source.stream) != current_cursor:
            raise _OvertakenError
        forgotten = forgotten_names(con, db)
        validated = rename_raters(validated, rules.aliases, source.options, forgotten)
        renamed = None if regions is None else rename_raters(regions.checked, rules.aliases, source.options, forgotten)
        batch = Batch(
            batch_id=_identity(shown, current_cursor, rules),
            source=source.name,
            file_name=source.file_name,
            sha256=None,
            reader=READER,
            status="stored",
            n_rows=validated.n_rows,
            n_skipped=validated.n_skipped,
            started_at=started,
            settings_hash=fingerprint(source.options, rules.labels, rules.duplicates),
        )
        counts = store_batch(
            con,
            batch,
            number_repeats(validated.ratings, rules.duplicates),
            validated.rejects,
            export.metadata,
            now=datetime.now(UTC),
            rules=rules_of_warehouse(rules.duplicates),
            shown=shown,
            region_work=None if regions is None or renamed is None else regions.work_of(renamed),
        )
    warnings = (*export.warnings, *(() if regions is None else regions.export.warnings), *future_notes(counts))
    return FileResult(source.file_name, batch.status, READER, counts, None, None, warnings)


def _fingerprint(rules: IngestRules) -> str:
    """Hash the rules. Projects without rankings and texts have the hash of before there were any."""
    answers = (rules.answers,) if rules.answers else ()
    return fingerprint(rules.labels, rules.duplicates, *answers)


def _identity(shown: LiveBatch, before: datetime | None, rules: IngestRules) -> str:
    """Return the batch_id: a hash of the stream, both cursors, the states of the tasks, and the rules."""
    states = shown.tasks.sort("task").select("task", "state", "n_predictions").rows()
    span = [moment.isoformat() if moment else None for moment in (before, shown.cursor)]
    text = json.dumps([shown.stream, span, states, _fingerprint(rules)])
    return hashlib.sha256(text.encode()).hexdigest()
