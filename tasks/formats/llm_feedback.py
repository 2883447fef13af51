"""Read scores of LLM-evaluation tools: the item, the question, the rater (person, judge, code) and the label.

Presets say where each tool keeps these: Langfuse, LangSmith, Phoenix. A person is a rater of kind human with the tool's
id. A judging model and code are systems, named `judge:NAME` and `code:NAME` to keep them apart.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from tasks.errors import ReadError
from tasks.formats.columns.column_roles import plain
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import HEAD, FileLook, look_at_file
from tasks.formats.parsing.json_fields import keys, text
from tasks.formats.parsing.tools.llm_presets import PRESETS, Flat, Preset
from tasks.formats.parsing.tools.record_votes import FileRecords, Record, RecordVotes, read_records

WRAPPED = (("traceId", "source", "value"), ("run_id", "feedback_source", "key"), ("span_id", "annotator_kind"))
"""Keys by which the answers of the tools' APIs are known, as they write them."""


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for the keys of a tool's score, also in the list `data` that its API returns."""
    if options.maps_table:
        return False
    if _preset({plain(key) for key in keys(seen)}):
        return True
    if "data" not in keys(seen):
        return False
    with seen.path.open("rb") as file:
        head = file.read(HEAD).decode("utf-8", "replace")
    return any(all(f'"{key}"' in head for key in marks) for marks in WRAPPED)


def read(path: Path, options: ReadOptions) -> Export:
    """Read all scores. Errors: ReadError where no record is one of a known tool."""
    records = read_records(path, look_at_file(path))
    votes = RecordVotes()
    tools: set[str] = set()
    for row, record in _scores(records):
        flat = {plain(key): value for key, value in record.items()}
        tool = _preset(flat.keys())
        if tool is None:
            detail = "The record is not a score of Langfuse, LangSmith or Phoenix."
            votes.reject(row, None, record, "bad_record", detail)
        else:
            tools.add(tool)
            _add(votes, row, flat, PRESETS[tool])
    if not tools:
        raise ReadError.of(
            path,
            "holds no score of Langfuse, LangSmith or Phoenix.",
            "Export the scores (Langfuse), the feedback (LangSmith) or the annotations (Phoenix) as JSON or CSV.",
        )
    note = f"Read as feedback of {', '.join(sorted(tools))}: judges and code are systems, named judge:... and code:..."
    return votes.export("llm_feedback", records, [note])


def _scores(records: FileRecords) -> Iterator[tuple[int, Record]]:
    for row, record in records.rows:
        if isinstance(record.get("data"), list):
            yield from (
                (n, score if isinstance(score, dict) else {}) for n, score in enumerate(record["data"], start=1)
            )
        else:
            yield row, record


def _preset(names: Iterable[str]) -> str | None:
    return next((tool for tool, preset in PRESETS.items() if preset.marks <= set(names)), None)


def _add(votes: RecordVotes, row: int, flat: Flat, preset: Preset) -> None:
    question, item = next(filter(None, (text(flat.get(key)) for key in preset.question)), None), preset.item(flat)
    kind, name = preset.rater(flat)
    label = preset.label(flat)
    if label is None:
        votes.reject(
            row, question, flat.get("comment") or flat.get("explanation"), "empty_answer", "There is no label."
        )
        return
    rater = name if kind == "human" else f"{kind}:{name or question}"
    votes.add(
        row, question, item, rater, label,
        rater_kind="human" if kind == "human" else "system",
        rated_at=next((flat[key] for key in preset.times if flat.get(key)), None),
        score=preset.score(flat),
        source_ref=text(flat.get("id")),
    )  # fmt: skip


LLM_FEEDBACK = Format(
    name="llm_feedback",
    describe="Scores of LLM-evaluation tools: Langfuse, LangSmith, Phoenix; people, judges and code told apart.",
    extensions=(".json", ".jsonl", ".csv", ".parquet"),
    sniff=sniff,
    reader=read,
    roles=frozenset(),
)
