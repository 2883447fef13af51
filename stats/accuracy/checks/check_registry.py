"""Register the checks, and run all of them on one question's ratings."""

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
from stats.accuracy.prepared_ratings import frame_of
from stats.errors import StatsError
from stats.unnamed import DETAIL, UNNAMED, name_nobody

CHECKS: dict[str, Callable[[CheckInputs], list[CheckFinding]]] = {
    pairs_check.NAME: pairs_check.run,
    adjacent_check.NAME: adjacent_check.run,
    raters_check.NAME: raters_check.run,
    difficulty_check.NAME: difficulty_check.run,
    copying_check.NAME: copying_check.run,
    alike_check.NAME: alike_check.run,
}
BY_NAME = (raters_check.NAME, copying_check.NAME, alike_check.NAME)
"""The checks that compare single raters, which votes without names do not allow."""
CHECK_REPLICATES = 499

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
    replicates: int = CHECK_REPLICATES,
) -> pl.DataFrame:
    """Check whether the ratings agree with the assumptions: equal raters, even errors, equal items, no copying.

    `ratings` holds human raters and, if `systems` names any, systems. It has the text columns item, rater, label, and
    one row per (item, rater). The checks are those of CHECKS. Pairs, adjacent (with a `scale` other than nominal),
    raters and difficulty have one row each and concern the human raters. Copying has a row for each system and rater,
    alike one for each two raters. `replicates` sets of ratings are simulated from the one-coin model with `seed`.

    Columns: name, system, rater, other (null unless the row is about them), statistic, p_value in (0, 1] of this test
    alone, p_adjusted for all tests of the question (`stats.accuracy.checks.verdicts`), effect (each check's measure of
    size, defined in its module), reason, detail, violated.

    `violated` is true if p_adjusted is below .05 and the effect is large enough to matter. It is null if something else
    explains the finding equally well: for copying, several systems point to one rater, or that rater is the best one.
    `detail` says what was found and how it changes the estimate. If a check cannot be made, statistic, p values, effect
    and violated are null. A reason and a sentence in detail say why.

    If all assumptions hold, at most 5 % of the questions have a violation. `replicates` limits how small p can be: with
    fewer than 199 a single violation may not be found.

    Raises StatsError for an unknown system or scale, fewer than two labels, replicates below 19, and ratings that
    `stats.counts` refuses.

    >>> frame = pl.DataFrame({"item": list("112233"), "rater": list("ababab"), "label": list("AABBAB")})
    >>> assumption_checks(frame, labels=["A", "B"])["reason"].unique().sort().to_list()
    ['not_applicable', 'too_few_raters']
    """
    check_labels(labels)
    check_scale(scale)
    if systems:
        check_systems(frame_of(ratings), systems, labels)
    if replicates < 19:
        raise StatsError(f"A p value of .05 takes 19 simulated sets or more, found replicates {replicates}. Raise it.")
    inputs = check_inputs(
        ratings, labels=labels, systems=systems, ordered=scale != "nominal", seed=seed, replicates=replicates
    )
    unnamed = BY_NAME if name_nobody(inputs.raters) else ()
    findings = [_unnamed(name, systems) if name in unnamed else check(inputs) for name, check in CHECKS.items()]
    judged = verdicts([finding for several in findings for finding in several])
    return pl.DataFrame([asdict(verdict) for verdict in judged], schema=CHECKS_SCHEMA)


def _unnamed(name: str, systems: Sequence[str]) -> list[CheckFinding]:
    """Return why a check of single raters cannot be made: for copying in a row for each system."""
    if name != copying_check.NAME:
        return [CheckFinding(name, DETAIL, reason=UNNAMED)]
    return [CheckFinding(name, DETAIL, reason=UNNAMED, system=system) for system in systems]
