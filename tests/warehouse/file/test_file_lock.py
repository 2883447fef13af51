import subprocess
import sys
import threading
import time
from pathlib import Path

from warehouse.file.file_lock import wait_for_lock

HOLDER = """
import sys
from warehouse.file.file_lock import wait_for_lock
file = open(sys.argv[1])
print(wait_for_lock(file.fileno(), shared=sys.argv[2] == "shared", wait_seconds=0), flush=True)
sys.stdin.readline()
"""
ROOT = Path(__file__).parents[3]


def can_lock(path: Path, *, shared: bool = False, wait_seconds: float = 0) -> bool:
    with path.open() as file:
        return wait_for_lock(file.fileno(), shared=shared, wait_seconds=wait_seconds)


def test_a_lock_is_held_until_the_process_ends(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.touch()
    for kind, others in (("alone", False), ("shared", True)):
        with subprocess.Popen([sys.executable, "-c", HOLDER, path, kind], cwd=ROOT, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:  # fmt: skip
            assert holder.stdout is not None
            assert holder.stdout.readline() == "True\n"
            assert not can_lock(path)
            assert can_lock(path, shared=True) == others
            holder.kill()
        assert can_lock(path)


def test_it_waits(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    file = path.open("w")
    assert wait_for_lock(file.fileno(), wait_seconds=0)
    begun = time.monotonic()
    assert not can_lock(path, wait_seconds=0.1)
    assert time.monotonic() - begun >= 0.1
    ending = threading.Timer(0.1, file.close)
    ending.start()
    assert can_lock(path, wait_seconds=30)
    ending.join()
