"""The steps of storing a batch: numbered without gaps, and headed by the tables that they read and write."""

import re

import pytest

from warehouse import sql

STEPS = {name: text for name, text in sql.texts("queries").items() if name.startswith("storing/")}
WRITE = re.compile(
    r"\b(?:insert into|merge into|update|delete from|create or replace temp table)\s+(?!set\b)([a-z_.]+)"
)
READ = re.compile(r"\b(?:from|join|using)\s+([a-z_.]+)\b(?!\s*\()")
LOCAL = re.compile(r"\b([a-z_]+) as (?:materialized )?\(")


def header(text: str, title: str) -> set[str]:
    """The tables that a step's opening comment lists under `Reads` or `Writes`."""
    comment = " ".join(line.removeprefix("--").strip() for line in text.splitlines() if line.startswith("--"))
    listed = re.search(rf"\b{title}: ([a-z_., ]+)", comment)
    return set(listed[1].strip(" .").split(", ")) if listed else set()


def statements(text: str) -> str:
    """The SQL without comments and texts. What follows `is distinct from` is a column and not a table."""
    return re.sub(r"--[^\n]*|'[^']*'|\bdistinct from\b", " ", text)


def tables(text: str) -> tuple[set[str], set[str]]:
    """The tables that a step reads and those that it writes. A temporary table that it makes itself is not read."""
    code = statements(text)
    made = set(re.findall(r"create or replace temp table ([a-z_]+)", code))
    read = READ.findall(re.sub(r"\bdelete from [a-z_.]+", "", code))
    return set(read) - set(LOCAL.findall(code)) - made, set(WRITE.findall(code))


def test_the_steps_are_numbered_without_gaps() -> None:
    assert [name.removeprefix("storing/")[:2] for name in STEPS] == [f"{n:02d}" for n in range(1, len(STEPS) + 1)]


@pytest.mark.parametrize("name", STEPS)
def test_a_step_says_which_tables_it_reads_and_writes(name: str) -> None:
    assert (header(STEPS[name], "Reads"), header(STEPS[name], "Writes")) == tables(STEPS[name])


def test_a_table_that_a_header_leaves_out_is_found() -> None:
    step = "create or replace temp table t as with c as (from a) select * from c join internal.b using (x);\n"
    step += "delete from d using e where d.x is not distinct from e.x; update f set x = (select max(x) from t);"
    step += "merge into g using h on g.x = h.x when matched then update set y = 1;"
    assert tables(step) == ({"a", "internal.b", "e", "h"}, {"t", "d", "f", "g"})
