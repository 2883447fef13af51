"""Compute the tables on systems that need two human raters or more: bins, checks, comparisons with the raters."""

from typing import Any

import polars as pl

from stats.accuracy import (
    Annotators,
    PreparedRatings,
    alternative_annotator_test,
    assumption_checks,
    better_than_raters,
    bins,
)
from stats.accuracy.checks.check_registry import CHECKS_SCHEMA
from stats.accuracy.comparison.alternative_annotator import TEST_SCHEMA
from stats.accuracy.comparison.better_than_raters import BETTER_SCHEMA
from stats.accuracy.systems import BINS_SCHEMA

SCHEMAS: dict[str, dict[str, Any]] = {
    "bins": BINS_SCHEMA,
    "checks": CHECKS_SCHEMA,
    "against_raters": BETTER_SCHEMA,
    "annotator_test": TEST_SCHEMA,
}
Tables = dict[str, pl.DataFrame]


def no_rater_tables() -> Tables:
    """Return the tables without rows, for fewer than two human raters."""
    return {name: pl.DataFrame(schema=schema) for name, schema in SCHEMAS.items()}


def rater_tables(
    prepared_ratings: PreparedRatings,
    compared: PreparedRatings,
    raters: Annotators,
    gold: pl.DataFrame | None,
    options: dict[str, Any],
) -> Tables:
    """Return bins, checks, against_raters and annotator_test.

    `compared` are the ratings with the systems that are compared with the raters. `options`: scale, confidence, seed.
    """
    subset: dict[str, Any] = {"systems": prepared_ratings.systems, "labels": prepared_ratings.labels}
    return {
        "bins": bins(prepared_ratings, **subset),
        "checks": assumption_checks(prepared_ratings, **subset, scale=options["scale"], seed=options["seed"]),
        "against_raters": better_than_raters(
            compared, systems=compared.systems, labels=prepared_ratings.labels, gold=gold, raters=raters, **options
        ),
        "annotator_test": alternative_annotator_test(prepared_ratings, gold=gold, **subset),
    }
