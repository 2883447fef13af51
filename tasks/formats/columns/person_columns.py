"""Find the columns of a wide table that are no raters: aggregates, flags, labels and questions side by side, counts."""

from collections.abc import Mapping, Sequence

import polars as pl

from tasks.formats.columns.column_roles import listed, plain
from tasks.formats.columns.header_words import names_aggregate, names_count, names_person, names_question
from tasks.formats.parsing.cells import tidy
from tasks.formats.parsing.text_table import TextTable

TRUTH = ({"0", "1"}, {"true", "false"})
MIN_ROWS = 3  # with equal sums, which are chance in fewer
MIN_ROWS_OF_PEOPLE = 10  # the same, if a name may be that of a person
E_MAIL = r"^[^@\s]+@[^@\s]+\.[^@\s]+$"


def no_people(columns: Sequence[str], labels: frozenset[str]) -> str | None:
    """Return why columns that share these labels are not all raters, or None if they may be.

    0 and 1, or true and false, are votes only under names of people. Else they are flags, or labels side by side.
    """
    sure = len(columns) > 2  # of two columns one may be a rater who is named `label`
    aggregates = [h for h in columns if names_aggregate(h) and (sure or plain(h) not in ("label", "labels"))]
    if aggregates:
        people = [header for header in columns if header not in aggregates]
        return (
            f"{_columns(aggregates)} named as an aggregate or the right answer, not as a rater."
            f"{_or(people)} A right answer is named under gold."
        )
    if len(labels) < 3 and any(labels <= truth for truth in TRUTH):
        others = [header for header in columns if not names_person(header)]
        what = f"only {' and '.join(sorted(labels))} under names that do not look like people's"
    else:
        others = [header for header in columns if names_question(header)]
        what = "answers under names of questions or labels, not of raters"
    if not others:
        return None
    if people := [header for header in columns if header not in others]:
        return f"{_columns(others, 'hold')} {what}.{_or(people)}"
    bars = "|".join(others)
    return (
        f"{_columns(others, 'hold')} {what}: each seems to be a question or a label of its own. If another column "
        f"names who rated, read them all: --columns 'item=...,rater=...,label={bars}' as questions, or with labels= in "
        f"place of label= as one set. If they are the raters: --format wide --columns 'item=...,raters={bars}'."
    )


def no_ratings(table: TextTable, index: Mapping[str, int], raters: Sequence[int]) -> str | None:
    """Return why these cells are no ratings, even if the user named the columns: counts of labels, or rows that are
    people.
    """
    items = table.frame.select(tidy(pl.col(f"c{index['item']}"))).to_series().drop_nulls()
    if len(items) and items.str.contains(E_MAIL).all():
        header = table.headers[index["item"]]
        return f"column {header!r} holds e-mail addresses, so that the rows are people and the columns items."
    named = [table.headers[i] for i in raters]
    if len(raters) < 2 or table.frame.height < MIN_ROWS:
        return None
    cells = table.frame.select(tidy(pl.col(f"c{i}")).cast(pl.Int64, strict=False) for i in raters)
    if any(column.null_count() or (column < 0).any() for column in cells):
        return None
    if all(names_count(header) for header in named):
        return f"columns {listed(named)} hold numbers of votes, so that they are counts of labels, not raters."
    sums = cells.select(pl.sum_horizontal(pl.all())).to_series()
    people = any(names_person(header) for header in named)
    vary = sum(column.n_unique() > 1 for column in cells) > 1
    if len(raters) < 3 or sums.n_unique() > 1 or sums[0] < 1 or not vary:
        return None
    if people and table.frame.height < MIN_ROWS_OF_PEOPLE:
        return None
    return f"each row of columns {listed(named)} adds up to {sums[0]}, so that they are counts of labels, not raters."


def _columns(headers: Sequence[str], verb: str = "are") -> str:
    one = len(headers) == 1
    verb = {"are": "is", "hold": "holds"}[verb] if one else verb
    return f"column{'' if one else 's'} {listed(headers)} {verb}"


def _or(people: Sequence[str]) -> str:
    """Return the mapping without such columns, if enough are left."""
    if len(people) < 2:
        return ""
    return f" If the raters are {listed(people)}: raters='{'|'.join(people)}'."
