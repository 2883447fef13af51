"""Find labels that are perhaps another one, misspelt: `positve` beside `positive`."""

import re
from collections.abc import Mapping
from itertools import combinations

import polars as pl

from tasks.counted_words import counted
from tasks.look_alikes import plain_name, shown_name

LEAST_LETTERS = 5  # of both words: shorter ones are often one letter apart, as in "class a" and "class b"
MAX_SHARE = 0.05  # of the ratings of the other label
MAX_LABELS = 200  # of which all pairs are compared
MAX_SHOWN = 3


def misspelt_note(ratings: pl.DataFrame) -> str | None:
    """Return a sentence on labels that are perhaps misspelt, or None. `ratings` has rater, label, perhaps n_items.

    A label is named if one letter is wrong, missing, added or exchanged with the next, other than the first: `atypical`
    is not `typical`. It must also be rare beside the other label, or no rater gave both and fewer gave it.
    """
    count = pl.col("n_items").sum() if "n_items" in ratings.columns else pl.len()
    counts = (
        ratings.drop_nulls("label").group_by("label").agg(count.alias("n"), pl.col("rater").unique().alias("raters"))
    )
    n_of = dict(counts.select(pl.col("label").cast(pl.String), "n").iter_rows())
    if len(n_of) > 2 and len({"".join(sorted(label)) for label in n_of}) == 1:
        return None  # ABDC is another order than ABCD, as in a ranking
    raters = {str(label): frozenset(names) for label, names in counts.select("label", "raters").iter_rows()}
    pairs = [
        (rare, common)
        for pair in _one_letter_apart(n_of)
        for rare, common in (sorted(pair, key=lambda label: (n_of[label], label)),)
        if n_of[rare] <= MAX_SHARE * n_of[common]
        or (not raters[rare] & raters[common] and len(raters[rare]) < len(raters[common]))
    ]
    if not pairs:
        return None
    shown = "; ".join(
        f"{shown_name(rare)} ({counted(n_of[rare], 'rating')}) for {shown_name(common)} ({n_of[common]:,})"
        for rare, common in sorted(pairs)[:MAX_SHOWN]
    )
    more = " ..." if len(pairs) > MAX_SHOWN else ""
    return (
        f"Perhaps misspelt: {shown}{more}. Each counts as a label of its own, and gwet_ac1 and brennan_prediger are"
        " higher the more labels there are. If so, correct the export, or declare the labels: others are rejected."
    )


def _one_letter_apart(labels: Mapping[str, int]) -> list[tuple[str, str]]:
    """Return the pairs of labels of which one word differs by one letter, other than the first."""
    words = {label: _words(label) for label in labels}
    comparable = sorted(label for label in words if not any(map(str.isdigit, label)))
    if len(comparable) > MAX_LABELS:
        return []
    return [pair for pair in combinations(comparable, 2) if _is_misspelt(words[pair[0]], words[pair[1]])]


def _words(label: str) -> list[str]:
    return re.split(r"[\W_]+", plain_name(label))


def _is_misspelt(a: list[str], b: list[str]) -> bool:
    """Check whether the words of two labels are the same but for one, which is one letter apart."""
    if len(a) != len(b):
        return False
    differing = [pair for pair in zip(a, b, strict=True) if pair[0] != pair[1]]
    return len(differing) == 1 and min(map(len, differing[0])) >= LEAST_LETTERS and is_one_letter_apart(*differing[0])


def is_one_letter_apart(a: str, b: str) -> bool:
    """Check whether one letter is wrong, missing, added, or exchanged with the next; the first letter is the same.

    >>> is_one_letter_apart("positve", "positive"), is_one_letter_apart("postiive", "positive")
    (True, True)
    >>> is_one_letter_apart("atypical", "typical"), is_one_letter_apart("likely", "unlikely")
    (False, False)
    """
    short, long = sorted((a, b), key=len)
    if a == b or a[:1] != b[:1] or len(long) - len(short) > 1:
        return False
    place = next((i for i, (x, y) in enumerate(zip(short, long, strict=False)) if x != y), len(short))
    if len(short) < len(long):
        return short[place:] == long[place + 1 :]
    swapped = short[:place] + short[place + 1 : place + 2] + short[place : place + 1] + short[place + 2 :]
    return short[place + 1 :] == long[place + 1 :] or swapped == long
