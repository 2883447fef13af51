"""Write the tables of a snapshot to a schema of Postgres, all in one transaction.

Readers never wait, and see the tables of one publication: those before until the transaction ends, the new ones after.
A table is emptied and filled, not made again, so the rights to it and the views on it stay.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tasks.errors import printable
from tasks.publish.postgres.column_types import copy_text, postgres_type
from tasks.publish.postgres.postgres_connection import connection
from tasks.publish.postgres.statements import statement
from tasks.publish.publish_targets import (
    PostgresTarget,
    Publication,
    PublicationError,
    chosen_names,
    remarks_on_copies,
)
from warehouse.connect import connect
from warehouse.publication.published_tables import (
    PublishedTable,
    described_table,
    published_names,
    published_table,
    read_pieces,
    run_ids,
    warehouse_id,
)

LEDGER = "kappaflow_tables"
MAX_NAME = 63  # bytes; Postgres cuts longer ones
Columns = dict[str, dict[str, str]]  # table -> column -> type


@dataclass(frozen=True)
class Ledger:
    """The tables that kappaflow keeps in a schema, each with its fingerprint, and the runs that wrote them."""

    fingerprints: dict[str, str]
    run_ids: frozenset[str]


def write_postgres(target: PostgresTarget, snapshot: Path) -> Publication:
    """Write each table that changed since it was last written. Raises PublicationError or WarehouseError.

    Tables that are not to be published any more are dropped, if kappaflow wrote them.
    """
    with connect(snapshot, read_only=True) as source:
        all_names = published_names(source)
        names = chosen_names(all_names, target.tables)
        tables = [published_table(source, name) for name in names]
        _check_names(target, tables)
        source_id, runs = warehouse_id(source), run_ids(source)
        with connection(target) as con:
            ledger = _prepared_schema(con, target, source_id)
            fingerprints, present = ledger.fingerprints, _columns(con, target)
            _check_owner(target, fingerprints, present, names)
            _check_replaced(con, source, target, fingerprints.keys() & present.keys() & set(all_names))
            remarks = _remarks_on_copies(con, target, ledger.run_ids, runs)
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
                          "warehouse_id": source_id, "run_id": runs[0]}  # fmt: skip
                con.execute(statement("write_ledger", schema=_name(target.schema)), values)
    is_changed = bool(changed) or fingerprints.keys() > set(names)
    remark = f"NUL characters in texts ({n_nul:,}), which Postgres does not take, became \ufffd."
    return Publication(
        target.name, "written" if is_changed else "unchanged", len(tables), len(changed),
        sum(table.n_rows for table in changed), remarks=((remark,) if n_nul else ()) + remarks,
        is_replacement=bool(fingerprints),
    )  # fmt: skip


def _prepared_schema(con: Any, target: PostgresTarget, source_id: str) -> Ledger:
    """Make the schema and the ledger if they are missing, and return the ledger."""
    con.execute(statement("begin"))
    con.execute(statement("lock_schema"), {"schema": target.schema})
    schema = _name(target.schema)
    if not con.execute(statement("schema_exists"), {"schema": target.schema}).fetchone()[0]:
        con.execute(statement("create_schema", schema=schema))
    ledger_columns = _columns(con, target).get(LEDGER)
    if ledger_columns is None:
        con.execute(statement("create_ledger", schema=schema))
    elif "run_id" not in ledger_columns:
        con.execute(statement("add_run_id", schema=schema))
    ledger = con.execute(statement("read_ledger", schema=schema)).fetchall()
    if any(owner != source_id for _, _, owner, _ in ledger):
        raise PublicationError(
            "the schema has the tables of another project. Name another `schema`, or drop that one if it is not "
            "used any more."
        )
    run_ids_there = frozenset(run_id for *_, run_id in ledger if run_id is not None)
    return Ledger({name: fingerprint for name, fingerprint, *_ in ledger}, run_ids_there)


def _remarks_on_copies(
    con: Any, target: PostgresTarget, run_ids_there: frozenset[str], runs: Sequence[str]
) -> tuple[str, ...]:
    """Return a sentence if runs that this warehouse does not have wrote there. The newest run takes their place."""
    unknown = sorted(run_ids_there - set(runs))
    if unknown:
        values = {"run_id": runs[0], "run_ids": unknown}
        con.execute(statement("replace_run_ids", schema=_name(target.schema)), values)
    return remarks_on_copies(unknown, target)


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


def _check_replaced(con: Any, source: Any, target: PostgresTarget, names: set[str]) -> None:
    """Refuse to write into a table that stands in place of one that kappaflow made: it has no comment."""
    unlike = {name for (name,) in con.execute(statement("read_unlike_ours"), {"schema": target.schema})}
    for name in sorted(names & unlike):
        if described_table(source, name)[0] is not None:
            raise PublicationError(
                f"the table {name[:80]!r} there is not the one that kappaflow made. Rename it or drop it, and the next "
                "run makes its own."
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
