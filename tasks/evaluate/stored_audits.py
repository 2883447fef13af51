"""Read the audits of a question, and with which probability its gold items were drawn by them."""

from dataclasses import dataclass

import duckdb
import polars as pl

from tasks.evaluate.gold_inclusion import Inclusion, gold_inclusion
from warehouse.audits import audit_strata, drawn_patterns


@dataclass(frozen=True)
class Audits:
    """The drawn items of a question (item, audit_id, stratum, first_at, pattern_id, has_gold), and their strata."""

    drawn: pl.DataFrame
    strata: pl.DataFrame


def audits_of(con: duckdb.DuckDBPyConnection, question: str) -> Audits:
    """Read the audits of a question."""
    return Audits(drawn_patterns(con, question), audit_strata(con, question))


def stored_inclusion(con: duckdb.DuckDBPyConnection, question: str, names: pl.DataFrame) -> Inclusion | None:
    """Return the probabilities of the gold items now. `names` maps each pattern_id (`source`) to its pattern."""
    audits = audits_of(con, question)
    of_id = names.select(pl.col("source").alias("pattern_id"), pl.col("item").alias("pattern"))
    return gold_inclusion(audits.drawn.filter("has_gold").join(of_id, on="pattern_id"), audits.strata)


def past_inclusion(audits: Audits, with_gold: pl.DataFrame, names: pl.DataFrame) -> Inclusion | None:
    """Return the probabilities of the gold items at an earlier time.

    with_gold: the gold ratings of that time (`item`). `names` maps each item (`source`) to its pattern of that time.
    """
    of_item = names.select(pl.col("item").alias("pattern"), pl.col("source").alias("item"))
    drawn = audits.drawn.join(with_gold.select("item").unique(), on="item", how="semi").join(of_item, on="item")
    return gold_inclusion(drawn, audits.strata)
