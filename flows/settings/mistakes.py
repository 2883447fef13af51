"""Say in plain words what is wrong with a value of kappaflow.toml, or with its TOML."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flows.settings.nested_tables import table_with
from flows.settings.values import SettingsTable
from tasks.formats.columns.column_roles import LABEL_SEPARATOR, TIME_FORMAT
from tasks.sources.dataset import READ_ROLES

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

TOML_HINTS = (
    (
        ("twice", "overwrite"),
        "Write each [table] and each key once: put new lines into the table that is there already.",
    ),
    (
        ("table declaration",),
        'Put names that are not only letters a to z, digits, - and _ in quotes: [questions."my question"].',
    ),
    (
        ("Unescaped '\\'", "Invalid hex value"),
        r"Between double quotes a backslash is written twice. Put such a path in single quotes: 'C:\data\inbox'.",
    ),
    (("Unclosed array",), "End the list with a ], and put a comma between its values."),
    (
        ("Illegal character", "Unterminated", 'Expected "\'"', "Expected '\"'"),
        "End each text with the quote that it begins with, on the same line.",
    ),
    (
        ("Invalid value",),
        'Put text values in quotes: scale = "nominal". The quotes are straight, " or \'. '
        "Numbers begin with a digit: 0.6, not .6.",
    ),
    (("Expected '=' after a key",), 'Put = between a key and its value: scale = "nominal".'),
)  # what the parser says, and the advice
LISTS_OF_TABLES = {("source",), ("notify",), ("alerts", "mute"), ("publish", "target")}
# What pydantic adds to the place of a setting that may be a limit or false.
ADDED_STEP = re.compile(r"(function-(before|after)|constrained-(int|float)|literal)(\[|$)")
# A token may be here by mistake: never print the value.
MAY_HOLD_SECRETS = {"token_env", "url_env", "url", "path", "endpoint"}
CREDENTIAL = re.compile(r"key|secret|session|passw|credential|account|sas_")  # of an object store
SECRET = re.compile(rf"{CREDENTIAL.pattern}|token|url|user|host")
NO_PASSWORDS = (
    "kappaflow.toml takes no addresses with passwords, and no keys; put the Postgres URL into the environment variable "
    "that url_env names, and the keys of an object store under the names of its vendor"
)
NO_CREDENTIALS = (
    "kappaflow.toml takes no keys or passwords of an object store; set them in the environment, under the names of its "
    "vendor (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, GOOGLE_APPLICATION_CREDENTIALS, AZURE_STORAGE_KEY)"
)
COLUMN_ROLES = {*READ_ROLES, TIME_FORMAT, LABEL_SEPARATOR}
OTHER_TOML_HINT = 'Put text values in quotes: scale = "nominal". The quotes are straight, " or \'.'


def toml_hint(message: str) -> str:
    """Say how to correct a file that is not TOML, from what the parser says."""
    return next((hint for phrases, hint in TOML_HINTS if any(phrase in message for phrase in phrases)), OTHER_TOML_HINT)


def sentence_of(error: "ErrorDetails", values: Mapping[str, Any], settings: type[SettingsTable]) -> str:
    """Return a mistake as 'setting: what is wrong', with the allowed keys if the key is unknown.

    values: what the file says; settings: what is allowed in it.
    """
    location = error["loc"]
    place = place_of(location, values)
    if error["type"] == "extra_forbidden":
        key = str(location[-1]).lower()
        if location[0] == "source" and CREDENTIAL.search(key):
            return f"{place}: {NO_CREDENTIALS}."
        if location[0] == "source" and key in COLUMN_ROLES:
            return f"{place} is not a setting; it belongs into `columns` of the source: columns = {{ {key} = ... }}."
        if location[:2] == ("publish", "target") and SECRET.search(key):
            return f"{place}: {NO_PASSWORDS}."
        allowed = (field.alias or name for name, field in table_with(location, settings).model_fields.items())
        return f"{place} is not a setting; allowed are {', '.join(allowed)}."
    may_hold_secret = bool(MAY_HOLD_SECRETS & set(location)) or "://" in str(error["input"])
    message = what_is_wrong(error, show_value=not may_hold_secret)
    if may_hold_secret or isinstance(error["input"], dict):
        return f"{place}: {message}."
    return f"{place} = {error['input']!r}: {message}."


def place_of(location: Sequence[int | str], settings: Mapping[str, Any]) -> str:
    """Name a setting as people find it in kappaflow.toml: they count tables of one name, and values, from 1.

    >>> two = {"source": [{"path": "a"}, {"path": "b"}]}
    >>> place_of(("source", 1, "path"), two), place_of(("source", 0, "path"), {"source": [{"path": 5}]})
    ('[[source]] number 2, path', 'source.path')
    >>> place_of(("source", 1, "systems", 0), two), place_of(("questions", "tone", "labels", 1), {})
    ('[[source]] number 2, systems, value 1', 'questions.tone.labels, value 2')
    """
    location = _own_steps(location)
    for table in LISTS_OF_TABLES:
        n_names = len(table)
        if tuple(location[:n_names]) == table and isinstance((number := (*location, "")[n_names]), int):
            key = location[n_names + 1 :]
            if _length(settings, table) == 1:
                return ", ".join(_place_words([*table, *key]))
            return ", ".join([f"[[{'.'.join(table)}]] number {number + 1}", *_place_words(key)])
    return ", ".join(_place_words(location))


def _own_steps(location: Sequence[int | str]) -> list[int | str]:
    """Leave out what pydantic adds: a kind of value, and at the end that a key is wrong. Questions keep their name.

    >>> _own_steps(("questions", "literal", "rules", "new_label", "literal[False]"))
    ['questions', 'literal', 'rules', 'new_label']
    """
    ends_with_key = len(location) > 2 and location[-1] == "[key]"
    place = list(location[:-1] if ends_with_key else location)
    name = place[1:2] if place[0] == "questions" else []
    rest = place[1 + len(name) :]
    return [place[0], *name, *(step for step in rest if not ADDED_STEP.match(str(step)))]


def _place_words(location: Sequence[int | str]) -> list[str]:
    """Join names by dots, and count values of lists from 1."""
    places: list[str] = []
    for before, step in zip((0, *location), location, strict=False):
        if isinstance(step, int):
            places.append(f"value {step + 1}")
        elif isinstance(before, int):
            places.append(step)
        else:
            places[-1] += f".{step}"
    return places


def _length(settings: Mapping[str, Any], table: Sequence[str]) -> int:
    """Return how many tables of this name the settings have. A single one may be written as [source]."""
    tables: Any = settings
    for name in table:
        tables = tables[name]
    return len(tables) if isinstance(tables, list) else 1


def what_is_wrong(error: "ErrorDetails", *, show_value: bool) -> str:
    """Say what is wrong with a value. `show_value`: the sentence may repeat it, because it is no secret."""
    sentence = SENTENCES.get(error["type"])
    if sentence in (_list, _table) and (header := _header(error["loc"])):
        return f"is a table: begin it with {header}"
    if sentence is None:
        return error["msg"].removeprefix("Value error, ").removesuffix(".")
    return sentence(error["input"] if show_value else None)


def _header(place: tuple[int | str, ...]) -> str | None:
    """Return the line with which a table begins that has its own keys, or that occurs several times."""
    if place[0] == "questions" and len(place) <= 2:
        return "[questions.NAME]"
    names = place[:-1] if isinstance(place[-1], int) else place
    if names in LISTS_OF_TABLES:
        return f"[[{'.'.join(map(str, names))}]]"
    return f"[{place[0]}]" if len(place) == 1 else None


def _list(value: object) -> str:
    if not isinstance(value, str):
        return "is a list"
    return f"is a list: write {json.dumps([part.strip() for part in value.split(',')], ensure_ascii=False)}"


def _table(value: object) -> str:
    if isinstance(value, str | int | float):
        return f"is a table of names and values: write {{ NAME = {json.dumps(value, ensure_ascii=False)} }}"
    return "is a table of names and values"


def _text(value: object) -> str:
    if isinstance(value, bool | int | float):
        return f'is a text: put it in quotes, "{json.dumps(value)}"'
    return "is a text"


def _number(value: object) -> str:
    if isinstance(value, str) and value.strip().endswith("%"):
        return "is a number, without a percent sign: 60 % is 0.6"
    return "is a number, such as 0.6"


def _whole_number(_: object) -> str:
    return "is a whole number, without a unit"


def _date(_: object) -> str:
    return "is a date, such as 2026-01-31"


def _required(_: object) -> str:
    return "is required"


def _true_or_false(_: object) -> str:
    return "is true or false, without quotes"


SENTENCES: dict[str, Callable[[object], str]] = {
    "list_type": _list,
    "dict_type": _table,
    "model_type": _table,
    "string_type": _text,
    "float_type": _number,
    "float_parsing": _number,
    "int_type": _whole_number,
    "int_parsing": _whole_number,
    "int_from_float": _whole_number,
    "bool_type": _true_or_false,
    "bool_parsing": _true_or_false,
    "date_type": _date,
    "date_from_datetime_parsing": _date,
    "date_from_datetime_inexact": _date,
    "missing": _required,
}  # by the type of pydantic's error; of the others, pydantic's words say what is allowed
