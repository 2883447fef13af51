"""Choose the item column if the headers are not enough: the one under which raters rate each item once.

If a column of few values (a task, a topic) is taken as the item, most rows replace each other, and thousands of ratings
count as a handful.
"""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from tasks.errors import ColumnsHint, ReadError, RepeatedItemError
from tasks.formats.columns.column_roles import USUAL_NAMES, ColumnRoles, listed, plain
from tasks.formats.columns.column_values import has_fractions, judged, superseded_share, telling_apart
from tasks.formats.columns.header_words import ITEMS, may_be_label, tokens
from tasks.formats.columns.mapping_proposal import column_lines
from tasks.formats.parsing.text_table import TextTable

MOST = 0.5  # of the rows are superseded: the item is wrong
MAX_SUPERSEDED = 0.1  # are superseded under a column that fits
MIN_BLANK = 0.2  # of the rows have no item, as where it is written once for several rows
ONE_COUNTS = "Some ratings are by the same rater on the same item, and the later one counts"
MIN_ROWS = 20  # below it a file may hold nothing but corrections


def checked_item(table: TextTable, roles: ColumnRoles, path: Path) -> list[str]:
    """Check the item column.

    Returns a sentence if some rows replace each other and a further column tells them apart. Also if no two rows share
    an item and another column fits. Raises ReadError if half of the rows would be replaced and a column tells them
    apart, or if most would be. If the user named the item, nothing is raised.
    """
    keys = [roles.index[role] for role in ("question", "item", "rater") if role in roles.index]
    frame = judged(table.frame, roles.index["item"])
    share = superseded_share(frame, keys)
    if not share:
        return _all_alone(table, roles, keys, frame)
    mapped = "item" in roles.mapped
    if share >= MOST and not mapped:
        others = [i for i in _others(table.headers, roles, keys, frame) if _fits(frame, roles, i)]
        if not others and (apart := _apart(table.headers, roles, frame, keys)):
            raise _several_questions(table, roles.index["item"], apart, share, path)
        if share > MOST and (others or (frame.height >= MIN_ROWS and "time" not in roles.index)):
            raise _wrong(table, roles, others, frame, keys, path)
    return _telling_apart(table.headers, roles, frame, keys)


def _others(headers: Sequence[str], roles: ColumnRoles, keys: Sequence[int], frame: pl.DataFrame) -> list[int]:
    """Return the columns that could be the item instead, those named as one first."""
    used = {roles.index[role] for role in ("label", "time", "duration", "score") if role in roles.index} | {*keys}
    free = [i for i in range(len(headers)) if i not in used]
    return sorted(free, key=lambda i: (not _named_item(headers[i]), i))


def _named_item(header: str) -> bool:
    return plain(header) in USUAL_NAMES["item"] or bool(ITEMS & set(tokens(header)))


def _fits(frame: pl.DataFrame, roles: ColumnRoles, i: int) -> bool:
    """Check whether, with column i as the item, raters usually rate each item once and items have several raters."""
    values = frame[f"c{i}"]
    if values.null_count() or 3 * values.n_unique() > 2 * frame.height or has_fractions(values):
        return False
    keys = [roles.index[role] for role in ("question", "rater") if role in roles.index]
    return superseded_share(frame, [i, *keys]) <= MAX_SUPERSEDED


def _wrong(
    table: TextTable, roles: ColumnRoles, others: Sequence[int], frame: pl.DataFrame, keys: Sequence[int], path: Path
) -> ReadError:
    headers, item = table.headers, roles.index["item"]
    n_rows = frame.select(f"c{key}" for key in keys).drop_nulls()
    n_kept = n_rows.n_unique()
    fitting = listed([headers[i] for i in others], 5)
    message = (
        f"Of {n_rows.height:,} ratings of {path.name} only {n_kept:,} would count if column {headers[item]!r} named "
        "the item: the others are by the same rater on the same item."
    )
    insist = (" If raters do rate an item so often, ", {"item": headers[item]}, " insists.")
    lines = column_lines(headers, frame)
    if others:
        hint = ColumnsHint(f"The item seems to be {fitting}: ", {"item": headers[others[0]]}, ".", *insist)
        return ReadError(message, hint, file=str(path), column=headers[item], lines=lines)
    free = _others(headers, roles, keys, frame)
    if together := telling_apart(frame, keys, free):
        names = [headers[i] for i in together]
        hint = ColumnsHint(
            f"If {listed(names, 5)} {'are parts' if len(names) > 1 else 'is a part'} of its name: ",
            {"item": "|".join((headers[item], *names))},
            ". If the answers are repeats of a judge, `kappaflow judges` compares them.",
            *insist,
        )
    else:
        hint = ColumnsHint("Name the column that tells the items apart: ", {"item": "NAME"}, ".", *insist)
    return RepeatedItemError(message, hint, item=headers[item], file=str(path), column=headers[item], lines=lines)


def _apart(headers: Sequence[str], roles: ColumnRoles, frame: pl.DataFrame, keys: Sequence[int]) -> list[int]:
    """Return the columns that tell all rows apart that replace each other. A time tells which of them counts."""
    if "time" in roles.index:
        return []
    used = {*roles.index.values()}
    free = [i for i, header in enumerate(headers) if i not in used and may_be_label(header)]
    apart = [i for i in free if frame[f"c{i}"].null_count() == 0 and not superseded_share(frame, [*keys, i])]
    return [i for i in apart if 2 * frame[f"c{i}"].n_unique() <= frame.height and not has_fractions(frame[f"c{i}"])]


def _several_questions(table: TextTable, item: int, apart: Sequence[int], share: float, path: Path) -> ReadError:
    """Return the error for a table whose raters rate each item several times, once for each value of a column."""
    name, other = table.headers[item], table.headers[apart[0]]
    return RepeatedItemError(
        f"{share:.0%} of the ratings of {path.name} would be replaced by later ones of the same rater on the same "
        f"item; column {listed([table.headers[i] for i in apart], 5)} tells them apart.",
        ColumnsHint(
            f"If {other!r} is the question: ",
            {"question": other},
            f". If it and {name!r} name the item together: ",
            {"item": f"{name}|{other}"},
            ". If the later ones count: ",
            {"item": name},
            ".",
        ),
        item=name,
        file=str(path),
        column=other,
    )


def _all_alone(table: TextTable, roles: ColumnRoles, keys: Sequence[int], frame: pl.DataFrame) -> list[str]:
    """Return a sentence if no two rows share an item, and another column may be the item."""
    item = roles.index["item"]
    if "item" in roles.mapped or frame.height < MIN_ROWS or frame[f"c{item}"].n_unique() < frame.height:
        return []
    others = [i for i in _others(table.headers, roles, keys, frame) if _fits(frame, roles, i)]
    others = [i for i in others if 2 * frame[f"c{i}"].n_unique() <= frame.height]
    if not others:
        return []
    name, other = table.headers[item], table.headers[others[0]]
    return [f"No two rows share an item in column {name!r}. If {other!r} names the item: --columns item={other}."]


def _telling_apart(headers: Sequence[str], roles: ColumnRoles, frame: pl.DataFrame, keys: Sequence[int]) -> list[str]:
    """Return a sentence if a column that describes the item tells all rows apart that replace each other."""
    apart = _apart(headers, roles, frame, keys)
    if not apart:
        return []
    shown, item = listed([headers[i] for i in apart], 5), headers[roles.index["item"]]
    return [
        f"{ONE_COUNTS}; column {shown} tells them apart. If {item!r} and it name the item together, "
        f"map both: --columns 'item={item}|{headers[apart[0]]}'."
    ]


def merged_cells(items: pl.Series, header: str) -> list[str]:
    """Return a sentence if the item of rows, null where it is blank, is written once for several rows, as in a sheet
    with merged cells."""
    if items.len() < 2 or items[0] is None or items.null_count() < MIN_BLANK * items.len():
        return []
    return [
        f"{items.null_count():,} rows are rejected because column {header!r} is blank. If its cells are "
        "merged, or written once for several rows, fill them down."
    ]
