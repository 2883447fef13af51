"""Give sets of labels in the cells of a table one spelling, so that the same set is the same label.

A cell `["y", "x"]` is the set of x and y, `["x"]` is the label x, and so is Label Studio's `{"choices": ["x"]}`. A list
that repeats a label holds the votes of several raters. A set would lose their counts, so the table is refused.

Labels such as `x|y` are sets only if the user says so (`label_separator`). A column with both `x|y` and `y|x` may hold
sets in two orders or four different labels, so it is refused until the user says which.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

import polars as pl

from tasks.errors import ColumnsHint, ReadError, some
from tasks.formats.parsing.cells import EMPTY_SET, label_set, listed_labels
from tasks.formats.parsing.distinct_texts import distinct
from tasks.formats.parsing.text_table import TextTable

BY_RATER = "Write one row per rating: item, rater, label."
OF_OBJECT = BY_RATER + " If the answer is one field of the objects ({fields}), write that field into a further column."
SEPARATORS = "|;,"
NO_SEPARATOR = "none"
EMPTY_LIST = r"^\s*\[\s*\]\s*$"
MAX_SET_LABEL = 40  # characters; what is longer between commas is a sentence


def empty_list_note(table: TextTable, columns: Iterable[int]) -> tuple[str, ...]:
    """Say that a list without a label, in one of these columns, is not an answer."""
    with_some = [table.headers[i] for i in columns if i in table.empty_lists or _has_empty_list(table.frame, f"c{i}")]
    if not with_some:
        return ()
    where = f"column {with_some[0]!r} has" if len(with_some) == 1 else f"columns {some(with_some)} have"
    return (
        f"The label {EMPTY_SET} is a list without a label ({where} some). It counts as no answer: {EMPTY_SET} may mean"
        ' that nobody answered. If it means that none of the labels fits, write a label for that, such as ["none"].',
    )


def _has_empty_list(frame: pl.DataFrame, name: str) -> bool:
    texts = distinct(frame, name)
    return bool((frame[name] if texts is None else texts).str.contains(EMPTY_LIST).any())


def with_sets(rows: pl.DataFrame, header: str, path: Path, separator: str | None = None) -> pl.DataFrame:
    """Return the rows with each set of labels as a sorted JSON array.

    `separator` stands between the labels of a set. With "none" a label that is not a list is one label. Errors:
    ReadError for a list that repeats a label or holds lists, if most labels are objects, and without a separator for
    labels that differ only in the order of their parts.
    """
    texts = distinct(rows, "label")
    texts = rows["label"].unique() if texts is None else texts
    texts = texts.drop_nulls()
    if (objects := texts.filter(texts.str.starts_with("{"))).len():
        _refuse_objects(rows, objects, header, path)
    if separator is None:
        _refuse_two_orders(texts, header, path, rows)
    lists = texts.filter(texts.str.contains(r"^\[|^\{\s*\"choices\""))
    written = lists.to_list()
    spelled = [_one_spelling(text, header, path, rows) for text in written]
    if separator and separator != NO_SEPARATOR:
        separated = texts.filter(texts.str.contains(separator, literal=True) & ~texts.is_in(lists.implode())).to_list()
        written += separated
        spelled += [label_set([part.strip() for part in text.split(separator)]) for text in separated]
    changed = {old: new for old, new in zip(written, spelled, strict=True) if new != old}
    if not changed:
        return rows
    new = pl.Series(list(changed.values()), dtype=pl.String)
    return rows.with_columns(pl.col("label").replace(pl.Series(list(changed), dtype=pl.String), new))


def _one_spelling(text: str, header: str, path: Path, rows: pl.DataFrame) -> str | None:
    choices = _choices(text)
    elements = listed_labels(text) if choices is None else choices
    if elements is None:
        return text
    if any(isinstance(element, dict) or _is_object(element) for element in elements):
        _refuse(text, "holds objects, not labels", header, path, rows)
    if any(isinstance(element, list | tuple) for element in elements):
        _refuse(text, "holds lists within a list: the answers of several raters, or paths", header, path, rows)
    labels = [element for element in elements if label_set([element]) is not None]
    if len({label_set([element]) for element in labels}) < len(labels):
        _refuse(text, "repeats a label, so it is not a set: the votes of several raters", header, path, rows)
    return label_set(labels)


def _is_object(element: object) -> bool:
    """Check whether the element is an object written as text, as in lists of tables of records."""
    return isinstance(element, str) and element.startswith("{") and isinstance(_parsed(element), dict)


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _choices(text: str) -> list[object] | None:
    """Return the labels of Label Studio's object of choices, which has no other key. Other text is None."""
    value = _parsed(text) if text.startswith("{") else None
    if not isinstance(value, dict) or [*value] != ["choices"]:
        return None
    return value["choices"] if isinstance(value["choices"], list) else [value["choices"]]


def _refuse_two_orders(texts: pl.Series, header: str, path: Path, rows: pl.DataFrame) -> None:
    """Refuse labels such as x|y beside y|x: they are one set, or two labels."""
    for separator in SEPARATORS:
        parted = texts.filter(texts.str.contains(separator, literal=True) & ~texts.str.contains(r"^[\[{]"))
        seen: dict[tuple[str, ...], str] = {}
        for text in parted.sort().to_list():
            elements = [part.strip() for part in text.split(separator)]
            if not all(elements) or max(map(len, elements)) > MAX_SET_LABEL:
                continue
            other = seen.setdefault(tuple(sorted(elements)), text)
            if [part.strip() for part in other.split(separator)] != elements:
                row = rows.filter(pl.col("label") == text)["row_number"][0]
                raise ReadError(
                    f"Row {row} of {path.name}: column {header!r} has {text!r}, and elsewhere {other!r}. That may be "
                    "one set of labels in two orders, or two labels.",
                    ColumnsHint(
                        "If it is a set, use ",
                        {"label_separator": separator},
                        ". If each is a label, use ",
                        {"label_separator": NO_SEPARATOR},
                        ".",
                    ),
                    file=str(path),
                    row=row,
                    column=header,
                )


def _refuse_objects(rows: pl.DataFrame, texts: pl.Series, header: str, path: Path) -> None:
    objects = [text for text in texts.to_list() if isinstance(_parsed(text), dict) and _choices(text) is None]
    labels = rows["label"].drop_nulls()
    if 2 * labels.is_in(objects).sum() > len(labels):
        first = rows.filter(pl.col("label").is_in(objects)).sort("row_number")["label"][0]
        what = "holds objects (counts, or answers to several questions), not labels"
        fields = some([str(key) for key in _parsed(first)])  # type: ignore[attr-defined]
        _refuse(first, what, header, path, rows, OF_OBJECT.format(fields=fields))


def _refuse(text: str, what: str, header: str, path: Path, rows: pl.DataFrame, hint: str = BY_RATER) -> NoReturn:
    row = rows.filter(pl.col("label") == text)["row_number"][0]
    raise ReadError(
        f"Row {row} of {path.name}: column {header!r} {what} ({text[:60]}{'...' if len(text) > 60 else ''}).",
        hint,
        file=str(path),
        row=row,
        column=header,
    )
