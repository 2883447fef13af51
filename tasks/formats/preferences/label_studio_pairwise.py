"""Read the pairwise choices in Label Studio's JSON: `left` was shown first.

The models are the data fields that are mapped (`model_a=FIELD,model_b=FIELD`) or named model_a and model_b, else the
names of the two objects that were compared (`to_name`). The item is the task's id, or a data field that is mapped.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tasks.errors import InputError, ReadError
from tasks.formats.columns.column_roles import listed
from tasks.formats.label_studio import SKIPPED, annotator
from tasks.formats.parsing.cells import cell_text, tidy_label
from tasks.formats.parsing.export import ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import dicts_in, mentions
from tasks.formats.parsing.tools.record_votes import read_records
from tasks.formats.preferences.preference_votes import PreferenceExport, PreferenceVotes, winner_of

FIELDS = ("model_a", "model_b")
WITHOUT = "Annotations without a pairwise choice, counted as skipped: {n}."
BY_OBJECT = "The models are the names of the compared objects; --columns model_a=FIELD,model_b=FIELD takes data fields."
Json = Mapping[str, Any]


def sniff(seen: FileLook) -> bool:
    """Check for tasks with a pairwise choice."""
    tasks = seen.shape.get("data") == "object" and "array" in (
        seen.shape.get("annotations"),
        seen.shape.get("predictions"),
    )
    return seen.kind == "json" and tasks and mentions(seen, "pairwise")


def read(path: Path, options: ReadOptions) -> PreferenceExport:
    """Read all tasks. Errors: InputError for a role without use, ReadError if a mapped field is in no task."""
    if others := sorted(options.columns.keys() - {"item", *FIELDS}):
        raise InputError(
            f"--columns {others[0]} cannot be used with Label Studio's JSON.", "Roles here: item, model_a, model_b."
        )
    records = read_records(path)
    fields = {role: name.strip().removeprefix("data.") for role, name in options.columns.items()}
    votes, data_fields = PreferenceVotes(), set[str]()
    for row, task in records.rows:
        data = task.get("data")
        data = data if isinstance(data, dict) else {}
        data_fields |= data.keys()
        _add_task(votes, row, task, data, fields)
    for role, name in fields.items():
        if name not in data_fields:
            raise ReadError(
                f"No task of {path.name} has a data field {name!r}; there are {listed(sorted(data_fields))}.",
                f"Map {role} to one of them.",
                file=str(path),
                column=name,
            )
    by_object = not set(FIELDS) <= data_fields | fields.keys()
    return votes.export("label_studio_pairwise", records.rejects, [BY_OBJECT] if by_object else [])


def _add_task(votes: PreferenceVotes, row: int, task: Json, data: Json, fields: Mapping[str, str]) -> None:
    item = tidy_label(data.get(fields["item"]) if "item" in fields else task.get("id"))
    models = tuple(tidy_label(data.get(fields.get(role, role))) for role in FIELDS)
    for annotation in dicts_in(task.get("annotations")):
        if annotation.get("was_cancelled"):
            votes.skip(SKIPPED)
            continue
        rater = annotator(annotation)
        if not _add_results(votes, row, annotation, item, models, rater, "human"):
            votes.skip(WITHOUT)
    for prediction in dicts_in(task.get("predictions")):
        rater = tidy_label(prediction.get("model_version")) or "unnamed model"
        _add_results(votes, row, prediction, item, models, rater, "system")


def _add_results(
    votes: PreferenceVotes,
    row: int,
    annotation: Json,
    item: str | None,
    models: tuple[str | None, ...],
    rater: str | None,
    kind: str,
) -> bool:
    """Add the pairwise choices of an annotation, and return whether there was one."""
    pairwise = [result for result in dicts_in(annotation.get("result")) if result.get("type") == "pairwise"]
    for result in pairwise:
        names = [tidy_label(name) for name in str(result.get("to_name", "")).split(",")]
        a, b = models if all(models) else names if len(names) == 2 else (None, None)
        value = result.get("value")
        selected = tidy_label(value.get("selected")) if isinstance(value, dict) else None
        votes.add(
            row,
            (a, b),
            winner_of(selected, None, None),
            value=selected,
            item=item,
            rater=rater,
            rater_kind=kind,
            question=cell_text(result.get("from_name")),
        )
    return bool(pairwise)
