"""Say that intervals of spans, boxes and rankings are too narrow where there are few items (docs/how-to/spans.md)."""

from collections.abc import Iterable, Mapping
from typing import Any

from tasks.counted_words import counted
from tasks.region_coefficients import NAMES, what_is_compared

FEW_ITEMS = 20
WORDS = {
    "spans": "The intervals{of} rest on {n} (fewer than 20) and are too narrow: in simulations with 8 texts a 95 %"
    " interval of spans held the true value in 78 to 94 % of the cases.",
    "boxes": "The intervals{of} rest on {n} (fewer than 20) and are too narrow: in simulations with 8 images a 95 %"
    " interval of boxes held the true value in 86 to 92 % of the cases.",
    "rankings": "The intervals{of} rest on {n} (fewer than 20) and are too narrow: in simulations"
    " with 8 items a 95 % interval of rankings held the true value in 82 to 93 % of the cases.",
}
NOUNS = {"spans": "text", "boxes": "image", "rankings": "item"}


def rests_on_few(coefficient: str, n_items: int) -> bool:
    """Check whether the interval of a coefficient is too narrow because of few items. Never so of labels and texts.

    >>> rests_on_few("f1_exact", 19), rests_on_few("f1_exact", 20), rests_on_few("krippendorff_alpha", 5)
    (True, False, False)
    """
    return coefficient in NAMES and what_is_compared(coefficient) in WORDS and n_items < FEW_ITEMS


def few_items_notes(kind: str, figures: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the note for the figures over all raters (coefficient or name, low, n_items) of this kind; empty if enough
    items have them. It names the coefficients if others have enough.

    >>> few_items_notes("boxes", [{"low": 0.5, "n_items": 8}])[0][:47]
    'The intervals rest on 8 images (fewer than 20) '
    >>> rows = [{"name": "f1_exact", "low": 0.5, "n_items": 40}, {"name": "unitised_alpha", "low": 0.5, "n_items": 3}]
    >>> few_items_notes("spans", rows)[0][:64]
    'The intervals of unitised_alpha rest on 3 texts (fewer than 20) '
    >>> few_items_notes("boxes", [{"low": None, "n_items": 1}, {"low": 0.5, "n_items": 20}])
    []
    """
    with_interval = [row for row in figures if row["low"] is not None]
    on_few = [row for row in with_interval if row["n_items"] < FEW_ITEMS]
    if kind not in WORDS or not on_few:
        return []
    of = ""
    if len(on_few) < len(with_interval):
        of = f" of {', '.join(row.get('coefficient') or row['name'] for row in on_few)}"
    return [WORDS[kind].format(of=of, n=counted(min(row["n_items"] for row in on_few), NOUNS[kind]))]
