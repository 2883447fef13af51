"""A file of spans, rankings or texts is judged by its own coefficients."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.errors import InputError
from tasks.gate.check_figures import check_figures
from tasks.gate.gate_rules import FigureLimits, GateRules
from tasks.gate.other_file_figures import has_other_limits, other_file_figures
from tasks.single_file.agree_file import AgreementDetail, agree
from tasks.single_file.load_file import FileOptions
from tests.answers_project import spans_of

ALL = FileOptions(all_questions=True)


def rules(**limits: float) -> GateRules:
    return GateRules(FigureLimits(min_agreement=limits))


@pytest.fixture
def spans(tmp_path: Path) -> Path:
    path = tmp_path / "spans.json"
    path.write_text(json.dumps([spans_of(task) for task in range(14)]), encoding="utf-8")
    return path


@pytest.fixture
def order(tmp_path: Path) -> Path:
    rows = [f"{item},{rater},{'a > b > c' if item % 3 or rater != 'cem' else 'b > a > c'}" for item in range(30)
            for rater in ("ann", "ben", "cem")]  # fmt: skip
    path = tmp_path / "order.csv"
    path.write_text("\n".join(["item,rater,label", *rows]) + "\n", encoding="utf-8")
    return path


def test_spans_are_judged_by_the_figures_of_agree(spans: Path) -> None:
    (of_agree,) = agree(spans, ALL)
    figures = other_file_figures(spans, FileOptions(), rules(f1_exact=0.5))
    for row in of_agree["coefficients"]:
        figure = figures.agreement["names", row["name"]]
        ends = (row["low"], row["high"]) if row["low"] != row["high"] else (None, None)  # no verdict without a width
        assert (figure.estimate, figure.low, figure.high) == (row["estimate"], *ends)
    (result,) = check_figures(rules(f1_exact=0.9), figures).rules
    assert (result.question, result.coefficient, result.verdict, result.n_items) == (
        "names", "f1_exact", "unjudged", 14,
    )  # fmt: skip
    assert result.reason == "few_items"
    (by_point,) = check_figures(replace(rules(f1_exact=0.9), judge="point"), figures).rules
    assert by_point.verdict == "finding"


def test_a_table_of_rankings_is_read_as_the_limit_says(order: Path) -> None:
    (of_agree,) = agree(order, ALL, AgreementDetail(answers="ranking"))
    figures = other_file_figures(order, FileOptions(), rules(kendall_w=0.5))
    (expected,) = [row["estimate"] for row in of_agree["coefficients"] if row["name"] == "kendall_w"]
    assert figures.agreement["order", "kendall_w"].estimate == expected
    (result,) = check_figures(rules(kendall_w=0.5), figures).rules
    assert result.verdict == "pass"


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (FigureLimits(0.5, {"f1_exact": 0.5}), "cannot be checked together with --min-alpha"),
        (FigureLimits(min_agreement={"f1_exact": 0.5, "gwet_ac1": 0.5}), "cannot be checked together"),
        (FigureLimits(min_agreement={"f1_exact": 0.5, "kendall_w": 0.5}), "are of several"),
    ],
)
def test_limits_of_several_kinds_are_refused(spans: Path, limits: FigureLimits, message: str) -> None:
    assert has_other_limits(GateRules(limits))
    with pytest.raises(InputError, match=message):
        other_file_figures(spans, FileOptions(), GateRules(limits))


def test_a_file_of_labels_has_no_such_figure(order: Path) -> None:
    with pytest.raises(InputError, match="holds labels, and f1_exact is not of labels"):
        other_file_figures(order, FileOptions(), rules(f1_exact=0.5))
    assert not has_other_limits(rules(gwet_ac1=0.5))
