"""Read the status of a project: its warehouse, its publications, the running service, the sizes of its files."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from flows.project_folder import Project
from flows.service.service_record import running_service
from flows.settings import task_inputs
from flows.settings.target_inputs import publish_targets
from tasks.evaluate.pending_questions import outdated_questions
from tasks.publish.publication_state import read_publications
from tasks.summary.contrary_voter_rows import contrary_voter_sentences
from tasks.summary.run_figures import contradiction_sentences, poor_sentences, region_sentences
from tasks.summary.slice_sentences import slice_sentences
from warehouse import status
from warehouse.connect import connect
from warehouse.errors import WarehouseError
from warehouse.publication.page_queries import page_rows
from warehouse.questions import read_table

if TYPE_CHECKING:
    import duckdb


def read_project_status(project: Project) -> dict[str, Any]:
    """Return the value of `status --json`.

    It is that of the warehouse, or of the snapshot while a run holds the warehouse.
    """
    service = running_service(project)
    return {
        "project": str(project.folder),
        "warehouse": str(project.warehouse),
        **_stored_status(project),
        "publications": _publications(project),
        "service": service.to_json(datetime.now(UTC)) if service else None,
        "sizes": {
            name: _size(path)
            for name, path in (
                ("warehouse", project.warehouse),
                ("published", project.published),
                ("report", project.report),
                ("backups", project.backups),
                ("prefect", project.prefect_home),
            )
        },
    }


def _publications(project: Project) -> list[dict[str, Any]]:
    """Return what became of each target of the settings when it was last tried; null before the first time."""
    last_tries = read_publications(project.publications)
    keys = ("status", "at", "written_at", "error")
    return [
        {"target": target.name, **{key: last_tries.get(target.name, {}).get(key) for key in keys}}
        for target in publish_targets(project)
    ]


def _stored_status(project: Project) -> dict[str, Any]:
    try:
        with connect(project.warehouse, read_only=True, wait_seconds=0) as con:
            return _status_of(con, project)
    except WarehouseError:
        with connect(project.snapshot, read_only=True) as con:
            return _status_of(con, project)


def _status_of(con: "duckdb.DuckDBPyConnection", project: Project) -> dict[str, Any]:
    pairs = page_rows(con, "low_pairs", {"question": None})
    confused = page_rows(con, "confused_labels", {"question": None})
    systems = page_rows(con, "systems", {"question": None, "system": None, "slice": None})
    outdated = outdated_questions(con, (task_inputs.question_configs(project), task_inputs.evaluation_options(project)))
    current = read_table(con, "latest_agreement").filter(~pl.col("question").is_in(outdated.keys()))
    return status.read_status(con).to_json() | {
        "contradictions": [
            *contradiction_sentences(pairs),
            *region_sentences(read_table(con, "latest_region_agreement")),
            *contrary_voter_sentences(read_table(con, "latest_preference_figures")),
        ],
        "poor_agreement": poor_sentences(current, confused, pairs),
        "low_slices": slice_sentences(systems),
        "outdated": _outdated_sentences(outdated),
    }


def _outdated_sentences(outdated: Mapping[str, str]) -> list[str]:
    """Say which questions have figures of other ratings or settings than those of now."""
    questions: dict[str, list[str]] = {}
    for question, sentence in sorted(outdated.items()):
        questions.setdefault(sentence, []).append(question)
    return [f"{', '.join(names)}: {sentence}" for sentence, names in questions.items()]


def _size(path: Path) -> int:
    """Return the bytes of a file or a folder, 0 if it does not exist."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size if path.exists() else 0
