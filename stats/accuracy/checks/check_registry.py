"""Every check, by name, and what a caller asks for: all of them on one question's ratings."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import polars as pl

from stats.accuracy.arguments import check_labels, check_scale, check_systems
from stats.accuracy.checks import (
    adjacent_check,
    alike_check,
    copying_check,
    difficulty_check,
    pairs_check,
    raters_check,
)
from stats.accuracy.checks.check_inputs import CheckInputs, check_inputs
from stats.accuracy.checks.finding import CheckFinding
from stats.accuracy.checks.verdicts import verdicts
from stats.errors import StatsError
from stats.ratings import polars_frame

CHECKS: dict[str, Callable[[CheckInputs], list[CheckFinding]]] = {
    pairs_check.NAME: pairs_check.run,
    adjacent_check.NAME: adjacent_check.run,
    raters_check.NAME: raters_check.run,
    difficulty_check.NAME: difficulty_check.run,
    copying_check.NAME: copying_check.run,
    alike_check.NAME: alike_check.run,
}
REPLICATES = 499

CHECKS_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "name": pl.String,
    "system": pl.String,
    "rater": pl.String,
    "other": pl.String,
    "statistic": pl.Float64,
    "p_value": pl.Float64,
    "p_adjusted": pl.Float64,
    "effect": pl.Float64,
    "reason": pl.String,
    "detail": pl.String,
    "violated": pl.Boolean,
}


def assumption_checks(
    ratings: Any,
    *,
    labels: Sequence[str],
    scale: str = "nominal",
    systems: Sequence[str] = (),
    seed: int = 0,
    replicates: int = REPLICATES,
) -> pl.DataFrame:
    """Whether the ratings look as the estimators assume: raters equal, errors even, items alike, nobody copies.

    `ratings` holds human raters and, if `systems` names any, systems: text columns item, rater, label, one row per
    (item, rater). Checks of CHECKS: pairs, adjacent (with a `scale` other than nominal), raters and difficulty, one
    row each, are of the human raters; copying has a row for each system and rater, alike one for each two raters.
    `replicates` sets of ratings are simulated from the one-coin model with `seed`.

    Columns: name, system, rater, other (null unless the row is about them), statistic, p_value in (0, 1] of this test
    alone, p_adjusted for all tests of the question (`stats.accuracy.checks.verdicts`), effect (each check's own measure
    of size, in its module), reason, detail, violated. `violated` says that p_adjusted is below .05 and the effect large
    enough to matter; it is null where something else explains the finding as well (copying: several systems point to
    one rater, or he is the best one). `detail` says what was found, and what that does to the estimate. Where a check
    cannot be made, statistic, p values, effect and violated are null, with a reason and a sentence in detail.

    On at most 5 % of the questions on which all assumptions hold anything is violated. `replicates` limits how small p
    can be: with fewer than 199 a single violation may go unseen.

    Raises StatsError for an unknown system or scale, fewer than two labels, replicates below 19, and ratings that
    `stats.counts` refuses.

    >>> frame = pl.DataFrame({"item": list("112233"), "rater": list("ababab"), "label": list("AABBAB")})
    >>> assumption_checks(frame, labels=["A", "B"])["reason"].unique().sort().to_list()
    ['not_applicable', 'too_few_raters']
    """
    ratings = polars_frame(ratings)
    check_labels(labels)
    check_scale(scale)
    if systems:
        check_systems(ratings, systems, labels)
    if replicates < 19:
        raise StatsError(f"A p value of .05 takes 19 simulated sets or more, found replicates {replicates}. Raise it.")
    given = check_inputs(
        ratings, labels=labels, systems=systems, ordered=scale != "nominal", seed=seed, replicates=replicates
    )
    found = verdicts([finding for check in CHECKS.values() for finding in check(given)])
    return pl.DataFrame([asdict(verdict) for verdict in found], schema=CHECKS_SCHEMA)
