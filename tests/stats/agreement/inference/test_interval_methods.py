"""Standard errors and intervals by each method: jackknife, bootstrap, finite population."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from stats.agreement import COEFFICIENTS, agreement, pairwise
from stats.agreement.coefficients.coefficient import ALL_RATERS
from stats.agreement.count_tables import tables_of, without_raters
from stats.agreement.inference import resampling
from stats.counts import long_patterns
from stats.errors import StatsError

METHODS = ("t", "normal", "jackknife", "percentile", "bca")
NUMBERS = ("estimate", "se", "low", "high", "p_value", "observed", "expected")
LABELS = ["1", "2", "3"]


def ratings_of(n, n_raters, n_labels, *, seed, missing=0.0):
    """n items; raters who are right in 50 to 80 % of cases. The first two items have all ratings and differ."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(n_labels, n, p=np.array([0.5, 0.3, 0.2])[:n_labels] / np.array([0.5, 0.3, 0.2])[:n_labels].sum())
    right = rng.random((n, n_raters)) < np.linspace(0.5, 0.8, n_raters)
    codes = np.where(right, truth[:, None], rng.integers(0, n_labels, (n, n_raters)))
    rated = rng.random((n, n_raters)) >= missing
    codes[:2], rated[:2] = [[0], [1]], True
    rows = [
        (f"{i:04}", f"r{g}", LABELS[codes[i, g]]) for i in range(n) for g in range(n_raters) if rated[i, g]
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")


def rows_of(ratings, *, labels=LABELS, **arguments):
    result = agreement(ratings, labels=labels, **{"scale": "interval", **arguments})
    return {row["name"]: row for row in result.iter_rows(named=True)}


def defined(result):
    return {name: row for name, row in result.items() if row["reason"] is None}


@pytest.mark.parametrize("missing", [0.0, 0.25])
@pytest.mark.parametrize(("n_raters", "n_labels"), [(2, 2), (2, 3), (4, 3)])
@pytest.mark.parametrize("weights", [None, "linear"])
def test_jackknife_is_every_item_left_out_in_turn(weights, n_raters, n_labels, missing):
    ratings = ratings_of(14, n_raters, n_labels, seed=n_raters + n_labels, missing=missing)
    chosen = {"labels": LABELS[:n_labels], "weights": weights}
    result = rows_of(ratings, interval_method="jackknife", **chosen)
    given = dict(ratings.group_by("item").len().iter_rows())
    without = {item: rows_of(ratings.filter(pl.col("item") != item), **chosen) for item in sorted(given)}
    assert len(defined(result)) >= 6
    for name, row in defined(result).items():
        # items that do not enter (two-rater coefficients: with one rating) do not count
        least = n_raters if COEFFICIENTS[name].min_ratings == ALL_RATERS else COEFFICIENTS[name].min_ratings
        values = [left_out[name]["estimate"] for item, left_out in without.items() if given[item] >= least]
        known = np.array([value for value in values if value is not None])
        n = len(known)
        se = np.sqrt((n - 1) / n * ((known - known.mean()) ** 2).sum())
        assert row["interval_method"] == "jackknife"
        assert row["se"] == pytest.approx(se, abs=1e-9), name
        assert ("Undefined for" in (row["detail"] or "")) == (n < len(values))


def test_every_coefficient_is_left_out_in_turn():
    """The test above sees each of them in one of its designs."""
    seen = set()
    for n_raters, n_labels in ((2, 2), (4, 3)):
        ratings = ratings_of(14, n_raters, n_labels, seed=n_raters + n_labels)
        seen |= set(defined(rows_of(ratings, labels=LABELS[:n_labels])))
    assert seen == set(COEFFICIENTS)


@pytest.mark.parametrize("method", ["jackknife", "percentile", "bca"])
def test_blocks_of_sets_change_nothing(method, monkeypatch):
    ratings = ratings_of(25, 3, 3, seed=4, missing=0.2)
    chosen = {"interval_method": method, "replicates": 150}
    whole = rows_of(ratings, **chosen)
    monkeypatch.setattr(resampling, "MAX_CELLS", 300)
    for name, row in rows_of(ratings, **chosen).items():
        if method != "jackknife" and COEFFICIENTS[name].by_rater:
            continue  # which patterns are drawn within a count row does depend on the blocks
        for column in NUMBERS:
            assert row[column] == (None if whole[name][column] is None else pytest.approx(whole[name][column])), name


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_bootstrap_depends_on_the_seed_and_on_nothing_else(method):
    ratings = ratings_of(40, 3, 3, seed=5, missing=0.2)
    chosen = {"interval_method": method, "replicates": 200}
    first = rows_of(ratings, seed=1, **chosen)
    assert rows_of(ratings.sample(fraction=1, shuffle=True, seed=3), seed=1, **chosen) == first
    other = rows_of(ratings, seed=2, **chosen)
    for name, row in defined(first).items():
        assert row["estimate"] == other[name]["estimate"]
        assert row["se"] != other[name]["se"], name
        alone = rows_of(ratings, seed=1, coefficients=[name], **chosen)[name]
        assert alone == row


@pytest.mark.parametrize("blocks", [2_000_000, 500])
def test_replicates_are_items_drawn_with_replacement(blocks, monkeypatch):
    monkeypatch.setattr(resampling, "MAX_CELLS", blocks)
    ratings = ratings_of(60, 3, 3, seed=6, missing=0.3)
    n, raters = ratings["item"].n_unique(), sorted(ratings["rater"].unique())
    tables = tables_of(long_patterns(ratings, labels=LABELS, raters=raters))
    drawn = []

    def seen(some):
        drawn.append(some)
        return np.zeros(len(some.items))

    assert resampling.bootstrap(seen, tables, 300, 7).shape == (1, 300)
    items = np.concatenate([some.items for some in drawn])
    of_patterns = np.concatenate([some.pattern_items for some in drawn])
    assert items.shape == (300, len(tables.C))
    assert (items.sum(axis=1) == n).all()
    rows = np.zeros_like(items)
    np.add.at(rows.T, tables.row_of, of_patterns.T)
    assert (rows == items).all()
    assert items.mean(axis=0) == pytest.approx(tables.items[0], abs=5 * np.sqrt(tables.items.max() / 300))
    assert of_patterns.mean(axis=0) == pytest.approx(tables.pattern_items[0], abs=1)
    # a coefficient that does not know the raters sees the same items
    drawn.clear()
    resampling.bootstrap(seen, without_raters(tables), 300, 7)
    assert (np.concatenate([some.items for some in drawn]) == items).all()


@pytest.mark.parametrize(("n_raters", "n_labels"), [(2, 2), (3, 3)])
def test_standard_errors_of_the_methods_agree_for_many_items(n_raters, n_labels):
    ratings = ratings_of(300, n_raters, n_labels, seed=8)
    chosen = {"labels": LABELS[:n_labels], "replicates": 2000, "seed": 1}
    analytic = rows_of(ratings, **chosen)
    for method in ("jackknife", "percentile", "bca"):
        for name, row in defined(rows_of(ratings, interval_method=method, **chosen)).items():
            assert row["se"] == pytest.approx(analytic[name]["se"], rel=0.1), (method, name)
            assert row["low"] == pytest.approx(analytic[name]["low"], abs=0.5 * row["se"])
            assert row["high"] == pytest.approx(analytic[name]["high"], abs=0.5 * row["se"])
            assert row["interval_method"] == method


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_bootstrap_interval_of_a_mean_is_that_of_scipy(method, ratings_from):
    """Percent agreement is the mean of the items' shares of agreeing pairs: very skewed here, so that BCa's bias and
    acceleration move the ends by .2 to .6 standard errors."""
    counts = [[8, 0]] * 20 + [[7, 1]] * 3 + [[5, 3], [4, 4]]
    share = np.array([sum(m * (m - 1) for m in item) / 56 for item in counts])
    chosen = {"labels": LABELS[:2], "interval_method": method, "replicates": 100_000}
    row = rows_of(ratings_from["counts"](counts, LABELS[:2]), coefficients=["percent_agreement"], **chosen)
    row = row["percent_agreement"]
    names = {"percentile": "percentile", "bca": "BCa"}
    peer = stats.bootstrap((share,), np.mean, n_resamples=100_000, method=names[method], rng=np.random.default_rng(1))
    assert row["estimate"] == pytest.approx(share.mean(), abs=1e-12)
    assert row["se"] == pytest.approx(peer.standard_error, rel=0.03)
    # Monte Carlo: BCa's lower end is the quantile at .3 % of 100,000 replicates, with the standard error
    # sqrt(.003 / 100,000) / .009 = .02 se, and as much for z0; P_a goes in steps of .02 se
    assert row["low"] == pytest.approx(peer.confidence_interval.low, abs=0.15 * row["se"])
    assert row["high"] == pytest.approx(peer.confidence_interval.high, abs=0.15 * row["se"])


@pytest.mark.parametrize("method", METHODS)
def test_intervals_follow_a_linear_transformation(method):
    """Brennan and Prediger's coefficient is (P_a - 1/k) / (1 - 1/k): the same draws, the same interval."""
    result = rows_of(ratings_of(50, 4, 3, seed=10), interval_method=method, seed=3)
    plain, corrected = result["percent_agreement"], result["brennan_prediger"]
    for column in ("estimate", "low", "high"):
        assert corrected[column] == pytest.approx((plain[column] - 1 / 3) / (2 / 3), abs=1e-12), column
    assert corrected["se"] == pytest.approx(plain["se"] / (2 / 3), abs=1e-12)


def test_bca_shifts_a_biased_coefficient():
    """IA_C of few items is biased upwards: the interval moves down from the percentiles, and stays in 0..1."""
    ratings = ratings_of(40, 2, 3, seed=11)
    chosen = {"coefficients": ["information_agreement"], "replicates": 2000}
    percentile, bca = (
        rows_of(ratings, interval_method=method, **chosen)["information_agreement"] for method in ("percentile", "bca")
    )
    assert bca["se"] == percentile["se"]
    assert 0 <= bca["low"] < percentile["low"]
    assert bca["high"] < percentile["high"] <= 1


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("method", METHODS)
def test_intervals_widen_with_the_confidence(method, confidence):
    ratings = ratings_of(60, 2, 2, seed=12)
    chosen = {"labels": LABELS[:2], "interval_method": method, "replicates": 500}
    narrow, wide = (rows_of(ratings, confidence=level, **chosen) for level in (confidence - 0.2, confidence))
    for name, row in defined(wide).items():
        assert row["se"] == narrow[name]["se"]
        assert row["low"] < narrow[name]["low"] < narrow[name]["high"], name
        assert narrow[name]["high"] < row["high"] or row["high"] == 1, name


def test_bootstrap_p_value_is_the_test_of_the_interval():
    """p < .05 where the 95 % percentile interval leaves out 0, but for ties."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        rows = [(str(i), g, LABELS[rng.integers(2)]) for i in range(40) for g in "abc"]
        ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
        chosen = {"interval_method": "percentile", "replicates": 999, "coefficients": ["fleiss_kappa"]}
        row = rows_of(ratings, labels=LABELS[:2], **chosen)["fleiss_kappa"]
        outside = row["low"] > 0 or row["high"] < 0
        assert (row["p_value"] < 0.05) == outside or row["p_value"] == pytest.approx(0.05, abs=0.01)
        assert 0 < row["p_value"] <= 1


def test_the_p_value_of_bca_is_that_of_the_interval_that_ends_at_zero():
    """The corrections for bias and skewness are undone in reverse order. Many labels: few replicates are equal."""
    labels = [str(number) for number in range(1, 31)]
    for seed in range(1, 6):
        rng = np.random.default_rng(seed)
        quality = rng.exponential(size=25)
        values = np.clip((0.8 * quality[:, None] + rng.exponential(size=(25, 2))) * 5, 0, 29).astype(int)
        rows = [
            (str(i), g, labels[value]) for i, both in enumerate(values) for g, value in zip("ab", both, strict=True)
        ]
        ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
        arguments = {"labels": labels, "interval_method": "bca", "replicates": 9_999,
                     "coefficients": ["krippendorff_alpha"]}  # fmt: skip
        row = rows_of(ratings, **arguments)["krippendorff_alpha"]
        at_zero = rows_of(ratings, **arguments, confidence=1 - row["p_value"])["krippendorff_alpha"]
        end = at_zero["low"] if row["estimate"] > 0 else at_zero["high"]
        assert end == pytest.approx(0, abs=0.02 * row["se"])


def test_replicates_without_an_estimate_are_counted():
    """The second label was given once: where that item is not drawn, kappa is undefined: (1 - 1/20)^20 = 36 %."""
    rows = [(f"{i:02}", g, "2" if i == 0 and g == "a" else "1") for i in range(20) for g in "abc"]
    ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    result = rows_of(ratings, labels=LABELS[:2], interval_method="percentile", replicates=2000)
    share = float(result["fleiss_kappa"]["detail"].removeprefix("Undefined for ").split("%")[0])
    assert share == pytest.approx(36, abs=5)
    assert result["fleiss_kappa"]["se"] > 0
    assert result["gwet_ac1"]["detail"] is None
    # all other items left out give the same value, which is no certainty: no errors rather than a standard error of 0
    jackknife = rows_of(ratings, labels=LABELS[:2], interval_method="jackknife")["fleiss_kappa"]
    assert (jackknife["se"], jackknife["low"], jackknife["high"]) == (None, None, None)
    assert jackknife["detail"] == (
        "Undefined for 5.00% of the items left out, which are not counted in the errors. "
        "There is no interval: too few values differ."
    )


@pytest.mark.parametrize("method", ["t", "normal", "jackknife"])
@pytest.mark.parametrize("population", [41, 80, 10**9])
def test_finite_population_shrinks_the_standard_error(population, method):
    ratings = ratings_of(40, 2, 2, seed=13)
    chosen = {"labels": LABELS[:2], "interval_method": method}
    many, few = rows_of(ratings, **chosen), rows_of(ratings, population=population, **chosen)
    for name, row in defined(many).items():
        assert few[name]["estimate"] == row["estimate"]
        assert few[name]["se"] == pytest.approx(row["se"] * (1 - 40 / population) ** 0.5, abs=1e-12), name
        if few[name]["interval_method"] == row["interval_method"]:
            assert few[name]["low"] >= row["low"] - 1e-12
        # the F interval knows no finite population
        assert few[name]["interval_method"] == ("jackknife" if name.startswith("icc") else row["interval_method"])


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_finite_population_draws_replicates_nearer_to_the_estimate(method):
    ratings = ratings_of(40, 3, 3, seed=13)
    many, few = (rows_of(ratings, population=N, interval_method=method) for N in (None, 80))
    for name, row in defined(many).items():
        assert few[name]["se"] == pytest.approx(row["se"] * 0.5**0.5, abs=1e-9), name
        for column in ("low", "high"):
            distance = (row[column] - row["estimate"]) * 0.5**0.5
            if row[column] not in (0, 1):
                assert few[name][column] == pytest.approx(row["estimate"] + distance, abs=1e-9), name


@pytest.mark.parametrize("method", METHODS)
def test_a_population_seen_whole_has_no_sampling_error(method):
    ratings = ratings_of(40, 2, 2, seed=14)
    result = rows_of(ratings, labels=LABELS[:2], population=40, interval_method=method)
    for name, row in defined(result).items():
        assert row["se"] == 0, name
        assert row["low"] == row["high"] == row["estimate"], name
        assert row["p_value"] is None
        assert row["detail"].startswith("Every item of the population was rated"), name


def test_a_population_includes_the_items_that_were_rated():
    ratings = ratings_of(40, 3, 3, seed=14, missing=0.3)
    n = ratings["item"].n_unique()
    for name in defined(rows_of(ratings)):
        with pytest.raises(
            StatsError, match=rf"The population includes the items that were rated \({n}\), found {n - 1}"
        ):
            agreement(ratings, labels=LABELS, scale="interval", population=n - 1, coefficients=[name])


@pytest.mark.parametrize("method", ["t", "normal", "jackknife"])
def test_a_pair_has_the_errors_of_its_two_raters(method):
    ratings = ratings_of(30, 4, 2, seed=15, missing=0.3)
    chosen = {"labels": LABELS[:2], "scale": "interval", "interval_method": method, "population": 100}
    result = pairwise(ratings, coefficients=list(COEFFICIENTS), **chosen)
    assert result.height == 6 * len(COEFFICIENTS)
    for (a, b), of_pair in result.group_by("rater_a", "rater_b"):
        both = ratings.filter(pl.col("rater").is_in([a, b])).filter(pl.len().over("item") == 2)
        expected = agreement(both, **chosen)
        for column in ("estimate", "se", "low", "high"):
            for name, ours, theirs in zip(expected["name"], of_pair[column], expected[column], strict=True):
                assert ours == (None if theirs is None else pytest.approx(theirs, abs=1e-9)), (name, column)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_a_pair_has_the_bootstrap_of_its_two_raters(method):
    ratings = ratings_of(150, 3, 2, seed=16)
    chosen = {"labels": LABELS[:2], "scale": "interval", "interval_method": method, "replicates": 4000}
    names = ["cohen_kappa", "bangdiwala_b", "information_agreement", "gwet_ac1"]
    result = pairwise(ratings, coefficients=names, **chosen)
    assert pairwise(ratings, coefficients=names, **chosen).equals(result)
    both = ratings.filter(pl.col("rater") != "r2")
    expected = agreement(both, coefficients=names, **chosen)
    for ours, theirs in zip(result[: len(names)].iter_rows(named=True), expected.iter_rows(named=True), strict=True):
        assert ours["estimate"] == pytest.approx(theirs["estimate"], abs=1e-12)
        assert ours["se"] == pytest.approx(theirs["se"], rel=0.06)
        assert ours["low"] == pytest.approx(theirs["low"], abs=0.25 * ours["se"])
        assert ours["high"] == pytest.approx(theirs["high"], abs=0.25 * ours["se"])


@pytest.mark.parametrize("weights", [None, "quadratic"])
def test_light_kappa_of_two_raters_has_the_error_of_cohen(weights):
    for missing in (0.0, 0.3):
        result = rows_of(ratings_of(40, 2, 3, seed=17, missing=missing), weights=weights)
        for column in ("estimate", "se", "observed", "expected", "low", "high", "p_value"):
            expected = result["cohen_kappa"][column]
            assert result["light_kappa"][column] == pytest.approx(expected, abs=1e-12), column


@pytest.mark.parametrize("n", [100, 400, 1600])
def test_light_kappa_has_the_error_of_the_jackknife(n):
    """The delta method is off by about 1 / n."""
    ratings = ratings_of(n, 4, 3, seed=18, missing=0.3)
    delta, jackknife = (
        rows_of(ratings, interval_method=method, coefficients=["light_kappa"])["light_kappa"]
        for method in ("t", "jackknife")
    )
    assert delta["se"] == pytest.approx(jackknife["se"], rel=6 / n)


def test_normal_and_t_intervals():
    result = rows_of(ratings_of(30, 3, 3, seed=19), confidence=0.9)
    normal = rows_of(ratings_of(30, 3, 3, seed=19), confidence=0.9, interval_method="normal")
    for name, row in defined(result).items():
        if name.startswith("icc"):
            assert (row["interval_method"], normal[name]["interval_method"]) == ("F", "jackknife")
            continue
        assert (row["interval_method"], normal[name]["interval_method"]) == ("t", "normal")
        half = stats.t.ppf(0.95, 29) * row["se"]
        assert row["low"] == pytest.approx(row["estimate"] - half, abs=1e-12)
        assert row["p_value"] == pytest.approx(2 * stats.t.sf(abs(row["estimate"] / row["se"]), 29), abs=1e-12)
        half = stats.norm.ppf(0.95) * row["se"]
        assert normal[name]["low"] == pytest.approx(row["estimate"] - half, abs=1e-12)
        assert normal[name]["p_value"] == pytest.approx(2 * stats.norm.sf(row["estimate"] / row["se"]), abs=1e-12)


def test_bangdiwala_b_has_the_error_of_r(ratings_from):
    """R irrCAC, README (cont3x3abstractors) and the documentation of bangdiwala2RR.fn (two raters, one gap)."""
    ratings = ratings_from["table"]([[13, 0, 0], [0, 20, 7], [0, 4, 56]], LABELS)
    row = rows_of(ratings)["bangdiwala_b"]
    assert row["se"] == pytest.approx(0.05449465, abs=6e-9)
    assert (row["low"], row["high"]) == (pytest.approx(0.698, abs=6e-4), pytest.approx(0.914, abs=6e-4))
    lines = [list("aabbdcccedda"), [*"babbbccce", None, "d", "d"]]
    row = rows_of(ratings_from["raters"](lines), labels=list("abcde"), scale="nominal")["bangdiwala_b"]
    assert row["se"] == pytest.approx(0.2158518, abs=6e-8)
    assert (row["low"], row["high"]) == (pytest.approx(0.159, abs=6e-4), 1)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_coefficients_that_are_the_same_have_the_same_interval(method: str) -> None:
    for seed in range(20):
        labels = np.random.default_rng(seed).integers(3, size=(20, 2))
        rows = [(str(i), "xy"[j], "ABC"[labels[i, j]]) for i in range(20) for j in range(2)]
        frame = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
        table = agreement(
            frame,
            labels=["A", "B", "C"],
            coefficients=["cohen_kappa", "conger_kappa", "light_kappa"],
            interval_method=method,
            replicates=200,
        )
        for column in ("low", "high", "p_value"):
            assert np.ptp(table[column].to_numpy()) < 1e-9, (seed, table)
