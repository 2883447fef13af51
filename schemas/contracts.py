"""Check frames against their contracts: the pandera model of each table.

pandera takes half a second to import: import this module inside the function that needs it.
"""

from collections.abc import Collection
from functools import cache

import pandera.polars as pa
import polars as pl
from pandera.errors import SchemaErrors

from schemas import ContractError
from schemas.common import Contract
from schemas.comparisons import (
    AnnotatorTests,
    AssumptionChecks,
    LabelQuality,
    LabelRateDifferences,
    LabelRates,
    SharedErrors,
    SystemDifferences,
    SystemsAgainstRaters,
)
from schemas.preferences import ModelStrengths, PreferenceFigures
from schemas.ratings import Batches, Metadata, Ratings, Rejects
from schemas.regions import ItemDistances, RegionAgreement, RegionWindows
from schemas.results import AccuracyBins, Agreement, ItemConsensus, PairwiseAgreement, RaterQuality, SystemAccuracy
from schemas.scorecards import RaterBias, RaterScorecards
from schemas.whole_check import keeps
from schemas.windows import LabelConfusionWindows, LabelRateWindows, LabelWindows, RaterWindows, SystemWindows

SCHEMAS: dict[str, type[Contract]] = {
    "ratings": Ratings,
    "rejects": Rejects,
    "metadata": Metadata,
    "batches": Batches,
    "agreement": Agreement,
    "pairwise_agreement": PairwiseAgreement,
    "rater_quality": RaterQuality,
    "system_accuracy": SystemAccuracy,
    "accuracy_bins": AccuracyBins,
    "item_consensus": ItemConsensus,
    "assumption_checks": AssumptionChecks,
    "system_differences": SystemDifferences,
    "systems_against_raters": SystemsAgainstRaters,
    "annotator_tests": AnnotatorTests,
    "label_quality": LabelQuality,
    "rater_scorecards": RaterScorecards,
    "rater_bias": RaterBias,
    "label_windows": LabelWindows,
    "label_confusion_windows": LabelConfusionWindows,
    "rater_windows": RaterWindows,
    "system_windows": SystemWindows,
    "label_rate_windows": LabelRateWindows,
    "label_rates": LabelRates,
    "label_rate_differences": LabelRateDifferences,
    "model_strengths": ModelStrengths,
    "preference_figures": PreferenceFigures,
    "region_agreement": RegionAgreement,
    "shared_errors": SharedErrors,
    "region_windows": RegionWindows,
    "item_distances": ItemDistances,
}


def breaches(name: str, frame: pl.DataFrame, *, without: Collection[str] = ()) -> pl.DataFrame:
    """List what in a frame breaks the contract `name`: index (null: the whole frame), column, check, failure_case.

    `without` names columns of the contract that the frame does not have yet (run_id, question). Empty if nothing breaks
    the contract.
    """
    schema = _schema(name, frozenset(without))
    try:
        if not keeps(schema, frame):
            # An eager frame: of a lazy one pandera checks only the column types.
            schema.validate(frame, lazy=True)
    except SchemaErrors as error:
        cases: pl.DataFrame = error.failure_cases.select("index", "column", "check", "failure_case")
        return cases
    return pl.DataFrame(schema={"index": pl.Int32, **dict.fromkeys(("column", "check", "failure_case"), pl.String)})


def check(name: str, frame: pl.DataFrame, *, without: Collection[str] = ()) -> pl.DataFrame:
    """Return the frame if it keeps the contract `name`. Raises ContractError with the first breaches."""
    cases = breaches(name, frame, without=without)
    if cases.is_empty():
        return frame
    first = "; ".join(
        f"row {row['index']}, {row['column']}: {row['check']}, found {str(row['failure_case'])[:100]}"
        for row in cases.head(3).iter_rows(named=True)
    )
    raise ContractError(f"The {name} table breaks its contract {cases.height} times: {first}.")


def check_results(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    """Check a result table before it is stored, without run_id and question. Errors: as `check`.

    Nullable columns that are missing, or null in every row whatever their type, are returned as typed nulls.
    """
    later = ("run_id", "question")
    columns, types = _schema(name, frozenset(later)).columns, frame.schema
    absent = [column for column in columns if types.get(column, pl.Null) == pl.Null]
    nulls = [pl.lit(None, columns[column].dtype.type).alias(column) for column in absent if columns[column].nullable]
    return check(name, frame.with_columns(nulls), without=later)


@cache
def _schema(name: str, without: frozenset[str]) -> pa.DataFrameSchema:
    return SCHEMAS[name].to_schema().remove_columns([*without])
