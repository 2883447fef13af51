"""Write the tables and views of the snapshot as the sources of a dbt project, with what they mean."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from tasks.export.json_text import json_text
from warehouse.connect import connect
from warehouse.publication.published_tables import PublishedColumn, described_table, published_names

SCHEMA = "kappaflow"
HEAD = """\
# Written by `kappaflow export --dbt-sources`: the tables and views of kappaflow as sources of a dbt project.
# In DuckDB the snapshot is attached under the name kappaflow; elsewhere the schema is that of [[publish.target]].
# Other names: dbt --vars '{kappaflow_database: NAME, kappaflow_schema: NAME}'
version: 2

sources:
  - name: kappaflow
"""
JINJA = ("{{", "{%", "{#")


def dbt_sources(snapshot: Path, *, schema: str = SCHEMA) -> str:
    """Return the text of a sources.yml with a description of each table, view and column.

    `schema` is where they are in Postgres. Texts are quoted as JSON, which YAML reads too. dbt runs Jinja in
    descriptions, so none is left in them.
    """
    with connect(snapshot, read_only=True) as con:
        tables = [(name, *described_table(con, name)) for name in published_names(con)]
    schema_expression = f"{{{{ var('kappaflow_schema', 'main' if target.type == 'duckdb' else {_jinja(schema)}) }}}}"
    database = "{{ var('kappaflow_database', 'kappaflow' if target.type == 'duckdb' else target.database) }}"
    lines = [
        f"    description: {_text('Agreement of annotators and accuracy of systems, as kappaflow publishes them.')}",
        f"    database: {json.dumps(database)}",
        f"    schema: {json.dumps(schema_expression)}",
        "    quoting: {identifier: true}",
        "    tables:",
    ]
    return HEAD + "\n".join([*lines, *(line for table in tables for line in _table(*table))]) + "\n"


def _table(name: str, about: str | None, columns: Sequence[PublishedColumn]) -> Iterator[str]:
    yield f"      - name: {_text(name)}"
    yield f"        description: {_text(about or '')}"
    yield "        columns:"
    for column in columns:
        yield f"          - name: {_text(column.name)}"
        yield f"            description: {_text(column.comment or '')}"


def _text(text: str) -> str:
    for opening in JINJA:
        while opening in text:
            text = text.replace(opening, " ".join(opening))
    return json_text(text)


def _jinja(text: str) -> str:
    """Return a text as Jinja writes it."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
