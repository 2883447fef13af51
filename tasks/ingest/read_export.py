"""Read one export: detect its format, read its rows, and fill in the question and the kind of rater of each row."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from tasks.errors import InputError, ReadError, UnknownFormatError
from tasks.formats import FORMATS, Export, ReadOptions
from tasks.formats.columns.answer_columns import answer_places, without_several
from tasks.formats.columns.column_roles import LABEL_SEPARATOR, assign_roles
from tasks.formats.columns.header_rows import check_header
from tasks.formats.columns.joined_columns import look_with_item
from tasks.formats.columns.mapping_proposal import missing_columns
from tasks.formats.columns.rater_in_name import QUESTION, look_with_rater
from tasks.formats.parsing.cells import nfc
from tasks.formats.parsing.decompress import stem, unpacked
from tasks.formats.parsing.export import KINDS_AS_WRITTEN, PLACES, joined
from tasks.formats.parsing.file_look import NO_FIELDS, FileLook, look_at_file, sample_frame, with_sample
from tasks.formats.parsing.joined_labels import LabelsOf, joined_labels_notes
from tasks.formats.parsing.limits import limited
from tasks.formats.parsing.timestamps import local_as_utc
from tasks.formats.parsing.unicode_form import Composer
from tasks.formats.refused import REFUSED
from tasks.formats.regions.read_regions import question_of_regions, read_region_files
from tasks.formats.regions.region_labels import labels_beside_ratings
from tasks.formats.wide import sample_layout

__all__ = ["Export", "ReadOptions", "detect", "rater_in_name", "read_export", "read_parts"]


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
