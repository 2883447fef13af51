"""Readers of the published snapshot, while it is replaced again and again: each sees a whole one, never an older."""

import subprocess
import sys
from pathlib import Path

from warehouse.connect import connect
from warehouse.maintenance.integrity import run_checks
from warehouse.publication.snapshot import publish

WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
import polars as pl
from warehouse.batches import METADATA, RATINGS, REJECTS, Batch, store_batch
from warehouse.connect import connect
from warehouse.publication.snapshot import publish

path, n_batches = Path(sys.argv[1]), int(sys.argv[2])
now = datetime(2026, 3, 1, tzinfo=UTC)
rejects, metadata = pl.DataFrame(schema=dict(REJECTS)), pl.DataFrame(schema=dict(METADATA))
for number in range(n_batches):
    row = dict.fromkeys(RATINGS) | {"question": "q", "rater": f"r{number}", "rater_kind": "human", "label": "x"}
    ratings = pl.DataFrame([row | {"item": str(item)} for item in range(100)], schema=dict(RATINGS))
    batch = Batch(batch_id=str(number), source=None, file_name=None, sha256=None, reader=None, status="stored",
        n_rows=100, n_skipped=0, started_at=now)
    with connect(path) as con:
        store_batch(con, batch, ratings, rejects, metadata, now=now)
    publish(path, path.parent / "published")
"""


N_BATCHES = 6


def test_each_reader_sees_a_whole_snapshot(warehouse: Path) -> None:
    snapshot = publish(warehouse, warehouse.parent / "published")
    command = [sys.executable, "-c", WRITER, warehouse, str(N_BATCHES)]
    seen = []
    with subprocess.Popen(command, cwd=Path(__file__).parents[3], stderr=subprocess.PIPE, text=True) as writer:
        ended = False
        while not ended:
            ended = writer.poll() is not None  # and once more after the last
            with connect(snapshot, read_only=True, wait_seconds=0) as con:
                assert not [name for name, rows in run_checks(con).items() if rows.height]
                query = "select count(*), count(distinct batch_id) from ratings"
                ((n_ratings, n_seen),) = con.execute(query).fetchall()
                assert n_ratings == 100 * n_seen
                seen.append(n_seen)
        assert writer.returncode == 0, writer.communicate()
    assert seen == sorted(seen)
    assert seen[-1] == N_BATCHES
