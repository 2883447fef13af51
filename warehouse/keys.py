"""Replace the texts of a batch by integer keys. Each distinct text is looked up in its dictionary table once."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, cast

import duckdb
import polars as pl

from warehouse import sql

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KEY = pl.Int32()
SLICE = 1 << 20
MIN_FOR_THREADS = 10_000
MAX_PLACES_PER_PAIR = 16  # above that, a table of all possible pairs costs more than it saves
A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True)
class CodedText:
    """A column of texts as numbers: row i has the text `texts[codes[i]]`. The texts are distinct, in the order in which
    they first appear."""

    codes: pl.Series
    texts: pl.Series


def keyed(con: duckdb.DuckDBPyConnection, ratings: pl.DataFrame, metadata: pl.DataFrame) -> Mapping[str, pl.DataFrame]:
    """Build the frames that the SQL of a batch reads, with keys in place of texts.

    `staged`: the ratings with question_id, item_id, rater_id, label_id, file_rater_id (the key of `name_in_file`), and
    `arrival`, the row's position. `repeated`: item_id and rater_id of those with more than one row. `staged_metadata`:
    the last value of each item_id and key.

    New texts are added to the dictionary tables, numbered by their first position, ratings before metadata.
    """
    n = ratings.height
    shared_columns = [pl.concat([ratings[name], metadata[name]]) for name in ("question", "item")]
    columns = [*shared_columns, ratings["rater"], ratings["label"]]
    questions, items, raters, labels = _on_threads(coded, columns, n_rows=n)
    question = _keys(con, "keys/questions", questions)
    item = _item_keys(con, questions, question, items)
    rater, label = _keys(con, "keys/raters", raters), _keys(con, "keys/labels", labels)
    staged = ratings.select(
        pl.int_range(pl.len(), dtype=pl.Int64).alias("arrival"),
        question.head(n).alias("question_id"),
        item.head(n).alias("item_id"),
        rater.alias("rater_id"),
        label.alias("label_id"),
        _keys_of_names(con, ratings["name_in_file"]).alias("file_rater_id"),
        pl.exclude("question", "item", "rater", "label", "name_in_file"),
    )
    return {
        "staged": staged,
        "staged_metadata": _last_values(metadata.select(item.slice(n).alias("item_id"), "key", "value")),
        "repeated": repeated(staged.select("item_id", "rater_id")),
    }


def keyed_metadata(con: duckdb.DuckDBPyConnection, metadata: pl.DataFrame) -> pl.DataFrame:
    """Replace the question and the item of each row by item_id. New texts get a key."""
    questions, items = coded(metadata["question"]), coded(metadata["item"])
    item = _item_keys(con, questions, _keys(con, "keys/questions", questions), items)
    return metadata.select(item.alias("item_id"), "key", "value")


def keyed_rows(con: duckdb.DuckDBPyConnection, rows: pl.DataFrame) -> pl.DataFrame:
    """Replace the question and the rater of each row by question_id and rater_id. New texts get a key."""
    return rows.select(
        _keys(con, "keys/questions", coded(rows["question"])).alias("question_id"),
        _keys(con, "keys/raters", coded(rows["rater"])).alias("rater_id"),
        pl.exclude("question", "rater"),
    )


def coded(texts: pl.Series) -> CodedText:
    """Number the distinct texts of a column, in one pass.

    >>> column = coded(pl.Series(["b", "a", "b"]))
    >>> column.codes.to_list(), column.texts.to_list()
    ([0, 1, 0], ['b', 'a'])
    """
    if isinstance(texts.dtype, pl.Categorical):  # The reader of a large file has numbered them, in another order.
        return _in_order(texts)
    if texts.null_count():
        return _coded_by_text(texts)
    if len(texts) and (texts == texts[0]).all():  # as a rule the question of a file
        return CodedText(pl.repeat(0, len(texts), dtype=pl.UInt32, eager=True), texts.head(1))
    hashes = texts.hash(seed=secrets.randbits(64))  # nobody can write texts that he knows to have one hash
    numbers = hashes.to_arrow().dictionary_encode().indices.to_numpy()
    column = CodedText(pl.Series(numbers).cast(pl.UInt32), texts.gather(_first_positions(numbers)))
    return column if _is_exact(column, texts) else _coded_by_text(texts)


def _first_positions(numbers: "NDArray[np.int32]") -> "NDArray[np.intp]":
    """Return where each number comes first: where the highest so far rises, as they are given in that order."""
    import numpy as np  # not with the module: `run` with nothing due loads it, too, and stores no texts

    return np.flatnonzero(np.diff(np.maximum.accumulate(numbers), prepend=-1))


def _is_exact(column: CodedText, texts: pl.Series) -> bool:
    """Check whether each row has the text of its code: two texts may have one hash."""

    def is_equal(start: int) -> bool:
        return column.texts.gather(column.codes.slice(start, SLICE)).equals(texts.slice(start, SLICE))

    return all(_on_threads(is_equal, range(0, len(texts), SLICE), n_rows=len(texts)))


def _on_threads(function: Callable[[A], B], values: Sequence[A], *, n_rows: int) -> list[B]:
    """Apply the function to each value: each takes one core. With few rows threads would take longer to start."""
    if n_rows < MIN_FOR_THREADS:
        return [function(value) for value in values]
    with ThreadPoolExecutor() as pool:
        return list(pool.map(function, values))


def _coded_by_text(texts: pl.Series) -> CodedText:
    """Number the texts as they are. For millions of distinct texts this takes nearly twice the time."""
    numbered = texts.to_arrow(compat_level=pl.CompatLevel.newest()).dictionary_encode()
    codes = cast(pl.Series, pl.from_arrow(numbered.indices)).cast(pl.UInt32)
    return CodedText(codes, cast(pl.Series, pl.from_arrow(numbered.dictionary)).alias(texts.name))


def _in_order(numbered: pl.Series) -> CodedText:
    """Number by first position what is numbered in another order, possibly with numbers that no row has."""
    codes, old_numbers = _renumbered(numbered.to_physical())
    return CodedText(codes, old_numbers.cast(pl.UInt32).cat.to(numbered.dtype).cast(pl.String).alias(numbered.name))


def _renumbered(codes: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Renumber whole numbers from 0 by their first position: the new number of each row, and the old number of each new
    one."""
    import numpy as np  # see _first_positions

    first = np.full(cast(int, codes.max()) + 1 if codes.count() else 0, -1)
    for start in reversed(range(0, len(codes), SLICE)):  # In slices, because NumPy's 64-bit indices need memory.
        some = codes.slice(start, SLICE)
        places = np.flatnonzero(some.is_not_null().to_numpy())
        first[some.drop_nulls().to_numpy()[::-1]] = (
            start + places[::-1]
        )  # Written backwards: a number's first position is written last.
    old_numbers = np.flatnonzero(first >= 0)
    old_numbers = old_numbers[np.argsort(first[old_numbers])]
    new_numbers = np.zeros(len(first), np.uint32)
    new_numbers[old_numbers] = np.arange(len(old_numbers))
    return pl.Series(new_numbers).gather(codes), pl.Series(old_numbers)


def text_keys(con: duckdb.DuckDBPyConnection, dictionary: str, texts: pl.Series) -> pl.Series:
    """Look up the key of each of these distinct texts. New texts get one."""
    return _keys(con, dictionary, CodedText(pl.int_range(len(texts), dtype=pl.UInt32, eager=True), texts))


def _keys(con: duckdb.DuckDBPyConnection, dictionary: str, column: CodedText) -> pl.Series:
    """Look up the key of each row's text. New texts get one."""
    if column.texts.is_empty():
        return pl.repeat(None, len(column.codes), dtype=KEY, eager=True)
    with sql.registered(con, incoming_texts=column.texts.alias("text").to_frame().with_row_index("code")):
        keys = pl.Series([key for (key,) in sql.rows(con, dictionary)], dtype=KEY)
    return keys.gather(column.codes)


def _keys_of_names(con: duckdb.DuckDBPyConnection, names: pl.Series) -> pl.Series:
    """Look up the keys of the names that the file gave; null where the rater has one name."""
    names_in_files = coded(names.drop_nulls().unique().sort())
    keys = _keys(con, "keys/raters", names_in_files)
    if keys.is_empty():
        return pl.repeat(None, len(names), dtype=KEY, eager=True)
    return names.replace_strict(names_in_files.texts, keys, default=None, return_dtype=KEY)


def _item_keys(
    con: duckdb.DuckDBPyConnection, questions: CodedText, question_id: pl.Series, items: CodedText
) -> pl.Series:
    """Look up the key of each row's item: a question and a text. New items get one."""
    place, first = _first_of_items(questions, items)
    question_ids = question_id.gather(questions.codes.arg_unique()).gather(first["question"])
    return _numbered(
        con, pl.DataFrame({"question_id": question_ids, "item": items.texts.gather(first["item"])})
    ).gather(place)


def _first_of_items(questions: CodedText, items: CodedText) -> tuple[pl.Series, pl.DataFrame]:
    """Number the distinct items: the number of each row, and the codes of question and text of each number."""
    n_questions, n_texts = len(questions.texts), len(items.texts)
    if n_questions < 2:  # The text alone identifies the item.
        pairs = pl.select(question=pl.repeat(0, n_texts, dtype=pl.UInt32), item=pl.int_range(n_texts, dtype=pl.UInt32))
        return items.codes, pairs
    if n_questions * n_texts <= MAX_PLACES_PER_PAIR * len(items.codes):
        place, cells = _renumbered(questions.codes.cast(pl.Int64) * n_texts + items.codes)
        return place, pl.DataFrame({"question": cells // n_texts, "item": cells % n_texts})
    pairs = pl.DataFrame({"question": questions.codes, "item": items.codes})
    first = pairs.unique(maintain_order=True).with_row_index("place")
    place = pairs.join(first, on=["question", "item"], how="left", maintain_order="left")["place"]
    return place, first


def _numbered(con: duckdb.DuckDBPyConnection, items: pl.DataFrame) -> pl.Series:
    """Look up the key of each distinct item (question_id, item). New items are added to the dictionary."""
    with sql.registered(con, incoming_items=items.with_row_index("place")):
        stored = sql.frame(con, "keys/items_known")
    last = sql.value(con, "keys/items_last")
    keys = pl.repeat(None, items.height, dtype=KEY, eager=True).scatter(stored["place"], stored["item_id"])
    keyed_items = items.select(
        pl.when(keys.is_null()).then(keys.is_null().cum_sum() + last).otherwise(keys).cast(KEY).alias("item_id"),
        pl.all(),
    )
    if keys.null_count():  # an insert of no rows hides a large one after it (storing/09_restore_older_ratings.sql)
        with sql.registered(con, new_items=keyed_items.filter(keys.is_null())):
            sql.run(con, "keys/items_new")
    return keyed_items["item_id"]


def _last_values(metadata: pl.DataFrame) -> pl.DataFrame:
    metadata = metadata.drop_nulls("value")
    if all_differ(metadata.select("item_id", coded(metadata["key"]).codes.alias("key"))):
        return metadata
    return metadata.unique(["item_id", "key"], keep="last", maintain_order=True)


def repeated(pairs: pl.DataFrame) -> pl.DataFrame:
    """Return the pairs of numbers that occur in several rows."""
    if all_differ(pairs):
        return pairs.clear()
    return pairs.filter(pairs.is_duplicated()).unique()


def all_differ(pairs: pl.DataFrame) -> bool:
    """Tell whether no pair of numbers occurs twice. If the table of all pairs is small, mark them there."""
    if pairs.is_empty():
        return True
    item, other = pairs.columns
    lowest, lowest_other = (cast(int, pairs[name].min()) for name in pairs.columns)
    width = cast(int, pairs[other].max()) - lowest_other + 1
    n_places = (cast(int, pairs[item].max()) - lowest + 1) * width
    place = (pl.col(item).cast(pl.Int64) - lowest) * width + (pl.col(other).cast(pl.Int64) - lowest_other)
    if n_places > MAX_PLACES_PER_PAIR * pairs.height:
        return pairs.select(place).to_series().n_unique() == pairs.height
    import numpy as np

    occurs = np.zeros(n_places, bool)
    for start in range(0, pairs.height, SLICE):
        occurs[pairs.slice(start, SLICE).select(place).to_series().to_numpy()] = True
    return int(occurs.sum()) == pairs.height
