"""The keys of texts: numbered as they come, the same for the same text, whatever else the batch holds."""

from collections.abc import Callable

import duckdb
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warehouse import sql
from warehouse.batches import BatchCounts
from warehouse.keys import coded, repeated

Con = duckdb.DuckDBPyConnection
Store = Callable[..., BatchCounts]
ITEMS = (
    "select question, item_id, item from internal.items join internal.questions using (question_id) order by item_id"
)


@given(st.lists(st.sampled_from(["b", "a", "", "é", "b\n"])))
def test_codes_lead_back_to_the_texts_and_count_in_their_order(texts: list[str]) -> None:
    result = coded(pl.Series(texts, dtype=pl.String))
    assert result.texts.gather(result.codes).to_list() == texts
    assert result.texts.to_list() == list(dict.fromkeys(texts))


def test_texts_of_one_hash_and_nulls_are_numbered_by_their_text(monkeypatch: pytest.MonkeyPatch) -> None:
    assert coded(pl.Series(["b", None, "a", "b"])).codes.to_list() == [0, None, 1, 0]
    monkeypatch.setattr(pl.Series, "hash", lambda texts, seed: pl.Series(len(texts) * [7], dtype=pl.UInt64))
    column = coded(pl.Series(["b", "a", "b"]))
    assert (column.codes.to_list(), column.texts.to_list()) == ([0, 1, 0], ["b", "a"])


@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from([0, 1, 2, 10**6]))))
def test_pairs_that_stand_twice_are_found_in_narrow_and_wide_tables(pairs: list[tuple[int, int]]) -> None:
    frame = pl.DataFrame(pairs, schema={"item_id": pl.Int32, "rater_id": pl.Int32}, orient="row")
    assert sorted(repeated(frame).rows()) == sorted({pair for pair in pairs if pairs.count(pair) > 1})


def test_items_are_numbered_by_question_as_they_come_and_keep_their_number(con: Con, store: Store) -> None:
    store(con, "b1", [row("q", "2"), row("r", "1"), row("q", "1")], metadata=about("s", "9"))
    first = [("q", 1, "2"), ("r", 2, "1"), ("q", 3, "1"), ("s", 4, "9")]
    assert con.execute(ITEMS).fetchall() == first
    store(con, "b2", [row("q", "0"), row("q", "2", label="B"), row("r", "2"), row("q", "1", label="B")])
    assert con.execute(ITEMS).fetchall() == [*first, ("q", 5, "0"), ("r", 6, "2")]
    rows = con.execute("select question, item, label from current_ratings order by all").fetchall()
    assert rows == [("q", "0", "A"), ("q", "1", "B"), ("q", "2", "B"), ("r", "1", "A"), ("r", "2", "A")]


@pytest.mark.parametrize("questions", [["q"], ["q", "r"]])
def test_what_meets_nothing_is_stored_as_if_it_had_been_compared(
    con: Con, store: Store, monkeypatch: pytest.MonkeyPatch, questions: list[str]
) -> None:
    """Two batches that differ in their questions only; the second one takes all steps."""
    ran: list[str] = []
    run = sql.run
    monkeypatch.setattr(sql, "run", lambda con, name, /, **values: (ran.append(name), run(con, name, **values)))
    rows = [row(question, str(n), rater=f"r{n % 3}") for n in range(20) for question in questions]
    quick = store(con, "b1", rows)
    assert "storing/04_first_ratings" in ran
    assert "storing/06_choose_current" not in ran
    value = sql.value
    monkeypatch.setattr(sql, "value", lambda con, name, **p: name == "batches/meets_ratings" or value(con, name, **p))
    other = [result | {"question": f"{result['question']}2"} for result in rows]
    slow = store(con, "b2", other)
    assert "storing/06_choose_current" in ran
    assert (quick.n_ratings, quick.n_unchanged) == (slow.n_ratings, slow.n_unchanged) == (len(rows), 0)
    facts = """select replace(question, '2', ''), item, rater, label, row_number, superseded_at
        from ratings where batch_id = $b order by row_number"""
    assert con.execute(facts, {"b": "b1"}).fetchall() == con.execute(facts, {"b": "b2"}).fetchall()


def test_a_batch_that_repeats_itself_is_compared(con: Con, store: Store) -> None:
    counts = store(con, "b1", [row("q", "1"), row("q", "1", label="B"), row("q", "1", label="B")])
    assert (counts.n_ratings, counts.n_unchanged) == (2, 1)
    assert con.execute("select label from current_ratings").fetchall() == [("B",)]


def row(question: str, item: str, *, rater: str = "ann", label: str = "A") -> dict[str, object]:
    return {"question": question, "item": item, "rater": rater, "label": label}


def about(question: str, item: str) -> pl.DataFrame:
    return pl.DataFrame({"question": [question], "item": [item], "key": ["k"], "value": ["v"]})
