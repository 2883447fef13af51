"""Tables of how near the estimates of simulated studies come to the truth.

A run without an estimate (its raters agree no better than chance, or the method does not apply) is counted in
`n_undefined` and left out of everything else.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from flows.simulation.study import ALWAYS, Study

NEAR = 0.1  # an estimate within this distance of the expected accuracy counts as near

_ERROR = pl.col("estimate") - pl.col("expected_accuracy")
_IN_SAMPLE = pl.col("estimate") - pl.col("in_sample_accuracy")
_LOW, _HIGH, _EXPECTED = pl.col("low"), pl.col("high"), pl.col("expected_accuracy")


def closeness(frame: pl.DataFrame, studies: Sequence[Study]) -> pl.DataFrame:
    """Return one row per figure, system and method.

    Columns: figure, method, system_accuracy (the setting's own number), runs, n_undefined, expected_accuracy,
    mean_estimate, bias, rmse, within_0_1 (share within .1), in_sample_accuracy, bias_in_sample, rmse_in_sample, kappa,
    printed_kappa; and with intervals n_intervals, coverage of the expected accuracy, mean_width.
    """
    summaries = frame.group_by("figure", "system_accuracy", "method").agg(
        pl.len().alias("runs"),
        _mean(pl.col("expected_accuracy")),
        _mean(pl.col("in_sample_accuracy")),
        _mean(pl.col("estimate")).alias("mean_estimate"),
        *_distances(frame),
        _mean(pl.col("kappa")),
    )
    printed = pl.DataFrame(
        [(study.figure, study.printed_kappa) for study in studies],
        schema={"figure": pl.Int64, "printed_kappa": pl.Float64},
        orient="row",
    )
    joined = summaries.join(printed, on="figure", how="left", nulls_equal=True)
    first = ["figure", "method", "system_accuracy", "runs", "n_undefined", "expected_accuracy", "mean_estimate"]
    first += ["bias", "rmse", "within_0_1", "in_sample_accuracy", "bias_in_sample", "rmse_in_sample"]
    first += ["kappa", "printed_kappa"]
    rest = [name for name in joined.columns if name not in first]
    return joined.select(*first, *rest).sort("figure", "system_accuracy", "method")


def overall(frame: pl.DataFrame, methods: Sequence[str]) -> pl.DataFrame:
    """Return one row per method over all studies and systems, in the order of `methods`.

    Columns: method, rmse, ratio_to_lehner (of rmse), bias, within_0_1, rmse_in_sample, bias_in_sample, n_undefined,
    and with intervals n_intervals, coverage, mean_width. rmse, bias and within_0_1 are against the expected accuracy.
    """
    totals = frame.group_by("method").agg(*_distances(frame))
    standard = totals.filter(pl.col("method") == ALWAYS)["rmse"].item()
    ratio = (pl.col("rmse") / (standard or None)).alias("ratio_to_lehner")
    order = pl.col("method").replace_strict(list(methods), range(len(methods)), return_dtype=pl.Int64)
    return totals.select("method", "rmse", ratio, pl.exclude("method", "rmse")).sort(order)


def per_study(frame: pl.DataFrame, studies: Sequence[Study]) -> list[dict[str, Any]]:
    """Return one row per study: study, figure, kappa, printed_kappa, and each method's rmse under its name."""
    error = frame.group_by("figure", "method").agg(_mean(_ERROR.pow(2)).sqrt().alias("rmse"))
    errors = {(figure, method): rmse for figure, method, rmse in error.rows()}
    kappas = dict(frame.group_by("figure").agg(_mean(pl.col("kappa"))).rows())
    methods = frame["method"].unique(maintain_order=True).to_list()
    return [
        {
            "study": study.name,
            "figure": study.figure,
            "kappa": kappas[study.figure],
            "printed_kappa": study.printed_kappa,
            **{method: errors[study.figure, method] for method in methods},
        }
        for study in studies
    ]


def summary(frame: pl.DataFrame, study: Study, methods: Sequence[str]) -> dict[str, Any]:
    """Return one study for `--json`.

    {"figure", "runs", "kappa", "printed_kappa", "systems": [{"system_accuracy", "expected_accuracy", "method", "mean",
    "rmse"}], "overall": [...]}, and with intervals also "coverage" and "mean_width". rmse is against the expected
    accuracy. "overall" is over the systems.
    """
    study_frame = frame.filter(pl.col("figure").eq_missing(pl.lit(study.figure, pl.Int64)))
    rows = closeness(study_frame, [study]).rename({"mean_estimate": "mean"})
    names = ["system_accuracy", "expected_accuracy", "method", "mean", "rmse"]
    names += [name for name in ("coverage", "mean_width") if name in rows.columns]
    return {
        "figure": study.figure,
        "runs": study_frame["run"].n_unique(),
        "kappa": study_frame["kappa"].sort().mean(),
        "printed_kappa": study.printed_kappa,
        "systems": rows.select(names).to_dicts(),
        "overall": overall(study_frame, methods).to_dicts(),
    }


def as_json(
    frame: pl.DataFrame, studies: Sequence[Study], methods: Sequence[str], files: Sequence[Path]
) -> dict[str, Any]:
    """Return the value of `simulate --json`.

    For one study it is its `summary`, with "files" if files were written. For several it is {"figures": [summary, ...],
    "overall": [{"method", "rmse", "ratio_to_lehner", ...}], "files": [...]}.
    """
    written = [str(path.absolute()) for path in files]
    if len(studies) == 1:
        return summary(frame, studies[0], methods) | ({"files": written} if written else {})
    return {
        "figures": [summary(frame, study, methods) for study in studies],
        "overall": overall(frame, methods).to_dicts(),
        "files": written,
    }


def _distances(frame: pl.DataFrame) -> list[pl.Expr]:
    columns = [
        _mean(_ERROR.pow(2)).sqrt().alias("rmse"),
        _mean(_ERROR).alias("bias"),
        (_ERROR.abs() <= NEAR).mean().alias("within_0_1"),
        _mean(_IN_SAMPLE.pow(2)).sqrt().alias("rmse_in_sample"),
        _mean(_IN_SAMPLE).alias("bias_in_sample"),
        pl.col("estimate").null_count().cast(pl.Int64).alias("n_undefined"),
    ]
    if "low" not in frame.columns:
        return columns
    return [
        *columns,
        _LOW.count().cast(pl.Int64).alias("n_intervals"),
        _EXPECTED.is_between(_LOW, _HIGH).mean().alias("coverage"),
        _mean(_HIGH - _LOW).alias("mean_width"),
    ]


def _mean(values: pl.Expr) -> pl.Expr:
    """Return the mean of sorted values: polars adds in the order in which threads finish, and digits must repeat."""
    return values.sort().mean()
