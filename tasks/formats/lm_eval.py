"""Read samples of the lm-evaluation-harness (`samples_TASK_TIME.jsonl`): a model's answers.

The file does not name the model. The model is the one in `systems`, if there is just one. Else it is the folder's name,
if the harness made it (`org__model`). A multiple choice keeps the likelihood of each option; the label is the number of
the likeliest option. `target` is the benchmark's right answer. It is read, as the gold rater `target`, only if `gold`
names `target`.
"""

import re
from pathlib import Path
from typing import Any

from tasks.errors import ReadError
from tasks.formats.parsing.cells import cell_text
from tasks.formats.parsing.decompress import stem
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import keys, mapping, text
from tasks.formats.parsing.tools.record_votes import Record, RecordVotes, read_records

MARKS = {"doc_id", "filtered_resps", "target"}
TARGET = "target"
NAME = re.compile(r"^samples_(.+?)(?:_\d{4}-\d{2}-\d{2}T[\d.:\-]+)?$")
UNNAMED = "unnamed model"


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for the keys of a sample."""
    return keys(seen) >= MARKS


def read(path: Path, options: ReadOptions) -> Export:
    """Read the answers to one task. Errors: ReadError where no record is a sample."""
    records = read_records(path)
    if not any({"doc_id", "filtered_resps"} <= record.keys() for _, record in records.rows):
        raise ReadError.of(
            path,
            "holds no samples of the lm-evaluation-harness.",
            "Run it with --log_samples and give the files samples_*.jsonl.",
        )
    match = NAME.match(stem(path))
    task = match[1] if match else None
    system = next(iter(options.systems)) if len(options.systems - {TARGET}) == 1 else _of_folder(path)
    votes = RecordVotes()
    for row, record in records.rows:
        _add(votes, row, record, task, system or UNNAMED, TARGET in options.gold)
    notes = (
        []
        if system
        else ["The file does not name the model, so the system is `unnamed model`. Name it with systems = [NAME]."]
    )
    return votes.export("lm_eval", records, notes)


def _of_folder(path: Path) -> str | None:
    name = path.absolute().parent.name
    return name.replace("__", "/") if "__" in name.strip("_") else None


def _add(votes: RecordVotes, row: int, record: Record, task: str | None, system: str, with_target: bool) -> None:
    used = text(record.get("filter"))
    question = f"{task}/{used}" if task and used and used != "none" else task
    item, label = text(record.get("doc_id")), _label(record.get("filtered_resps"))
    if label is None:
        votes.reject(row, "filtered_resps", record.get("filtered_resps"), "empty_answer", "The model gave no answer.")
    else:
        ref = text(record.get("doc_hash"))
        votes.add(row, question, item, system, label, rater_kind="system", source_ref=ref)
        votes.describe(question, item, mapping(record.get("doc")))
    if with_target and (target := cell_text(record.get("target"))) is not None:
        votes.add(row, question, item, TARGET, target, rater_kind="gold")


def _label(responses: Any) -> str | None:
    """Return the first text.

    For a list of (likelihood, is it greedy), return the number of the likeliest, counted from 0.
    """
    if not isinstance(responses, list):
        return text(responses)
    first = responses[0] if responses else None
    if isinstance(first, list) and len(first) == 2 and len(responses) > 1:
        likelihoods = [
            _number(response[0]) if isinstance(response, list) and response else None for response in responses
        ]
        if all(number is not None for number in likelihoods):
            return str(max(range(len(likelihoods)), key=lambda i: likelihoods[i] or 0.0))
    while isinstance(first, list):
        first = first[0] if first else None
    return text(first)


def _number(value: object) -> float | None:
    """Return a likelihood as a number. The harness writes it as text."""
    try:
        number = float(value) if isinstance(value, int | float | str) else None
    except (ValueError, OverflowError):
        return None
    return number if number is not None and number == number else None


LM_EVAL = Format(
    name="lm_eval",
    describe="Samples of the lm-evaluation-harness (samples_*.jsonl): a model's answers, as a system.",
    extensions=(".jsonl",),
    sniff=sniff,
    reader=read,
    roles=frozenset(),
)
