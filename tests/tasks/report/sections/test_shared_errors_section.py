"""The report's sentence on how far the annotators' errors go together."""

import polars as pl

from tasks.report.sections.shared_errors_section import shared_errors_sentence

ROW = {
    "question": "tone", "correlation": 0.16, "low": 0.05, "high": 0.27, "confidence": 0.95, "raters_per_item": 3.0,
    "n_effective": 2.27, "n_effective_low": 1.95, "n_effective_high": 2.73, "n_items": 60, "reason": None,
    "detail": None,
}  # fmt: skip
EMPTY = dict.fromkeys(("correlation", "low", "high", "raters_per_item", "n_effective", "n_effective_low"))


def frame(**changes: object) -> pl.DataFrame:
    return pl.DataFrame([ROW | changes])


def test_the_effective_number_stands_beside_the_number_of_ratings() -> None:
    text = shared_errors_sentence(frame())
    assert text.startswith("Errors on 60 gold items correlate by 0.160 (0.050")
    assert "3.0 ratings are worth 2.3 independent ones" in text
    assert text.endswith("2.7).")


def test_an_undefined_correlation_says_why_and_without_gold_there_is_nothing_to_say() -> None:
    few = frame(**EMPTY, reason="too_few_items", detail="10 gold items with two ratings or more are needed.")
    assert shared_errors_sentence(few).endswith("is not known. 10 gold items with two ratings or more are needed.")
    assert shared_errors_sentence(frame(**EMPTY, reason="no_gold", detail="Only gold shows it.")) == ""
    assert shared_errors_sentence(frame().clear()) == ""
