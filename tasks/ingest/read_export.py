"""Read one export: detect its format, read its rows, and fill in the question and the kind of rater of each row."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from tasks.errors import InputError, ReadError, UnknownFormatError
from tasks.formats import FORMATS, Export, ReadOptions
from tasks.formats.columns.answer_columns import answer_places, without_several
from tasks.formats.columns.column_roles import ALL, LABEL_SEPARATOR, assign_roles, listed, plain
from tasks.formats.columns.header_rows import check_header
from tasks.formats.columns.header_words import names_aggregate, tokens
from tasks.formats.columns.joined_columns import look_with_item
from tasks.formats.columns.mapping_proposal import column_lines, missing_columns
from tasks.formats.columns.rater_in_name import QUESTION, look_with_rater
from tasks.formats.parsing.cells import nfc, tidy, tidy_labels
from tasks.formats.parsing.decompress import stem, unpacked
from tasks.formats.parsing.export import KINDS_AS_WRITTEN, PLACES, joined
from tasks.formats.parsing.file_look import NO_FIELDS, SAMPLE, FileLook, look_at_file, sample_frame, with_sample
from tasks.formats.parsing.joined_labels import LabelsOf, joined_labels_notes
from tasks.formats.parsing.limits import limited
from tasks.formats.parsing.set_cells import with_sets
from tasks.formats.parsing.text_table import TextTable, read_table
from tasks.formats.parsing.timestamps import local_as_utc
from tasks.formats.parsing.unicode_form import Composer, composed
from tasks.formats.refused import REFUSED
from tasks.formats.regions.read_regions import question_of_regions, read_region_files
from tasks.formats.regions.region_labels import labels_beside_ratings
from tasks.formats.wide import sample_layout

__all__ = ["Export", "ReadOptions", "detect", "rater_in_name", "read_export", "read_gold", "read_parts"]

INCLUSION = "inclusion_probability"  # the column of a gold file with the probability of each item to be drawn
GOLD_NAMES = ("gold", "goldlabel", "truth", "truelabel", "groundtruth", "correct", "correctlabel", "reference")
NOT_GOLD = {"majority", "mode", "mean", "median", "average", "avg", "agg", "aggregate", "aggregated", "hardlabel"}


def detect(path: str | Path, options: ReadOptions | None = None) -> str:
    """Detect the format of a file from its content, and return its name.

    Raises ReadError for a file that is not an export, and for one that could only be read by guessing. The message says
    what the file looks like, the hint what to do.
    """
    options = options or ReadOptions()
    with limited(options.limits), unpacked(Path(path)) as files:
        return _detect_files(Path(path), files, options)


def rater_in_name(path: Path, options: ReadOptions | None = None) -> bool:
    """Check whether the file name is the name of the rater, as in doccano exports. Then it is part of the identity."""
    options = options or ReadOptions()
    try:
        name = options.format or detect(path, options)
    except (ReadError, OSError):
        return False  # the same error is reported when the file is read
    return name in FORMATS and FORMATS[name].names_rater(options.columns)


def _detect_files(path: Path, files: Sequence[Path], options: ReadOptions) -> str:
    names = {file: _detect_file(file, options) for file in files}
    if len(formats := sorted(set(names.values()))) > 1:
        raise UnknownFormatError(
            f"{path.name} holds files of several formats: {', '.join(formats)}.",
            "Unpack it, and put the files in subfolders of the inbox.",
            file=str(path),
        )
    return formats[0]


def _detect_file(path: Path, options: ReadOptions) -> str:
    look = look_at_file(path, header=options.header)
    for name, format_ in FORMATS.items():
        if format_.general:
            _refuse_special_exports(look, options)
        if format_.sniff(look, options):
            return name
    raise _unknown_format(look, options)


def no_labels(question: str) -> None:
    """Return the declared labels of a question where there are no settings: none."""


def read_export(path: str | Path, options: ReadOptions | None = None, labels_of: LabelsOf = no_labels) -> Export:
    """Read a whole file in the format `options.format`, or else in the format that its content shows.

    `question` and `rater_kind` are filled in in the returned rows, see ReadOptions. `labels_of` returns the declared
    labels of a question: a warning says which labels of a table are very likely sets. Raises ReadError for a file that
    cannot be read, and InputError for a format or a column role that does not exist.
    """
    return joined(list(read_parts(path, options, labels_of)))


def read_parts(
    path: str | Path, options: ReadOptions | None = None, labels_of: LabelsOf = no_labels
) -> Iterator[Export]:
    """Read a file part by part (see tasks.formats.parsing.export.joined).

    Most formats yield a single part. A large JSON file yields several.
    """
    path, options = Path(path), options or ReadOptions()
    if options.format and options.format not in FORMATS:
        raise InputError(f"There is no format {options.format!r}.", f"The formats are {', '.join(FORMATS)}.")
    regions = None if options.regions == PLACES else _labels_of_regions(path, options)
    with limited(options.limits), unpacked(path) as files:
        name = options.format or (_detect_files(path, files, options) if regions is None else regions.format)
        question = _question(options, path, name, files)
        composer = Composer()
        for part in FORMATS[name].read_parts(files, options) if regions is None else [regions]:
            part = composer.export(part)
            times = local_as_utc(part.rows["rated_at"], options.timezone)
            rows = part.rows.with_columns(question, kind_of_rater(options), times)
            ordered = frozenset(
                f"{options.prefix}/{name}" if options.prefix else name for name in map(nfc, part.ordered)
            )
            is_table = regions is None and FORMATS[name].general
            separator = options.columns.get(LABEL_SEPARATOR)
            sets = joined_labels_notes(rows, separator, labels_of) if is_table else ()
            yield replace(
                part,
                rows=rows,
                warnings=(*part.warnings, *sets),
                metadata=part.metadata.with_columns(question),
                ordered=ordered,
                names_question=not part.rows["question"].null_count(),
            )


def _labels_of_regions(path: Path, options: ReadOptions) -> Export | None:
    """Return the labels of the spans and boxes of a file as ratings, beside its ratings of whole items.

    None if it holds no regions.
    """
    held = read_region_files([path], options)
    if held is None or held.assignments.is_empty() or (held.has_labels and not held.n_regions):
        return None
    ratings = None
    if held.has_labels and held.format in FORMATS:
        ratings = FORMATS[held.format].read(path, options)
    export = labels_beside_ratings(held, ratings)
    if ratings is not None or question_of_regions(held, options) is None:
        return export
    return replace(export, rows=export.rows.with_columns(question=pl.lit(None, pl.String)))


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


def _question(options: ReadOptions, path: Path, format_: str, files: Sequence[Path]) -> pl.Expr:
    """Return the question of each row: from the row, else from the options, else from the file name.

    If the file name is a rater's name, the name of the format is the question, or QUESTION for a table.
    """
    name = options.fallback_question or stem(path)
    if name in {file.stem for file in files} and format_ in FORMATS and FORMATS[format_].names_rater(options.columns):
        name = format_ if FORMATS[format_].rater_in_name else QUESTION
    question = pl.coalesce(pl.col("question"), pl.lit(options.question or nfc(name)))
    return (pl.lit(f"{options.prefix}/") + question if options.prefix else question).alias("question")


def kind_of_rater(options: ReadOptions) -> pl.Expr:
    """Return the kind of rater of each row: from the row, else from the names in the options, else human.

    An unknown word in a row is kept; `validate` rejects the row.
    """
    from_row = pl.col("rater_kind").str.to_lowercase().replace(KINDS_AS_WRITTEN)
    return pl.coalesce(from_row, options.kind_of(pl.col("rater"), pl.lit("human"))).alias("rater_kind")


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


def _refuse_special_exports(look: FileLook, options: ReadOptions) -> None:
    """Refuse exports that a general table format would misread, unless the user names the columns."""
    if options.maps_table:
        return
    for refusal in REFUSED.values():
        if refusal.sniff(look):
            message = f"{look.path.name}: {refusal.message}"
            raise UnknownFormatError(message, refusal.hint, file=str(look.path))


def _unknown_format(look: FileLook, options: ReadOptions) -> ReadError:
    """Return the error for a file that matches no format, with a hint what to do."""
    file = str(look.path)
    if not look.headers:
        formats = f"The formats are {', '.join(FORMATS)}; see `kappaflow formats`."
        return UnknownFormatError(
            f"{look.path.name} is not a known export: {look.described}.",
            "Export it again once it has annotations." if look.described == NO_FIELDS else formats,
            file=file,
        )
    if look.kind == "text" and len(look.headers) < 2:
        return UnknownFormatError(
            f"{look.path.name} is text without columns (separators tried: comma, tab, semicolon, bar).",
            "A table of ratings needs a column for the item, the rater and the label. If a title or a line such as "
            "sep=; stands above the header, delete it.",
            file=file,
        )
    if look.kind == "text" and options.header:
        check_header(look.headers, sample_frame(look), look.path)
    look = look_with_rater(look_with_item(with_sample(look), options.columns), options.columns)
    places = answer_places(look.headers, options.columns, look.path.name)
    mapping = without_several(options.columns, look.headers, places)
    roles = assign_roles(look.headers, mapping, look.path.name)
    error = missing_columns(look.path, look.headers, sample_frame(look), roles, sample_layout(look, options).refusal)
    if roles.missing == ("rater",):
        error.hint += " A file of correct answers is read with --gold FILE."
    return error
