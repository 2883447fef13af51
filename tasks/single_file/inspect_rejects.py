"""Count rejected rows by their reason, with examples."""

import polars as pl

from tasks.formats.parsing.reject_rows import REASONS

EXAMPLES = 5


def rejects_by_reason(rejects: pl.DataFrame) -> list[dict[str, object]]:
    """Return each reason with its meaning, number and examples, the most frequent first."""
    counts = rejects.group_by("reason").len("n").sort(["n", "reason"], descending=[True, False])
    return [
        {
            "reason": reason,
            "meaning": REASONS[reason],
            "n": n,
            "examples": rejects.filter(pl.col("reason") == reason)
            .head(EXAMPLES)
            .select("row_number", "column_name", "value", "detail")
            .to_dicts(),
        }
        for reason, n in counts.rows()
    ]
