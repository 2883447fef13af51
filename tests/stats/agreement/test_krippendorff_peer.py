"""Krippendorff's alpha against the package krippendorff on random tables with gaps."""

import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stats.agreement import agreement

LABELS = [1.0, 2.0, 3.0, 5.0, 8.0]
tables = hnp.arrays(int, st.tuples(st.integers(2, 6), st.integers(2, 15)), elements=st.integers(-1, len(LABELS) - 1))


def of_peer(codes, level):
    """None where the peer refuses: fewer than two pairable values, or one and the same throughout."""
    values = np.where(codes >= 0, np.array(LABELS)[codes], np.nan)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            alpha = krippendorff.alpha(
                reliability_data=values, level_of_measurement=level, value_domain=LABELS, dtype=np.float64
            )
    except (ValueError, AssertionError):
        return None
    return None if np.isnan(alpha) else float(alpha)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
@settings(max_examples=250, deadline=None)
@given(codes=tables)
def test_alpha_equals_the_peer(level, codes, ratings_from):
    lines = [[None if code < 0 else LABELS[code] for code in line] for line in codes.tolist()]
    labels = [str(label) for label in LABELS]
    row = agreement(ratings_from["raters"](lines), labels=labels, scale=level, coefficients=["krippendorff_alpha"]).row(
        0, named=True
    )
    pairable = (codes >= 0).sum(axis=0) >= 2
    if pairable.sum() < 2:  # ours needs two items for an interval; the peer is content with one
        assert row["reason"] in ("too_few_items", "too_few_raters")
        return
    peer = of_peer(codes, level)
    used = np.unique(codes[:, pairable][codes[:, pairable] >= 0])
    if len(used) < 2:
        assert row["reason"] == "zero_denominator"
        return
    assert peer is not None
    assert row["estimate"] == pytest.approx(peer, abs=1e-9)
