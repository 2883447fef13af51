"""The tasks of a page: what state they are in, what the reader of exports makes of them, and all answers they have."""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from tasks.fingerprint import fingerprint
from tasks.formats import Export
from tasks.formats.cells import cell_text
from tasks.live.client import Json
from tasks.live.cursor import changed_at
from tasks.live.source import LiveSource
from tasks.read import read_export
from warehouse.live import ANSWERS, TASKS

READER = "label_studio"


def states(tasks: Sequence[Json]) -> pl.DataFrame:
    """One row per task (TASKS): when it changed, and the ids and times of its answers. The time alone is not enough: a
    task may be shown while an answer to it is being written."""
    rows = [(text(task["id"]), _state(task), len(_records(task, "predictions"))) for task in tasks]
    return pl.DataFrame(rows, schema=dict(TASKS), orient="row")


def read(source: LiveSource, tasks: Sequence[Json], is_first: bool) -> Export:
    """The tasks as the reader of files reads them."""
    options = replace(source.options, format=READER)
    key = options.columns.get("item", "").strip().removeprefix("data.")
    # That a whole project lacks the field is a wrong setting; that the few tasks of a later poll lack it is theirs.
    lacking = bool(key) and not is_first and not any(_has(task, key) for task in tasks)
    if lacking:
        options = replace(options, columns={})
    with tempfile.TemporaryDirectory(prefix="kappaflow-") as folder:
        path = Path(folder) / f"project-{source.project}.json"
        path.write_text(json.dumps({"tasks": tasks}), encoding="ascii")
        export = read_export(path, options)
    if lacking:
        nameless = export.rows.with_columns(pl.lit(None, pl.String).alias("item"))
        return replace(export, rows=nameless, metadata=export.metadata.clear())
    return export


def answers(tasks: Sequence[Json], export: Export) -> pl.DataFrame:
    """All answers that the tasks have (ANSWERS), also those that are refused later: they are not deleted."""
    task_of = {
        f"{kind.removesuffix('s')}:{text(answer.get('id'))}": text(task["id"])
        for task in tasks
        for kind in ("annotations", "predictions")
        for answer in _records(task, kind)
    } | {
        f"prediction:{text(copy.get('id'))}": text(task["id"])
        for task in tasks
        for annotation in _records(task, "annotations")
        if isinstance(copy := annotation.get("prediction"), dict)
    }
    rows = export.rows.select("question", "item", "source_ref").drop_nulls(["question", "source_ref"]).unique()
    task = pl.col("source_ref").replace_strict(task_of, default=None, return_dtype=pl.String).alias("task")
    return rows.with_columns(task).drop_nulls("task").select(*ANSWERS)


def text(value: object) -> str:
    """An id as text."""
    return cell_text(value) or ""


def _state(task: Json) -> str:
    held = [
        (kind, answer.get("id"), answer.get("updated_at"), answer.get("was_cancelled"))
        for kind in ("annotations", "predictions")
        for answer in _records(task, kind)
    ]
    return fingerprint(changed_at(task).isoformat(), sorted(map(repr, held)))


def _has(task: Json, key: str) -> bool:
    data = task.get("data")
    return isinstance(data, dict) and key in data


def _records(task: Json, kind: str) -> list[Json]:
    found = task.get(kind)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
