"""One rater or system against the others: published and derived figures, undefined and degenerate cases."""

import tomllib
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from stats.agreement import agreement, pairwise
from stats.agreement.group.against_group import SCHEMA, against_group
from stats.agreement.group.group_registry import GROUP_COEFFICIENTS
from stats.errors import StatsError

GOLDEN = Path(__file__).parents[3] / "data" / "golden"
LABELS = ["1", "2", "3"]
COLUMNS = {"item": pl.String, "rater": pl.String, "label": pl.String}
NUMBERS = ("estimate", "se", "low", "high", "p_value", "observed", "expected")


def frame(rows):
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def run(rows, **arguments):
    return against_group(frame(rows), **{"labels": LABELS, **arguments})


def by_key(result):
    return {(row["system"], row["name"]): row for row in result.iter_rows(named=True)}


# Published and derived figures


def cases():
    for name in GROUP_COEFFICIENTS:
        for case in tomllib.loads((GOLDEN / f"{name}.toml").read_text("utf-8"))["case"]:
            yield pytest.param(name, case, id=f"{name}: {case['name']}")


@pytest.mark.parametrize("name", GROUP_COEFFICIENTS)
def test_every_coefficient_has_a_golden_file(name):
    golden = tomllib.loads((GOLDEN / f"{name}.toml").read_text("utf-8"))
    assert golden["coefficient"] == name
    assert all(case["source"] and "estimate" in case["expected"] for case in golden["case"])


@pytest.mark.parametrize(("name", "case"), list(cases()))
def test_golden_figures(name, case, ratings_from):
    lines = [[None if label == "." else label for label in line.split()] for line in case["ratings"]]
    row = against_group(
        ratings_from["raters"](lines),
        system=case["system"],
        labels=case["labels"],
        weights=case.get("weights"),
        coefficients=[name],
    ).row(0, named=True)
    expected = case["expected"]
    assert row["reason"] is None
    for column in NUMBERS:
        if column in expected:
            assert row[column] == pytest.approx(expected[column], abs=expected["tolerance"]), column
    if "most" in expected:
        assert f"an agreement of {expected['most']:.4f}" in row["detail"]


def test_the_figures_that_shah_prints():
    """Sec. 5.3 with our formulas: the table is not the paper's (which is not public) but has all of its figures."""
    (case,) = [c for c in tomllib.loads((GOLDEN / "shah_s.toml").read_text("utf-8"))["case"] if c["name"] == "Shah"]
    system, *experts = [np.array(line.split()) for line in case["ratings"]]
    n = len(system)
    kappa_s = agreement(
        frame([(str(i), f"r{g}", label) for g, line in enumerate(experts) for i, label in enumerate(line)]),
        labels=case["labels"],
        coefficients=["conger_kappa", "fleiss_kappa"],
    ).to_dicts()
    assert [round(row["observed"], 2) for row in kappa_s] == [0.81, 0.81]
    assert [round(row["estimate"], 3) for row in kappa_s] == [0.679, 0.676]
    assert round(kappa_s[0]["expected"], 3) == 0.406
    shares = {g: {j: (line == j).mean() for j in case["labels"]} for g, line in enumerate([*experts, system])}

    def by_chance(pairs, of_system):
        return sum(
            shares[g][j] * shares[h][j] * (shares[3][j] if of_system else 1) for g, h in pairs for j in case["labels"]
        )

    # as printed: 1-2 twice, 1-3 and 2-3 once, over six
    printed = [(0, 1), (0, 1), (0, 2), (1, 2)]
    every = [(0, 1), (0, 2), (1, 2)]
    P_a, e = kappa_s[0]["observed"], by_chance(printed, False) / 6
    assert (round(e, 3), round((P_a - e) / (1 - e), 3)) == (0.272, 0.738)
    assert round(by_chance(every, True) / 3, 3) == 0.156
    of_three = [[sum(line[i] == j for line in experts) for j in case["labels"]] for i in range(n)]
    A_o = sum(c * (c - 1) for i, counts in enumerate(of_three) for j, c in zip(case["labels"], counts, strict=True)
              if system[i] == j) / 6 / n  # fmt: skip
    A_max = sum(max(c * (c - 1) for c in counts) for counts in of_three) / 6 / n
    e = by_chance(printed, True) / 6
    assert (round(e, 3), round((A_o - e) / (A_max - e), 3)) == (0.105, 0.662)
    ratings = frame([(str(i), f"r{g}", a) for g, line in enumerate([system, *experts]) for i, a in enumerate(line)])
    ours = by_key(against_group(ratings, system="r0", labels=case["labels"]))
    assert round(ours["r0", "shah_s"]["estimate"], 3) == 0.636
    assert round(ours["r0", "vanbelle_albert"]["estimate"], 3) == 0.551


# Undefined and degenerate


def rows_from(lines, raters="xyz"):
    return [(str(i), r, label) for r, line in zip(raters, lines, strict=False) for i, label in enumerate(line)
            if label != "."]  # fmt: skip


def of_x(*lines, **arguments):
    return {row["name"]: row for row in run(rows_from(lines), system="x", **arguments).to_dicts()}


@pytest.mark.parametrize("name", GROUP_COEFFICIENTS)
def test_no_other_rater(name):
    row = of_x("1231")[name]
    assert (row["estimate"], row["reason"], row["n_items"], row["n_raters"]) == (None, "too_few_raters", 0, 0)
    least = {"shah_s": "2 other raters"}.get(name, "1 other rater")
    assert row["detail"] == f"Needs at least {least}, found 0."


def test_shahs_s_needs_two_others():
    row = of_x("1231", "1221")["shah_s"]
    assert (row["estimate"], row["reason"], row["n_items"], row["n_raters"]) == (None, "too_few_raters", 4, 1)
    assert row["detail"] == "Needs at least 2 other raters, found 1."


@pytest.mark.parametrize("name", GROUP_COEFFICIENTS)
@pytest.mark.parametrize(("lines", "result"), [(("12..", "..12", "..21"), 0), (("12..", "1.12", "1.21"), 1)])
def test_fewer_than_two_items(name, lines, result):
    row = of_x(*lines)[name]
    assert (row["estimate"], row["reason"], row["n_items"]) == (None, "too_few_items", result)
    others = "two others" if name == "shah_s" else "one other"
    assert row["detail"] == f"Needs at least 2 items that the system and {others} rated, found {result}."


def test_one_item_with_a_pair_is_too_few_for_shahs_s_only():
    result = of_x("1221", "1121", "2...")
    assert result["shah_s"]["reason"] == "too_few_items"
    assert result["shah_s"]["detail"] == "Needs at least 2 items that the system and two others rated, found 1."
    assert result["vanbelle_albert"]["reason"] is None


@pytest.mark.parametrize("name", GROUP_COEFFICIENTS)
def test_one_label_used_or_declared(name):
    for labels in (LABELS, ["1"]):
        row = of_x("1111", "1111", "1111", labels=labels)[name]
        assert (row["estimate"], row["se"], row["reason"]) == (None, None, "zero_denominator")
        assert row["observed"] is None if name == "mean_pairwise_kappa" else row["observed"] == 1
        assert row["detail"]


def test_a_group_that_agrees_less_than_by_chance():
    # the two others never agree: A_max = 0 < A_e, and a ratio of two negative numbers would look like agreement
    row = of_x("1212", "1212", "2121")["shah_s"]
    assert (row["estimate"], row["reason"], row["observed"], row["expected"]) == (None, "zero_denominator", 0, 0.25)
    assert row["detail"].startswith("The group's raters agree with each other no more than chance")


@pytest.mark.parametrize("name", GROUP_COEFFICIENTS)
def test_perfect_agreement(name):
    row = of_x("1122", "1122", "1122")[name]
    assert (row["estimate"], row["se"], row["low"], row["high"], row["p_value"]) == (1, 0, 1, 1, None)
    assert row["observed"] == 1
    assert row["detail"].startswith("Degenerate: every rating agrees")


def test_the_best_that_a_divided_group_allows_is_flagged():
    for name in ("shah_s", "vanbelle_albert"):
        row = of_x("112233", "112233", "112231")[name]
        assert (row["estimate"], row["se"], row["low"], row["high"], row["p_value"]) == (1, 0, 1, 1, None)
        assert row["observed"] < 1
        assert "The most that this group allows is an agreement of" in row["detail"]
        assert "Degenerate: the estimate is the same whichever item is left out" in row["detail"]


def test_ties_count_in_equal_parts():
    # items 1 and 2 tie: half a disagreement each; P_a = .75, P_e = .5
    row = of_x("1212", "1212", "2112", labels=["1", "2"])["majority_kappa"]
    assert (row["observed"], row["expected"], row["estimate"]) == (0.75, 0.5, 0.5)


def test_shahs_s_has_no_weights():
    lines = ("1123", "1223", "1133")
    assert of_x(*lines, weights="linear")["shah_s"]["reason"] == "not_applicable"
    assert of_x(*lines, weights="linear")["shah_s"]["detail"] == "Defined without weights, found linear."
    assert of_x(*lines, weights="identity")["shah_s"]["reason"] is None
    assert of_x(*lines, weights="linear")["vanbelle_albert"]["weights"] == "linear"


def test_no_ratings_at_all():
    assert run([]).height == 0
    assert run([]).schema == SCHEMA


def test_items_without_a_pair_stay_in_the_chance_term():
    row = of_x("1122", "1121", "11..")["shah_s"]
    assert row["detail"].startswith("From the 2 of 4 items that two or more of the others rated.")
    # p = (1/2, 1/2); the others have (3/4, 1/4) and (1, 0): A_e = 1/2 * 3/4
    assert (row["observed"], row["expected"], row["estimate"]) == (1, 0.375, 1)


def test_bad_arguments_are_named():
    rows = rows_from(("1122", "1121"))
    with pytest.raises(StatsError, match=r"The system 'z' gave none of these ratings. Name one of: 'x', 'y'\."):
        run(rows, system="z")
    for coefficients in (["fleiss_kappa"], "shah_s"):
        with pytest.raises(StatsError, match="Coefficients against the group must be a list of names from shah_s"):
            run(rows, coefficients=coefficients)
    assert run(rows, coefficients=["shah_s", "shah_s"])["name"].to_list() == ["shah_s", "shah_s"]
    with pytest.raises(StatsError, match="Every label must be declared"):
        run(rows, labels=["1"])


def many_labels():
    rng = np.random.default_rng(1)
    names, right = [f"label {number}" for number in range(600)], rng.integers(600, size=900)
    rows = [
        (str(item), rater, names[truth if rng.random() < 0.8 else rng.integers(600)])
        for item, truth in enumerate(right)
        for rater in "xyz"
    ]
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row"), names


def test_hundreds_of_labels_need_no_table_of_all_pairs_of_labels():
    """It took minutes, and gigabytes of memory."""
    frame, names = many_labels()
    figures = against_group(frame, system="x", labels=names).select("estimate", "se", "observed").to_numpy()
    assert np.isfinite(figures).all()
    of_pairs = pairwise(frame, labels=names).filter(rater_b="y")
    own = agreement(frame.filter(pl.col("rater") != "z"), labels=names, coefficients=["cohen_kappa"])
    assert of_pairs["estimate"][0] == pytest.approx(own["estimate"][0], rel=1e-12)
    assert of_pairs["se"][0] == pytest.approx(own["se"][0], rel=1e-9)
