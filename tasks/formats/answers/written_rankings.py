"""Read rankings that are written as `A > B = C`."""

import json
from collections.abc import Sequence

from tasks.formats.parsing.cells import tidy_label

LEAST_ORDERS = 2  # different labels


def parse_ranking(answer: str) -> str | None:
    """Return 'A > B = C' as a JSON array of [option, rank]; None if an option is blank or there twice, or is alone.

    >>> parse_ranking("b > a = c")
    '[["b", 1], ["a", 2], ["c", 2]]'
    >>> parse_ranking("b > b"), parse_ranking("b")
    (None, None)
    """
    places = [[tidy_label(option) for option in place.split("=")] for place in answer.split(">")]
    options = [option for place in places for option in place]
    if len(options) < 2 or None in options or len(set(options)) < len(options):
        return None
    return json.dumps(
        [[option, rank] for rank, place in enumerate(places, start=1) for option in place], ensure_ascii=False
    )


def n_ranked_options(labels: Sequence[str]) -> int:
    """Return how many options the labels put in order, if they very likely are rankings, else 0.

    They very likely are if there are two or more, and all list the same options.

    >>> n_ranked_options(["a > b = c", "c > a > b"]), n_ranked_options(["a > b", "a > c"]), n_ranked_options(["a > b"])
    (3, 0, 0)
    """
    if len(labels) < LEAST_ORDERS or not all(">" in label for label in labels):
        return 0
    options = {frozenset(option for option, _ in json.loads(parse_ranking(label) or "[]")) for label in labels}
    return len(next(iter(options))) if len(options) == 1 else 0
