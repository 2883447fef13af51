"""`kappaflow audit`: what it refuses, and what it prints."""

from pathlib import Path
from typing import Any

import pytest

from flows.cli.audit_command import print_taken


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((), "Give --out FILE to draw items, or --answers FILE"),
        (("--out", "a.csv", "--answers", "b.csv"), "Give --out FILE to draw items, or --answers FILE"),
        (("--out", "a.csv"), "Nothing is published"),
    ],
)
def test_bad_input_is_two_lines_and_exit_code_2(
    arguments: tuple[str, ...], text: str, tmp_path: Path, kappaflow: Any
) -> None:
    result = kappaflow("audit", "--question", "tone", "--project", tmp_path, *arguments, code=2)
    assert text in result.stderr


def effect(n_gold: int) -> dict[str, Any]:
    before = {"accuracy": 0.8, "low": 0.7, "high": 0.9, "outer_low": 0.7, "outer_high": 0.9, "n_gold": n_gold}
    after = {"accuracy": 0.82, "low": 0.75, "high": 0.89, "n_gold": n_gold + 20, "reason": None}
    return {"system": f"with{n_gold}", "before": before, "after": after}


@pytest.mark.parametrize(
    ("n_golds", "heading", "cells"),
    [
        ((0, 0), "outer interval before", ["[0.700, 0.900]", "[0.700, 0.900]"]),
        ((20, 5), "interval before", ["[0.700, 0.900]", "[0.700, 0.900]"]),
        ((20, 0), "interval before", ["[0.700, 0.900]", "[0.700, 0.900] (outer)"]),
    ],
)
def test_the_interval_before_is_the_outer_one_only_without_gold(
    n_golds: tuple[int, int], heading: str, cells: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    counts = dict.fromkeys(("n_ratings", "n_unchanged", "n_unlabelled", "n_rejected"), 0)
    systems = [effect(n_gold) for n_gold in n_golds]
    print_taken({"question": "tone", "n_gold": 40, "rejected": [], "notes": [], "systems": systems} | counts)
    lines = capsys.readouterr().out.splitlines()
    place = next(i for i, line in enumerate(lines) if line.startswith("system"))
    head, *rows = ([cell.strip() for cell in line.split("  ") if cell.strip()] for line in lines[place : place + 3])
    assert head == ["system", "before", heading, "accuracy", "interval", "gold"]
    assert [row[2] for row in rows] == cells
