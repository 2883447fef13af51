"""The sources for dbt, read as YAML."""

from pathlib import Path

import yaml

from tasks.export.dbt_sources import dbt_sources
from tasks.runs.run_records import open_run
from tests.tasks.inbox import NOW
from warehouse.connect import connect
from warehouse.publication.published_tables import described_table, published_names
from warehouse.publication.snapshot import publish

HOSTILE = "it's \"here\": {{ env_var('SECRET') }} {% raw %} {# no #} {{{{ x\n- name: y\u2028\x9b"


def test_every_table_and_column_has_its_description(db: Path) -> None:
    open_run(db, "test", "1", now=NOW)
    snapshot = publish(db, db.parent / "published")
    (source,) = yaml.safe_load(dbt_sources(snapshot))["sources"]
    with connect(snapshot, read_only=True) as con:
        wanted = {name: described_table(con, name) for name in published_names(con)}
    assert source["name"] == "kappaflow"
    assert {
        table["name"]: (table["description"], [(column["name"], column["description"]) for column in table["columns"]])
        for table in source["tables"]
    } == {name: (about, [(column.name, column.comment) for column in columns]) for name, (about, columns)
          in wanted.items()}  # fmt: skip
    assert all(column["description"] for table in source["tables"] for column in table["columns"])


def test_a_hostile_comment_or_name_stays_a_text_and_no_jinja_runs(db: Path) -> None:
    with connect(db) as con:
        con.execute('create table "odd: - \'\'" ("a: b" integer)')
        con.execute('comment on column "odd: - \'\'"."a: b" is \'' + HOSTILE.replace("'", "''") + "'")
    (source,) = yaml.safe_load(dbt_sources(publish(db, db.parent / "published"), schema="it's"))["sources"]
    table = next(table for table in source["tables"] if table["name"].startswith("odd"))
    assert table["name"] == "odd: - ''"
    (column,) = table["columns"]
    assert column["name"] == "a: b"
    for opening in ("{{", "{%", "{#"):
        assert opening not in column["description"]
        assert opening in HOSTILE
    assert column["description"].endswith("x\n- name: y\u2028\x9b")
    assert source["schema"] == "{{ var('kappaflow_schema', 'main' if target.type == 'duckdb' else 'it\\'s') }}"
