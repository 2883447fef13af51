"""The figures of a file: those of `agree` and `accuracy`."""

from pathlib import Path

import polars as pl
import pytest

from tasks.errors import InputError
from tasks.formats import ReadOptions
from tasks.gate.check_figures import check_figures
from tasks.gate.file_figures import file_figures
from tasks.gate.gate_figures import ALPHA, RowCounts
from tasks.gate.gate_rules import FigureLimits, GateRules
from tasks.single_file.accuracy_file import estimate
from tasks.single_file.agree_file import AgreementDetail, agree
from tasks.single_file.load_file import FileOptions
from tasks.single_file.reduce import reduce_ratings
from tests.gate_project import rating_rows, write_table

RULES = GateRules(FigureLimits(0.5, {"gwet_ac1": 0.5}, {"gpt": 0.8}))
GPT = FileOptions(ReadOptions(systems=frozenset({"gpt"})))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_table(tmp_path / "tone.csv", [*rating_rows(80), "1,dan,", ",dan,kind"])


def test_the_figures_are_those_of_agree_and_accuracy(table: Path) -> None:
    figures = file_figures(table, FileOptions(), RULES)
    for row in agree(table, GPT, AgreementDetail(coefficients=(ALPHA, "gwet_ac1")))[0]["coefficients"]:  # type: ignore[attr-defined]
        result = figures.agreement["tone", row["name"]]
        assert (result.estimate, result.low, result.high) == (row["estimate"], row["low"], row["high"])
    row = estimate(table, GPT)[0]["systems"][0]  # type: ignore[index]
    result = figures.accuracy["tone", "gpt"]
    assert (result.estimate, result.low, result.high, result.method) == (
        row["accuracy"],
        row["outer_low"],
        row["outer_high"],
        "average",
    )
    assert list(result.warnings) == row["warnings"]
    assert figures.alerts is None


@pytest.mark.parametrize(("limit", "verdict"), [(-0.09, "unjudged"), (0.5, "finding")])
def test_an_interval_without_width_decides_nothing_near_it(tmp_path: Path, limit: float, verdict: str) -> None:
    """Where no two raters agree on any item, the formula has a standard error of 0: a limit just above was "not met for
    sure"."""
    rows = [f"{item},{rater},{(item * 7 + place) % 10}" for item in range(20) for place, rater in enumerate("abc")]
    rules = GateRules(FigureLimits(limit))
    figures = file_figures(write_table(tmp_path / "none.csv", rows), FileOptions(), rules)
    assert figures.agreement["none", ALPHA].estimate == pytest.approx(-0.093, abs=0.001)
    (result,) = check_figures(rules, figures).rules
    assert result.verdict == verdict
    assert "That does not make the estimate certain" in result.warnings[0]


def test_an_interval_that_is_in_the_wrong_place_decides_nothing(tmp_path: Path) -> None:
    """Of raters with nothing in common, information agreement is high where labels are many beside the items."""
    rows = [f"{item},{rater},{item * factor % 97}" for item in range(90) for rater, factor in (("ann", 5), ("ben", 31))]
    rules = GateRules(FigureLimits(min_agreement={"information_agreement": 0.5}))
    figures = file_figures(write_table(tmp_path / "many.csv", rows), FileOptions(), rules)
    (result,) = check_figures(rules, figures).rules
    assert (result.verdict, result.low, result.high) == ("unjudged", None, None)
    assert "raters that have nothing in common would reach" in result.warnings[0]


def test_only_what_a_rule_needs_is_computed(table: Path) -> None:
    figures = file_figures(table, FileOptions(), GateRules(max_rejected=0.5))
    assert (figures.agreement, figures.accuracy, figures.rows) == ({}, {}, RowCounts(322, 2))


def test_a_second_rating_counts_as_rejected_where_the_rule_says_so(tmp_path: Path) -> None:
    table = write_table(tmp_path / "twice.csv", ["1,a,x", "1,b,x", "2,a,y", "2,b,y", "1,a,y"])
    rules = GateRules(max_rejected=0.5)
    assert file_figures(table, FileOptions(duplicates="error"), rules).rows == RowCounts(5, 1)
    assert file_figures(table, FileOptions(duplicates="latest"), rules).rows == RowCounts(5, 0)


def test_gold_of_a_file_audits_the_system(table: Path, tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text("item,label\n" + "".join(f"{item},kind\n" for item in range(40)))
    figure = file_figures(table, FileOptions(), RULES, gold=gold).accuracy["tone", "gpt"]
    row = estimate(table, GPT, gold=gold)[0]["systems"][0]  # type: ignore[index]
    assert (figure.n_gold, figure.estimate, figure.low) == (40, row["accuracy"], row["low"])


def test_with_one_person_the_accuracy_has_a_reason(tmp_path: Path) -> None:
    table = write_table(tmp_path / "alone.csv", rating_rows(20, {"ann": 0.9, "gpt": 0.9}))
    result = check_figures(RULES, file_figures(table, FileOptions(), RULES))
    assert {rule.reason for rule in result.rules} == {"too_few_raters"}
    assert {rule.verdict for rule in result.rules} == {"unjudged"}


def test_rating_patterns_stand_for_their_items(table: Path, tmp_path: Path) -> None:
    ratings = pl.read_csv(table, schema_overrides={"item": pl.String}).drop_nulls()
    reduced = tmp_path / "patterns.csv"
    reduce_ratings(ratings).write_csv(reduced)
    whole = file_figures(table, FileOptions(), RULES)
    result = file_figures(reduced, FileOptions(), RULES)
    assert result.agreement["patterns", ALPHA].estimate == pytest.approx(whole.agreement["tone", ALPHA].estimate)
    assert result.accuracy["patterns", "gpt"].n_items == 80


def test_each_question_is_checked_or_those_that_are_named(tmp_path: Path) -> None:
    rows = [f"{row},{question}" for question in ("tone", "mood", "wit") for row in rating_rows(20)]
    table = tmp_path / "questions.csv"
    table.write_text("item,rater,label,question\n" + "\n".join(rows))
    assert file_figures(table, FileOptions(), RULES).questions == ("mood", "tone", "wit")
    named = GateRules(FigureLimits(0.5), questions=("wit", "tone"))
    assert file_figures(table, FileOptions(), named).questions == ("wit", "tone")
    with pytest.raises(InputError, match="has no question 'tne'"):
        file_figures(table, FileOptions(), GateRules(FigureLimits(0.5), questions=("tne",)))


def test_a_system_that_does_not_rate_is_refused(table: Path) -> None:
    with pytest.raises(InputError, match="by 'gtp'") as caught:
        file_figures(table, FileOptions(), GateRules(FigureLimits(min_accuracy={"gtp": 0.5})))
    assert "gpt" in caught.value.hint


def test_a_system_that_spells_the_labels_otherwise_is_refused(tmp_path: Path) -> None:
    rows = [row.upper().replace("GPT", "gpt") if ",gpt," in row else row for row in rating_rows(80)]
    other = write_table(tmp_path / "tone.csv", rows)
    for read in (lambda: file_figures(other, FileOptions(), RULES), lambda: estimate(other, GPT)):
        with pytest.raises(InputError, match=r"labels of 'gpt' \('KIND', 'RUDE'\) are not those") as refused:
            read()
        assert "declare all with --labels" in str(refused.value.hint)
