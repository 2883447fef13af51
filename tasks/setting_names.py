"""Find names in kappaflow.toml that no stored data have.

Without this check, a misspelt system would silently count as a human rater.
"""

import json
import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path, PurePath
from typing import Literal

import duckdb

from tasks.counted_words import counted
from tasks.doubtful_raters import OF_PROJECT, doubtful_raters
from tasks.errors import some
from tasks.raters.returned_raters import returned_raters
from warehouse.connect import connect
from warehouse.errors import WarehouseError
from warehouse.maintenance.doctor import SHOWN, Finding
from warehouse.questions import (
    metadata_keys,
    names_in_files,
    people_in_force,
    raters_in_force,
    ratings_of_other_kinds,
    rejected_raters,
    unread_files,
)

log = logging.getLogger("kappaflow")
CHECK = "names in the settings"
TO_DO = (
    "Correct the name in kappaflow.toml, or take it out. `kappaflow inspect FILE` shows the names that a file has. "
    "If its data are still to come, nothing is wrong."
)


@dataclass(frozen=True)
class SettingName:
    """A name in kappaflow.toml that the data should contain.

    `place` is its place in the file, such as '[questions.tone] systems'. `question` is None where the name may belong
    to any question. source, rater_kind: of a rater that a [[source]] names, the source and 'system' or 'gold'.
    """

    place: str
    name: str
    kind: Literal["question", "rater", "alias", "metadata"]
    question: str | None = None
    source: str | None = None
    rater_kind: str | None = None


@dataclass(frozen=True)
class UnmatchedName:
    """A name that no stored data have.

    `nearest` is the most similar name in the data, or None. `sentence` is the complete message for the user.
    """

    place: str
    name: str
    nearest: str | None
    sentence: str


def unmatched_names(db: Path, names: Sequence[SettingName]) -> list[UnmatchedName]:
    """Return the names that appear in no current rating and in no item's metadata, and aliases that no file had.

    The list is empty while nothing is stored. If a question has no ratings, its raters and metadata keys are not
    checked: the name of the question is what needs correction. Raises WarehouseError.
    """
    with connect(db, read_only=True) as con:
        raters = _by_question(raters_in_force(con))
        keys = _by_question(metadata_keys(con)) if any(name.kind == "metadata" for name in names) else {}
        in_files = names_in_files(con) if any(name.kind == "alias" for name in names) else []
        if not raters:
            return []
        unmatched = list(_unmatched(names, raters, keys, in_files))
        rejected = rejected_raters(con) if unmatched else []
        unread = unread_files(con) if unmatched else []
    return [
        _with_rejected_rows(_with_unread_file(name, setting, unread), setting, rejected) for setting, name in unmatched
    ]


def raters_of_another_kind(db: Path, names: Sequence[SettingName]) -> list[str]:
    """Return a sentence for each rater whom a [[source]] names, but whose ratings were stored before it did.

    What a [[source]] says of raters holds for the files that are read from then on.
    """
    sentences = []
    with connect(db, read_only=True) as con:
        for setting in names:
            if setting.rater_kind is None or setting.source is None:
                continue
            if rows := ratings_of_other_kinds(con, setting.name, setting.rater_kind, setting.source):
                n_ratings = sum(n for _, n in rows)
                key = "systems" if setting.rater_kind == "system" else "gold"
                sentences.append(
                    f"kappaflow.toml, {setting.place} '{setting.name}': {counted(n_ratings, 'rating')} by this rater"
                    f" from this source {'does' if n_ratings == 1 else 'do'} not count as {setting.rater_kind}, because"
                    f" the files were read before. Name the rater under {key} of {question_place(rows[0][0])}: that"
                    " holds for stored ratings, too."
                )
    return sentences


def models_among_people(db: Path) -> list[str]:
    """Return a sentence if people with ratings in force are named like models: they may be systems nobody declared."""
    with connect(db, read_only=True) as con:
        return doubtful_raters(people_in_force(con), OF_PROJECT)


def noted_names(db: Path, names: Sequence[SettingName]) -> list[str]:
    """Return what is to be said of names, and log it: a scheduled run has no other output.

    They are names in the settings, people named like models, and names of forgotten raters that an older warehouse
    brings back.
    """
    sentences = [unmatched.sentence for unmatched in unmatched_names(db, names)]
    sentences += raters_of_another_kind(db, names)
    sentences += models_among_people(db)
    sentences += returned_raters(db)
    for sentence in sentences:
        log.warning(sentence)
    return sentences


def names_finding(db: Path, names: Sequence[SettingName]) -> list[Finding]:
    """Return the finding that `doctor` shows.

    The list is empty if the warehouse cannot be read: other checks of `doctor` report that.
    """
    try:
        unmatched = unmatched_names(db, names)
    except (WarehouseError, duckdb.Error):
        return []
    if not unmatched:
        return [Finding(CHECK, "settings", True, "None.", n_rows=0)]
    rows = tuple({"place": name.place, "name": name.name, "nearest": name.nearest} for name in unmatched[:SHOWN])
    return [Finding(CHECK, "settings", False, "A name that no stored data have.", TO_DO, len(unmatched), rows)]


def question_place(question: str) -> str:
    """Return the header of a question's table in TOML.

    >>> question_place("tone"), question_place("a/b")
    ('[questions.tone]', '[questions."a/b"]')
    """
    is_bare_key = re.fullmatch(r"[A-Za-z0-9_-]+", question)
    return f"[questions.{question if is_bare_key else json.dumps(question, ensure_ascii=False)}]"


def _unmatched(
    names: Sequence[SettingName],
    raters: Mapping[str, Sequence[str]],
    keys: Mapping[str, Sequence[str]],
    in_files: Sequence[str],
) -> Iterator[tuple[SettingName, UnmatchedName]]:
    """Yield each setting whose name is not in the data, with the message."""
    # A misspelled section does not mean a question that has a section already.
    with_section = {setting.name for setting in names if setting.kind == "question"}
    for setting in names:
        not_meant = with_section if setting.kind == "question" else frozenset()
        if setting.kind in ("rater", "metadata") and setting.question is not None and setting.question not in raters:
            continue  # the question itself is not in the data
        candidates, problem, title = _names_in_data(setting, raters, keys, in_files)
        if setting.name in candidates or (setting.kind == "alias" and not in_files):
            continue
        nearest = _nearest(setting.name, [name for name in candidates if name not in not_meant])
        hint = f"Did you mean '{nearest}'?" if nearest else f"{title}: {some(candidates)}." if candidates else ""
        what = "" if setting.kind == "question" else f" '{setting.name}'"
        sentence = f"kappaflow.toml, {setting.place}{what}: {problem}. {hint}".rstrip()
        yield setting, UnmatchedName(setting.place, setting.name, nearest, sentence)


def _names_in_data(
    setting: SettingName,
    raters: Mapping[str, Sequence[str]],
    keys: Mapping[str, Sequence[str]],
    in_files: Sequence[str],
) -> tuple[list[str], str, str]:
    """Return the names that the setting's name is compared with, the problem if it is not among them, and their title.

    Names of raters and of metadata are those of the setting's question, or of all questions if it has none.
    """
    if setting.kind == "question":
        return sorted(raters), "no rating is of this question", "The questions are"
    if setting.kind == "alias":
        return list(in_files), "no rating came in under this name", "The names are"
    by_question = raters if setting.kind == "rater" else keys
    several = by_question.values() if setting.question is None else [by_question.get(setting.question, ())]
    names = sorted({name for part in several for name in part})
    of_question = f" of '{setting.question}'" if setting.question is not None else ""
    if setting.kind == "rater":
        return names, f"no rating{of_question} is by this rater", "The raters are"
    return names, f"no item{of_question} has this metadata", "There are"


def _with_unread_file(name: UnmatchedName, setting: SettingName, unread: Sequence[str]) -> UnmatchedName:
    """Say that the file from which the question has its name could not be read: then no other question is meant."""
    file = next((file for file in unread if PurePath(file).stem == setting.name.rpartition("/")[2]), None)
    if file is None or setting.kind != "question":
        return name
    why = f"no rating is of this question, because '{file}' could not be read. `kappaflow rejects` says why."
    return UnmatchedName(name.place, name.name, None, f"kappaflow.toml, {setting.place}: {why}")


def _with_rejected_rows(
    name: UnmatchedName, setting: SettingName, rejected: Sequence[tuple[str, str | None, int]]
) -> UnmatchedName:
    """Say that rows with this name came in and were rejected: then it is right, and no other one is meant."""
    n_rows = sum(
        n
        for question, rater, n in rejected
        if (setting.kind == "question" and question == setting.name)
        or (setting.kind == "rater" and rater == setting.name and setting.question in (None, question))
    )
    if not n_rows:
        return name
    whose = "of this question" if setting.kind == "question" else "by this rater"
    what = "" if setting.kind == "question" else f" '{setting.name}'"
    rows, were = counted(n_rows, "row is", "rows are"), "it was" if n_rows == 1 else "all were"
    why = f"{rows} {whose}, and {were} rejected. `kappaflow rejects` says why."
    sentence = f"kappaflow.toml, {setting.place}{what}: {why}"
    return UnmatchedName(name.place, name.name, None, sentence)


def _nearest(name: str, candidates: Sequence[str]) -> str | None:
    """Return the most similar name, ignoring case, or None. A question that differs only by its prefix comes first."""
    by_lower_case = {candidate.casefold(): candidate for candidate in reversed(candidates)}
    with_prefix = [candidate for candidate in candidates if candidate.casefold().endswith("/" + name.casefold())]
    close = get_close_matches(name.casefold(), by_lower_case, n=1)
    return with_prefix[0] if with_prefix else by_lower_case[close[0]] if close else None


def _by_question(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for question, name in pairs:
        names.setdefault(question, []).append(name)
    return names
