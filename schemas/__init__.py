"""The contracts between the stages, as pandera models; each class says what one row is.

pandera takes half a second to import: import this package inside the function that needs it.
"""

from collections.abc import Collection

import polars as pl
from pandera.errors import SchemaErrors

from schemas.common import Table
from schemas.comparisons import (
    AnnotatorTests,
    AssumptionChecks,
    LabelQuality,
    SystemDifferences,
    SystemsAgainstRaters,
)
from schemas.errors import ContractError
from schemas.ratings import Batches, Metadata, Ratings, Rejects
from schemas.results import AccuracyBins, Agreement, ItemConsensus, PairwiseAgreement, RaterQuality, SystemAccuracy

__all__ = ["SCHEMAS", "ContractError", "breaches", "check"]

SCHEMAS: dict[str, type[Table]] = {
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
}


def breaches(name: str, frame: pl.DataFrame, *, without: Collection[str] = ()) -> pl.DataFrame:
    """What in a frame breaks the contract `name`: columns index (null: the whole frame), column, check, failure_case.

    `without` names columns of the contract that the frame does not have yet (run_id, question). Empty if all is well.
    """
    schema = SCHEMAS[name].to_schema().remove_columns([*without])
    try:
        # an eager frame: of a lazy one pandera checks the column types only
        schema.validate(frame, lazy=True)
    except SchemaErrors as e:
        found: pl.DataFrame = e.failure_cases.select("index", "column", "check", "failure_case")
        return found
    return pl.DataFrame(schema={"index": pl.Int32, **dict.fromkeys(("column", "check", "failure_case"), pl.String)})


def check(name: str, frame: pl.DataFrame, *, without: Collection[str] = ()) -> pl.DataFrame:
    """The frame, if it keeps the contract `name`. Errors: ContractError with the first breaches."""
    found = breaches(name, frame, without=without)
    if found.is_empty():
        return frame
    first = "; ".join(
        f"row {row['index']}, {row['column']}: {row['check']}, found {str(row['failure_case'])[:100]}"
        for row in found.head(3).iter_rows(named=True)
    )
    raise ContractError(f"The {name} table breaks its contract {found.height} times: {first}.")
