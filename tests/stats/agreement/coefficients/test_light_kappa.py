"""Light's kappa of many raters who seldom meet: most pairs have one common item, and no kappa."""

import numpy as np
import polars as pl
import pytest

from stats.agreement import agreement, pairwise
from stats.agreement.coefficients import light_kappa


def sparse_ratings() -> pl.DataFrame:
    rng = np.random.default_rng(5)
    raters = np.sort(np.argsort(rng.random((300, 30)), axis=1)[:, :3], axis=1)
    truth = rng.integers(0, 3, (300, 1))
    labels = np.where(rng.random(raters.shape) < 0.6, truth, rng.integers(0, 3, raters.shape))
    rows = [(str(i), f"r{r}", "abc"[label]) for i in range(300) for r, label in zip(raters[i], labels[i], strict=True)]
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")


@pytest.mark.parametrize("kept", [light_kappa.MAX_KEPT, 500, 1])
@pytest.mark.parametrize("dense_cells", [light_kappa.MAX_DENSE_CELLS, 0])
def test_it_is_the_mean_of_the_pairs_that_have_a_kappa(
    kept: int, dense_cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ratings = sparse_ratings()
    (whole,) = agreement(ratings, labels=list("abc"), coefficients=["light_kappa"]).to_dicts()
    monkeypatch.setattr(light_kappa, "MAX_KEPT", kept)
    monkeypatch.setattr(light_kappa, "MAX_DENSE_CELLS", dense_cells)
    monkeypatch.setattr(light_kappa, "MAX_CELLS", 100)
    monkeypatch.setattr("stats.patterns.MAX_PAIRS_AT_ONCE", 400)
    (result,) = agreement(ratings, labels=list("abc"), coefficients=["light_kappa"]).to_dicts()
    pairs = pairwise(ratings, labels=list("abc"), coefficients=["cohen_kappa"])
    kappas = pairs["estimate"].drop_nulls().drop_nans()
    assert 0 < len(kappas) < 30 * 29 / 2
    assert result["estimate"] == pytest.approx(kappas.mean(), abs=1e-12)
    assert result["se"] == pytest.approx(whole["se"], abs=1e-12)
    assert f"The mean over the pairs of raters with a kappa: {len(kappas)};" in result["detail"]


def test_where_no_pair_has_a_kappa_the_agreement_of_all_pairs_is_there() -> None:
    rows = [("1", "a", "x"), ("1", "b", "x"), ("2", "c", "x"), ("2", "d", "y")]
    ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    (result,) = agreement(ratings, labels=["x", "y"], coefficients=["light_kappa"]).to_dicts()
    assert (result["estimate"], result["observed"]) == (None, 0.5)


def test_weights_count_in_the_cells_of_each_pair() -> None:
    labels = {"labels": list("abc"), "scale": "ordinal", "weights": "quadratic"}
    (result,) = agreement(sparse_ratings(), coefficients=["light_kappa"], **labels).to_dicts()
    pairs = pairwise(sparse_ratings(), coefficients=["cohen_kappa"], **labels).drop_nulls("estimate")
    assert result["estimate"] == pytest.approx(pairs["estimate"].mean(), abs=1e-12)
