"""Every published or peer-verified case of the shared oracle that our coefficients apply to.

The file lies beside the repository and not in it; without it these tests are skipped, and the golden files remain.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from stats.agreement import agreement
from stats.agreement.coefficient import Coefficient
from stats.agreement.gwet_ac1 import gwet_ac
from stats.agreement.registry import COEFFICIENTS
from stats.errors import StatsError
from stats.intervals import normal_interval, t_interval

FILE = Path(__file__).parents[4] / "shared" / "data" / "oracle" / "agreement_cases.json"
CASES = json.loads(FILE.read_text("utf-8")) if FILE.exists() else []
pytestmark = pytest.mark.skipif(not CASES, reason=f"{FILE} is not there")

OURS = {
    "percent_agreement": "percent_agreement",
    "brennan_prediger": "brennan_prediger",
    "randolph_kappa": "brennan_prediger",
    "cohen_kappa": "cohen_kappa",
    "scott_pi": "scott_pi",
    "fleiss_kappa": "fleiss_kappa",
    "conger_kappa": "conger_kappa",
    "krippendorff_alpha": "krippendorff_alpha",
    "krippendorff_gwet": "krippendorff_alpha",
    "gwet_ac": "gwet_ac1",
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

FRACTIONS = "fractions of a rating cannot be given as ratings"
NEGATIVE = "a negative number of items cannot be given as ratings"
POPULATION = "finite population correction is not built yet"
ASYMMETRIC = (
    "asymmetric weights on a table: the peer takes the first rater's label as the row; these coefficients do not know "
    "a first rater (R's own functions for ratings average both orders, as we do)"
)
PEER_SE = (
    "estimate only: with asymmetric weights the peer's standard error (.0502) is not that of the delta method (.0495, "
    "by numerical derivatives and by statsmodels for Cohen)"
)
DIST_SE = "estimate only: R has two variances for alpha; its function for distributions differs from that for ratings"

NOT_RUN = {
    "randolph-calc/fleiss/[[6.99, 0.01], [6.99, 0.01]]": FRACTIONS,
    "randolph-calc/free-marginal/[[6.99, 0.01], [6.99, 0.01]]": FRACTIONS,
    "pyagree/brennan_prediger/error/1": NEGATIVE,
    "pyagree/scott_pi/error/2": NEGATIVE,
    "pyagree/cohen_kappa/error/2": NEGATIVE,
    "edge/finite-population/gwet": POPULATION,
    "edge/finite-population/fleiss": POPULATION,
    "irrCAC-py/table/test_bp_cont4x4diagnosis_custom_weights": ASYMMETRIC,
    "irrCAC-py/table/test_gwet_cont4x4diagnosis_custom_weights": ASYMMETRIC,
    "irrCAC-py/table/test_pa2_cont4x4diagnosis_custom_weights": ASYMMETRIC,
    "irrCAC-py/table/test_krippendorff_cont4x4diagnosis_custom_weights": ASYMMETRIC,
}
ESTIMATE_ONLY = {
    "irrCAC-py/table/test_cohen_cont4x4diagnosis_custom_weights": PEER_SE,
    "irrCAC-py/table/test_scott_cont4x4diagnosis_custom_weights": PEER_SE,
    "R-irrCAC/distrib6/krippendorff_gwet": DIST_SE,
}
APPLICABLE = [case for case in CASES if case["measure"] in OURS]
RUN = [case for case in APPLICABLE if case["name"] not in NOT_RUN]


@pytest.fixture(autouse=True)
def _ac2(monkeypatch):
    """The oracle's gwet_ac is AC1 or AC2, whichever the weights say; ours takes weights only as a function."""
    monkeypatch.setitem(COEFFICIENTS, "gwet_ac1", Coefficient("gwet_ac1", gwet_ac))


def test_how_many_cases_run(record_property, capsys):
    names = {case["name"] for case in CASES}
    assert set(NOT_RUN) | set(ESTIMATE_ONLY) <= names
    report = {
        "in the file": len(CASES),
        "for our coefficients": len(APPLICABLE),
        "run": len(RUN),
        "run for the estimate only": len(ESTIMATE_ONLY),
        "not run": len(NOT_RUN),
    }
    record_property("oracle", report)
    with capsys.disabled():
        print("\noracle cases:", ", ".join(f"{n} {what}" for what, n in report.items()))
    assert len(RUN) >= 335


@pytest.mark.parametrize("case", RUN, ids=lambda case: f"{case['name']} {case['measure']}")
def test_oracle_case(case, ratings_from):
    expected = {key: value for key, value in case["expected"].items() if key not in NULL_HYPOTHESIS}
    if "error" in expected:
        assert _undefined(case, ratings_from)
        return
    row = _row(case, ratings_from)
    if case["name"] in ESTIMATE_ONLY:
        expected = {"estimate": expected["estimate"]}
    _compare(row, expected, case["tolerance"])
    of_r = case.get("expected_se_R", {})
    _compare(row, {key: of_r[key] for key in ("se", "ci_low", "ci_high") if key in of_r}, 1e-6)


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
    name, confidence = OURS[case["measure"]], case["options"].get("confidence_level", 0.95)
    result = agreement(
        ratings,
        labels=[str(label) for label in labels],
        scale=scale,
        weights=weights,
        coefficients=[name],
        confidence=confidence,
    )
    row = result.row(0, named=True)
    if case["kind"] == "table" and name not in ("cohen_kappa", "scott_pi") and row["se"]:
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
    """Whether the case raises, or has no estimate."""
    try:
        row = _row(case, ratings_from)
    except (StatsError, ValueError):
        return True
    return row["estimate"] is None and row["reason"] is not None
