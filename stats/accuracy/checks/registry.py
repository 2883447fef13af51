"""Every check, by name, and what a caller asks for: all of them on one question's ratings."""

from collections.abc import Callable, Sequence
from dataclasses import asdict

import polars as pl

from stats.accuracy.checks import adjacent, alike, copying, difficulty, pairs, raters
from stats.accuracy.checks.finding import Finding
from stats.accuracy.checks.material import Material, material
from stats.accuracy.valid import check_labels, check_scale, check_systems
from stats.errors import StatsError

CHECKS: dict[str, Callable[[Material], list[Finding]]] = {
    pairs.NAME: pairs.run,
    adjacent.NAME: adjacent.run,
    raters.NAME: raters.run,
    difficulty.NAME: difficulty.run,
    copying.NAME: copying.run,
    alike.NAME: alike.run,
}
REPLICATES = 499

CHECKS_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "name": pl.String,
    "system": pl.String,
    "rater": pl.String,
    "other": pl.String,
    "statistic": pl.Float64,
    "p_value": pl.Float64,
    "effect": pl.Float64,
    "reason": pl.String,
    "detail": pl.String,
    "violated": pl.Boolean,
}


def assumption_checks(
    ratings: pl.DataFrame,
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

    Columns: name, system, rater, other (null unless the row is about them), statistic, p_value in (0, 1], effect
    (each check's own measure of size, in its module), reason, detail, violated. p_value of copying and alike is
    Holm's, over the raters of a system and over the pairs. `violated` says that p is below .05 and the effect large
    enough to matter; `detail` what was found, and what that does to the estimate. Where a check cannot be made,
    statistic, p_value, effect and violated are null, with a reason and a sentence in detail.

    Raises StatsError for an unknown system or scale, fewer than two labels, replicates below 19, and ratings that
    `stats.counts` refuses.

    >>> frame = pl.DataFrame({"item": list("112233"), "rater": list("ababab"), "label": list("AABBAB")})
    >>> assumption_checks(frame, labels=["A", "B"])["reason"].unique().sort().to_list()
    ['not_applicable', 'too_few_raters']
    """
    check_labels(labels)
    check_scale(scale)
    if systems:
        check_systems(ratings, systems, labels)
    if replicates < 19:
        raise StatsError(f"A p value of .05 takes 19 simulated sets or more, found replicates {replicates}. Raise it.")
    given = material(
        ratings, labels=labels, systems=systems, ordered=scale != "nominal", seed=seed, replicates=replicates
    )
    found = [finding for check in CHECKS.values() for finding in check(given)]
    return pl.DataFrame([asdict(finding) for finding in found], schema=CHECKS_SCHEMA)
