"""A batch of more rows than DuckDB holds back until the commit, into a warehouse that has ratings."""

import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from tests.warehouse.conftest import NOON
from warehouse.batches import BatchCounts
from warehouse.patterns import question_patterns, rebuild
from warehouse.questions import stored_questions

N = 130_000  # more than a row group of DuckDB, 122,880


def test_a_large_batch_is_seen_in_its_own_transaction(
    con: duckdb.DuckDBPyConnection, store: Callable[..., BatchCounts]
) -> None:
    # DuckDB 2.0.0: an INSERT of no rows (nothing is withdrawn) hid the large one after it, which was counted as
    # unchanged; its question was never due.
    store(con, "small", [{"item": "a", "rater": "r", "label": "x"}])
    rows = [
        {"question": "large", "item": str(number // 5), "rater": str(number % 5), "label": "x"} for number in range(N)
    ]
    counts = store(con, "large", rows, at=NOON + timedelta(days=1))
    assert (counts.n_ratings, counts.n_unchanged, counts.questions) == (N, 0, ("large",))
    assert {result.question: result.revision for result in stored_questions(con)}["large"] == 1


def test_many_patterns_are_seen_once_they_are_made_anew(
    con: duckdb.DuckDBPyConnection, store: Callable[..., BatchCounts]
) -> None:
    # No content is new to a rebuild, and then those of all known patterns are inserted: the same of DuckDB 2.0.0.
    rows = [
        {"question": "large", "item": str(number // 3), "rater": f"{number % 3}/{number // 3 % 400}", "label": label}
        for number in range(N)
        for label in [str(number // 3 // 400)]
    ]
    store(con, "large", rows)
    before = question_patterns(con, "large").sort("pattern_id", "rater")
    assert before.height > 122_880
    rebuild(con, "large")
    assert question_patterns(con, "large").sort("pattern_id", "rater").equals(before)


def test_many_refused_duplicates_are_all_stored(
    con: duckdb.DuckDBPyConnection, store: Callable[..., BatchCounts]
) -> None:
    # No row is rejected before them, so an INSERT of no rows stands before theirs.
    rows = [{"item": str(number // 5), "rater": str(number % 5), "label": "x"} for number in range(N)]
    store(con, "first", rows, rules={"q": "error"})
    others = [row | {"label": "y"} for row in rows]
    counts = store(con, "second", others, at=NOON + timedelta(days=1), rules={"q": "error"})
    assert (counts.n_ratings, counts.n_rejected) == (0, N)
    stored = con.sql("select count(*), count(distinct row_number) from rejected_rows where batch_id = 'second'")
    assert stored.fetchall() == [(N, N)]


STORE_REJECTS = """
import re, sys
from pathlib import Path
import polars as pl
from schemas.rating_columns import METADATA, RATINGS
from tests.warehouse.conftest import NOON
from warehouse.batches import Batch, store_batch
from warehouse.connect import connect

def peak_kb():  # ru_maxrss of a child begins with the memory of its parent
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

rejects = pl.DataFrame({"row_number": range(2, 400_002)}).with_columns(
    column_name=pl.lit("rated_at"), value=pl.format("day {}", "row_number"), reason=pl.lit("bad_time"),
    detail=pl.lit("The time is neither ISO 8601 nor Unix seconds, or not between 1971 and 2200."),
)
batch = Batch(batch_id="b" * 64, source=None, file_name="bad.csv", sha256="b" * 64, reader="long", status="stored",
              n_rows=rejects.height, n_skipped=0, started_at=NOON)
no_ratings, no_metadata = pl.DataFrame(schema=RATINGS), pl.DataFrame(schema=METADATA)
with connect(Path(sys.argv[1])) as con:
    before = peak_kb()
    store_batch(con, batch, no_ratings, rejects, no_metadata, now=NOON)
    after = peak_kb()
    in_order = con.sql("select row_number from rejected_rows").pl()["row_number"].equals(rejects["row_number"])
    print((after - before) * 1024 // rejects.height, in_order)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_rejected_rows_are_not_held_in_memory_until_the_commit(warehouse: Path) -> None:
    # With `insert ... returning` they took 850 bytes each, and now about 420.
    child = [sys.executable, "-c", STORE_REJECTS, str(warehouse)]
    output = subprocess.run(child, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=True).stdout
    n_bytes, in_order = output.split()
    assert int(n_bytes) < 600
    assert in_order == "True"
