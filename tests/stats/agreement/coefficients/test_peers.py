"""Other people's programs on random tables: a thousand each, with gaps where the program knows them.

Undefined in one must be undefined in the other. Where a program is wrong the test says what it gives instead.
"""

import re
import warnings
from collections import Counter
from itertools import combinations
from pathlib import Path

import krippendorff
import numpy as np
import polars as pl
import pyagree
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtrit
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

from stats.agreement import agreement

LABELS = ["none", "low", "mid", "high", "all"]  # their order is not the alphabet's
N_LABELS = st.sampled_from([3, 2, 4, 5, 2, 3, 4, 5, 3, 1])
N_ITEMS = st.sampled_from([12, 17, 20, 25, 30, 40, 9, 7, 5, 4, 3, 2])
GAPS = [0.0, 0.0, 0.2, 0.5]
a_thousand = settings(max_examples=1000, deadline=None, derandomize=True, database=None)


# Fleiss, Levin & Paik (2003), table 18.7: 25 subjects, by how many of their raters each was rated positive
SUBJECTS = [2, 2, 3, 4, 3, 4, 3, 5, 2, 4, 5, 3, 4, 4, 2, 2, 3, 2, 4, 5, 3, 4, 3, 3, 2]
POSITIVE = [2, 0, 2, 3, 3, 1, 0, 0, 0, 4, 5, 3, 4, 3, 0, 2, 1, 1, 1, 4, 2, 0, 0, 3, 2]


@pytest.mark.field_trial(5)
def test_the_other_fleiss_for_unequal_raters_is_named_with_its_figure():
    m, x = np.array(SUBJECTS), np.array(POSITIVE)
    p = x.sum() / m.sum()
    by_ratings = 1 - (x * (m - x) / m).sum() / (len(m) * (m.mean() - 1) * p * (1 - p))
    rows = [(i, f"r{g}", "+" if g < x[i] else "-") for i in range(len(m)) for g in range(m[i])]
    ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    ours = agreement(ratings, labels=["+", "-"], coefficients=["fleiss_kappa"])["estimate"][0]
    assert (round(by_ratings, 4), round(ours, 4)) == (0.5415, 0.562)
    assert re.findall(r"\.5\d{3}", errata("Fleiss, Levin & Paik (2003)")) == [".5415", ".5620"]


@pytest.mark.field_trial(5)
def test_alpha_names_the_versions_of_irrcac():
    file = Path(__file__).parents[4] / "examples" / "literature" / "gwet_2014_four_raters.csv"
    wide = pl.read_csv(file, infer_schema=False).rename({"unit": "item"})
    ratings = wide.unpivot(index="item", variable_name="rater", value_name="label").drop_nulls()
    row = agreement(ratings, labels=list("12345"), coefficients=["krippendorff_alpha"]).row(0, named=True)
    assert round(row["se"], 5) == 0.14548
    assert row["estimate"] - row["low"] == pytest.approx(float(stdtrit(11, 0.975)) * row["se"])
    theirs, ours = errata("irrCAC for R 1.0 (CRAN) and for Python 0.4.4, alpha").split(" | ")[1:]
    assert ".14557 and t(10)" in theirs
    assert "1.4 (development version): .14548, and t(11)" in ours


def errata(start):
    lines = (Path(__file__).parents[4] / "docs" / "errata.md").read_text(encoding="utf-8").splitlines()
    (line,) = [line for line in lines if line.startswith(f"| {start}")]
    return line


@st.composite
def tables(draw, *, n_raters, n_labels, gaps=(0.0,)):
    """Labels (r, n) as their place among the k declared ones, -1 for a gap; and k.

    From raters who all agree to raters who answer at random; also with declared labels that nobody used, or
    one label only, and with raters who always give the same label.
    """
    r, k, n = draw(n_raters), draw(n_labels), draw(N_ITEMS)
    rng = np.random.default_rng([draw(st.integers(0, 2**32 - 1)), r, k, n])
    n_used, n_constant = rng.choice([k] * 14 + [-(-k // 2), 1]), rng.choice([0] * 14 + [1, r])
    agreeing, missing = rng.choice([0.0, 0.2, 0.5, 0.5, 0.8, 1.0]), rng.choice(gaps)
    used, shares = rng.permutation(k)[:n_used], rng.dirichlet(np.full(n_used, 2.0))
    truth, guesses = rng.choice(used, n, p=shares), rng.choice(used, (r, n), p=shares)
    codes = np.where(rng.random((r, n)) < agreeing, truth, guesses)
    constant = rng.permutation(r)[:n_constant]
    codes[constant] = codes[constant, :1]
    return np.where(rng.random((r, n)) < missing, -1, codes), k


def contingency(codes, k):
    """(k, k) items by the label of the first and of the second rater."""
    A = np.zeros((k, k), int)
    np.add.at(A, tuple(codes[:, (codes >= 0).all(axis=0)]), 1)
    return A


def counts(codes, k):
    """(n, k) raters who gave each label to each item."""
    return (codes[..., None] == np.arange(k)).sum(axis=0)


def too_few(codes):
    """The reason why we give no coefficient for so few ratings, whatever they say; None if they are enough."""
    rated = codes >= 0
    if rated.any(axis=1).sum() < 2:
        return "too_few_raters"
    return "too_few_items" if (rated.sum(axis=0) >= 2).sum() < 2 else None


@pytest.fixture(scope="session")
def ours(ratings_from):
    """Our rows by name. `labels` are the declared ones, one for each code."""

    def rows(codes, labels, *names, **options):
        lines = [[labels[code] if code >= 0 else None for code in line] for line in codes.tolist()]
        result = agreement(ratings_from["raters"](lines), labels=labels, coefficients=names, **options)
        return {row["name"]: row for row in result.iter_rows(named=True)}

    return rows


def compare(seen, row, peer, tolerance=1e-12):
    """A peer's NaN is our null by a zero denominator, any other figure of it is our estimate."""
    if np.isnan(peer):
        assert (row["estimate"], row["reason"]) == (None, "zero_denominator")
        seen["undefined"] += 1
    else:
        assert row["estimate"] == pytest.approx(peer, abs=tolerance, rel=0)
        seen[row["name"]] += 1


def at_least(seen, **wanted):
    """A thousand tables, and of them so many of each kind: a test that compares nothing passes too."""
    assert seen["all"] >= 1000
    assert {name: seen[name] for name, least in wanted.items() if seen[name] < least} == {}


def test_krippendorff(ours):
    seen = Counter()
    scales = {
        "nominal": LABELS,
        "ordinal": LABELS,
        "interval": ["-2.5", "0", "1", "3", "10"],
        "ratio": ["0", "0.5", "1", "3", "10"],
    }

    @a_thousand
    @given(tables(n_raters=st.integers(2, 6), n_labels=st.integers(2, 5), gaps=GAPS), st.sampled_from(list(scales)))
    def on_a_table(table, scale):
        codes, k = table
        labels = scales[scale][:k]
        row = ours(codes, labels, "krippendorff_alpha", scale=scale)["krippendorff_alpha"]
        seen["all"] += 1
        if too_few(codes):  # the peer is content with one item of two ratings, we are not: there is no interval
            assert row["reason"] == too_few(codes)
            return
        values = range(k) if scale in ("nominal", "ordinal") else [float(label) for label in labels]
        with np.errstate(invalid="ignore"):
            peer = krippendorff.alpha(
                value_counts=counts(codes, k), value_domain=list(values), level_of_measurement=scale
            )
        compare(seen, row, peer)
        seen[scale] += row["estimate"] is not None
        seen["singles"] += bool((counts(codes, k).sum(axis=1) == 1).any())

    on_a_table()
    at_least(seen, krippendorff_alpha=700, undefined=50, singles=150, nominal=120, ordinal=120, interval=120, ratio=120)


def test_fleiss_and_randolph_of_statsmodels_and_pyagree(ours):
    """Complete tables only: the one refuses others, the other takes the number of raters from the first item."""
    seen = Counter()

    @a_thousand
    @given(tables(n_raters=st.integers(2, 6), n_labels=N_LABELS))
    def on_a_table(table):
        codes, k = table
        rows, seen["all"] = ours(codes, LABELS[:k], "fleiss_kappa", "brennan_prediger"), seen["all"] + 1
        with np.errstate(divide="ignore", invalid="ignore"):
            compare(seen, rows["fleiss_kappa"], fleiss_kappa(counts(codes, k), "fleiss"))
            compare(seen, rows["fleiss_kappa"] | {"name": "pyagree"}, pyagree.fleiss_kappa(counts(codes, k)))
            compare(seen, rows["brennan_prediger"], fleiss_kappa(counts(codes, k), "randolph"))

    on_a_table()
    at_least(seen, fleiss_kappa=600, pyagree=600, brennan_prediger=700, undefined=50)


def test_cohen_of_statsmodels(ours):
    """Estimate, standard error and normal interval; the items that both raters rated are its table."""
    seen = Counter()

    @a_thousand
    @given(
        tables(n_raters=st.just(2), n_labels=N_LABELS, gaps=GAPS),
        st.sampled_from([None, "linear", "quadratic", "matrix"]),
        st.integers(0, 2**32 - 1),
    )
    def on_a_table(table, weights, seed):
        codes, k = table
        w = np.random.default_rng(seed).uniform(0, 0.9, (k, k))  # not symmetric: rows are the first rater's labels
        np.fill_diagonal(w, 1)
        row = ours(
            codes, LABELS[:k], "cohen_kappa", weights=w if weights == "matrix" else weights, interval_method="normal"
        )["cohen_kappa"]
        seen["all"] += 1
        if too_few(codes):
            assert row["reason"] == too_few(codes)
            return
        of_peer = {"weights": 1 - w} if weights == "matrix" else {"wt": weights}
        with np.errstate(divide="ignore", invalid="ignore"):
            peer = cohens_kappa(contingency(codes, k), **of_peer)
        compare(seen, row, peer.kappa)
        if row["estimate"] is not None:
            assert row["se"] ** 2 == pytest.approx(peer.var_kappa, abs=1e-11, rel=0)
            seen[weights or "unweighted"] += 1
        if row["se"]:
            assert row["low"] == pytest.approx(peer.kappa_low, abs=1e-9, rel=0)
            assert row["high"] == pytest.approx(min(peer.kappa_upp, 1), abs=1e-9, rel=0)
            seen["normal"] += 1

    on_a_table()
    at_least(seen, cohen_kappa=500, undefined=50, unweighted=80, linear=80, quadratic=80, matrix=80, normal=250)


def test_cohen_and_light_of_scikit_learn(ours):
    """Light's kappa is the mean of its kappas of all pairs that have one, with two raters Cohen's itself."""
    seen = Counter()

    @a_thousand
    @given(
        tables(n_raters=st.sampled_from([2, 2, 3, 4]), n_labels=N_LABELS, gaps=GAPS),
        st.sampled_from([None, "linear", "quadratic"]),
    )
    def on_a_table(table, weights):
        codes, k = table
        names = ["light_kappa", "cohen_kappa"] if len(codes) == 2 else ["light_kappa"]
        rows, seen["all"] = ours(codes, LABELS[:k], *names, weights=weights), seen["all"] + 1
        if too_few(codes):
            assert {row["reason"] for row in rows.values()} == {too_few(codes)}
            return
        peers = [of_scikit_learn(codes[list(pair)], k, weights) for pair in combinations(range(len(codes)), 2)]
        defined = [kappa for kappa in peers if not np.isnan(kappa)]
        compare(seen, rows["light_kappa"], np.mean(defined) if defined else np.nan)
        if len(codes) == 2:
            compare(seen, rows["cohen_kappa"], peers[0])
            seen[weights or "unweighted"] += bool(defined)

    on_a_table()
    at_least(seen, light_kappa=600, cohen_kappa=250, undefined=50, unweighted=60, linear=60, quadratic=60)


def of_scikit_learn(codes, k, weights):
    """NaN where it is undefined, as the peer says itself, and for fewer than two items."""
    first, second = codes[:, (codes >= 0).all(axis=0)]
    if len(first) < 2:
        return np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        warnings.filterwarnings("ignore", "A single label was found", UserWarning)  # though `labels` is passed
        return cohen_kappa_score(first, second, labels=range(k), weights=weights)


OF_TABLES = {
    "brennan_prediger": pyagree.bennett_s,
    "bangdiwala_b": pyagree.bangdiwala_b,
    "cohen_kappa": pyagree.cohen_kappa,
    "scott_pi": pyagree.scott_pi,
    "yule_y": pyagree.yule_y,
    "information_agreement": pyagree.ia_c,
}


def test_two_raters_of_pyagree(ours):
    """It raises ValueError outside of a measure's domain, where ours is null, but for Y of two who always agree."""
    seen = Counter()

    @a_thousand
    @given(tables(n_raters=st.just(2), n_labels=st.sampled_from([2, 2, 2, 2, 2, 2, 2, 3, 4, 5, 1]), gaps=GAPS))
    def on_a_table(table):
        codes, k = table
        A = contingency(codes, k)
        names = [name for name in OF_TABLES if name != "yule_y" or k == 2]
        rows, seen["all"] = ours(codes, LABELS[:k], *names), seen["all"] + 1
        for name, row in rows.items():
            if too_few(codes):
                assert row["reason"] == too_few(codes)
            elif name == "yule_y" and perfect(A):
                compare(seen, row | {"name": "perfect_yule_y"}, 1)
            elif name == "information_agreement" and k > 1 and constant(codes):
                # 1 - m/k, m the labels used; it takes m for those not used
                compare(seen, row | {"name": "limit_of_information_agreement"}, 1 - pyagree.ia_c(A))
            else:
                compare(seen, row, of_pyagree(OF_TABLES[name], A))

    on_a_table()
    at_least(seen, brennan_prediger=600, bangdiwala_b=600, cohen_kappa=500, scott_pi=500, information_agreement=300)
    at_least(seen, yule_y=120, perfect_yule_y=40, limit_of_information_agreement=150, undefined=200)


def perfect(A):
    """Whether two raters agree on all items and use more than one label."""
    return np.count_nonzero(A) == np.count_nonzero(np.diag(A)) > 1


def constant(codes):
    """Whether a rater gives one label to all items that both rated."""
    return (np.ptp(codes[:, (codes >= 0).all(axis=0)], axis=1) == 0).any()


def of_pyagree(measure, A):
    """NaN where it raises that the table is out of its domain."""
    try:
        return measure(A)
    except ValueError:
        return np.nan
