"""Ingest files: each becomes one batch, which is stored completely or not at all."""

import errno
import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from tasks.counted_words import counted
from tasks.errors import ReadError, UnavailableError
from tasks.formats import CANONICAL, REJECTS, Export
from tasks.formats.parsing.system_errors import system_error, unavailable
from tasks.ingest.batch_identity import Readings, identities, is_named, new_identity, reading_of
from tasks.ingest.duplicates import number_repeats, rules_of_warehouse
from tasks.ingest.file_result import FileResult, future_notes, superseded_notes
from tasks.ingest.full_exports import in_order, newer
from tasks.ingest.ingest_rules import DEFAULT_RULES, IngestRules
from tasks.ingest.numbered_questions import numbered_questions
from tasks.ingest.pending_files import BatchRegister, PendingFile, settings_of
from tasks.ingest.rater_names import rename_raters
from tasks.ingest.read_export import rater_in_name
from tasks.ingest.read_file import FileContent, read_file
from tasks.ingest.spooled_export import SpooledExport
from tasks.ingest.validate import all_rejected, validate
from tasks.sources.folder import ExportFile, UnreadableFile, has_changed
from warehouse.batches import Batch, BatchCounts, store_batch
from warehouse.connect import connect
from warehouse.raters.forgotten_names import ForgottenNames, forgotten_names
from warehouse.row_parts import parts_folder

log, step_log = logging.getLogger("kappaflow"), logging.getLogger("kappaflow.steps")
NOTHING = BatchCounts(n_ratings=0, n_unchanged=0, n_skipped=0, n_rejected=0, questions=(), repeated=True)


def ingest(
    db: Path,
    files: Sequence[ExportFile],
    rules: IngestRules = DEFAULT_RULES,
    *,
    retry_rejects: bool = False,
    readings: Readings | None = None,
) -> Iterator[FileResult]:
    """Read, validate and store each file that is not in the warehouse yet. Yield each result as soon as it is known.

    A file is recognized by its identity, see tasks.ingest.batch_identity. `readings` are the readings of the project's
    sources. A rejected file is tried again only if its settings changed or there are new readers. `retry_rejects` tries
    every rejected file again. It also tries a file with rejected rows again if its settings changed, as a further
    attempt at the same batch. A full export that was stored before counts again if others were stored in between.

    No file raises an error. A bad file becomes a batch with status 'rejected'. A file that the operating system does
    not let us read becomes a result with status 'failed', without a batch.
    """
    batches = BatchRegister(db, files, readings)
    finished: set[int] = set()  # files that are not tried again in this run
    # Repeat until nothing is due: once a full export is stored, an equal copy of an earlier one may be a new state.
    while pending_files := [
        file for file in in_order(files) if id(file) not in finished and batches.pending(file, rules, retry_rejects)
    ]:
        for number, file in enumerate(pending_files, start=1):
            step_log.debug("ingest %d/%d %s", number, len(pending_files), file.file_name)
            # Check again: a file with equal content may just have been stored.
            pending = batches.pending(file, rules, retry_rejects)
            result = _ingest_one(batches, pending, rules) if pending else None
            if result is None or result.status != "stored":
                finished.add(id(file))
            if result is not None:
                log.info("%d/%d %s: %s", number, len(pending_files), file.file_name, in_words(result))
                yield result
        retry_rejects = False
        batches.load()
    for sentence in (*batches.copies(files), *batches.read_otherwise(files, rules)):
        log.info(sentence)


def unread_files(unreadable: Sequence[UnreadableFile]) -> list[FileResult]:
    """Return a failed result for each file or folder that could not be read in the sources."""
    return [_failed(file.file_name, file.error) for file in unreadable]


def missing_files(db: Path, files: Sequence[ExportFile], unseen: Collection[str] = ()) -> list[FileResult]:
    """Return the files with rejected rows that cannot be read again because they are no longer in their source.

    Sources in `unseen` are left out, because their files could not be listed.
    """
    batches = BatchRegister(db, files)
    present = {batch_id for file in files for batch_id in (*identities(file), *batches.of(file))}
    missing = [
        batch
        for batch_id, batch in batches.by_id.items()
        if batch.sha256 and batch.n_rejected and batch_id not in present and batch.source not in unseen
    ]
    return [
        FileResult(
            batch.file_name, "missing", None, NOTHING, "missing",
            f"It had {counted(batch.n_rejected, 'rejected row')} and is no longer in its source ({batch.source}): "
            "put it back, or name it: kappaflow ingest --retry-rejects FILE.", (),
        )
        for batch in missing
    ]  # fmt: skip


def files_to_read(
    db: Path, files: Sequence[ExportFile], rules: IngestRules, retry_rejects: bool, readings: Readings | None = None
) -> list[ExportFile]:
    """Return the files that `ingest` would read. Their content is not needed for this."""
    batches = BatchRegister(db, files, readings)
    return [file for file in files if batches.pending(file, rules, retry_rejects)]


def stored_files(db: Path, files: Sequence[ExportFile], readings: Readings | None = None) -> list[ExportFile]:
    """Return the files whose batch is stored in the warehouse."""
    if not files:
        return []
    batches = BatchRegister(db, files, readings)
    return [file for file in files if batches.has_stored(file)]


def _ingest_one(batches: BatchRegister, pending: PendingFile, rules: IngestRules) -> FileResult | None:
    """Ingest one file. Return None if it is in the warehouse already, or changed while it was read."""
    with parts_folder(batches.db) as spool:
        return _Attempt(batches, pending, rules, datetime.now(UTC)).ingest(spool)


@dataclass(frozen=True)
class _Attempt:
    """An attempt to ingest one file."""

    batches: BatchRegister
    pending: PendingFile
    rules: IngestRules
    started: datetime

    @property
    def file(self) -> ExportFile:
        return self.pending.file

    def ingest(self, spool: Path) -> FileResult | None:
        """Read the file and store it. The rows of a large one are in the folder `spool` until they are stored."""
        file, batches = self.file, self.batches
        refusal: ReadError | None = None
        try:
            try:
                content = self._renamed(read_file(file, self.rules, spool), batches.forgotten)
                if content.has_ratings and not isinstance(content.checked, SpooledExport):
                    ratings = number_repeats(content.checked.ratings, self.rules.duplicates)
                    content = content._replace(checked=replace(content.checked, ratings=ratings))
            except UnavailableError:
                raise
            except ReadError as error:
                refusal = error
            changed = has_changed(file)
        except (OSError, UnavailableError) as error:
            batches.load()
            # Another run may have stored the file and moved it to done/.
            is_stored = self.pending.batch_id is None and batches.has_stored(file)
            return None if is_stored else _failed(file.file_name, error)
        if changed:
            log.warning("%s was changed while it was read: left for the next time", file.file_name)
            return None
        if refusal is not None:
            return self._refuse("unreadable", f"{refusal} {refusal.hint}".strip())
        if file.full_export and (outdated := _outdated(batches.db, file, content.questions)):
            return self._refuse("outdated_export", outdated)
        if counted := _counted_in_dataset(batches.dataset_questions, content):
            return self._refuse("unreadable", counted)
        return self._store(content, is_named(file, content.export))

    def _renamed(self, content: FileContent, forgotten: ForgottenNames) -> FileContent:
        return content.renamed(lambda checked: rename_raters(checked, self.rules.aliases, self.file.options, forgotten))

    def _refuse(self, reason: str, detail: str) -> FileResult | None:
        empty = Export(format="", rows=pl.DataFrame(schema=CANONICAL), rejects=pl.DataFrame(schema=REJECTS))
        names_rater = rater_in_name(self.file.path, self.file.options)
        return self._store(FileContent(empty, validate(empty)), names_rater, reason, detail)

    def _store(
        self, content: FileContent, names_rater: bool, reason: str | None = None, detail: str | None = None
    ) -> FileResult | None:
        file, pending, batches = self.file, self.pending, self.batches
        batch_id = pending.batch_id or new_identity(file, names_rater, batches.by_id, batches.readings)
        if pending.batch_id is None and batch_id in batches.by_id and batches.by_id[batch_id].status == "stored":
            return None
        with connect(batches.db) as con:
            forgotten = forgotten_names(con, batches.db)  # somebody may have been forgotten while the file was read
            content = self._renamed(content, forgotten)
            export, checked = content.export, content.checked
            batch = Batch(
                batch_id=batch_id,
                source=file.source,
                file_name=forgotten.file_name(file.file_name),
                sha256=file.sha256,
                reader=export.format or None,
                status="rejected" if reason else "stored",
                n_rows=checked.n_rows,
                n_skipped=checked.n_skipped,
                started_at=self.started,
                settings_hash=settings_of(file, self.rules),
                reason=reason,
                detail=forgotten.without_names(detail) if detail else detail,
                full_export=file.full_export,
                file_modified_at=file.modified_at,
                reading=reading_of(file.options),
                formerly=pending.refused if pending.refused != batch_id else None,
            )
            counts = store_batch(
                con,
                batch,
                content.ratings,
                checked.rejects,
                content.metadata,
                now=datetime.now(UTC),
                rules=rules_of_warehouse(self.rules.duplicates),
                retry=pending.retry,
                votes=content.votes,
                region_work=content.region_work,
            )
        questions = content.rated_questions
        alone = () if export.names_question else _alone(batches, file, batch_id, questions)
        batches.add(batch, questions, counts.n_rejected)
        if counts.repeated and pending.batch_id is None and reason is None:
            return None  # another run stored it in the meantime, and says so
        raters = checked.raters if isinstance(checked, SpooledExport) else checked.ratings["rater"].unique()
        lost = () if reason or content.further else all_rejected(checked.rejects, raters)
        notes = (*export.notes, *lost, *superseded_notes(counts), *future_notes(counts), *alone)
        return FileResult(file.file_name, batch.status, batch.reader, counts, reason, detail, notes)


def _counted_in_dataset(dataset_of: Mapping[str, str], content: FileContent) -> str | None:
    """Return why a file is rejected that rates a question of a dataset, else None. dataset_of: question -> dataset."""
    names = [name for name in content.questions if name in dataset_of] if dataset_of else []
    if not names:
        return None
    return (
        f"It rates the question {names[0]!r}, whose ratings are in the dataset {dataset_of[names[0]]}. A question"
        " has its ratings in one dataset, or in the warehouse. Write the file into the dataset, or set prefix in its"
        " [[source]]."
    )


def _failed(file_name: str, error: OSError | UnavailableError) -> FileResult:
    if isinstance(error, OSError):
        error = unavailable(Path(file_name), system_error(error) or errno.EIO)
    detail = f"{error} {error.hint} The next run tries it again."
    return FileResult(file_name, "failed", None, NOTHING, "unavailable", detail, ())


def _outdated(db: Path, file: ExportFile, questions: Sequence[str]) -> str | None:
    """Return why a full export is rejected: a newer one is stored. None if there is no newer one."""
    with connect(db) as con:
        name = newer(con, file, questions)
    if name is None:
        return None
    return (
        f"It was written before {name}, which is the latest full export of its source: taking it in would bring back "
        "what has changed since. If it is the newer one, save it again (or `touch` it)."
    )


def _alone(batches: BatchRegister, file: ExportFile, batch_id: str, questions: Collection[str]) -> tuple[str, ...]:
    """Return a sentence if the name of a file makes it a question beside one that it may belong to."""
    others = [entry for other, entry in batches.by_id.items() if other != batch_id and entry.status == "stored"]
    stored = {name for entry in others for name in entry.questions}
    same = batches.question_of_same_content(file, batch_id, questions) if questions else ()
    return same or numbered_questions(file.file_name, questions, stored)


def in_words(result: FileResult) -> str:
    """Describe the outcome of a file in one sentence, for the log."""
    if result.status in ("rejected", "failed"):
        return f"not read. {result.detail}"
    counts = result.counts
    deleted = f", {counts.n_deleted:,} deleted" if counts.n_deleted else ""
    if counts.n_new is None:
        ratings = counted(counts.n_ratings, "new rating")
    else:
        ratings = f"{counted(counts.n_ratings, 'rating')} ({counts.n_new:,} of them new)"
    not_in_force = f", {counts.n_not_in_force:,} of them not in force" if counts.n_not_in_force else ""
    return (
        f"{ratings}{not_in_force}, {counts.n_unchanged:,} unchanged, {counts.n_skipped:,} skipped, "
        f"{counts.n_rejected:,} rejected{deleted} ({result.reader})"
    )
