"""Turn cells into text, whatever their type in the file."""

import ast
import json
import math
import re
import unicodedata
from collections.abc import Mapping, Sequence

import polars as pl


def tidy(column: pl.Expr) -> pl.Expr:
    """Strip the white space around; nothing left is null."""
    return column.str.strip_chars().replace("", None)


def tidy_labels(column: pl.Expr) -> pl.Expr:
    """Tidy a column of labels: as `tidy`, and as `tidy_label` for whole numbers and truth values."""
    text = tidy(column).str.replace(WHOLE.pattern, "$1").str.replace(r"^-0$", "0")
    return text.str.replace("^(?i:true)$", "true").str.replace("^(?i:false)$", "false")


WHOLE = re.compile(r"^(-?[0-9]+)\.0+$")
TRUTH = ("true", "false")
EMPTY_SET = "[]"
"""The set without a label, which only readers of regions write: elsewhere a list without a label is not an answer."""


def tidy_label(label: object) -> str | None:
    """Return one label as stripped text, in one spelling.

    `1.0` becomes `1`, because a spreadsheet or pandas writes whole numbers with a blank among them as 1.0, 2.0. `True`
    and `TRUE` become `true`, because pandas, spreadsheets and JSON write the same value so.

    >>> [tidy_label(x) for x in (" yes ", "1.0", 4.0, 2.5, True, "TRUE", "False", "", None)]
    ['yes', '1', '4', '2.5', 'true', 'true', 'false', None, None]
    """
    text = (cell_text(label) or "").strip()
    if text.endswith("0") and ".0" in text:  # the search costs ten times more than these two
        text = WHOLE.sub(r"\1", text)
    elif len(text) in (4, 5) and text.lower() in TRUTH:
        return text.lower()
    return "0" if text == "-0" else text or None


def nfc(text: str) -> str:
    """Return the text in Unicode's composed form (NFC), in which names and labels are compared."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def cell_text(value: object) -> str | None:
    """Return a JSON or Parquet value as text. NaN and empty lists are null; a list is a set of labels (label_set)."""
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
        return _list_text(value)
    return str(value)


def _list_text(values: Sequence[object]) -> str | None:
    """Return a set of labels. A list that repeats a label keeps it, because it may be the votes of several raters."""
    texts = _label_texts(values)
    return _joined_set(set(texts)) if len(set(texts)) == len(texts) else json.dumps(texts, ensure_ascii=False)


def label_set(labels: Sequence[object]) -> str | None:
    """Return labels chosen together as one label.

    No label is null, one label is itself, more are a sorted JSON array. The path of a nested choice is joined by ' / '.

    >>> label_set(["b", "a"]), label_set(["b"]), label_set([["Animal", "Cat"]]), label_set([])
    ('["a", "b"]', 'b', 'Animal / Cat', None)
    """
    return _joined_set(set(_label_texts(labels)))


def _label_texts(labels: Sequence[object]) -> list[str]:
    """Return the text of each label that is not empty.

    Each element is read once: reading it twice at every level takes time that doubles with each level of nesting.
    """
    return [text for text in (label_path(label) for label in labels) if text is not None]


def _joined_set(texts: set[str]) -> str | None:
    if len(texts) > 1:  # before they are sorted; a label alone is composed with the rest of its column
        texts = {nfc(text) for text in texts}
    if len(texts) < 2:
        return next(iter(texts), None)
    return json.dumps(sorted(texts), ensure_ascii=False)


def labels_of_set(label: str) -> tuple[str, ...]:
    """Return the labels of a set, none of the empty set. A label that is not a set is its only one.

    >>> labels_of_set('["a", "b"]'), labels_of_set("[sic]"), labels_of_set(EMPTY_SET)
    (('a', 'b'), ('[sic]',), ())
    """
    if label == EMPTY_SET:
        return ()
    if not label.startswith("["):
        return (label,)
    try:
        labels = json.loads(label)
    except (ValueError, RecursionError):
        return (label,)
    if isinstance(labels, list) and len(labels) > 1 and all(isinstance(entry, str) for entry in labels):
        return tuple(labels)
    return (label,)


def listed_labels(text: str) -> list[object] | None:
    """Return the elements of a list that a cell holds as text, in JSON or as Python or numpy print it.

    Other text is None.

    >>> listed_labels('["b", "a"]'), listed_labels("['b' 'a']"), listed_labels("['x', 1]"), listed_labels("[sic]")
    (['b', 'a'], ['b', 'a'], ['x', 1], None)
    """
    if not (text.startswith("[") and text.endswith("]")):
        return None
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        if len(text) > MAX_PRINTED_LIST:
            return None
        try:
            value = ast.literal_eval(GAP.sub(r"\1, \2", text))
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            return None
    return value if isinstance(value, list) else None


MAX_PRINTED_LIST = 4_000  # characters: Python's own parser is not made for hostile texts
GAP = re.compile(r"""(['"])\s+(['"])""")  # numpy prints ['b' 'a'], which Python reads as the one word ba


def label_path(label: object) -> str | None:
    """Return one chosen label: its text, or its path joined by ' / '."""
    if isinstance(label, Sequence) and not isinstance(label, str | bytes):
        return " / ".join(part for part in (tidy_label(step) for step in label) if part) or None
    return tidy_label(label)
