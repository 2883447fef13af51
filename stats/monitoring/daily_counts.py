"""Hold the counts of one question by day and pattern, and turn their names into codes.

These small integer tables are all that the charts read. Their size depends on the number of days and distinct patterns,
not on the number of ratings. Counts of disjoint sets of items add up.
"""

from dataclasses import dataclass, field
from datetime import date

import numpy as np
import polars as pl

from stats.arrays import IntArray
from stats.errors import StatsError
from stats.monitoring.chart_group import DayArray
from stats.patterns import RatingPatterns
from stats.ratings import list_names

ITEM_COLUMNS = {"day": pl.Date, "pattern": pl.Int64, "n_items": pl.Int64}
RATING_COLUMNS = {"pattern": pl.Int64, "rater": pl.String, "label": pl.String}
ANSWER_COLUMNS = {"pattern": pl.Int64, "system": pl.String, "label": pl.String}
DURATION_COLUMNS = {"day": pl.Date, "rater": pl.String, "duration_s": pl.Float64, "n_ratings": pl.Int64}
VERSION_COLUMNS = {
    "day": pl.Date,
    "pattern": pl.Int64,
    "system": pl.String,
    "version": pl.String,
    "n_items": pl.Int64,
}


@dataclass(frozen=True)
class DailyCounts:
    """The counts of one question. The day of an item is the day of its latest human rating.

    - labels: all labels of the question.
    - items (day, pattern, n_items): items with a human rating that show each pattern, by day.
    - ratings (pattern, rater, label): the human ratings of each pattern, one for each rater.
    - answers (pattern, system, label): the systems' labels of each pattern, one for each system.
    - durations (day, rater, duration_s, n_ratings): the ratings that have a duration, by the day of their item.
      Durations may be rounded; three significant digits keep the table small.
    - versions (day, pattern, system, version, n_items): the items of `items` that each version of a system answered.

    The last three may be empty. Rows of one day and pattern add up. Two patterns may be equal.
    """

    labels: tuple[str, ...]
    items: pl.DataFrame
    ratings: pl.DataFrame
    answers: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=ANSWER_COLUMNS))
    durations: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=DURATION_COLUMNS))
    versions: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=VERSION_COLUMNS))

    def between(self, first: date, last: date) -> "DailyCounts":
        """Return the counts of the days from first to last, both included."""
        items, durations, versions = (
            table.filter(pl.col("day").is_between(first, last)) for table in (self.items, self.durations, self.versions)
        )
        ratings, answers = (table.join(items, on="pattern", how="semi") for table in (self.ratings, self.answers))
        return DailyCounts(self.labels, items, ratings, answers, durations, versions)


@dataclass(frozen=True)
class CodedCounts:
    """Daily counts with names as positions: D days, P patterns, k labels, R rows of day and pattern.

    - days (D,): ascending. labels, raters, systems: names, the last two sorted.
    - row_day, row_pattern, row_items (R,): the rows, as positions, and their items.
    - patterns: the human ratings. Its n_items are the items of all days.
    - C (P, k): raters who gave each label. m (P,): their number.
    - answers (systems, P): the code of each system's label, -1 where it has none.
    - codes (pattern, code): the position of each pattern of the tables. Equal patterns share it.
    """

    labels: tuple[str, ...]
    raters: tuple[str, ...]
    systems: tuple[str, ...]
    days: DayArray
    row_day: IntArray
    row_pattern: IntArray
    row_items: IntArray
    patterns: RatingPatterns
    C: IntArray
    m: IntArray
    answers: IntArray
    codes: pl.DataFrame


def coded_counts(counts: DailyCounts) -> CodedCounts:
    """Return the counts as codes, in an order that does not depend on the order of rows or the numbers of patterns.

    Raises StatsError for a null, a label that is not declared, two labels of one rater for one pattern, and a pattern
    with items and no human rating.
    """
    check_counts(counts)
    items = counts.items.group_by("day", "pattern").agg(pl.col("n_items").sum()).sort("day", "pattern")
    used = pl.DataFrame({"pattern": items["pattern"].unique()})
    ratings = counts.ratings.join(used, on="pattern", how="semi")
    answers = counts.answers.join(used, on="pattern", how="semi")
    raters, systems = (tuple(sorted(set(table.to_list()))) for table in (ratings["rater"], answers["system"]))
    codes = _pattern_codes(used, ratings, answers)
    k, P = len(counts.labels), codes["code"].n_unique()
    distinct = ratings.join(codes, on="pattern").select("code", "rater", "label").unique().sort("code", "rater")
    pattern = distinct["code"].to_numpy().astype(np.int64)
    rater, label = _codes(distinct["rater"], raters), _codes(distinct["label"], counts.labels)
    C = np.bincount(pattern * k + label, minlength=P * k).reshape(P, k).astype(np.int64)
    answer = np.full((len(systems), P), -1, np.int64)
    by_system = answers.join(codes, on="pattern")
    system, position = _codes(by_system["system"], systems), by_system["code"].to_numpy()
    answer[system, position] = _codes(by_system["label"], counts.labels)
    days, row_day = np.unique(items["day"].to_numpy().astype("datetime64[D]"), return_inverse=True)
    row_pattern = items.join(codes, on="pattern", maintain_order="left")["code"].to_numpy().astype(np.int64)
    row_items = items["n_items"].to_numpy().astype(np.int64)
    n_items = np.bincount(row_pattern, weights=row_items, minlength=P).astype(np.int64)
    patterns = RatingPatterns(n_items, pattern, rater, label, len(raters), k)
    return CodedCounts(
        counts.labels, raters, systems, days, row_day, row_pattern, row_items, patterns, C, C.sum(axis=1), answer, codes
    )


def check_counts(counts: DailyCounts) -> None:
    """Raise StatsError for counts that contradict themselves."""
    tables = {
        "items": counts.items,
        "ratings": counts.ratings,
        "answers": counts.answers,
        "durations": counts.durations,
    }
    for name, table in tables.items():
        if sum(table.null_count().row(0)):
            raise StatsError(f"The table {name} has a null. Leave out items without a day and ratings without a label.")
    for name, table, who in (("ratings", counts.ratings, "rater"), ("answers", counts.answers, "system")):
        unknown = sorted(set(table["label"].unique()) - set(counts.labels))
        if unknown:
            raise StatsError(f"The {name} hold the label {list_names(unknown)}, which is not declared. Declare it.")
        if table.select("pattern", who).is_duplicated().any():
            raise StatsError(f"A {who} has two labels in one pattern. Keep the rating that counts.")
    if counts.items.join(counts.ratings, on="pattern", how="anti").height:
        raise StatsError("A pattern has items but no human rating. Count items with a human rating only.")


def _pattern_codes(used: pl.DataFrame, ratings: pl.DataFrame, answers: pl.DataFrame) -> pl.DataFrame:
    """Return (pattern, code): the position of each pattern when they are sorted by content. Equal patterns share it."""
    content = pl.concat(
        [
            table.select("pattern", pl.concat_str(pl.lit(kind), who, "label", separator="\0").alias("content"))
            for kind, table, who in (("rating", ratings, "rater"), ("answer", answers, "system"))
        ]
    )
    texts = content.sort("content").group_by("pattern", maintain_order=True).agg(pl.col("content").str.join("\1"))
    position = (pl.col("content").rank("dense").cast(pl.Int64) - 1).alias("code")
    return used.join(texts, on="pattern").select("pattern", position)


def _codes(names: pl.Series, all_names: tuple[str, ...]) -> IntArray:
    """Return the position of each name in `all_names`."""
    codes = names.replace_strict(list(all_names), list(range(len(all_names))), return_dtype=pl.Int64)
    return codes.to_numpy().astype(np.int64)
