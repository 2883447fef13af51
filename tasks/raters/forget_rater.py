"""Forget a rater: replace the name by a pseudonym in the warehouse, and in what is published of it."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path

import duckdb

from tasks.errors import InputError
from warehouse import sql
from warehouse.connect import connect
from warehouse.errors import WarehouseError
from warehouse.maintenance.compact import compact
from warehouse.maintenance.dated_files import stamped_files
from warehouse.migrate import migrate
from warehouse.questions import raters_in_force
from warehouse.raters import forget
from warehouse.raters.forget import Occurrences
from warehouse.raters.forgotten_names import ForgottenNames, forgotten_names, key_path, make_key, remember
from warehouse.raters.rater_aliases import person_and_reading, rename_stored
from warehouse.raters.returned_names import keep_hashes
from warehouse.runs.running_processes import under_way


@dataclass(frozen=True)
class ForgetPlan:
    """What forgetting a rater changes.

    names: all names of the rater, without the numbers of repeated readings. pseudonym: None before it is chosen.
    n_ratings: with superseded and deleted ones. occurrences: rows by table and column. has_begun:
    the name was forgotten before; what is left of it, or came in since, is forgotten now.
    """

    names: tuple[str, ...]
    pseudonym: str | None
    n_ratings: int
    occurrences: tuple[Occurrences, ...]
    has_begun: bool


@dataclass(frozen=True)
class ForgottenRater:
    """A rater who was forgotten. `left`: rows of items, labels, metadata and the like that have the name as a word."""

    plan: ForgetPlan
    pseudonym: str
    left: tuple[Occurrences, ...]
    key_file: Path
    removed_snapshots: tuple[Path, ...]


def plan_forgetting(db: Path, name: str, aliases: Mapping[str, str]) -> ForgetPlan:
    """Find out what forgetting a rater changes, and change nothing.

    Raises InputError if nothing in the warehouse has the name.
    """
    with connect(db) as con:
        migrate(con)
        plan = _plan(con, db, name, aliases)
        if plan.n_ratings or plan.occurrences or plan.has_begun:
            return plan
        raters = sorted({rater for _, rater in raters_in_force(con)})
    nearest = get_close_matches(name, raters, n=1)
    raise InputError(
        f"There is no rater {name!r} in the warehouse.",
        f"The most similar name is {nearest[0]!r}."
        if nearest
        else 'Names: kappaflow sql "select distinct rater from ratings".',
    )


def forget_rater(
    db: Path, published: Path, name: str, aliases: Mapping[str, str], *, pseudonym: str | None = None
) -> ForgottenRater:
    """Replace the name of a rater by a pseudonym in the warehouse, and rewrite its file.

    All names that `aliases` has for the rater are forgotten, too. A name that was forgotten keeps its pseudonym. Older
    snapshots in `published` are removed; publish the newest one again afterwards. After a kill, do it again.
    Raises InputError if a run is under way, or if another rater has the pseudonym, and WarehouseError if the file could
    not be rewritten.
    """
    plan = plan_forgetting(db, name, aliases)
    key = make_key(db)
    now = datetime.now(UTC)
    with connect(db) as con:
        if under_way(db):
            raise InputError("A run is under way, and would bring the name back.", "Try again when it has ended.")
        rename_stored(con, {alias: rater for alias, rater in aliases.items() if {alias, rater} & set(plan.names)}, {})
        with sql.transaction(con):
            chosen = plan.pseudonym or _new_pseudonym(con, pseudonym)
            remember(con, key, list(plan.names), chosen, now)
            forget.rename_everywhere(con, plan.names, chosen)
        left = forget.left_over(con, plan.names)
    _rewrite_file(db)
    return ForgottenRater(plan, chosen, tuple(left), key_path(db), _remove_old_snapshots(published))


def _rewrite_file(db: Path) -> None:
    """Rewrite the file of the warehouse: DuckDB keeps deleted texts in it until they are overwritten. Before, keep the
    hashes beside it."""
    try:
        with connect(db, read_only=True) as con:
            keep_hashes(con, db)
        compact(db)
    except WarehouseError as error:
        raise WarehouseError(
            f"{error} The name is replaced in the tables of the warehouse, but it may still be in its file, the "
            "snapshot and the report.",
            "Mend that, and give the same command again.",
        ) from error


def _plan(con: duckdb.DuckDBPyConnection, db: Path, name: str, aliases: Mapping[str, str]) -> ForgetPlan:
    """Find all names of the rater: in `aliases`, and those that files gave. Count what has one of them."""
    forgotten = forgotten_names(con, db)
    person = aliases.get(name, name)
    names = {name, person, *(alias for alias, rater in aliases.items() if rater == person)}
    stored = {str(row[0]) for row in sql.rows(con, "raters/forget/names_of", names=sorted(names))}
    names |= {other for other in stored if person_and_reading(other)[0] not in names}
    pseudonym = _known_pseudonym(forgotten, names)
    names.discard(pseudonym or "")
    listed = sorted(names)
    readings = sorted({each for each in stored if person_and_reading(each)[0] in names} | names)
    n_ratings = int(str(sql.value(con, "raters/forget/n_ratings", names=readings)))
    return ForgetPlan(
        tuple(listed), pseudonym, n_ratings, tuple(forget.occurrences(con, listed)), pseudonym is not None
    )


def _known_pseudonym(forgotten: ForgottenNames, names: Sequence[str] | set[str]) -> str | None:
    return next((pseudonym for name in sorted(names) if (pseudonym := forgotten.pseudonym(name))), None)


def _new_pseudonym(con: duckdb.DuckDBPyConnection, wish: str | None) -> str:
    """Return the wish, or a random name that nobody has."""
    while True:
        name = wish or f"rater-{secrets.token_hex(4)}"
        if sql.rows(con, "raters/forget/pseudonym_in_use", pseudonym=name) == [(False,)]:
            return name
        if wish:
            raise InputError(f"There is a rater {wish!r} already.", "Choose another pseudonym, or leave --as out.")


def _remove_old_snapshots(published: Path) -> tuple[Path, ...]:
    """Remove the older snapshots: they are copies of the warehouse with the name in it."""
    old = stamped_files(published, "snapshot") if published.is_dir() else []
    for path in old:
        path.unlink()
    return tuple(old)
