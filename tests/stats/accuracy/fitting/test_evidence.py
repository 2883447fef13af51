"""The evidence of patterns is the same matrix, dense or sparse."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from stats.accuracy.fitting import pattern_evidence
from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.fitting.evidence import MANY_CLASSES, Dense, Sparse
from stats.accuracy.fitting.pattern_evidence import by_rater
from stats.patterns import patterns_of


@pytest.fixture
def both() -> tuple[Dense, Sparse]:
    rng = np.random.default_rng(2)
    X = np.column_stack([np.ones(50), rng.random((50, 12)) < 0.2])
    X[:, 1] = 1  # every row has an entry
    return Dense(X), Sparse(csr_array(X))


@pytest.mark.parametrize("classes", [4, MANY_CLASSES])
@pytest.mark.parametrize("models", [1, 3])
def test_sparse_and_dense_give_the_same_products(both: tuple[Dense, Sparse], models: int, classes: int) -> None:
    rng = np.random.default_rng(3)
    Phi, G = rng.normal(size=(models, classes, 13)), rng.dirichlet(np.ones(classes), (models, 50))
    dense, sparse = both
    expected = np.einsum("pf,bzf->bpz", dense.X, Phi), np.einsum("bpz,pf->bzf", G, dense.X)
    for evidence in (dense, sparse):
        np.testing.assert_allclose(evidence.joint(Phi), expected[0], atol=1e-12)
        np.testing.assert_allclose(evidence.counts(G), expected[1], atol=1e-12)
        parts = [part.joint(Phi) for _, part in evidence.blocks(400_000)]
        assert len(parts) == 5
        np.testing.assert_allclose(np.concatenate(parts, axis=1), expected[0], atol=1e-12)


@pytest.mark.parametrize(("raters", "kind"), [(3, Dense), (40, Sparse)])
def test_what_is_mostly_empty_is_sparse(raters: int, kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pattern_evidence, "_SMALL", 0)
    codes = np.full((10, raters), -1)
    codes[:, :3] = np.random.default_rng(0).integers(0, 2, (10, 3))
    C = (codes[:, :, None] == np.arange(2)).sum(axis=1)
    given = patterns_of(codes, np.ones(10, np.int64), 2)
    evidence = by_rater(SystemPatterns(C, codes[:, 0], np.ones(10, np.int64), raters=given))
    assert isinstance(evidence, kind)
    counts = evidence.counts(np.ones((1, 10, 1)))[0, 0]
    assert counts[:7].tolist() == [10, *(np.count_nonzero(codes[:, j] == z) for j in range(3) for z in range(2))]
    assert counts[-2:].tolist() == [np.count_nonzero(codes[:, 0] == z) for z in range(2)]
