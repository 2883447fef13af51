"""Scores have no accuracy: only equal numbers would count as right."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from stats.numeric_labels import EQUAL_NUMBERS
from tasks.evaluate.agreement import evaluate
from tasks.evaluate.question_config import QuestionConfig

RATERS = {"ann": "human", "bob": "human", "cleo": "human", "gpt": "system"}


def scores(top: float, decimals: int, n_items: int = 200) -> pl.DataFrame:
    """Draw scores from 0 to the top: everybody is near the truth, and hardly ever equal to it."""
    rng = np.random.default_rng(7)
    truth = rng.uniform(0, top, n_items)
    rows = [
        (str(item), rater, kind, str(round(float(min(top, max(0.0, score + rng.normal(0, 0.05 * top)))), decimals)))
        for item, score in enumerate(truth)
        for rater, kind in RATERS.items()
    ]
    return pl.DataFrame(rows, schema=["item", "rater", "rater_kind", "label"], orient="row")


def evaluated(ratings: pl.DataFrame, scale: str, labels: tuple[str, ...] | None = None) -> Any:
    patterns = ratings.with_columns(n_items=pl.lit(1, pl.Int64))
    return evaluate("score", patterns, QuestionConfig(scale=scale, labels=labels), confidence=0.95, seed=0)


@pytest.mark.parametrize("scale", ["interval", "nominal"])
def test_scores_have_no_accuracy(scale: str) -> None:
    result = evaluated(scores(100, 1), scale)
    results = result.tables
    assert any(note.startswith("score: No accuracy. The labels are ") for note in result.notes)
    (row,) = results["system_accuracy"].to_dicts()
    assert (row["system"], row["accuracy"], row["reason"], row["n_items"]) == ("gpt", None, "too_many_labels", 200)
    assert "Accuracy counts only equal numbers as right" in row["detail"]
    people = results["rater_quality"]
    assert people["accuracy"].to_list() == [None] * 3
    assert people["reason"].unique().to_list() == ["too_many_labels"]
    assert results["item_consensus"].is_empty()
    alpha = results["agreement"].filter(coefficient="krippendorff_alpha", scope="humans")["estimate"][0]
    assert (alpha > 0.9) == (scale == "interval")


def test_gold_does_not_help() -> None:
    ratings = scores(100, 0)
    gold = ratings.filter(rater="ann").head(40).with_columns(rater=pl.lit("lead"), rater_kind=pl.lit("gold"))
    result = evaluated(pl.concat([ratings, gold]), "interval").tables
    assert result["system_accuracy"]["reason"].to_list() == ["too_many_labels"]
    assert result["rater_scorecards"]["gold_reason"].unique().to_list() == ["too_many_labels"]


def test_a_few_numbers_have_an_accuracy_with_a_warning() -> None:
    result = evaluated(scores(5, 0), "interval").tables["system_accuracy"]
    assert result["accuracy"].null_count() == 0
    assert all(EQUAL_NUMBERS in warnings for warnings in result["warnings"])
    result = evaluated(scores(5, 0), "ordinal").tables["system_accuracy"]
    assert not any(EQUAL_NUMBERS in warnings for warnings in result["warnings"])


def test_undeclared_whole_numbers_may_be_names_of_classes(tmp_path: Path) -> None:
    notes = evaluated(scores(40, 0, 60), "nominal").notes
    assert "These are many numbers." in notes[0]
    assert "These are many numbers." not in evaluated(scores(40, 0, 60), "interval").notes[0]


def test_the_command_says_why(tmp_path: Path, kappaflow: Any) -> None:
    file = tmp_path / "score.csv"
    scores(100, 1).select("item", "rater", "label").write_csv(file)
    results = kappaflow("accuracy", file, "--system", "gpt", "--scale", "interval", "--json")
    result = json.loads(results.stdout)
    result = result[0] if isinstance(result, list) else result
    assert [(row["accuracy"], row["reason"]) for row in result["systems"]] == [(None, "too_many_labels")]
    assert result["annotators"]["reason"] == "too_many_labels"
    assert result["comparison"] == result["checks"] == result["bins"] == []
    text = kappaflow("accuracy", file, "--system", "gpt", "--scale", "interval").stdout
    assert text.strip().startswith("score: 200 items,")
    assert "no accuracy" in text.splitlines()[0] + text.splitlines()[1]
