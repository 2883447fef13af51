"""Read classifications of the Zooniverse (CSV): one row per classification, a question per task of its workflow.

The item is the subject, the rater the user's name. Users who are not logged in are told apart by their address.
An experts' classification (`gold_standard`) is the rater `gold:NAME`, of kind gold. Drawings are rejects. A survey's
answer is the set of its choices. Workflows use the same names of tasks (T0, T1, ...): in a file of several the question
is `WORKFLOW/TASK`.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tasks.errors import ReadError
from tasks.formats.columns.column_roles import listed
from tasks.formats.parsing.cells import label_set, tidy_label
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import is_nested, keys, known_text, parsed, text
from tasks.formats.parsing.tools.record_votes import Record, RecordVotes, read_records

COLUMNS = {"classification_id", "annotations", "subject_ids"}
MAX_DEPTH = 20  # of tasks within tasks
SEVERAL = "The file has {n} workflows, which use the same names of tasks: each question is WORKFLOW/TASK."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for the columns of a classification."""
    return keys(seen) >= COLUMNS and not options.maps_table


def read(path: Path, options: ReadOptions) -> Export:
    """Read all classifications. Errors: ReadError if the file does not come from the Zooniverse."""
    records = read_records(path)
    rows = list(records.rows)
    headers = list(dict.fromkeys(key for _, record in rows for key in record))
    if not set(headers) >= COLUMNS:
        raise ReadError.of(
            path,
            f"holds no classifications of the Zooniverse: it has {listed(headers)}.",
            "Request the classification export of the project or of a workflow.",
        )
    votes = RecordVotes()
    workflows = _workflows(rows)
    for row, record in rows:
        workflow = workflows.get(text(record.get("workflow_id"))) if len(workflows) > 1 else None
        _add(votes, row, record, f"{workflow}/" if workflow else "")
    return votes.export("zooniverse", records, [SEVERAL.format(n=len(workflows))] if len(workflows) > 1 else [])


def _workflows(rows: Sequence[tuple[int, Record]]) -> dict[str | None, str]:
    """Return the name of each workflow's id, with the id where two have one name."""
    names = {(id_ := text(record.get("workflow_id"))): text(record.get("workflow_name")) or id_ for _, record in rows}
    often = Counter(names.values())
    return {id_: f"{name}" if often[name] == 1 else f"{name} {id_}" for id_, name in names.items()}


def _add(votes: RecordVotes, row: int, record: Record, prefix: str) -> None:
    user, item = text(record.get("user_name")), text(record.get("subject_ids"))
    is_gold = known_text(record.get("gold_standard")) == "true"
    answers = list(_answers(votes, row, parsed(record.get("annotations")), 0))
    if not answers:
        votes.reject(row, "annotations", record.get("annotations"), "empty_answer", "The classification has no task.")
    for name, answer in answers:
        task, value = f"{prefix}{name}" if name else None, _chosen(answer)
        if is_nested(value):
            votes.reject(row, task, value, "per_region", "The answer belongs to a part of the subject.")
        elif (label := label_set(value) if isinstance(value, list) else tidy_label(value)) is None:
            votes.reject(row, task, value, "empty_answer", "Nothing was chosen.")
        else:
            votes.add(
                row, task, item, f"gold:{user}" if is_gold and user else user, label,
                rater_kind="gold" if is_gold else "human",
                rated_at=text(record.get("created_at")),
                source_ref=text(record.get("classification_id")),
            )  # fmt: skip
            votes.describe(task, item, {"workflow": record.get("workflow_name")})


def _chosen(value: object) -> object:
    """Return the choices of a survey, or the one choice of a menu, as labels. Other answers stay unchanged."""
    entries = [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
    if not entries or not isinstance(value, list) or len(entries) < len(value):
        return value
    if all("choice" in entry for entry in entries):
        return [entry["choice"] for entry in entries]
    if len(entries) == 1 and "option" in entries[0]:
        return entries[0].get("label") or entries[0].get("value")
    return value


def _answers(votes: RecordVotes, row: int, annotations: object, depth: int) -> Iterator[tuple[str | None, Any]]:
    """Iterate over task and value, also of tasks that a combined task holds."""
    for annotation in votes.objects(row, "annotations", annotations):
        value = annotation.get("value")
        inner = (
            isinstance(value, list) and value and all(isinstance(entry, dict) and "task" in entry for entry in value)
        )
        if inner and depth < MAX_DEPTH:
            yield from _answers(votes, row, value, depth + 1)
        else:
            yield text(annotation.get("task")), value


ZOONIVERSE = Format(
    name="zooniverse",
    describe="Classifications of the Zooniverse: a question per task; experts' classifications are gold.",
    extensions=(".csv",),
    sniff=sniff,
    reader=read,
    roles=frozenset(),
)
