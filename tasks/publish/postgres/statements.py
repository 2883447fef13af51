"""The statements for Postgres, one file each in statements/. Names are quoted by psycopg, values are bound."""

from functools import cache
from pathlib import Path
from typing import Any


@cache
def statement_text(name: str) -> str:
    """Read statements/<name>.sql."""
    return (Path(__file__).parent / "statements" / f"{name}.sql").read_text(encoding="utf-8")


def statement(name: str, **placeholders: Any) -> Any:
    """Return statements/<name>.sql with names (psycopg's Identifier) and other composed parts in their places."""
    from psycopg.sql import SQL

    return SQL(statement_text(name)).format(**placeholders)
