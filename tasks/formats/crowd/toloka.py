"""Read assignments of Toloka (TSV): one row per assignment and task, a question per `OUTPUT:` column.

The item is `ASSIGNMENT:task_id` (or a mapped column), the rater `ASSIGNMENT:worker_id`. Rejected assignments are
rejects, skipped and expired ones skipped. `GOLDEN:` columns are the rater `gold`, of kind gold.
"""

from collections.abc import Sequence
from pathlib import Path

from tasks.errors import ReadError
from tasks.formats.columns.column_roles import find_header, listed, mapped_labels
from tasks.formats.parsing.cells import label_set, tidy_label
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import holds_objects, keys, known_text, parsed, text
from tasks.formats.parsing.tools.record_votes import Record, RecordVotes, read_records

INPUT, OUTPUT, GOLDEN = "INPUT:", "OUTPUT:", "GOLDEN:"
WORKER, STATUS = "ASSIGNMENT:worker_id", "ASSIGNMENT:status"
GOLD = "gold"
VOTES = ("approved", "accepted", "submitted", "")
UNDONE = "Assignments that were skipped, expired or not done, counted as skipped: {n}."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for the columns of an assignment. Raters that the user maps are a table."""
    names = keys(seen)
    has_outputs = any(name.startswith(OUTPUT) for name in names)
    return WORKER in names and has_outputs and not options.maps("rater", "raters")


def read(path: Path, options: ReadOptions) -> Export:
    """Read all assignments; `item` may be mapped to an input, `label` to the outputs that are questions.

    Errors: ReadError if the file does not come from Toloka.
    """
    records = read_records(path)
    rows = list(records.rows)
    headers = list(dict.fromkeys(key for _, record in rows for key in record))
    outputs = [header for header in headers if header.startswith(OUTPUT)]
    if WORKER not in headers or not outputs:
        raise ReadError.of(
            path,
            f"holds no assignments of Toloka: it has {listed(headers)}.",
            "Download the assignments of the pool: they have ASSIGNMENT:worker_id and columns OUTPUT:NAME.",
        )
    outputs = mapped_labels(headers, options.columns, path.name) or outputs
    item = headers[find_header(headers, options.columns.get("item", "ASSIGNMENT:task_id"), path.name, "item")]
    votes = RecordVotes()
    golds: set[tuple[str, str]] = set()
    for row, record in rows:
        _add_gold(votes, row, text(record.get(item)), record, outputs, golds)
        _add(votes, row, text(record.get(item)), record, outputs)
    return votes.export("toloka", records)


def _add(votes: RecordVotes, row: int, item: str | None, record: Record, outputs: Sequence[str]) -> None:
    status = known_text(record.get(STATUS))
    if status == "rejected":
        detail = f"The requester rejected the assignment of {text(record.get(WORKER))}."
        votes.reject(row, STATUS, record.get(STATUS), "rejected_answer", detail[:500])
        return
    if status not in VOTES:
        votes.skip(UNDONE)
        return
    n_before = votes.n_outcomes
    for output in outputs:
        question, value = output.removeprefix(OUTPUT), parsed(record.get(output))
        if holds_objects(value):
            votes.reject(row, output, value, "unsupported_control", "An object is not a label of the item.")
        elif (label := label_set(value) if isinstance(value, list) else tidy_label(value)) is not None:
            votes.add(
                row, question, item, text(record.get(WORKER)), label,
                rated_at=text(record.get("ASSIGNMENT:submitted")),
                source_ref=text(record.get("ASSIGNMENT:assignment_id")),
            )  # fmt: skip
            if not votes.knows(question, item):
                inputs = {k.removeprefix(INPUT): v for k, v in record.items() if k.startswith(INPUT)}
                votes.describe(question, item, inputs)
    if votes.n_outcomes == n_before:
        votes.reject(row, None, None, "empty_answer", "The assignment holds no answer.")


def _add_gold(
    votes: RecordVotes,
    row: int,
    item: str | None,
    record: Record,
    outputs: Sequence[str],
    seen: set[tuple[str, str]],
) -> None:
    """Add the right answers of a control task, once per item."""
    for output in outputs:
        question = output.removeprefix(OUTPUT)
        value = parsed(record.get(f"{GOLDEN}{question}"))
        label = label_set(value) if isinstance(value, list) else None if isinstance(value, dict) else tidy_label(value)
        if item is not None and label is not None and (question, item) not in seen:
            seen.add((question, item))
            votes.add(row, question, item, GOLD, label, rater_kind="gold")


TOLOKA = Format(
    name="toloka",
    describe="Assignments of Toloka: a question per OUTPUT column; rejected ones are rejects, GOLDEN columns gold.",
    extensions=(".tsv", ".csv"),
    sniff=sniff,
    reader=read,
    roles=frozenset({"item", "label"}),
)
