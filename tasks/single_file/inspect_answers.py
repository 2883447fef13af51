"""Say which rankings and texts a file holds, and write the settings that take them into a project."""

from collections.abc import Sequence
from pathlib import Path
from shlex import quote

import polars as pl

from tasks.counted_words import counted
from tasks.errors import ReadError
from tasks.formats import ReadOptions
from tasks.formats.answers.read_answers import read_answers

WORDS = {"ranking": ("ranking", "rankings"), "text": ("text", "texts")}


def answers_in(path: Path, options: ReadOptions) -> pl.DataFrame:
    """Return the questions of rankings and texts that the file itself shows (question, kind, n), without a prefix."""
    try:
        held = read_answers([path], options)
    except ReadError:
        held = None  # the reader of ratings says what is wrong
    if held is None:
        return pl.DataFrame(schema={"question": pl.String, "kind": pl.String, "n": pl.UInt32})
    counts = held.rows.group_by("question", "kind").agg(n=pl.len()).sort("question", "kind")
    return counts.filter(~pl.col("question").is_duplicated())


def answers_notes(answers: pl.DataFrame) -> list[str]:
    """Return a sentence on the answers of each question, and how they are compared."""
    return [
        f"{question}: {counted(n, *WORDS[kind])}. `kappaflow agree FILE --question {quote(question)}` compares them"
        f' between raters, and so do projects with answers = "{kind}".'
        for question, kind, n in answers.rows()
    ]


def answers_settings(answers: pl.DataFrame, prefix: str | None) -> Sequence[tuple[str, str]]:
    """Return the full name of each question and its kind of answers."""
    return [(f"{prefix}/{question}" if prefix else question, kind) for question, kind, _ in answers.rows()]
