"""Find the order of labels that are words of a common scale, as low, medium, high, or that begin with a number."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

SCALES_OF_WORDS = tuple(
    {word: place for place, words in enumerate(scale.split(" < ")) for word in words.split("/")}
    for scale in (
        "very low < low < medium/moderate/mid/middle < high < very high < critical",
        "none/absent < minimal < mild < moderate < severe/strong < very severe/extreme",
        "never < rarely/seldom < sometimes/occasionally < often/frequently/usually < always",
        "very bad/very poor/terrible/awful < bad/poor < fair/ok/okay < good < very good/great < excellent/perfect",
        "strongly disagree < disagree/somewhat disagree < neutral/neither < agree/somewhat agree < strongly agree",
        "very negative < negative/neg < neutral/neu/mixed < positive/pos < very positive",
        "not at all < slightly/a little < moderately/somewhat < very/quite < extremely/completely",
        "very small < small < medium < large < very large",
        "no < maybe/partly/partially/partial < yes",
        "incorrect/wrong < partly correct/partially correct/partial < correct/right",
        "unhelpful/not helpful < partly helpful/somewhat helpful/partly < helpful < very helpful",
        "very unlikely < unlikely < possible/neutral < likely < very likely",
        "beginner < intermediate < advanced < expert",
        "easy < medium/moderate < hard/difficult < very hard/very difficult",
    )
)


def known_order(labels: Sequence[str]) -> tuple[str, ...] | None:
    """Return the labels from lowest to highest if all are words of one scale or begin with a number, else None.

    >>> known_order(["high", "low", "medium"]), known_order(["10 stars", "9 stars"]), known_order(["cat", "low"])
    (('low', 'medium', 'high'), ('9 stars', '10 stars'), None)
    >>> known_order(["1,0", "10,0", "1,5"])
    ('1,0', '1,5', '10,0')
    >>> known_order(["★★★", "★", "★★"]), known_order(["★★☆", "★☆☆"])
    (('★', '★★', '★★★'), ('★☆☆', '★★☆'))
    """
    places = _places(labels)
    if places is None or len({*places.values()}) < len(labels):
        return None
    return tuple(sorted(labels, key=lambda label: places[label]))


def order_differs(labels: Sequence[str]) -> bool:
    """Check whether the labels are in another order than that of their scale, neither upwards nor downwards.

    >>> order_differs(["high", "low", "medium"]), order_differs(["high", "medium", "low"]), order_differs(["b", "a"])
    (True, False, False)
    """
    places = _places(labels)
    differences = [places[b] - places[a] for a, b in pairwise(labels)] if places else []
    return not (all(each >= 0 for each in differences) or all(each <= 0 for each in differences))


def _places(labels: Sequence[str]) -> dict[str, float] | None:
    of_words = [_place_in(scale) for scale in SCALES_OF_WORDS]
    for reader in (_leading_number, _stars, *of_words):
        places = {label: place for label in labels if (place := reader(label)) is not None}
        if len(places) == len(labels):
            return places
    return None


def _leading_number(label: str) -> float | None:
    if comma := re.match(r"([-+]?\d+),(\d{1,2})(?!\d)", label):  # 1,000 is a thousand
        return float(f"{comma[1]}.{comma[2]}")
    start = re.match(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", label)
    return float(start.group()) if start else None


def _stars(label: str) -> float | None:
    """Count the full stars of a label of stars alone, such as ★★★ and ★★★☆☆."""
    return float(sum(label.count(star) for star in "★⭐")) if label and set(label) <= set("★⭐☆") else None


def _place_in(scale: dict[str, int]) -> Callable[[str], float | None]:
    return lambda label: scale.get(" ".join(re.split(r"[\s_-]+", label.casefold())).strip())
