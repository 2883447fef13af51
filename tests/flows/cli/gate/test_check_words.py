"""The words and cells of a gate."""

from typing import Any

import pytest

from flows.cli.gate.check_words import notes, rule_cells
from tasks.gate.judgement import GateResult, RuleResult


def cells(name: str, estimate: float, limit: float, **interval: float) -> tuple[Any, Any, Any]:
    row = rule_cells(RuleResult(name, "pass", estimate, limit, "", "pass", **interval))
    return row["estimate"], row["interval"], row["limit"]


@pytest.mark.parametrize(
    ("figures", "shown"),
    [
        ((0.59996, 0.6, 0.5, 0.7), ("0.59996", "[0.500, 0.700]", "0.6")),  # not 0.600, which meets the limit
        ((0.743421, 0.7434, 0.74338, 0.9), ("0.7434", "[0.743, 0.900]", "0.7434")),  # not 0.743, which does not
        ((0.65, 0.6, 0.599999, 0.7), ("0.650", "[0.599999, 0.700]", "0.6")),
        ((0.39999999999999997, 0.4, -0.28, 1.0), ("0.400", "[-0.280, 1.000]", "0.4")),
        ((0.65, 0.6, 0.6, 0.7), ("0.650", "[0.600, 0.700]", "0.6")),
    ],
)
def test_a_figure_close_to_its_limit_reads_as_it_was_judged(
    figures: tuple[float, float, float, float], shown: tuple[str, str, str]
) -> None:
    estimate, limit, low, high = figures
    assert cells("min_alpha", estimate, limit, low=low, high=high) == shown


@pytest.mark.parametrize(
    ("share", "limit", "shown"),
    [
        (1 / 100_000, 0.0, ("0.001 %", "0 %")),
        (0.05, 0.05, ("5.00 %", "5 %")),
        (0.007, 0.007, ("0.70 %", "0.7 %")),
        (0.0500041, 0.05, ("5.0004 %", "5 %")),
    ],
)
def test_a_share_close_to_its_limit_reads_as_it_was_judged(share: float, limit: float, shown: tuple[str, str]) -> None:
    estimate, _, most = cells("max_rejected", share, limit)
    assert (estimate, most) == shown


def test_only_figures_of_labels_and_systems_are_sent_to_plan() -> None:
    def undecided(coefficient: str) -> RuleResult:
        return RuleResult("min_agreement", "unjudged", 0.5, 0.5, "", "unjudged", low=0.4, high=0.6,
                          coefficient=coefficient, reason="limit_in_interval")  # fmt: skip

    def last(*rules: RuleResult) -> str:
        return list(notes(GateResult("place", rules, "interval")))[-1]

    assert "kappaflow plan" in last(undecided("krippendorff_alpha"))
    assert "kappaflow plan" in last(undecided("f1_exact"), undecided("krippendorff_alpha"))
    assert "kappaflow plan" not in last(undecided("f1_exact"), undecided("kendall_w"))
    assert "two people or more do further items" in last(undecided("f1_exact"))
