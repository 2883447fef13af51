"""Who is a person, who a system: declared in the settings, perhaps long after the ratings were stored."""

from collections.abc import Mapping

import duckdb
import polars as pl

from warehouse import patterns, sql
from warehouse.batches import RATER_KINDS
from warehouse.errors import WarehouseError, duckdb_errors

KINDS: Mapping[str, pl.DataType] = {"question": pl.String(), "rater": pl.String(), "rater_kind": pl.String()}


def set_rater_kinds(con: duckdb.DuckDBPyConnection, kinds: pl.DataFrame) -> list[str]:
    """Make these the declared kinds of raters (columns: see KINDS), in one transaction; who is not named has the kind
    that came with the rating.

    Returns the questions where that changed something: their revision counts up, so they are due for evaluation.
    Unknown questions and raters are passed over. Raises WarehouseError on a kind that is none, or two for one rater.
    """
    kinds = sql.conform(kinds, KINDS, "Kinds of raters")
    for kind in kinds["rater_kind"].unique():
        if kind not in RATER_KINDS:
            raise WarehouseError(f"A rater is one of {', '.join(RATER_KINDS)}, not {kind!r}.")
    if kinds.select("question", "rater").is_duplicated().any():
        raise WarehouseError("A rater has one kind in a question, but a question and rater are given twice.")
    with duckdb_errors("store the kinds of raters"), sql.registered(con, incoming_kinds=kinds):
        if sql.rows(con, "raters_as_declared") == [(True,)]:
            return []  # as nearly always: nothing is written, and the file need not be brought up to date
        return _rekind(con)


def _rekind(con: duckdb.DuckDBPyConnection) -> list[str]:
    with sql.transaction(con):
        rekinded = [str(question) for (question,) in sql.rows(con, "raters_rekind")]
        if rekinded:
            patterns.renew(con, rekinded)  # whose rating is a human one decides on which day an item counts
        return rekinded
