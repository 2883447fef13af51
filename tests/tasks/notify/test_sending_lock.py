"""The lock on the messages of a project."""

import subprocess
import sys
from pathlib import Path

from tasks.notify.sending_lock import sending_lock

HOLD = """
import sys, time
from tasks.notify.sending_lock import sending_lock
with sending_lock(sys.argv[1], wait_seconds=0):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_killed_process_leaves_no_lock(tmp_path: Path) -> None:
    db = tmp_path / "warehouse.duckdb"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(db)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with sending_lock(db, wait_seconds=0.2) as is_held:
            assert not is_held
        holder.kill()
        holder.wait()
        with sending_lock(db, wait_seconds=5) as is_held:
            assert is_held


def test_it_is_free_again_after_the_block(tmp_path: Path) -> None:
    for _ in range(2):
        with sending_lock(tmp_path / "warehouse.duckdb", wait_seconds=0) as is_held:
            assert is_held
