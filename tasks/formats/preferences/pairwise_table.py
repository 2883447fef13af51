"""Read tables of votes on two models: MT-Bench, Chatbot Arena, and any table whose columns are known or mapped.

A row is a vote: two models, the winner, and perhaps an item, a judge, the position, and the kind of the judge. model_a
was shown first, unless a column `position` says otherwise. Each turn of MT-Bench is an item, and the two turns
of a question are one cluster.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from tasks.errors import InputError, ReadError
from tasks.formats.columns.column_roles import ALL, USUAL_NAMES, ColumnChoice, find_header, listed, plain
from tasks.formats.columns.joined_columns import BAR, bar_parts
from tasks.formats.parsing.cells import tidy_label
from tasks.formats.parsing.export import KINDS_AS_WRITTEN, ReadOptions
from tasks.formats.parsing.file_look import FileLook, look_at_file
from tasks.formats.parsing.json_fields import number
from tasks.formats.parsing.tools.record_votes import Record, read_records
from tasks.formats.preferences.preference_votes import (
    FIRST,
    NUMBERS,
    SECOND,
    TIE,
    PreferenceExport,
    PreferenceVotes,
    short_id,
    winner_of,
)

MAX_REMEMBERED = 50_000  # short texts that are tidied once, for names come again and again
MAX_LENGTH = 100
ROLES = ("model_a", "model_b", "winner", "item", "judge", "position", "rater_kind")
PAIRS = (("modela", "modelb"), ("model1", "model2"), ("generator1", "generator2"), ("systema", "systemb"))
WINNERS = ("winner", "preference", "preferred", "verdict", "choice", "vote", "label")
ITEMS = ("questionid", "conversationid", "promptid", "itemid", "item", "instructionid", "instruction", "prompt")
ITEM_WORDS = (*ITEMS, *USUAL_NAMES["item"])
ONE_HOT = ("winnermodela", "winnermodelb", "winnertie")
HINT = "Name the columns: --columns model_a=...,model_b=...,winner=..., and item=..., judge=... if there are such."
NO_ITEM = "No column names the item, so each row counts as one item. If a column does, add --columns item=NAME."
ZERO_AND_ONE = "{column!r} of {file} holds 0 and 1, but no 2: nothing tells whether 0 is the first model or a tie."
SCALE = "{column!r} of {file} holds {values}: a scale of numbers, and nothing tells which of them mean which model."
MAX_ODD = 0.05  # up to this share, numbers that are not votes are rejected one by one; above it the file is refused


def sniff(seen: FileLook) -> bool:
    """Check for two columns of models and one for the winner."""
    columns = _usual(_names(seen))
    return {"model_a", "model_b"} <= columns.keys() and ("winner" in columns or _one_hot(_names(seen)) is not None)


def read(path: Path, options: ReadOptions) -> PreferenceExport:
    """Read all rows. Errors: ReadError if the models or the winner have no column, or the winner cannot be told."""
    seen = look_at_file(path, header=options.header)
    headers = _names(seen)
    columns = _columns(headers, options.columns, path)
    hot = None if "winner" in columns else _one_hot(headers)
    records = read_records(path, seen)
    rows = list(records.rows)
    if "winner" in columns:
        _check_numbers([tidy_label(record.get(columns["winner"][0])) for _, record in rows], columns["winner"][0], path)
    votes = PreferenceVotes()
    for row, record in rows:
        _add(votes, row, record, columns, hot)
    headers_of = {role: tuple(names) for role, names in columns.items()} | ({"winner": hot} if hot else {})
    used = {name for names in headers_of.values() for name in names}
    choice = ColumnChoice(headers_of, tuple(header for header in headers if header not in used))
    notes = [] if "item" in columns else [NO_ITEM]
    return votes.export("pairwise_table", records.rejects, (*records.warnings, *notes), choice)


def _names(seen: FileLook) -> list[str]:
    return [header.strip() for header in dict.fromkeys([*seen.headers, *seen.shape])]


def _usual(headers: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the columns of the roles by their usual names."""
    by_name = {plain(header): header for header in reversed(headers)}
    columns: dict[str, tuple[str, ...]] = {}
    for a, b in PAIRS:
        if a in by_name and b in by_name:
            columns |= {"model_a": (by_name[a],), "model_b": (by_name[b],)}
            break
    words = {"winner": WINNERS, "item": ITEM_WORDS, "judge": ("judge", *USUAL_NAMES["rater"])}
    words |= {"position": ("position", "shownfirst"), "rater_kind": USUAL_NAMES["rater_kind"]}
    used = {name for names in columns.values() for name in names}
    for role, usual in words.items():
        if header := next((by_name[name] for name in usual if name in by_name and by_name[name] not in used), None):
            columns[role] = (header,)
            used.add(header)
    if "item" in columns and "turn" in by_name:
        columns["item"] = (*columns["item"], by_name["turn"])
    return columns


def _one_hot(headers: Sequence[str]) -> tuple[str, ...] | None:
    by_name = {plain(header): header for header in headers}
    return tuple(by_name[name] for name in ONE_HOT) if by_name.keys() >= set(ONE_HOT) else None


def _columns(headers: Sequence[str], mapping: Mapping[str, str], path: Path) -> dict[str, tuple[str, ...]]:
    """Return the columns of each role: those that the user maps, else those with a usual name."""
    if unknown := [role for role in mapping if role not in ROLES]:
        raise InputError(f"Columns of preferences have no role {unknown[0]!r}.", f"Roles: {', '.join(ROLES)}.")
    mapped = {
        role: tuple(headers[find_header(headers, part, path.name, role)] for part in bar_parts(headers, wanted))
        for role, wanted in mapping.items()
    }
    used = {name for names in mapped.values() for name in names}
    free = {role: names for role, names in _usual(headers).items() if not used & set(names)}
    columns = free | mapped
    missing = [role for role in ("model_a", "model_b", "winner") if role not in columns]
    if missing and not (missing == ["winner"] and _one_hot(headers)):
        raise ReadError.of(path, f"has columns {listed(headers, ALL)}; none of them is known as {missing[0]}.", HINT)
    return columns


def _check_numbers(values: Sequence[str | None], column: str, path: Path) -> None:
    """Refuse numbers that may mean something else than 1, 2 and a tie. Errors: ReadError."""
    numbers = [number(value) for value in values if value is not None]
    distinct = {value for value in numbers if value is not None}
    odd = distinct - NUMBERS.keys()
    sentence = None
    if ({0, 1} <= distinct and 2 not in distinct) or (distinct == {0} and None not in numbers):
        sentence = ZERO_AND_ONE.format(column=column, file=path.name)
    elif sum(value in odd for value in numbers) > MAX_ODD * len(numbers):
        shown = listed([f"{value:g}" for value in sorted(distinct)], 8)
        sentence = SCALE.format(column=column, file=path.name, values=shown)
    if sentence:
        hint = "Write model_a, model_b or tie, or 1, 2 and 0 for a tie."
        raise ReadError(sentence, hint, file=str(path), column=column)


def _add(
    votes: PreferenceVotes,
    row: int,
    record: Record,
    columns: Mapping[str, tuple[str, ...]],
    hot: tuple[str, ...] | None,
) -> None:
    cells = {role: _text(record, names) for role, names in columns.items()}
    a, b = cells["model_a"], cells["model_b"]
    if hot:
        ticked = [outcome for name, outcome in zip(hot, (FIRST, SECOND, TIE), strict=True) if _ticked(record.get(name))]
        value, outcome = "+".join(ticked) or None, ticked[0] if len(ticked) == 1 else None
    else:
        value, outcome = cells["winner"], winner_of(cells["winner"], a, b)
    position = cells.get("position")
    shown = winner_of(position, a, b)
    if position is not None and shown not in (FIRST, SECOND):
        votes.reject(row, "position", position, "unknown_label", "This does not say which model was shown first.")
        return
    kind = (cells.get("rater_kind") or "human").lower()
    votes.add(
        row,
        (a, b),
        outcome,
        value=value,
        item=short_id(cells["item"]) if "item" in columns else f"row {row}",
        cluster=short_id(tidy_label(record.get(columns["item"][0]))) if "item" in columns else None,
        rater=cells.get("judge"),
        rater_kind=KINDS_AS_WRITTEN.get(kind, "human"),
        swapped=shown == SECOND,
    )


@lru_cache(maxsize=MAX_REMEMBERED)
def _tidy(text: str) -> str | None:
    return tidy_label(text)


def _text(record: Record, names: Sequence[str]) -> str | None:
    if len(names) == 1:
        value = record.get(names[0])
        return _tidy(value) if type(value) is str and len(value) <= MAX_LENGTH else tidy_label(value)
    texts = [tidy_label(record.get(name)) for name in names]
    return BAR.join(part for part in texts if part) if all(texts) else None


def _ticked(value: object) -> bool:
    return tidy_label(value) in ("1", "true", "yes", "x")
