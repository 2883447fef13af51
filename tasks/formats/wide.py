"""Read wide tables: one row per item, one column per rater or system, a blank cell for no rating.

A table is detected as wide only if it cannot mean anything else: it has an id column with one row per id, and columns
that share a label set. The values show which columns are raters. Columns whose sets of labels overlap at least by half
belong together, and so do columns that use labels of that set only. A column that uses some of the labels and other
values may be a rater or not. Then the table is refused.

In a table without an id column each row is an item, if the user names the raters or all columns have names of people.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from tasks.errors import ReadError, quoted
from tasks.formats.columns.column_roles import (
    AS_WIDE,
    LABEL_SEPARATOR,
    TIME_FORMAT,
    USUAL_NAMES,
    ColumnChoice,
    assign_roles,
    find_header,
    in_order,
    listed,
    plain,
)
from tasks.formats.columns.header_grid import as_questions, two_names
from tasks.formats.columns.header_rows import check_header
from tasks.formats.columns.header_words import names_person
from tasks.formats.columns.item_columns import item_metadata, metadata_keys, unused_times
from tasks.formats.columns.joined_columns import look_with_item, table_with_item
from tasks.formats.columns.mapping_proposal import column_lines
from tasks.formats.columns.person_columns import (
    copies_majority,
    counts_of_labels,
    no_agreement,
    no_people,
    no_ratings,
    slots,
    turned,
)
from tasks.formats.columns.rater_in_name import file_names_rater
from tasks.formats.columns.totals_row import without_totals
from tasks.formats.parsing.cells import tidy_labels
from tasks.formats.parsing.decompress import stem
from tasks.formats.parsing.export import Export, Format, ReadOptions, canonical
from tasks.formats.parsing.file_look import SAMPLE, FileLook, sample_frame
from tasks.formats.parsing.reject_rows import rejects_frame
from tasks.formats.parsing.set_cells import empty_list_note, with_sets
from tasks.formats.parsing.text_table import TextTable, read_table
from tasks.formats.parsing.timestamps import with_times
from tasks.formats.weighted import N_ITEMS, refuse_wide

AUTOMATIC = ("item", "question")
INDEX_NAMES = ("", "unnamed:0", "index", "rowid", "row")
NOT_RATERS = frozenset(
    {"text", "title", "url", "link", "source", "split", "fold", "batch", "lang", "language", "index", "row", "rowid"}
    | {"n", "count", "length", "domain", "topic", "page"}
    | set(USUAL_NAMES["time"])
)
MOST_LABELS = 50
LABEL_LENGTH = 100
NUMBERED = (
    "No column names the items: they are the rows, numbered from 1. A row that moves to another place is another item."
)
HINT = "Name them: --format wide --columns item=ID,raters='COLUMN|COLUMN|COLUMN'."


@dataclass(frozen=True)
class WideLayout:
    """The positions of the columns in the header. `refusal` says why the table is not wide, if it is not."""

    index: Mapping[str, int]
    raters: tuple[int, ...] = ()
    refusal: str | None = None
    inferred: bool = False

    @property
    def numbered(self) -> bool:
        """Check whether the items are the rows, because no column names them."""
        return self.refusal is None and "item" not in self.index


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for named raters, or for an id column with one row per id and columns that share a label set."""
    return bool(seen.headers) and ("raters" in options.columns or sample_layout(seen, options).refusal is None)


def read(path: Path, options: ReadOptions) -> Export:
    """Read a wide table. Errors: ReadError where it is not certain which columns are the raters."""
    table = table_with_item(read_table(path, header=options.header), options.columns, path)
    refuse_wide(options.columns.get(N_ITEMS), table.headers, path)
    columns = [table.frame[f"c{i}"] for i in range(len(table.headers))]
    if options.header:
        check_header(table.headers, table.frame, path)
    columns_layout = layout(table.headers, columns, options, path.name)
    numbered = columns_layout.numbered
    if numbered:
        table, columns_layout = _with_numbers(table, columns_layout, options, path)
    refusal = columns_layout.refusal or no_ratings(table, columns_layout.index, columns_layout.raters)
    if refusal:
        raise ReadError.of(
            path,
            f"cannot be read as a wide table: {refusal}",
            "Use the mapping above if it fits." if "--columns" in refusal else HINT,
            lines=column_lines(table.headers, table.frame.head(SAMPLE)),
        )
    table = without_totals(table, columns_layout.index["item"], columns_layout.raters)
    used = {*columns_layout.index.values(), *columns_layout.raters}
    others = [(f"c{i}", header or f"column_{i + 1}") for i, header in enumerate(table.headers) if i not in used]
    ids = canonical(table.frame.select(pl.col(f"c{i}").alias(role) for role, i in columns_layout.index.items()))
    metadata, notes = item_metadata(others, table.frame, ids)
    raters = "|".join(table.headers[i] for i in columns_layout.raters)
    rows = with_sets(_melt(table, columns_layout), raters, path, options.columns.get(LABEL_SEPARATOR))
    time = table.headers[columns_layout.index["time"]] if "time" in columns_layout.index else None
    rows, time_notes = with_times(rows, time, options.columns.get(TIME_FORMAT), options.timezone)
    headers_of = {role: (table.headers[i],) for role, i in in_order(columns_layout.index)}
    return Export(
        format="wide",
        rows=rows,
        rejects=rejects_frame(table.rejects),
        metadata=metadata,
        warnings=(
            *table.warnings,
            *([NUMBERED] if numbered else []),
            *_inferred(table, columns_layout),
            *_doubts(table, columns_layout, options),
            *time_notes,
            *unused_times((header for _, header in others), columns_layout.index),
            *empty_list_note(table, columns_layout.raters),
            *notes,
        ),
        columns=ColumnChoice(
            {**headers_of, "raters": tuple(table.headers[i] for i in columns_layout.raters)},
            tuple(header for _, header in others),
            metadata_keys(metadata),
        ),
    )


def sample_layout(seen: FileLook, options: ReadOptions) -> WideLayout:
    """Return the layout as far as the beginning of the file shows it."""
    seen = look_with_item(seen, options.columns)
    return layout(seen.headers, sample_frame(seen).get_columns(), options, seen.path.name)


def layout(headers: Sequence[str], columns: Sequence[pl.Series], options: ReadOptions, file: str) -> WideLayout:
    """Find the columns of a wide table: named by the user, or certain from the values."""
    if file_names_rater(options.columns):
        return WideLayout({}, refusal="the mapping takes the rater from the name of the file.")
    index = dict(assign_roles(headers, options.columns, file, roles=AUTOMATIC).index)
    if "item" not in index:
        places = [
            i
            for name in INDEX_NAMES
            for i, header in enumerate(headers)
            if plain(header) == name and (header or i == 0)  # an index without a name comes first
        ]
        index |= {"item": places[0]} if places else {}
    rater_names = [name for name in options.columns.get("raters", "").split("|") if name.strip()]
    if "item" not in index and not rater_names and not all(map(names_person, headers)):
        return WideLayout(index, refusal="no column names the item.")
    if "item" in index and "question" in index and "question" not in options.columns:
        n_questions, n_items = columns[index["question"]].n_unique(), columns[index["item"]].n_unique()
        if 2 * n_questions > n_items:  # a text that differs from item to item is the item's text, not the question
            del index["question"]
    if rater_names:
        return WideLayout(index, tuple(find_header(headers, name, file, "raters") for name in rater_names))
    return _detect(headers, columns, options, index)


def _detect(
    headers: Sequence[str], columns: Sequence[pl.Series], options: ReadOptions, index: Mapping[str, int]
) -> WideLayout:
    keys = pl.DataFrame({role: columns[i] for role, i in index.items() if role != "time"})
    if "item" in index and options.format != "wide" and keys.is_duplicated().any():
        name = headers[index["item"]]
        return WideLayout(index, refusal=f"ids in column {name!r} repeat, as in a table with one row per rating.")
    certain = {i for i, header in enumerate(headers) if header in options.systems | options.gold}
    values = {i: _label_set(column) for i, column in enumerate(columns) if i not in index.values()}
    sets = {i: v for i, v in values.items() if v and (i in certain or _may_rate(headers[i], v))}
    if "item" in index:
        raters = _raters_beside_items(headers, columns, options, index["item"], sets, certain)
    else:  # each column is named as a person's
        all_rate = len(sets) == len(headers) and _all_linked(sets)
        raters = sorted(sets) if all_rate else "no column names the item."
    if isinstance(raters, str):
        return WideLayout(index, refusal=raters)
    return _without_namesakes(headers, WideLayout(index, tuple(raters), inferred=True))


def _raters_beside_items(
    headers: Sequence[str],
    columns: Sequence[pl.Series],
    options: ReadOptions,
    item: int,
    sets: Mapping[int, frozenset[str]],
    certain: set[int],
) -> list[int] | str:
    """Return the columns of the raters, or why it is not certain which these are. sets: the labels of columns."""
    groups = [group for group in _overlapping(sets) if len(group) > 1]
    name = headers[item] or "..."
    if not groups:
        return "no two columns share a label set."
    if len(groups) > 1:
        names = [[headers[i] for i in sorted(group)] for group in groups]
        listing = "; ".join(listed(of_group, 4) for of_group in names)
        return f"several sets of columns share labels: {listing}.{as_questions(name, names)}"
    labels = frozenset[str]().union(*(sets[i] for i in groups[0]))
    raters = {i for i in sets if sets[i] <= labels} | groups[0] | certain
    if unclear := [headers[i] for i in sets if i not in raters and 2 * len(sets[i] & labels) >= len(sets[i])]:
        return f"columns {listed(unclear)} use some of the labels and other values as well."
    if len(columns[0]) == 1 and options.format != "wide" and (left := sorted(sets.keys() - raters)):
        return _one_row(headers, item, sorted(raters), left)
    people = sorted(raters - certain)
    if not people:
        return sorted(raters)
    names_of_people, cells = [headers[i] for i in people], [columns[i] for i in people]
    return (
        counts_of_labels(name, names_of_people, cells, nearly=True)
        or turned(name, names_of_people, len(cells[0]))
        or two_names(name, names_of_people)
        or no_people(name, names_of_people, labels)
        or copies_majority(name, names_of_people, cells)
        or sorted(raters)
    )


def _one_row(headers: Sequence[str], item: int, raters: Sequence[int], left: Sequence[int]) -> str:
    """Return why one row does not tell which columns are raters: a rater with another label is like other data."""
    names, ids = "|".join(headers[i] for i in sorted({*raters, *left})), headers[item] or "..."
    return (
        f"it has one row, which does not tell raters from other columns: {listed([headers[i] for i in left])} may be"
        f" either. If all are raters: {AS_WIDE}{quoted(f'item={ids},raters={names}')}."
    )


def _with_numbers(
    table: TextTable, wide_layout: WideLayout, options: ReadOptions, path: Path
) -> tuple[TextTable, WideLayout]:
    """Add a column with the numbers of the rows as the items, from 1.

    Where several files may be of one question, the file's name goes before them, so that their rows stay apart.
    """
    shared = options.question or options.fallback_question not in (None, stem(path))
    number = (pl.col("row_number") - (table.first_row - 1)).cast(pl.String)
    place = len(table.headers)
    frame = table.frame.with_columns(
        (pl.concat_str(pl.lit(f"{stem(path)}|"), number) if shared else number).alias(f"c{place}")
    )
    frame = frame.select(pl.exclude("row_number"), "row_number")
    index = {**wide_layout.index, "item": place}
    return replace(table, frame=frame, headers=(*table.headers, "row number")), replace(wide_layout, index=index)


def _without_namesakes(headers: Sequence[str], wide_layout: WideLayout) -> WideLayout:
    counts = Counter(headers[i] for i in wide_layout.raters)
    twice = sorted(name for name, n in counts.items() if n > 1)
    return WideLayout(wide_layout.index, refusal=f"two columns are named {twice[0]!r}.") if twice else wide_layout


def _label_set(column: pl.Series) -> frozenset[str]:
    """Return the labels of a column, the empty set if it has none or too many to be labels."""
    if column.head(10_000).n_unique() > 2 * MOST_LABELS:
        return frozenset()
    labels = column.to_frame("label").select(tidy_labels(pl.col("label"))).to_series().drop_nulls().unique()
    return frozenset(labels.to_list()) if len(labels) <= MOST_LABELS else frozenset()


def _may_rate(header: str, labels: frozenset[str]) -> bool:
    """Check that the name is no other thing's, and that the values are short and not all of them objects of JSON."""
    are_short = all(len(label) <= LABEL_LENGTH for label in labels)
    is_index = plain(header).startswith("unnamed:0")  # pandas writes the number of the row under this name
    return (
        plain(header) not in NOT_RATERS
        and not is_index
        and are_short
        and not all(label.startswith("{") for label in labels)
    )


def _overlapping(sets: Mapping[int, frozenset[str]]) -> list[set[int]]:
    """Group the columns. Two columns are linked if at least half of all their labels are labels of both."""
    groups: list[set[int]] = []
    for i, labels in sets.items():
        linked = [g for g in groups if any(2 * len(labels & sets[j]) >= len(labels | sets[j]) for j in g)]
        groups = [group for group in groups if group not in linked] + [{i}.union(*linked)]
    return groups


def _all_linked(sets: Mapping[int, frozenset[str]]) -> bool:
    """Check whether each column shares a label with another one, and all labels are as few as those of a question."""
    few_labels = len(frozenset[str]().union(*sets.values())) <= MOST_LABELS
    return few_labels and all(any(labels & other for j, other in sets.items() if j != i) for i, labels in sets.items())


def _melt(table: TextTable, wide_layout: WideLayout) -> pl.DataFrame:
    """Return one row per cell that is not blank, by row and then by column."""
    names = {f"c{i}": table.headers[i] for i in wide_layout.raters}
    order = {f"c{i}": n for n, i in enumerate(wide_layout.raters)}
    roles = {f"c{i}": "rated_at" if role == "time" else role for role, i in wide_layout.index.items()}
    long = table.frame.unpivot(on=[*names], index=[*roles, "row_number"], variable_name="column", value_name="label")
    with_names = long.rename(roles).with_columns(
        pl.col("column").replace_strict(names, return_dtype=pl.String).alias("rater"),
        pl.col("column").replace_strict(order, return_dtype=pl.Int64).alias("place"),
    )
    return canonical(with_names.sort("row_number", "place")).filter(pl.col("label").is_not_null())


def _inferred(table: TextTable, wide_layout: WideLayout) -> list[str]:
    if not wide_layout.inferred:
        return []
    raters, item = listed([table.headers[i] for i in wide_layout.raters]), table.headers[wide_layout.index["item"]]
    return [f"Read as a wide table: the item is column {item!r}, the raters are {raters}."]


def _doubts(table: TextTable, wide_layout: WideLayout, options: ReadOptions) -> list[str]:
    """Ask whether inferred columns are raters: those beside names of people, and those that agree with nobody."""
    if not wide_layout.inferred:
        return []
    others = [header for i, header in enumerate(table.headers) if i not in wide_layout.raters]
    people = [i for i in wide_layout.raters if table.headers[i] not in options.systems | options.gold]
    item, headers = table.headers[wide_layout.index["item"]], [table.headers[i] for i in people]
    return [*slots(headers, others), *no_agreement(item, headers, [table.frame[f"c{i}"] for i in people])]


WIDE = Format(
    name="wide",
    describe="Tables with one row per item and one column per rater or system; a blank cell is not a rating.",
    extensions=(".csv", ".tsv", ".txt", ".jsonl", ".json", ".parquet", ".xlsx", ".xls"),
    sniff=sniff,
    reader=read,
    general=True,
)
