"""Set the time zone in which days are counted."""

import duckdb

from warehouse import patterns, sql
from warehouse.errors import duckdb_errors


def set_timezone(con: duckdb.DuckDBPyConnection, timezone: str) -> bool:
    """Count days in this time zone (an IANA name). Return whether it is another one than before.

    All counts by day are then made again from the ratings, in the same transaction, and each question counts up its
    revision, so that it is evaluated again.
    """
    with duckdb_errors("set its time zone"):
        if sql.value(con, "time/timezone") == timezone:
            return False  # Nearly always so: nothing is written, and the file does not change.
        with sql.transaction(con):
            n_questions = sql.value(con, "time/set_timezone", timezone=timezone)
            if n_questions:  # none in a new project: there is nothing to count
                patterns.renew(con, None)
        return True


def stored_timezone(con: duckdb.DuckDBPyConnection) -> str:
    """Return the time zone in which the days of this warehouse are counted."""
    with duckdb_errors("read its time zone"):
        return str(sql.value(con, "time/timezone"))
