"""Say how strongly the annotators' errors go together, by the gold items."""

import polars as pl

from tasks.report.formatting import count, interval, number
from tasks.summary.finite import finite


def shared_errors_sentence(shared: pl.DataFrame) -> str:
    """Return the sentence for a question's row of `latest_shared_errors`; '' without gold, which alone shows it."""
    if shared.is_empty() or shared["reason"][0] == "no_gold":
        return ""
    row = shared.row(0, named=True)
    if finite(row["correlation"]) is None:
        return f"How strongly the annotators' errors go together is not known. {row['detail']}"
    ends = (row["n_effective_low"], row["n_effective_high"])
    worth = f"{number(ends[0], 1)}–{number(ends[1], 1)}"
    return (
        f"Errors on {count(row['n_items'])} gold items correlate by {number(row['correlation'])}"
        f" ({interval(row['low'], row['high'])}): {number(row['raters_per_item'], 1)} ratings are worth"
        f" {number(row['n_effective'], 1)} independent ones ({worth})."
    )
