"""Write the tables of a snapshot to a schema of Postgres, all in one transaction.

Readers never wait, and see the tables of one publication: those before until the transaction ends, the new ones after.
A table is emptied and filled, not made again, so the rights to it and the views on it stay.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tasks.errors import printable
from tasks.publish.postgres.column_types import copy_text, postgres_type
from tasks.publish.postgres.postgres_connection import connection
from tasks.publish.postgres.statements import statement
from tasks.publish.publish_targets import PostgresTarget, Publication, PublicationError, chosen_names
from warehouse.connect import connect
from warehouse.publication.published_tables import (
    PublishedTable,
    published_names,
    published_table,
    read_pieces,
    warehouse_id,
)

LEDGER = "kappaflow_tables"
MAX_NAME = 63  # bytes; Postgres cuts longer ones
Columns = dict[str, dict[str, str]]  # table -> column -> type


def write_postgres(target: PostgresTarget, snapshot: Path) -> Publication:
    """Write each table that changed since it was last written. Raises PublicationError or WarehouseError.

    Tables that are not to be published any more are dropped, if kappaflow wrote them.
    """
    with connect(snapshot, read_only=True) as source:
        names = chosen_names(published_names(source), target.tables)
        tables = [published_table(source, name) for name in names]
        _check_names(target, tables)
        source_id = warehouse_id(source)
        with connection(target) as con:
            fingerprints = _prepared_schema(con, target, source_id)
            present = _columns(con, target)
            _check_owner(target, fingerprints, present, names)
            for name in sorted(fingerprints.keys() - set(names)):
                if name in present:
                    con.execute(statement("drop_table", table=_table(target, name)))
                con.execute(statement("forget_table", schema=_name(target.schema)), {"name": name})
            changed = [
                table
                for table in tables
                if fingerprints.get(table.name) != table.fingerprint or table.name not in present
            ]
            n_nul = sum(_replace(con, source, target, table, present.get(table.name)) for table in changed)
            for table in changed:
                values = {"name": table.name, "fingerprint": table.fingerprint, "n_rows": table.n_rows,
                          "warehouse_id": source_id}  # fmt: skip
                con.execute(statement("write_ledger", schema=_name(target.schema)), values)
    is_changed = bool(changed) or fingerprints.keys() > set(names)
    remark = f"NUL characters in texts ({n_nul:,}), which Postgres does not take, became \ufffd."
    return Publication(
        target.name, "written" if is_changed else "unchanged", len(tables), len(changed),
        sum(table.n_rows for table in changed), remarks=(remark,) if n_nul else (),
    )  # fmt: skip


def _prepared_schema(con: Any, target: PostgresTarget, source_id: str) -> dict[str, str]:
    """Make the schema and the ledger if they are missing, and return the fingerprints of the tables in the ledger."""
    con.execute(statement("begin"))
    con.execute(statement("lock_schema"), {"schema": target.schema})
    schema = _name(target.schema)
    if not con.execute(statement("schema_exists"), {"schema": target.schema}).fetchone()[0]:
        con.execute(statement("create_schema", schema=schema))
    if LEDGER not in _columns(con, target):
        con.execute(statement("create_ledger", schema=schema))
    ledger = con.execute(statement("read_ledger", schema=schema)).fetchall()
    if any(owner != source_id for _, _, owner in ledger):
        raise PublicationError(
            "the schema has the tables of another project. Name another `schema`, or drop that one if it is not "
            "used any more."
        )
    return {name: fingerprint for name, fingerprint, _ in ledger}


def _columns(con: Any, target: PostgresTarget) -> Columns:
    columns: Columns = {}
    for table, column, column_type in con.execute(statement("read_columns"), {"schema": target.schema}):
        columns.setdefault(table, {}).update({column: column_type} if column is not None else {})
    return columns


def _check_names(target: PostgresTarget, tables: Sequence[PublishedTable]) -> None:
    """Refuse names that Postgres would cut."""
    for table in tables:
        for name in (table.name, *(column.name for column in table.columns)):
            if len(name.encode()) > MAX_NAME or table.name == LEDGER:
                raise PublicationError(
                    printable(f"no table {table.name[:80]!r} with a column {name[:80]!r} can be there. ")
                    + "Name the other tables in `tables`."
                )


def _check_owner(target: PostgresTarget, ledger: dict[str, str], present: Columns, names: Sequence[str]) -> None:
    """Refuse to write into tables that kappaflow did not make."""
    foreign = [name for name in names if name in present and name not in ledger]
    if foreign:
        raise PublicationError(
            f"the schema has a table {foreign[0][:80]!r} that kappaflow did not make. Name a `schema` for kappaflow "
            "alone."
        )


def _replace(
    con: Any, source: Any, target: PostgresTarget, table: PublishedTable, present: dict[str, str] | None
) -> int:
    """Give a table the columns, rows and comments of the snapshot. Return how many texts had a NUL."""
    qualified = _table(target, table.name)
    wanted = {column.name: postgres_type(column) for column in table.columns}
    if present is not None and not present.items() <= wanted.items():
        con.execute(statement("drop_table", table=qualified))
        present = None
    if present is None:
        columns = _joined(", ", [_definition(name, kind) for name, kind in wanted.items()])
        con.execute(statement("create_table", table=qualified, columns=columns))
    else:
        for name in wanted.keys() - present.keys():
            con.execute(statement("add_column", table=qualified, column=_definition(name, wanted[name])))
        con.execute(statement("empty_table", table=qualified))
    columns = _joined(", ", [_name(name) for name in wanted])
    n_nul = 0
    with con.cursor().copy(statement("fill_table", table=qualified, columns=columns)) as copy:
        for piece in read_pieces(source, table):
            text, n_in_piece = copy_text(piece)
            copy.write(text)
            n_nul += n_in_piece
    con.execute(_comments(qualified, table))
    return n_nul


def _comments(qualified: Any, table: PublishedTable) -> Any:
    """Return the statements that comment on a table and its columns. Postgres binds no values in them."""
    from psycopg.sql import Literal

    comments = [statement("comment_on_table", table=qualified, comment=Literal(_postgres_text(table.about)))]
    comments += [
        statement(
            "comment_on_column",
            table=qualified, column=_name(column.name), comment=Literal(_postgres_text(column.comment)),
        )
        for column in table.columns
    ]  # fmt: skip
    return _joined("", comments)


def _postgres_text(text: str | None) -> str | None:
    return None if text is None else text.replace("\0", "\ufffd")


def _definition(name: str, column_type: str) -> Any:
    """Return the definition of a column. The type is one of column_types, never data."""
    from psycopg.sql import SQL

    return _joined(" ", [_name(name), SQL(column_type)])


def _table(target: PostgresTarget, name: str) -> Any:
    from psycopg.sql import Identifier

    return Identifier(target.schema, name)


def _name(name: str) -> Any:
    from psycopg.sql import Identifier

    return Identifier(name)


def _joined(separator: str, pieces: Sequence[Any]) -> Any:
    from psycopg.sql import SQL

    return SQL(separator).join(pieces)
