"""Give the rows of a batch their keys, which the SQL of the batch reads: a frame at once, parts one by one."""

from collections.abc import Mapping
from dataclasses import dataclass

import duckdb
import polars as pl

from schemas.rating_columns import METADATA
from warehouse.keys import all_differ, keyed, keyed_metadata, repeated
from warehouse.row_parts import RowParts


@dataclass(frozen=True)
class StagedRows:
    """The tables of warehouse.keys.keyed, and the questions of the ratings. `has_repeated`: whether an item and rater
    have several."""

    tables: Mapping[str, pl.DataFrame | RowParts]
    question_ids: list[int]
    has_repeated: bool


def staged_frames(con: duckdb.DuckDBPyConnection, ratings: pl.DataFrame, metadata: pl.DataFrame) -> StagedRows:
    """Give ratings and metadata their keys."""
    tables = keyed(con, ratings, metadata)
    return StagedRows(tables, tables["staged"]["question_id"].unique().to_list(), not tables["repeated"].is_empty())


def staged_parts(con: duckdb.DuckDBPyConnection, ratings: RowParts, metadata: RowParts) -> StagedRows:
    """Give ratings and metadata their keys part by part: the same as all at once."""
    staged = RowParts(ratings.folder.with_name("staged"))
    pairs: list[pl.DataFrame] = []
    question_ids: set[int] = set()
    no_metadata = pl.DataFrame(schema=METADATA)
    for part in ratings:
        rows = keyed(con, part, no_metadata)["staged"].with_columns(
            pl.col("arrival") + staged.height, pl.col("rater_kind").cast(pl.String)
        )
        staged.append(rows)
        pairs.append(rows.select("item_id", "rater_id"))
        question_ids.update(rows["question_id"].unique())
    several = repeated(pl.concat(pairs))
    tables: dict[str, pl.DataFrame | RowParts]
    tables = {"staged": staged, "staged_metadata": _metadata_parts(con, metadata), "repeated": several}
    return StagedRows(tables, sorted(question_ids), not several.is_empty())


def _metadata_parts(con: duckdb.DuckDBPyConnection, metadata: RowParts) -> RowParts:
    """Give the metadata their keys. Where parts tell a thing of an item several times, the first value counts."""
    staged = RowParts(metadata.folder.with_name("staged_metadata"))
    names = pl.Categorical(pl.Categories.random())
    pairs: list[pl.DataFrame] = []
    for part in metadata:
        rows = keyed_metadata(con, part)
        staged.append(rows.drop_nulls("value"))
        key = rows["key"].cast(names).to_physical()
        pairs.append(rows.select("item_id", key.alias("key"), has_value=pl.col("value").is_not_null()))
    all_pairs = pl.concat(pairs)
    pairs.clear()
    if all_differ(all_pairs.select("item_id", "key")):
        return staged
    is_first = (
        all_pairs.select(pl.struct("item_id", "key").is_first_distinct()).to_series().filter(all_pairs["has_value"])
    )
    return _filtered(staged, is_first)


def _filtered(parts: RowParts, is_kept: pl.Series) -> RowParts:
    kept = RowParts(parts.folder.with_name("staged_metadata_once"))
    start = 0
    for part in parts:
        kept.append(part.filter(is_kept.slice(start, part.height)))
        start += part.height
    return kept
