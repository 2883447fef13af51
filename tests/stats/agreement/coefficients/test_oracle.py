"""Every published or peer-verified case of the shared oracle: each is run, or stands in NOT_RUN with the reason.

The file lies beside the repository and not in it; without it these tests are skipped, and the golden files remain.
"""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from stats.agreement import agreement
from stats.agreement.group.between_groups import between_groups
from stats.agreement.inference.benchmark_scales import Benchmark, benchmark
from stats.errors import StatsError
from stats.intervals import normal_interval, t_interval

FILE = Path(__file__).parents[5] / "shared" / "data" / "oracle" / "agreement_cases.json"
CASES = json.loads(FILE.read_text("utf-8")) if FILE.exists() else []
pytestmark = pytest.mark.skipif(not CASES, reason=f"{FILE} is not there")

OURS = {
    "percent_agreement": "percent_agreement",
    "brennan_prediger": "brennan_prediger",
    "randolph_kappa": "brennan_prediger",
    "bangdiwala_b": "bangdiwala_b",
    "cohen_kappa": "cohen_kappa",
    "scott_pi": "scott_pi",
    "yule_y": "yule_y",
    "fleiss_kappa": "fleiss_kappa",
    "conger_kappa": "conger_kappa",
    "light_kappa": "light_kappa",
    "krippendorff_alpha": "krippendorff_alpha",
    "krippendorff_gwet": "krippendorff_alpha",
    "gwet_ac": "gwet_ac2",  # AC1 without weights
    "ia_c": "information_agreement",
    "icc": None,  # the form is in the case's options
}
COLUMNS = {
    "estimate": "estimate",
    "se": "se",
    "ci_low": "low",
    "ci_high": "high",
    "p_value": "p_value",
    "pa": "observed",
    "pe": "expected",
}
NULL_HYPOTHESIS = {"se0", "z0", "p_value0"}  # figures under "the coefficient is 0", which we do not report
DIVIDED_BY_N = ("bangdiwala_b", "cohen_kappa", "scott_pi")  # our variances that divide by n, as R's for tables do

ASYMMETRIC = {
    "irrCAC-py/table/test_bp_cont4x4diagnosis_custom_weights",
    "irrCAC-py/table/test_gwet_cont4x4diagnosis_custom_weights",
    "irrCAC-py/table/test_pa2_cont4x4diagnosis_custom_weights",
    "irrCAC-py/table/test_krippendorff_cont4x4diagnosis_custom_weights",
}
FRACTIONS = {
    "randolph-calc/fleiss/[[6.99, 0.01], [6.99, 0.01]]",
    "randolph-calc/free-marginal/[[6.99, 0.01], [6.99, 0.01]]",
}
# peers whose standard error we have where the case's own is another; each says why
SE_OF = {
    # asymmetric weights: .0502 is not that of the delta method (.0495, by numerical derivatives and by statsmodels)
    "irrCAC-py/table/test_cohen_cont4x4diagnosis_custom_weights": "statsmodels",
    "irrCAC-py/table/test_scott_cont4x4diagnosis_custom_weights": None,
    # R has two variances for alpha: its function for distributions differs from that for ratings, which is ours
    "R-irrCAC/distrib6/krippendorff_gwet": "irrCAC.raw",
}

NEGATIVE = "a negative number of items cannot be given as ratings"
ACCURACY = "no coefficient of agreement but the accuracy of raters: stats.accuracy, another issue"
NOT_RUN = {
    "pyagree/bangdiwala_b/error/1": NEGATIVE,
    "pyagree/brennan_prediger/error/1": NEGATIVE,
    "pyagree/cohen_kappa/error/2": NEGATIVE,
    "pyagree/ia_c/error/1": NEGATIVE,
    "pyagree/scott_pi/error/2": NEGATIVE,
    "pyagree/yule_y/error/4": NEGATIVE,
    "DawidSkene1979/anesthesia": ACCURACY,
    "accuracy/trio-exact-asym": ACCURACY,
    "accuracy/trio-exact-rare": ACCURACY,
    "accuracy/ntqr-uciadult": ACCURACY,
}


def cases_of(kind):
    return [case for case in CASES if _kind(case) == kind]


def _kind(case):
    if case["name"] in NOT_RUN:
        return "not run"
    if case["name"] in ASYMMETRIC:
        return "one order of asymmetric weights"
    if case["name"] in FRACTIONS:
        return "fractions of ratings"
    return "agreement" if case["measure"] in OURS else case["measure"]


def named(case):
    return f"{case['name']} {case['measure']}"


def test_every_case_runs_or_has_a_reason(record_property, capsys):
    names = {case["name"] for case in CASES}
    assert set(NOT_RUN) | set(SE_OF) | ASYMMETRIC | FRACTIONS <= names
    kinds = Counter(_kind(case) for case in CASES)
    record_property("oracle", dict(kinds))
    with capsys.disabled():
        print(f"\noracle: {len(CASES)} cases,", ", ".join(f"{n} {kind}" for kind, n in kinds.items()))
    run = {
        "agreement",
        "one order of asymmetric weights",
        "fractions of ratings",
        "benchmark_cumprob",
        "vanbelle_albert",
    }
    assert set(kinds) - run == {"not run"}
    assert kinds["not run"] == len(NOT_RUN)


@pytest.mark.parametrize("case", cases_of("agreement"), ids=named)
def test_oracle_case(case, ratings_from):
    expected = {key: value for key, value in case["expected"].items() if key not in NULL_HYPOTHESIS}
    if "error" in expected:
        assert _undefined(case, ratings_from)
        return
    row = _row(case, ratings_from)
    if case["name"] in SE_OF:
        peer = SE_OF[case["name"]]
        if peer:
            assert row["se"] == pytest.approx(case["verified_by"][peer]["se"], abs=1e-8)
        expected = {key: expected[key] for key in ("estimate", "pa", "pe") if key in expected}
    _compare(row, expected, case["tolerance"])
    of_r = case.get("expected_se_R", {})
    _compare(row, {key: of_r[key] for key in ("se", "ci_low", "ci_high") if key in of_r}, 1e-6)


@pytest.mark.parametrize("case", cases_of("one order of asymmetric weights"), ids=named)
def test_asymmetric_weights_are_the_mean_of_both_orders(case, ratings_from):
    """The peer takes the first rater's label as the row of the weights, so that it has another figure for the same
    ratings with the raters exchanged. Ours do not know a first rater and give the mean of its two figures."""
    labels, w, name = _labels(case), case["options"]["weights"], OURS[case["measure"]]
    A, expected = np.array(case["data"]), case["expected"]["estimate"]

    def figures(table):
        ratings = ratings_from["table"](table.tolist(), labels)
        chosen = {"weights": w, "coefficients": ["cohen_kappa", name]}
        results = agreement(ratings, labels=[str(label) for label in labels], **chosen)
        of_order, ours = results.iter_rows(named=True)
        P_a, P_e, eps = of_order["observed"], ours["expected"], 1 / ours["n_ratings"]
        if name == "krippendorff_alpha":
            P_a = (1 - eps) * P_a + eps
        return (P_a - P_e) / (1 - P_e), ours["estimate"]

    (result, ours), (other, again) = figures(A), figures(A.T)
    assert result == pytest.approx(expected, abs=case["tolerance"])
    assert result == pytest.approx(case["verified_by"]["irrCAC.table"]["estimate"], abs=1e-8)
    assert abs(result - other) > 0.001
    assert ours == pytest.approx(again, abs=1e-12)
    assert ours == pytest.approx((result + other) / 2, abs=1e-12)


@pytest.mark.parametrize("case", cases_of("fractions of ratings"), ids=named)
def test_fractions_of_ratings(case, ratings_from):
    """6.99 + .01 ratings of an item as 699 + 1. Shares and hence P_e are the same, P_a is not: with S = sum_j p_ij^2
    it is (m S - 1) / (m - 1), .99667 of 7 ratings and .99714 of 700. Undone, the published figure comes out."""
    m, M = sum(case["data"][0]), 700
    counts = [[round(100 * n) for n in row] for row in case["data"]]
    labels = _labels(case)
    result = agreement(
        ratings_from["counts"](counts, labels),
        labels=[str(label) for label in labels],
        coefficients=[OURS[case["measure"]]],
    )
    row = result.row(0, named=True)
    S = (row["observed"] * (M - 1) + 1) / M
    P_a, P_e = (m * S - 1) / (m - 1), row["expected"]
    assert (P_a - P_e) / (1 - P_e) == pytest.approx(case["expected"]["estimate"], abs=case["tolerance"])
    assert row["estimate"] != pytest.approx(case["expected"]["estimate"], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases_of("benchmark_cumprob"), ids=named)
def test_benchmark_probabilities(case):
    options, expected = case["options"], case["expected"]
    expected = [expected[f"cumprob_{i}"] for i in range(len(expected))]
    if options["scale"] != "custom":
        result = benchmark(options["coefficient"], options["se"], scale=options["scale"])
        assert result["cumulative"].to_list() == pytest.approx(expected, abs=case["tolerance"])
        return
    # the peer sums from the lowest level upwards, as that scale is given, which starts at 0; ours start at -1
    custom = options["custom"]
    scale = Benchmark(custom["scale_name"], (-1, *custom["lb"]), ("Below 0", *custom["interp"]))
    result = benchmark(options["coefficient"], options["se"], scale=scale).reverse()[1:]
    assert result["level"].to_list() == custom["interp"]
    assert result["probability"].cum_sum().to_list() == pytest.approx(expected, abs=case["tolerance"])


@pytest.mark.parametrize("case", cases_of("vanbelle_albert"), ids=named)
def test_two_groups_of_raters(case, ratings_from):
    """The published figure is corrected for bias by the jackknife, ours is not."""
    options, expected, peer = case["options"], case["expected"], case["verified_by"]["own-formula"]
    result = between_groups(
        ratings_from["raters"](case["data"]),
        group=[f"r{g:03}" for g in options["group1"]],
        labels=[str(label) for label in options["categories"]],
        scale="interval",
        weights=options["weights"],
    )
    row = result.row(0, named=True)
    assert row["estimate"] == pytest.approx(peer["estimate_raw"], abs=1e-9)
    _compare(row, expected, case["tolerance"])
    assert row["se"] == pytest.approx(peer["se"], abs=1e-9)


def _row(case, ratings_from):
    labels, scale, weights = _labels(case), case["options"].get("level"), case["options"].get("weights")
    data = case["data"]
    # all frames hold text; the peers take the categories of weighted coefficients as numbers where they are numbers
    if scale is None:
        scale = "ordinal" if any(isinstance(label, str) for label in labels) else "interval"
    if case["measure"] == "krippendorff_gwet" and weights is None:
        weights = "identity"  # the metric is nominal whatever the labels
    kind = case["kind"]
    ratings = ratings_from["raters"](data) if kind == "raw" else ratings_from[kind](data, labels)
    name = OURS[case["measure"]] or case["options"]["type"].lower()
    confidence = case["options"].get("confidence_level", 0.95)
    result = agreement(
        ratings,
        labels=[str(label) for label in labels],
        scale=scale,
        weights=weights,
        coefficients=[name],
        confidence=confidence,
        population=case["options"].get("N"),
    )
    row = result.row(0, named=True)
    if case["kind"] == "table" and name not in DIVIDED_BY_N and row["se"]:
        # R's two-rater functions divide the variance by n where its functions for ratings divide by n - 1
        n = row["n_items"]
        row["se"] *= ((n - 1) / n) ** 0.5
        row["low"], row["high"] = t_interval(row["estimate"], row["se"], n - 1, confidence=confidence, upper=1)
    if case["name"].startswith("SAS/"):
        row["low"], row["high"] = normal_interval(row["estimate"], row["se"], confidence=confidence)
    return row


def _labels(case):
    data = case["data"]
    if "categories" in case["options"]:
        return case["options"]["categories"]
    if case["kind"] == "raw":
        return sorted({label for line in data for label in line if label is not None})
    return list(range(1, len(data[0]) + 1))


def _compare(row, expected, tolerance):
    for key, value in expected.items():
        ours = row["se"] ** 2 if key == "var" else row[COLUMNS[key]]
        if value is None:
            assert ours is None, key
            assert row["reason"] is not None
        else:
            assert ours is not None, (key, row["reason"])
            assert np.isclose(ours, value, rtol=0, atol=tolerance), (key, ours, value)


def _undefined(case, ratings_from):
    """Whether the case raises our error, or has no estimate."""
    try:
        row = _row(case, ratings_from)
    except StatsError:
        return True
    return row["estimate"] is None and row["reason"] is not None
