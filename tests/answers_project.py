"""A small published project whose answers are spans and votes on models, with or without labels. Without Prefect."""

import json
from pathlib import Path

from tasks.evaluate.evaluation_options import QuestionConfigs
from tests.gate_project import OPTIONS, rating_rows, write_table
from tests.tasks.inbox import InboxProject
from warehouse.publication.snapshot import publish

TEXT = "Bob met Ann in Rome"
SPANS = {1: (0, 3, "PER"), 2: (0, 3, "PER"), 3: (15, 19, "<b>LOC")}
VOTES = "question_id,model_a,model_b,winner,judge\n" + "".join(
    f"{item},m1,m2,model_{'b' if item % 4 == 0 else 'a'},{judge}\n" for item in range(24) for judge in ("ann", "ben")
)


def spans_of(task: int) -> dict[str, object]:
    annotations = [
        {
            "completed_by": rater,
            "created_at": f"2026-03-{1 + task:02d}T10:00:00Z",
            "result": [
                {
                    "from_name": "names", "to_name": "text", "type": "labels",
                    "value": {"start": start, "end": end, "text": TEXT[start:end], "labels": [label]},
                }
            ],
        }
        for rater, (start, end, label) in SPANS.items()
        if rater < 3 or task % 2
    ]  # fmt: skip
    return {"id": task, "data": {"text": TEXT}, "annotations": annotations}


def publish_answers(folder: Path, *, with_labels: bool) -> InboxProject:
    """Make a project with the questions `names` (spans) and `votes`, and perhaps `tone` (labels)."""
    folder.mkdir()
    (folder / "kappaflow.toml").write_text("", encoding="utf-8")
    project = InboxProject(folder)
    (project.inbox / "spans.json").write_text(json.dumps([spans_of(task) for task in range(14)]), encoding="utf-8")
    (project.inbox / "votes.csv").write_text(VOTES, encoding="utf-8")
    if with_labels:
        write_table(project.inbox / "tone.csv", rating_rows(20, {"ann": 0.9, "bob": 0.9}))
    project.ingest()
    for kind in ("evaluate", "monitor"):
        project.work(kind, QuestionConfigs({}), OPTIONS)
    publish(project.db, folder / "published")
    return project
