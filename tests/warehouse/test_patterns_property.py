"""Whatever happens to the ratings, the patterns that are kept batch by batch are those that the ratings show."""

import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.warehouse.conftest import PATTERN_TABLES
from warehouse import patterns
from warehouse.batches import METADATA, RATINGS, REJECTS, Batch, store_batch
from warehouse.connect import connect
from warehouse.live_cursor import ANSWERS, TASKS, LiveBatch
from warehouse.maintenance.integrity import run_checks
from warehouse.questions import read_table
from warehouse.raters.rater_kinds import set_rater_kinds

Con = duckdb.DuckDBPyConnection
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
QUESTIONS, KINDS = ("q", "r"), ("human", "system", "gold")


@dataclass(frozen=True)
class Arrival:
    """A file: as a new batch, or `again` as a further attempt at one of the earlier ones (counted round)."""

    rows: tuple[Mapping[str, Any], ...]
    full_export: bool
    rule: str | None
    again: int | None


@dataclass(frozen=True)
class Live:
    """A page of a live source; its tasks are the items."""

    rows: tuple[Mapping[str, Any], ...]
    tasks: frozenset[str]


@dataclass(frozen=True)
class DeclaredKinds:
    """Kinds of raters: (question, rater) -> kind."""

    kinds: Mapping[tuple[str, str], str]


def _row(question: str, item: str, rater: str, label: str, day: int | None, kind: str, version: str | None) -> Any:
    return {
        "question": question, "item": item, "rater": rater, "label": label, "rater_kind": kind,
        "system_version": version, "rated_at": None if day is None else NOON + timedelta(days=day, hours=day),
    }  # fmt: skip


QUESTION, RATER = st.sampled_from(QUESTIONS), st.sampled_from("abs")
ITEM = st.sampled_from("ijk")
ROW = st.builds(
    _row, QUESTION, ITEM, RATER, st.sampled_from("AB"), st.none() | st.integers(-2, 2),
    st.sampled_from(("human", "human", "human", "system")), st.sampled_from((None, None, "v1", "v2")),
)  # fmt: skip
ROWS = st.lists(ROW, min_size=1, max_size=6).map(tuple)
FILE = st.builds(
    Arrival, ROWS, st.booleans(), st.sampled_from((None, "latest", "first", "error")),
    st.sampled_from((None, None, 0, 1, 2)),
)  # fmt: skip
PAGE = st.builds(Live, st.just(()) | ROWS, st.frozensets(ITEM, min_size=1))
KIND = st.builds(DeclaredKinds, st.dictionaries(st.tuples(QUESTION, RATER), st.sampled_from(KINDS), max_size=3))
HISTORY = st.lists(st.one_of(FILE, FILE, FILE, PAGE, KIND), min_size=1, max_size=7)


@settings(max_examples=25)
@given(history=HISTORY)
def test_the_patterns_are_those_of_the_ratings_after_each_step(history: Sequence[Any], empty_warehouse: Path) -> None:
    with _copy(empty_warehouse) as con:
        stored: list[tuple[str, str | None]] = []
        for number, step in enumerate(history):
            _do(con, number, step, stored)
            kept = _tables(con)
            assert not {name for name, rows in run_checks(con).items() if rows.height}
            for question in QUESTIONS:
                assert _patterns(con, question) == _expected(con, question)
            patterns.rebuild(con)
            assert _tables(con) == kept


def _do(con: Con, number: int, step: Any, stored: list[tuple[str, str | None]]) -> None:
    now = NOON + timedelta(hours=number)
    if isinstance(step, DeclaredKinds):
        rows = [(*who, kind) for who, kind in step.kinds.items()]
        schema = dict.fromkeys(("question", "rater", "rater_kind"), pl.String)
        set_rater_kinds(con, pl.DataFrame(rows, schema=schema, orient="row"))
    elif isinstance(step, Live):
        rows = tuple(row for row in step.rows if row["item"] in step.tasks)
        _store(con, f"live {number}", rows, now, source="live", shown=_shown(step.tasks, rows, now))
    else:
        again = step.again is not None and stored
        name, rule = stored[(step.again or 0) % len(stored)] if again else (f"file {number}", step.rule)
        if not again:
            stored.append((name, rule))
        rules = {} if rule is None else {"q": rule}
        _store(con, name, step.rows, now, source="s", full_export=step.full_export, rules=rules, settings=str(number))


def _store(
    con: Con,
    name: str,
    rows: Sequence[Mapping[str, Any]],
    now: datetime,
    *,
    source: str,
    settings: str = "",
    full_export: bool = False,
    rules: Mapping[str, str] | None = None,
    shown: LiveBatch | None = None,
) -> None:
    full = [
        dict.fromkeys(RATINGS) | {"row_number": number, "source_ref": f"{row['item']}{row['rater']}"} | dict(row)
        for number, row in enumerate(rows, start=1)
    ]
    batch = Batch(batch_id=name, source=source, file_name=name, sha256=name, reader="long", status="stored",
                  n_rows=len(rows), n_skipped=0, started_at=now, settings_hash=settings,
                  full_export=full_export)  # fmt: skip
    frames = [pl.DataFrame(schema=dict(schema)) for schema in (REJECTS, METADATA)]
    store_batch(con, batch, pl.DataFrame(full, schema=dict(RATINGS)), *frames, now=now, rules=rules, retry=True,
                shown=shown)  # fmt: skip


def _shown(tasks: frozenset[str], rows: Sequence[Mapping[str, Any]], now: datetime) -> LiveBatch:
    """What the tasks have are just these answers: those that they had before are deleted."""
    seen = pl.DataFrame([(task, str(now), 0, now) for task in sorted(tasks)], schema=dict(TASKS), orient="row")
    had = [(row["item"], row["question"], row["item"], f"{row['item']}{row['rater']}") for row in rows]
    return LiveBatch("stream", now, seen, pl.DataFrame(had, schema=dict(ANSWERS), orient="row"))


@contextmanager
def _copy(empty_warehouse: Path) -> Iterator[Con]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "warehouse.duckdb"
        shutil.copyfile(empty_warehouse, path)
        with connect(path) as con:
            yield con


def _tables(con: Con) -> dict[str, list[Any]]:
    return {name: sorted(con.table(f"internal.{name}").fetchall(), key=repr) for name in PATTERN_TABLES}


def _patterns(con: Con, question: str) -> Counter[frozenset[tuple[str, ...]]]:
    """Pattern -> how many items show it, as the warehouse keeps it. Two may be the same once kinds are declared."""
    result: Counter[frozenset[tuple[str, ...]]] = Counter()
    for each in patterns.question_patterns(con, question).partition_by("pattern_id"):
        result[frozenset(each.select("rater", "rater_kind", "label").rows())] += each["n_items"][0]
    return result


def _expected(con: Con, question: str) -> Counter[frozenset[tuple[str, ...]]]:
    """The same, counted from the ratings in force."""
    items = defaultdict(set)
    ratings = read_table(con, "current_ratings").filter(pl.col("question") == question)
    for item, *rating in ratings.select("item", "rater", "rater_kind", "label").rows():
        items[item].add(tuple(rating))
    return Counter(frozenset(ratings) for ratings in items.values())
