"""Write the generated pages of docs/reference again: `make docs`, or `python -m docs.generate`.

commands.md comes from the command line itself, warehouse.md from the comments in a freshly migrated warehouse,
python-api.md from docstrings.
`tests/test_reference.py` fails while a page is out of date.
"""

import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import typer

from docs.python_api import python_api
from flows.cli import app
from warehouse.connect import connect
from warehouse.migrate import migrate

REFERENCE = Path(__file__).parent / "reference"
NOTE = "<!-- Written by `make docs`; do not edit. -->\n"
COLUMNS = """
select t.table_name, t.kind, t.comment as about, c.column_name, c.data_type, c.comment
from duckdb_columns() as c
inner join (
    select table_name, 'table' as kind, comment from duckdb_tables() where schema_name = 'main'
    union all
    select view_name, 'view', comment from duckdb_views() where schema_name = 'main' and not internal
) as t using (table_name)
where c.schema_name = 'main' and c.database_name = current_database()
order by t.kind, t.table_name, c.column_index
"""
MACROS = """
select function_name, parameters, comment
from duckdb_functions()
where schema_name = 'main' and database_name = current_database() and function_type = 'table_macro' and not internal
order by function_name
"""
EXAMPLES = {"moment": "2026-11-01", "period": "week"}  # what tells the types of a macro's columns; else any text


def main() -> None:
    """Write every page of PAGES."""
    for name, page in PAGES.items():
        (REFERENCE / name).write_text(page(), encoding="utf-8")
        print(f"wrote {REFERENCE / name}")


def commands() -> str:
    """Every command with its arguments, options and examples."""
    commands_by_name = dict(_all_commands(typer.main.get_command(app).commands))  # type: ignore[attr-defined]
    lines = [
        NOTE,
        "# Commands\n",
        "Every reading command has `--json`: one JSON value on stdout and nothing else ([shapes](json.md)).",
        "Errors go to stderr: one line says what is wrong, one what to do.",
        "Exit codes: 0 done, 1 a run that failed or a finding, 2 bad input, 3 neither (`check`): a rule is unjudged.\n",
        "`-h` explains a command, `kappaflow help TOPIC` prints these pages, `kappaflow --version` the version. `run`,",
        "`ingest` and `evaluate` take `-q`, which prints nothing if all goes well (what was rejected is in",
        "`kappaflow rejects`), and `-v`, which prints each step as it begins. A long step shows its seconds.",
        "A terminal gets tables in parts that fit it, a pipe gets each row on one line.",
        "`kappaflow --install-completion` lets your shell complete commands and options with the tab key.\n",
        "A project folder is the one named by `--project DIR`, else by the environment variable `KAPPAFLOW_HOME`, else",
        "the current folder or its nearest parent that has a `kappaflow.toml`.\n",
        *(
            f"- [`kappaflow {name}`](#{name.replace(' ', '-')}): {_about(command)[0]}"
            for name, command in commands_by_name.items()
        ),
        "",
        *(line for name, command in commands_by_name.items() for line in _command(name, command)),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _all_commands(commands_by_name: dict[str, Any], group: str = "") -> Iterator[tuple[str, Any]]:
    """Return each command with its name, those of a group after the group."""
    for name, command in commands_by_name.items():
        yield f"{group}{name}", command
        yield from _all_commands(getattr(command, "commands", {}), f"{group}{name} ")


def _command(name: str, command: Any) -> Iterator[str]:
    about, examples = _about(command)
    yield f"## {name}\n\n{about}\n"
    rows = [
        _parameter(parameter)
        for parameter in command.params
        if parameter.name != "help" and not getattr(parameter, "hidden", False)
    ]
    if rows:
        yield from _table(("argument or option", "default", "what it does"), rows)
        yield ""
    if examples:
        yield "```sh no-run\n" + "\n".join(examples) + "\n```\n"


def _about(command: Any) -> tuple[str, list[str]]:
    """The first paragraph of a command's help, and its examples. Lines that are indented deeper go on with one."""
    text = str(command.help)
    paragraph, _, rest = text.partition("\n\n")
    examples = re.findall(r"^ {2}((?:kappaflow |cat ).*(?:\n {8,}\S.*)*)", rest, re.MULTILINE)
    return " ".join(paragraph.split()), [example.replace("\n  ", "\n") for example in examples]


def _parameter(parameter: Any) -> tuple[str, str, str]:
    is_flag = getattr(parameter, "is_flag", False)  # an argument has none
    default = "" if parameter.default is None or is_flag else f"`{parameter.default}`"
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar}`", "required" if parameter.required else default, _sentence(parameter.help)
    metavar = (
        "" if parameter.is_flag else " " + (parameter.metavar or parameter.type_descriptor.annotation.__name__.upper())
    )
    return f"`{parameter.opts[0]}{metavar}`", "required" if parameter.required else default, _sentence(parameter.help)


def _sentence(text: str | None) -> str:
    return " ".join((text or "").replace("|", "\\|").split())


def warehouse() -> str:
    """Every public table, view and macro with the comments of its columns."""
    with tempfile.TemporaryDirectory() as folder, connect(Path(folder) / "warehouse.duckdb") as con:
        migrate(con)
        rows = con.execute(COLUMNS).fetchall()
        macros = [line for macro in con.execute(MACROS).fetchall() for line in _macro(con, *macro)]
    views = [row for row in rows if row[1] == "view"]
    tables = [row for row in rows if row[1] == "table"]
    lines = [
        NOTE,
        "# Tables, views and macros\n",
        "What `kappaflow sql` and every reader of `published/snapshot.duckdb` sees. Names are stable: columns may be",
        "added, never renamed. Ids are text. Times are UTC. A figure that is undefined is null and has a `reason`",
        "([the codes](coefficients.md#reasons)).\n",
        "Begin with the views: they show the last run, and the ratings in force. The tables hold all runs. Macros are",
        "views that take arguments: they compute from the ratings in force what no run was asked for.\n",
        "## Views\n",
        *_relations(views),
        "## Macros\n",
        "`from pair_agreement('intent', 'ann', 'bob')`: a macro stands where a table may stand. Arguments go by their",
        "place or as `question := 'intent'`, and may be columns of a table named before. All labels in the ratings",
        "count, declared or not. If the snapshot is attached to another database, say `use NAME` first.\n",
        *macros,
        "## Tables\n",
        *_relations(tables),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _relations(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    for name in dict.fromkeys(row[0] for row in rows):
        mine = [row for row in rows if row[0] == name]
        yield f"### {name}\n\n{mine[0][2] or ''}\n"
        yield from _table(
            ("column", "type", "what it is"), [(f"`{c}`", _type(t), _sentence(d)) for *_, c, t, d in mine]
        )
        yield ""


def _macro(con: duckdb.DuckDBPyConnection, name: str, parameters: Sequence[str], comment: str) -> Iterator[str]:
    """The comment is a sentence, then a line for each argument and column: `name: what it is`."""
    about, *lines = comment.splitlines()
    comments = dict(line.split(": ", 1) for line in lines)
    call = con.table_function(name, [EXAMPLES.get(parameter, "x") for parameter in parameters])
    yield f"### {name}\n\n`{name}({', '.join(parameters)})`: {about}\n"
    yield from _table(
        ("argument", "what it is"), [(f"`{parameter}`", _sentence(comments[parameter])) for parameter in parameters]
    )
    yield ""
    rows = [(f"`{c}`", _type(str(t)), _sentence(comments[c])) for c, t in zip(call.columns, call.types, strict=True)]
    yield from _table(("column", "type", "what it is"), rows)
    yield ""


def _type(name: str) -> str:
    return re.sub(r"timestamp with time zone", "timestamptz", name.lower())


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(header) + " |"
    yield "| " + " | ".join("---" for _ in header) + " |"
    yield from ("| " + " | ".join(row) + " |" for row in rows)


PAGES: dict[str, Callable[[], str]] = {"commands.md": commands, "warehouse.md": warehouse, "python-api.md": python_api}

if __name__ == "__main__":
    main()
