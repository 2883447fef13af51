"""Read the assessments of MLflow's traces (version 3): feedback of people, judges and code; expectations are gold.

The item is the trace, the question the assessment's name. Feedback that a later one replaced (`valid` is false) is
skipped. An expectation is the right answer: the rater `expectation:NAME`, of kind gold.
"""

from pathlib import Path
from typing import Any

from tasks.errors import ReadError
from tasks.formats.parsing.cells import cell_text
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import (
    is_nested,
    keys,
    known_text,
    mapping,
    mentions,
    parsed,
    text,
)
from tasks.formats.parsing.tools.record_votes import Record, RecordVotes, each, read_records

JUDGES = ("llm_judge", "ai_judge")
REPLACED = "Assessments that a later one replaced, counted as skipped: {n}."
WITHOUT = "Traces without an assessment, counted as skipped: {n}."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for assessments, in the information of a trace or beside its id."""
    if options.maps_table:
        return False
    names = keys(seen)
    flat = "assessments" in names and bool({"trace_id", "request_id"} & names)
    return flat or ("info" in names and mentions(seen, "assessments"))


def read(path: Path, options: ReadOptions) -> Export:
    """Read all assessments. Errors: ReadError where no record is a trace."""
    records = read_records(path)
    votes = RecordVotes()
    n_traces = 0
    for row, record in each(records):
        trace = mapping(record.get("info")) or record
        if "assessments" in trace:
            n_traces += 1
            _add_trace(votes, row, trace)
        else:
            votes.skip(WITHOUT)
    if not n_traces:
        raise ReadError.of(
            path,
            "holds no traces of MLflow with assessments.",
            "Export traces as JSON: [trace.to_dict() for trace in mlflow.search_traces(return_type='list')].",
        )
    note = "Read as traces of MLflow: judges and code are systems (judge:..., code:...), expectations are gold."
    return votes.export("mlflow", records, [note])


def _add_trace(votes: RecordVotes, row: int, trace: Record) -> None:
    item = text(trace.get("trace_id")) or text(trace.get("request_id"))
    n_before = len(votes.rows) + len(votes.rejects) + votes.n_skipped
    for assessment in votes.objects(row, "assessments", trace.get("assessments")):
        _add(votes, row, item, assessment)
        question = text(assessment.get("assessment_name")) or text(assessment.get("name"))
        if not votes.knows(question, item):
            votes.describe(question, item, {k: trace.get(k) for k in ("request_preview", "response_preview")})
    if len(votes.rows) + len(votes.rejects) + votes.n_skipped == n_before:
        votes.skip(WITHOUT)


def _add(votes: RecordVotes, row: int, item: str | None, assessment: dict[str, Any]) -> None:
    question = text(assessment.get("assessment_name")) or text(assessment.get("name"))
    if assessment.get("valid") is False:
        votes.skip(REPLACED)
        return
    expected = "expectation" in assessment and assessment.get("expectation") is not None
    value = _value(mapping(assessment.get("expectation" if expected else "feedback")))
    if is_nested(value):
        votes.reject(row, question, value, "unsupported_control", "An object is not a label of the item.")
        return
    if (label := cell_text(value)) is None or not label.strip():
        votes.reject(row, question, None, "empty_answer", "There is no value.")
        return
    kind, rater = _rater(mapping(assessment.get("source")), question)
    votes.add(
        row, question, item, f"expectation:{rater or 'unnamed'}" if expected else rater, label,
        rater_kind="gold" if expected else kind,
        rated_at=text(assessment.get("last_update_time")) or text(assessment.get("create_time")),
        source_ref=text(assessment.get("assessment_id")),
    )  # fmt: skip


def _value(held: dict[str, Any]) -> object:
    """Return the value of feedback or an expectation. A list may be serialized."""
    serialized = mapping(held.get("serialized_value"))
    return parsed(serialized.get("value") if serialized else held.get("value"))


def _rater(source: dict[str, Any], question: str | None) -> tuple[str, str | None]:
    kind, name = known_text(source.get("source_type")), text(source.get("source_id"))
    if kind == "human":
        return "human", name
    return "system", f"{'judge' if kind in JUDGES else 'code'}:{name or question}"


MLFLOW = Format(
    name="mlflow",
    describe="Traces of MLflow 3 with assessments: people, judges and code told apart; expectations are gold.",
    extensions=(".json", ".jsonl"),
    sniff=sniff,
    reader=read,
    roles=frozenset(),
)
