"""Compute the agreement of one rater or system with the group of all others."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from stats.agreement.coefficients.coefficient import Coefficient
from stats.agreement.group.group_registry import GROUP_COEFFICIENTS, GroupCoefficient
from stats.agreement.group.group_tables import GroupTables, groups_of
from stats.agreement.inference.estimates import CoefficientEstimates, compute_estimates, figures_of
from stats.agreement.inference.interval_methods import ErrorOptions, check_error_options
from stats.agreement.inference.reason_sentences import detail_of
from stats.agreement.overall import SCHEMA as OVERALL
from stats.agreement.overall import weights_name
from stats.agreement.weights import LabelSetting, Weights, label_setting
from stats.counts import distinct_raters, long_patterns
from stats.defaults import REPLICATES
from stats.errors import StatsError, as_list
from stats.ratings import list_names

SCHEMA = pl.Schema({"name": pl.String(), "system": pl.String(), **OVERALL})


def against_group(
    ratings: Any,
    *,
    system: str | None = None,
    labels: Sequence[str],
    scale: str = "nominal",
    weights: Weights = None,
    coefficients: Sequence[str] | None = None,
    confidence: float = 0.95,
    interval_method: str = "t",
    replicates: int = REPLICATES,
    seed: int = 0,
    population: int | None = None,
) -> pl.DataFrame:
    """Compute how far a system, or each rater in turn, agrees with the group of all other raters.

    Returns one row per system and coefficient, sorted by system, then in the order of `coefficients` (None: all of
    GROUP_COEFFICIENTS). `system` is the name of a rater in the ratings. With None each rater in turn is compared with
    all others. To keep a rater out of the group, filter the ratings first. The other arguments and errors are those
    of `agreement`.

    All figures come from the items that the system and at least one other rated. The group of an item are the others
    who rated it. Errors treat the items as drawn at random and hold for these raters. Only mean_pairwise_kappa has a
    formula for its standard error; for the other coefficients `t` and `normal` become `jackknife`.

    The columns are system and those of `agreement` (see SCHEMA). n_items: items that enter; n_raters: others who
    rated one of them; n_ratings: their ratings and the system's. For shah_s and vanbelle_albert the estimate is
    (observed - expected) / (most - expected), and `detail` states the most that the group allows. An undefined figure
    is null with a reason: `too_few_raters` (no other rater; shah_s: fewer than two), `too_few_items` (fewer than two),
    `zero_denominator`, `not_applicable` (shah_s with weights).

    Raises StatsError for a `system` without ratings.

    >>> rows = [(i, r, l) for i, all in enumerate(["AAA", "ABA", "BBB", "BBA"]) for r, l in zip("xyz", all)]
    >>> ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> result = against_group(ratings, system="x", labels=["A", "B"])
    >>> result.select("name", pl.col("estimate").round(3)).rows()
    [('shah_s', 1.0), ('vanbelle_albert', 1.0), ('majority_kappa', 0.5), ('mean_pairwise_kappa', 0.5)]
    """
    chosen, setting = _chosen(coefficients), label_setting(labels, scale, weights)
    errors = check_error_options(confidence, interval_method, replicates, seed, population)
    raters = distinct_raters(ratings)
    if system is not None and system not in raters:
        raise StatsError(f"The system {system!r} gave none of these ratings. Name one of: {list_names(raters)}.")
    patterns = long_patterns(ratings, labels=labels, raters=raters)
    systems = range(len(raters)) if system is None else [raters.index(system)]
    rows = [
        {"system": raters[code], **row}
        for code, group in zip(systems, groups_of(patterns, systems), strict=True)
        for row in _rows(chosen, group, len(raters) - 1, setting, errors)
    ]
    return pl.DataFrame(rows, schema=SCHEMA)


def _chosen(names: Sequence[str] | None) -> list[GroupCoefficient]:
    if names is None:
        return list(GROUP_COEFFICIENTS.values())
    for name in as_list(names):
        if isinstance(names, str) or not isinstance(name, str) or name not in GROUP_COEFFICIENTS:
            raise StatsError(
                f"Coefficients against the group must be a list of names from {', '.join(GROUP_COEFFICIENTS)}, found "
                f"{name!r}. Leave them out for all."
            )
    return [GROUP_COEFFICIENTS[name] for name in dict.fromkeys(names)]


def _rows(
    chosen: list[GroupCoefficient], group: GroupTables, n_others: int, setting: LabelSetting, errors: ErrorOptions
) -> list[dict[str, Any]]:
    """Return the rows of one system. n_others counts all other raters, also those who share no item with it."""
    rows = []
    for in_group in chosen:
        coefficient, n_in_group = in_group.against(group), group.n_raters if group.n_raters else n_others
        tables = group.tables if n_in_group >= in_group.min_others else replace(group.tables, n_raters=1)
        results = compute_estimates(coefficient, tables, setting, errors)
        row = figures_of(results)
        row |= {"name": in_group.name, "scale": setting.scale, "weights": weights_name(coefficient, setting)}
        row |= {"interval_method": results.method, "confidence": errors.confidence}
        row |= {"n_items": int(group.tables.n[0]), "n_raters": group.n_raters, "n_ratings": group.n_ratings}
        row |= {"n_labels": group.tables.n_labels}
        row["detail"] = _detail(in_group, coefficient, results, group, n_in_group, setting)
        rows.append(row)
    return rows


def _detail(
    in_group: GroupCoefficient,
    coefficient: Coefficient,
    results: CoefficientEstimates,
    group: GroupTables,
    n_others: int,
    setting: LabelSetting,
) -> str | None:
    if results.reason[0] == "too_few_raters":
        return f"Needs at least {in_group.min_others} other rater{'s' * (in_group.min_others > 1)}, found {n_others}."
    if results.reason[0] == "too_few_items":
        others, n_shared = (
            ("one other", group.tables.n) if in_group.min_others == 1 else ("two others", group.tables.n_pairable)
        )
        return f"Needs at least 2 items that the system and {others} rated, found {int(n_shared[0])}."
    return detail_of(coefficient, results, group.tables, setting)
