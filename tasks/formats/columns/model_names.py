"""Find raters of a table that are named like language models, but count as people."""

import re

import polars as pl

from schemas.rating_columns import IS_HUMAN
from tasks.formats.columns.column_roles import listed

COUNTED = "Named like models, but counted as people"
MAX_NAMES = 10_000  # raters whose names are looked at
MODEL = re.compile(
    r"(^|[/:_\s-])("
    r"(chat)?gpt[-_ ]?\d|chatgpt|claude[-_ ]?(\d|v\d|sonnet|opus|haiku|instant)|gemini[-_ ]?(\d|pro|flash)"
    r"|(gemma|llama|qwen|vicuna|phi)[-_ ]?\d|mi[sx]tral|deepseek[-_ ]?(\w?\d|chat|coder)"
    r")",
    re.IGNORECASE,
)


def names_model(rater: str) -> bool:
    """Check whether a rater is named like a language model. First names such as Claude and Gemma are none.

    >>> [names_model(name) for name in ("gpt-4o", "judge:claude-sonnet-5", "meta/Llama-3-8b", "qwen2.5:7b", "Mixtral")]
    [True, True, True, True, True]
    >>> [names_model(name) for name in ("Claude", "gemma", "claude_m", "annotator 4", "egpt", "Phil", "gpt")]
    [False, False, False, False, False, False, False]
    """
    return bool(MODEL.search(rater))


def models_note(rows: pl.DataFrame) -> list[str]:
    """Return a sentence if people in the rows are named like models. `rows` has rater and rater_kind."""
    people = rows.filter(IS_HUMAN)["rater"].drop_nulls().unique().head(MAX_NAMES)
    models = sorted(filter(names_model, people.to_list()))
    if not models:
        return []
    return [
        f"{COUNTED}: {listed(models, 5)}. If they are systems: --system NAME for each, "
        'or systems = ["NAME"] in the source.'
    ]
