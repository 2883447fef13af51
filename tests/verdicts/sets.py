"""Small random questions: people, systems, gaps, and mostly a gold rater, who may have rated next to nothing."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from stats.simulate import simulate_ratings

LABELS = ("A", "B", "C", "D")


@dataclass(frozen=True)
class Set:
    """Ratings with rater_kind; the labels; whether an ordered scale is declared."""

    ratings: pl.DataFrame
    labels: tuple[str, ...]
    scale: str


def random_set(seed: int) -> Set:
    """A question of its own kind for each seed."""
    rng = np.random.default_rng(seed)
    labels = LABELS[: int(rng.integers(2, 5))]
    people = {f"p{j}": float(rng.uniform(0.35, 0.95)) for j in range(int(rng.integers(2, 6)))}
    systems = {f"s{j}": float(rng.uniform(0.3, 0.95)) for j in range(int(rng.integers(1, 4)))}
    result = simulate_ratings(
        n_items=int(rng.integers(12, 110)), labels=labels, raters=people, systems=systems, rng=rng,
        asymmetry=float(rng.choice([1.0, 2.0])),
    )  # fmt: skip
    truth = result.select("item", label="truth").unique().sort("item")
    kind = pl.when(pl.col("rater").is_in(list(systems))).then(pl.lit("system")).otherwise(pl.lit("human"))
    rated = _with_gaps(_with_trap(result, people, labels, rng), rng).with_columns(rater_kind=kind).drop("truth")
    gold = _gold(truth, rng).with_columns(rater=pl.lit("lead"), rater_kind=pl.lit("gold")).select(rated.columns)
    return Set(pl.concat([rated, gold]), labels, str(rng.choice(["nominal", "nominal", "ordinal"])))


def _with_trap(
    result: pl.DataFrame, people: dict[str, float], labels: tuple[str, ...], rng: np.random.Generator
) -> pl.DataFrame:
    """Now and then people share an error that the systems do not: their agreement then says nothing of the truth."""
    if rng.random() > 0.3:
        return result
    trapped = set(result["item"].unique().sort().to_list()[: int(rng.integers(1, result["item"].n_unique()))])
    wrong = pl.col("truth").replace_strict(dict(zip(labels, (*labels[1:], labels[0]), strict=True)))
    caught = pl.col("item").is_in(list(trapped)) & pl.col("rater").is_in(list(people))
    return result.with_columns(label=pl.when(caught).then(wrong).otherwise(pl.col("label")))


def _with_gaps(result: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    kept = {rater: float(rng.choice([1.0, 1.0, 0.8, 0.4])) for rater in result["rater"].unique().sort()}
    chance = result["rater"].replace_strict(kept, return_dtype=pl.Float64).to_numpy()
    left = result.filter(pl.Series(rng.random(result.height) < chance))
    return left if left["rater"].n_unique() == len(kept) else result


def _gold(truth: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    size = int(rng.choice([0, 1, 2, 5, 20, 50]))
    return truth.sample(min(size, truth.height), seed=int(rng.integers(2**31)))
