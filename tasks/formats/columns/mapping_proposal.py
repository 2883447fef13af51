"""Describe a refused table column by column, and propose a mapping that fits its values."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from tasks.counted_words import counted
from tasks.errors import ColumnsHint, UnknownFormatError, quoted
from tasks.formats.columns.column_roles import ALL, AS_WIDE, HINT, ColumnRoles, listed
from tasks.formats.columns.column_values import (
    MAX_LABEL_LENGTH,
    MAX_LABELS,
    has_several_raters,
    label_like,
    superseded_share,
    telling_apart,
)
from tasks.formats.columns.header_grid import two_names
from tasks.formats.columns.header_rows import second_row_note, title_note
from tasks.formats.columns.header_words import (
    ITEMS,
    QUESTIONS,
    RATERS,
    STATES,
    may_be_label,
    names_person,
    names_question,
    tokens,
)
from tasks.formats.columns.rater_in_name import FILE
from tasks.formats.parsing.cells import tidy
from tasks.formats.parsing.workbook import other_sheets

MAX_VALUES = 3
MAX_VALUE_LENGTH = 30
MAX_LINES = 300
ANSWER_WORDS = {
    "score",
    "scores",
    "rating",
    "label",
    "answer",
    "verdict",
    "vote",
    "choice",
    "rationale",
    "reason",
    "comment",
}
NO_RATER = f" If each file is by one rater, rater={FILE} takes the rater from the name of the file."
NESTED = (
    " Lists and objects stand in {columns}: if the answers are in there, write a row for each, with item, rater, label."
)
MAX_SUPERSEDED = 0.5  # of the rows share item and rater: the item is wrong


def missing_columns(
    path: Path,
    headers: Sequence[str],
    frame: pl.DataFrame,
    roles: ColumnRoles,
    wide: str | None = None,
    *,
    may_be_wide: bool = True,
) -> UnknownFormatError:
    """Return the error for a table without item, rater or label: all its columns with values, and a mapping to try.

    `frame` holds the first rows as columns c0, c1, .... `wide` says why it is not a wide table. A title above the
    header, a header of two rows, and other sheets of a workbook, are better hints than a mapping. Without `may_be_wide`
    no mapping of a wide table is proposed.
    """
    missing = " or the ".join(roles.missing)
    nobody = " It does not say who rated." if "rater" in roles.missing else ""
    no_wide = f" It is not a wide table either: {wide}" if wide else ""
    title = title_note(headers, frame) or second_row_note(headers, frame)
    sheets = other_sheets(path)
    better = (sheets + title).strip()
    if frame.is_empty():
        no_wide += " It has a header but no rows."
    hint = ColumnsHint(better) if better else proposed(headers, frame, roles, may_be_wide=may_be_wide)
    if wide and "--columns" in wide and hint.phrases[: len(HINT.phrases)] == HINT.phrases:
        hint = ColumnsHint("Use the mapping above if it fits.", *hint.phrases[len(HINT.phrases) :])
    is_open = "label" in roles.missing or hint.phrases[: len(HINT.phrases)] == HINT.phrases
    if is_open and (nested := [h for i, h in enumerate(headers) if _is_nested(frame, i)]):
        hint += NESTED.format(columns=listed(nested, 5))
    return UnknownFormatError(
        f"{path.name} has columns {listed(headers, ALL)}; none of them is known as the {missing}.{nobody}{no_wide}",
        hint,
        file=str(path),
        lines=column_lines(headers, frame),
    )


def column_lines(headers: Sequence[str], frame: pl.DataFrame) -> tuple[str, ...]:
    """Return a line for each column: its name and its first values."""
    width = min(40, max((len(header) for header in headers), default=0))
    lines = [
        f"  {header[:40] or '(no name)':<{width}}  {_values(frame, i)}" for i, header in enumerate(headers[:MAX_LINES])
    ]
    more = len(headers) - len(lines)
    return ("Its columns and their first values:", *lines, *([f"  and {counted(more, 'more column')}"] if more else []))


def proposed(
    headers: Sequence[str], frame: pl.DataFrame, roles: ColumnRoles, *, may_be_wide: bool = True
) -> ColumnsHint:
    """Return the hint: a mapping with the columns that fit best, or the general sentence in case of doubt."""
    rows = frame.with_columns(tidy(pl.all()))
    used = set(roles.index.values())
    if may_be_wide and (people := _people(headers, rows, roles.index.get("rater"))):
        return ColumnsHint(_wide(headers, rows, roles.index.get("item"), people))
    who = [i for i in _by_words(headers, RATERS, used) if not ANSWER_WORDS & set(tokens(headers[i]))]
    rater = roles.index.get("rater", _first(headers, rows, who))
    if rater is None:
        may_be_wide = may_be_wide and not {"item", "label"} & {*roles.index}
        wide = _first_and_others(headers, rows) if may_be_wide else None
        return wide or HINT + ("" if who else NO_RATER)
    item, question = roles.index.get("item", _item(headers, rows, rater, used)), None
    if item is None:
        item, question = _item_and_question(headers, rows, rater, used)
    if item is None:
        return HINT + f" The rater seems to be {headers[rater]!r}."
    label = roles.index.get("label")
    labels = [label] if label is not None else _labels(headers, rows, item, rater)
    labels = [i for i in labels if i != question]
    if not labels:
        return HINT + f" The item seems to be {headers[item]!r}, the rater {headers[rater]!r}."
    mapping = {"item": headers[item], "rater": headers[rater], "label": headers[labels[0]]}
    if question is not None:
        return ColumnsHint("If this fits: ", mapping | {"question": headers[question]}, ".")
    hint = ColumnsHint("If this fits: ", mapping, ".")
    if len(labels) > 1:
        others = listed([headers[i] for i in labels[1:]], 20)
        hint += f" The label may also be {others}: each is a question."
        if all("|" not in headers[i] for i in labels):
            hint += f" Read them together with 'label={'|'.join(headers[i] for i in labels[:20])}'."
    if superseded_share(rows, [item, rater]):
        free = [i for i in range(len(headers)) if i not in labels and _short(rows, i, shares=True)]
        if further := [headers[i] for i in telling_apart(rows, [item, rater], free)]:
            joined = mapping | {"item": "|".join((headers[item], *further))}
            are = "are parts" if len(further) > 1 else "is a part"
            about = f" Some rows share both item and rater. If {listed(further, 5)} {are} of the item's name: "
            if len(further) == 1 and QUESTIONS & set(tokens(further[0])):
                about = f" Some rows share both item and rater. If {further[0]!r} is the question: "
                joined = mapping | {"question": further[0]}
            return ColumnsHint(*hint.phrases, about, joined, ".")
        hint += " Some rows share both item and rater: if a further column tells them apart: 'item=A|B'."
    return hint


def _labels(headers: Sequence[str], rows: pl.DataFrame, item: int, rater: int) -> list[int]:
    """Return the columns that may be the label: those that differ between the raters of an item, then the others."""
    free = [
        i
        for i, header in enumerate(headers)
        if header
        and i not in (item, rater)
        and may_be_label(header)
        and not STATES & set(tokens(header))
        and not _is_structure(rows, i)
    ]
    several = has_several_raters(rows, item, rater)
    if not several:
        return [i for i in free if label_like(rows, item, i, several=False)]
    differing = [i for i in free if label_like(rows, item, i, several=True)]
    constant = [i for i in free if i not in differing and label_like(rows, item, i, several=False)]
    return differing and differing + constant


def _by_words(headers: Sequence[str], words: frozenset[str], used: set[int]) -> list[int]:
    return [i for i, header in enumerate(headers) if i not in used and words & set(tokens(header))]


def _first(headers: Sequence[str], rows: pl.DataFrame, places: Sequence[int]) -> int | None:
    """Return the first of these columns that has a value in each row, those with `id` in their name before others."""
    full = [i for i in places if rows.height and not rows[f"c{i}"].null_count() and not _is_structure(rows, i)]
    return min(full, key=lambda i: ("id" not in tokens(headers[i]), i), default=None)


def _item(headers: Sequence[str], rows: pl.DataFrame, rater: int, used: set[int]) -> int | None:
    """Return the column named as an item that repeats, and under which raters rate most items once."""
    item_columns = [
        i for i in _by_words(headers, ITEMS, used) if i != rater and not (RATERS | STATES) & set(tokens(headers[i]))
    ]
    exact = [i for i in item_columns if {"id", "ids"} & set(tokens(headers[i])) or set(tokens(headers[i])) <= ITEMS]
    fitting = [i for i in exact if superseded_share(rows, [i, rater]) <= MAX_SUPERSEDED]
    return _first(headers, rows, [i for i in fitting if rows[f"c{i}"].n_unique() < rows.height])


def _item_and_question(
    headers: Sequence[str], rows: pl.DataFrame, rater: int, used: set[int]
) -> tuple[int, int] | tuple[None, None]:
    """Return a column named as an item and one named as a question, under which raters answer each question once."""
    for question in _by_words(headers, QUESTIONS, used | {rater}):
        if rows[f"c{question}"].null_count() or not _short(rows, question):
            continue
        ids = _by_words(headers, frozenset({"id", "ids"}), used | {question, rater})
        names = [i for i in ids if not (RATERS | STATES) & set(tokens(headers[i]))]
        unrepeated = [i for i in names if not superseded_share(rows, [i, rater, question])]
        item = _first(headers, rows, [i for i in unrepeated if superseded_share(rows, [i, question])])
        if item is not None:
            return item, question
    return None, None


def _people(headers: Sequence[str], rows: pl.DataFrame, rater: int | None) -> list[int]:
    """Return the columns named as people.

    At least two of them, and the known rater, must share labels. Otherwise return no column.
    """
    person_columns = [i for i, header in enumerate(headers) if names_person(header) and _short(rows, i)]
    sets = {i: set(rows[f"c{i}"].drop_nulls().to_list()) for i in person_columns if "id" not in tokens(headers[i])}
    alike = {i for i in sets for j in sets if j != i and 2 * len(sets[i] & sets[j]) >= len(sets[i] | sets[j])}
    labels = set[str]().union(*(sets[i] for i in alike))
    return [i for i in sets if sets[i] & labels] if alike and (rater is None or rater in alike) else []


def _first_and_others(headers: Sequence[str], rows: pl.DataFrame) -> ColumnsHint | None:
    """Return a mapping where the first column has one id a row, and the others share labels.

    The others are the raters, or questions if most of them are named as such.
    """
    others = [i for i in range(1, len(headers)) if _short(rows, i)]
    sets = [set(rows[f"c{i}"].drop_nulls().to_list()) for i in others]
    ids = rows["c0"]
    if len(others) < 2 or len(others) < len(headers) - 1 or ids.null_count() or not ids.is_unique().all():
        return None
    if not all(sum(bool(each & other) for other in sets) > 1 for each in sets):
        return None
    names = "|".join(headers[i] for i in others)
    if 2 * sum(names_question(headers[i]) for i in others) >= len(others):
        return ColumnsHint(
            "If each column is a question, and one rater answered them all: ",
            {"item": headers[0], "rater": FILE, "label": names},
            ", with a file for each rater, who is named by the file.",
        )
    raters = quoted(f"item={headers[0]},raters={names}")
    return ColumnsHint(f"If each row is an item, and the columns are raters: {AS_WIDE}{raters}.")


def _wide(headers: Sequence[str], rows: pl.DataFrame, item: int | None, people: Sequence[int]) -> str:
    free = [i for i, header in enumerate(headers) if i not in people and not names_person(header)]
    if item is None:
        unique = [i for i in free if rows[f"c{i}"].null_count() == 0 and rows[f"c{i}"].is_unique().all()]
        item = min(unique, key=lambda i: (not {"id", "uid"} & set(tokens(headers[i])), i), default=None)
    raters = "|".join(headers[i] for i in people)
    if item is None:
        return f"If the rows are items and these the raters: --format wide --columns {quoted(f'raters={raters}')}."
    if grid := two_names(headers[item], [headers[i] for i in people]):
        return grid[0].upper() + grid[1:]
    name = "|".join(headers[i] for i in _of_one_row(rows, item, [i for i in range(len(headers)) if i not in people]))
    return f"If this fits: {AS_WIDE}{quoted(f'item={name},raters={raters}')}."


def _of_one_row(rows: pl.DataFrame, item: int, others: Sequence[int]) -> list[int]:
    """Return the item, with the fewest further columns that together name one row each, if its ids repeat."""
    if not superseded_share(rows, [item]):
        return [item]
    return [item, *telling_apart(rows, [item], [i for i in others if _short(rows, i)])]


def _short(rows: pl.DataFrame, i: int, *, shares: bool = False) -> bool:
    values = rows[f"c{i}"].drop_nulls()
    label_like = 0 < values.n_unique() <= MAX_LABELS and max(values.str.len_chars().to_list()) <= MAX_LABEL_LENGTH
    return label_like and not _is_structure(rows, i) and (shares or not _is_share(values))


def _is_share(values: pl.Series) -> bool:
    numbers = values.cast(pl.Float64, strict=False)
    return numbers.null_count() == 0 and bool((numbers != numbers.floor()).any())


def _is_structure(rows: pl.DataFrame, i: int) -> bool:
    return bool(rows[f"c{i}"].drop_nulls().str.contains(r"^[\[{]").any())


def _is_nested(frame: pl.DataFrame, i: int) -> bool:
    """Check whether each value is a list or an object."""
    values = frame[f"c{i}"].drop_nulls()
    return bool(len(values) and values.str.contains(r"^\s*[\[{]").all())


def _values(frame: pl.DataFrame, i: int) -> str:
    values = frame.select(tidy(pl.col(f"c{i}"))).to_series().drop_nulls().unique(maintain_order=True)
    shown = [
        value[:MAX_VALUE_LENGTH] + ("..." if len(value) > MAX_VALUE_LENGTH else "") for value in values.head(MAX_VALUES)
    ]
    more = ", ..." if len(values) > MAX_VALUES else ""
    return ", ".join(" ".join(value.split()) for value in shown) + more if shown else "(blank)"
