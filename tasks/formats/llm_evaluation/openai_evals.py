"""Read a log of OpenAI evals: the verdict of each sample. The shape is from memory; no real file was seen.

The rater is the evaluated model, of kind system, as in other logs of benchmarks. The question is the evaluation with
the kind of the event: `match` gives `correct` or `incorrect`, `metrics` the choice of a grading model. Other events
are skipped.
"""

from pathlib import Path

from tasks.errors import ReadError
from tasks.formats.parsing.cells import cell_text
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import keys, mapping, text
from tasks.formats.parsing.tools.record_votes import Record, RecordVotes, read_records

FRAME = ("spec", "final_report")
VERDICTS = ("match", "metrics")
OTHERS = "Events that are not verdicts, counted as skipped: {n}."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for the first line of a log, and for events."""
    return {"spec", "sample_id", "type", "data"} <= keys(seen) and not options.maps_table


def read(path: Path, options: ReadOptions) -> Export:
    """Read the verdicts. Errors: ReadError where the log does not say what was evaluated."""
    records = read_records(path)
    votes = RecordVotes()
    rows = list(records.rows)
    spec = next((fields for _, record in rows if (fields := mapping(record.get("spec")))), {})
    if not spec:
        raise ReadError.of(path, "is not a log of OpenAI evals: no line has a spec.", "Give the whole log.")
    models = spec.get("completion_fns")
    model = "+".join(filter(None, map(text, models if isinstance(models, list) else [models]))) or "unnamed model"
    name = text(spec.get("eval_name")) or text(spec.get("base_eval"))
    for row, record in rows:
        if not any(key in record for key in FRAME):
            _add(votes, row, record, name, model)
    return votes.export("openai_evals", records, [f"Read as a log of OpenAI evals: {model!r} is a system."])


def _add(votes: RecordVotes, row: int, record: Record, name: str | None, model: str) -> None:
    kind, data = text(record.get("type")), mapping(record.get("data"))
    if kind not in VERDICTS:
        votes.skip(OTHERS)
        return
    question = f"{name}/{kind}" if name else kind
    correct = data.get("correct")
    if kind == "match":
        label = {True: "correct", False: "incorrect"}[correct] if isinstance(correct, bool) else None
    else:
        label = text(data["choice"] if "choice" in data and not isinstance(data["choice"], dict | list) else None)
    if label is None:
        votes.reject(row, kind, cell_text(record.get("data")), "empty_answer", "The event has no verdict.")
        return
    votes.add(
        row, question, text(record.get("sample_id")), model, label,
        rater_kind="system", rated_at=record.get("created_at"), score=data.get("score"),
        source_ref=text(record.get("event_id")),
    )  # fmt: skip


OPENAI_EVALS = Format(
    name="openai_evals",
    describe="Logs of OpenAI evals: the verdict of each sample, of the evaluated model as a system.",
    extensions=(".jsonl",),
    sniff=sniff,
    reader=read,
    roles=frozenset(),
)
