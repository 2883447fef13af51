"""The queries of live pages: found by name, whatever their subfolder."""

import itertools
import json
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from warehouse import sql
from warehouse.batches import BatchCounts
from warehouse.publication.page_queries import page_query_names, page_query_text, page_rows, used_values
from warehouse.runs.run_results import Run, write_results

Con = duckdb.DuckDBPyConnection
FOLDER = Path(sql.__file__).parent / "queries" / "pages"


def test_each_query_has_one_name() -> None:
    files = list(FOLDER.rglob("*.sql"))
    assert page_query_names() == sorted(path.stem for path in files)
    assert len(set(page_query_names())) == len(files)


def test_a_query_is_read_from_its_subfolder() -> None:
    assert page_query_text("trend") == (FOLDER / "agreement" / "trend.sql").read_text(encoding="utf-8")


def test_a_query_gets_the_values_that_it_uses() -> None:
    assert used_values("alert", {"alert_id": "a", "unused": 1}) == {"alert_id": "a"}


def write_agreement(
    con: Con, question: str, high: float, *, scale: str = "nominal", settings: str | None = None
) -> None:
    row = {"scope": "humans", "period": "all", "coefficient": "krippendorff_alpha", "scale": scale,
           "weights": "identity", "estimate": high - 0.1, "low": high - 0.2, "high": high}  # fmt: skip
    now = datetime(2026, 3, 1, tzinfo=UTC)
    run = Run(run_id=question, kind="evaluate", question=question, code_version="1", status="succeeded",
              started_at=now, settings=settings)  # fmt: skip
    write_results(con, run, {"agreement": pl.DataFrame([row])})


def confused_by_hand(rows: list[dict[str, Any]]) -> tuple[str, str, int, float, float, float]:
    """The labels that meet most beyond chance, how often, their share, that by chance, the lead in standard errors."""
    labels = defaultdict(list)
    for row in rows:
        if row["rater_kind"] == "human":
            labels[row["item"]].append(row["label"])
    given = Counter(label for several in labels.values() for label in several)
    of_item = [Counter(tuple(sorted(two)) for two in itertools.combinations(several, 2) if two[0] != two[1])
               for several in labels.values()]  # fmt: skip
    met = sum(of_item, Counter[tuple[str, ...]]())
    chances = {(a, b): given[a] * given[b] for a, b in itertools.combinations(sorted(given), 2)}
    by_chance = {two: n / sum(chances.values()) for two, n in chances.items()}
    first = max(met, key=lambda two: met[two] / met.total() - by_chance[two])
    excess = [counts[first] - by_chance[first] * counts.total() for counts in of_item]
    lead = sum(excess) / math.sqrt(sum(each**2 for each in excess))
    return first[0], first[1], met[first], met[first] / met.total(), by_chance[first], lead


def test_the_labels_that_are_confused_are_those_counted_by_hand(con: Con, store: Callable[..., BatchCounts]) -> None:
    draw = random.Random(5)
    rows: list[dict[str, Any]] = [
        {"question": question, "item": f"i{i}", "rater": rater, "label": draw.choice("zzyyyxw"),
         "rater_kind": "system" if rater == "bot" else "human"}
        for question in ("low", "lower") for i in range(40) for rater in ("a", "b", "c", "d", "bot")
        if draw.random() < 0.7
    ]  # fmt: skip
    store(con, "b1", rows)
    write_agreement(con, "low", 0.6)
    write_agreement(con, "lower", 0.3)
    expected = [
        (question, *confused_by_hand([row for row in rows if row["question"] == question]))
        for question in ("low", "lower")
    ]
    table = page_rows(con, "most_confused_pairs", {"question": None}).rows()
    assert table == [(*row[:4], *(pytest.approx(value) for value in row[4:]), None) for row in expected]
    assert page_rows(con, "most_confused_pairs", {"question": "lower"}).rows() == table[1:]


@pytest.mark.parametrize(
    ("labels", "declared_labels", "n_numbers"),
    [
        (["3", "40", "55.5"], None, 3),
        (["3", "40", "55.5"], ["3", "40", "55.5"], None),
        (["3", "40", "x"], None, None),
        (["3", "40", "inf"], None, None),
    ],
)
def test_undeclared_numbers_are_counted(
    con: Con,
    store: Callable[..., BatchCounts],
    labels: list[str],
    declared_labels: list[str] | None,
    n_numbers: int | None,
) -> None:
    rows = [
        {"question": "q", "item": f"i{i}", "rater": rater, "label": labels[(i + k) % 3]}
        for i in range(4) for k, rater in enumerate("ab")
    ]  # fmt: skip
    store(con, "b1", rows)
    write_agreement(con, "q", 0.3, settings=json.dumps([{"labels": declared_labels, "scale": "nominal"}, {}]))
    assert page_rows(con, "most_confused_pairs", {"question": None})["n_numbers"].to_list() == [n_numbers]


def test_no_labels_are_confused_where_agreement_may_be_enough_or_labels_have_an_order_or_are_two(
    con: Con, store: Callable[..., BatchCounts]
) -> None:
    rows = [
        {"question": question, "item": f"i{i}", "rater": rater, "label": label}
        for question in ("enough", "ordered") for i, labels in enumerate(["12", "23", "12"])
        for rater, label in zip("ab", labels, strict=True)
    ]  # fmt: skip
    two = [{"question": "two", "item": "i", "rater": rater, "label": rater} for rater in "ab"]
    store(con, "b1", [*rows, *two])
    write_agreement(con, "enough", 0.667)
    write_agreement(con, "ordered", 0.3, scale="ordinal")
    write_agreement(con, "two", 0.3)
    assert page_rows(con, "most_confused_pairs", {"question": None}).is_empty()
    con.execute("update agreement set scale = 'nominal', high = 0.3")
    assert page_rows(con, "most_confused_pairs", {"question": None})["question"].to_list() == ["enough", "ordered"]
