"""Read tables of votes on two models: MT-Bench, Chatbot Arena, and any table whose columns are known or mapped.

A row is a vote: two models, the winner, and perhaps an item, a judge, the position, and the kind of the judge. model_a
was shown first, unless a column `position` says otherwise. Each turn of MT-Bench is an item, and the two turns
of a question are one cluster.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from tasks.errors import ColumnsHint, InputError, ReadError
from tasks.formats.columns.column_roles import ALL, USUAL_NAMES, ColumnChoice, find_header, listed, plain
from tasks.formats.columns.header_words import tokens
from tasks.formats.columns.joined_columns import BAR, bar_parts
from tasks.formats.parsing.cells import tidy_label
from tasks.formats.parsing.export import KINDS_AS_WRITTEN, ReadOptions
from tasks.formats.parsing.file_look import FileLook, look_at_file
from tasks.formats.parsing.json_fields import number, parsed
from tasks.formats.parsing.tools.record_votes import Record, read_records
from tasks.formats.preferences.preference_votes import (
    FIRST,
    SECOND,
    TIE,
    PreferenceExport,
    PreferenceVotes,
    short_id,
    winner_of,
)
from tasks.formats.preferences.winner_values import OUTCOME_ROLES, check_numbers, mapped_outcomes

MAX_REMEMBERED = 50_000  # short texts that are tidied once, for names come again and again
MAX_LENGTH = 100
COLUMN_ROLES = ("model_a", "model_b", "winner", "item", "judge", "position", "rater_kind")
Vote = tuple[str | None, str | None, str | None]  # the voter, what the voter wrote, and the outcome
ROLES = (*COLUMN_ROLES, *OUTCOME_ROLES)
PAIRS = (("modela", "modelb"), ("model1", "model2"), ("generator1", "generator2"), ("systema", "systemb"))
WINNERS = ("winner", "preference", "preferred", "verdict", "choice", "vote", "label")
ITEMS = ("questionid", "conversationid", "promptid", "itemid", "item", "instructionid", "instruction", "prompt")
ITEM_WORDS = (*ITEMS, *USUAL_NAMES["item"])
BETTER_OR_WORSE = {"chosen", "rejected", "preferred", "winner", "winning", "loser", "losing", "better", "worse"}
MODEL_WORDS = {"model", "system", "generator"}
SCORE_WORDS = {"score", "scores", "rating", "ratings", "points", "prob", "probability"}
ONE_HOT = ("winnermodela", "winnermodelb", "winnertie")
HINT = "Name the columns: --columns model_a=...,model_b=...,winner=..., and item=..., judge=... if there are such."
SCORES = (
    "If {names} are scores of the two models, add a column winner: model_a where its score is the better one, model_b"
    " where the other is, tie where they are equal."
)
BETTER_MODELS = (
    "If {names} are the better and the worse model, write both under model_a and model_b in the order in which they"
    " were shown (else by name), and the better one under winner."
)
NO_ITEM = "No column names the item, so each row counts as one item. If a column does, add --columns item=NAME."


def sniff(seen: FileLook) -> bool:
    """Check for two columns of models and one or more for the winner."""
    names = _names(seen)
    columns = _usual(names)
    if not {"model_a", "model_b"} <= columns.keys():
        return False
    return "winner" in columns or _one_hot(names) is not None or bool(_winner_columns(names, _records(seen), columns))


def read(path: Path, options: ReadOptions) -> PreferenceExport:
    """Read all rows. Errors: ReadError if the models or the winner have no column, or the winner cannot be told."""
    seen = look_at_file(path, header=options.header)
    headers = _names(seen)
    columns = _columns(headers, options.columns, seen)
    hot = None if "winner" in columns else _one_hot(headers)
    records = read_records(path, seen)
    rows = list(records.rows)
    outcomes = mapped_outcomes(options.columns)
    for name in columns.get("winner", ()):
        values = [tidy_label(record.get(name)) for _, record in rows]
        check_numbers([value for value in values if value not in outcomes], name, path, outcomes)
    votes = PreferenceVotes()
    for row, record in rows:
        _add(votes, row, record, columns, hot, outcomes)
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


def _records(seen: FileLook) -> list[dict[str, str | None]]:
    return [dict(zip(map(str.strip, seen.headers), row, strict=False)) for row in seen.sample]


def _winner_columns(
    headers: Sequence[str], records: Sequence[Record], columns: Mapping[str, tuple[str, ...]]
) -> list[str]:
    """Return the other columns whose words all say which of two models won. Numbers may mean anything."""
    used = {name for names in columns.values() for name in names}
    return [header for header in headers if header not in used and _are_winners(header, records, columns)]


def _are_winners(header: str, records: Sequence[Record], columns: Mapping[str, tuple[str, ...]]) -> bool:
    outcomes = set()
    for record in records:
        value = _text(record, (header,))
        pair = (_text(record, columns["model_a"]), _text(record, columns["model_b"]))
        if value is not None:
            outcomes.add(None if number(value) is not None else winner_of(value, *pair))
    return None not in outcomes and len(outcomes - {TIE}) > 1


def _no_winner(seen: FileLook, columns: Mapping[str, tuple[str, ...]]) -> str | ColumnsHint:
    """Propose the columns whose values say which model won."""
    names = _winner_columns(_names(seen), _records(seen), columns)
    if not names:
        scores = [header for header in _names(seen) if SCORE_WORDS & set(tokens(header))]
        return SCORES.format(names=listed(scores)) if len(scores) == 2 else HINT
    if len(names) == 1:
        return ColumnsHint("If this fits: ", {"winner": names[0]}, ".")
    return ColumnsHint(
        "If each of these columns is a voter: ",
        {"winner": BAR.join(names)},
        ". If they are different questions, name one of them: ",
        {"winner": names[0]},
        ".",
    )


def _no_models(headers: Sequence[str]) -> str | ColumnsHint:
    """Propose the columns of the models, if just two are named so."""
    names = [header for header in headers if MODEL_WORDS & set(tokens(header))]
    if len(names) != 2:
        return HINT
    if any(BETTER_OR_WORSE & set(tokens(name)) for name in names):
        return BETTER_MODELS.format(names=listed(names))
    return ColumnsHint("If this fits: ", {"model_a": names[0], "model_b": names[1]}, ".")


def _columns(headers: Sequence[str], mapping: Mapping[str, str], seen: FileLook) -> dict[str, tuple[str, ...]]:
    """Return the columns of each role: those that the user maps, else those with a usual name."""
    path = seen.path
    if unknown := [role for role in mapping if role not in ROLES]:
        raise InputError(f"Columns of preferences have no role {unknown[0]!r}.", f"Roles: {', '.join(ROLES)}.")
    mapped = {
        role: tuple(headers[find_header(headers, part, path.name, role)] for part in bar_parts(headers, wanted))
        for role, wanted in mapping.items()
        if role in COLUMN_ROLES
    }
    used = {name for names in mapped.values() for name in names}
    free = {role: names for role, names in _usual(headers).items() if not used & set(names)}
    columns = free | mapped
    missing = [role for role in ("model_a", "model_b", "winner") if role not in columns]
    if missing and not (missing == ["winner"] and _one_hot(headers)):
        hint = _no_winner(seen, columns) if missing == ["winner"] else _no_models(headers)
        raise ReadError.of(path, f"has columns {listed(headers, ALL)}; none of them is known as {missing[0]}.", hint)
    return columns


def _add(
    votes: PreferenceVotes,
    row: int,
    record: Record,
    columns: Mapping[str, tuple[str, ...]],
    hot: tuple[str, ...] | None,
    outcomes: Mapping[str, str],
) -> None:
    cells = {role: _text(record, names) for role, names in columns.items() if role not in ("winner", "judge")}
    a, b = cells["model_a"], cells["model_b"]
    position = cells.get("position")
    shown = winner_of(position, a, b)
    if position is not None and shown not in (FIRST, SECOND):
        votes.reject(row, "position", position, "unknown_label", "This does not say which model was shown first.")
        return
    kind = (cells.get("rater_kind") or "human").lower()
    judge = _judge(record, columns["judge"]) if "judge" in columns else None
    chosen = [_ticked_winner(record, hot)] if hot else _chosen(record, columns["winner"], (a, b), outcomes)
    for voter, value, outcome in chosen:
        votes.add(
            row,
            (a, b),
            outcome,
            value=value,
            item=short_id(cells["item"]) if "item" in columns else f"row {row}",
            cluster=short_id(tidy_label(record.get(columns["item"][0]))) if "item" in columns else None,
            rater=" ".join(name for name in (judge, voter) if name) or None,
            rater_kind=KINDS_AS_WRITTEN.get(kind, "human"),
            swapped=shown == SECOND,
        )


def _judge(record: Record, names: Sequence[str]) -> str | None:
    """Return the name of the judge. A list of a model and its prompt is a name in two parts, in their order."""
    model_and_prompt = parsed(record.get(names[0])) if len(names) == 1 else None
    if not isinstance(model_and_prompt, list):
        return _text(record, names)
    return BAR.join(text for part in model_and_prompt if (text := tidy_label(part))) or None


def _chosen(
    record: Record, names: Sequence[str], pair: tuple[str | None, str | None], outcomes: Mapping[str, str]
) -> list[Vote]:
    """Return the votes of a row. Each of several winner columns is a voter, named by its header."""
    values = [(name if len(names) > 1 else None, _text(record, (name,))) for name in names]
    return [(voter, value, outcomes.get(value or "") or winner_of(value, *pair)) for voter, value in values]


def _ticked_winner(record: Record, hot: Sequence[str]) -> Vote:
    ticked = [outcome for name, outcome in zip(hot, (FIRST, SECOND, TIE), strict=True) if _ticked(record.get(name))]
    return None, "+".join(ticked) or None, ticked[0] if len(ticked) == 1 else None


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
