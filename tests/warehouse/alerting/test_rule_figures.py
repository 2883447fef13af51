"""Which figures the rules on agreement and gold hold to their limits."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
import polars as pl

from warehouse.alerting.rule_figures import read_rule_figures
from warehouse.batches import BatchCounts
from warehouse.runs.run_results import Run, write_results

Con = duckdb.DuckDBPyConnection
Store = Callable[..., BatchCounts]
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LIMITS = {"q": 0.5, "alike": 0.6, "systems": 0.6, "none": 0.6}


def write(con: Con, question: str, *, hours: int = 0, **tables: list[dict[str, Any]]) -> None:
    run = Run(
        run_id=f"{question}{hours}", kind="evaluate", question=question, code_version="1", status="succeeded",
        started_at=NOON + timedelta(hours=hours),
    )  # fmt: skip
    write_results(con, run, {name: pl.DataFrame(rows, strict=False) for name, rows in tables.items()})


def figure(coefficient: str, estimate: float | None, **more: Any) -> dict[str, Any]:
    usual = {"scope": "humans", "period": "all", "scale": "nominal", "weights": None, "period_start": None}
    return usual | {"coefficient": coefficient, "estimate": estimate} | more


def figures(con: Con, period: str, coefficient: str, instead: str) -> list[tuple[Any, ...]]:
    rows = read_rule_figures(con, "agreement", LIMITS, period=period, coefficient=coefficient, instead=instead)
    return rows.select("question", "coefficient", "threshold", "estimate").rows()


def test_agreement_is_that_of_people_by_the_coefficient_or_what_stands_for_it(con: Con, store: Store) -> None:
    rows = [{"question": q, "item": "i", "rater": r, "label": "A"} for q in ("q", "alike", "unlimited") for r in "ab"]
    rows += [{"question": "systems", "item": "i", "rater": r, "label": "A", "rater_kind": "system"} for r in "ab"]
    store(con, "b1", rows)
    alpha, ac1 = "krippendorff_alpha", "gwet_ac1"
    write(con, "q", agreement=[figure(alpha, 0.1)])
    write(
        con, "q", hours=1,
        agreement=[
            figure(ac1, 0.7), figure(alpha, 0.4), figure(alpha, 0.9, scope="all"), figure("fleiss_kappa", 0.2),
            figure(alpha, 0.45, weights="linear"), figure(alpha, 0.3, period="last_n"),
            figure(alpha, 0.35, scope="all", period="last_n"), figure(alpha, 0.8, period="day", period_start=NOON),
        ],
    )  # fmt: skip
    write(con, "alike", agreement=[figure(alpha, None), figure(ac1, 0.5), figure(ac1, None, period="last_n")])
    for question in ("unlimited", "systems"):  # the figures of a question that only systems rate are of former ratings
        write(con, question, agreement=[figure(alpha, 0.2)])
    assert figures(con, "all", alpha, ac1) == [("alike", ac1, 0.6, 0.5), ("q", alpha, 0.5, 0.4)]
    assert figures(con, "all", ac1, alpha) == [("alike", ac1, 0.6, 0.5), ("q", ac1, 0.5, 0.7)]
    assert figures(con, "all", alpha, alpha) == [("q", alpha, 0.5, 0.4)]
    assert figures(con, "last_n", ac1, alpha) == [("q", alpha, 0.5, 0.3)]


def test_gold_scores_are_of_people_who_rated_gold(con: Con, store: Store) -> None:
    store(con, "b1", [{"item": "i", "rater": "ann", "label": "A"}])
    usual = {"rater_kind": "human", "n_gold": 9, "accuracy": 0.6, "low": 0.5, "high": 0.7, "n_ratings": 50}
    raters: list[dict[str, Any]] = [
        {"rater": "ann"}, {"rater": "bob", "n_gold": 0}, {"rater": "cem", "high": None}, {"rater": "dee", "n_gold": 1},
        {"rater": "gpt", "rater_kind": "system"}, {"rater": "ada", "accuracy": 0.9, "low": 0.8, "high": 0.97},
    ]  # fmt: skip
    write(con, "q", rater_quality=[usual | rater for rater in raters])
    rows = read_rule_figures(con, "gold_score", {"q": 0.8, "other": 0.9})
    assert rows.select("question", "threshold", "rater", "accuracy", "high", "n_gold").rows() == [
        ("q", 0.8, "ada", 0.9, 0.97, 9), ("q", 0.8, "ann", 0.6, 0.7, 9), ("q", 0.8, "dee", 0.6, 0.7, 1)
    ]  # fmt: skip
