"""Name the items by several columns together: `item = "question_id|turn"` reads the item `81|2`.

The parts are joined by a bar into one more column of the table, whose header is the mapping as the user wrote it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from tasks.errors import ReadError
from tasks.formats.columns.column_roles import find_header, plain
from tasks.formats.parsing.cells import tidy_label, tidy_labels
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.text_table import TextTable

BAR = "|"


def bar_parts(headers: Sequence[str], wanted: str) -> list[str]:
    """Return the headers in `a|b|c`. A header that has the bars itself is one.

    >>> bar_parts(["a", "b"], "a|b"), bar_parts(["a|b"], "a|b"), bar_parts(["a"], "a")
    (['a', 'b'], ['a|b'], ['a'])
    """
    if BAR not in wanted or any(plain(header) == plain(wanted) for header in headers):
        return [wanted]
    return [part.strip() for part in wanted.split(BAR) if part.strip()] or [wanted]


def look_with_item(seen: FileLook, columns: Mapping[str, str]) -> FileLook:
    """Return the look with the joined column, if the item is mapped to several columns.

    Errors: ReadError where one of them is not there.
    """
    places = _places(seen.headers, columns, seen.path.name)
    if not places:
        return seen
    width = len(seen.headers)
    sample = ((*row, _joined([row[i] for i in places])) if len(row) == width else (*row, None) for row in seen.sample)
    return replace(seen, headers=(*seen.headers, columns["item"].strip()), sample=tuple(sample))


def table_with_item(table: TextTable, columns: Mapping[str, str], path: Path) -> TextTable:
    """Return the table with the joined column, if the item is mapped to several columns.

    An item that lacks a part is blank. Errors: ReadError where a column is not there, or where two items would get one
    name because a part holds a bar.
    """
    places = _places(table.headers, columns, path.name)
    if not places:
        return table
    cells = [tidy_labels(pl.col(f"c{i}")) for i in places]
    name = f"c{len(table.headers)}"
    frame = table.frame.with_columns(pl.concat_str(cells, separator=BAR).alias(name))
    pairs = frame.select(name, *(part.alias(f"part{n}") for n, part in enumerate(cells))).drop_nulls(name).unique()
    twice = pairs.filter(pl.col(name).is_duplicated()).sort(name)
    if twice.height:
        raise ReadError(
            f"{path.name}: two items would get the same name {twice[name][0][:60]!r}, because values of the columns "
            f"{columns['item']!r} contain a bar (|).",
            "Add one column that names the item, and map it.",
            file=str(path),
        )
    return replace(
        table,
        frame=frame.select(pl.exclude("row_number"), "row_number"),
        headers=(*table.headers, columns["item"].strip()),
    )


def _places(headers: Sequence[str], columns: Mapping[str, str], file: str) -> list[int]:
    names = bar_parts(headers, columns.get("item", ""))
    return [find_header(headers, part, file, "item") for part in names] if len(names) > 1 else []


def _joined(cells: Sequence[str | None]) -> str | None:
    texts = [tidy_label(cell) for cell in cells]
    return BAR.join(text for text in texts if text) if all(texts) else None
