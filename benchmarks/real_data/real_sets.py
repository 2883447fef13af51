"""What is estimated on real data: the sets, and which of their raters become systems."""

from dataclasses import dataclass

import polars as pl

LEAST_ITEMS, MOST_SYSTEMS, SEED = 50, 30, 20_261_121


@dataclass(frozen=True)
class RealSet:
    """Ratings (item, rater, label) and gold (item, gold); the labels in their order; the systems, if they are fixed."""

    name: str
    ratings: pl.DataFrame
    gold: pl.DataFrame
    labels: tuple[str, ...]
    scale: str = "nominal"
    systems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Choice:
    """Which raters become systems: those with so many gold items, and of these no more than so many."""

    least_items: int = LEAST_ITEMS
    most_systems: int = MOST_SYSTEMS
    seed: int = SEED
