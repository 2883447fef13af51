"""Store the kinds of raters that the settings declare. They may change long after the ratings were stored."""

from collections.abc import Mapping

import duckdb
import polars as pl

from schemas.rating_columns import RATER_KINDS
from warehouse import patterns, sql
from warehouse.errors import WarehouseError, duckdb_errors

KINDS: Mapping[str, pl.DataType] = {"question": pl.String(), "rater": pl.String(), "rater_kind": pl.String()}


def set_rater_kinds(con: duckdb.DuckDBPyConnection, kinds: pl.DataFrame) -> list[str]:
    """Replace the declared kinds of raters (columns: KINDS) in one transaction. A rater without a declared kind has the
    kind that came with each rating.

    Returns the questions where this changes a rating. Their revision counts up, so they are evaluated again.
    Unknown questions and raters are ignored. Raises WarehouseError on an unknown kind, or two kinds for one rater.
    """
    kinds = sql.conform(kinds, KINDS, "Kinds of raters")
    for kind in kinds["rater_kind"].unique():
        if kind not in RATER_KINDS:
            raise WarehouseError(f"A rater is one of {', '.join(RATER_KINDS)}, not {kind!r}.")
    if kinds.select("question", "rater").is_duplicated().any():
        raise WarehouseError("A rater has one kind in a question, but a question and rater are given twice.")
    with duckdb_errors("store the kinds of raters"):
        columns = {f"{name}s": column for name, column in kinds.to_dict(as_series=False).items()}
        if sql.rows(con, "raters/as_declared", **columns) == [(True,)]:
            return []  # Nearly always so: nothing is written, and the file does not change.
        with sql.registered(con, incoming_kinds=kinds):
            return _change_kinds(con)


def _change_kinds(con: duckdb.DuckDBPyConnection) -> list[str]:
    with sql.transaction(con):
        changed = [str(question) for (question,) in sql.rows(con, "raters/change_kinds")]
        if changed:
            patterns.renew(con, changed)  # An item counts on the day of its latest human rating.
        return changed
