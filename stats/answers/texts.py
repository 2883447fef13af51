"""Compare texts: transcriptions, translations, summaries, short answers."""

from itertools import combinations

import polars as pl

TEXTS: dict[str, type[pl.DataType]] = {"item": pl.String, "rater": pl.String, "text": pl.String}
"""One row per item and rater."""
DISTANCES = {
    "item": pl.String,
    "rater_a": pl.String,
    "rater_b": pl.String,
    "text_similarity": pl.Float64,
    "word_similarity": pl.Float64,
    "exact_match": pl.Float64,
}


def text_distances(texts: pl.DataFrame) -> pl.DataFrame:
    """Return the similarity of the texts of each item and pair of raters.

    - text_similarity: 1 less the Levenshtein distance of the characters by the length of the longer text.
    - word_similarity: the same of the words, which blanks part.
    - exact_match: 1 if the texts are equal, else 0.

    >>> rows = [("1", "ann", "a cat sat"), ("1", "ben", "a cat sits")]
    >>> text_distances(pl.DataFrame(rows, schema=["item", "rater", "text"], orient="row")).rows()
    [('1', 'ann', 'ben', 0.8, 0.6666666666666667, 0.0)]
    """
    from rapidfuzz.distance import Levenshtein  # here, because only texts need it

    texts = texts.select(pl.col(name).cast(dtype) for name, dtype in TEXTS.items())
    texts = texts.unique(["item", "rater"], keep="last", maintain_order=True).sort("item", "rater")
    rows = []
    for (item,), own in texts.group_by("item", maintain_order=True):
        answers = [(rater, text, text.split()) for rater, text in own.select("rater", "text").rows()]
        for (a, first, words), (b, second, others) in combinations(answers, 2):
            of_text = Levenshtein.normalized_similarity(first, second)
            of_words = Levenshtein.normalized_similarity(words, others)
            rows.append((item, a, b, of_text, of_words, float(first == second)))
    return pl.DataFrame(rows, schema=DISTANCES, orient="row")
