"""Read one export: find out what it is, read it, and say which question and kind of rater each row is about."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from tasks.errors import InputError, ReadError, UnknownFormatError
from tasks.formats import FORMATS, Export, ReadOptions
from tasks.formats.base import KINDS_AS_WRITTEN, joined
from tasks.formats.cells import tidy, tidy_labels
from tasks.formats.limits import limited
from tasks.formats.long import missing_sentence
from tasks.formats.peek import Peek, peek
from tasks.formats.refused import REFUSED
from tasks.formats.roles import HINT, assign_roles, listed, plain
from tasks.formats.table import Table, read_table
from tasks.formats.unpack import stem, unpacked
from tasks.formats.wide import sample_layout

__all__ = ["Export", "ReadOptions", "detect", "rater_in_name", "read_export", "read_gold", "read_parts"]

GOLD_NAMES = ("gold", "goldlabel", "truth", "truelabel", "groundtruth", "correct", "correctlabel", "reference")


def detect(path: str | Path, options: ReadOptions | None = None) -> str:
    """The name of the format of a file, by its content. Errors: ReadError for what is no export, and for an export
    that could only be read by guessing; the message says what was seen, the hint what to do."""
    options = options or ReadOptions()
    with limited(options.limits), unpacked(Path(path)) as files:
        return _detect_files(Path(path), files, options)


def rater_in_name(path: Path, options: ReadOptions | None = None) -> bool:
    """Whether the name of the file says who rated (as doccano's do), so that it belongs to the file's identity."""
    options = options or ReadOptions()
    try:
        name = options.format or detect(path, options)
    except (ReadError, OSError):
        return False  # reading it will say so
    return name in FORMATS and FORMATS[name].rater_in_name


def _detect_files(path: Path, files: Sequence[Path], options: ReadOptions) -> str:
    names = {file: _detect_file(file, options) for file in files}
    if len(found := sorted(set(names.values()))) > 1:
        raise UnknownFormatError(
            f"{path.name} holds files of several formats: {', '.join(found)}.",
            "Unpack it, and put the files in subfolders of the inbox.",
            file=str(path),
        )
    return found[0]


def _detect_file(path: Path, options: ReadOptions) -> str:
    seen = peek(path)
    for name, known in FORMATS.items():
        if known.general:
            _refuse_known(seen, options)
        if known.sniff(seen, options):
            return name
    raise _unknown(seen, options)


def read_export(path: str | Path, options: ReadOptions | None = None) -> Export:
    """Read one file whole: options.format says how, else its content does.

    In the rows that come back `question` and `rater_kind` are filled in, see ReadOptions. Errors: ReadError for a
    file that cannot be read; InputError for a format or a role that does not exist.
    """
    return joined(list(read_parts(path, options)))


def read_parts(path: str | Path, options: ReadOptions | None = None) -> Iterator[Export]:
    """The same file part by part, see tasks.formats.base.joined: most formats have one, a large JSON has several."""
    path, options = Path(path), options or ReadOptions()
    if options.format and options.format not in FORMATS:
        raise InputError(f"There is no format {options.format!r}.", f"The formats are {', '.join(FORMATS)}.")
    with limited(options.limits), unpacked(path) as files:
        name = options.format or _detect_files(path, files, options)
        question = _question(options, path, name, files)
        for part in FORMATS[name].read_parts(files, options):
            rows = part.rows.with_columns(question, _rater_kind(options))
            ordered = frozenset(f"{options.prefix}/{name}" if options.prefix else name for name in part.ordered)
            yield replace(part, rows=rows, metadata=part.metadata.with_columns(question), ordered=ordered)


def read_gold(path: str | Path, options: ReadOptions | None = None) -> pl.DataFrame:
    """The audited labels of a table: item, label (text), each item once.

    Items without a label are left out. A column named like gold or truth comes before one named label; a rater is
    not needed. Errors: ReadError where item or label has no column, a row is broken, or an item has two labels.
    """
    path, options = Path(path), options or ReadOptions()
    with limited(options.limits), unpacked(path) as files:
        if len(files) > 1:
            raise ReadError(f"{path.name} holds {len(files)} files.", "Give one of them.", file=str(path))
        table = read_table(files[0])
    if table.rejects:
        first = table.rejects[0]
        raise ReadError(
            f"Row {first.row_number} of {path.name} is broken: {first.detail}",
            "A file of correct answers must be right in every row.",
            file=str(path),
            row=first.row_number,
        )
    gold = _only_question(_gold_rows(table, options, path), options, path).drop_nulls("label")
    gold = gold.select("item", "label").unique().sort("item", "label")
    twice = gold.filter(pl.col("item").is_duplicated())
    if twice.height:
        item, labels = twice["item"][0], listed(twice.filter(pl.col("item") == twice["item"][0])["label"].to_list())
        raise ReadError(
            f"{path.name} gives item {item!r} several correct labels: {labels}.",
            "Keep one; a file of ratings by several raters is not a file of correct answers.",
            file=str(path),
        )
    if gold.is_empty():
        raise ReadError(f"{path.name} has no item with a label.", HINT, file=str(path))
    return gold


def _question(options: ReadOptions, path: Path, format_: str, files: Sequence[Path]) -> pl.Expr:
    """The row's own, else the one that was told; a name that is a rater's is no question, the tool's name is."""
    name = options.fallback_question or stem(path)
    if FORMATS[format_].rater_in_name and name in {file.stem for file in files}:
        name = format_
    question = pl.coalesce(pl.col("question"), pl.lit(options.question or name))
    return (pl.lit(f"{options.prefix}/") + question if options.prefix else question).alias("question")


def _rater_kind(options: ReadOptions) -> pl.Expr:
    """The row's own word first, then the names that the user gave; a word that is none is left to be rejected."""
    own = pl.col("rater_kind").str.to_lowercase().replace(KINDS_AS_WRITTEN)
    named = (
        pl.when(pl.col("rater").is_in(sorted(options.gold))).then(pl.lit("gold"))
        .when(pl.col("rater").is_in(sorted(options.systems))).then(pl.lit("system"))
        .otherwise(pl.lit("human"))
    )  # fmt: skip
    return pl.coalesce(own, named).alias("rater_kind")


def _gold_rows(table: Table, options: ReadOptions, path: Path) -> pl.DataFrame:
    headers = table.headers
    columns = {role: header for role, header in options.columns.items() if role in ("item", "label", "question")}
    if "label" not in columns:
        named = [header for name in GOLD_NAMES for header in headers if plain(header) == name]
        columns |= {"label": named[0]} if named else {}
    index = assign_roles(headers, columns, path.name, roles=("item", "label", "question")).index
    missing = [role for role in ("item", "label") if role not in index]
    if missing:
        raise ReadError(
            f"{path.name} has columns {listed(headers)}; none of them is known as the {missing[0]}.",
            "A file of correct answers needs two columns: --columns item=...,label=...",
            file=str(path),
        )
    cells = {role: pl.col(f"c{i}") for role, i in index.items()}
    blank = table.frame.filter(tidy(cells["item"]).is_null() & tidy(cells["label"]).is_not_null())
    if blank.height:
        row = int(blank["row_number"][0])
        raise ReadError(f"Row {row} of {path.name} has a label and no item.", "Fill it in.", file=str(path), row=row)
    return table.frame.select(
        tidy(cells["item"]).alias("item"),
        tidy_labels(cells["label"]).alias("label"),
        tidy(cells["question"]).alias("question") if "question" in cells else pl.lit(None, pl.String).alias("question"),
    ).drop_nulls("item")


def _only_question(gold: pl.DataFrame, options: ReadOptions, path: Path) -> pl.DataFrame:
    """The rows of the question asked for, where the file has it; a file that names none is about that question."""
    questions = gold["question"].drop_nulls().unique().sort().to_list()
    if options.question in questions:
        return gold.filter(pl.col("question") == options.question)
    if len(questions) > 1 and "question" in options.columns:
        raise InputError(
            f"{path.name} has answers to {len(questions)} questions: {listed(questions)}.",
            "Name one: --question NAME.",
        )
    return gold


def _refuse_known(seen: Peek, options: ReadOptions) -> None:
    """Exports that a general table would misread; a user who names the columns knows what they are."""
    if {"rater", "label", "raters"} & options.columns.keys():
        return
    for refusal in REFUSED.values():
        if refusal.sniff(seen):
            message = f"{seen.path.name}: {refusal.message}"
            raise UnknownFormatError(message, refusal.hint, file=str(seen.path))


def _unknown(seen: Peek, options: ReadOptions) -> ReadError:
    """Why no format fits, and the way out."""
    file = str(seen.path)
    if not seen.headers:
        return UnknownFormatError(
            f"{seen.path.name} is no export that is known: {seen.described}.",
            f"The formats are {', '.join(FORMATS)}; see `kappaflow formats`.",
            file=file,
        )
    if seen.kind == "text" and len(seen.headers) < 2:
        return UnknownFormatError(
            f"{seen.path.name} is text without columns (separators tried: comma, tab, semicolon, bar).",
            "A table of ratings names at least the item, the rater and the label.",
            file=file,
        )
    roles = assign_roles(seen.headers, options.columns, seen.path.name)
    message = missing_sentence(seen.path.name, seen.headers, roles)
    refusal_of_wide = sample_layout(seen, options).refusal
    hint = f"{HINT} A file of correct answers is read with --gold FILE." if roles.missing == ("rater",) else HINT
    return UnknownFormatError(f"{message} It is no wide table either: {refusal_of_wide}", hint, file=file)
