"""Read spans and boxes for the warehouse: a row per rater's work on an item; a damaged mark is a rejected row."""

import json
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from schemas.rating_columns import REGION_WORK
from tasks.errors import ReadError
from tasks.formats import Export, ReadOptions
from tasks.formats.argilla import SPAN
from tasks.formats.parsing.cells import nfc
from tasks.formats.parsing.export import PLACES, canonical
from tasks.formats.parsing.timestamps import local_as_utc
from tasks.formats.regions.read_regions import NAMES_QUESTION, question_of_regions, read_live_regions, read_regions
from tasks.formats.regions.region_labels import rejects_of_ratings
from tasks.formats.regions.span_export import SpanExport
from tasks.ingest.validate import ValidatedExport, validate

FORMATS_TAKEN = frozenset({"label_studio", "prodigy", "argilla", "doccano", "cvat", "coco"})
IN_ARCHIVES = frozenset({"brat", "webanno"})
"""Formats that name rater and item by folders, which an archive keeps and an inbox does not."""
BESIDE = {
    "label_studio": "of type (labels|hypertextlabels|rectanglelabels) ",
    "cvat": "belongs to a part of the image",
    "argilla": SPAN,
}
"""Formats with ratings beside spans or boxes, and what their readers of ratings say of these in a reject."""
Key = tuple[str, str, str]


@dataclass(frozen=True)
class IncomingRegions:
    """The marked items of a file.

    `checked.ratings` has a row per rater's work on an item, with its number in `region_work` as its source_ref. So the
    raters can be renamed like those of ratings. `region_work` has the other columns of REGION_WORK. With
    `beside_ratings` the file has ratings, too, which are the batch's own.
    """

    export: Export
    checked: ValidatedExport
    region_work: pl.DataFrame
    beside_ratings: bool = False

    def work_of(self, renamed: ValidatedExport) -> pl.DataFrame:
        """Return the work (columns: REGION_WORK) with the raters of `renamed`."""
        raters = renamed.ratings.select(
            pl.col("source_ref").cast(pl.Int64).alias("number"), "question", "item", "rater", "rater_kind", "rated_at"
        )
        joined = self.region_work.join(raters, on="number", how="inner", maintain_order="left")
        return joined.select(pl.col(name).cast(dtype) for name, dtype in REGION_WORK.items())


def regions_in_place_of_ratings(
    path: Path, options: ReadOptions, ratings: ValidatedExport | None = None
) -> IncomingRegions | None:
    """Read and validate the spans and boxes of a file that has no ratings, or return None if it holds none.

    None, too, if the settings say that it is a table of ratings. `ratings`: what the reader of ratings made of the
    file; Argilla's rankings beside spans stay rejected.
    """
    held = _read(path, options)
    if held is None or not is_taken(path, held):
        return None
    regions = _checked(held, options)
    if ratings is None:
        return regions
    checked, others = regions.checked, rejects_of_other_questions(ratings, held)
    rejects = pl.concat([others, checked.rejects]).sort("row_number", nulls_last=True, maintain_order=True)
    return replace(regions, checked=replace(checked, rejects=rejects, n_rows=checked.n_rows + others.height))


def rejects_of_other_questions(ratings: ValidatedExport, held: SpanExport) -> pl.DataFrame:
    """Return what the reader of ratings rejected of Argilla's questions without spans. Other formats: nothing."""
    return rejects_of_ratings(ratings.rejects, held) if held.format == "argilla" else ratings.rejects.clear()


def regions_beside_ratings(
    path: Path, options: ReadOptions, export: Export, checked: ValidatedExport, known_questions: Sequence[str] = ()
) -> tuple[ValidatedExport, IncomingRegions] | None:
    """Read and validate the spans and boxes of a file that has ratings, too; None if it has none.

    Returns the ratings without the rejects that are spans and boxes. Label Studio and Argilla name a question for
    each; in a file of CVAT tags and boxes may be of one question. An image without a tag is not skipped there: its
    boxes are counted.
    `known_questions` are those of a live Label Studio that have regions: raters who marked nothing there did the item.
    """
    if known_questions and options.regions == PLACES:
        held: SpanExport | None = read_live_regions(path, options, known_questions)
    elif not may_have_regions(export, checked):
        return None
    else:
        held = _read(path, options)
    if held is None:
        return None
    regions = _checked(held, options)
    names = set(checked.ratings["question"].unique().cast(pl.String).to_list())
    if export.format in NAMES_QUESTION and names & set(regions.checked.ratings["question"].unique()):
        return None
    own = rejects_of_ratings(checked.rejects, held)
    rejects = pl.concat([own, regions.checked.rejects]).sort("row_number", nulls_last=True, maintain_order=True)
    n_skipped = held.n_skipped if export.format == "cvat" else checked.n_skipped
    n_rows = checked.ratings.height + regions.checked.ratings.height + rejects.height + n_skipped
    checked = replace(checked, rejects=rejects, n_rows=n_rows, n_skipped=n_skipped)
    return checked, replace(regions, beside_ratings=True)


def may_have_regions(export: Export, checked: ValidatedExport) -> bool:
    """Check whether the reader of ratings has rejected spans or boxes."""
    return export.format in BESIDE and bool(checked.rejects["detail"].str.contains(BESIDE[export.format]).any())


def is_taken(path: Path, held: SpanExport) -> bool:
    """Check whether a project takes in the spans and boxes of a file."""
    return held.format in FORMATS_TAKEN or (held.format in IN_ARCHIVES and zipfile.is_zipfile(path))


def _read(path: Path, options: ReadOptions) -> SpanExport | None:
    if options.regions != PLACES or options.maps_table or options.maps("labels"):
        return None
    try:
        return read_regions([path], options)
    except ReadError:
        return None


def _checked(held: SpanExport, options: ReadOptions) -> IncomingRegions:
    region_work = _region_work(held).with_row_index("number").with_columns(pl.col("number").cast(pl.Int64))
    if name := question_of_regions(held, options):
        region_work = region_work.with_columns(question=pl.lit(nfc(name)))
    if options.prefix:
        region_work = region_work.with_columns(question=pl.format("{}/{}", pl.lit(options.prefix), "question"))
    region_work = region_work.with_columns(local_as_utc(region_work["rated_at"], options.timezone))
    rows = canonical(region_work.with_columns(label=pl.lit("regions"), source_ref=pl.col("number").cast(pl.String)))
    read = Export(
        format=held.format,
        rows=rows,
        rejects=held.rejects,
        n_skipped=held.n_skipped,
        warnings=held.warnings,
        names_question=True,
    )
    checked = validate(read, contract=False)
    columns = {"number", *REGION_WORK} - {"question", "item", "rater", "rater_kind", "rated_at"}
    return IncomingRegions(replace(read, rows=rows.clear()), checked, region_work.select(sorted(columns)))


def _region_work(held: SpanExport) -> pl.DataFrame:
    """Return a row per rater's work: its regions as a sorted JSON array, their numbers, and the length of the text.

    The length is that in the file of the work, else that in all other files, if they agree. So where files disagree,
    the stored lengths of the item differ.
    """
    marks: defaultdict[Key, list[list[Any]]] = defaultdict(list)
    for question, item, rater, start, end, label in held.spans.iter_rows():
        marks[question, item, rater].append([start, end, label])
    n_spans = {key: len(regions) for key, regions in marks.items()}
    for question, item, rater, *box in held.boxes.iter_rows():
        marks[question, item, rater].append(box)
    lengths = dict(held.lengths.filter(pl.len().over("item") == 1).iter_rows())
    own = {(question, item, rater): length for question, item, rater, length in held.work_lengths.iter_rows()}
    rows = []
    for question, item, rater, kind, time, ref in held.assignments.iter_rows():
        regions, spans = marks.get((question, item, rater), []), n_spans.get((question, item, rater), 0)
        length = own.get((question, item, rater))
        counts = (spans, len(regions) - spans, lengths.get(item) if length is None else length)
        rows.append((question, item, rater, kind, _json(regions), *counts, time, ref))
    return pl.DataFrame(rows, schema={**REGION_WORK, "rated_at": pl.String}, orient="row")


def _json(regions: Iterable[list[Any]]) -> str:
    ordered = sorted(regions, key=lambda region: (len(region), region))
    return json.dumps(ordered, ensure_ascii=False, separators=(",", ":"))
