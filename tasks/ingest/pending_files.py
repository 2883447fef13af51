"""Decide which files to read: those that are not in the warehouse yet, and those to try again."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from pathlib import Path

from tasks.errors import some
from tasks.fingerprint import fingerprint
from tasks.formats import FORMATS
from tasks.formats.columns.column_roles import LABEL_SEPARATOR
from tasks.formats.parsing.set_cells import NO_SEPARATOR
from tasks.formats.preferences.read_preferences import PREFERENCE_FORMATS
from tasks.ingest.batch_identity import KnownBatch, Readings, matching, readings_of, takes_other_ratings
from tasks.ingest.file_result import WITHDRAWN
from tasks.ingest.full_exports import counts_again
from tasks.ingest.ingest_rules import IngestRules
from tasks.sources.folder import ExportFile
from warehouse.batches import Batch
from warehouse.connect import connect
from warehouse.datasets.stored import dataset_questions
from warehouse.questions import batches_with_text_in_label, known_files
from warehouse.raters.forgotten_names import ForgottenNames, forgotten_names

version = cache(metadata.version)  # it reads a file, and is asked for each export


@dataclass(frozen=True)
class PendingFile:
    """A file to be read.

    `batch_id` is the id of the batch to store, or None if it depends on the content of the file. `refused` is the id of
    the earlier batch that rejected this file; the new batch replaces it. `retry` marks a further attempt at a stored
    batch.
    """

    file: ExportFile
    batch_id: str | None = None
    refused: str | None = None
    retry: bool = False


class BatchRegister:
    """The batches of a warehouse, with a lookup from files to batches.

    `readings` are the readings of the project's sources. By default they are taken from the files.
    """

    def __init__(self, db: Path, files: Sequence[ExportFile], readings: Readings | None = None) -> None:
        self.db = db
        self.readings = readings_of((file.source, file.options) for file in files) if readings is None else readings
        self.by_id: dict[str, KnownBatch] = {}
        self.forgotten = ForgottenNames()
        self.dataset_questions: dict[str, str] = {}
        self.load()

    def load(self) -> None:
        """Read the current batches from the warehouse, and the questions of datasets."""
        with connect(self.db) as con:
            self.dataset_questions = dataset_questions(con)
            rows = known_files(con)
            self.forgotten = forgotten_names(con, self.db)
        names = KnownBatch.__dataclass_fields__.keys()
        self.by_id = {
            row["batch_id"]: KnownBatch(
                **{**{name: row[name] for name in names}, "questions": frozenset(row["questions"])}
            )
            for row in rows
        }
        self._alike: dict[str | None, list[str]] = defaultdict(list)
        self._with_separator: dict[str, frozenset[str]] = {}
        self._stored_here: set[str] = set()
        for batch_id, batch in self.by_id.items():
            self._alike[batch.sha256].append(batch_id)

    def add(self, batch: Batch, questions: Collection[str], n_rejected: int) -> None:
        """Add a batch that was just stored, with the questions of its ratings."""
        former = self.by_id.pop(batch.formerly or batch.batch_id, None)
        reading = former.reading if former and former.status == "stored" else batch.reading
        self.by_id[batch.batch_id] = KnownBatch(
            sha256=batch.sha256,
            reader=batch.reader,
            status=batch.status,
            settings_hash=batch.settings_hash,
            n_rejected=n_rejected,
            file_name=batch.file_name or "",
            source=batch.source or "",
            reading=reading,
            questions=frozenset(questions),
        )
        self._alike[batch.sha256].append(batch.batch_id)
        self._stored_here.add(batch.batch_id)

    def of(self, file: ExportFile) -> list[str]:
        """Return the ids of the batches that match a file; empty if the file is new."""
        return matching(file, self.by_id, self._alike.get(file.sha256, ()), self.readings)

    def has_stored(self, file: ExportFile) -> bool:
        """Check whether the ratings of the file are stored."""
        return any(self.by_id[batch_id].status == "stored" for batch_id in self.of(file))

    def question_of_same_content(self, file: ExportFile, batch_id: str, questions: Collection[str]) -> tuple[str, ...]:
        """Say that equal ratings are stored under another question.

        The files' names are the questions, or the settings of the source changed.
        """
        for other in self._alike.get(file.sha256, ()):
            batch = self.by_id.get(other)
            if other == batch_id or batch is None or batch.status != "stored":
                continue
            if not batch.questions or batch.questions & set(questions):
                continue
            names = f"{', '.join(sorted(questions))} beside {', '.join(sorted(batch.questions))}"
            if (batch.file_name, batch.source) != (file.file_name, file.source):
                return (
                    f"It has the same content as {batch.file_name}, but counts as another question ({names}), because "
                    "the files name none. Check whether it is a copy. Put exports of one question into one subfolder "
                    "of the inbox, which names it.",
                )
            if batch.reading and batch.reading not in self.readings.get(batch.source, ()):  # else two sources read it
                return (
                    f"It was stored before as another question ({names}), and both count, because the settings of its "
                    "source have changed. If the former is not to count any more: "
                    f"`kappaflow withdraw {other[:12]}`.",
                )
        return ()

    def copies(self, files: Sequence[ExportFile]) -> list[str]:
        """Name each file that is a copy of another one in the sources, because nothing of it is stored."""
        names = {file.file_name for file in files}
        sentences = []
        for file in files:
            originals = {self.by_id[batch_id].file_name: self.by_id[batch_id] for batch_id in self.of(file)}
            if file.file_name not in originals and (here := sorted(originals.keys() & names)):
                original = originals[here[0]]
                how = ": its ratings are stored once" if original.status == "stored" else ", which was rejected"
                how = ", which was withdrawn" if original.settings_hash == WITHDRAWN else how
                sentences.append(f"{file.file_name} is a copy of {here[0]}{how}")
        return sentences

    def read_otherwise(self, files: Sequence[ExportFile], rules: IngestRules) -> list[str]:
        """Say which stored files the settings of now would read otherwise: they keep the ratings that they have."""
        batch_ids = {
            batch_id: file.file_name
            for file in files
            for batch_id, batch in ((batch_id, self.by_id[batch_id]) for batch_id in self.of(file))
            if batch.status == "stored" and batch.settings_hash not in (WITHDRAWN, settings_of(file, rules))
            if batch.file_name == file.file_name and not file.full_export and takes_other_ratings(batch, file)
        }
        if not batch_ids:
            return []
        n_batches = Counter(batch.file_name for batch in self.by_id.values())
        names = [
            name if n_batches[name] == 1 else f"{name} ({batch_id[:12]})"
            for batch_id, name in sorted(batch_ids.items(), key=lambda pair: pair[::-1])
        ]
        was, are, its = ("was", "is", "its source") if len(names) == 1 else ("were", "are", "their source")
        return [
            f"{some(names)} {was} read before columns or question of {its} changed in kappaflow.toml, and {are} not "
            "read again. To read a file with the current settings: `kappaflow withdraw FILE`, then `kappaflow withdraw "
            "FILE --undo`, then `kappaflow run`"
        ]

    def pending(self, file: ExportFile, rules: IngestRules, retry_rejects: bool) -> PendingFile | None:
        """Return how to read the file, or None if nothing is left to do."""
        batch_ids = self.of(file)
        settings = settings_of(file, rules)
        stored = [batch_id for batch_id in batch_ids if self.by_id[batch_id].status == "stored"]
        if not stored:
            if not retry_rejects and any(self.by_id[batch_id].settings_hash == settings for batch_id in batch_ids):
                return None
            return PendingFile(file, refused=batch_ids[0] if batch_ids else None)
        for batch_id in stored:  # answers that were stored as labels, before the settings said what they are
            if self.by_id[batch_id].questions & rules.answers.keys() and self.by_id[batch_id].settings_hash != settings:
                return PendingFile(file, batch_id, retry=True)
        if unsplit := self._unsplit(file, stored, settings):
            return PendingFile(file, unsplit, retry=True)
        for batch_id in (*stored, *(_later(file, batch_id) for batch_id in stored)) if retry_rejects else ():
            batch = self.by_id.get(batch_id)
            if batch is not None and batch.n_rejected and batch.settings_hash != settings:
                return PendingFile(file, batch_id, retry=True)
        return self._again(file, stored) if file.full_export else None

    def _unsplit(self, file: ExportFile, stored: Sequence[str], settings: str) -> str | None:
        """Return the batch whose sets were stored as labels, before the settings said what stands between them."""
        separator = file.options.columns.get(LABEL_SEPARATOR, NO_SEPARATOR)
        # A batch is read once a sweep: two sources with one file and two separators would take turns for ever.
        others = [b for b in stored if b not in self._stored_here and self.by_id[b].settings_hash != settings]
        if separator == NO_SEPARATOR or not others:
            return None
        if separator not in self._with_separator:
            with connect(self.db) as con:
                self._with_separator[separator] = batches_with_text_in_label(con, separator)
        return next((batch_id for batch_id in others if batch_id in self._with_separator[separator]), None)

    def _again(self, file: ExportFile, stored: Sequence[str]) -> PendingFile | None:
        """Return a full export whose bytes are already stored, if it is a new state of its questions."""
        later = _later(file, stored[0])
        if later in self.by_id:
            return None
        with connect(self.db) as con:
            return PendingFile(file, later) if counts_again(con, file, stored) else None


def settings_of(file: ExportFile, rules: IngestRules) -> str:
    """Hash everything that a file is read with, except its content."""
    # The fallback question follows from the file's path and is not a setting: a moved file is still the same file.
    # The names of the readers and the version are included, because a new reader may accept a file that was rejected.
    # The time of a full export is included, because an outdated one may be written again and then counts.
    options = replace(file.options, fallback_question=None)
    readers = sorted([*FORMATS, *PREFERENCE_FORMATS])
    written = file.modified_at.isoformat() if file.full_export else None
    settings = (options, rules.labels, rules.duplicates, readers, version("kappaflow"), written)
    return fingerprint(*settings, rules.answers) if rules.answers else fingerprint(*settings)


def _later(file: ExportFile, batch_id: str) -> str:
    """Return the batch_id of a full export whose bytes were stored before; its time makes the id unique."""
    return hashlib.sha256(f"{batch_id}\n{file.modified_at.isoformat()}".encode()).hexdigest()
