"""The paper's Table 2, small frames from compact notation, and whole populations of a known model."""

import tomllib
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from stats.accuracy import accuracy
from stats.accuracy.fitting.estimator import SystemPatterns
from stats.patterns import patterns_of

GOLDEN = Path(__file__).parents[2] / "data" / "golden" / "lehner.toml"
Frame = Callable[..., pl.DataFrame]


@pytest.fixture(scope="session")
def lehner_facts() -> dict[str, Any]:
    return tomllib.loads(GOLDEN.read_text())


@pytest.fixture(scope="session")
def frame() -> Frame:
    """frame("AAB", "AB-", ...): one text per item, a letter per rater, '-' = not rated; raters r0, r1, ..."""

    def build(*items: str, raters: list[str] | None = None) -> pl.DataFrame:
        names = raters or [f"r{j}" for j in range(max(map(len, items)))]
        rows = [
            (f"i{number:03}", names[j], label)
            for number, labels in enumerate(items)
            for j, label in enumerate(labels)
            if label != "-"
        ]
        return pl.DataFrame(rows, schema={"item": pl.String, "rater": pl.String, "label": pl.String}, orient="row")

    return build


@pytest.fixture(scope="session")
def table2(lehner_facts: dict[str, Any], frame: Frame) -> pl.DataFrame:
    """Table 2 as ratings: raters e1..e4, system 'system'."""
    cases = [case.replace(" ", "") for case in lehner_facts["table2"]["cases"]]
    return frame(*cases, raters=["e1", "e2", "e3", "e4", "system"])


@pytest.fixture(scope="session")
def population() -> Callable[..., SystemPatterns]:
    """population(worlds, ordered=False): what a million items say, in exact proportion to their probability.

    worlds: [(share, base rates (k,), [matrix (k, k) of each rater], matrix of the system), ...], e.g. one for each
    level of difficulty. Raters are known by name.
    """

    def build(worlds: list[tuple[float, Any, list[Any], Any]], *, ordered: bool = False) -> SystemPatterns:
        k, r = len(worlds[0][1]), len(worlds[0][2])
        rows = np.array(list(product(range(k), repeat=r + 1)))
        probability = np.zeros(len(rows))
        for share, base, raters, system in worlds:
            for z in range(k):
                of_raters = [np.asarray(matrix)[z, rows[:, j]] for j, matrix in enumerate([*raters, system])]
                probability += share * base[z] * np.prod(of_raters, axis=0)
        n_items = np.round(probability * 1e6).astype(np.int64)
        seen = n_items > 0
        rows, n_items = rows[seen], n_items[seen]
        C = (rows[:, :r, None] == np.arange(k)).sum(axis=1)
        return SystemPatterns(C, rows[:, r], n_items, ordered, patterns_of(rows[:, :r], n_items, k))

    return build


@pytest.fixture(scope="session")
def even() -> Callable[[float, int], Any]:
    """even(p, k): the matrix of a rater who is right in p and errs evenly."""

    def build(p: float, k: int) -> Any:
        return np.where(np.eye(k, dtype=bool), p, (1 - p) / (k - 1))

    return build


@pytest.fixture(scope="session")
def golden() -> Callable[[str], dict[str, Any]]:
    """golden("one_coin"): the facts in tests/data/golden/one_coin.toml."""
    return lambda name: tomllib.loads((GOLDEN.parent / f"{name}.toml").read_text())


@pytest.fixture(scope="session")
def ask(frame: Frame) -> Callable[..., dict[str, Any]]:
    """ask("one_coin", ["AAB", ...], "AB"): the row of one estimator; the last letter of each text is the system's."""

    def build(method: str, items: list[str], labels: str, **rest: Any) -> dict[str, Any]:
        names = [*(f"r{j}" for j in range(len(items[0]) - 1)), "system"]
        result = accuracy(
            frame(*items, raters=names), systems=["system"], labels=list(labels), methods=[method], **rest
        )
        return result.row(0, named=True)

    return build
