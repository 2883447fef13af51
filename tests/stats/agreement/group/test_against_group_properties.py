"""One rater or system against the others: from the definitions, item by item, and what must hold on any ratings."""

import math
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats.agreement import agreement
from stats.agreement.group import group_tables
from stats.agreement.group.against_group import SCHEMA, against_group
from stats.agreement.group.group_registry import GROUP_COEFFICIENTS
from stats.errors import StatsError
from stats.reasons import REASONS

LABELS = ["1", "2", "3"]
COLUMNS = {"item": pl.String, "rater": pl.String, "label": pl.String}
NUMBERS = ("estimate", "se", "low", "high", "p_value", "observed", "expected")
LINEAR = [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]]

rows_of = st.dictionaries(
    st.tuples(st.integers(0, 9), st.sampled_from(["ann", "bob", "cy", "dee"])), st.sampled_from(LABELS), max_size=40
).map(lambda given: [(f"item {i}", rater, label) for (i, rater), label in given.items()])


def frame(rows):
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def run(rows, **arguments):
    return against_group(frame(rows), **{"labels": LABELS, **arguments})


def by_key(result):
    return {(row["system"], row["name"]): row for row in result.iter_rows(named=True)}


def assert_close(first, other):
    assert first.keys() == other.keys()
    for key, row in first.items():
        assert row["reason"] == other[key]["reason"], key
        for column in (*NUMBERS, "n_items", "n_raters", "n_ratings"):
            assert (row[column] is None) == (other[key][column] is None), (key, column)
            if row[column] is not None:
                assert row[column] == pytest.approx(other[key][column], abs=1e-9), (key, column)


# From the definitions, item by item


def brute(rows, system, w=None):
    """(estimate, observed, expected) of each coefficient by loops over items; None where undefined."""
    w = np.eye(len(LABELS)) if w is None else np.array(w, dtype=float)
    items = {}
    for item, rater, label in rows:
        items.setdefault(item, {})[rater] = LABELS.index(label)
    items = [(given.pop(system), given) for given in items.values() if system in given and len(given) > 1]
    n, k = len(items), len(LABELS)
    if n == 0:
        return {}
    counts = [np.array([sum(label == j for label in others.values()) for j in range(k)]) for _, others in items]
    results = {}
    # Shah's S
    ordered = [(y, [(a, b) for a in others for b in others if a != b], others) for y, others in items]
    paired = [(y, pairs, others) for y, pairs, others in ordered if pairs]
    if paired:
        both = [
            [sum(others[a] == others[b] == j for a, b in pairs) / len(pairs) for j in range(k)]
            for _, pairs, others in paired
        ]
        A_o = np.mean([of_item[y] for (y, _, _), of_item in zip(paired, both, strict=True)])
        A_max = np.mean([max(of_item) for of_item in both])
        p = [np.mean([y == j for y, _ in items]) for j in range(k)]
        raters = {g for _, others in items for g in others}
        p_g = {g: [np.mean([o[g] == j for _, o in items if g in o]) for j in range(k)] for g in raters}
        A_e = np.mean([sum(p[j] * p_g[a][j] * p_g[b][j] for j in range(k)) for a, b in combinations(raters, 2)])
        results["shah_s"] = (None if A_max - A_e < 1e-12 else (A_o - A_e) / (A_max - A_e), A_o, A_e)
    # Vanbelle & Albert
    q = [c / c.sum() for c in counts]
    T = np.mean([w[y] @ q_i for (y, _), q_i in zip(items, q, strict=True)])
    M = np.mean([max(w[j] @ q_i for j in range(k)) for q_i in q])
    E = np.mean([w[y] @ q_i for y, _ in items for q_i in q])
    results["vanbelle_albert"] = (None if M - E < 1e-12 else (T - E) / (M - E), T, E)
    # kappa with the majority
    A = np.zeros((k, k))
    for (y, _), c in zip(items, counts, strict=True):
        top = np.flatnonzero(c == c.max())
        A[y, top] += 1 / len(top)
    results["majority_kappa"] = kappa(A, w)
    # mean of the kappas
    kappas = []
    for g in {g for _, others in items for g in others}:
        A = np.zeros((k, k))
        for y, others in items:
            if g in others:
                A[y, others[g]] += 1
        if A.sum() >= 2:
            kappas.append(kappa(A, w))
    kappas = np.array([values for values in kappas if values[0] is not None])
    results["mean_pairwise_kappa"] = tuple(kappas.mean(axis=0)) if len(kappas) else (None, None, None)
    return results


def kappa(A, w):
    P_a, P_e = (A * w).sum() / A.sum(), A.sum(axis=1) @ w @ A.sum(axis=0) / A.sum() ** 2
    return (None if 1 - P_e < 1e-12 else (P_a - P_e) / (1 - P_e)), P_a, P_e


@settings(max_examples=150, deadline=None)
@given(rows_of, st.sampled_from([None, LINEAR]))
def test_estimates_are_those_of_the_definitions(rows, w):
    result = run(rows, weights=w)
    raters = sorted({rater for _, rater, _ in rows})
    assert list(by_key(result)) == [(rater, name) for rater in raters for name in GROUP_COEFFICIENTS]
    for row in result.iter_rows(named=True):
        expected = brute(rows, row["system"], w)
        if row["reason"] in ("too_few_items", "too_few_raters", "not_applicable"):
            continue
        estimate, observed, by_chance = expected[row["name"]]
        if estimate is None:
            assert row["reason"] == "zero_denominator", row
            continue
        assert row["estimate"] == pytest.approx(estimate, abs=1e-9), row
        assert row["observed"] == pytest.approx(observed, abs=1e-12)
        assert row["expected"] == pytest.approx(by_chance, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(rows_of, st.sampled_from([None, LINEAR]))
def test_jackknife_leaves_out_items_of_the_whole_computation(rows, w):
    for row in run(rows, weights=w, interval_method="jackknife").iter_rows(named=True):
        if row["reason"] is not None:
            continue
        assert row["interval_method"] == "jackknife"
        entering = {item for item, rater, _ in rows if rater == row["system"]}
        entering &= {item for item, rater, _ in rows if rater != row["system"]}
        values = [brute([r for r in rows if r[0] != item], row["system"], w) for item in sorted(entering)]
        values = [of_items.get(row["name"], (None,))[0] for of_items in values]
        known = np.array([value for value in values if value is not None])
        if abs(row["estimate"] - 1) < 1e-9:
            assert row["se"] == 0
            continue
        se = math.sqrt((len(known) - 1) / len(known) * ((known - known.mean()) ** 2).sum()) if len(known) > 1 else None
        if se is None or (se < 1e-12 and len(known) < len(values)):
            assert row["se"] is None  # equal values say nothing where others are undefined
        else:
            assert row["se"] == pytest.approx(se, abs=1e-7), row["name"]


# What must hold on any ratings


@settings(max_examples=150, deadline=None)
@given(rows_of, st.sampled_from([None, "linear", "quadratic", LINEAR]))
def test_results_are_sound(rows, weights):
    result = run(rows, weights=weights)
    assert result.schema == SCHEMA
    for row in result.iter_rows(named=True):
        own = {item for item, rater, _ in rows if rater == row["system"]}
        shared = {item for item, rater, _ in rows if rater != row["system"]} & own
        entering = [(item, rater) for item, rater, _ in rows if item in shared]
        assert row["n_items"] == len(shared)
        assert row["n_ratings"] == len(entering)
        assert row["n_raters"] == len({rater for _, rater in entering} - {row["system"]})
        assert all(row[column] is None or math.isfinite(row[column]) for column in NUMBERS), row
        assert (row["estimate"] is None) == (row["reason"] is not None), row
        assert row["reason"] is None or (row["detail"] and row["reason"] in REASONS)
        if row["estimate"] is not None:
            assert row["low"] is None or row["low"] <= row["estimate"] <= row["high"] <= 1
            assert row["estimate"] <= 1
            assert row["se"] is None or row["se"] >= 0
            assert row["detail"] is not None or row["se"] > 0, "degenerate but not flagged"


@settings(max_examples=80, deadline=None)
@given(rows_of, st.permutations(LABELS), st.randoms(use_true_random=False))
def test_order_and_names_do_not_matter(rows, order, shuffling):
    result = run(rows)
    assert run(shuffling.sample(rows, len(rows))).equals(result)
    names = {"ann": "zoe", "bob": "bob", "cy": "abe", "dee": "dee"}
    renamed = by_key(run([(f"{item} again", names[rater], label) for item, rater, label in rows], labels=order))
    assert_close({(names[system], name): row for (system, name), row in by_key(result).items()}, dict(renamed))


@settings(max_examples=60, deadline=None)
@given(rows_of)
def test_a_named_system_has_the_rows_that_it_has_among_all(rows):
    for system in {rater for _, rater, _ in rows}:
        assert run(rows, system=system).equals(run(rows).filter(system=system))


@settings(max_examples=60, deadline=None)
@given(rows_of)
def test_items_that_the_system_or_all_others_left_out_do_not_enter(rows):
    own = {item for item, rater, _ in rows if rater == "ann"}
    shared = own & {item for item, rater, _ in rows if rater != "ann"}
    kept = [row for row in rows if row[0] in shared]
    if kept:
        assert run(kept, system="ann").equals(run(rows, system="ann"))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=2, max_size=20))
def test_one_other_rater_is_cohens_kappa(pairs):
    rows = [(str(i), rater, label) for i, pair in enumerate(pairs) for rater, label in zip("xy", pair, strict=True)]
    for weights in (None, "quadratic"):
        cohen = agreement(frame(rows), labels=LABELS, weights=weights, coefficients=["cohen_kappa"]).row(0, named=True)
        result = by_key(run(rows, system="x", weights=weights))
        for name in ("vanbelle_albert", "majority_kappa", "mean_pairwise_kappa"):
            row = result["x", name]
            assert row["reason"] == cohen["reason"]
            for column in ("estimate", "observed", "expected") if cohen["reason"] is None else ():
                assert row[column] == pytest.approx(cohen[column], abs=1e-9)
        if cohen["reason"] is None:
            assert result["x", "mean_pairwise_kappa"]["se"] == pytest.approx(cohen["se"], abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=2, max_size=20))
def test_shahs_s_against_two_who_always_agree(pairs):
    rows = [(str(i), rater, pair[rater != "x"]) for i, pair in enumerate(pairs) for rater in "xyz"]
    row = by_key(run(rows, system="x"))["x", "shah_s"]
    own, other = ([np.mean([pair[side] == j for pair in pairs]) for j in LABELS] for side in (0, 1))
    A_e = sum(p * q**2 for p, q in zip(own, other, strict=True))
    if A_e == 1:
        assert row["reason"] == "zero_denominator"
    else:
        same = np.mean([a == b for a, b in pairs])
        assert row["estimate"] == pytest.approx((same - A_e) / (1 - A_e), abs=1e-9)
        assert row["detail"] is None or "most that" not in row["detail"]


# Errors


def simulated(n_items, n_raters, *, seed, gaps=0.2):
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, n_items, p=[0.5, 0.3, 0.2])
    right = rng.random((n_items, n_raters)) < np.linspace(0.65, 0.85, n_raters)
    labels = np.where(right, truth[:, None], rng.integers(0, 3, (n_items, n_raters)))
    given = rng.random((n_items, n_raters)) > gaps
    return [(f"{i:05}", f"r{g:03}", LABELS[labels[i, g]]) for i, g in zip(*np.nonzero(given), strict=True)]


def test_the_delta_method_is_near_the_jackknife():
    rows = simulated(300, 5, seed=1)
    result, other = (
        run(rows, coefficients=["mean_pairwise_kappa"], interval_method=method, weights="linear")["se"].to_numpy()
        for method in ("t", "jackknife")
    )
    assert result == pytest.approx(other, rel=0.02)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_bootstrap_is_near_the_jackknife(method):
    rows = simulated(200, 4, seed=2)
    drawn = by_key(run(rows, system="r001", interval_method=method, replicates=400))
    for key, row in by_key(run(rows, system="r001")).items():
        assert drawn[key]["interval_method"] == method
        assert drawn[key]["estimate"] == row["estimate"]
        assert drawn[key]["se"] == pytest.approx(row["se"], rel=0.15)
        assert drawn[key]["low"] == pytest.approx(row["low"], abs=0.5 * row["se"])
    assert by_key(run(rows, system="r001", interval_method=method, replicates=400)) == drawn


def test_methods_and_finite_population():
    rows = simulated(60, 4, seed=3)
    plain, finite = by_key(run(rows, system="r000")), by_key(run(rows, system="r000", population=120))
    for (_, name), row in plain.items():
        assert row["interval_method"] == ("t" if name == "mean_pairwise_kappa" else "jackknife")
        n = row["n_items"]
        assert finite["r000", name]["se"] == pytest.approx(row["se"] * math.sqrt(1 - n / 120), abs=1e-12)
    with pytest.raises(StatsError, match="The population includes"):
        run(rows, population=10)


@pytest.mark.parametrize("method", ["t", "jackknife", "percentile"])
def test_blocks_make_no_difference(method, monkeypatch):
    rows = simulated(40, 6, seed=4, gaps=0.5)
    whole = run(rows, interval_method=method, replicates=100)
    monkeypatch.setattr(group_tables, "MAX_CELLS", 100)
    if method != "percentile":  # patterns are drawn block by block
        monkeypatch.setattr("stats.agreement.inference.resampling.MAX_CELLS", 100)
    assert_close(by_key(run(rows, interval_method=method, replicates=100)), by_key(whole))


def test_many_sparse_raters():
    rng = np.random.default_rng(5)
    rows = [
        (f"{i:03}", f"r{g:02}", LABELS[rng.integers(3) if rng.random() < 0.4 else i % 3])
        for i in range(400)
        for g in rng.choice(60, 3, replace=False)
    ]
    result = run(rows)
    assert result.height == 60 * len(GROUP_COEFFICIENTS)
    for row in result.filter(pl.col("system").is_in(["r00", "r31", "r59"])).iter_rows(named=True):
        assert row["estimate"] == pytest.approx(brute(rows, row["system"])[row["name"]][0], abs=1e-9)
    sparse = by_key(result)["r00", "mean_pairwise_kappa"]
    assert sparse["detail"].startswith("The mean over the other raters with a kappa: ")
