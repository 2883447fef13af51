"""A column of a view may inherit its comment from a column of the same name. It must be the column that it shows."""

import json
import re
from typing import Any

import duckdb
import pytest

from warehouse import sql
from warehouse.migrate import view_order

Con = duckdb.DuckDBPyConnection
Node = dict[str, Any]
GENERAL = set(re.findall(r"a_view\.(\w+)", sql.texts("comments")["columns"]))  # they mean the same in all views


Comments = dict[tuple[str, str], str | None]


def origin(con: Con, comments: Comments, view: str, column: str) -> tuple[str, str] | None:
    """The relation and column that a column of the view passes on as it is, or None if the view computes it."""
    query = re.split(r"^create or replace view \w+ as$", sql.texts("views")[view], flags=re.MULTILINE)[1]
    query = query.partition("\ncomment on ")[0].strip().removesuffix(";")
    return passed_on(select_of(con, query), column, {}, comments)


def select_of(con: Con, query: str) -> Node:
    result = con.execute("select json_serialize_sql($query::varchar)", {"query": query}).fetchone()
    assert result is not None
    tree = json.loads(result[0])
    assert not tree["error"], tree
    node: Node = tree["statements"][0]["node"]
    return node


def passed_on(node: Node, column: str, outer: dict[str, Node], comments: Comments) -> tuple[str, str] | None:
    known = outer | {entry["key"]: entry["value"]["query"]["node"] for entry in node["cte_map"]["map"]}
    if node["type"] == "SET_OPERATION_NODE":
        return passed_on(node.get("left") or node["children"][0], column, known, comments)
    relations, name = relations_in(node["from_table"]), column
    for item in node["select_list"]:
        if item["class"] != "STAR" and (item["alias"] or item.get("column_names", [""])[-1]) == column:
            if item["class"] != "COLUMN_REF":
                return None
            *qualifiers, name = item["column_names"]
            relations = {alias: relations[alias] for alias in qualifiers} or relations
    having = [table for table in relations.values() if (table, name) in comments]  # joined by it, if there are two
    inner = [known[table] for table in relations.values() if table in known]
    if having:
        return having[0], name
    return passed_on(inner[0], name, known, comments) if inner else None


def relations_in(node: Node) -> dict[str, str | None]:
    """What a `from` reads, by its alias; None for a query in brackets and for a table of another schema."""
    if node["type"] == "JOIN":
        return relations_in(node["left"]) | relations_in(node["right"])
    if node["type"] != "BASE_TABLE":
        return {node["alias"]: None}
    public = node["schema_name"] in ("", "main")
    return {node["alias"] or node["table_name"]: node["table_name"] if public else None}


def wrong_comments(con: Con, view: str) -> list[str]:
    comments: Comments = {(table, column): text for table, column, text in sql.rows(con, "migrations/comments")}
    own = set(re.findall(rf"^comment on column {view}\.(\w+)", sql.texts("views")[view], re.MULTILINE))
    silent = [column for table, column in comments if table == view and column not in own | GENERAL]
    origins = {column: origin(con, comments, view, column) for column in silent}
    return [
        column for column, source in origins.items() if source is None or comments[source] != comments[view, column]
    ]


@pytest.mark.parametrize("view", view_order())
def test_a_column_that_a_view_computes_says_what_it_is(con: Con, view: str) -> None:
    assert wrong_comments(con, view) == []


def test_what_a_query_passes_on_and_what_it_computes(con: Con) -> None:
    comments: Comments = {("system_windows", name): "..." for name in ("system", "low", "high")}
    node = select_of(con, """
        with moved as (select w.*, w.low - 1 as low, w.high as low_before from system_windows as w)
        select moved.system, moved.low, moved.high, moved.low_before, coalesce(low, 0) as coalesced
        from moved
        left join internal.patterns as p using (system)""")  # fmt: skip
    origins = {
        name: passed_on(node, name, {}, comments) for name in ("system", "low", "high", "low_before", "coalesced")
    }
    assert origins == {
        "system": ("system_windows", "system"),
        "low": None,
        "high": ("system_windows", "high"),
        "low_before": ("system_windows", "high"),
        "coalesced": None,
    }


def test_the_items_of_agreement_are_those_with_a_rating(con: Con) -> None:
    """As in docs/conventions.md: n_items is the same for all coefficients, also for those that use fewer items."""
    comments: Comments = {(table, column): text for table, column, text in sql.rows(con, "migrations/comments")}
    texts = {comments[view, "n_items"] for view in ("agreement", "latest_agreement", "agreement_trend")}
    assert texts == {
        "Items with a rating. Of these, a coefficient may use fewer: alpha and those of two raters use items with two "
        "ratings."
    }


def test_the_agreement_on_regions_says_the_range_of_each_coefficient(con: Con) -> None:
    query = "select column_name, comment from duckdb_columns() where table_name = 'latest_region_agreement'"
    comments = dict(con.execute(query).fetchall())
    names = [name for name in re.findall(r"[a-z_0-9]+", comments["coefficient"]) if "_" in name or name == "spearman"]
    assert len(names) == 13
    assert [name for name in names if name not in comments["estimate"]] == []
