"""What to say about a mistyped command or option: what is wrong, the nearest one there is, and where to read on."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from typer.exceptions import TyperException

NO_COMMAND = re.compile(r"No such command '(.*?)'\.", re.DOTALL)  # how Typer begins its message
# What people type who know other programs.
OTHER_WORDS = {
    "version": "--version",
    "update": "ingest",
    "import": "ingest",
    "load": "ingest",
    "query": "sql",
    "kappa": "agree",
    "agreement": "agree",
    "estimate": "accuracy",
    "start": "serve",
    "validate": "inspect",
    "new": "init",
}


def explain(error: TyperException) -> tuple[str, str]:
    """Return what is wrong and what to do."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "kappaflow"
    hint = f"See `{command} --help`."
    if (option := getattr(error, "option_name", None)) and hasattr(error, "possibilities"):
        return _with_suggestion(f"There is no option {option}", _nearest_option(option, context)), hint
    message = error.format_message()
    if (unknown := NO_COMMAND.match(message)) and context is not None:
        return _unknown_command(unknown[1], context, hint)
    return f"{message.rstrip('.')}.", hint


def _unknown_command(word: str, context: Any, hint: str) -> tuple[str, str]:
    names = list(context.command.commands)
    nearest = OTHER_WORDS.get(word) if context.parent is None else None
    nearest = nearest or _nearest(word, names)
    if nearest is None and context.parent is None and Path(word).is_file():
        return f"{word!r} is a file, not a command.", f"Try `kappaflow agree {word}` or `kappaflow inspect {word}`."
    return _with_suggestion(f"There is no command {word!r}", nearest and f"{context.command_path} {nearest}"), hint


def _nearest_option(option: str, context: Any) -> str | None:
    if context is None:
        return None
    options = [name for parameter in context.command.get_params(context) for name in parameter.opts
               if name.startswith("-") and not getattr(parameter, "hidden", False)]  # fmt: skip
    return _nearest(option, [name for name in options if len(name) > 2])


def _nearest(word: str, names: Iterable[str]) -> str | None:
    """Return the name that begins with `word`, if there is only one, else the most similar name."""
    names = list(names)
    longer = [name for name in names if name.startswith(word)] if len(word.lstrip("-")) > 1 else []
    if len(longer) == 1:
        return longer[0]
    return next(iter(get_close_matches(word, names, n=1, cutoff=0.65)), None)


def _with_suggestion(sentence: str, nearest: str | None) -> str:
    return f"{sentence}. Did you mean `{nearest}`?" if nearest else f"{sentence}."
