"""Say that labels such as `billing;bug` are probably sets of labels, joined by a separator that nobody declared."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

import polars as pl

from tasks.counted_words import counted, short_name
from tasks.formats.parsing.distinct_texts import distinct
from tasks.formats.parsing.set_cells import MAX_SET_LABEL, NO_SEPARATOR, SEPARATORS

LEAST_SETS = 3  # different labels of which each part is a label elsewhere
LEAST_SHARE = 0.75  # of the labels that hold the separator
MAX_TEXTS = 10_000  # different labels: more are not those of a list
DECIMAL = re.compile(r"-?\d+,\d+")

LabelsOf = Callable[[str], Sequence[str] | None]
"""The labels that a question declares; None if it declares none."""


def joined_labels_notes(rows: pl.DataFrame, separator: str | None, labels_of: LabelsOf) -> tuple[str, ...]:
    """Say which labels of a table (question, label) are very likely sets.

    Where a question declares its labels, these decide: a text is a set if all its parts are declared. Nothing is said
    of a mark that a declared label holds itself, nor of any mark if `separator` is declared.
    """
    if separator:
        return ()
    names = rows["question"].unique().drop_nulls().sort()
    declared_labels = {name: labels for name in names if (labels := labels_of(name))}
    question = pl.col("question")
    notes = [
        _declared_sets(rows.filter(question == name)["label"], name, labels) for name, labels in declared_labels.items()
    ]
    others = rows.filter(~question.is_in(list(declared_labels))) if declared_labels else rows
    return (*filter(None, notes), *joined_labels_note(others["label"], None))


def _declared_sets(answers: pl.Series, question: str, labels: Sequence[str]) -> str | None:
    """Say how many answers are declared labels, joined by a separator. Without the setting they are rejected."""
    declared_labels = {label.strip() for label in labels}
    counts: dict[str, int] = dict(answers.drop_nulls().value_counts().iter_rows())
    sets_of = {
        mark: [text for text in counts if mark in text and declared_labels.issuperset(_parts(text, mark) or [""])]
        for mark in SEPARATORS
        if not any(mark in label for label in declared_labels)
    }
    mark = max(sets_of, key=lambda mark: len(sets_of[mark]), default="")
    if not mark or not sets_of[mark]:
        return None
    n_answers = sum(counts[text] for text in sets_of[mark])
    example = max(sets_of[mark], key=lambda text: (counts[text], text))
    return (
        f"{n_answers:,} of {counted(sum(counts.values()), 'answer')} to {question!r} are declared labels joined by "
        f"{mark!r}, such as {short_name(example)!r}, and are rejected. If they are sets of labels, {_setting(mark)}."
    )


def _setting(mark: str) -> str:
    return (
        f'write label_separator = "{mark}" into `columns` of the source (for a single file --columns '
        f"'label_separator={mark}')"
    )


def joined_labels_note(labels: pl.Series, separator: str | None, *, sampled: bool = False) -> tuple[str, ...]:
    """Say how many answers hold several labels joined by a separator, with an example and the setting to write.

    Nothing is said if `separator` is declared, nor if it is not very likely (`_probable_sets`). `sampled`: there are
    more answers than these first ones.
    """
    mark, sets = ("", []) if separator else likely_sets(labels)
    if not sets:
        return ()
    counts: dict[str, int] = dict(labels.drop_nulls().value_counts().iter_rows())
    n_answers = sum(counts[text] for text in sets)
    example = max(sets, key=lambda text: (counts[text], text))
    among = f"{'the first ' if sampled else ''}{counted(sum(counts.values()), 'answer')}"
    return (
        f"{n_answers:,} of {among} look like several labels joined by {mark!r}, such "
        f"as {short_name(example)!r}. Each combination now counts as one label. If they are sets of labels, "
        f'{_setting(mark)}, else "{NO_SEPARATOR}".',
    )


def likely_sets(labels: pl.Series) -> tuple[str, list[str]]:
    """Return the separator of labels that are very likely sets of labels, and these labels, else none."""
    repeated = distinct(labels.to_frame(), labels.name)
    texts = (labels.unique() if repeated is None else repeated).drop_nulls()
    if len(texts) > MAX_TEXTS:
        return "", []
    sets_of = {mark: _probable_sets(texts.to_list(), mark) for mark in SEPARATORS}
    mark = max(sets_of, key=lambda mark: len(sets_of[mark]))
    return (mark, sets_of[mark]) if sets_of[mark] else ("", [])


def _probable_sets(texts: Sequence[str], separator: str) -> list[str]:
    """Return the labels that hold the separator, if they are very likely sets of labels, else none.

    Their parts must occur elsewhere: alone, or in another label. Half of the parts must also be free, that is occur
    alone or at another place, and one label must have free parts only: `with comments` in `Yes; with comments` and
    `No; with comments` is not free, and of `positive, high`, `positive, low`, `negative, high` no part is.
    """
    parts_of = {text: _parts(text, separator) for text in texts if separator in text and text[0] not in "[{"}
    n_labels: Counter[str] = Counter()
    places: dict[str, set[tuple[bool, bool]]] = defaultdict(set)
    for text in texts:
        parts = parts_of.get(text) or [text]
        n_labels.update(parts)
        for i, part in enumerate(parts):
            places[part].add((i == 0, i == len(parts) - 1))  # alone, a part is the first and the last
    probable = [text for text, parts in parts_of.items() if parts and all(n_labels[part] > 1 for part in parts)]
    parts_used = {part for text in probable for part in parts_of[text]}
    free = {part for part in parts_used if len(places[part]) > 1}
    if not any(free.issuperset(parts_of[text]) for text in probable) or 2 * len(free) < len(parts_used):
        return []
    return probable if len(probable) >= max(LEAST_SETS, LEAST_SHARE * len(parts_of)) else []


def _parts(text: str, separator: str) -> list[str]:
    """Return the parts of a label; none if they cannot be a set: a part is blank, long, or there twice."""
    parts = [part.strip() for part in text.split(separator)]
    if not all(parts) or len(set(parts)) < len(parts) or max(map(len, parts)) > MAX_SET_LABEL:
        return []
    return [] if separator == "," and DECIMAL.fullmatch(text) else parts
