"""Ratings of systems, counted once, with each model fitted once to each system: for who asks several functions.

The human raters as judges of each other (`label_quality`) are fitted there, since each has other data.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from stats.accuracy.em import Solutions
from stats.accuracy.estimator import Patterns
from stats.accuracy.tables import Table, is_canonical, patterns_by_rater, patterns_of, tables
from stats.accuracy.valid import check_scale, check_systems
from stats.errors import StatsError
from stats.ratings import some

_PATTERNS = {False: patterns_of, True: patterns_by_rater}  # what an estimator is given, by its `by_rater`


@dataclass(frozen=True)
class Prepared:
    """Ratings that were prepared: `accuracy`, `compare_systems`, `better_than_raters` and `label_quality` take it in
    the place of `ratings`, with the same systems, labels and scale, and give the same.

    tables: of each system. solutions: what the models found so far, by system and whether its patterns are by rater.
    The patterns are made anew for each function: they may be large, solutions are small.
    """

    ratings: pl.DataFrame
    systems: tuple[str, ...]
    labels: tuple[str, ...]
    ordered: bool
    tables: dict[str, Table]
    solutions: dict[tuple[str, bool], Solutions] = field(default_factory=dict)

    def patterns(self, system: str, *, by_rater: bool) -> Patterns:
        """The patterns of a system, with what the models found in them."""
        made = _PATTERNS[by_rater](self.tables[system], system)
        return replace(made, solutions=self.found(system, by_rater=by_rater))

    def found(self, system: str, *, by_rater: bool) -> Solutions:
        """What the models found in its patterns."""
        return self.solutions.setdefault((system, by_rater), {})

    def among(self, systems: Sequence[str]) -> "Prepared":
        """The same without the other systems, and with what was found of those that are left where that does not
        depend on the others."""
        if tuple(systems) == self.systems:
            return self
        rest = self.ratings.filter(~pl.col("rater").is_in(sorted(set(self.systems) - set(systems))))
        counted = tables(rest, systems=systems, labels=self.labels, ordered=self.ordered)
        kept = {
            (system, by_rater): found
            for (system, by_rater), found in self.solutions.items()
            if system in counted and (not by_rater or is_canonical(counted[system]))
        }
        return Prepared(rest, tuple(systems), self.labels, self.ordered, counted, kept)


def prepared(
    ratings: pl.DataFrame | Prepared, *, systems: Sequence[str], labels: Sequence[str], scale: str = "nominal"
) -> Prepared:
    """The ratings, prepared; what is prepared already is given back.

    Raises StatsError as `stats.accuracy.accuracy` does for its ratings, systems, labels and scale, and where what is
    prepared already has others.

    >>> rows = [(str(i), rater, "AB"[i % 2]) for i in range(40) for rater in ("ann", "bob", "bot")]
    >>> frame = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> once = prepared(frame, systems=["bot"], labels=["A", "B"])
    >>> once.patterns("bot", by_rater=False).n_items.tolist(), prepared(once, systems=["bot"], labels="AB") is once
    ([20, 20], True)
    """
    check_scale(scale)
    ordered = scale != "nominal"
    if not isinstance(ratings, Prepared):
        check_systems(ratings, systems, labels)
        counted = tables(ratings, systems=systems, labels=labels, ordered=ordered)
        return Prepared(ratings, tuple(systems), tuple(labels), ordered, counted)
    for what, known, asked in (("systems", ratings.systems, systems), ("labels", ratings.labels, labels)):
        if known != tuple(asked):
            raise StatsError(
                f"Ratings were prepared for the {what} {some(known)}, and {some(tuple(asked))} are asked for. "
                "Prepare them for these."
            )
    if ratings.ordered != ordered:
        raise StatsError(f"Ratings were prepared for another scale than {scale!r}. Prepare them for this one.")
    return ratings
