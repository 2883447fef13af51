"""Name votes that nobody signed: `vote #1`, `vote #2`, ... of each item. The names say nothing about who voted."""

import polars as pl

from tasks.formats.parsing.export import CANONICAL, canonical

MAX_VOTES = 10_000  # of an item
UNNAMED = (
    "The votes do not name the raters: `vote #1` of two items may be two people. Figures of single raters stay empty."
)
Counts = list[tuple[int, str | None, str | None, str, int]]
"""Row, question, item, label and the number of its votes."""


def vote_rows(counts: Counts) -> pl.DataFrame:
    """Return one CANONICAL row per vote. The votes of an item are numbered through, by row and then in their order."""
    schema = {"row_number": pl.Int64, "question": pl.String, "item": pl.String, "label": pl.String, "n": pl.Int64}
    frame = pl.DataFrame(counts, schema=schema, orient="row")
    votes = frame.filter(pl.col("n") > 0).select(pl.exclude("n").repeat_by("n")).explode(frame.drop("n").columns)
    if votes.is_empty():
        return pl.DataFrame(schema=CANONICAL)
    number = pl.int_range(1, pl.len() + 1).over("question", "item", "row_number")
    return canonical(votes.with_columns(rater=pl.format("vote #{}", number)))
