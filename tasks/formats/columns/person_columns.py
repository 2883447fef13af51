"""Find the columns of a wide table that are not raters: aggregates, flags, labels or questions side by side, counts."""

from collections.abc import Mapping, Sequence
from statistics import fmean

import polars as pl

from tasks.errors import quoted
from tasks.formats.columns.column_roles import AS_WIDE, listed, plain
from tasks.formats.columns.header_words import (
    RATERS,
    names_aggregate,
    names_count,
    names_person,
    names_question,
    names_remark,
    tokens,
)
from tasks.formats.parsing.cells import tidy
from tasks.formats.parsing.text_table import TextTable

TRUTH = ({"0", "1"}, {"true", "false"})
MIN_DISPUTED = 20  # items on which a rater agrees with every majority by chance next to never
MAX_COMPARED = 2_000  # rows
MIN_TURNED = 10  # columns
NAME = {"name", "id", "ids", "names"}
MAX_COMPARED_COLUMNS = 20
MIN_COMPARED = 30  # rows that two columns share
NO_KAPPA, CLEAR_KAPPA = 0.05, 0.3
MIN_ROWS = 3  # with equal sums, which are chance in fewer
NEARLY_EQUAL = 0.25  # variance of the sums by that of the columns: far below 1, which raters who agree exceed
MIN_ROWS_OF_PEOPLE = 10  # the same, if a name may be that of a person
E_MAIL = r"^[^@\s]+@[^@\s]+\.[^@\s]+$"


def no_people(item: str, columns: Sequence[str], labels: frozenset[str]) -> str | None:
    """Return why columns that share these labels are not all raters, or None if they may be. `item` names the items.

    0 and 1, or true and false, are votes only under names of people. Else they are flags, or labels side by side.
    """
    sure = len(columns) > 2  # of two columns one may be a rater who is named `label`
    aggregates = [h for h in columns if names_aggregate(h) and (sure or plain(h) not in ("label", "labels"))]
    if aggregates:
        people = [header for header in columns if header not in aggregates]
        return (
            f"{_columns(aggregates)} named as an aggregate or the right answer, not as a rater."
            f"{_or(item, people)} A right answer is named under gold."
        )
    if remarks := [h for h in columns if names_remark(h)]:
        people = [header for header in columns if header not in remarks]
        return f"{_columns(remarks)} named as a remark on the rating or the item, not as a rater.{_or(item, people)}"
    if len(labels) < 3 and any(labels <= truth for truth in TRUTH):
        others = [header for header in columns if not names_person(header)]
        what = f"only {' and '.join(sorted(labels))} under names that do not look like people's"
    else:
        others = [header for header in columns if names_question(header)]
        what = "answers under names of questions or labels, not of raters"
    if not others:
        return None
    if people := [header for header in columns if header not in others]:
        return f"{_columns(others, 'hold')} {what}.{_or(item, people)}"
    mapping = quoted(f"item={item},rater=...,label={'|'.join(others)}")
    votes = _votes(item, others) if all(label.isdigit() for label in labels) else ""
    return (
        f"{_columns(others, 'hold')} {what}: each seems to be a separate question or label. If another column "
        f"names who rated, read them all: --columns {mapping} as questions, or with labels= "
        f"in place of label= as one set. If they are the raters: {_mapping(item, others)}.{votes}"
    )


def copies_majority(item: str, headers: Sequence[str], columns: Sequence[pl.Series]) -> str | None:
    """Return a sentence if a column is always what most of the others say, and no name of a person: an aggregate.

    An independent rater agrees with the majority of each of MIN_DISPUTED items that the others dispute next to never.
    """
    cells = pl.DataFrame({str(i): column.head(MAX_COMPARED) for i, column in enumerate(columns)}).select(tidy(pl.all()))
    for i, header in reversed([*enumerate(headers)]):  # an aggregate stands behind what it is made of
        if names_person(header) or len(headers) < 4:
            continue
        votes = cells.with_row_index("row").unpivot(on=[str(j) for j in range(len(headers)) if j != i], index="row")
        counts = votes.drop_nulls("value").group_by("row", "value").len()
        most = counts.filter(pl.col("len") == pl.col("len").max().over("row"))
        clear = most.filter(pl.len().over("row") == 1).sort("row")
        disputed = counts.filter(pl.len().over("row") > 1).select("row").unique()
        values = cells[str(i)].gather(clear["row"])
        n_disputed = clear.join(disputed, on="row", how="semi").height
        if n_disputed >= MIN_DISPUTED and (values == clear["value"]).fill_null(False).all():
            people = [name for j, name in enumerate(headers) if j != i]
            return (
                f"column {header!r} is what most of the others say, wherever they dispute: an aggregate, not a rater."
                f"{_or(item, people)}"
            )
    return None


def slots(raters: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return a sentence if a column beside each rater's column names who rated: annotator_1, label_1, annotator_2, ....

    >>> slots(["label_1", "label_2"], ["annotator_1", "annotator_2"])[0][:52]
    "Columns 'annotator_1', 'annotator_2' seem to name wh"
    >>> slots(["label_1", "label_2"], ["annotator", "rater_1_comment"]) + slots([], [])
    []
    """
    who = [h for h in others if RATERS & set(tokens(h)) and all(t in RATERS | NAME or t.isdigit() for t in tokens(h))]
    if not raters or len(who) != len(raters):
        return []
    return [
        f"Columns {listed(who)} seem to name who rated, and {listed(raters)} count as the raters: figures of single "
        "raters mix people. To tell people apart, write a row per rating with a column rater."
    ]


def turned(item: str, columns: Sequence[str], n_rows: int) -> str | None:
    """Return why a table with far more columns than rows may have its raters in the rows, else None."""
    if (
        len(columns) < MIN_TURNED
        or len(columns) <= 2 * n_rows
        or any(names_person(h) and not h.isdigit() for h in columns)
    ):
        return None
    return (
        f"it has {len(columns)} columns that share labels and {n_rows} rows, as if the rows were raters and the "
        f"columns items. Then turn it round. If the columns are raters: {AS_WIDE}'item={item},raters=...'."
    )


def no_agreement(item: str, headers: Sequence[str], columns: Sequence[pl.Series]) -> list[str]:
    """Return a sentence for each column that agrees with the others no better than chance while they agree, or one if
    no columns agree.
    """
    n = len(headers)
    if not 3 <= n <= MAX_COMPARED_COLUMNS:
        return []
    cells = pl.DataFrame({str(i): column.head(MAX_COMPARED) for i, column in enumerate(columns)}).select(tidy(pl.all()))
    kappas = _kappas(cells)
    if len(kappas) < n * (n - 1) / 2:
        return []
    if max(kappas.values()) < NO_KAPPA:
        return [f"Columns {listed(headers)} agree no better than chance. Are they raters, or questions, or labels?"]
    notes = []
    for i, header in enumerate(headers):
        own = fmean(kappa for pair, kappa in kappas.items() if i in pair)
        others = fmean(kappa for pair, kappa in kappas.items() if i not in pair)
        if own < NO_KAPPA and others > CLEAR_KAPPA:
            people = [name for j, name in enumerate(headers) if j != i]
            notes.append(
                f"Column {header!r} agrees with the others no better than chance (mean kappa {own:.2f}, theirs among "
                f"themselves {others:.2f}). Is it a rater?{_or(item, people)}"
            )
    return notes


def _kappas(cells: pl.DataFrame) -> dict[tuple[int, int], float]:
    """Return Cohen's kappa of each two columns, except where they share few rows or it is undefined."""
    from stats.agreement import pairwise  # most tables are read without it

    ratings = cells.with_row_index("item").unpivot(index="item", variable_name="rater", value_name="label").drop_nulls()
    labels = sorted(ratings["label"].unique())
    if len(labels) < 2:
        return {}
    pairs = pairwise(ratings, labels=labels, min_items=MIN_COMPARED).drop_nulls("estimate")
    return {(int(a), int(b)): kappa for a, b, kappa in pairs.select("rater_a", "rater_b", "estimate").iter_rows()}


def no_ratings(table: TextTable, index: Mapping[str, int], raters: Sequence[int]) -> str | None:
    """Return why these cells are not ratings, even if the user named the columns: counts of labels, or rows that are
    people.
    """
    items = table.frame.select(tidy(pl.col(f"c{index['item']}"))).to_series().drop_nulls()
    item = table.headers[index["item"]]
    if len(items) and items.str.contains(E_MAIL).all():
        return f"column {item!r} holds e-mail addresses, so that the rows are people and the columns items."
    return counts_of_labels(item, [table.headers[i] for i in raters], [table.frame[f"c{i}"] for i in raters])


def counts_of_labels(
    item: str, headers: Sequence[str], columns: Sequence[pl.Series], *, nearly: bool = False
) -> str | None:
    """Return a sentence if the cells are numbers of votes or shares of labels: their rows have equal sums.

    With `nearly`, sums that vary far less than the columns do are enough. The labels of raters vary together.
    """
    cells = pl.DataFrame({str(i): column for i, column in enumerate(columns)}).select(
        tidy(pl.all()).cast(pl.Float64, strict=False)
    )
    if len(headers) < 2 or cells.height < MIN_ROWS or any(c.null_count() or (c < 0).any() for c in cells):
        return None
    mapping = _votes(item, headers)
    if all(names_count(header) for header in headers):
        return (
            f"columns {listed(headers)} hold numbers of votes, so that they are counts of labels, not raters.{mapping}"
        )
    vary = sum(column.n_unique() > 1 for column in cells) > 1
    people = any(names_person(header) for header in headers)
    if len(headers) < 3 or not vary or (people and cells.height < MIN_ROWS_OF_PEOPLE):
        return None
    sums = cells.select(pl.sum_horizontal(pl.all()).round(2)).to_series()
    if sums.n_unique() == 1 and sums[0] >= 1:
        how = f"{sums[0]:g}"
    elif nearly and cells.height >= MIN_ROWS_OF_PEOPLE and _share_of_spread(cells, sums) < NEARLY_EQUAL:
        ordered = sums.sort()
        how = f"nearly the same, {ordered[0]:g} to {ordered[-1]:g}"
    else:
        return None
    columns_of_counts = f"each row of columns {listed(headers)} adds up to {how}"
    return f"{columns_of_counts}, so that they are counts of labels, not raters.{mapping}"


def _share_of_spread(cells: pl.DataFrame, sums: pl.Series) -> float:
    """Return the variance of the sums by that of the columns, which is 1 for raters who know nothing of each other."""
    of_columns, of_sums = cells.select(pl.all().var()).row(0), sums.to_frame().select(pl.all().var()).item()
    return float(of_sums / sum(of_columns))


def _votes(item: str, labels: Sequence[str]) -> str:
    """Return the mapping that reads the columns as numbers of votes."""
    return " If they are numbers of votes: --columns " + quoted(f"item={item},labels={'|'.join(labels)}") + "."


def _columns(headers: Sequence[str], verb: str = "are") -> str:
    is_single = len(headers) == 1
    verb = {"are": "is", "hold": "holds"}[verb] if is_single else verb
    return f"column{'' if is_single else 's'} {listed(headers)} {verb}"


def _or(item: str, people: Sequence[str]) -> str:
    """Return the mapping without such columns, if enough are left."""
    return f" If the raters are {listed(people)}: {_mapping(item, people)}." if len(people) > 1 else ""


def _mapping(item: str, people: Sequence[str]) -> str:
    return AS_WIDE + quoted(f"item={item},raters={'|'.join(people)}")
