"""The paper's Table 2, and small frames from compact notation."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

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
