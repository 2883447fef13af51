"""Write docs/reference/python-api.md from signatures and docstrings.

What is public is said here and nowhere else: the names in `__all__` of the modules in MODULES.
"""

import ast
import dataclasses
import importlib
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

MODULES = (
    "stats.agreement",
    "stats.accuracy",
    "stats.accuracy.planning",
    "stats.simulate",
    "stats.monitoring",
    "stats.preferences",
    "stats.regions",
    "stats.answers",
    "stats.counts",
    "stats.errors",
    "tasks.formats",
)
# What the tables and tuples hold; functions and classes have docstrings.
CONSTANTS = {
    "stats.agreement.BENCHMARKS": "Scales that put words to figures, by name: `benchmark` uses one of them.",
    "stats.agreement.COEFFICIENTS": "The coefficients of `agreement`, by name ([formulas](coefficients.md)).",
    "stats.agreement.GROUP_COEFFICIENTS": "The coefficients of `against_group`, by name ([formulas](coefficients.md)).",
    "stats.agreement.METHODS": "How standard errors and intervals are made ([definitions](coefficients.md#errors)).",
    "stats.agreement.SCALES": "The scales that labels may have.",
    "stats.agreement.WEIGHTS": "Weights of disagreements, by name ([definitions](coefficients.md#weights)).",
    "stats.accuracy.CHECKS": "The checks of the assumptions, by name ([what each finds](../accuracy-checks.md)).",
    "stats.accuracy.DEFAULT_METHODS": "The estimators of `accuracy` where no `methods` are named.",
    "stats.accuracy.ESTIMATORS": "The estimators of `accuracy` ([which](coefficients.md#estimators-of-accuracy)).",
    "stats.simulate.FIGURES": "The settings of the source paper's experiments, by the number of the figure.",
    "stats.simulate.PRINTED_KAPPA": "The mean kappas that the paper prints, by the number of the figure.",
    "stats.monitoring.CHART_SHARES": "The share of the false alarms that each kind of chart may raise.",
    "stats.preferences.OUTCOMES": "What a vote can say.",
    "stats.preferences.VOTES": "The columns of a table of votes, with their types.",
    "stats.answers.RANKS": "The columns of a table of rankings, with their types: a row per item, rater and option.",
    "stats.answers.TEXTS": "The columns of a table of texts, with their types: a row per item and rater.",
    "stats.regions.BOXES": "The columns of a table of boxes, with their types.",
    "stats.regions.BOX_COEFFICIENTS": "The coefficients of boxes, by name.",
    "stats.regions.COEFFICIENTS": "The coefficients of spans, by name.",
    "stats.regions.DONE": "The columns of a table of who did which item, also items in which nothing was marked.",
    "stats.regions.LENGTHS": "The columns of a table with the number of characters of each text.",
    "stats.regions.SPANS": "The columns of a table of spans, with their types.",
    "tasks.formats.CANONICAL": "The columns of the rows that a reader returns, with their types.",
    "tasks.formats.FORMATS": "The formats that are read, by name, as they are tried ([formats](formats.md)).",
    "tasks.formats.METADATA": "The columns of the metadata of items that a reader returns.",
    "tasks.formats.REJECTS": "The columns of the rejected rows that a reader returns ([reasons](formats.md)).",
}  # fmt: skip
MAX_WIDTH = 100  # of a signature on one line
INTRODUCTION = """\
# Python

The public names: import them from the module that heads their section. They stay where they are, and keep their
meaning. All other modules are the inside of kappaflow and may change.

- Ratings are a table with the text columns `item`, `rater` and `label`, one row for each item and rater. Any table will
  do that narwhals reads: polars, pandas, pyarrow, DuckDB. Results are polars tables.
  An item that is NaN counts as null, and nulls are refused.
  Names are taken as they are: `ann` and `ann ` are two raters. Commands and projects cut blanks at both ends, and
  write names in Unicode's composed form (NFC).
- A figure that is undefined is null, and the columns `reason` and `detail` say why
  ([the codes](coefficients.md#reasons)).
- Bad input raises `stats.errors.StatsError`, a `ValueError`. Its text says what is wrong and what to do.
- Formulas, standard errors and their sources are in [coefficients and estimators](coefficients.md), undefined and
  degenerate cases in [conventions](../conventions.md), misprints of the sources in [errata](../errata.md).

```python
import polars as pl

from stats.agreement import agreement

sheet = pl.read_csv("examples/demo/inbox/helpfulness.csv").drop("gpt_judge").rename({"item_id": "item"})
ratings = sheet.unpivot(index="item", variable_name="rater", value_name="label").drop_nulls()
table = agreement(ratings, labels=["unhelpful", "partly", "helpful"], coefficients=["krippendorff_alpha"])
print(table.select("name", "estimate", "low", "high"))
```
"""


def python_api() -> str:
    """Every public name with its signature and docstring."""
    from docs.generate import NOTE

    sections = list(public_names().items())
    lines = [NOTE, INTRODUCTION]
    for module, names in sections:
        links = ", ".join(f"[{name}](#{_anchor(_heading(module, name))})" for name in names)
        lines.append(f"- [{module}](#{_anchor(module)}): {links}")
    for module, names in sections:
        lines += ["", f"## {module}", "", _prose(inspect.getdoc(importlib.import_module(module)) or "")]
        for name in names:
            lines += ["", *_entry(module, name)]
    return "\n".join(lines).rstrip() + "\n"


def public_names() -> dict[str, list[str]]:
    """The public names by module. A name that two modules offer stands in the first of them."""
    seen: set[int] = set()
    names: dict[str, list[str]] = {}
    for module in MODULES:
        offered = {name: getattr(importlib.import_module(module), name) for name in _all_of(module)}
        names[module] = [name for name, value in offered.items() if id(value) not in seen]
        seen |= {id(value) for value in offered.values()}
    return {module: sorted(names_of_module, key=_constants_last) for module, names_of_module in names.items()}


def _all_of(module: str) -> list[str]:
    return list(importlib.import_module(module).__all__)


def _constants_last(name: str) -> tuple[int, str]:
    return (2 if name.isupper() else 1 if name[0].isupper() else 0, name)


def _entry(module: str, name: str) -> Iterator[str]:
    value = getattr(importlib.import_module(module), name)
    yield f"### {_heading(module, name)}\n"
    if name.isupper():
        yield f"{CONSTANTS[f'{module}.{name}']}\n"
        yield from (_columns(value) if _is_schema(value) else [", ".join(f"`{key}`" for key in value)])
        return
    yield f"```python no-run\n{_class(value) if inspect.isclass(value) else _signature(value)}\n```\n"
    yield _prose(inspect.getdoc(value) or "")
    yield from _schemas(value)
    if inspect.isclass(value):
        yield from _methods(value)


def _heading(module: str, name: str) -> str:
    """The name: with its module where another one has the same, and no class has the heading of a function."""
    same = [other for other in MODULES if name in _all_of(other)]
    first = getattr(importlib.import_module(same[0]), name)
    clash = any(getattr(importlib.import_module(other), name) is not first for other in same[1:])
    full = f"{module.removeprefix('stats.')}.{name}" if clash else name
    return f"class {full}" if inspect.isclass(first) else full


def _anchor(heading: str) -> str:
    return heading.lower().replace(".", "").replace(" ", "-")


def _signature(function: Any) -> str:
    """The head of a function as it is written, with constants in place of their names."""
    node = _tree(function)
    defaults = inspect.signature(function).parameters
    texts = []
    for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
        if argument.arg in {"self", "cls"}:
            continue
        if argument in node.args.kwonlyargs[:1]:
            texts.append("*")
        default = defaults[argument.arg].default
        note = f": {ast.unparse(argument.annotation)}" if argument.annotation else ""
        texts.append(argument.arg + note + ("" if default is inspect.Parameter.empty else f" = {_literal(default)}"))
    returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    line = f"{node.name}({', '.join(texts)}){returned}"
    return line if len(line) <= MAX_WIDTH else f"{node.name}(\n    " + ",\n    ".join(texts) + f",\n){returned}"


def _literal(value: Any) -> str:
    return repr(value) if isinstance(value, str | int | float | bool | tuple | None) else type(value).__name__ + "()"


def _class(value: type) -> str:
    """The head of a class and its fields."""
    if not dataclasses.is_dataclass(value):
        return f"class {value.__name__}({', '.join(base.__name__ for base in value.__bases__)})"
    notes = {
        node.target.id: ast.unparse(node.annotation)
        for base in reversed(value.__mro__[:-1])
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(base))))
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    fields = [
        f"    {field.name}: {notes[field.name]}{_default(field)}" for field in dataclasses.fields(value) if field.init
    ]
    return "\n".join([f"class {value.__name__}:", *fields])


def _default(field: Any) -> str:
    if field.default is not dataclasses.MISSING:
        return f" = {_literal(field.default)}" if not callable(field.default) else " = ..."
    return "" if field.default_factory is dataclasses.MISSING else " = ..."


def _methods(value: type) -> Iterator[str]:
    """Public methods and properties, with the first paragraph of what they say."""
    lines = []
    for name, member in vars(value).items():
        function = getattr(member, "fget", None) or getattr(member, "__func__", member)
        if name.startswith("_") or not inspect.isfunction(function) or not function.__doc__:
            continue
        call = name if isinstance(member, property) else " ".join(_signature(function).split())
        paragraph = " ".join(inspect.cleandoc(function.__doc__).split("\n\n")[0].split())
        lines.append(f"- `{call}`: {paragraph}")
    if lines:
        yield "\n" + "\n".join(lines)


def _tree(function: Any) -> ast.FunctionDef:
    node = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function)))).body[0]
    assert isinstance(node, ast.FunctionDef)
    return node


def _schemas(value: Any) -> Iterator[str]:
    """The columns behind each name in capitals that the docstring refers to."""
    module_names = vars(sys.modules[value.__module__])
    for name in dict.fromkeys(re.findall(r"\b[A-Z][A-Z_]{3,}\b", value.__doc__ or "")):
        if _is_schema(module_names.get(name)):
            yield f"\nColumns of {name}:\n"
            yield from _columns(module_names[name])


def _is_schema(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(dtype, pl.DataType) or (isinstance(dtype, type) and issubclass(dtype, pl.DataType))
        for dtype in value.values()
    )


def _columns(schema: Mapping[str, Any]) -> Iterator[str]:
    kinds = [dtype if isinstance(dtype, type) else type(dtype) for dtype in schema.values()]
    yield ", ".join(f"`{column}` {kind.__name__}" for column, kind in zip(schema, kinds, strict=True))


def _prose(docstring: str) -> str:
    """Return a docstring as markdown: its examples become code blocks. Docstrings have no headings."""
    blocks = re.split(r"\n{2,}", docstring)
    return "\n\n".join(
        f"```python no-run\n{block}\n```" if block.lstrip().startswith(">>>") else _paragraph(block) for block in blocks
    )


def _paragraph(block: str) -> str:
    """Escape what markdown would take for HTML outside of code."""
    pieces = re.split(r"(`[^`]*`)", block)
    return "".join(part if part.startswith("`") else part.replace("<", "&lt;") for part in pieces)
