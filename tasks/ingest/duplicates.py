"""Apply the rule of a question for several ratings of one item by one rater.

`repeats` is applied here for the warehouse and for single files. The other three rules are applied by the warehouse to
what it stores (warehouse/queries/storing/06_choose_current.sql), and by `choose_current` to the ratings of one file.
One table of cases tests both: tests/duplicate_cases.py.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import polars as pl

from schemas.rating_columns import DUPLICATE_RULES, IS_HUMAN
from tasks.errors import ReadError

RULES = (*DUPLICATE_RULES, "repeats")
SAME = ("question", "item", "rater")
VERSION = (*SAME, "label", "system_version")
FURTHER_READING = re.compile(r"(.+) #[0-9]+", re.DOTALL)  # as `number_repeats` names them
TIMELINE = ("counts_from", "given_at", "place")
A_DAY = timedelta(days=1)  # a local time without its zone is up to 14 hours ahead


@dataclass(frozen=True)
class DuplicateRule:
    """The rule of one question. `once` names its systems and gold raters; their ratings are never repeats."""

    rule: str = "latest"
    once: frozenset[str] = frozenset()


def rules_of_warehouse(rules: Mapping[str, DuplicateRule]) -> dict[str, str]:
    """Return the rules for the warehouse, without `repeats`.

    Repeats are stored as separate raters (see `number_repeats`), so the default rule applies to them.
    """
    return {question: rule.rule for question, rule in rules.items() if rule.rule != "repeats"}


def number_repeats(ratings: pl.DataFrame, rules: Mapping[str, DuplicateRule]) -> pl.DataFrame:
    """Rename raters who rated an item several times in this file, where the rule is `repeats`.

    The second rating of an item by a human rater is by 'NAME #2', the third by 'NAME #3', and so on. Ratings are
    ordered by time, then by row; those without a time come last. Raises ReadError if the file has a rater of that name.

    >>> rated = pl.DataFrame({"question": "q", "item": "1", "rater": ["ann", "bob", "ann"], "rater_kind": "human",
    ...                       "rated_at": None, "row_number": [2, 3, 4]})
    >>> number_repeats(rated, {"q": DuplicateRule("repeats")})["rater"].to_list()
    ['ann', 'bob', 'ann #2']
    """
    repeated = {question: rule for question, rule in rules.items() if rule.rule == "repeats"}
    if not repeated or ratings.is_empty():
        return ratings
    ratings = ratings.with_columns(pl.col("rater").cast(pl.String))  # the ratings of a large file are Categorical
    counts = (
        pl.any_horizontal(
            (pl.col("question") == question) & ~pl.col("rater").is_in(sorted(rule.once))
            for question, rule in repeated.items()
        )
        & IS_HUMAN
    )
    number = pl.int_range(1, pl.len() + 1).over(SAME)
    name = pl.when(counts & (number > 1)).then(pl.format("{} #{}", "rater", number)).otherwise("rater")
    by_time = ratings.with_row_index("place").sort("rated_at", "row_number", "place", nulls_last=True)
    numbered = by_time.with_columns(name.alias("numbered")).sort("place").drop("place")
    new = numbered.filter(pl.col("numbered") != pl.col("rater")).select("question", rater="numbered").unique()
    if (name_clashes := new.join(ratings, on=["question", "rater"], how="semi")).height:
        question, rater = name_clashes.sort("question", "rater").row(0)
        raise ReadError(
            f"The file has a rater {rater!r}, but repeated ratings of {question!r} get this name.",
            "Rename the rater, or choose another rule for `duplicates` in kappaflow.toml.",
        )
    return numbered.with_columns(rater="numbered").drop("numbered")


def readings_of(raters: Iterable[str]) -> dict[str, str]:
    """Return the further readings among raters, as `number_repeats` names them, each with its annotator.

    >>> readings_of(["ann", "ann #2", "vote #1"])
    {'ann #2': 'ann'}
    """
    names = set(raters)
    person_of = {name: match[1] for name in sorted(names) if (match := FURTHER_READING.fullmatch(name))}
    return {name: person for name, person in person_of.items() if person in names}


def repeats_note(raters: Iterable[str]) -> tuple[str, ...]:
    """Say that further readings by an annotator count as raters, if there are any."""
    names = set(raters)
    readings = [*readings_of(names)]
    if not readings:
        return ()
    shown = ", ".join(readings[:6]) + (" ..." if len(readings) > 6 else "")
    return (
        f"{len(names):,} raters are {len(names) - len(readings):,} annotators: further readings ({shown}) count as"
        " raters. So agreement and accuracies include how far annotators agree with themselves.",
    )


@dataclass(frozen=True)
class ChosenRatings:
    """The ratings of one file that count: one per question, item and rater.

    n_other: the versions that the rule passed over; `error` rejects them. n_repeated: rows that repeat a rating.
    """

    current: pl.DataFrame
    rule: str
    n_other: int = 0
    n_repeated: int = 0


def choose_current(ratings: pl.DataFrame, rule: str, *, now: datetime) -> ChosenRatings:
    """Choose the rating that counts where a rater rated an item several times in one file.

    `latest` keeps the newest by time, `first` the oldest, `error` the first row. A rating without a time counts as
    given now, and one in the future as given now, too. If one is more than a day ahead, and the newest of the
    others has the same label, the date was wrong, and `latest` keeps that other one. Ratings of the same time count
    in the order of their rows. A row that repeats a rating is not a new version: the same label at the same time,
    or without a time the label before.
    With `repeats` each rating counts (see `number_repeats`), and what is left is chosen as by `latest`.

    >>> rated = pl.DataFrame({"question": "q", "item": "1", "rater": "ann", "label": ["A", "B"], "rated_at": None,
    ...                       "system_version": None, "row_number": [1, 2]})
    >>> [choose_current(rated, rule, now=datetime(2026, 3, 1)).current["label"].item() for rule in DUPLICATE_RULES]
    ['B', 'A', 'A']
    """
    several = ratings.select(pl.struct(SAME).is_duplicated()).to_series()
    if not several.any():
        return ChosenRatings(ratings, rule)
    versions = _versions(ratings.with_row_index("place").filter(several), now)
    order = {"first": TIMELINE, "error": ("place",)}.get(rule)
    ranked = versions.sort(order, maintain_order=True) if order else _latest_first(versions)
    current = ranked.unique(SAME, keep="first", maintain_order=True)
    kept = ratings.with_row_index("place").filter(~several | pl.col("place").is_in(current["place"].implode()))
    n_repeated = int(several.sum()) - versions.height
    return ChosenRatings(kept.drop("place"), rule, versions.height - current.height, n_repeated)


def _versions(rows: pl.DataFrame, now: datetime) -> pl.DataFrame:
    """Return the rows that are versions of a rating: without those that repeat another one."""
    at = pl.col("rated_at").cast(pl.Datetime("us", "UTC"))
    moment = pl.lit(now).cast(pl.Datetime("us", "UTC"))
    given_at = at.fill_null(moment)
    rows = rows.with_columns(
        given_at=given_at,
        counts_from=pl.min_horizontal(given_at, moment),
        is_far_ahead=(at > moment + A_DAY).fill_null(value=False),
    )
    said_first = pl.int_range(pl.len()).over(*VERSION, "rated_at") == 0
    rows = rows.sort("place").filter(pl.col("rated_at").is_null() | said_first).sort(*TIMELINE)
    label, version = pl.col("label").cast(pl.String), pl.col("system_version").cast(pl.String)
    as_before = (label == label.shift().over(SAME)) & version.eq_missing(version.shift().over(SAME))
    return rows.filter(~(pl.col("rated_at").is_null() & as_before.fill_null(value=False)))


def _latest_first(versions: pl.DataFrame) -> pl.DataFrame:
    """Sort the versions, the newest first. Those whose date was wrong come last."""
    newest = versions.sort(TIMELINE, descending=True, maintain_order=True)
    plausible = newest.filter(pl.col("rated_at").is_not_null() & ~pl.col("is_far_ahead"))
    last_plausible = plausible.unique(SAME, keep="first", maintain_order=True).select(*VERSION, says_the_same=True)
    joined = newest.join(last_plausible, on=VERSION, how="left", nulls_equal=True, maintain_order="left")
    has_wrong_date = pl.col("is_far_ahead") & pl.col("says_the_same").fill_null(value=False)
    return joined.sort(has_wrong_date, maintain_order=True)
