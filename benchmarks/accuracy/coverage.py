"""How good the estimates of system accuracy are, and how often their intervals hold it: simulates both and writes
docs/accuracy-coverage.md.

Sets of ratings are drawn from the source paper's 14 settings and from others of its kind. The models are fitted to
many sets at once where the patterns of ratings are few; figures and intervals are made set by set.

    python -m benchmarks.accuracy.coverage              # a quarter of an hour on two cores
    python -m benchmarks.accuracy.coverage --sets 10    # a trial
"""

import argparse
import os
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.accuracy.coverage_page import PAGE, page
from benchmarks.accuracy.studies import Study, kinds, studies
from stats.accuracy import ESTIMATORS
from stats.accuracy.estimators import average, lehner
from stats.accuracy.fitting.estimator import Interval, SystemFit, SystemPatterns
from stats.accuracy.fitting.likelihood import fit_of
from stats.accuracy.models import dawid_skene, difficulty, one_coin, ordinal, pooled_free

SETS, SEED = 200, 20_261_121
CONFIDENCES = (0.9, 0.95)
BOOTSTRAPPED = ("lehner", "binless", "attenuation")
EVERY = 20  # one set in so many has its bootstrap intervals made
MODELS = {model.name: model for model in (one_coin.MODEL, pooled_free.MODEL, ordinal.MODEL, dawid_skene.MODEL)}
SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "setting": pl.Int64,
    "set": pl.Int64,
    "system": pl.Float64,
    "truth": pl.Float64,
    "kappa": pl.Float64,
    "method": pl.String,
    "estimate": pl.Float64,
    "se": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "low_95": pl.Float64,
    "high_95": pl.Float64,
    "warnings": pl.List(pl.String),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=SETS, help="sets of ratings per setting")
    parser.add_argument("--out", type=Path, default=PAGE, help="the page")
    parser.add_argument("--rows", type=Path, help="a Parquet file for every estimate")
    options = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # the workers are as many as the cores; they read it when they start
    started, everything = time.perf_counter(), kinds()
    tasks = [(number, options.sets) for number in reversed(range(len(everything)))]  # the longest come first
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as workers:
        frames = [_told(part, len(tasks)) for part in workers.map(run, tasks)]
    estimates = pl.concat(frames)
    if options.rows:
        estimates.write_parquet(options.rows)
    options.out.write_text(page(estimates, everything, EVERY), encoding="utf-8")
    print(f"{len(estimates):,} estimates in {time.perf_counter() - started:.0f} s")


def _told(part: pl.DataFrame, of: int) -> pl.DataFrame:
    kind = kinds()[part["setting"][0]]
    print(f"{part['setting'][0] + 1} of {of}: {kind.name}, {kind.setting.n_items} items", flush=True)
    return part


def run(task: tuple[int, int]) -> pl.DataFrame:
    """Every estimate of the setting of this number in `sets` sets of ratings."""
    number, sets = task
    kind = kinds()[number]
    rng = np.random.default_rng([SEED, number])
    rows = [{"setting": number, **row} for study in studies(kind, sets, rng) for row in estimates(study)]
    return pl.DataFrame(rows, schema=SCHEMA)


def estimates(study: Study) -> Iterator[dict[str, Any]]:
    """One row per method: estimate and intervals, null where undefined."""
    W = study.patterns[False].n_items[None, :].astype(np.float64)
    P_a = lehner.rater_figures(study.patterns[False].C, W).P_a
    kappa = float(lehner.kappa(P_a, study.patterns[False].n_labels)[0])
    shared = {"set": study.number, "system": study.system, "truth": study.truth, "kappa": kappa}
    for method, fitted in _fits(study):
        patterns = study.patterns[ESTIMATORS[method].by_rater]
        ends = _intervals(method, patterns, fitted, study.number)
        yield {**shared, "method": method, "estimate": fitted.accuracy, "warnings": list(fitted.warnings), **ends}


def _fits(study: Study) -> Iterator[tuple[str, SystemFit]]:
    for method in BOOTSTRAPPED:
        yield method, ESTIMATORS[method].fit(study.patterns[False])
    if study.data is None:
        yield from ((method, ESTIMATORS[method].fit(study.patterns[True])) for method in ("average", *MODELS))
        return
    yield "average", average.fit_data(study.patterns[True], study.data)
    level = difficulty.model_for(study.patterns[True])
    for name, model in {**MODELS, "difficulty": level}.items():
        if model.why_not(study.patterns[True]) is None:
            yield name, fit_of(model, study.data, 0)


def _intervals(method: str, patterns: SystemPatterns, fitted: SystemFit, number: int) -> dict[str, float | None]:
    interval = ESTIMATORS[method].interval
    if method in BOOTSTRAPPED:
        limits = Interval(None, None, None) if number % EVERY else interval(patterns, fitted, 0.9, number)
        return {"se": limits.se, "low": limits.low, "high": limits.high}
    if fitted.logit_error is not None:
        fitted = replace(fitted, logit_error=cache(fitted.logit_error))
    narrow, wide = (interval(patterns, fitted, confidence, number) for confidence in CONFIDENCES)
    return {"se": narrow.se, "low": narrow.low, "high": narrow.high, "low_95": wide.low, "high_95": wide.high}


if __name__ == "__main__":
    main()
