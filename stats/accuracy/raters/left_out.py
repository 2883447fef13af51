"""Leave out raters whose ratings say nothing of their own: nearly always the same label, or the labels of another one.

Without gold no accuracy and no consensus rests on their ratings. With gold, and in agreement, all ratings count.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from stats.accuracy.raters.copied_ratings import SAME_AS, same_labels
from stats.accuracy.raters.single_label import DETAIL, UNMOVED, single_label_raters
from stats.arrays import BoolArray
from stats.patterns import RatingPatterns, without_raters
from stats.unnamed import name_nobody

MAX_NAMED = 10  # raters in a sentence, and sentences on single ones
ONE_LABEL = (
    f"Nearly always the same label, {UNMOVED}, came from {{names}}. Such ratings do not show what a rater knows, so no"
    " accuracy without gold and no consensus rests on them."
)


@dataclass(frozen=True)
class LeftOut:
    """Raters who are left out.

    - details: why, by name.
    - originals: whose labels they have, by name, of those who have another one's.
    - undecided: sentences on pairs of raters with the same labels, of whom nobody is left out because nothing tells
      whether one is a copy.
    """

    details: dict[str, str] = field(default_factory=dict)
    originals: dict[str, str] = field(default_factory=dict)
    undecided: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The raters who are left out."""
        return tuple(self.details)

    def brief(self) -> str:
        """Return a sentence with only the names, for what stands beside the warnings; empty if nobody is left out.

        >>> LeftOut({"ann": DETAIL, "bob": DETAIL}).brief()
        ' This is without the ratings of ann, bob.'
        """
        return f" This is without the ratings of {_some(self.names)}." if self.details else ""

    def warnings(self) -> list[str]:
        """Return the sentences that name the raters.

        >>> LeftOut({"ann": DETAIL}).warnings()[0][:60]
        'Nearly always the same label, also where most others agree o'
        """
        copies = {name: detail for name, detail in self.details.items() if SAME_AS in detail}
        of_one = [name for name in self.details if name not in copies]
        sentences = [ONE_LABEL.format(names=_some(of_one))] if of_one else []
        for name, detail in list(copies.items())[:MAX_NAMED]:
            sentences.append(f"{name}{SAME_AS.removeprefix('This rater')}{detail.partition(SAME_AS)[2]}")
        if others := [*copies][MAX_NAMED:]:
            sentences.append(f"The same labels as another rater came from {_some(others)}, too.")
        return [*sentences, *self.undecided[:MAX_NAMED]]


def left_out_raters(humans: RatingPatterns, raters: Sequence[str]) -> LeftOut:
    """Return the raters to leave out. `raters` names all raters, in the order of their codes.

    Of votes without names nobody is left out.
    """
    if name_nobody(raters):
        return LeftOut()
    same_pairs = same_labels(humans)
    copies = [pair for pair in same_pairs if pair.is_copy]
    is_copy = np.zeros(humans.n_raters, dtype=bool)
    is_copy[[pair.copy for pair in copies]] = True
    of_one = np.flatnonzero(~is_copy)[single_label_raters(without_raters(humans, is_copy))]
    details = {**{pair.copy: pair.sentence(raters) for pair in copies}, **dict.fromkeys(of_one.tolist(), DETAIL)}
    return LeftOut(
        {raters[code]: details[code] for code in sorted(details)},
        {raters[pair.copy]: raters[pair.original] for pair in copies},
        tuple(pair.sentence(raters) for pair in same_pairs if not pair.is_copy),
    )


def without_left_out(humans: RatingPatterns, raters: Sequence[str]) -> tuple[RatingPatterns, LeftOut]:
    """Return the patterns without the raters who are left out, and these raters, as `left_out_raters`."""
    left_out = left_out_raters(humans, raters)
    return without_raters(humans, marked(left_out, raters)), left_out


def marked(left_out: LeftOut, raters: Sequence[str]) -> BoolArray:
    """Return which of the raters are left out, (r,)."""
    return np.array([rater in left_out.details for rater in raters], dtype=bool)


def left_out_of(quality: pl.DataFrame) -> LeftOut:
    """Return the raters whose row of `annotators` says that they were left out."""
    rows = zip(quality["rater"].to_list(), quality["detail"].cast(pl.String).to_list(), strict=True)
    return LeftOut({str(rater): detail for rater, detail in rows if says_left_out(detail)})


def says_left_out(detail: str | None) -> bool:
    """Check whether the detail of a rater says that the ratings were left out."""
    return UNMOVED in (detail or "") or SAME_AS in (detail or "")


def _some(names: Sequence[str]) -> str:
    """Return the first names in a list, and how many more there are."""
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return ", ".join(names[:MAX_NAMED]) + more
