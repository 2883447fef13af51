"""The Rogan-Gladen estimate, against its formula and in the cases where it is undefined."""

import pytest

from stats.accuracy.rates.rogan_gladen import rogan_gladen
from tests.stats.accuracy.rates.test_prediction_powered_mean import share


def test_the_formula_by_hand() -> None:
    # predicted (18 + 9 + 173) / 500 = .4; sensitivity 18/20 = .9; specificity 21/30 = .7; (.4 + .7 - 1) / .6
    result = rogan_gladen(share([18, 2, 9, 21], [450, 173]), 0.95)
    assert result.estimate == pytest.approx(0.1 / 0.6)
    assert result.low is not None
    assert result.high is not None
    assert result.low < 0.1 / 0.6 < result.high


@pytest.mark.parametrize(
    ("cells", "reason"),
    [([0, 0, 3, 17], "too_few_gold"), ([12, 8, 0, 0], "too_few_gold"), ([2, 8, 8, 2], "not_identified")],
)
def test_undefined_with_a_reason(cells: list[int], reason: str) -> None:
    result = rogan_gladen(share(cells, [100, 40]), 0.95)
    assert result.why is not None
    assert (result.estimate, result.low, result.why[0]) == (None, None, reason)


def test_cut_at_zero_and_the_interval_holds_it() -> None:
    result = rogan_gladen(share([4, 1, 5, 10], [400, 20]), 0.95)
    assert result.estimate == 0.0
    assert result.low == 0.0
    assert result.high is not None
    assert result.high > 0
