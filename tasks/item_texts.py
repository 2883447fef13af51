"""Find the text of each item in its metadata, to show it in the lists of items that people should review."""

import polars as pl

TEXT_KEYS = (  # the same keys as in the view disagreement_queue, the most likely first
    "text", "item_text", "content", "message", "sentence", "prompt", "question", "input", "query", "comment",
    "review", "utterance", "tweet", "post", "body", "title", "document", "passage", "response", "output", "answer",
)  # fmt: skip
CERTAIN = 0.95  # as in that view: at this probability or above, the label of an item is certain


def item_texts(metadata: pl.DataFrame) -> pl.DataFrame:
    """Return one row per item that has a text: item, item_text.

    The text is the metadata value whose key comes first in TEXT_KEYS. If there is no such key, it is the longest value
    of three words or more.

    >>> rows = [("1", "lang", "en"), ("1", "Text", "Hello"), ("2", "lang", "en"), ("2", "x", "one two three")]
    >>> item_texts(pl.DataFrame(rows, schema=["item", "key", "value"], orient="row")).rows()
    [('1', 'Hello'), ('2', 'one two three')]
    """
    places = {name: place for place, name in enumerate(TEXT_KEYS)}
    key, value = pl.col("key").cast(pl.String), pl.col("value").cast(pl.String)
    place = key.str.to_lowercase().replace_strict(places, default=None, return_dtype=pl.Int64)
    metadata_texts = metadata.select("item", key, value, place.alias("place")).filter(pl.col("value") != "")
    texts = metadata_texts.filter(pl.col("place").is_not_null() | (pl.col("value").str.count_matches(" ") >= 2))
    first = texts.sort(
        "item", "place", pl.col("value").str.len_chars(), "key", descending=[False, False, True, False], nulls_last=True
    ).unique("item", keep="first", maintain_order=True)
    return first.select("item", item_text="value")
