"""Define the columns of ratings, rejected rows and item metadata, their allowed values and their lengths.

This is the only definition. The pandera models, the readers, the validation and the warehouse all use it. The module
does not import pandera, so that the warehouse may import it.
"""

import polars as pl

RATINGS: dict[str, pl.DataType] = {
    "question": pl.String(),
    "item": pl.String(),
    "rater": pl.String(),
    "rater_kind": pl.String(),
    "system_version": pl.String(),
    "label": pl.String(),
    "rated_at": pl.Datetime("us", "UTC"),
    "score": pl.Float64(),
    "duration_s": pl.Float64(),
    "source_ref": pl.String(),
    "row_number": pl.Int64(),
}
"""One row per rating: one rater's label for one item and question. `row_number` is the row in the file, from 1."""

REQUIRED = ("question", "item", "rater", "rater_kind", "label")
"""The columns of a rating that are never null."""

REJECTS: dict[str, pl.DataType] = {
    "row_number": pl.Int64(),
    "column_name": pl.String(),
    "value": pl.String(),
    "reason": pl.String(),
    "detail": pl.String(),
}
"""One row per row of a file that is not a rating: the column at fault, its value, a reason code and a sentence."""

REJECT_KEYS: dict[str, pl.DataType] = {"question": pl.String(), "item": pl.String(), "rater": pl.String()}
"""What a rejected row is about, where it could be read; null elsewhere."""

METADATA: dict[str, pl.DataType] = {
    "question": pl.String(),
    "item": pl.String(),
    "key": pl.String(),
    "value": pl.String(),
}
"""One row per question, item and key."""

VOTES: dict[str, pl.DataType] = {
    "question": pl.String(),
    "item": pl.String(),
    "cluster": pl.String(),
    "model_a": pl.String(),
    "model_b": pl.String(),
    "shown_first": pl.String(),
    "winner": pl.String(),
    "rater": pl.String(),
    "rater_kind": pl.String(),
    "row_number": pl.Int64(),
}
"""One row per vote on two models: model_a comes before model_b by name. shown_first is one of them, and so is winner,
or tie. `cluster` is what the item belongs to."""

REGION_WORK: dict[str, pl.DataType] = {
    "question": pl.String(),
    "item": pl.String(),
    "rater": pl.String(),
    "rater_kind": pl.String(),
    "regions": pl.String(),
    "n_spans": pl.Int32(),
    "n_boxes": pl.Int32(),
    "text_length": pl.Int64(),
    "rated_at": pl.Datetime("us", "UTC"),
    "source_ref": pl.String(),
}
"""One row per rater's work on an item. `regions` is a sorted JSON array of spans [start, end, label] and boxes [left,
top, right, bottom, label], empty for none; of other answers an object with `ranking` ([option, rank]) or `text`.
rated_at is null where the file has no time, source_ref where it does not name the annotation."""

RATER_KINDS = ("human", "system", "gold")
IS_HUMAN, IS_SYSTEM, IS_GOLD = (pl.col("rater_kind") == kind for kind in RATER_KINDS)
"""Conditions on the rows of a table with a column rater_kind."""

SCALES = ("nominal", "ordinal", "interval", "ratio")
DUPLICATE_RULES = ("latest", "first", "error")
"""Which of several ratings by one rater, on one item and question, is in force. `repeats` is a fourth rule: it numbers
the raters before their ratings are stored (tasks.ingest.duplicates)."""

# Lengths in characters. Longer ids and labels are rejected; longer values, details and metadata are cut.
MAX_ID_LENGTH = 1_000
MAX_LABEL_LENGTH = 4_000
MAX_VALUE_LENGTH = 200
MAX_DETAIL_LENGTH = 1_000
MAX_METADATA_LENGTH = 2_000
