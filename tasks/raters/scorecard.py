"""Read the scorecards of raters from the published snapshot."""

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import polars as pl

from tasks.errors import InputError
from tasks.evaluate.published_views import read_views


@dataclass(frozen=True)
class Scorecards:
    """`cards`: rows of the view rater_scorecard. `bias`: rows of latest_rater_bias of the same raters and questions."""

    cards: pl.DataFrame
    bias: pl.DataFrame


def read_scorecards(snapshot: Path, *, rater: str | None = None, question: str | None = None) -> Scorecards:
    """Read the scorecards of one rater or of all, in one question or in all.

    Raises InputError if the rater or the question has none.
    """
    views = read_views(snapshot, "rater_scorecard", "latest_rater_bias")
    cards, bias = views["rater_scorecard"], views["latest_rater_bias"]
    if cards.is_empty():
        raise InputError("No question has scorecards yet.", "Run `kappaflow evaluate --all` once.")
    for column, name in (("question", question), ("rater", rater)):
        if name is not None:
            known = sorted(set(cards[column]))
            cards, bias = (frame.filter(pl.col(column) == name) for frame in (cards, bias))
            if cards.is_empty():
                raise InputError(f"There is no scorecard of the {column} {name!r}.", _hint(name, known))
    return Scorecards(cards, bias)


def _hint(name: str, known: list[str]) -> str:
    nearest = get_close_matches(name, known, n=1)
    return f"The most similar name is {nearest[0]!r}." if nearest else f"Known are {', '.join(known[:20])}."
