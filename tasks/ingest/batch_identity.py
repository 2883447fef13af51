"""Identify the batch of a file by its bytes, its folder, its name where that matters, and the settings that read it.

The *reading* of a file is the part of the settings that decides what is taken from it (`reading_of`).
docs/decisions/0006-batch-identity.md explains why.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tasks.formats import FORMATS, Export, ReadOptions
from tasks.formats.parsing.decompress import stem
from tasks.formats.parsing.export import PLACES
from tasks.sources.folder import ExportFile, question_of

RATING_ROLES = (
    "item",
    "rater",
    "raters",
    "label",
    "labels",
    "skipped",
    "question",
    "model_a",
    "model_b",
    "winner",
    "judge",
    "position",
)  # the column roles that decide which ratings a file contains
Readings = Mapping[str, Sequence[str]]
"""The readings of each source, by the name of the source. Two [[source]] tables with one path share a name."""


@dataclass(frozen=True)
class KnownBatch:
    """What the warehouse stores about a batch.

    `reading` is None for a batch from an older version that did not store it. `questions` are those of its rows.
    """

    sha256: str | None  # None for a live source, which is polled and has no file
    reader: str | None
    status: str
    settings_hash: str | None
    n_rejected: int
    file_name: str
    source: str
    reading: str | None
    questions: frozenset[str]


def reading_of(options: ReadOptions) -> str:
    """Return the settings that decide what is taken from a file, as JSON.

    >>> reading_of(ReadOptions(columns={"label": "mood", "time": "at"}, question="mood"))
    '{"columns": {"label": "mood"}, "question": "mood"}'
    """
    columns = {role: options.columns[role] for role in RATING_ROLES if role in options.columns}
    reading = {
        "columns": columns,
        "format": options.format,
        "no_header": not options.header,
        "prefix": options.prefix,
        "question": options.question,
        "regions": options.regions if options.regions != PLACES else None,
        "timezone": options.timezone if options.timezone != "UTC" else None,
    }
    return json.dumps({name: value for name, value in reading.items() if value}, sort_keys=True, ensure_ascii=False)


def readings_of(sources: Iterable[tuple[str, ReadOptions]]) -> Readings:
    """Collect the distinct readings of each source, in order. `sources` are pairs of name and options."""
    readings: dict[str, list[str]] = {}
    for name, options in sources:
        of_source = readings.setdefault(name, [])
        if (reading := reading_of(options)) not in of_source:
            of_source.append(reading)
    return readings


def identities(file: ExportFile) -> list[str]:
    """Return all batch_ids that a file may have. Which one applies is known only after it is read."""
    plain = [_identity(file, False), _identity(file, True)]
    return plain + [_reread_identity(each, reading_of(file.options)) for each in plain]


NAMED_BY_FILE = frozenset({"coco", "brat", "webanno"})
"""Formats of regions in which the name of a file may be the rater's."""


def is_named(file: ExportFile, export: Export) -> bool:
    """Check whether the name of a file that was read is part of its identity.

    It is if the name is the rater's, or if it was used as the question.
    """
    if export.format in NAMED_BY_FILE:
        return True
    if export.format in FORMATS and FORMATS[export.format].names_rater(file.options.columns):
        return True
    stem_may_be_question = not file.options.question and "/" not in file.file_name
    return stem_may_be_question and not export.names_question


def new_identity(file: ExportFile, names_rater: bool, batches: Mapping[str, KnownBatch], readings: Readings) -> str:
    """Return the batch_id of a new file.

    The reading is part of it only if the same bytes are already stored with a different reading.
    """
    plain, reading = _identity(file, names_rater), reading_of(file.options)
    if plain not in batches or _is_same(batches[plain], file, plain, readings):
        return plain
    return _reread_identity(plain, reading)


def matching(
    file: ExportFile, batches: Mapping[str, KnownBatch], alike: Sequence[str], readings: Readings
) -> list[str]:
    """Return the ids of the stored batches that match a file. `alike` are the batches with the same bytes."""
    return list(dict.fromkeys(_matching(file, batches, alike, readings)))


def _matching(
    file: ExportFile, batches: Mapping[str, KnownBatch], alike: Sequence[str], readings: Readings
) -> Iterator[str]:
    for plain in (_identity(file, False), _identity(file, True)):
        if plain in batches and _is_same(batches[plain], file, plain, readings):
            yield plain
        reread = _reread_identity(plain, reading_of(file.options))
        if reread in batches:
            yield reread
        for other in alike:
            if _has_former_reading(batches.get(other), file, readings) and other == _reread_identity(
                plain, batches[other].reading or ""
            ):
                yield other

    for other in alike:
        batch = batches.get(other)
        if batch is not None and _has_original_identity(other, batch) and _is_same(batch, file, other, readings):
            yield other


def _has_original_identity(batch_id: str, batch: KnownBatch) -> bool:
    """Check whether a batch_id was made by commit b45f831: from the bytes and the reader, without the folder."""
    return batch_id == hashlib.sha256(f"{batch.sha256} {batch.reader or ''}".encode()).hexdigest()


def _has_former_reading(batch: KnownBatch | None, file: ExportFile, readings: Readings) -> bool:
    """Check whether a batch is from the file's source, with a reading that the source no longer has.

    Then the settings were changed. A change of the settings applies to stored batches only on request.
    """
    if batch is None or batch.reading is None or batch.source != file.source:
        return False
    return batch.reading not in readings.get(batch.source, ())


def _is_same(batch: KnownBatch, file: ExportFile, plain: str, readings: Readings) -> bool:
    """Check whether a batch with the bytes and the folder of a file is this file.

    It is if it was read as the file is read now, or with settings that no longer exist. Otherwise it is another reading
    of the same bytes, and the file has to be read too.
    """
    reading = reading_of(file.options)
    current = readings.get(batch.source, ())
    read_as = _presumed_reading(batch, file, current) if batch.reading is None else batch.reading
    if read_as != reading and read_as in current:
        return False
    return plain == _identity(file, True) or not _has_other_name(batch, file)


def takes_other_ratings(batch: KnownBatch, file: ExportFile) -> bool:
    """Check whether the settings of now would take other ratings from a stored file than those that read it.

    They do if both name the column of a role, and name different ones, or if they name another question for rows that
    name none. A column that only one of them names may be the one that the reader finds by itself.
    """
    if batch.reading is None or batch.reading == reading_of(file.options):
        return False
    reading = json.loads(batch.reading)
    before, now = reading.get("columns", {}), file.options.columns
    if any(before[role] != now[role] for role in before.keys() & now.keys()):
        return True
    former, question = reading.get("question"), file.options.question
    if not question or question == former:
        return False
    stored = _prefixed(file, former or question_of(PurePosixPath(file.file_name)))
    return stored in batch.questions and _prefixed(file, question) not in batch.questions


def _presumed_reading(batch: KnownBatch, file: ExportFile, readings: Sequence[str]) -> str:
    """Guess the reading of a batch that does not store it.

    It is the reading of its source. If the source has several, it is the first one that results in the questions of the
    batch.
    """
    if not batch.questions or not readings:
        return reading_of(file.options)
    questions = {reading: json.loads(reading).get("question") for reading in readings}
    matches = (
        reading for reading, question in questions.items() if question and _prefixed(file, question) in batch.questions
    )
    return next(matches, None) or next(
        (reading for reading, question in questions.items() if not question), readings[0]
    )


def _has_other_name(batch: KnownBatch, file: ExportFile) -> bool:
    """Check whether the batch's question comes from the path of its file, while this file's path means another one."""
    if file.options.question:
        return False
    question_of_file = _prefixed(file, question_of(PurePosixPath(file.file_name)))
    question_of_batch = _prefixed(file, question_of(PurePosixPath(batch.file_name)))
    return question_of_file not in batch.questions and question_of_batch in batch.questions


def _prefixed(file: ExportFile, question: str) -> str:
    return f"{file.options.prefix}/{question}" if file.options.prefix else question


def _identity(file: ExportFile, names_rater: bool) -> str:
    """Hash the bytes, the prefix and the folder, if the folder names the question.

    So a renamed file keeps its identity, and equal bytes for two questions have different ones. `names_rater` adds the
    name of the file.
    """
    folder = file.file_name.split("/")[0] if "/" in file.file_name else ""
    place = "" if file.options.question else folder
    texts = [file.sha256, file.options.prefix or "", place]
    if names_rater:
        texts.append(stem(Path(file.file_name)))
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def _reread_identity(plain: str, reading: str) -> str:
    """Return the batch_id of bytes that are already stored with a different reading."""
    return hashlib.sha256(f"{plain}\n{reading}".encode()).hexdigest()
