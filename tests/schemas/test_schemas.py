"""The contracts: what they hold, what they refuse, and that they describe the warehouse's tables."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from schemas import ContractError
from schemas.contracts import SCHEMAS, breaches, check, check_results
from schemas.rating_columns import (
    MAX_ID_LENGTH,
    MAX_LABEL_LENGTH,
    METADATA,
    RATER_KINDS,
    RATINGS,
    REJECTS,
)
from tasks.formats.parsing.reject_rows import REASONS

DDL = Path(__file__).parents[2] / "warehouse" / "migrations"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
KEY = {"run_id": "r", "question": "q"}
INTERVAL = {"low": 0.4, "high": 0.6}
WINDOW = KEY | INTERVAL | {
    "period": "day", "period_start": NOW, "period_end": NOW, "batch_id": None, "n_items": 3, "confidence": 0.95,
    "too_few": False, "share": 0.5,
}  # fmt: skip

QUALITY = {name: value for name, value in WINDOW.items() if name != "share"} | {
    "n_shared": 3, "agreement_with_others": 0.7, "agreement_low": 0.5, "agreement_high": 0.9, "accuracy": 0.5,
    "se": 0.1, "reason": None, "detail": None,
}  # fmt: skip
GOOD: dict[str, dict[str, Any]] = {
    "ratings": {
        "question": "q", "item": "1", "rater": "a", "rater_kind": "human", "system_version": None, "label": "x",
        "rated_at": NOW, "score": None, "duration_s": 0.0, "source_ref": None, "row_number": 2,
    },
    "rejects": {"row_number": None, "column_name": None, "value": None, "reason": "ragged_row", "detail": "Cut."},
    "metadata": {"question": "q", "item": "1", "key": "k", "value": "v"},
    "batches": {
        "batch_id": "b", "source": None, "file_name": "f", "sha256": "0" * 64, "reader": "long", "status": "stored",
        "reason": None, "detail": None, "n_rows": 10, "n_ratings": 4, "n_unchanged": 3, "n_skipped": 2,
        "n_rejected": 1, "started_at": NOW, "ingested_at": NOW,
    },
    "agreement": KEY | INTERVAL | {
        "scope": "humans", "period": "day", "period_start": NOW, "period_end": NOW, "coefficient": "fleiss_kappa",
        "scale": "nominal", "weights": None, "interval_method": "normal", "confidence": 0.95, "estimate": 0.5,
        "se": 0.1, "p_value": 0.0, "observed": 0.7, "expected": 0.4, "n_items": 3, "n_raters": 2, "n_ratings": 6,
        "n_labels": 2, "reason": None, "detail": None, "too_few": False,
    },
    "pairwise_agreement": KEY | INTERVAL | {
        "rater_a": "a", "rater_b": "b", "coefficient": "cohen_kappa", "estimate": 0.5, "se": 0.1, "n_items": 3,
        "reason": None, "weighted_kappa": None, "weighted_low": None, "weighted_high": None,
    },
    "rater_quality": KEY | INTERVAL | {
        "rater": "a", "rater_kind": "human", "n_ratings": 3, "accuracy": 0.5, "agreement_with_others": 1.0,
        "reason": None, "detail": None, "n_gold": 0, "gold_origin": None,
    },
    "system_accuracy": KEY | INTERVAL | {
        "system": "s", "system_version": None, "method": "lehner", "accuracy": 0.5, "se": None, "confidence": 0.9,
        "outer_low": None, "outer_high": None, "spread_low": None, "spread_high": None, "n_items": 3, "n_gold": None,
        "gold_origin": None, "reason": None, "detail": None,
        "warnings": ["Few items."], "scope": "all",
    },
    "accuracy_bins": KEY | {
        "system": "s", "bin_low": 0.9, "bin_high": 1.0, "mean_posterior": 0.95, "n_items": 0, "agreement": None,
        "estimate": None,
    },
    "item_consensus": KEY | {"pattern_id": 1, "label": "x", "probability": 1.0, "entropy": 0.0, "expected_gain": 0.0,
        "n_ratings": 3, "method": "mixture"},
    "assumption_checks": KEY | {
        "name": "copying", "system": "s", "rater": "a", "other": None, "statistic": 1.0, "p_value": 0.5,
        "p_adjusted": 0.5, "effect": 0.0, "violated": False, "reason": None, "detail": "Nothing found.",
    },
    "system_differences": KEY | INTERVAL | {
        "system_a": "s", "version_a": None, "system_b": "t", "version_b": None, "difference": 0.5, "se": 0.1,
        "confidence": 0.9, "p_a_better": 1.0, "n_items": 3, "reason": None, "detail": None, "warnings": ["Few items."],
        "accuracy_a": 0.9, "accuracy_b": 0.4, "n_gold": 0,
    },
    "systems_against_raters": KEY | INTERVAL | {
        "system": "s", "compared_with": "best_rater", "rater": "a", "accuracy": 0.9, "rater_accuracy": 0.4,
        "difference": 0.5, "se": 0.1, "confidence": 0.9, "p_system_better": 1.0, "n_items": 3, "reason": None,
        "detail": None, "warnings": ["Few items."], "n_gold": 0,
    },
    "annotator_tests": KEY | {
        "system": "s", "winning_rate": 0.5, "advantage_probability": 0.9, "n_raters": 4, "passes": True,
        "reason": None, "detail": None, "n_gold": 0,
    },
    "label_quality": KEY | {
        "rater": "a", "rater_kind": "human", "label": "x", "precision": 0.5, "precision_low": 0.4,
        "precision_high": 0.6, "recall": 0.5, "recall_low": 0.4, "recall_high": 0.6, "n_given": 3, "n_expected": 2.5,
        "reason": None, "detail": None, "warnings": ["Few items."], "n_gold": 0,
    },
    "rater_scorecards": KEY | {
        "rater": "a", "n_ratings": 3, "n_items": 3, "confidence": 0.95, "agreement": 0.5, "agreement_low": 0.4,
        "agreement_high": 0.6, "agreement_reason": None, "accuracy": None, "accuracy_low": None, "accuracy_high": None,
        "accuracy_reason": "too_few_raters", "n_gold": 0, "gold_accuracy": None, "gold_low": None, "gold_high": None,
        "gold_reason": "too_few_gold", "severity": None, "severity_low": None, "severity_high": None,
        "severity_reason": "not_applicable",
    },
    "rater_bias": KEY | INTERVAL | {
        "rater": "a", "label": "x", "n_items": 3, "confidence": 0.95, "own_share": 0.75, "others_share": 0.25,
        "bias": 0.5, "reason": None,
    },
    "label_rates": KEY | {
        "scope": "all", "system": "s", "system_version": "1", "label": "x", "method": "ppi", "estimate": 0.5,
        "low": 0.4, "high": 0.6, "outer_low": None, "outer_high": None, "confidence": 0.95, "n_items": 30, "n_gold": 5,
        "reason": None, "detail": None,
    },
    "label_rate_differences": KEY | {
        "system": "s", "version_a": "1", "version_b": "2", "label": "x", "method": "ppi", "difference": 0.1,
        "low": -0.1, "high": 0.3, "confidence": 0.95, "n_gold": 5, "reason": None, "detail": None,
    },
    "model_strengths": KEY | INTERVAL | {
        "model": "m1", "strength": 0.5, "se": 0.1, "confidence": 0.95, "rank": 1, "rank_low": 1, "rank_high": 2,
        "n_votes": 4, "n_wins": 2, "n_losses": 1, "n_ties": 1, "votes_of": "people", "interval_method": "clustered",
        "reason": None, "detail": None,
    },
    "preference_figures": KEY | INTERVAL | {
        "figure": "first_wins", "rater": None, "estimate": 0.5, "confidence": 0.95, "n_votes": 4,
        "n_comparisons": None, "reason": None, "detail": None,
    },
    "region_agreement": KEY | INTERVAL | {
        "rater_a": None, "rater_b": None, "label": None, "coefficient": "f1_exact", "estimate": 0.5, "se": 0.1,
        "confidence": 0.95, "interval_method": "jackknife", "n_items": 3, "n_raters": 2, "n_regions": 4,
        "reason": None, "detail": None,
    },
    "shared_errors": KEY | INTERVAL | {
        "correlation": 0.5, "confidence": 0.95, "raters_per_item": 3.0, "n_effective": 1.5, "n_effective_low": 1.4,
        "n_effective_high": 1.7, "n_items": 30, "reason": None, "detail": None,
    },
    "rater_windows": QUALITY | {"rater": "ann"},
    "system_windows": QUALITY | {"system": "bot"},
    "label_rate_windows": {key: value for key, value in WINDOW.items() if key != "share"} | {
        "system": "bot", "label": "x", "method": "model", "estimate": 0.5, "low": 0.4, "high": 0.6, "outer_low": 0.3,
        "outer_high": 0.7, "n_gold": 0, "reason": None, "detail": None,
    },
    "label_windows": WINDOW | {"label": "x", "n_ratings": 9},
    "region_windows": {key: value for key, value in WINDOW.items() if key != "share"} | {
        "label": None, "coefficient": "f1_exact", "estimate": 0.5, "se": 0.1, "interval_method": "jackknife",
        "n_raters": 2, "n_regions": 4, "reason": None, "detail": None,
    },
    "item_distances": KEY | {
        "item": "i", "rater_a": "ann", "rater_b": "ben", "label": None, "coefficient": "spearman", "value": 0.5,
        "weight": 1.0,
    },
    "label_confusion_windows": WINDOW | {"label_a": "x", "label_b": "y", "n_pairs": 9},
}  # fmt: skip


def frame(name: str, **changes: object) -> pl.DataFrame:
    types = {column: dtype.type for column, dtype in SCHEMAS[name].to_schema().dtypes.items()}
    return pl.DataFrame([GOOD[name] | changes], schema={column: types[column] for column in GOOD[name]})


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_good_row_passes_and_so_does_an_empty_table(name: str) -> None:
    good = frame(name)
    assert check(name, good) is good
    assert check(name, good.clear()).is_empty()


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_contract_says_what_one_row_is(name: str) -> None:
    assert str(SCHEMAS[name].__doc__).startswith("One row per ")


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_missing_column_breaks_it_and_a_further_one_does_not(name: str) -> None:
    good = frame(name)
    check(name, good.with_columns(extra=pl.lit(1)))
    for column in good.columns:
        assert breaches(name, good.drop(column)).height >= 1


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_wrong_type_breaks_it(name: str) -> None:
    good = frame(name)
    for column in good.columns:
        wrong = pl.lit(1.5) if good.schema[column] != pl.Float64 else pl.lit("x")
        assert breaches(name, good.with_columns(wrong.alias(column))).height >= 1


@pytest.mark.parametrize("name", SCHEMAS)
def test_no_float_may_be_nan_or_infinite(name: str) -> None:
    for column in (column for column, dtype in frame(name).schema.items() if dtype.is_float()):
        for value in (float("nan"), float("inf"), float("-inf")):
            assert breaches(name, frame(name, **{column: value})).height >= 1


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("ratings", {"item": None}),
        ("ratings", {"item": ""}),
        ("ratings", {"rater": "x" * 1_001}),
        ("ratings", {"label": "x" * 4_001}),
        ("ratings", {"rater_kind": "crowd"}),
        ("ratings", {"duration_s": -0.1}),
        ("ratings", {"row_number": 0}),
        ("rejects", {"reason": None}),
        ("rejects", {"reason": "Not a code"}),
        ("rejects", {"value": "x" * 201}),
        ("rejects", {"detail": ""}),
        ("metadata", {"value": "x" * 2_001}),
        ("batches", {"n_rows": 11}),
        ("batches", {"n_skipped": -1, "n_rows": 7}),
        ("batches", {"status": "rejected"}),
        ("batches", {"reason": "unreadable"}),
        ("batches", {"sha256": "abc"}),
        ("agreement", {"estimate": None}),
        ("agreement", {"reason": "too_few_items"}),
        ("agreement", {"estimate": 1.01}),
        ("agreement", {"se": -0.1}),
        ("agreement", {"low": 0.7}),
        ("agreement", {"scale": "cardinal"}),
        ("agreement", {"period": "year"}),
        ("agreement", {"scope": "label:"}),
        ("agreement", {"confidence": 1.0}),
        ("agreement", {"p_value": 1.1}),
        ("pairwise_agreement", {"estimate": None}),
        ("pairwise_agreement", {"rater_b": "a"}),
        ("rater_quality", {"accuracy": 1.1}),
        ("rater_quality", {"accuracy": None}),
        ("rater_quality", {"high": 0.3}),
        ("system_accuracy", {"accuracy": -0.1}),
        ("system_accuracy", {"accuracy": None}),
        ("system_accuracy", {"low": 0.9}),
        ("system_accuracy", {"outer_low": 0.95, "outer_high": 1.0}),
        ("system_accuracy", {"scope": "slice:lang"}),
        ("accuracy_bins", {"bin_low": -0.5}),
        ("accuracy_bins", {"n_items": -1}),
        ("item_consensus", {"probability": 1.5}),
        ("item_consensus", {"entropy": -0.5}),
    ],
)
def test_what_breaks_a_contract(name: str, changes: dict[str, object]) -> None:
    assert breaches(name, frame(name, **changes)).height >= 1
    with pytest.raises(ContractError, match=f"The {name} table breaks its contract"):
        check(name, frame(name, **changes))


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("agreement", {"estimate": None, "reason": "zero_denominator", "low": None, "high": None}),
        ("agreement", {"estimate": 1.0 + 1e-12, "high": None}),
        ("agreement", {"scope": "slice:lang=de", "estimate": -1.3, "low": -2.0}),
        ("agreement", {"scope": "label:x"}),
        ("agreement", {"scope": "label:two\nlines"}),
        ("label_rates", {"scope": "version:two\nlines"}),
        ("system_accuracy", {"accuracy": None, "reason": "not_identified", "warnings": None}),
        ("system_accuracy", {"scope": "slice:lang=de"}),
        ("system_accuracy", {"scope": "slice:lang=two\nlines"}),
        ("batches", {"status": "rejected", "reason": "unreadable"}),
    ],
)
def test_what_is_allowed(name: str, changes: dict[str, object]) -> None:
    check(name, frame(name, **changes))


def test_columns_that_come_later_can_be_left_out() -> None:
    check("agreement", frame("agreement").drop("run_id", "question"), without=("run_id", "question"))


def test_results_may_lack_columns_that_are_null() -> None:
    whole = frame("system_accuracy", accuracy=None, low=None, high=None, reason="not_identified", warnings=None)
    results = whole.drop("run_id", "question", "se", "warnings").with_columns(spread_low=pl.lit(None))
    stored = check_results("system_accuracy", results)
    assert stored.select("se", "warnings", "spread_low").equals(whole.select("se", "warnings", "spread_low"))
    with pytest.raises(ContractError, match="found n_items"):
        check_results("system_accuracy", results.drop("n_items"))


def test_a_breach_names_the_row_the_column_and_the_value() -> None:
    two = pl.concat([frame("ratings"), frame("ratings", rater_kind="crowd")])
    found = breaches("ratings", two)
    assert found.select("index", "column", "failure_case").rows() == [(1, "rater_kind", "crowd")]
    with pytest.raises(ContractError, match=r"row 1, rater_kind: .*, found crowd"):
        check("ratings", two)


def test_contracts_and_readers_mean_the_same_columns() -> None:
    for name, columns in (("ratings", RATINGS), ("rejects", REJECTS), ("metadata", METADATA)):
        assert frame(name).schema == pl.Schema(columns)


def test_limits_are_those_of_validation() -> None:
    check("ratings", frame("ratings", rater="x" * MAX_ID_LENGTH, label="x" * MAX_LABEL_LENGTH))
    assert all(re.fullmatch(r"[a-z_]+", reason) for reason in REASONS)
    for kind in RATER_KINDS:
        check("ratings", frame("ratings", rater_kind=kind))


@pytest.mark.parametrize("name", [name for name in SCHEMAS if name not in ("ratings", "rejects", "metadata")])
def test_a_contract_has_no_column_that_the_warehouse_lacks(name: str) -> None:
    ddl = "\n".join(path.read_text(encoding="utf-8") for path in sorted(DDL.glob("*.sql")))
    stored = {"item_consensus": "internal.pattern_consensus"}.get(name, name)  # the first is a view by item
    body = re.search(rf"create table {stored} \((.*?)\n\);", ddl, re.DOTALL)
    assert body
    columns = set(re.findall(r"^    (\w+) ", body[1], re.MULTILINE))
    columns |= {"question"} if "question_id" in columns else set()
    columns |= set(re.findall(rf"^alter table {stored} add column (\w+) ", ddl, re.MULTILINE))
    assert set(GOOD[name]) <= columns
