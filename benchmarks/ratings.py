"""Synthetic ratings of any size for the benchmarks: `python -m benchmarks.ratings FOLDER NAME` writes one set of SETS.

Long, as an export has them, in the order of their arrival (none), with text ids; and wide, as numbers, from which the
peers make their input.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

LABELS = [f"label-{label}" for label in range(1, 6)]
RATERS = 5
MISSING = 0.2  # share of the ratings that are not there, each on its own
KNOWING = 0.7  # share of the ratings that are the item's true label, beside those that hit it by chance
SEED = 3
SYSTEMS = (0.9, 0.8, 0.7)  # what each system knows, beside the raters of the sets for accuracy

Codes = npt.NDArray[np.integer]


def dense(n_items: int, *, missing: float = MISSING, seed: int = SEED) -> npt.NDArray[np.int8]:
    """(n, 5) the label code that each rater gave each item, -1 = none."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, len(LABELS), n_items, dtype=np.int8)
    wide = np.empty((n_items, RATERS), np.int8)
    for rater in range(RATERS):
        guess = rng.integers(0, len(LABELS), n_items, dtype=np.int8)
        wide[:, rater] = np.where(rng.random(n_items, np.float32) < KNOWING, truth, guess)
        wide[rng.random(n_items, np.float32) < missing, rater] = -1
    return wide


def sparse(n_ratings: int, *, n_raters: int, per_item: int, seed: int = SEED) -> Codes:
    """The codes of ratings whose raters differ within an item; the last item may have fewer than `per_item`."""
    rng = np.random.default_rng(seed)
    n_items, k = -(-n_ratings // per_item), len(LABELS)
    raters, twice = np.zeros((n_items, per_item), np.int64), np.ones(n_items, bool)
    while twice.any():
        raters[twice] = rng.integers(0, n_raters, (int(twice.sum()), per_item))
        twice = (np.diff(np.sort(raters, axis=1), axis=1) == 0).any(axis=1)
    truth = rng.integers(0, k, (n_items, 1))
    labels = np.where(rng.random(raters.shape) < KNOWING, truth, rng.integers(0, k, raters.shape))
    items = np.arange(n_items)[:, None]
    return ((items * n_raters + raters) * k + labels).ravel()[:n_ratings]


def codes_of(wide: npt.NDArray[np.int8]) -> Codes:
    """The codes of the ratings of a dense matrix."""
    n, k = len(wide), len(LABELS)
    items = np.arange(n, dtype=np.uint32)
    columns = ((items * np.uint32(RATERS) + np.uint32(g)) * np.uint32(k) + wide[:, g] for g in range(RATERS))
    return np.concatenate([codes[wide[:, g] >= 0].astype(np.uint32) for g, codes in enumerate(columns)])


def write_long(path: Path, codes: Codes, *, n_raters: int, seed: int = SEED) -> None:
    """Shuffled rows of item-00000012, rater-3, label-5 from codes, (item * n_raters + rater) * k + label each.

    One number a rating, turned into text while it is written, so that 40 million of them need little memory.
    """
    np.random.default_rng(seed).shuffle(codes)
    code, k = pl.col("code"), len(LABELS)
    pl.LazyFrame({"code": codes}).select(
        pl.format("item-{}", (code // (n_raters * k)).cast(pl.String).str.zfill(8)).alias("item"),
        pl.format("rater-{}", code // k % n_raters + 1).alias("rater"),
        pl.format("label-{}", code % k + 1).alias("label"),
    ).sink_parquet(path)


def write_dense(folder: Path, name: str, n_items: int, missing: float) -> None:
    """NAME.parquet, and NAME.npy (n, 5): labels as the floats 1..5, NaN = none."""
    wide = dense(n_items, missing=missing)
    np.save(folder / f"{name}.npy", np.where(wide >= 0, wide + np.float32(1), np.float32(np.nan)))
    write_long(folder / f"{name}.parquet", codes_of(wide), n_raters=RATERS)


def write_sparse(folder: Path, name: str, n_ratings: int) -> None:
    """NAME.parquet of 2,000 raters, three of whom rate each item."""
    write_long(folder / f"{name}.parquet", sparse(n_ratings, n_raters=2000, per_item=3), n_raters=2000)


def write_systems(folder: Path, name: str, n_items: int) -> None:
    """NAME.parquet of five raters and three systems, rater-6 to rater-8, who all answer every item; NAME.txt has the
    right labels, sorted by item."""
    rng, k = np.random.default_rng(SEED), len(LABELS)
    truth, items, everyone = rng.integers(0, k, n_items), np.arange(n_items), RATERS + len(SYSTEMS)
    codes = []
    for rater, knowing in enumerate((KNOWING,) * RATERS + SYSTEMS):
        label = np.where(rng.random(n_items) < knowing, truth, rng.integers(0, k, n_items))
        codes.append((items * everyone + rater) * k + label)
    write_long(folder / f"{name}.parquet", np.concatenate(codes), n_raters=everyone)
    _write_truth(folder / f"{name}.txt", truth)


def write_crowd(folder: Path, name: str, n_items: int, n_raters: int, k: int) -> None:
    """NAME.parquet of n_raters unequal raters, five of whom rate each item, and a system, the last rater, over the
    first k labels. A rater knows a share between .4 and .9, the system .8. Right labels as in `write_systems`."""
    rng, items = np.random.default_rng(SEED), np.arange(n_items)
    truth, accuracy = rng.integers(0, k, n_items), np.append(rng.uniform(0.4, 0.9, n_raters), 0.8)
    first, step = rng.integers(0, n_raters, n_items), rng.integers(1, n_raters // RATERS, n_items)
    codes = []
    for rater in (*((first + number * step) % n_raters for number in range(RATERS)), np.full(n_items, n_raters)):
        label = np.where(rng.random(n_items) < accuracy[rater], truth, rng.integers(0, k, n_items))
        codes.append((items * (n_raters + 1) + rater) * len(LABELS) + label)
    write_long(folder / f"{name}.parquet", np.concatenate(codes), n_raters=n_raters + 1)
    _write_truth(folder / f"{name}.txt", truth)


def _write_truth(path: Path, truth: Codes) -> None:
    path.write_text("\n".join(LABELS[label] for label in truth), encoding="utf-8")


SETS: dict[str, Callable[[Path, str, int], None]] = {
    "gaps": lambda folder, name, n_items: write_dense(folder, name, n_items, MISSING),
    "complete": lambda folder, name, n_items: write_dense(folder, name, n_items, 0.0),
    "sparse": write_sparse,
    "systems": write_systems,
    "crowd": lambda folder, name, n_items: write_crowd(folder, name, n_items, 2000, len(LABELS)),
    "workers": lambda folder, name, n_items: write_crowd(folder, name, n_items, 203, 2),
}

if __name__ == "__main__":
    kind, size = sys.argv[2].split("-")
    SETS[kind](Path(sys.argv[1]), sys.argv[2], int(size))
