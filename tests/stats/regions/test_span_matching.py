"""Matching of spans: exact, by overlap, one to one; checked by brute force."""

from itertools import permutations

import numpy as np
import polars as pl
import pytest

from stats.errors import StatsError
from stats.regions import DONE, SPANS, match_spans, span_matching

Span = tuple[int, int, str]


def frames(work: dict[tuple[str, str], list[Span]]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return spans and who did which item, of {(item, rater): spans}."""
    spans = [(item, rater, *span) for (item, rater), marked in work.items() for span in marked]
    return pl.DataFrame(spans, schema=SPANS, orient="row"), pl.DataFrame([*work], schema=DONE, orient="row")


def total(a: list[Span], b: list[Span]) -> tuple[int, int]:
    result = match_spans(*frames({("1", "a"): a, ("1", "b"): b}))
    return int(result["exact"].sum()), int(result["partial"].sum())


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([(0, 4, "P")], [(0, 4, "P")], (1, 1)),
        ([(0, 4, "P")], [(0, 4, "L")], (0, 0)),
        ([(0, 4, "P")], [(3, 9, "P")], (0, 1)),
        ([(0, 4, "P")], [(4, 9, "P")], (0, 0)),  # they touch, and do not overlap
        ([(0, 9, "P")], [(0, 2, "P"), (3, 5, "P")], (0, 1)),  # one to one
        ([(0, 4, "P"), (3, 6, "P")], [(0, 4, "P"), (5, 9, "P")], (1, 2)),
        ([(0, 4, "P"), (0, 4, "P")], [(0, 4, "P")], (1, 1)),
        ([(2, 2, "P")], [(2, 2, "P")], (1, 1)),  # of no character
        ([], [(0, 1, "P")], (0, 0)),
    ],
)
def test_cases(a: list[Span], b: list[Span], expected: tuple[int, int]) -> None:
    assert total(a, b) == expected
    assert total(b, a) == expected


def test_the_largest_matching_is_found_where_a_greedy_one_is_smaller() -> None:
    # the long span overlaps both; matched with the wrong one it leaves the other alone
    assert total([(0, 10, "P"), (8, 9, "P")], [(8, 10, "P"), (0, 2, "P")]) == (0, 2)


def test_equal_to_trying_all_ways() -> None:
    rng = np.random.default_rng(1)
    for _ in range(40):
        sides = []
        for _ in range(2):
            starts = rng.integers(0, 12, rng.integers(0, 5))
            sides.append([(int(s), int(s + rng.integers(1, 6)), "P") for s in starts])
        a, b = sorted(sides, key=len)
        ways = (
            sum(x[0] < y[1] and y[0] < x[1] for x, y in zip(a, way, strict=False)) for way in permutations(b, len(a))
        )
        assert total(a, b)[1] == max(ways)


def test_only_raters_who_did_an_item_are_compared() -> None:
    work = {("1", "a"): [(0, 1, "P")], ("1", "b"): [], ("2", "a"): [(0, 1, "P")], ("3", "b"): [(0, 1, "P")]}
    (row,) = match_spans(*frames(work)).to_dicts()
    assert (row["item"], row["n_a"], row["n_b"], row["exact"]) == ("1", 1, 0, 0)
    assert match_spans(*frames({})).is_empty()


def test_too_many_spans_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(span_matching, "MAX_OF_ITEM", 3)
    with pytest.raises(StatsError, match="so many spans"):
        total([(0, 1, "P")], [(0, 1, "P")])
