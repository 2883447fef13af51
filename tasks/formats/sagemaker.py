"""Read SageMaker Ground Truth: what each worker answered, before consolidation. The output manifest names nobody.

There are three forms: the files under `annotations/worker-response` (`answers`; their folder names the item), the input
of a consolidation function (`datasetObjectId`, `annotations`), and manifests of jobs that pass all answers on
(`annotationsFromAllWorkers`).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tasks.errors import ReadError
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import keys, mapping, parsed, text
from tasks.formats.parsing.tools.amazon_answers import answers_of
from tasks.formats.parsing.tools.record_votes import Record, RecordVotes, read_records

ITEMS = ("datasetObjectId", "source-ref", "source", "dataObjectId")
ALL_WORKERS = "annotationsFromAllWorkers"
Answers = Iterator[tuple[str | None, dict[str, Any]]]


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for a list of workers' answers in the record."""
    names = keys(seen)
    if {"datasetObjectId", "annotations"} <= names:
        return True
    rest = names - {"answers", "source-ref", "source", "iteration", "dataObjectId", "totalItems"}
    if "answers" in names and not rest:
        return _first(seen, '"workerId"')
    return bool(names & {"source-ref", "source"}) and _first(seen, f'"{ALL_WORKERS}"')


def _first(seen: FileLook, mark: str) -> bool:
    with seen.path.open("rb") as file:
        return mark.encode() in file.read(1 << 16)


def read(path: Path, options: ReadOptions) -> Export:
    """Read all answers. Errors: ReadError where no record holds workers' answers."""
    records = read_records(path)
    votes = RecordVotes()
    has_answers = False
    for row, record in records.rows:
        item = next(filter(None, (text(record.get(key)) for key in ITEMS)), None) or _of_folder(path)
        answers = list(_answers(votes, row, record))
        has_answers = has_answers or bool(answers)
        for question, answer in answers:
            _add(votes, row, item, question, answer)
        if not answers:
            votes.reject(row, None, record, "bad_record", "The record holds no answers of workers.")
    if not has_answers:
        raise ReadError.of(
            path,
            "holds no answers of workers.",
            "Give the files under annotations/worker-response: an output manifest does not name the workers.",
        )
    return votes.export("sagemaker", records)


def _of_folder(path: Path) -> str | None:
    """Return the item of a path worker-response/iteration-1/ITEM/TIME.json."""
    name = path.absolute().parent.name
    return name if name.isdigit() else None


def _answers(votes: RecordVotes, row: int, record: Record) -> Answers:
    """Iterate over the answers, each with its label attribute if it has one."""
    for key in ("answers", "annotations"):
        yield from ((None, answer) for answer in votes.objects(row, key, record.get(key)))
    for name, value in record.items():
        yield from ((name, answer) for answer in votes.objects(row, name, mapping(value).get(ALL_WORKERS)))


def _add(votes: RecordVotes, row: int, item: str | None, attribute: str | None, answer: dict[str, Any]) -> None:
    content = parsed(answer.get("answerContent"))
    if content is None:
        data = mapping(answer.get("annotationData"))
        content = parsed(data.get("content"))
    rater = text(answer.get("workerId"))
    if not isinstance(content, dict) or not content:
        votes.reject(row, "answerContent", content, "empty_answer", f"Worker {rater} gave no answer.")
        return
    for name, label, fault in answers_of(content):
        question = f"{attribute}/{name}" if attribute and len(content) > 1 else attribute or name
        if fault or label is None:
            reason = "unsupported_control" if fault else "empty_answer"
            votes.reject(row, question, content[name], reason, fault or "Nothing was chosen.")
        else:
            votes.add(
                row, question, item, rater, label,
                rated_at=answer.get("submissionTime"), duration_s=answer.get("timeSpentInSeconds"),
            )  # fmt: skip


SAGEMAKER = Format(
    name="sagemaker",
    describe="SageMaker Ground Truth: workers' answers (worker-response, or all answers in a manifest).",
    extensions=(".json", ".jsonl", ".manifest"),
    sniff=sniff,
    reader=read,
    roles=frozenset(),
)
