"""A batch of more rows than DuckDB holds back until the commit, into a warehouse that has ratings."""

from collections.abc import Callable
from datetime import timedelta

import duckdb

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
    assert {one.question: one.revision for one in stored_questions(con)}["large"] == 1


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
