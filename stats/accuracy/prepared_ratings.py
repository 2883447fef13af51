"""Prepared ratings: counted once, with each model fitted once per system, for use by several functions.

The human raters as judges of each other (`label_quality`) are fitted there, because each has other data.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from stats.accuracy.arguments import check_scale, check_systems
from stats.accuracy.fitting.em_solution import Solutions
from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.raters.left_out import LeftOut, without_left_out
from stats.accuracy.system_patterns import SystemTable, is_canonical, patterns_by_rater, patterns_of, tables
from stats.counts import distinct_raters
from stats.errors import StatsError
from stats.ratings import list_names, polars_frame

MAX_KEPT = 500_000  # numbers in the counts of a system's patterns; they take some 10 MB
_PATTERNS = {False: patterns_of, True: patterns_by_rater}  # makes an estimator's patterns, by its `by_rater`


@dataclass(frozen=True)
class PreparedRatings:
    """Ratings counted once, with the model fits so far.

    `accuracy`, `bins`, `compare_systems`, `better_than_raters`, `label_quality`, `assumption_checks` and
    `alternative_annotator_test` accept it instead of `ratings`, with the same systems, labels and scale, and return the
    same results.

    - ratings, tables: those that the figures rest on, and their patterns by system. Without gold these are not the
      ratings of raters who gave nearly always the same label, or the labels of another one
      (`stats.accuracy.raters.left_out`).
    - left_out: these raters.
    - everyone: the prepared ratings with theirs, or None if nobody is left out.
    - solutions: model fits so far, by system and by whether its patterns are by rater.
    - kept: patterns so far, by the same. Patterns of more than MAX_KEPT counts are made again by each function.
    """

    ratings: pl.DataFrame
    systems: tuple[str, ...]
    labels: tuple[str, ...]
    ordered: bool
    tables: dict[str, SystemTable]
    solutions: dict[tuple[str, bool], Solutions] = field(default_factory=dict)
    kept: dict[tuple[str, bool], SystemPatterns] = field(default_factory=dict)
    left_out: LeftOut = field(default_factory=LeftOut)
    everyone: "PreparedRatings | None" = None

    def patterns(self, system: str, *, by_rater: bool) -> SystemPatterns:
        """Return the patterns of a system, with the model fits that exist for them."""
        if (key := (system, by_rater)) in self.kept:
            return self.kept[key]
        patterns = replace(
            _PATTERNS[by_rater](self.tables[system], system), solutions=self.found(system, by_rater=by_rater)
        )
        if patterns.C.size <= MAX_KEPT:
            self.kept[key] = patterns
        return patterns

    def found(self, system: str, *, by_rater: bool) -> Solutions:
        """Return the model fits to a system's patterns."""
        return self.solutions.setdefault((system, by_rater), {})

    @property
    def common_table(self) -> SystemTable | None:
        """Return the table of all systems, or None if they have several."""
        first, *others = (self.tables[system] for system in self.systems)
        return first if all(table is first for table in others) else None

    def among(self, systems: Sequence[str]) -> "PreparedRatings":
        """Return the prepared ratings of some systems only.

        Model fits are kept where they do not depend on the systems left out.
        """
        if tuple(systems) == self.systems:
            return self
        rest = self.ratings.filter(~pl.col("rater").is_in(sorted(set(self.systems) - set(systems))))
        counted = tables(rest, systems=systems, labels=self.labels, ordered=self.ordered)
        kept = {
            (system, by_rater): solution
            for (system, by_rater), solution in self.solutions.items()
            if system in counted and (not by_rater or is_canonical(counted[system]))
        }
        everyone = None if self.everyone is None else self.everyone.among(systems)
        return PreparedRatings(
            rest, tuple(systems), self.labels, self.ordered, counted, kept, left_out=self.left_out, everyone=everyone
        )

    def without_left_out(self) -> "PreparedRatings":
        """Return the prepared ratings without the raters of `left_out_raters`."""
        humans = [rater for rater in distinct_raters(self.ratings) if rater not in set(self.systems)]
        _, left_out = without_left_out(self.tables[self.systems[0]].humans, humans)
        if not left_out.names:
            return replace(self, left_out=left_out)
        rest = self.ratings.filter(~pl.col("rater").is_in(left_out.names))
        counted = tables(rest, systems=self.systems, labels=self.labels, ordered=self.ordered)
        return replace(self, ratings=rest, tables=counted, solutions={}, kept={}, left_out=left_out, everyone=self)


def prepared(
    ratings: Any, *, systems: Sequence[str], labels: Sequence[str], scale: str | None = "nominal", audited: bool = False
) -> PreparedRatings:
    """Prepare the ratings. Ratings that are already prepared are returned as they are.

    scale: one of SCALES. None means that of prepared ratings, and nominal for others.
    audited: they are for figures with gold, so that fewer than two human raters will do, and all count. Without gold
    raters are left out as `stats.accuracy.raters.left_out` says.

    Raises StatsError as `stats.accuracy.accuracy` does for its ratings, systems, labels and scale, and where ratings
    were prepared with other systems, labels or scale.

    >>> rows = [(str(i), rater, "AB"[i % 2]) for i in range(40) for rater in ("ann", "bob", "bot")]
    >>> frame = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> first = prepared(frame, systems=["bot"], labels=["A", "B"])
    >>> first.patterns("bot", by_rater=False).n_items.tolist()
    [20, 20]
    >>> prepared(first, systems=["bot"], labels="AB", scale=None) is first
    True
    """
    if scale is None:
        scale = "ordinal" if isinstance(ratings, PreparedRatings) and ratings.ordered else "nominal"
    check_scale(scale)
    ordered = scale != "nominal"
    if not isinstance(ratings, PreparedRatings):
        ratings = polars_frame(ratings)
        check_systems(ratings, systems, labels, audited=audited)
        counted = tables(ratings, systems=systems, labels=labels, ordered=ordered)
        everyone = PreparedRatings(ratings, tuple(systems), tuple(labels), ordered, counted)
        return everyone if audited else everyone.without_left_out()
    for what, names, asked_for in (("systems", ratings.systems, systems), ("labels", ratings.labels, labels)):
        if names != tuple(asked_for):
            raise StatsError(
                f"Ratings were prepared for the {what} {list_names(names)}, and {list_names(tuple(asked_for))} are"
                " asked for. Prepare them for these."
            )
    if ratings.ordered != ordered:
        raise StatsError(f"Ratings were prepared for another scale than {scale!r}. Prepare them for this one.")
    prepared_ratings: PreparedRatings = ratings
    return prepared_ratings


def frame_of(ratings: Any) -> pl.DataFrame:
    """Return the ratings of all raters as a frame, prepared or not."""
    return _with_everyone(ratings).ratings if isinstance(ratings, PreparedRatings) else polars_frame(ratings)


def tables_of(ratings: Any, *, systems: Sequence[str], labels: Sequence[str]) -> dict[str, SystemTable]:
    """Return the table of each system with all raters: of prepared ratings those that they have, else counted.

    Prepared ratings of any scale will do. Raises as `prepared`.
    """
    return _with_everyone(prepared(ratings, systems=systems, labels=labels, scale=None)).tables


def _with_everyone(ratings: PreparedRatings) -> PreparedRatings:
    return ratings if ratings.everyone is None else ratings.everyone
