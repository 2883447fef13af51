"""Ratings of simulated worlds that meet the assumptions or violate one of them."""

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from stats.simulation.draws import ErrorProfile, draw_answers, draw_items

LABELS = list("ABCDE")
World = Callable[..., pl.DataFrame]


@pytest.fixture(scope="session")
def world() -> World:
    """world(n, raters, ...) -> ratings by r0, r1, ... and the system bot, which is right in .9."""

    def build(
        n: int = 400,
        raters: tuple[float, ...] = (0.6, 0.6, 0.6),
        *,
        asymmetry: float = 1.0,
        error_range: float = 0.0,
        difficulty: float = 0.0,
        bot_copies: float = 0.0,
        r1_copies: float = 0.0,
        missing: float = 0.0,
        labels: list[str] = LABELS,
        seed: int = 1,
    ) -> pl.DataFrame:
        rng, errors = np.random.default_rng(seed), ErrorProfile(asymmetry, error_range, difficulty)
        items = draw_items(n, np.full((1, len(labels)), 1 / len(labels)), rng)
        given = np.stack([draw_answers(items, p, errors, rng)[0][0] for p in (*raters, 0.9)], axis=1)
        copied = rng.random(n)
        given[:, -1] = np.where(copied < bot_copies, given[:, 0], given[:, -1])
        given[:, 1] = np.where(copied < r1_copies, given[:, 0], given[:, 1])
        kept = rng.random(given.shape) >= missing
        item, rater = np.nonzero(kept)
        names = pl.Series([*(f"r{j}" for j in range(len(raters))), "bot"])
        return pl.DataFrame(
            {
                "item": pl.Series(item).cast(pl.String),
                "rater": names.gather(rater),
                "label": pl.Series(labels).gather(given[item, rater]),
            }
        )

    return build
