"""Rejected rows taken in after a fix, and deletions of a full export, as a user does it under a real Prefect server."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Json = Callable[..., Any]
TABLE = "item,rater,label\n1,ann,kind\n2,ann,cruel\n3,ann,rude\n"
TOML = '[[source]]\npath = "inbox"\n[questions.tone]\nlabels = ["kind", "rude"]\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "inbox").mkdir(parents=True)
    (folder / "kappaflow.toml").write_text(TOML)
    return folder


def test_retry_rejects_from_the_command_line(project: Path, kappaflow_json: Json, prefect_server: str) -> None:
    def ingest(*more: str | Path) -> list[tuple[object, ...]]:
        results = kappaflow_json("ingest", *more, "--project", project, PREFECT_API_URL=prefect_server)
        return [
            (result["file_name"], result["status"], result["n_ratings"], result["n_rejected"])
            for result in results["files"]
        ]

    file = project / "inbox" / "tone.csv"
    file.write_text(TABLE)
    assert ingest() == [("tone.csv", "stored", 2, 1)]
    (project / "kappaflow.toml").write_text(TOML.replace('"rude"', '"rude", "cruel"'))
    moved = file.rename(project / "tone.csv")
    assert ingest("--retry-rejects") == [("tone.csv", "missing", 0, 0)]
    assert ingest("--retry-rejects", moved) == [("tone.csv", "stored", 3, 0)]
    assert ingest("--retry-rejects") == []
    result = kappaflow_json("sql", "select source, attempt, n_rows, n_ratings from batches", "--project", project)
    assert result == [{"source": "inbox", "attempt": 2, "n_rows": 3, "n_ratings": 3}]


def test_a_full_export_deletes_and_the_question_is_evaluated_again(
    project: Path, kappaflow_json: Json, prefect_server: str
) -> None:
    (project / "kappaflow.toml").write_text(TOML.replace("[questions", "full_export = true\n[questions"))
    lines = [f"{item},{rater},{'kind' if item % 2 else 'rude'}" for item in range(6) for rater in ("ann", "bob")]
    for day, kept in enumerate((lines, lines[:-1]), 20_001):
        file = project / "inbox" / f"tone-{day}.csv"
        file.write_text("\n".join(["item,rater,label,question", *(f"{line},tone" for line in kept)]) + "\n")
        os.utime(file, (day * 86_400, day * 86_400))
        result = kappaflow_json("run", "--project", project, PREFECT_API_URL=prefect_server)
    assert [(outcome["n_ratings"], outcome["n_unchanged"], outcome["n_deleted"]) for outcome in result["files"]] == [
        (0, 11, 1)
    ]
    assert result["evaluated"] == ["tone"]
    query = "select n_ratings from latest_agreement where coefficient = 'fleiss_kappa' and scope = 'humans'"
    query += " and period = 'all'"
    assert kappaflow_json("sql", query, "--project", project) == [{"n_ratings": 11}]
    query = "select item, rater from ratings inner join batches as b on deleted_by = b.batch_id"
    assert kappaflow_json("sql", query, "--project", project) == [{"item": "5", "rater": "bob"}]
