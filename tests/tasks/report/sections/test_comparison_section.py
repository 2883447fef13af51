"""What the table of assumptions says of each check."""

import html
from typing import Any

import polars as pl

from stats.accuracy.checks.check_registry import CHECKS_SCHEMA
from tasks.report.sections.comparison_section import against_table, checks_table, differences_table


def check(**changed: Any) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(CHECKS_SCHEMA)
    return row | {"name": "raters", "effect": 0.03, "p_value": 0.2, "p_adjusted": 0.4, "violated": False} | changed


def texts(*rows: dict[str, Any]) -> list[str]:
    table = checks_table(pl.DataFrame(rows, schema=CHECKS_SCHEMA))
    assert table is not None
    return [str(cells[-1]) for cells in table.rows]


def test_a_small_p_is_not_beside_nothing_found() -> None:
    assert texts(check(), check(p_value=1e-9, p_adjusted=1e-8)) == ["nothing found", "too small to matter"]


def test_a_violation_and_an_open_verdict_are_said_in_full() -> None:
    text = texts(check(violated=True, detail="They differ."), check(violated=None, detail="Unclear."))
    assert text == ["<bdi>They differ.</bdi>", "<bdi>Unclear.</bdi>"]


def test_checks_that_do_not_apply_are_left_out() -> None:
    assert len(texts(check(), check(violated=None, reason="not_applicable", detail="No."))) == 1


def test_no_comparison_is_certain() -> None:
    figures = {"difference": 0.4, "low": 0.3, "high": 0.5, "confidence": 0.95, "reason": None}
    of_rater = {
        "system": "gpt",
        "compared_with": "average_rater",
        "rater": None,
        "accuracy": 0.9,
        "rater_accuracy": 0.5,
    }
    pair = {"system_a": "gpt", "system_b": "rules", "version_a": None, "version_b": None, "accuracy_a": 0.9,
            "accuracy_b": 0.5, "n_items": 90}  # fmt: skip
    for share, shown in ((1.0, ">\xa099.9\xa0%"), (1e-9, "<\xa00.1\xa0%"), (0.9, "90.0\xa0%")):
        against = against_table(pl.DataFrame([figures | of_rater | {"p_system_better": share}]))
        between = differences_table(pl.DataFrame([figures | pair | {"p_a_better": share}]))
        assert against is not None
        assert between is not None
        assert shown in {html.unescape(str(cell)) for cell in against.rows[0]}
        assert shown in {html.unescape(str(cell)) for cell in between.rows[0]}
        assert str(between.note).startswith("Two systems are compared on the items that both answered.")
