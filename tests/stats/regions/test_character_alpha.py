"""Alpha of characters is alpha with an item per character, and its interval leaves out one text at a time."""

import numpy as np
import polars as pl
import pytest

from stats.agreement import agreement
from stats.errors import StatsError
from stats.regions import LENGTHS, character_alpha
from stats.regions.span_matching import SPANS

Mark = tuple[str, str, int, int, str]


def frames(marks: list[Mark], who: list[tuple[str, str]], texts: dict[str, int]) -> tuple[pl.DataFrame, ...]:
    return (
        pl.DataFrame(marks, schema=dict(SPANS), orient="row"),
        pl.DataFrame(who, schema=["item", "rater"], orient="row"),
        pl.DataFrame(list(texts.items()), schema=dict(LENGTHS), orient="row"),
    )


def by_character(marks: list[Mark], who: list[tuple[str, str]], texts: dict[str, int]) -> float | None:
    """Krippendorff's alpha of `stats.agreement`, each character an item of its own."""
    rows = []
    for item, rater in who:
        own = [mark for mark in marks if mark[:2] == (item, rater)]
        for place in range(texts.get(item, 0)):
            labels = {mark[4] for mark in own if mark[2] <= place < mark[3]}
            rows.append((f"{item} {place}", rater, "+".join(sorted(labels))))
    ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    names = ratings["label"].unique().sort().to_list()
    value: float | None = agreement(ratings, labels=names, coefficients=["krippendorff_alpha"])["estimate"][0]
    return value


def drawn(seed: int) -> tuple[list[Mark], list[tuple[str, str]], dict[str, int]]:
    rng = np.random.default_rng(seed)
    texts = {str(i): int(rng.integers(5, 40)) for i in range(5)}
    who = [(item, rater) for item in texts for rater in ("ann", "ben", "cid") if rater != "cid" or int(item) % 2]
    marks = []
    for item, rater in who:
        for _ in range(int(rng.integers(0, 4))):
            start, end = sorted(rng.integers(0, texts[item] + 1, 2).tolist())
            marks.append((item, rater, start, end, "ABC"[int(rng.integers(3))]))
    return marks, who, texts


def test_by_hand() -> None:
    # Ten characters. ann marks 0-4, ben 2-6: six agree (four of them on none), four do not. Values: 8 of X, 12 of none.
    marks = [("i", "ann", 0, 4, "X"), ("i", "ben", 2, 6, "X")]
    result = character_alpha(*frames(marks, [("i", "ann"), ("i", "ben")], {"i": 10}))
    assert result.estimate == pytest.approx(1 - (4 / 10) / (2 * 8 * 12 / (20 * 19)), abs=1e-12)
    assert (result.low, result.reason) == (None, "too_few_items")


@pytest.mark.parametrize("seed", range(6))
def test_it_is_alpha_with_an_item_per_character(seed: int) -> None:
    assert character_alpha(*frames(*drawn(seed))).estimate == pytest.approx(by_character(*drawn(seed)), abs=1e-12)


def test_the_interval_leaves_out_one_text_at_a_time() -> None:
    marks, who, texts = drawn(3)
    without = [
        by_character([m for m in marks if m[0] != item], [w for w in who if w[0] != item], texts) for item in texts
    ]
    values = np.array(without, float)
    se = (len(values) - 1) / len(values) * ((values - values.mean()) ** 2).sum()
    result = character_alpha(*frames(marks, who, texts))
    assert result.se == pytest.approx(se**0.5, abs=1e-12)
    assert result.low is not None
    assert result.estimate is not None
    assert result.low < result.estimate


def test_what_has_no_figure() -> None:
    both = [("i", "ann"), ("i", "ben")]
    unknown = character_alpha(*frames([], both, {}))
    assert unknown.reason == "not_identified"
    assert "or spans end behind them" in str(unknown.detail)  # a reader leaves such a text out, as if it had none
    assert character_alpha(*frames([], both, {"i": 10})).reason == "zero_denominator"
    assert character_alpha(*frames([], both[:1], {"i": 10})).reason == "too_few_raters"
    with pytest.raises(StatsError, match="ends behind its text"):
        character_alpha(*frames([("i", "ann", 0, 11, "X")], both, {"i": 10}))
