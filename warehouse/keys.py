"""The texts of a batch under their keys: each distinct text meets its dictionary once, and the rows carry integers."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import duckdb
import polars as pl

from warehouse import sql

KEY = pl.Int32()


@dataclass(frozen=True)
class Coded:
    """A column of texts as numbers: row i has the text `texts[codes[i]]`. The texts are distinct, and stand in the
    order in which they first appear."""

    codes: pl.Series
    texts: pl.Series


def keyed(con: duckdb.DuckDBPyConnection, ratings: pl.DataFrame, metadata: pl.DataFrame) -> Mapping[str, pl.DataFrame]:
    """The frames as the SQL of a batch reads them: `staged` has the ratings, and `staged_metadata` the metadata, with
    question_id, item_id, rater_id and label_id in place of the texts, and `arrival`, the place of the row.

    New texts enter the dictionaries, numbered by their first place: the metadata come after the ratings.
    """
    n = ratings.height
    both = [pl.concat([ratings[name], metadata[name]]) for name in ("question", "item")]
    with ThreadPoolExecutor() as pool:  # to number one column takes one core
        questions, items, raters, labels = pool.map(coded, [*both, ratings["rater"], ratings["label"]])
    question = _keys(con, "keys_questions", questions)
    item = _item_keys(con, questions, question, items)
    rater, label = _keys(con, "keys_raters", raters), _keys(con, "keys_labels", labels)
    staged = ratings.select(
        pl.int_range(pl.len(), dtype=pl.Int64).alias("arrival"),
        question.head(n).alias("question_id"),
        item.head(n).alias("item_id"),
        rater.alias("rater_id"),
        label.alias("label_id"),
        pl.exclude("question", "item", "rater", "label"),
    )
    about = metadata.select(
        pl.int_range(n, n + pl.len(), dtype=pl.Int64).alias("arrival"), item.slice(n).alias("item_id"), "key", "value"
    )
    return {"staged": staged, "staged_metadata": about}


def coded(texts: pl.Series) -> Coded:
    """Number the distinct texts of a column, in one pass.

    >>> found = coded(pl.Series(["b", "a", "b"]))
    >>> found.codes.to_list(), found.texts.to_list()
    ([0, 1, 0], ['b', 'a'])
    """
    # categories of its own: those that a process shares would be numbered by what came before
    numbered = texts.cast(pl.Categorical(pl.Categories.random()))
    return Coded(numbered.to_physical(), numbered.unique(maintain_order=True).drop_nulls().cast(pl.String))


def _keys(con: duckdb.DuckDBPyConnection, dictionary: str, column: Coded) -> pl.Series:
    """The key of each row's text."""
    with sql.registered(con, incoming_texts=column.texts.alias("text").to_frame().with_row_index("code")):
        keys = pl.Series([key for (key,) in sql.rows(con, dictionary)], dtype=KEY)
    return keys.gather(column.codes)


def _item_keys(con: duckdb.DuckDBPyConnection, questions: Coded, question_id: pl.Series, items: Coded) -> pl.Series:
    """The key of each row's item: a text of its question."""
    pairs = pl.DataFrame({"question": questions.codes, "code": items.codes, "question_id": question_id})
    if len(questions.texts) < 2:
        # the item's text says all, and need not be looked up once more
        first = pl.DataFrame({"code": pl.int_range(len(items.texts), dtype=pl.UInt32, eager=True)})
        place, first = items.codes, first.with_columns(pl.lit(question_id.first(), KEY).alias("question_id"))
    else:
        first = pairs.unique(["question_id", "code"], maintain_order=True).with_row_index("place")
        place = pairs.join(first, on=["question_id", "code"], how="left", maintain_order="left")["place"]
    texts = first.select("question_id", items.texts.gather(first["code"]).alias("item"))
    return _numbered(con, texts).gather(place)


def _numbered(con: duckdb.DuckDBPyConnection, items: pl.DataFrame) -> pl.Series:
    """The key of each of the items (question_id, item), which are distinct: most often all are known, or all new."""
    with sql.registered(con, incoming_items=items.with_row_index("place")):
        known = sql.frame(con, "keys_items_known")
    last = sql.value(con, "keys_items_last")
    keys = pl.repeat(None, items.height, dtype=KEY, eager=True).scatter(known["place"], known["item_id"])
    keyed_items = items.select(
        pl.when(keys.is_null()).then(keys.is_null().cum_sum() + last).otherwise(keys).cast(KEY).alias("item_id"),
        pl.all(),
    )
    with sql.registered(con, new_items=keyed_items.filter(keys.is_null())):
        sql.run(con, "keys_items_new")
    return keyed_items["item_id"]
