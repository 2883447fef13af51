"""What the first line of `kappaflow status` counts."""

from pathlib import Path
from typing import Any

import pytest

from flows.cli.status_output import print_status
from flows.project_folder import find_project

NOTHING = {
    "project": "P", "n_files": 1, "n_files_rejected": 0, "n_files_withdrawn": 0, "n_ratings": 0,
    "n_votes": 0, "n_rejected": 0, "questions": [], "regions": [], "models": [], "contradictions": [],
    "poor_agreement": [], "low_slices": [], "last_runs": [], "outdated": [], "open_alerts": [], "service": None,
    "newest_ratings_at": None, "publications": [], "sizes": {}, "problems": [],
}  # fmt: skip
SPANS = {
    "question": "ner", "n_regions": 6, "n_items": 3, "n_raters": 2, "coefficient": "f1_exact", "estimate": 0.5,
    "low": 0.25, "high": 0.75,
}  # fmt: skip


@pytest.mark.parametrize(
    ("there_is", "text"),
    [
        ({}, "0 current ratings, 0 rejected rows"),
        ({"problems": ["The file is damaged."]}, "· The file is damaged. P: 1 file (0 not readable)"),
        ({"n_ratings": 1, "n_votes": 2}, "1 current rating, 2 current votes, 0 rejected rows"),
        ({"n_files_withdrawn": 1}, "P: 1 file (0 not readable, 1 withdrawn), 0 current ratings"),
        ({"n_votes": 2}, "(0 not readable), 2 current votes, 0 rejected rows"),
        ({"regions": [SPANS]}, "(0 not readable), 1 question of spans, boxes, rankings or texts, 0 rejected rows"),
        (
            {"n_ratings": 3, "regions": [SPANS, {**SPANS, "coefficient": "f1_iou50"}]},
            "3 current ratings, 1 question of spans, boxes, rankings or texts, 0 rejected rows",
        ),
    ],
)
def test_it_counts_what_there_is(
    there_is: dict[str, Any],
    text: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "kappaflow.toml").write_text("")
    print_status({**NOTHING, **there_is}, find_project(tmp_path))
    assert text in " ".join(capsys.readouterr().out.split())
