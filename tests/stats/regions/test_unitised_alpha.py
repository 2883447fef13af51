"""Alpha for unitising: Krippendorff's example, its interval beside texts left out one by one, and what has none."""

import numpy as np
import polars as pl
import pytest

from stats.regions import LENGTHS, unitised_alpha
from stats.regions.span_matching import SPANS
from stats.regions.unitised_alpha import _expected, _sums

Mark = tuple[str, str, int, int, str]
# Krippendorff (2004), Content Analysis, 2nd ed., p. 254: a continuum from 150 to 450, two observers, units of c and k.
PLACES = {
    "c": {"i": [(225, 70), (370, 30)], "j": [(220, 80), (355, 20), (400, 20)]},
    "k": {"i": [(180, 60), (300, 50)], "j": [(180, 60), (300, 50)]},
}
EXAMPLE: list[Mark] = [
    ("text", rater, start - 150, start - 150 + length, label)
    for label, units in PLACES.items()
    for rater, marked in units.items()
    for start, length in marked
]


def frames(marks: list[Mark], raters: str, texts: dict[str, int]) -> tuple[pl.DataFrame, ...]:
    return (
        pl.DataFrame(marks, schema=dict(SPANS), orient="row"),
        pl.DataFrame([(item, rater) for item in texts for rater in raters], schema=["item", "rater"], orient="row"),
        pl.DataFrame(list(texts.items()), schema=dict(LENGTHS), orient="row"),
    )


@pytest.mark.parametrize(
    ("label", "observed", "expected", "alpha"), [("c", 0.0144, 0.0532, 0.7286), ("k", 0, 0.0490, 1)]
)
def test_the_published_example_by_label(label: str, observed: float, expected: float, alpha: float) -> None:
    marks = [mark for mark in EXAMPLE if mark[4] == label]
    assert unitised_alpha(*frames(marks, "ij", {"text": 300})).estimate == pytest.approx(alpha, abs=5e-5)
    units = frames(marks, "ij", {"text": 300})[0].with_columns(text=pl.lit(0)).sort("rater", "start")
    sums, L = _sums(units, [("i", "j")], np.array([300.0])), np.array([300.0])
    assert sums.disagreement[0] / (2 * 300**2) == pytest.approx(observed, abs=5e-5)
    assert _expected(sums, L, 2)[0] == pytest.approx(expected, abs=5e-5)


def test_the_published_example() -> None:
    # By hand from the formulas: D_o = 2600 / 180000 and D_e = .0532218 + .0489786. The book's .8591 has rounded terms.
    result = unitised_alpha(*frames(EXAMPLE, "ij", {"text": 300}))
    assert result.estimate == pytest.approx(1 - (2600 / 180000) / (0.0532217798550 + 0.0489785658089), abs=1e-9)
    assert result.estimate == pytest.approx(0.8591, abs=5e-4)
    assert (result.low, result.reason) == (None, "too_few_items")


def drawn(seed: int) -> tuple[list[Mark], dict[str, int]]:
    rng = np.random.default_rng(seed)
    texts = {str(i): int(rng.integers(20, 60)) for i in range(6)}
    marks = []
    for item, length in texts.items():
        for rater in "abc":
            for label in "XY":
                edges = np.sort(rng.choice(length, 4, replace=False)).tolist()
                marks += [(item, rater, edges[k], edges[k + 1], label) for k in (0, 2) if rng.random() < 0.6]
    return marks, texts


@pytest.mark.parametrize("seed", range(4))
def test_the_interval_leaves_out_one_text_at_a_time(seed: int) -> None:
    marks, texts = drawn(seed)
    without = []
    for item in texts:
        others = {name: length for name, length in texts.items() if name != item}
        without.append(unitised_alpha(*frames([mark for mark in marks if mark[0] != item], "abc", others)))
    values = np.array([figure.estimate for figure in without], float)
    variance = (len(values) - 1) / len(values) * ((values - values.mean()) ** 2).sum()
    result = unitised_alpha(*frames(marks, "abc", texts))
    assert result.se == pytest.approx(variance**0.5, rel=1e-9)
    assert result.low is not None
    assert result.estimate is not None
    assert result.low < result.estimate


def test_equal_marks_agree_and_independent_ones_do_not() -> None:
    marks, texts = drawn(1)
    own = [mark for mark in marks if mark[1] == "a"]
    twice = [(item, rater, start, end, label) for item, _, start, end, label in own for rater in "ab"]
    assert unitised_alpha(*frames(twice, "ab", texts)).estimate == 1
    results = []
    for seed in range(20):  # short units in long texts, placed at random
        rng = np.random.default_rng(seed)
        long = {str(item): 1_000 for item in range(20)}
        starts = [(item, rater, int(rng.integers(0, 960))) for item in long for rater in "abc"]
        apart = [(item, rater, start, start + int(rng.integers(10, 40)), "X") for item, rater, start in starts]
        results.append(unitised_alpha(*frames(apart, "abc", long)).estimate)
    assert abs(np.mean([value for value in results if value is not None])) < 0.1


def test_what_has_no_figure() -> None:
    texts = {"t": 20}
    both = [("t", "a", 0, 4, "X"), ("t", "b", 0, 4, "X")]
    assert unitised_alpha(*frames(both[:1], "a", texts)).reason == "too_few_raters"
    assert unitised_alpha(*frames([], "ab", texts)).reason == "zero_denominator"
    marks, result, lengths = frames(both, "ab", texts)
    assert unitised_alpha(marks, result, lengths.clear()).reason == "not_identified"
    apart = pl.concat([result, pl.DataFrame({"item": ["u"], "rater": ["c"]})])
    assert unitised_alpha(marks, apart, lengths).reason == "not_applicable"
    over = [*both, ("t", "a", 2, 6, "X")]
    assert unitised_alpha(*frames(over, "ab", texts)).reason == "not_applicable"
