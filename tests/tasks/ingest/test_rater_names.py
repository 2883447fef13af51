"""Aliases are replaced where ratings are read, and stored ratings follow."""

from pathlib import Path

import pytest

from tasks.formats import ReadOptions
from tasks.ingest.duplicates import DuplicateRule
from tasks.ingest.ingest_files import ingest
from tasks.ingest.ingest_rules import IngestRules
from tasks.ingest.stored_aliases import apply_aliases
from tasks.sources.folder import FolderSource, find_files
from warehouse.connect import connect

ALIASES = {"ann@lab": "ann", "gpt-x": "gpt"}
FILE = """item,rater,label,rated_at
1,ann,A,2026-01-01T10:00:00Z
1,ann@lab,B,2026-01-02T10:00:00Z
1,gpt-x,A,2026-01-01T10:00:00Z
2,ann@lab,,2026-01-02T10:00:00Z
"""


def ratings(db: Path) -> list[tuple[object, ...]]:
    query = """
        select rater, r.rater_kind, label, name_in_file
        from current_ratings inner join ratings as r using (question, item, rater, label) order by all
    """
    with connect(db, read_only=True) as con:
        return con.sql(query).fetchall()


def take(db: Path, inbox: Path, rules: IngestRules) -> int:
    inbox.mkdir(exist_ok=True)
    (inbox / "tone.csv").write_text(FILE)
    options = ReadOptions(systems=frozenset({"gpt"}))
    results = list(ingest(db, find_files([FolderSource("inbox", inbox, options=options)]).readable, rules))
    return results[0].counts.n_ratings


@pytest.mark.parametrize(("rule", "label", "given"), [("latest", "B", "ann@lab"), ("first", "A", None)])
def test_two_names_in_a_file_are_one_rater(db: Path, tmp_path: Path, rule: str, label: str, given: str | None) -> None:
    rules = IngestRules(duplicates={"tone": DuplicateRule(rule)}, aliases=ALIASES)
    assert take(db, tmp_path / "inbox", rules) == 3
    assert ratings(db) == [("ann", "human", label, given), ("gpt", "system", "A", "gpt-x")]
    with connect(db, read_only=True) as con:
        assert con.sql("select rater from rejected_rows").fetchall() == [("ann",)]
    assert apply_aliases(db, rules) == []


def test_two_names_are_two_readings_under_repeats(db: Path, tmp_path: Path) -> None:
    rules = IngestRules(duplicates={"tone": DuplicateRule("repeats")}, aliases=ALIASES)
    take(db, tmp_path / "inbox", rules)
    assert [row[0] for row in ratings(db)] == ["ann", "ann #2", "gpt"]


def test_what_is_stored_already_is_renamed_and_said(db: Path, tmp_path: Path) -> None:
    take(db, tmp_path / "inbox", IngestRules())
    assert [row[0] for row in ratings(db)] == ["ann", "ann@lab", "gpt-x"]
    (note,) = apply_aliases(db, IngestRules(aliases=ALIASES))
    assert note == (
        "tone: 2 stored ratings went to the rater whose alias had given them. Two names of one rater had rated 1 item: "
        "the rule for duplicates decided."
    )
    assert [(row[0], row[2], row[3]) for row in ratings(db)] == [("ann", "B", "ann@lab"), ("gpt", "A", "gpt-x")]
