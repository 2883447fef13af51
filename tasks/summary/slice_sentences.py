"""Say on which slices a system is less accurate than on the others."""

from typing import TYPE_CHECKING

import polars as pl

from tasks.counted_words import short_name
from tasks.summary.gold_words import gold_words

if TYPE_CHECKING:
    from stats.accuracy.comparison.low_slices import LowSlice

MAX_FURTHER = 3
WITHOUT_GOLD = "outer intervals: without gold, if errors are as on real data"


def slice_sentences_by_question(systems: pl.DataFrame, system: str | None = None) -> dict[str, list[str]]:
    """Return a sentence for each system with a low slice, for each question that has one.

    `systems` has the columns of `latest_system_accuracy`, and the rows of all systems; rows that are of no slice are
    left out. With `system` only this one has a sentence.
    """
    slices = systems.filter(pl.col("scope").cast(pl.String).str.starts_with("slice:"))
    if slices.is_empty():
        return {}
    from stats.accuracy.comparison.low_slices import low_slices  # `run` without slices does not load numpy

    by_question = {
        str(name): [low for low in low_slices(rows.to_dicts()) if system in (None, low.system)]
        for (name,), rows in slices.group_by("question")
    }
    return {name: _sentences(by_question[name]) for name in sorted(by_question) if by_question[name]}


def slice_sentences(systems: pl.DataFrame) -> list[str]:
    """Return the sentences with their questions."""
    by_question = slice_sentences_by_question(systems)
    return [f"{question}: {sentence}" for question, several in by_question.items() for sentence in several]


def _sentences(lows: list["LowSlice"]) -> list[str]:
    """Say the clearest slice of each system in full, and name its further ones."""
    by_system: dict[str, list[LowSlice]] = {}
    for low in lows:
        by_system.setdefault(low.system, []).append(low)
    return [_sentence(first, further) for first, *further in by_system.values()]


def _sentence(low: "LowSlice", further: list["LowSlice"]) -> str:
    condition = f"audited with {gold_words(low.gold_origins)}" if low.gold_origins else WITHOUT_GOLD
    key = short_name(low.key)
    n_others = len(low.other_values)
    others = f"for {n_others:,} other values of {key} on average"
    if n_others == 1:
        others = f"where it is {short_name(low.other_values[0])}"
    also = ", ".join(_name(other) for other in further[:MAX_FURTHER])
    more = f" and {len(further) - MAX_FURTHER} more" if len(further) > MAX_FURTHER else ""
    sentence = (
        f"{short_name(low.system)} is less accurate where {_name(low)}: {low.accuracy.value:.2f} "
        f"[{low.accuracy.low:.2f}, {low.accuracy.high:.2f}], against {low.others.value:.2f} [{low.others.low:.2f}, "
        f"{low.others.high:.2f}] {others} ({condition})."
    )
    return f"{sentence} So it is where {also}{more}." if also else sentence


def _name(low: "LowSlice") -> str:
    return f"{short_name(low.key)} is {short_name(low.value)}"
