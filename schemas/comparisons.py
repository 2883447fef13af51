"""Contracts of the result tables about systems: assumption checks, and comparisons with other systems and raters."""

from typing import Any

import pandera.polars as pa
import polars as pl

from schemas.common import SHARE, DetailContract, IntervalContract, OuterIntervalContract, ResultContract

DIFFERENCE: dict[str, Any] = {"ge": -1.0, "le": 1.0}


class AssumptionChecks(DetailContract):
    """One row per run, question, check, and the system or raters it concerns."""

    _figure = "p_value"

    name: str
    system: str = pa.Field(nullable=True)
    rater: str = pa.Field(nullable=True)
    other: str = pa.Field(nullable=True)
    statistic: float = pa.Field(nullable=True)
    p_value: float = pa.Field(nullable=True, **SHARE)
    p_adjusted: float = pa.Field(nullable=True, **SHARE)
    effect: float = pa.Field(nullable=True)
    violated: bool = pa.Field(nullable=True)
    detail: str


class DifferenceContract(DetailContract):
    """A table of differences between two shares."""

    _figure = "difference"

    difference: float = pa.Field(nullable=True, **DIFFERENCE)
    low: float = pa.Field(nullable=True, **DIFFERENCE)
    high: float = pa.Field(nullable=True, **DIFFERENCE)
    confidence: float = pa.Field(gt=0, lt=1)


class SystemDifferences(IntervalContract, DifferenceContract):
    """One row per run, question and two systems, or two versions of one."""

    system_a: str
    version_a: str = pa.Field(nullable=True)
    system_b: str
    version_b: str = pa.Field(nullable=True)
    se: float = pa.Field(nullable=True, ge=0)
    p_a_better: float = pa.Field(nullable=True, **SHARE)
    n_items: int = pa.Field(ge=0)
    warnings: pl.List = pa.Field(nullable=True, dtype_kwargs={"inner": pl.String})
    accuracy_a: float = pa.Field(nullable=True, **SHARE)
    accuracy_b: float = pa.Field(nullable=True, **SHARE)
    n_gold: int = pa.Field(nullable=True, ge=0)


class SystemsAgainstRaters(DifferenceContract):
    """One row per run, question, system and standard it is compared with: the average or the best rater."""

    system: str
    compared_with: str = pa.Field(isin=["average_rater", "best_rater"])
    rater: str = pa.Field(nullable=True)
    accuracy: float = pa.Field(nullable=True, **SHARE)
    rater_accuracy: float = pa.Field(nullable=True, **SHARE)
    se: float = pa.Field(nullable=True, ge=0)
    p_system_better: float = pa.Field(nullable=True, **SHARE)
    n_items: int = pa.Field(ge=0)
    warnings: pl.List = pa.Field(nullable=True, dtype_kwargs={"inner": pl.String})
    n_gold: int = pa.Field(nullable=True, ge=0)


class AnnotatorTests(DetailContract):
    """One row per run, question and system."""

    _figure = "winning_rate"

    system: str
    winning_rate: float = pa.Field(nullable=True, **SHARE)
    advantage_probability: float = pa.Field(nullable=True, **SHARE)
    n_raters: int = pa.Field(ge=0)
    passes: bool = pa.Field(nullable=True)
    n_gold: int = pa.Field(nullable=True, ge=0)


class LabelQuality(ResultContract):
    """One row per run, question, system or human rater, and label."""

    rater: str
    rater_kind: str = pa.Field(isin=["human", "system"])
    label: str
    precision: float = pa.Field(nullable=True, **SHARE)
    precision_low: float = pa.Field(nullable=True, **SHARE)
    precision_high: float = pa.Field(nullable=True, **SHARE)
    recall: float = pa.Field(nullable=True, **SHARE)
    recall_low: float = pa.Field(nullable=True, **SHARE)
    recall_high: float = pa.Field(nullable=True, **SHARE)
    n_given: int = pa.Field(ge=0)
    n_expected: float = pa.Field(nullable=True, ge=0)
    reason: str = pa.Field(nullable=True)
    detail: str = pa.Field(nullable=True)
    warnings: pl.List = pa.Field(nullable=True, dtype_kwargs={"inner": pl.String})
    n_gold: int = pa.Field(nullable=True, ge=0)


class LabelRates(OuterIntervalContract, DetailContract):
    """One row per run, question, scope, system, label and method."""

    scope: str = pa.Field(str_matches=r"(?s)^(all|slice:.+=.*|version:.*)$")
    system: str
    system_version: str = pa.Field(nullable=True)
    label: str
    method: str = pa.Field(isin=["ppi", "rogan_gladen", "gold_only", "model", "raw"])
    estimate: float = pa.Field(nullable=True, **SHARE)
    confidence: float = pa.Field(gt=0, lt=1)
    n_items: int = pa.Field(ge=0)
    n_gold: int = pa.Field(ge=0)


class LabelRateDifferences(DifferenceContract):
    """One row per run, question, system, two of its versions and label."""

    system: str
    version_a: str
    version_b: str
    label: str
    method: str = pa.Field(isin=["ppi"])
    n_gold: int = pa.Field(ge=0)


class SharedErrors(IntervalContract, DetailContract):
    """One row per run and question."""

    _figure = "correlation"

    correlation: float = pa.Field(nullable=True, **DIFFERENCE)
    low: float = pa.Field(nullable=True, **DIFFERENCE)
    high: float = pa.Field(nullable=True, **DIFFERENCE)
    confidence: float = pa.Field(gt=0, lt=1)
    raters_per_item: float = pa.Field(nullable=True, ge=1)
    n_effective: float = pa.Field(nullable=True, ge=0)
    n_effective_low: float = pa.Field(nullable=True, ge=0)
    n_effective_high: float = pa.Field(nullable=True, ge=0)
    n_items: int = pa.Field(ge=0)
