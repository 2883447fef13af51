"""Read rankings that are written as `A > B = C`."""

import json

from tasks.formats.parsing.cells import tidy_label


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
