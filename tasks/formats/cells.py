"""Text in, text out: what readers make of a cell, whatever its type in the file."""

import json
import math
import re
from collections.abc import Mapping, Sequence

import polars as pl


def tidy(column: pl.Expr) -> pl.Expr:
    """Strip the white space around; nothing left is null."""
    stripped = column.str.strip_chars()
    return pl.when(stripped != "").then(stripped)


def tidy_labels(column: pl.Expr) -> pl.Expr:
    """As tidy; and a whole number written with decimals loses them, see tidy_label."""
    return tidy(column).str.replace(WHOLE.pattern, "$1").str.replace(r"^-0$", "0")


WHOLE = re.compile(r"^(-?[0-9]+)\.0+$")


def tidy_label(label: object) -> str | None:
    """One label as the readers write it: text, stripped, `1.0` as `1` (a spreadsheet or pandas writes a column of
    whole numbers with a blank among them as 1.0, 2.0; they must stay the labels that they are elsewhere).

    >>> [tidy_label(x) for x in (" yes ", "1.0", 4.0, 2.5, True, "", None)]
    ['yes', '1', '4', '2.5', 'true', None, None]
    """
    text = (cell_text(label) or "").strip()
    if text.endswith("0") and ".0" in text:  # the search costs ten times more than these two
        text = WHOLE.sub(r"\1", text)
    return "0" if text == "-0" else text or None


def cell_text(value: object) -> str | None:
    """A JSON or Parquet value as text; NaN and empty lists are null, a list is a set of labels (label_set)."""
    if value is None or isinstance(value, str):
        return value
    if type(value) is int:
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    if isinstance(value, Sequence):
        return label_set(value)
    return str(value)


def label_set(labels: Sequence[object]) -> str | None:
    """Labels chosen together as one label: none is null, one is itself, more are a sorted JSON array.
    A path of a nested choice is joined by ' / '.

    >>> label_set(["b", "a"]), label_set(["b"]), label_set([["Animal", "Cat"]]), label_set([])
    ('["a", "b"]', 'b', 'Animal / Cat', None)
    """
    texts = {text for text in (label_path(label) for label in labels) if text is not None}
    if len(texts) < 2:
        return next(iter(texts), None)
    return json.dumps(sorted(texts), ensure_ascii=False)


def labels_of_set(label: str) -> tuple[str, ...]:
    """The labels of a set of labels; a label that is no set is its only one.

    >>> labels_of_set('["a", "b"]'), labels_of_set("[sic]")
    (('a', 'b'), ('[sic]',))
    """
    if not label.startswith("["):
        return (label,)
    try:
        labels = json.loads(label)
    except (ValueError, RecursionError):
        return (label,)
    if isinstance(labels, list) and len(labels) > 1 and all(isinstance(one, str) for one in labels):
        return tuple(labels)
    return (label,)


def label_path(label: object) -> str | None:
    """One chosen label: bare text, or the path to it joined by ' / '."""
    if isinstance(label, Sequence) and not isinstance(label, str | bytes):
        return " / ".join(part for part in (tidy_label(step) for step in label) if part) or None
    return tidy_label(label)
