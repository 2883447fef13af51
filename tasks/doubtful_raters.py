"""Find raters that count as people, but are named like language models or like nobody."""

import re
from collections.abc import Iterable

import polars as pl

from schemas.rating_columns import IS_HUMAN
from tasks.formats.columns.column_roles import listed

COUNTED = "Named like models, but counted as people: {names}. If they are systems: {hint}."
OF_FILE = '--system NAME for each, or systems = ["NAME"] in the source'
OF_PROJECT = 'systems = ["NAME"] under the question in kappaflow.toml'
NOBODY = (
    "Counted as one person: {names}. If this stands for several people, or for nobody, leave the cell blank: such rows "
    "are rejected."
)
NO_NAMES = {"n/a", "na", "nan", "none", "null", "unknown", "anonymous", "-", "?", "undefined"}
MAX_NAMES = 10_000  # raters whose names are looked at
MODEL = re.compile(
    r"(^|[/:_\s\"'|-])("
    r"(chat)?gpt[-_ ]?\d|chatgpt|claude[-_ ]?(\d|v\d|sonnet|opus|haiku|instant)|gemini[-_ ]?(\d|pro|flash)"
    r"|(gemma|llama|qwen|vicuna|phi)[-_ ]?\d|mi[sx]tral|deepseek[-_ ]?(\w?\d|chat|coder)"
    r")",
    re.IGNORECASE,
)


def names_model(rater: str) -> bool:
    """Check whether a rater has the name of a language model. The first names Claude and Gemma do not count.

    >>> [names_model(name) for name in ("gpt-4o", "judge:claude-sonnet-5", "meta/Llama-3-8b", "qwen2.5:7b", "Mixtral")]
    [True, True, True, True, True]
    >>> [names_model(name) for name in ("Claude", "gemma", "claude_m", "annotator 4", "egpt", "Phil", "gpt")]
    [False, False, False, False, False, False, False]
    """
    return bool(MODEL.search(rater))


def doubtful_raters(people: Iterable[str], hint: str = OF_FILE) -> list[str]:
    """Return a sentence on people named like models, and one on names such as N/A. `hint` is how to declare systems.

    >>> doubtful_raters(["ann", "N/A"])[0][:31]
    "Counted as one person: 'N/A'. I"
    """
    names = sorted(people)
    models, nobody = list(filter(names_model, names)), [name for name in names if name.lower() in NO_NAMES]
    sentences = [COUNTED.format(names=listed(models, 5), hint=hint)] if models else []
    return [*sentences, *([NOBODY.format(names=listed(nobody, 5))] if nobody else [])]


def people_in(ratings: pl.DataFrame) -> list[str]:
    """Return the first people among the raters. `ratings` has rater and rater_kind."""
    return ratings.filter(IS_HUMAN)["rater"].unique().head(MAX_NAMES).cast(pl.String).to_list()
