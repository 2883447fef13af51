"""`kappaflow audit`: what it refuses, and what it prints."""

from pathlib import Path
from typing import Any

import pytest

from flows.cli.audit_command import print_taken


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Give --out FILE to draw items, or --answers FILE"),
        (("--out", "a.csv", "--answers", "b.csv"), "Give --out FILE to draw items, or --answers FILE"),
        (("--out", "a.csv"), "Nothing is published"),
    ],
)
def test_bad_input_is_two_lines_and_exit_code_2(
    arguments: tuple[str, ...], said: str, tmp_path: Path, kappaflow: Any
) -> None:
    found = kappaflow("audit", "--question", "tone", "--project", tmp_path, *arguments, code=2)
    assert said in found.stderr


@pytest.mark.parametrize(("n_gold", "heading"), [(0, "outer interval before"), (20, "interval before")])
def test_the_interval_before_is_the_outer_one_only_without_gold(
    n_gold: int, heading: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {"accuracy": 0.8, "low": 0.7, "high": 0.9, "outer_low": 0.7, "outer_high": 0.9, "n_gold": n_gold}
    after = {"accuracy": 0.82, "low": 0.75, "high": 0.89, "n_gold": n_gold + 20, "reason": None}
    counts = dict.fromkeys(("n_ratings", "n_unchanged", "n_unlabelled", "n_rejected"), 0)
    effect = {"system": "gpt", "before": before, "after": after}
    print_taken({"question": "tone", "n_gold": 40, "rejected": [], "notes": [], "systems": [effect]} | counts)
    head = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("system"))
    columns = [name.strip() for name in head.split("  ") if name.strip()]
    assert columns == ["system", "before", heading, "accuracy", "interval", "gold"]
