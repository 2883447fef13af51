"""Tell by plain answers of Label Studio's JSON_MIN and CSV whether they can be choices.

One choice is written as bare text. So is the single text of a text area. Choices are texts that return from item to
item; numbers, dates, and texts that never return are the answers of other controls.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from tasks.formats.parsing.cells import tidy_label


def are_choices(answers: Iterable[tuple[str | None, object]], *, one_item: bool = False) -> bool:
    """Check whether plain answers, each with its item, can be those of a control that offers choices.

    A file of `one_item` cannot show whether texts return.

    >>> are_choices([("1", "good"), ("2", "bad"), ("3", "good")])
    True
    >>> are_choices([("1", "too long"), ("2", "I like it")]), are_choices([("1", 3), ("2", 3)])
    (False, False)
    >>> are_choices([("1", "2026-01-05"), ("2", "2026-01-05")])
    False
    """
    items: defaultdict[str, set[str | None]] = defaultdict(set)
    for item, answer in answers:
        if not isinstance(answer, str):
            return False
        if (label := tidy_label(answer)) is not None:
            items[label].add(item)
    returns = one_item or any(len(of_label) > 1 for of_label in items.values())
    return returns and not all(map(_is_date, items))


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return not text.isdigit()
