"""The headline accuracy of a system: the first method in the order that has a figure."""

import polars as pl
import pytest

from tasks.report.sections.systems_section import main_systems
from tasks.summary.headline import METHOD_ORDER, headline_rows, method_place


def rows(*figures: tuple[str, str, float | None]) -> pl.DataFrame:
    shared = {"question": "tone", "system_version": ""}
    return pl.DataFrame(
        [shared | {"system": system, "method": method, "accuracy": value} for system, method, value in figures],
        schema_overrides={"accuracy": pl.Float64},
    )


def chosen(frame: pl.DataFrame) -> list[tuple[str, str]]:
    return headline_rows(frame).select("system", "method").rows()


def test_the_average_stands_for_a_system_and_the_best_system_comes_first() -> None:
    frame = rows(("a", "lehner", 0.9), ("a", "average", 0.7), ("b", "average", 0.8), ("b", "difficulty", 0.99))
    assert chosen(frame) == [("b", "average"), ("a", "average")]


@pytest.mark.parametrize("undefined", [None, float("nan")])
def test_a_method_without_a_figure_is_passed_over(undefined: float | None) -> None:
    assert chosen(rows(("a", "average", undefined), ("a", "one_coin", 0.6), ("a", "lehner", 0.5))) == [("a", "lehner")]


def test_without_any_figure_the_first_method_gives_the_reason() -> None:
    frame = rows(("a", "lehner", None), ("a", "average", None), ("b", "average", 0.2))
    assert chosen(frame) == [("b", "average"), ("a", "average")]


def test_methods_outside_the_order_come_last_by_name() -> None:
    assert chosen(rows(("a", "ordinal", 0.5), ("a", "difficulty", 0.4))) == [("a", "difficulty")]
    assert method_place("ordinal") == method_place("no such method") == len(METHOD_ORDER)


def test_the_report_shows_the_same_rows() -> None:
    frame = rows(("a", "average", None), ("a", "lehner", 0.5), ("b", "average", 0.8), ("c", "average", None))
    assert [(row["system"], row["method"]) for row in main_systems(frame)] == chosen(frame)
