"""Further attempts at a batch with rejected rows: what passes now comes in, nothing twice, counts of the latest one."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import duckdb
import polars as pl
import pytest

from warehouse import sql
from warehouse.batches import REJECT_KEYS, REJECTS, BatchCounts
from warehouse.errors import WarehouseError
from warehouse.live_cursor import ANSWERS, TASKS, LiveBatch
from warehouse.maintenance.integrity import run_checks
from warehouse.questions import ratings_as_of, read_table, stored_questions

Con = duckdb.DuckDBPyConnection
Store = Callable[..., BatchCounts]
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def row(number: int, label: str, **more: object) -> dict[str, object]:
    return {"item": f"i{number}", "rater": "ann", "label": label, "row_number": number, **more}


def rejects(*numbers: int, reason: str = "unknown_label") -> pl.DataFrame:
    return pl.DataFrame([{"row_number": n, "reason": reason} for n in numbers], schema={**REJECTS, **REJECT_KEYS})


def counts_of(con: Con, batch_id: str = "b1") -> tuple[int, ...]:
    names = "attempt, n_rows, n_ratings, n_unchanged, n_skipped, n_rejected"
    rows: list[tuple[int, ...]] = con.execute(f"select {names} from batches where batch_id = ?", [batch_id]).fetchall()
    return rows[0]


def in_force(con: Con) -> list[tuple[str, str, str]]:
    return con.execute("select item, label, batch_id from current_ratings order by all").fetchall()


def sound(con: Con) -> bool:
    return not {name for name, rows in run_checks(con).items() if rows.height}


def test_rows_that_pass_now_come_in_under_the_same_batch(con: Con, store: Store) -> None:
    store(con, "b1", [row(1, "A")], rejects=rejects(2, 3), n_skipped=1, settings_hash="s1")
    counts = store(
        con,
        "b1",
        [row(1, "A"), row(2, "B")],
        rejects=rejects(3),
        n_skipped=1,
        settings_hash="s2",
        retry=True,
        at=NOON + HOUR,
    )
    assert (counts.n_ratings, counts.n_new, counts.n_unchanged, counts.n_rejected) == (2, 1, 0, 1)
    assert counts.questions == ("q",)
    assert in_force(con) == [("i1", "A", "b1"), ("i2", "B", "b1")]
    assert counts_of(con) == (2, 4, 2, 0, 1, 1)
    attempts = con.execute("select attempt, row_number from rejected_rows order by all").fetchall()
    assert attempts == [(1, 2), (1, 3), (2, 3)]
    assert read_table(con, "current_rejected_rows")["row_number"].to_list() == [3]
    assert read_table(con, "rejects_by_reason").select("reason", "n_rejected", "attempt").rows() == [
        ("unknown_label", 1, 2)
    ]
    assert read_table(con, "data_quality")["n_rejected"].to_list() == [1]
    # The first rating was in force before; the second is only since the second attempt.
    assert ratings_as_of(con, "q", NOON)["item"].to_list() == ["i1"]
    assert [result.revision for result in stored_questions(con)] == [2]
    assert sound(con)


def test_the_same_settings_and_a_refusal_change_nothing(con: Con, store: Store) -> None:
    store(con, "b1", [row(1, "A")], rejects=rejects(2), settings_hash="s1")
    assert store(con, "b1", [row(1, "A"), row(2, "B")], settings_hash="s1", retry=True).repeated
    assert store(con, "b1", status="rejected", reason="unreadable", settings_hash="s2", retry=True).repeated
    assert counts_of(con) == (1, 2, 1, 0, 0, 1)
    store(con, "b1", [row(1, "A")], rejects=rejects(2), settings_hash="s3", retry=True)
    assert counts_of(con) == (2, 2, 1, 0, 0, 1)
    assert [result.revision for result in stored_questions(con)] == [1]
    assert sound(con)


def test_what_came_in_between_is_not_outranked(con: Con, store: Store) -> None:
    store(con, "b1", [row(1, "A")], rejects=rejects(2), settings_hash="s1", at=NOON)
    store(con, "b2", [row(1, "C"), row(2, "C")], at=NOON + HOUR)
    store(con, "b1", [row(1, "A"), row(2, "B")], settings_hash="s2", retry=True, at=NOON + 2 * HOUR)
    assert in_force(con) == [("i1", "C", "b2"), ("i2", "C", "b2")]
    assert counts_of(con) == (2, 2, 2, 0, 0, 0)
    # Nor does a file that repeats what was known when it first arrived add to the history.
    store(
        con, "b3", [row(1, "C"), row(2, "C"), row(2, "C")], rejects=rejects(9), settings_hash="s1", at=NOON + 3 * HOUR
    )
    store(con, "b4", [row(1, "D"), row(2, "D")], at=NOON + 4 * HOUR)
    again = [row(1, "C"), row(2, "C"), row(2, "C"), row(9, "C")]
    store(con, "b3", again, settings_hash="s2", retry=True, at=NOON + 5 * HOUR)
    assert counts_of(con, "b3") == (2, 4, 1, 3, 0, 0)
    assert in_force(con) == [("i1", "D", "b4"), ("i2", "D", "b4"), ("i9", "C", "b3")]
    assert sound(con)


def test_what_the_file_says_otherwise_is_withdrawn_and_what_it_had_superseded_returns(con: Con, store: Store) -> None:
    store(con, "b0", [row(1, "X")], at=NOON - HOUR)
    store(con, "b1", [row(1, "A"), row(2, "A")], rejects=rejects(3), settings_hash="s1", at=NOON)
    now_read = [row(7, "A", row_number=1), row(2, "A", rater_kind="system"), row(3, "A")]
    store(con, "b1", now_read, settings_hash="s2", retry=True, at=NOON + HOUR)
    assert in_force(con) == [("i1", "X", "b0"), ("i2", "A", "b1"), ("i3", "A", "b1"), ("i7", "A", "b1")]
    kinds = con.execute("select item, rater_kind from current_ratings where rater_kind <> 'human'").fetchall()
    assert kinds == [("i2", "system")]
    assert counts_of(con) == (2, 3, 3, 0, 0, 0)
    before = ratings_as_of(con, "q", NOON).sort("item").select("item", "label", "rater_kind").rows()
    assert before == [("i1", "A", "human"), ("i2", "A", "human")]
    assert sound(con)
    # A third attempt that reads it as the first did.
    store(con, "b1", [row(1, "A"), row(2, "A")], rejects=rejects(3), settings_hash="s1", retry=True, at=NOON + 2 * HOUR)
    assert in_force(con) == [("i1", "A", "b1"), ("i2", "A", "b1")]
    # And the batch whose rating had returned says it otherwise: the returned one goes with it.
    store(con, "b0", [row(1, "Y")], settings_hash="s9", retry=True, at=NOON + 3 * HOUR)
    assert in_force(con) == [("i1", "A", "b1"), ("i2", "A", "b1")]
    assert sound(con)


def test_an_edited_row_is_withdrawn_once_and_the_latest_stays(con: Con, store: Store) -> None:
    early, late = NOON - HOUR, NOON
    store(con, "b0", [row(1, "X", rated_at=late)], at=NOON + HOUR)
    store(con, "b1", [row(1, "A", rated_at=late)], rejects=rejects(2), settings_hash="s1", at=NOON + 2 * HOUR)
    store(con, "b1", [row(1, "A", rated_at=early), row(2, "A")], settings_hash="s2", retry=True, at=NOON + 3 * HOUR)
    assert in_force(con) == [("i1", "X", "b0"), ("i2", "A", "b1")]
    assert sound(con)


def shown(*items: str) -> LiveBatch:
    """What a live source shows of the tasks 1 to 4: these items have an answer, the others none."""
    tasks = pl.DataFrame([(f"i{n}", f"{items}", 0, NOON) for n in (1, 2, 3, 4)], schema=dict(TASKS), orient="row")
    answers = pl.DataFrame([(item, "q", item, f"wrong {item}") for item in items], schema=dict(ANSWERS), orient="row")
    return LiveBatch("stream", None, tasks, answers)


@pytest.mark.parametrize("taken_back", ["withdrawn", "deleted"])
def test_a_rating_that_came_back_twice_goes_with_its_file(con: Con, store: Store, taken_back: str) -> None:
    store(con, "b0", [row(1, "X")], settings_hash="s1")
    for hours, batch in ((1, "b1"), (3, "b2")):
        at, later = NOON + hours * HOUR, NOON + (hours + 1) * HOUR
        if taken_back == "withdrawn":
            store(con, batch, [row(1, "A")], settings_hash="s1", at=at)
            store(con, batch, [], settings_hash="s2", retry=True, at=later)
        else:
            store(con, batch, [row(1, "A", source_ref="wrong i1")], shown=shown("i1"), at=at)
            store(con, f"{batch} later", [], shown=shown(), at=later)
        assert in_force(con) == [("i1", "X", "b0")]
    store(con, "b0", [], settings_hash="s2", retry=True, at=NOON + 5 * HOUR)
    assert in_force(con) == []
    assert sound(con)


def test_what_was_deleted_before_it_was_withdrawn_was_not_in_force_in_between(con: Con, store: Store) -> None:
    full = {"source": "tool", "full_export": True}
    store(con, "b1", [row(1, "A"), row(2, "A")], settings_hash="s1", at=NOON, **full)
    store(con, "b2", [row(2, "A")], at=NOON + HOUR, **full)
    store(con, "b1", [row(2, "A")], settings_hash="s2", retry=True, at=NOON + 3 * HOUR, **full)
    moments = [NOON, NOON + HOUR, NOON + 2 * HOUR, NOON + 3 * HOUR]
    assert [ratings_as_of(con, "q", moment)["item"].sort().to_list() for moment in moments] == [
        ["i1", "i2"], ["i2"], ["i2"], ["i2"]
    ]  # fmt: skip
    assert sound(con)


def test_a_row_is_read_anew_whatever_the_file_says_otherwise(con: Con, store: Store) -> None:
    usual = {"rated_at": NOON - HOUR, "system_version": "v1", "score": 0.5, "duration_s": 3.0, "source_ref": "a"}
    changes: list[dict[str, object]] = [
        {}, {"label": "B"}, {"rated_at": NOON - 2 * HOUR}, {"rated_at": None}, {"system_version": "v2"},
        {"system_version": None}, {"score": 0.25}, {"score": None}, {"duration_s": 4.0}, {"duration_s": None},
        {"row_number": 99}, {"source_ref": "b"}, {"source_ref": None},
    ]  # fmt: skip
    store(con, "b1", [row(number, "A", **usual) for number in range(len(changes))], settings_hash="s1")
    changed_rows = [row(number, "A", **usual) | change for number, change in enumerate(changes)]
    store(con, "b1", changed_rows, settings_hash="s2", retry=True, at=NOON + HOUR)
    results = [
        result
        for result in read_table(con, "ratings").to_dicts()
        if not (result["superseded_at"] or result["deleted_at"])
    ]
    stored = {result["item"]: {name: result[name] for name in [*changed_rows[0], "label"]} for result in results}
    assert stored == {str(changed_row["item"]): changed_row for changed_row in changed_rows}
    withdrawn = con.execute("select item from ratings where deleted_at is not null").fetchall()
    assert sorted(withdrawn) == sorted((changed_row["item"],) for changed_row in changed_rows[1:])
    assert sound(con)


@pytest.mark.parametrize("taken_back", ["withdrawn", "deleted"])
@pytest.mark.parametrize(("rule", "back"), [("latest", "pqqq"), ("first", "qppp")])
def test_of_versions_of_one_time_the_rule_chooses_by_arrival_then_by_row(
    con: Con, store: Store, rule: str, back: str, taken_back: str
) -> None:
    early, ahead, rules = NOON - 9 * HOUR, NOON + 5 * HOUR, {"q": rule}
    of_b1 = [row(1, "p", rated_at=ahead), row(1, "q"), row(3, "p", rated_at=early), row(3, "q", rated_at=early)]
    of_b1.append(row(4, "p", rated_at=ahead))  # it counts from its arrival, an hour before the next one
    store(con, "b1", of_b1, rejects=rejects(9), settings_hash="s1", rules=rules)
    store(con, "b2", [row(2, "q", rated_at=early), row(4, "q")], rules=rules, at=NOON + HOUR)
    of_b1.append(row(2, "p", rated_at=early))  # stored last, but it arrived first
    store(con, "b1", of_b1, settings_hash="s2", rules=rules, retry=True, at=NOON + 2 * HOUR)
    in_between = in_force(con)
    assert "".join(label for _, label, _ in in_between) == back
    wrong_at, later = (NOON + 3 * HOUR if rule == "latest" else early - HOUR), NOON + 4 * HOUR
    wrong = [row(number, "w", rated_at=wrong_at, source_ref=f"wrong i{number}") for number in (1, 2, 3, 4)]
    with_wrong, without = (shown("i1", "i2", "i3", "i4"), shown()) if taken_back == "deleted" else (None, None)
    store(con, "w", wrong, settings_hash="s1", rules=rules, shown=with_wrong, at=NOON + 3 * HOUR)
    assert [label for _, label, _ in in_force(con)] == ["w"] * 4
    if without is None:
        store(con, "w", [], settings_hash="s2", rules=rules, retry=True, at=later)
    else:
        store(con, "later", [], rules=rules, shown=without, at=later)
    assert in_force(con) == in_between
    assert sound(con)


@pytest.mark.parametrize(
    "failing",
    [
        "storing/01_withdraw_changed",
        "storing/07_write_ratings",
        "storing/08_delete_missing_ratings",
        "storing/10_touched_items",
        "storing/11_item_patterns",
        "storing/12_pattern_counts",
        "storing/13_daily_counts",
        "storing/14_rating_counts_and_unused_patterns",
        "storing/15_batch_windows",
        "storing/19_question_revisions",
        "storing/20_metadata_and_rejects",
    ],
)
def test_an_attempt_that_fails_leaves_everything(
    con: Con, store: Store, failing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(con, "b0", [row(1, "X")])
    store(con, "b1", [row(1, "A")], rejects=rejects(2), settings_hash="s1")
    private = con.execute("select table_name from duckdb_tables() where schema_name = 'internal'").fetchall()
    names = ("ratings", "batches", "rejected_rows", *(f"internal.{name}" for (name,) in private))
    before = [con.table(name).fetchall() for name in names]
    run = sql.run

    def fail(con: Con, name: str, /, **values: object) -> None:
        run(con, name, **values)
        if name == failing:
            raise KeyboardInterrupt

    monkeypatch.setattr(sql, "run", fail)
    with pytest.raises(KeyboardInterrupt):
        store(con, "b1", [row(1, "B"), row(2, "B")], settings_hash="s2", retry=True, full_export=True)
    monkeypatch.undo()
    assert [con.table(name).fetchall() for name in names] == before
    store(con, "b1", [row(1, "B"), row(2, "B")], settings_hash="s2", retry=True)
    assert in_force(con) == [("i1", "B", "b1"), ("i2", "B", "b1")]
    assert sound(con)


def test_counts_that_do_not_add_up_are_refused_in_a_further_attempt_too(con: Con, store: Store) -> None:
    store(con, "b1", [row(1, "A")], rejects=rejects(2), settings_hash="s1")
    with pytest.raises(WarehouseError, match="b1 has 7 rows"):
        store(con, "b1", [row(1, "A")], n_rows=7, settings_hash="s2", retry=True)
    assert counts_of(con) == (1, 2, 1, 0, 0, 1)
