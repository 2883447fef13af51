"""Find voters who choose the other model than the others do, as if they took the worse one for the better.

Such a voter moves all strengths towards each other, and lowers the agreement of everybody. Only comparisons count that
both voters of a pair decided: there voters who know nothing choose the same model in half of the cases. So neither a
voter of many ties nor one who prefers a place is taken for one who contradicts.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from stats.agreement.breakdowns.contradictions import COEFFICIENT, MIN_ITEMS, Contradiction, contradictions
from stats.arrays import FloatArray
from stats.cluster_jackknife import cluster_jackknife
from stats.preferences.vote_table import check_votes, cluster_codes, comparisons

MAX_VOTERS = 50  # with more, nobody looks at their pairs one by one


@dataclass(frozen=True)
class ContraryVoter:
    """A voter who contradicts the others, or two voters who contradict each other (`voters`).

    share, low, high: of the comparisons that both decided, those with the same winner, and the interval; .5 by chance.
    among_others: the share of the others among themselves; None for two voters.
    """

    voters: tuple[str, ...]
    share: float
    low: float
    high: float
    among_others: float | None

    @property
    def sentence(self) -> str:
        """Say who contradicts whom, and what may be the cause."""
        return self._sentence(" and ".join(self.voters))

    @property
    def sentence_without_names(self) -> str:
        """Say the same in the row of a voter, without names: forgetting a voter does not change stored sentences."""
        return self._sentence("This voter" if len(self.voters) == 1 else "The two voters")

    def _sentence(self, who: str) -> str:
        rests = f"{100 * self.share:.0f} % [{100 * self.low:.0f}, {100 * self.high:.0f}] of the comparisons"
        if self.among_others is None:
            return (
                f"{who} contradict each other: they choose the same model in {rests} that both decide, by chance in"
                " 50 %. Perhaps one of them takes the worse model for the better one."
            )
        return (
            f"{who} contradicts the others: they choose the same model in {rests} that both decide, by chance in 50 %,"
            f" the others among themselves in {100 * self.among_others:.0f} %. Perhaps the worse model was taken for"
            " the better one."
        )


def contrary_voters(votes: pl.DataFrame, *, confidence: float = 0.95) -> list[ContraryVoter]:
    """Return the voters who contradict the others, the clearest first; none of more than MAX_VOTERS.

    They are found as raters of labels are (`stats.agreement.breakdowns.contradictions`), by twice the share of equal
    choices less 1, in the place of kappa.
    """
    by_voters = check_votes(votes).filter(pl.col("rater").is_not_null())
    if not 2 <= by_voters["rater"].n_unique() <= MAX_VOTERS:
        return []
    return [_voter(each) for each in contradictions(_pairs(comparisons(by_voters), confidence))]


def _pairs(answers: pl.DataFrame, confidence: float) -> Iterator[dict[str, object]]:
    """Yield a row per pair of voters with MIN_ITEMS comparisons that both decided, as `contradictions` takes it."""
    decided = answers.filter(pl.col("low_won") != pl.col("high_won"))
    own = {str(rater): rows for (rater,), rows in decided.partition_by("rater", as_dict=True).items()}
    for a, b in combinations(sorted(own), 2):
        shared = own[a].join(own[b].select("key", low="low_won", high="high_won"), on="key").sort("key")
        if shared.height < MIN_ITEMS:
            continue
        same = pl.col("low_won") * pl.col("low") + pl.col("high_won") * pl.col("high")
        other = pl.col("low_won") * pl.col("high") + pl.col("high_won") * pl.col("low")
        sums = shared.select(balance=same - other, decided=same + other).to_numpy().astype(np.float64)
        figure = cluster_jackknife(sums, cluster_codes(shared["cluster"]), _balance, confidence, lowest=-1.0)
        if figure.estimate is not None and figure.low is not None:
            ends = {"estimate": figure.estimate, "low": figure.low, "high": figure.high}
            yield {"rater_a": a, "rater_b": b, "coefficient": COEFFICIENT, "n_items": shared.height, **ends}


def _balance(S: FloatArray) -> FloatArray:
    return np.asarray(S[:, 0] / S[:, 1])


def _voter(contradiction: Contradiction) -> ContraryVoter:
    share, low, high = ((1 + value) / 2 for value in (contradiction.kappa, contradiction.low, contradiction.high))
    among = None if contradiction.among_others is None else (1 + contradiction.among_others) / 2
    return ContraryVoter(contradiction.raters, share, low, high, among)
