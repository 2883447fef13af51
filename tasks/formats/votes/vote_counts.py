"""Read numbers of votes per label: ChaosNLI's `label_counter`, and tables with a column per label (Fleiss' tables).

A table has numbers of votes if the user names its labels (`labels = "a|b|c"`, and no rater), or if it cannot mean
anything else: it has an id column, all other cells are whole numbers, and each row adds up to the same number, or to
that of a column of totals, which is no label. Rows that are ranks (1, 2, 3 in each), and rows that add up to 100, which
may be per cent, are refused.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from tasks.errors import ReadError
from tasks.formats.columns.column_roles import (
    ALIASES,
    LABELS,
    TIME_FORMAT,
    ColumnChoice,
    assign_roles,
    find_header,
    listed,
)
from tasks.formats.columns.header_words import ITEMS, names_person, tokens
from tasks.formats.columns.item_columns import item_metadata, metadata_keys, unused_times
from tasks.formats.columns.joined_columns import bar_parts, table_with_item
from tasks.formats.parsing.cells import tidy, tidy_label
from tasks.formats.parsing.export import Export, Format, ReadOptions, canonical
from tasks.formats.parsing.file_look import FileLook, sample_frame
from tasks.formats.parsing.json_fields import keys, mapping, text
from tasks.formats.parsing.reject_rows import Reject, rejects_frame
from tasks.formats.parsing.text_table import TextTable, read_table
from tasks.formats.parsing.timestamps import with_times
from tasks.formats.parsing.tools.record_votes import FileRecords, RecordVotes, read_records
from tasks.formats.votes.unnamed_votes import MAX_VOTES, UNNAMED, Counts, vote_rows

COUNTER = "label_counter"
ROLES = ("item", "question")
MAPPED_ROLES = (*ROLES, "time")  # the time of all votes of a row counts if the user names its column
MIN_ROWS = 3
MIN_ROWS_OF_RATINGS = 10
TOTALS = {"total", "totals", "sum", "n", "all", "votes", "ratings", "raters", "annotators"}
BAD_COUNT = "The number of votes is not a whole number from 0 to 10,000."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for a counter in the record, for named labels without a rater, or for a table of counts."""
    if COUNTER in keys(seen):
        return not options.maps_table
    if not seen.headers or options.maps_table:
        return False
    if options.columns.get(LABELS):
        return "rater" not in assign_roles(seen.headers, _roles(options), seen.path.name, roles=("rater",)).index
    if options.columns or len(seen.sample) < MIN_ROWS or not options.header:
        return False
    return bool(_certain(seen.headers, sample_frame(seen)))


def read(path: Path, options: ReadOptions) -> Export:
    """Read the votes. Errors: ReadError where it is not certain which columns are counts."""
    records = read_records(path) if options.header and not options.columns else None
    if records is not None and records.kind != "text" and any(COUNTER in record for _, record in records.rows):
        return _read_counters(records)
    return _read_table(path, options)


def _read_counters(records: FileRecords) -> Export:
    votes = RecordVotes()
    counts: Counts = []
    for row, record in records.rows:
        item, counter = text(record.get("uid")) or text(record.get("id")), mapping(record.get(COUNTER))
        if not counter:
            votes.reject(row, COUNTER, record.get(COUNTER), "empty_answer", "There are no votes.")
            continue
        label_counts = [(label, _whole(tidy_label(n))) for label, n in counter.items()]
        if any(n is None for _, n in label_counts) or sum(n or 0 for _, n in label_counts) > MAX_VOTES:
            votes.reject(row, COUNTER, record.get(COUNTER), "bad_record", BAD_COUNT)
        elif item is None:
            votes.reject(row, "uid", None, "missing_item", "The item is blank.")
        else:
            counts += [(row, None, item, label, n or 0) for label, n in label_counts]
            votes.describe(None, item, {**mapping(record.get("example")), "entropy": record.get("entropy")})
    export = votes.export("vote_counts", records, [UNNAMED])
    return replace(export, rows=vote_rows(counts))


def _read_table(path: Path, options: ReadOptions) -> Export:
    table = table_with_item(read_table(path, header=options.header), options.columns, path)
    index = dict(assign_roles(table.headers, _roles(options), path.name, roles=ROLES).index)
    places = [
        find_header(table.headers, name, path.name, LABELS)
        for name in bar_parts(table.headers, options.columns.get(LABELS, ""))
        if name
    ]
    if not places:
        places = _certain(table.headers, table.frame.drop("row_number"))
        index = {"item": next(i for i in range(len(table.headers)) if i not in places)} if places else index
    if not places or "item" not in index:
        missing = "which columns are labels" if not places else "which column is the item"
        raise ReadError.of(
            path,
            f"holds numbers of votes, and it is not certain {missing}; its columns are {listed(table.headers, 20)}.",
            "Name them: --format vote_counts --columns 'item=ID,labels=A|B|C'.",
        )
    counts, rejects = _counts(table, index, places)
    others = [(f"c{i}", header) for i, header in enumerate(table.headers) if i not in {*index.values(), *places}]
    ids = canonical(table.frame.select(pl.col(f"c{i}").alias(role) for role, i in index.items() if role != "time"))
    metadata, notes = item_metadata([(c, header or c) for c, header in others], table.frame, ids)
    labels = tuple(table.headers[i] for i in places)
    rows, time_notes = _with_times(vote_rows(counts), table, index.get("time"), options)
    return Export(
        format="vote_counts",
        rows=rows,
        rejects=rejects_frame([*table.rejects, *rejects]),
        metadata=metadata,
        warnings=(
            *table.warnings,
            f"Read as numbers of votes for the labels {listed(labels, 20)}.",
            UNNAMED,
            *time_notes,
            *unused_times((header for _, header in others), index),
            *notes,
        ),
        columns=ColumnChoice(
            {**{role: (table.headers[i],) for role, i in index.items()}, LABELS: labels},
            tuple(h for _, h in others),
            metadata_keys(metadata),
        ),
    )


def _roles(options: ReadOptions) -> dict[str, str]:
    return {role: header for role, header in options.columns.items() if ALIASES.get(role, role) in MAPPED_ROLES}


def _with_times(
    votes: pl.DataFrame, table: TextTable, place: int | None, options: ReadOptions
) -> tuple[pl.DataFrame, list[str]]:
    """Give each vote the time of its row, if a column is mapped to the time."""
    header = None
    if place is not None:
        header = table.headers[place]
        times = table.frame.select("row_number", tidy(pl.col(f"c{place}")).alias("rated_at"))
        votes = canonical(votes.drop("rated_at").join(times, on="row_number", how="left", maintain_order="left"))
    return with_times(votes, header, options.columns.get(TIME_FORMAT), options.timezone)


def _counts(table: TextTable, index: dict[str, int], places: Sequence[int]) -> tuple[Counts, list[Reject]]:
    """Return the votes of each row, and the rows that hold something else."""
    counts: Counts = []
    rejects: list[Reject] = []
    cells = table.frame.select(
        "row_number", *(tidy(pl.col(f"c{i}")) for i in dict.fromkeys([*index.values(), *places]))
    )
    for record in cells.iter_rows(named=True):
        row = record["row_number"]
        item = record[f"c{index['item']}"]
        question = record[f"c{index['question']}"] if "question" in index else None
        numbers = [_whole(tidy_label(record[f"c{i}"]) or "0") for i in places]
        if None in numbers or sum(n or 0 for n in numbers) > MAX_VOTES:
            odd = next((i for i, n in zip(places, numbers, strict=True) if n is None), places[0])
            rejects.append(Reject(row, table.headers[odd], record[f"c{odd}"], "bad_record", BAD_COUNT))
        elif item is None:
            rejects.append(Reject(row, table.headers[index["item"]], None, "missing_item", "The item is blank."))
        elif not any(numbers):
            rejects.append(Reject(row, None, None, "empty_answer", "There are no votes."))
        else:
            counts += [(row, question, item, table.headers[i], n or 0) for i, n in zip(places, numbers, strict=True)]
    return counts, rejects


def _whole(text: str | None) -> int | None:
    """Return a number of votes, None for anything else.

    >>> _whole("14"), _whole("-1"), _whole("2.5")
    (14, None, None)
    """
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 6 else None


def _certain(headers: Sequence[str], frame: pl.DataFrame) -> list[int]:
    """Return the columns of counts if the table cannot mean anything else. Otherwise return no column.

    The first column holds distinct ids, all others whole numbers. Each row adds up to the same number, or a column
    holds the sums: it is left out.
    """
    if len(headers) < 3 or frame.height < MIN_ROWS or any(map(names_person, headers)) or "" in headers[1:]:
        return []
    cells = frame.select(tidy(pl.all()))
    ids = cells["c0"]
    words = ids.cast(pl.Float64, strict=False).null_count() == len(ids)
    is_named = not headers[0] or bool((ITEMS | {"index", "row"}) & set(tokens(headers[0])))
    if ids.null_count() or not ids.is_unique().all() or not (words or is_named):  # numbers may be counts themselves
        return []
    numbers = cells.select(pl.exclude("c0").cast(pl.Int64, strict=False))
    if any(column.null_count() or (column < 0).any() for column in numbers):
        return []
    totals = _total_column(headers, numbers)
    places = [i for i in range(1, len(headers)) if i != totals]
    numbers = numbers.select(f"c{i}" for i in places)
    sums = numbers.select(pl.sum_horizontal(pl.all())).to_series()
    if totals is not None and sums.is_between(0, MAX_VOTES).all() and (sums != 100).any() and (sums > 1).any():
        return places
    ranked = all(sorted(row) == list(range(1, len(row) + 1)) for row in numbers.head(100).rows())
    vary = sum(column.n_unique() > 1 for column in numbers) > 1
    united = any(max(row) == sum(row) for row in numbers.rows())  # all votes are for one label
    if numbers.height < MIN_ROWS_OF_RATINGS and not united:  # equal sums of a few ratings are chance
        return []
    if sums.n_unique() > 1 or not 2 <= sums[0] <= MAX_VOTES or sums[0] == 100 or ranked or not vary:
        return []
    return places


def _total_column(headers: Sequence[str], numbers: pl.DataFrame) -> int | None:
    """Return the place in the table of the column that is the sum of all others in each row, None without one.

    In few rows this may be chance, unless the column has the name of a total.
    """
    if numbers.width < 3:
        return None
    sums = numbers.select(pl.sum_horizontal(pl.all())).to_series()
    places = [int(column.name[1:]) for column in numbers if (2 * column == sums).all()]
    if numbers.height < MIN_ROWS_OF_RATINGS:
        places = [i for i in places if TOTALS & set(tokens(headers[i]))]
    return places[0] if len(places) == 1 else None


VOTE_COUNTS = Format(
    name="vote_counts",
    describe="Numbers of votes per label, without names: ChaosNLI, tables with a column per label (Fleiss).",
    extensions=(".jsonl", ".json", ".csv", ".tsv", ".txt", ".xlsx", ".parquet"),
    sniff=sniff,
    reader=read,
    roles=frozenset({*MAPPED_ROLES, *ALIASES, LABELS, TIME_FORMAT}),
)
