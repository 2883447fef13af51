"""Turn spans and boxes into ratings: each rater's set of labels of an item, empty where they marked nothing there."""

import json

import polars as pl

from schemas.rating_columns import IS_SYSTEM
from tasks.counted_words import counted
from tasks.formats import argilla, label_studio
from tasks.formats.parsing.cells import EMPTY_SET, labels_of_set
from tasks.formats.parsing.export import Export, canonical
from tasks.formats.regions.label_studio_spans import RECTANGLE
from tasks.formats.regions.span_export import SpanExport

ABOUT = "{of}: each rater's set of labels of an item is a rating, {empty} where nothing is marked: {ratings}."
OF_REGIONS = ("per_region", "unsupported_control")
OF_RECTANGLE = f"A control of type {RECTANGLE} "
NAMES_VERSIONS = ("label_studio", "argilla")
"""Formats whose systems have the names of their versions."""
KEY = ("question", "item", "rater")


def rows_of_labels(held: SpanExport) -> pl.DataFrame:
    """Return a row (CANONICAL) per item and rater who submitted it: the labels of its regions as a set."""
    regions = pl.concat([marks.select(*KEY, "label") for marks in (held.spans, held.boxes, held.shapes)])
    sets = regions.group_by(KEY).agg(pl.col("label").unique().sort())
    spelled = {tuple(labels): _set(labels) for labels in sets["label"].unique().to_list()}
    labels = pl.Series(
        "label", [spelled[tuple(labels_of_item)] for labels_of_item in sets["label"].to_list()], dtype=pl.String
    )
    joined = held.assignments.join(sets.with_columns(labels), on=KEY, how="left", maintain_order="left")
    is_version = IS_SYSTEM & ~pl.col("rater").is_in([label_studio.UNNAMED, argilla.UNNAMED])
    version = pl.when(is_version).then("rater") if held.format in NAMES_VERSIONS else pl.lit(None, pl.String)
    return canonical(joined.with_columns(pl.col("label").fill_null(EMPTY_SET), system_version=version))


def labels_beside_ratings(held: SpanExport, ratings: Export | None) -> Export:
    """Return the labels of the regions, with the ratings of whole items that the file has beside them, if any.

    The rejects of the reader of ratings that are about regions, or about work without an answer, are no longer rejects.
    """
    rows = rows_of_labels(held)
    about = ABOUT.format(empty=EMPTY_SET, ratings=counted(rows.height, "rating"), of=", ".join(held.questions))
    own_rejects = _without_shapes(held)
    if ratings is None:
        return Export(held.format, rows, own_rejects, held.n_skipped, warnings=(*held.warnings, about))
    return Export(
        ratings.format,
        pl.concat([ratings.rows, rows]),
        pl.concat([rejects_of_ratings(ratings.rejects, held), own_rejects]),
        ratings.n_skipped,
        ratings.metadata,
        (*ratings.warnings, *(note for note in held.warnings if note not in ratings.warnings), about),
        ratings.ordered,
        ratings.columns,
    )


def _without_shapes(held: SpanExport) -> pl.DataFrame:
    """Return the rejects without the shapes whose labels count, although their places are not compared."""
    if held.shapes.is_empty():
        return held.rejects
    shapes = held.shapes.select("row_number", value="label", reason=pl.lit("unsupported_control")).unique()
    return held.rejects.join(shapes, on=["row_number", "value", "reason"], how="anti", maintain_order="left")


def rejects_of_ratings(rejects: pl.DataFrame, held: SpanExport) -> pl.DataFrame:
    """Return the rejects of the reader of ratings without those about regions and broken lines that `held` has."""
    broken = held.rejects.filter(pl.col("reason") == "bad_json").select("row_number", "reason")
    rejects = rejects.join(broken, on=["row_number", "reason"], how="anti", maintain_order="left")
    if held.format == "argilla":  # its spans have columns of their own
        of_record = [f"{name}{of}" for name in held.known_questions for of in (".responses", argilla.STATUS)]
        column, is_damage = pl.col("column_name"), pl.col("reason") == "bad_record"
        of_damaged = column.is_in(of_record) | (pl.col("detail") == argilla.NOT_SPANS)
        of_spans = pl.when(is_damage).then(of_damaged).otherwise(column.is_in([*held.known_questions]))
        return rejects.filter(~of_spans.fill_null(value=False))
    of_control = pl.lit(value=True)
    if held.format == "label_studio":  # the label of a box that Rectangle draws is a result of another control
        of_rectangle = pl.col("detail").str.contains(OF_RECTANGLE, literal=True)
        of_control = pl.col("column_name").is_in(held.questions) | of_rectangle
    of_regions = pl.col("reason").is_in(OF_REGIONS) & of_control
    without_answer = (pl.col("reason") == "empty_answer") & pl.col("column_name").is_null()
    return rejects.filter(~(of_regions | without_answer).fill_null(value=False))


def _set(labels: list[str]) -> str:
    """Write the labels of an item as one label. A region with several labels has each of them."""
    members = sorted({member for label in labels for member in labels_of_set(label)})
    return members[0] if len(members) == 1 else json.dumps(members, ensure_ascii=False)
