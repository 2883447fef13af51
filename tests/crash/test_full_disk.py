"""A full disk: a sentence, exit 1, nothing half stored, and the next run completes once there is room."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.compare import Verdict, compare, picture
from tests.crash.scenarios import first_files
from tests.crash.worker import Worker

RUN = [("run",)]
WIDE = 1 << 30


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def _resize(disk: Path, size: int) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", disk], check=True)


def _size(folder: Path) -> int:
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*"))


def test_a_run_on_a_full_disk_says_so_and_the_next_one_completes(disk: Path, child: Worker, tmp_path: Path) -> None:
    single = tmp_path / "single"
    first_files(single)
    assert child.do(single, RUN).code == 0
    expected, needed = picture(single / "warehouse.duckdb"), _size(single)
    for share in (
        0.08,
        0.3,
        0.7,
    ):  # what is full while the warehouse is made, while it is filled, while it is published
        folder = disk / str(share)
        _resize(disk, int(needed * share))
        first_files(folder)
        ended = child.do(folder, RUN)
        assert ended.code == 1, ended.output
        assert "disk is full" in ended.output or "No space left on device" in ended.output
        assert "Traceback" not in ended.output
        _resize(disk, WIDE)
        assert child.do(folder, RUN).code == 0
        assert compare(expected, folder) == Verdict()
        shutil.rmtree(folder)
