"""Rename the ratings that are stored under an alias, when the settings name a new one."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import duckdb
import polars as pl

from warehouse import patterns, sql
from warehouse.errors import duckdb_errors

_READING = re.compile(r"(.*) #([1-9]\d*)", re.DOTALL)  # the name of a repeated reading: tasks.ingest.duplicates
_MOVES = {"item_id": pl.Int32(), "rater_id": pl.Int32(), "new_id": pl.Int32(), "file_id": pl.Int32()}


@dataclass(frozen=True)
class RenamedRatings:
    """The ratings of one question that went to another rater. `n_items_twice`: items that both names had rated."""

    question: str
    n_ratings: int
    n_items_twice: int


def person_and_reading(name: str) -> tuple[str, int]:
    """Split the name of a repeated reading: 'ann #2' is ann's second reading.

    >>> person_and_reading("ann #2"), person_and_reading("ann")
    (('ann', 2), ('ann', 1))
    """
    match = _READING.fullmatch(name)
    return (match[1], int(match[2])) if match else (name, 1)


def rename_stored(
    con: duckdb.DuckDBPyConnection, aliases: Mapping[str, str], rules: Mapping[str, str]
) -> list[RenamedRatings]:
    """Give all ratings that are stored under an alias to its rater, in one transaction. Return what was renamed, by
    question; nothing if no rating has an alias.

    rules: the rule for duplicates of each question, `repeats` included. Where both names had rated an item, it chooses
    the rating in force; the others are superseded, and none is lost. Under `error` the one stored first stays. Under
    `repeats` the ratings of the alias become further readings. Patterns and counts are rebuilt, the charts too, and the
    questions are due.
    """
    with duckdb_errors("rename raters"), sql.transaction(con):
        names = {str(name): _key(key) for key, name in sql.rows(con, "raters/merge/01_stored_names")}
        renamed = {name: new for name in names if (new := _new_name(name, aliases)) != name}
        if not renamed:
            return []
        rule_rows = pl.DataFrame(list(rules.items()), schema={"question": pl.String, "rule": pl.String}, orient="row")
        with sql.registered(con, incoming_rules=rule_rows):
            with sql.registered(con, incoming_moves=_moves(con, names, renamed)):
                sql.run(con, "raters/merge/03_rename")
            sql.run(con, "raters/merge/04_choose_current")
            rows = sql.rows(con, "raters/merge/05_finish")
        results = [RenamedRatings(str(question), _key(n), _key(twice)) for question, n, twice in rows]
        patterns.renew(con, [result.question for result in results])
        return results


def _key(value: object) -> int:
    return int(str(value))


def _new_name(name: str, aliases: Mapping[str, str]) -> str:
    person, _ = person_and_reading(name)
    if name in aliases or person not in aliases:
        return aliases.get(name, name)
    return aliases[person] + name.removeprefix(person)


def _moves(con: duckdb.DuckDBPyConnection, names: Mapping[str, int], renamed: Mapping[str, str]) -> pl.DataFrame:
    """List which ratings go to whom. A row without item_id is for all items that have no row of their own."""
    readings = _further_readings(con, names, renamed)
    files = {name: person_and_reading(name)[0] for name in renamed}
    new_names = sorted({*renamed.values(), *(new for *_, new in readings), *files.values()})
    keys = _keys(con, new_names)
    rows: list[tuple[int | None, int, int, int]] = [
        (None, names[name], keys[new], keys[files[name]]) for name, new in renamed.items()
    ]
    rows += [(item, names[name], keys[new], keys[files[name]]) for item, name, new in readings]
    return pl.DataFrame(rows, schema=_MOVES, orient="row")


def _keys(con: duckdb.DuckDBPyConnection, names: list[str]) -> dict[str, int]:
    frame = pl.DataFrame({"text": names}, schema={"text": pl.String}).with_row_index("code")
    with sql.registered(con, incoming_texts=frame):
        return dict(zip(names, (_key(key) for (key,) in sql.rows(con, "keys/raters")), strict=True))


def _further_readings(
    con: duckdb.DuckDBPyConnection, names: Mapping[str, int], renamed: Mapping[str, str]
) -> list[tuple[int, str, str]]:
    """List item, old name and new name where both names rated an item of which each reading counts."""
    people = {person_and_reading(new)[0] for new in renamed.values()}
    families = {name: person_and_reading(renamed.get(name, name))[0] for name in names}
    family = {name: person for name, person in families.items() if person in people}
    frame = pl.DataFrame(
        [(names[name], person) for name, person in family.items()],
        schema={"rater_id": pl.Int32, "person": pl.String},
        orient="row",
    )
    by_key = {names[name]: name for name in family}
    with sql.registered(con, incoming_names=frame):
        rows = sql.rows(con, "raters/merge/02_family_items")
    readings: dict[tuple[int, str], list[str]] = {}
    for item, key in rows:
        name = by_key[_key(key)]
        readings.setdefault((_key(item), family[name]), []).append(name)
    return [
        (item, name, f"{person} #{number}")
        for (item, person), listed in readings.items()
        for number, name in _numbered(listed, renamed)
    ]


def _numbered(listed: list[str], renamed: Mapping[str, str]) -> list[tuple[int, str]]:
    """Number the readings that come from an alias after those that the rater has. Empty if the rater has none."""
    own = [person_and_reading(name)[1] for name in listed if name not in renamed]
    others = sorted((name for name in listed if name in renamed), key=lambda name: (person_and_reading(name)[1], name))
    aliases = {person_and_reading(name)[0] for name in others}
    if not own and len(aliases) < 2:
        return []
    first = max(own, default=0) + 1
    return [(number, name) for number, name in enumerate(others, start=first) if number > 1]
