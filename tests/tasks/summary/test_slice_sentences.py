"""What is said of a system that is less accurate on a slice."""

import polars as pl

from tasks.summary.slice_sentences import slice_sentences
from tests.stats.accuracy.comparison.test_low_slices import Row, row

WITHOUT = "(outer intervals: without gold, if errors are as on real data)"


def sentences(*rows: Row) -> list[str]:
    return slice_sentences(pl.DataFrame([each | {"question": "tone"} for each in rows], infer_schema_length=None))


def test_a_system_has_one_sentence() -> None:
    sources = [row("x", 0.7, scope="slice:source=x"), row("y", 0.9, scope="slice:source=y")]
    languages = [row("de", 0.6), row("fr", 0.9, n_items=300), row("it", 0.8)]
    assert sentences(*languages, *sources, row("all", 0.8, scope="all")) == [
        "tone: gpt is less accurate where language is de: 0.60 [0.55, 0.65], against 0.88 [0.82, 0.93] for 2 other "
        f"values of language on average {WITHOUT}. So it is where source is x."
    ]
    assert sentences(languages[0]) == []


def test_gold_is_said_with_its_origin() -> None:
    audited = {"n_gold": 40, "gold_origin": "drawn"}
    assert sentences(row("de", 0.6, **audited), row("fr", 0.9, **audited)) == [
        "tone: gpt is less accurate where language is de: 0.60 [0.57, 0.62], against 0.90 [0.88, 0.93] where it is "
        "fr (audited with gold of known probabilities)."
    ]
    unknown = audited | {"gold_origin": "unknown"}
    (sentence,) = sentences(row("de", 0.6, **unknown), row("fr", 0.9, **audited))
    assert sentence.endswith("(audited with gold, if it is a random sample).")


def test_without_slices_nothing_is_said() -> None:
    assert sentences(row("all", 0.8, scope="all")) == []
