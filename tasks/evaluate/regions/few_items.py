"""Say that intervals of spans, boxes and rankings are too narrow where there are few items (docs/how-to/spans.md)."""

from collections.abc import Iterable, Mapping
from typing import Any

from tasks.counted_words import counted

FEW_ITEMS = 20
WORDS = {
    "spans": "The intervals rest on {n} (fewer than 20) and are too narrow: in simulations with 8 texts a 95 %"
    " interval of spans held the true value in 78 to 94 % of the cases.",
    "boxes": "The intervals rest on {n} (fewer than 20) and are too narrow: in simulations with 8 images a 95 %"
    " interval of boxes held the true value in 86 to 92 % of the cases.",
    "rankings": "The intervals rest on {n} (fewer than 20) and are too narrow: in simulations"
    " with 8 items a 95 % interval of rankings held the true value in 82 to 93 % of the cases.",
}
NOUNS = {"spans": "text", "boxes": "image", "rankings": "item"}


def few_items_notes(kind: str, figures: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the note for the figures over all raters (low, n_items) of this kind; empty if enough items have them.

    >>> few_items_notes("boxes", [{"low": 0.5, "n_items": 8}])[0][:47]
    'The intervals rest on 8 images (fewer than 20) '
    >>> few_items_notes("boxes", [{"low": None, "n_items": 1}, {"low": 0.5, "n_items": 20}])
    []
    """
    n_items = min((row["n_items"] for row in figures if row["low"] is not None), default=FEW_ITEMS)
    if kind not in WORDS or n_items >= FEW_ITEMS:
        return []
    return [WORDS[kind].format(n=counted(n_items, NOUNS[kind]))]
