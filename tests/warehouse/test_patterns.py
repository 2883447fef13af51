"""What the patterns tell of a few ratings, and how they follow when these change."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import duckdb
import polars as pl
import pytest

from warehouse import patterns
from warehouse.batches import BatchCounts
from warehouse.errors import WarehouseError
from warehouse.maintenance.integrity import run_checks
from warehouse.raters.rater_kinds import set_rater_kinds

Con = duckdb.DuckDBPyConnection
Store = Callable[..., BatchCounts]
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def row(item: str, rater: str, label: str, **more: object) -> dict[str, object]:
    return {"item": item, "rater": rater, "label": label, **more}


def shown(con: Con, question: str = "q") -> list[tuple[set[tuple[str, ...]], int]]:
    """Each pattern and how many items show it, the oldest first."""
    result = (
        patterns.question_patterns(con, question).sort("pattern_id").partition_by("pattern_id", maintain_order=True)
    )
    return [(set(each.select("rater", "rater_kind", "label").rows()), each["n_items"][0]) for each in result]


def test_items_with_the_same_ratings_share_a_pattern(con: Con, store: Store) -> None:
    store(con, "b1", [row(item, rater, "A") for item in "ij" for rater in "ab"] + [row("k", "a", "A")])
    both = {("a", "human", "A"), ("b", "human", "A")}
    assert shown(con) == [(both, 2), ({("a", "human", "A")}, 1)]
    assert patterns.question_patterns(con, "q").schema == pl.Schema(
        {"pattern_id": pl.Int64, "rater": pl.String, "rater_kind": pl.String, "label": pl.String, "n_items": pl.Int64}
    )
    assert patterns.question_patterns(con, "no such question").is_empty()


def test_an_item_leaves_its_pattern_and_enters_another(con: Con, store: Store) -> None:
    store(con, "b1", [row(item, "a", "A") for item in "ij"])
    store(con, "b2", [row("i", "a", "B")])
    assert shown(con) == [({("a", "human", "A")}, 1), ({("a", "human", "B")}, 1)]
    store(con, "b3", [row("j", "a", "B")])
    assert shown(con) == [({("a", "human", "B")}, 2)]
    # The first pattern is gone, and comes back under another number.
    store(con, "b4", [row("i", "a", "A")])
    assert patterns.question_patterns(con, "q")["pattern_id"].sort().to_list() == [2, 3]


def test_the_day_of_an_item_is_that_of_its_latest_human_rating(con: Con, store: Store) -> None:
    late = datetime(2026, 2, 27, 23, 59, 59, tzinfo=UTC)
    system = {"rater_kind": "system"}
    store(con, "b1", [row("i", "a", "A", rated_at=late - DAY), row("i", "b", "A", rated_at=late)])
    store(con, "b2", [row("i", "s", "A", rated_at=NOON, **system), row("j", "s", "A", **system)], at=NOON)
    store(con, "b3", [row("k", "a", "A")], at=NOON)
    rows = patterns.pattern_days(con, "q").select("day", "n_items").rows()
    assert rows == [(date(2026, 2, 27), 1), (date(2026, 3, 1), 1), (None, 1)]
    assert sum(patterns.question_patterns(con, "q").unique("pattern_id")["n_items"]) == 3


def test_a_batch_has_the_items_that_it_rated_as_they_are_now(con: Con, store: Store) -> None:
    store(con, "b1", [row("i", "a", "A", rated_at=NOON - DAY), row("j", "a", "A", rated_at=NOON)])
    store(con, "b2", [row("i", "b", "B"), row("j", "a", "B"), row("j", "s", "B", rater_kind="system")], at=NOON + DAY)
    result = patterns.pattern_batches(con, "q").join(patterns.question_patterns(con, "q"), on="pattern_id")
    assert result.select("batch_id", "rater", "label", "n_items").sort(pl.all()).rows() == [
        ("b1", "a", "A", 1), ("b1", "b", "B", 1),
        ("b2", "a", "A", 1), ("b2", "a", "B", 1), ("b2", "b", "B", 1), ("b2", "s", "B", 1),
    ]  # fmt: skip
    assert result.select("batch_id", "first_at", "last_at").unique().sort("batch_id").rows() == [
        ("b1", NOON - DAY, NOON), ("b2", NOON + DAY, NOON + DAY)
    ]  # fmt: skip


def test_the_last_items_are_those_rated_last(con: Con, store: Store) -> None:
    days = {"i": 2, "j": 1, "k": 1, "l": 0}
    store(con, "b1", [row(item, "a", item, rated_at=NOON + number * DAY) for item, number in days.items()])
    store(con, "b2", [row("m", "s", "m", rater_kind="system", rated_at=NOON + 9 * DAY)], at=NOON + 9 * DAY)
    labels = patterns.question_patterns(con, "q").select("pattern_id", "label")

    def last(n: int) -> list[str]:
        return sorted(patterns.last_items(con, "q", n).join(labels, on="pattern_id")["label"])

    assert [last(n) for n in (0, 1, 2, 3, 9)] == [[], ["i"], ["i", "k"], ["i", "j", "k"], ["i", "j", "k", "l"]]


def test_items_dated_in_the_future_are_not_those_rated_last(con: Con, store: Store) -> None:
    days = {"i": -2, "j": -1, "k": 2000}
    store(con, "b1", [row(item, "a", item, rated_at=NOON + number * DAY) for item, number in days.items()])
    labels = patterns.question_patterns(con, "q").select("pattern_id", "label")
    results = [patterns.last_items(con, "q", n).join(labels, on="pattern_id")["label"] for n in (1, 2, 3)]
    assert [sorted(names) for names in results] == [["j"], ["i", "j"], ["i", "j", "k"]]


def test_versions_count_the_ratings_in_force(con: Con, store: Store) -> None:
    system = {"rater_kind": "system"}
    store(con, "b1", [row(item, "s", "A", system_version="v1", **system) for item in "ij"] + [row("i", "a", "A")])
    store(con, "b2", [row("i", "s", "A", system_version="v2", **system)])
    assert patterns.versions_in_force(con, "q").rows() == [("s", "v1", 1), ("s", "v2", 1)]
    store(con, "b3", [row("j", "s", "A", system_version="v2", **system)])
    assert patterns.versions_in_force(con, "q").rows() == [("s", "v2", 2)]


def test_slices_are_made_by_metadata(con: Con, store: Store) -> None:
    values = [("q", "i", "lang", "de"), ("q", "j", "lang", "de"), ("q", "k", "lang", "en"), ("q", "k", "len", "9")]
    metadata = pl.DataFrame(values, schema=("question", "item", "key", "value"), orient="row")
    store(con, "b1", [row(item, "a", "A") for item in "ijkl"], metadata=metadata)
    assert patterns.slice_patterns(con, "q", "lang").rows() == [("de", 1, 2), ("en", 1, 1)]
    assert patterns.slice_patterns(con, "q", "none").is_empty()


def test_declared_kinds_change_what_counts_as_human(con: Con, store: Store) -> None:
    store(con, "b1", [row("i", "a", "A", rated_at=NOON - DAY), row("i", "b", "A", rated_at=NOON)])
    kinds = pl.DataFrame({"question": ["q"], "rater": ["b"], "rater_kind": ["system"]})
    assert set_rater_kinds(con, kinds) == ["q"]
    assert shown(con) == [({("a", "human", "A"), ("b", "system", "A")}, 1)]
    assert patterns.pattern_days(con, "q").rows() == [(date(2026, 2, 28), 1, 1)]
    assert patterns.pattern_batches(con, "q")["last_at"].to_list() == [NOON - DAY]
    assert set_rater_kinds(con, kinds.clear()) == ["q"]
    assert patterns.pattern_days(con, "q").rows() == [(date(2026, 3, 1), 1, 1)]
    assert not {name for name, rows in run_checks(con).items() if rows.height}


def test_items_that_nobody_rated_have_the_day_of_the_latest_answer(con: Con, store: Store) -> None:
    answers = [row(item, "s", "A", rated_at=NOON + n * DAY, rater_kind="system") for n, item in enumerate("iij")]
    for number, answer in enumerate(answers):
        store(con, f"b{number}", [answer])
    store(con, "b9", [row("k", "g", "A", rated_at=NOON, rater_kind="gold")])
    days = [(date(2026, 3, 2), 1), (date(2026, 3, 3), 1)]
    assert patterns.system_days(con, "q").select("day", "n_items").rows() == days
    assert patterns.pattern_days(con, "q")["day"].null_count() == patterns.pattern_days(con, "q").height
    set_rater_kinds(con, pl.DataFrame({"question": ["q"], "rater": ["s"], "rater_kind": ["human"]}))
    assert patterns.system_days(con, "q").is_empty()


DAMAGE = (
    "delete from internal.patterns where pattern_id = 1",
    "update internal.patterns set signature = 7 where pattern_id = 1",
    "update internal.patterns set pattern_id = 1",
    "insert into internal.patterns select 99, question_id, signature from internal.patterns",
    "delete from internal.pattern_ratings",
    "update internal.pattern_ratings set label_id = 1",
    "delete from internal.item_patterns",
    "insert into internal.item_patterns from internal.item_patterns",
    "update internal.item_patterns set latest = null",
    "update internal.pattern_counts set n_items = 7",
    "delete from internal.batch_patterns",
    "update internal.batch_windows set last_at = first_at",
    "delete from internal.version_counts",
    "update internal.day_item_counts set n_items = 7",
    "delete from internal.label_counts",
    "insert into internal.pattern_consensus (run_id, question_id, pattern_id) values ('r1', 1, 77)",
)


@pytest.mark.parametrize("damage", DAMAGE)
def test_whatever_is_wrong_a_rebuild_mends_it(con: Con, store: Store, damage: str) -> None:
    versions = {"rater_kind": "system", "system_version": "v1"}
    store(con, "b1", [row("i", "a", "A", rated_at=NOON - DAY), row("j", "a", "B"), row("j", "s", "B", **versions)])
    before = sorted(map(repr, shown(con)))
    con.execute("insert into runs (run_id, kind, status, started_at) values ('r1', 'evaluate', 'succeeded', now())")
    con.execute(damage)
    assert {name for name, rows in run_checks(con).items() if rows.height}
    patterns.rebuild(con)
    assert not {name for name, rows in run_checks(con).items() if rows.height}
    assert sorted(map(repr, shown(con))) == before


def test_a_rebuild_of_one_question_leaves_the_others(con: Con, store: Store) -> None:
    store(con, "b1", [row("i", "a", "A", question=question) for question in "qr"])
    con.execute("update internal.pattern_counts set n_items = 7")
    patterns.rebuild(con, "r")
    assert (shown(con)[0][1], shown(con, "r")[0][1]) == (7, 1)


def test_a_rebuild_that_fails_changes_nothing(con: Con, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store(con, "b1", [row("i", "a", "A")])
    before = shown(con)
    monkeypatch.setattr(patterns, "REBUILD_STEPS", ("patterns/forget", "storing/11_item_patterns", "no_such_query"))
    with pytest.raises(KeyError):
        patterns.rebuild(con)
    assert shown(con) == before


def test_a_warehouse_without_patterns_says_what_it_could_not_do(con: Con) -> None:
    con.execute("drop table internal.pattern_counts")
    with pytest.raises(WarehouseError, match="could not read the patterns of q"):
        patterns.question_patterns(con, "q")
