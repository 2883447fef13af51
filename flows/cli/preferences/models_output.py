"""Print the models that people or systems voted on, by rank."""

from collections.abc import Sequence
from typing import Any

from flows.cli.terminal import headers_of, interval, print_table

MODELS = headers_of("question rank model strength interval ranks n_votes reason", ranks="rank between", n_votes="votes")


def print_models(rows: Sequence[dict[str, Any]]) -> None:
    """Print the strength of each model with its interval, and the ranks that the intervals leave open."""
    shown = [
        {**row, "interval": interval(row["low"], row["high"]), "ranks": rank_range(row["rank_low"], row["rank_high"])}
        for row in rows
    ]
    print_table(shown, title="Models by votes on pairs", headers=MODELS)


def rank_range(low: int | None, high: int | None) -> str | None:
    """Return the ranks that a model may have as text.

    >>> rank_range(2, 3), rank_range(1, 1), rank_range(None, None)
    ('2-3', '1', None)
    """
    return None if low is None else str(low) if low == high else f"{low}-{high}"
