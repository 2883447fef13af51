"""What the table of assumptions says of each check."""

from typing import Any

import polars as pl

from stats.accuracy.checks.check_registry import CHECKS_SCHEMA
from tasks.report.sections.comparison_section import checks_table


def check(**changed: Any) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(CHECKS_SCHEMA)
    return row | {"name": "raters", "effect": 0.03, "p_value": 0.2, "p_adjusted": 0.4, "violated": False} | changed


def found(*rows: dict[str, Any]) -> list[str]:
    table = checks_table(pl.DataFrame(rows, schema=CHECKS_SCHEMA))
    assert table is not None
    return [str(cells[-1]) for cells in table.rows]


def test_a_small_p_is_not_beside_nothing_found() -> None:
    assert found(check(), check(p_value=1e-9, p_adjusted=1e-8)) == ["nothing found", "too small to matter"]


def test_a_violation_and_an_open_verdict_are_said_in_full() -> None:
    said = found(check(violated=True, detail="They differ."), check(violated=None, detail="Unclear."))
    assert said == ["<bdi>They differ.</bdi>", "<bdi>Unclear.</bdi>"]


def test_checks_that_do_not_apply_are_left_out() -> None:
    assert len(found(check(), check(violated=None, reason="not_applicable", detail="No."))) == 1
