"""Read the audits of a question, and with which probability its gold items were drawn by them."""

from dataclasses import dataclass

import duckdb
import polars as pl

from tasks.evaluate.gold.gold_inclusion import Inclusion, gold_inclusion
from warehouse.audits import audit_strata, drawn_patterns, other_gold

DRAWN: dict[str, pl.DataType | type[pl.DataType]] = {
    "item": pl.String,
    "audit_id": pl.String,
    "stratum": pl.String,
    "first_at": pl.Datetime("us", "UTC"),
    "pattern_id": pl.Int64,
    "has_gold": pl.Boolean,
}


@dataclass(frozen=True)
class Audits:
    """The audits of a question.

    drawn: item, audit_id, stratum, first_at, pattern_id, has_gold. strata: see `warehouse.audits.audit_strata`. others:
    items that no audit drew and that have or had gold: item, first_at, gold_at, stratum, pattern_id, has_gold. It is
    None where nothing was drawn. An item on which gold raters differ has no gold.
    """

    drawn: pl.DataFrame
    strata: pl.DataFrame
    others: pl.DataFrame | None


def audits_of(con: duckdb.DuckDBPyConnection, question: str) -> Audits:
    """Read the audits of a question."""
    strata = audit_strata(con, question)
    if strata.is_empty():  # the query of the drawn items reads the patterns of all items
        return Audits(pl.DataFrame(schema=DRAWN), strata, None)
    drawn = drawn_patterns(con, question)
    others = None if drawn.is_empty() else other_gold(con, question)
    return Audits(drawn, strata, others)


def stored_inclusion(con: duckdb.DuckDBPyConnection, question: str, names: pl.DataFrame) -> Inclusion | None:
    """Return the probabilities of the gold items now. `names` maps each pattern_id (`source`) to its pattern."""
    audits = audits_of(con, question)
    if audits.others is None:
        return None
    of_id = names.select(pl.col("source").alias("pattern_id"), pl.col("item").alias("pattern"))
    drawn, others = (rows.filter("has_gold").join(of_id, on="pattern_id") for rows in (audits.drawn, audits.others))
    return gold_inclusion(drawn, audits.strata, others)


def past_inclusion(audits: Audits, with_gold: pl.DataFrame, names: pl.DataFrame) -> Inclusion | None:
    """Return the probabilities of the gold items at an earlier time.

    with_gold: the gold ratings of that time (`item`, `label`). `names` maps each item (`source`) to its pattern
    of that time.
    """
    if audits.others is None:
        return None
    of_item = names.select(pl.col("item").alias("pattern"), pl.col("source").alias("item"))
    then = with_gold.group_by("item").agg(pl.col("label").n_unique()).filter(label=1).select("item")
    drawn, others = (
        rows.join(then, on="item", how="semi").join(of_item, on="item") for rows in (audits.drawn, audits.others)
    )
    return gold_inclusion(drawn, audits.strata, others)
