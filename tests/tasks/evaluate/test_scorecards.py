"""The tables of scorecards: people only, accuracy with and without gold, severity on ordered scales."""

import polars as pl
import pytest

from schemas.contracts import check_results
from tasks.evaluate.agreement import evaluate
from tasks.evaluate.patterns import from_ratings
from tasks.evaluate.question_config import QuestionConfig


def tables(scale: str = "nominal", gold: bool = False) -> dict[str, pl.DataFrame]:
    given = {"ann": "0120120120", "bob": "0120120021", "cid": "0110112120", "bot": "0000000000"}
    rows = [
        (f"{item}{copy}", rater, "system" if rater == "bot" else "human", label)
        for rater, labels in given.items()
        for item, label in enumerate(labels)
        for copy in "abc"
    ]
    if gold:
        rows += [(f"{item}a", "eve", "gold", "0120120120"[item]) for item in range(10)]
    ratings = pl.DataFrame(rows, schema=["item", "rater", "rater_kind", "label"], orient="row")
    config = QuestionConfig(labels=("0", "1", "2"), scale=scale)
    result = evaluate("q", from_ratings(ratings).frame, config, confidence=0.95, seed=0).tables
    return {name: result[name] for name in ("rater_scorecards", "rater_bias", "rater_quality")}


@pytest.mark.parametrize("gold", [False, True])
def test_people_only_and_the_figures_fit_those_of_the_other_tables(gold: bool) -> None:
    result = tables(gold=gold)
    cards = result["rater_scorecards"]
    assert cards["rater"].to_list() == ["ann", "bob", "cid"]
    quality = result["rater_quality"].sort("rater")
    assert cards["agreement"].to_list() == pytest.approx(quality["agreement_with_others"].to_list())
    assert cards["n_gold"].to_list() == ([10] * 3 if gold else [0] * 3)
    if gold:
        assert cards["gold_accuracy"].to_list() == pytest.approx([1.0, 0.8, 0.7])
        assert cards["accuracy"].to_list() == tables()["rater_scorecards"]["accuracy"].to_list()
    else:
        assert cards["gold_reason"].to_list() == ["too_few_gold"] * 3
        assert cards["accuracy"].to_list() == quality["accuracy"].to_list()
    for name in ("rater_scorecards", "rater_bias"):
        columns = result[name].with_columns(run_id=pl.lit("r"), question=pl.lit("q"))
        check_results(name, columns)


def test_severity_needs_an_ordered_scale() -> None:
    assert tables()["rater_scorecards"]["severity_reason"].to_list() == ["not_applicable"] * 3
    ordered = tables("ordinal")["rater_scorecards"]
    assert ordered["severity_reason"].null_count() == 3
    assert (ordered["severity_low"] < ordered["severity"]).all()


def test_votes_without_names_have_no_scorecards() -> None:
    rows = [(str(i), f"vote #{j}", "human", "012"[(i + (i % 4 == j)) % 3]) for i in range(30) for j in range(1, 4)]
    ratings = pl.DataFrame(rows, schema=["item", "rater", "rater_kind", "label"], orient="row")
    config = QuestionConfig(labels=("0", "1", "2"))
    result = evaluate("q", from_ratings(ratings).frame, config, confidence=0.95, seed=0).tables
    assert not {"rater_scorecards", "rater_bias"} & set(result)
    assert result["rater_quality"].is_empty()
