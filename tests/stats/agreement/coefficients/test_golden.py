"""Each coefficient against published figures, facts with their source in tests/data/golden/<coefficient>.toml."""

import tomllib
from pathlib import Path

import pytest

from stats.agreement import COEFFICIENTS, agreement

GOLDEN = Path(__file__).parents[3] / "data" / "golden"
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
    if "one_sided_p" in expected:  # of the F test that the ICC is 0 against its being more; ours is two-sided
        assert row["p_value"] / 2 == pytest.approx(expected["one_sided_p"], rel=0.004)
    assert row["reason"] is None


def test_misprint_of_bangdiwala_b(ratings_from):
    """Some descriptions leave out the square: sum A_jj / sum A_j. A_.j would shrink with the number of items."""
    table, labels = [[21, 5], [3, 21]], ["1", "2"]
    products = 26 * 24 + 24 * 26
    for copies in (1, 10):
        ratings = ratings_from["table"]([[n * copies for n in row] for row in table], labels)
        row = agreement(ratings, labels=labels, coefficients=["bangdiwala_b"]).row(0, named=True)
        assert row["estimate"] == pytest.approx((21**2 + 21**2) / products, abs=1e-12)
        assert row["estimate"] != pytest.approx((21 + 21) / products, abs=0.6)


def test_misprint_of_fleiss_kappa(ratings_from):
    """Some descriptions print P_e = sum p_j, which is 1 whatever the ratings."""
    ratings = ratings_from["counts"]([[2, 1, 0], [3, 0, 0], [0, 1, 2], [1, 0, 2]], ["A", "B", "C"])
    row = agreement(ratings, labels=["A", "B", "C"], coefficients=["fleiss_kappa"]).row(0, named=True)
    assert row["expected"] == pytest.approx((6 / 12) ** 2 + (2 / 12) ** 2 + (4 / 12) ** 2, abs=1e-12)
