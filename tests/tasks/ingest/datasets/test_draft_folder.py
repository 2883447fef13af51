"""The folder of a count: removed at the end, and what a killed count left is removed by the next one."""

import subprocess
import sys
from pathlib import Path

import pytest

from tasks.ingest.datasets.draft_folder import LOCK, draft_folder

KILLED = """
import os, sys
from pathlib import Path
from tasks.ingest.datasets.draft_folder import draft_folder
with draft_folder(Path(sys.argv[1])) as folder:
    (folder / "spilled").write_text("large")
    os._exit(9)
"""


WITHOUT_LOCKS = """
import shutil, sys, tempfile
from pathlib import Path
sys.platform, sys.modules["fcntl"] = "win32", None
from tasks.ingest.datasets.draft_folder import draft_folder
with draft_folder(Path(sys.argv[1])) as first, draft_folder(Path(sys.argv[1])) as second:
    (second / "spilled").write_text("large")
    assert first.exists()
assert list(Path(sys.argv[1]).iterdir()) == []
"""


def test_the_folder_is_removed_also_after_an_error(tmp_path: Path) -> None:
    def stopped() -> None:
        with draft_folder(tmp_path) as folder:
            (folder / "spilled").write_text("large")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_count_left_is_removed_by_the_next(tmp_path: Path) -> None:
    assert subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False).returncode == 9
    (left,) = tmp_path.iterdir()
    assert (left / "spilled").exists()
    with draft_folder(tmp_path):
        assert not left.exists()
    assert list(tmp_path.iterdir()) == []


def test_folders_of_others_stay(tmp_path: Path) -> None:
    own, linked, away = tmp_path / "dataset-2026", tmp_path / "dataset-link", tmp_path / "away"
    for folder in (own, away):
        folder.mkdir()
        (folder / "data.csv").write_text("mine")
    linked.symlink_to(away)
    (away / LOCK).touch()
    with draft_folder(tmp_path) as result, draft_folder(tmp_path) as other:
        assert result.exists()
        assert other.exists()
    assert (own / "data.csv").exists()
    assert (away / "data.csv").exists()
    assert sorted(tmp_path.iterdir()) == sorted([own, linked, away])


def test_where_the_system_has_no_locks_a_folder_in_use_stays(tmp_path: Path) -> None:
    finished = subprocess.run(
        [sys.executable, "-c", WITHOUT_LOCKS, str(tmp_path)], check=False, capture_output=True, text=True
    )
    assert (finished.returncode, finished.stderr) == (0, "")
