"""Read the tasks of a page: their states, their rows as in an export, their spans and boxes, and all their answers."""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from tasks.fingerprint import fingerprint
from tasks.formats import Export
from tasks.formats.parsing.cells import cell_text
from tasks.ingest.incoming_answers import with_answers
from tasks.ingest.incoming_regions import IncomingRegions, regions_beside_ratings
from tasks.ingest.ingest_rules import IngestRules
from tasks.ingest.read_export import read_export
from tasks.ingest.validate import ValidatedExport, validate
from tasks.sources.live_label_studio.client import Json
from tasks.sources.live_label_studio.cursor import changed_at
from tasks.sources.live_label_studio.live_source import LiveSource
from warehouse.live_cursor import ANSWERS, TASKS

READER = "label_studio"


def states(tasks: Sequence[Json]) -> pl.DataFrame:
    """Return one row per task (TASKS), with the time of its last change and a hash of its state.

    The hash covers that time and the ids and times of the answers. The time alone is not enough, because a task may be
    fetched while an answer to it is being stored.
    """
    rows = [(text(task["id"]), _state(task), len(_records(task, "predictions")), changed_at(task)) for task in tasks]
    return pl.DataFrame(rows, schema=dict(TASKS), orient="row")


def read(
    source: LiveSource, tasks: Sequence[Json], is_first: bool, rules: IngestRules, questions: Sequence[str] = ()
) -> tuple[Export, ValidatedExport, IncomingRegions | None]:
    """Read and validate the tasks with the readers of export files: ratings, and spans, boxes, rankings and texts.

    `questions` are the questions of spans and boxes of earlier polls.
    """
    options = replace(source.options, format=READER)
    key = options.columns.get("item", "").strip().removeprefix("data.")
    # If the whole project lacks the field, the setting is wrong. If only the few tasks of a later poll lack it, these
    # tasks are incomplete.
    lacks_item_field = bool(key) and not is_first and not any(_has(task, key) for task in tasks)
    if lacks_item_field:
        options = replace(options, columns={})
    with tempfile.TemporaryDirectory(prefix="kappaflow-") as folder:
        path = Path(folder) / f"project-{source.project}.json"
        path.write_text(json.dumps({"tasks": tasks}), encoding="ascii")
        export = read_export(path, options)
        if lacks_item_field:
            without_item = export.rows.with_columns(pl.lit(None, pl.String).alias("item"))
            export = replace(export, rows=without_item, metadata=export.metadata.clear())
            return export, validate(export, labels=rules.labels), None
        checked, regions = validate(export, labels=rules.labels), None
        names = [name.removeprefix(f"{options.prefix}/") if options.prefix else name for name in questions]
        if beside := regions_beside_ratings(path, options, export, checked, names):
            checked, regions = beside
        if with_them := with_answers(path, options, rules.answers, export, checked, regions):
            checked, regions = with_them
    return export, checked, regions


def answers(tasks: Sequence[Json], export: Export, regions: IncomingRegions | None = None) -> pl.DataFrame:
    """Return all answers of the tasks (ANSWERS), including those that are rejected later: they are not deleted."""
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
    rows = export.rows.select("question", "item", "source_ref")
    if regions is not None:
        rows = pl.concat([rows, regions.work_of(regions.checked).select("question", "item", "source_ref")])
    rows = rows.drop_nulls(["question", "source_ref"]).unique()
    task = pl.col("source_ref").replace_strict(task_of, default=None, return_dtype=pl.String).alias("task")
    return rows.with_columns(task).drop_nulls("task").select(*ANSWERS)


def text(value: object) -> str:
    """Convert an id to text."""
    return cell_text(value) or ""


def _state(task: Json) -> str:
    answers_of_task = [
        (kind, answer.get("id"), answer.get("updated_at"), answer.get("was_cancelled"))
        for kind in ("annotations", "predictions")
        for answer in _records(task, kind)
    ]
    return fingerprint(changed_at(task).isoformat(), sorted(map(repr, answers_of_task)))


def _has(task: Json, key: str) -> bool:
    data = task.get("data")
    return isinstance(data, dict) and key in data


def _records(task: Json, kind: str) -> list[Json]:
    records = task.get(kind)
    return [record for record in records if isinstance(record, dict)] if isinstance(records, list) else []
