"""No verdict contradicts the figures beside it: a sample of `make verdicts`."""

import pytest

from tests.verdicts.check import contradictions
from tests.verdicts.sets import random_set


@pytest.mark.field_trial(1)
@pytest.mark.field_trial(2)
@pytest.mark.parametrize("first", range(0, 50, 10))
def test_no_verdict_contradicts_the_figures_beside_it(first: int) -> None:
    results = {seed: contradictions(random_set(seed)) for seed in range(first, first + 10)}
    assert {seed: texts for seed, texts in results.items() if texts} == {}
