"""Detect files in which spans of text or boxes are marked, and read one or several as one export."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from tasks.errors import ReadError
from tasks.formats.parsing.cells import nfc
from tasks.formats.parsing.decompress import data_suffix, unpacked
from tasks.formats.parsing.export import ReadOptions, readable
from tasks.formats.parsing.file_look import FileLook, look_at_file
from tasks.formats.parsing.limits import limited
from tasks.formats.regions import (
    argilla_spans,
    brat_spans,
    coco_boxes,
    cvat_boxes,
    doccano_spans,
    label_studio_spans,
    prodigy_spans,
    webanno_spans,
)
from tasks.formats.regions.span_export import SpanExport

TABLES = (".csv", ".parquet", ".xlsx", ".xlsm", ".xls")


NAMES_QUESTION = frozenset({"label_studio", "argilla", "webanno"})
"""Formats whose files name the questions."""


@dataclass(frozen=True)
class RegionFormat:
    """A reader of spans: how to detect its files by their content, or by their path alone."""

    sniff: Callable[[FileLook, ReadOptions], bool]
    reader: Callable[[Path, ReadOptions], SpanExport]
    sniff_path: Callable[[Path], bool] | None = None


REGION_FORMATS: dict[str, RegionFormat] = {
    "webanno": RegionFormat(webanno_spans.sniff, webanno_spans.read, webanno_spans.sniff_path),
    "brat": RegionFormat(brat_spans.sniff, brat_spans.read, brat_spans.sniff_path),
    "label_studio": RegionFormat(label_studio_spans.sniff, label_studio_spans.read),
    "prodigy": RegionFormat(prodigy_spans.sniff, prodigy_spans.read),
    "argilla": RegionFormat(argilla_spans.sniff, argilla_spans.read),
    "doccano": RegionFormat(doccano_spans.sniff, doccano_spans.read),
    "cvat": RegionFormat(cvat_boxes.sniff, cvat_boxes.read),
    "coco": RegionFormat(coco_boxes.sniff, coco_boxes.read),
}


def read_regions(paths: Sequence[Path], options: ReadOptions) -> SpanExport | None:
    """Read the spans of the files as one, or return None if one of the files holds none.

    Names are kept in NFC, and the raters of `options.systems` are systems. A rater who did an item in two files is
    counted with the last. Raises ReadError for a file that cannot be read.
    """
    held = read_region_files(paths, options)
    return None if held is None or not held.n_regions else held


def read_region_files(paths: Sequence[Path], options: ReadOptions) -> SpanExport | None:
    """Read files of marks, even if nobody marked anything in them. Return None if one has another format."""
    exports = []
    if any(_is_table(path) for path in paths):
        return None
    for path in paths:
        with limited(options.limits), _files(path) as files:
            for file in files:
                name = region_format(file, options)
                if name is None:
                    return None
                with readable(name, file):
                    exports.append(REGION_FORMATS[name].reader(file, options))
    return _together(exports, options)


def read_live_regions(path: Path, options: ReadOptions, known_questions: Sequence[str]) -> SpanExport:
    """Read the spans and boxes of Label Studio's tasks, with `known_questions` that these tasks need not name."""
    with limited(options.limits), readable("label_studio", path):
        return _together([label_studio_spans.read(path, options, known_questions)], options)


def question_of_regions(held: SpanExport, options: ReadOptions) -> str | None:
    """Return the question that the settings or the place of the file give its regions, None for that of the format.

    A file that is named after its rater does not name a question.
    """
    if held.format in NAMES_QUESTION:
        return None
    place = options.fallback_question
    return options.question or (
        place if place is not None and nfc(place) not in set(held.assignments["rater"]) else None
    )


def _is_table(path: Path) -> bool:
    """Check by the name for a table, so that a large one is not unpacked twice."""
    is_table = path.is_dir() or data_suffix(path) in TABLES
    return is_table and not (path.suffix.lower() == ".parquet" and argilla_spans.has_spans_in_parquet(path))


@contextmanager
def _files(path: Path) -> Iterator[tuple[Path, ...]]:
    """Return the plain files of a path. An empty .ann file is a document without a span."""
    if path.suffix.lower() == brat_spans.ENDING and path.is_file():
        yield (path,)
        return
    with unpacked(path) as files:
        documents = tuple(file for file in files if _is_document(file)) if len(files) > 1 else ()
        yield documents or files


def _is_document(path: Path) -> bool:
    """Check for a document of brat or WebAnno, beside which an archive may hold texts and settings."""
    return path.suffix.lower() == brat_spans.ENDING or webanno_spans.sniff_path(path)


def region_format(path: Path, options: ReadOptions) -> str | None:
    """Return the format of spans that a plain file shows, if any."""
    if options.format and options.format not in REGION_FORMATS:
        return None
    try:
        for name, reader in REGION_FORMATS.items():
            if reader.sniff_path is not None and reader.sniff_path(path):
                return name if options.format in (None, name) else None
        seen = look_at_file(path, header=options.header)
    except (ReadError, OSError):
        return None  # the reader of ratings says what is wrong with the file
    names = (
        name for name, reader in REGION_FORMATS.items() if reader.sniff_path is None and reader.sniff(seen, options)
    )
    return next(names, None)


def _together(exports: Sequence[SpanExport], options: ReadOptions) -> SpanExport:
    key = ["question", "item", "rater"]
    assignments = pl.concat([e.assignments.with_columns(file=pl.lit(n)) for n, e in enumerate(exports)])
    spans, boxes, shapes = (
        pl.concat([frame.with_columns(file=pl.lit(n)) for n, frame in enumerate(frames)])
        for frames in ([e.spans for e in exports], [e.boxes for e in exports], [e.shapes for e in exports])
    )
    n_done = assignments.height
    assignments = assignments.unique(key, keep="last", maintain_order=True)
    names = pl.col("question", "item", "rater").str.normalize("NFC")
    label = pl.col("label").str.normalize("NFC")
    spans, boxes, shapes = (
        frame.join(assignments.select(*key, "file"), on=[*key, "file"], how="semi").with_columns(names, label)
        for frame in (spans, boxes, shapes)
    )
    work_lengths = assignments.select(*key, "file").join(_lengths_by_file(exports), on=["item", "file"], how="left")
    assignments = assignments.with_columns(names)
    assignments = assignments.with_columns(rater_kind=options.kind_of(pl.col("rater"), pl.col("rater_kind")))
    again = n_done - assignments.height
    counts = sum((Counter(e.counts) for e in exports), Counter[str]())
    notes = [sentence.format(n=f"{n:,}") for sentence, n in counts.items()]
    notes += [f"Items that a rater did in two files: {again:,}. The last one counts."] if again else []
    return replace(
        exports[0],
        spans=spans.drop("file"),
        boxes=boxes.drop("file"),
        shapes=shapes.drop("file"),
        lengths=_lengths(exports),
        work_lengths=work_lengths.select(*key, "length").with_columns(names),
        assignments=assignments.drop("file"),
        rejects=pl.concat([e.rejects for e in exports]),
        n_skipped=sum(e.n_skipped for e in exports),
        has_labels=any(e.has_labels for e in exports),
        known_questions=frozenset().union(*(e.known_questions for e in exports)),
        warnings=(*dict.fromkeys(note for e in exports for note in e.warnings), *notes),
    )


def _lengths_by_file(exports: Sequence[SpanExport]) -> pl.DataFrame:
    """Return the length of each item's text in each file, by the number of the file."""
    return pl.concat([export.lengths.with_columns(file=pl.lit(n)) for n, export in enumerate(exports)])


def _lengths(exports: Sequence[SpanExport]) -> pl.DataFrame:
    """Return the lengths of the texts in all files."""
    together = pl.concat([export.lengths for export in exports])
    return together.with_columns(pl.col("item").str.normalize("NFC")).unique(maintain_order=True)
