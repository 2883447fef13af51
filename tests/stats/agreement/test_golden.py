"""Each coefficient against published figures, facts with their source in tests/data/golden/<coefficient>.toml."""

import tomllib
from pathlib import Path

import pytest

from stats.agreement import COEFFICIENTS, agreement

GOLDEN = Path(__file__).parents[2] / "data" / "golden"
COLUMNS = ("estimate", "se", "low", "high", "observed", "expected")


def cases():
    for name in COEFFICIENTS:
        file = GOLDEN / f"{name}.toml"
        for case in tomllib.loads(file.read_text("utf-8"))["case"] if file.exists() else []:
            yield pytest.param(name, case, id=f"{name}: {case['name']}")


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_every_coefficient_has_a_golden_file(name):
    golden = tomllib.loads((GOLDEN / f"{name}.toml").read_text("utf-8"))
    assert golden["coefficient"] == name
    assert all(case["source"] and "estimate" in case["expected"] for case in golden["case"])


@pytest.mark.parametrize(("name", "case"), list(cases()))
def test_golden_figures(name, case, ratings_from):
    labels = case["labels"]
    if "ratings" in case:
        lines = [[None if label == "." else label for label in line.split()] for line in case["ratings"]]
        ratings = ratings_from["raters"](lines)
    else:
        kind = "table" if "table" in case else "counts"
        ratings = ratings_from[kind](case[kind], labels)
    scale, weights = case.get("scale", "nominal"), case.get("weights")
    row = agreement(ratings, labels=labels, scale=scale, weights=weights, coefficients=[name]).row(0, named=True)
    expected = case["expected"]
    for column in COLUMNS:
        if column in expected:
            digits = expected.get("low_high_tolerance") if column in ("low", "high") else None
            assert row[column] == pytest.approx(expected[column], abs=digits or expected["tolerance"]), column
    if "table_se" in expected:  # R irrCAC's two-rater functions divide by n where its others divide by n - 1
        n = row["n_items"]
        assert row["se"] * ((n - 1) / n) ** 0.5 == pytest.approx(expected["table_se"], abs=expected["tolerance"])
    assert row["reason"] is None
