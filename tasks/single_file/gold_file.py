"""Read the right answers of a table, for the commands on files: `--gold`."""

from pathlib import Path

import polars as pl

from stats.ratings import INCLUSION
from tasks.errors import InputError, ReadError
from tasks.formats import ReadOptions
from tasks.formats.columns.column_roles import ALL, LABEL_SEPARATOR, assign_roles, listed, plain
from tasks.formats.columns.header_words import names_aggregate, tokens
from tasks.formats.columns.mapping_proposal import column_lines
from tasks.formats.parsing.cells import tidy, tidy_labels
from tasks.formats.parsing.decompress import unpacked
from tasks.formats.parsing.file_look import SAMPLE
from tasks.formats.parsing.limits import limited
from tasks.formats.parsing.set_cells import with_sets
from tasks.formats.parsing.text_table import TextTable, read_table
from tasks.formats.parsing.unicode_form import composed

GOLD_NAMES = ("gold", "goldlabel", "truth", "truelabel", "groundtruth", "correct", "correctlabel", "reference")
NOT_GOLD = {"majority", "mode", "mean", "median", "average", "avg", "agg", "aggregate", "aggregated", "hardlabel"}


def read_gold(path: str | Path, options: ReadOptions | None = None) -> pl.DataFrame:
    """Read the correct labels from a table: item, label (text), each item once.

    A column inclusion_probability says with which probability each item was drawn, and is returned as a number.
    Items without a label are left out. A column with a name such as gold or truth is preferred to one named label. No
    rater column is needed. Raises ReadError if there is no column for item or label, if a row is broken, or if an item
    has two labels.
    """
    path, options = Path(path), options or ReadOptions()
    with limited(options.limits), unpacked(path) as files:
        if len(files) > 1:
            raise ReadError.of(path, f"holds {len(files)} files.", "Give one of them.")
        table = read_table(files[0])
    if table.rejects:
        first = table.rejects[0]
        raise ReadError(
            f"Row {first.row_number} of {path.name} is broken: {first.detail}",
            "Correct this row: in a file of correct answers every row must be readable.",
            file=str(path),
            row=first.row_number,
        )
    gold = _rows_of_question(composed(_gold_rows(table, options, path)), options, path).drop_nulls("label")
    gold = _with_probability(gold, path)
    repeated = gold.filter(pl.col("item").is_duplicated() & (pl.col("label").n_unique().over("item") > 1))
    if repeated.height:
        item, labels = (
            repeated["item"][0],
            listed(repeated.filter(pl.col("item") == repeated["item"][0])["label"].to_list()),
        )
        raise ReadError.of(
            path,
            f"gives item {item!r} several correct labels: {labels}.",
            "Keep one; a file of ratings by several raters is not a file of correct answers.",
        )
    if gold.is_empty():
        raise ReadError.of(path, "has no item with a label.", "Write the right label beside each.")
    return gold


def _with_probability(gold: pl.DataFrame, path: Path) -> pl.DataFrame:
    """Return item and label of each distinct row, and the probability if the file has one.

    Raises ReadError for a probability that is not a number above 0 and up to 1, or differs between rows of an item.
    """
    if gold[INCLUSION].null_count() == gold.height:
        return gold.select("item", "label").unique().sort("item", "label")
    gold = gold.with_columns(probability=pl.col(INCLUSION).cast(pl.Float64, strict=False))
    wrong = gold.filter(~((pl.col("probability") > 0) & (pl.col("probability") <= 1)).fill_null(value=False))
    if wrong.height:
        value = wrong[INCLUSION][0]
        what = f"no {INCLUSION}" if value is None else f"the {INCLUSION} {value!r}"
        raise ReadError.of(
            path,
            f"gives item {wrong['item'][0]!r} {what}.",
            f"Write a number above 0 and up to 1 for each item, or leave out the column {INCLUSION}.",
            column=INCLUSION,
        )
    gold = (
        gold.select("item", "label", pl.col("probability").alias(INCLUSION)).unique().sort("item", "label", INCLUSION)
    )
    twice = gold.filter(pl.struct("item", "label").is_duplicated())
    if twice.height:
        raise ReadError.of(path, f"gives item {twice['item'][0]!r} several values of {INCLUSION}.", "Keep one.")
    return gold


def _gold_rows(table: TextTable, options: ReadOptions, path: Path) -> pl.DataFrame:
    headers = table.headers
    columns = {role: header for role, header in options.columns.items() if role in ("item", "label", "question")}
    if "label" not in columns:
        columns |= _gold_header(table, path)
    index = assign_roles(headers, columns, path.name, roles=("item", "label", "question")).index
    missing = [role for role in ("item", "label") if role not in index]
    if missing:
        raise ReadError.of(
            path,
            f"has columns {listed(headers, ALL)}; none of them is known as the {missing[0]}.",
            "A file of correct answers needs two columns: --columns item=...,label=...",
            lines=column_lines(headers, table.frame.head(SAMPLE)),
        )
    cells = {role: pl.col(f"c{i}") for role, i in index.items()}
    without_item = table.frame.filter(tidy(cells["item"]).is_null() & tidy(cells["label"]).is_not_null())
    if without_item.height:
        row = int(without_item["row_number"][0])
        raise ReadError(f"Row {row} of {path.name} has a label and no item.", "Fill it in.", file=str(path), row=row)
    drawn = next((i for i, header in enumerate(headers) if plain(header) == plain(INCLUSION)), None)
    rows = table.frame.select(
        tidy(cells["item"]).alias("item"),
        tidy_labels(cells["label"]).alias("label"),
        tidy(cells["question"]).alias("question") if "question" in cells else pl.lit(None, pl.String).alias("question"),
        (pl.lit(None, pl.String) if drawn is None else tidy(pl.col(f"c{drawn}"))).alias(INCLUSION),
        "row_number",
    ).drop_nulls("item")
    separator = options.columns.get(LABEL_SEPARATOR)
    return with_sets(rows, headers[index["label"]], path, separator).drop("row_number")


def _gold_header(table: TextTable, path: Path) -> dict[str, str]:
    """Return the column of right answers by its name: gold and the like, else one named as adjudicated or final.

    Raises ReadError if a column of labels stands beside such a column and differs from it: one may be a rater's.
    """
    headers = table.headers
    by_name = [header for name in GOLD_NAMES for header in headers if plain(header) == name]
    final = [header for header in headers if names_aggregate(header) and not NOT_GOLD & set(tokens(header))]
    final = [header for header in final if plain(header) not in ("label", "labels")]
    if by_name or not final:
        return {"label": by_name[0]} if by_name else {}
    labels = [header for header in headers if plain(header) in ("label", "labels")]
    columns = [table.frame[f"c{headers.index(header)}"] for header in (final[0], *labels)]
    if len(final) > 1 or (labels and not columns[0].equals(columns[1])):
        raise ReadError.of(
            path,
            f"has columns {listed([*labels, *final])}, and it is not certain which has the right answers.",
            "Name that column gold.",
        )
    return {"label": final[0]}


def _rows_of_question(gold: pl.DataFrame, options: ReadOptions, path: Path) -> pl.DataFrame:
    """Keep the rows of the question in the options, if the file has it. A file without questions is kept whole."""
    questions = gold["question"].drop_nulls().unique().sort().to_list()
    if options.question in questions:
        return gold.filter(pl.col("question") == options.question)
    if len(questions) > 1 and "question" in options.columns:
        raise InputError(
            f"{path.name} has answers to {len(questions)} questions: {listed(questions)}.",
            "Name one: --question NAME.",
        )
    return gold
