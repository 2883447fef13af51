"""Two readings of one file are two batches, and so are two names where they became the question; batches of earlier
versions are known again."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.formats import ReadOptions
from tasks.ingest.duplicates import DuplicateRule
from tasks.ingest.file_result import FileResult
from tasks.ingest.ingest_files import ingest, stored_files
from tasks.ingest.ingest_rules import IngestRules
from tasks.sources.folder import ExportFile, FolderSource, find_files
from tests.tasks.old_warehouse import age
from warehouse.connect import connect
from warehouse.maintenance.integrity import run_checks

TWO = "item,rater,mood,tone\n1,ann,sad,rude\n2,ann,glad,kind\n"
TABLE = "item,rater,label\n1,ann,x\n2,ann,y\n"
NAMED = "item,rater,label,question\n1,ann,x,own\n2,ann,y,own\n"
MOOD = {"columns": {"label": "mood"}, "question": "mood"}
TONE = {"columns": {"label": "tone"}, "question": "tone"}


class Project:
    """Sources of one inbox, each a path in it and its options."""

    def __init__(self, db: Path, inbox: Path) -> None:
        self.db, self.inbox = db, inbox
        inbox.mkdir()

    def put(self, text: str, *names: str) -> None:
        for name in names:
            (self.inbox / name).parent.mkdir(exist_ok=True)
            (self.inbox / name).write_text(text, encoding="utf-8")

    def sweep(self, *sources: tuple[str, dict[str, object]]) -> list[ExportFile]:
        return find_files(
            [FolderSource(path, self.inbox / path, options=ReadOptions(**told)) for path, told in sources]
        ).readable  # type: ignore[arg-type]

    def take(
        self, *sources: tuple[str, dict[str, object]], retry: bool = False, **labels: list[str]
    ) -> list[FileResult]:
        results = list(ingest(self.db, self.sweep(*sources), IngestRules(labels), retry_rejects=retry))
        with connect(self.db) as con:
            assert not {name for name, rows in run_checks(con).items() if rows.height}
        return results

    def names(self, *sources: tuple[str, dict[str, object]], **rest: bool) -> list[str]:
        return [result.file_name for result in self.take(*sources, **rest)]  # type: ignore[arg-type]

    def rows(self, query: str) -> list[tuple[object, ...]]:
        with connect(self.db, read_only=True) as con:
            return con.execute(query).fetchall()

    def questions(self) -> dict[object, object]:
        return dict(self.rows("select question, count(*) from ratings group by question order by question"))  # type: ignore[arg-type]


@pytest.fixture
def project(db: Path, tmp_path: Path) -> Project:
    return Project(db, tmp_path / "inbox")


@pytest.mark.field_trial(11)
def test_two_sources_on_one_file_are_two_batches(project: Project) -> None:
    project.put(TWO, "both.csv")
    sources = (("both.csv", MOOD), ("both.csv", TONE))
    assert [result.counts.n_ratings for result in project.take(*sources)] == [2, 2]
    assert project.rows("select question, item, label from ratings order by all") == [
        ("mood", "1", "sad"), ("mood", "2", "glad"), ("tone", "1", "rude"), ("tone", "2", "kind"),
    ]  # fmt: skip
    assert project.take(*sources) == project.take(*reversed(sources)) == []
    assert len(stored_files(project.db, project.sweep(*sources))) == 2
    assert project.rows("select reading from batches order by reading") == [
        ('{"columns": {"label": "mood"}, "question": "mood"}',),
        ('{"columns": {"label": "tone"}, "question": "tone"}',),
    ]


@pytest.mark.field_trial(11)
def test_two_copies_with_settings_of_their_own_are_two_batches(project: Project) -> None:
    project.put(TWO, "a.csv", "b.csv")
    sources = (("a.csv", MOOD), ("b.csv", TONE))
    assert project.names(*sources) == ["a.csv", "b.csv"]
    assert project.questions() == {"mood": 2, "tone": 2}
    assert project.take(*sources) == []


@pytest.mark.field_trial(11)
def test_two_raters_of_one_question_in_two_columns(project: Project) -> None:
    project.put("item,first,label1,second,label2\n1,ann,x,bob,y\n2,ann,x,bob,x\n", "both.csv")
    sources = [("both.csv", {"columns": {"rater": r, "label": f"label{n}"}}) for n, r in ((1, "first"), (2, "second"))]
    assert len(project.take(*sources)) == 2  # type: ignore[arg-type]
    assert project.rows("select rater, count(*) from ratings where question = 'both' group by 1 order by 1") == [
        ("ann", 2), ("bob", 2),
    ]  # fmt: skip
    assert project.take(*sources) == []  # type: ignore[arg-type]


@pytest.mark.field_trial(11)
def test_a_second_source_that_comes_later_is_taken_in(project: Project) -> None:
    project.put(TWO, "both.csv")
    project.take(("both.csv", MOOD))
    assert [result.counts.n_ratings for result in project.take(("both.csv", TONE), ("both.csv", MOOD))] == [2]
    assert project.questions() == {"mood": 2, "tone": 2}


@pytest.mark.field_trial(11)
def test_one_of_two_sources_refuses_the_file_alone_and_once(project: Project) -> None:
    project.put(TWO, "both.csv")
    wrong = {"columns": {"label": "tune"}, "question": "tone"}
    sources = (("both.csv", wrong), ("both.csv", MOOD))
    assert [result.status for result in project.take(*sources)] == ["rejected", "stored"]
    assert project.take(*sources) == []
    # Put right, it takes the place of its refusal.
    assert [result.status for result in project.take(("both.csv", TONE), ("both.csv", MOOD))] == ["stored"]
    assert project.rows("select status, attempt from batches order by attempt") == [("stored", 1), ("stored", 2)]
    assert project.questions() == {"mood": 2, "tone": 2}


@pytest.mark.parametrize("now", [TONE, {"columns": {"label": "tone"}}, {}])
def test_settings_that_are_changed_apply_to_what_is_stored_only_if_asked(
    project: Project, now: dict[str, object]
) -> None:
    """The next files have other columns: those that are there were right as they were read."""
    project.put(TWO, "both.csv")
    project.take((".", MOOD))
    assert project.take((".", now)) == []
    assert project.take((".", now), retry=True) == []


def test_changed_settings_of_the_second_of_two_sources_apply_only_if_asked(project: Project) -> None:
    project.put(TWO, "both.csv")
    project.take(("both.csv", MOOD), ("both.csv", TONE))
    changed = (("both.csv", MOOD), ("both.csv", TONE | {"question": "politeness"}))
    assert project.take(*changed) == []
    assert project.questions() == {"mood": 2, "tone": 2}


def test_settings_that_only_another_source_had_do_not_hold_back_a_copy(project: Project) -> None:
    project.put(TWO, "a.csv", "b.csv")
    project.take(("a.csv", MOOD), ("b.csv", TONE))
    (project.inbox / "b.csv").rename(project.inbox / "c.csv")
    sources = (("a.csv", MOOD), ("c.csv", TONE | {"question": "politeness"}))
    assert project.names(*sources) == ["c.csv"]
    assert project.questions() == {"mood": 2, "politeness": 2, "tone": 2}


def test_a_file_read_with_two_time_zones_is_two_batches(project: Project) -> None:
    project.put("item,rater,label,time\n1,ann,x,2026-07-01 12:00\n", "timed.csv")
    berlin, utc = (".", {"timezone": "Europe/Berlin"}), (".", {"timezone": "UTC"})
    at = "select rated_at::varchar from current_ratings"
    assert project.names(berlin) == ["timed.csv"]
    assert project.rows(at) == [("2026-07-01 10:00:00+00",)]
    assert project.take((".", {})) == project.take(utc) == [], "changed settings are for new files"
    assert project.names(berlin, utc) == ["timed.csv"]
    assert project.take(berlin, utc) == project.take(berlin, (".", {})) == [], "UTC is the reading without a zone"
    assert project.rows(at) == [("2026-07-01 12:00:00+00",)]


def test_rejected_rows_are_read_again_under_the_settings_of_their_own_source(project: Project) -> None:
    project.put(TWO, "both.csv")
    sources = (("both.csv", MOOD), ("both.csv", TONE))
    project.take(*sources, mood=["sad", "glad"], tone=["kind"])
    result = project.take(*sources, retry=True, mood=["sad", "glad"], tone=["kind", "rude"])
    assert [(outcome.counts.n_ratings, outcome.counts.n_rejected) for outcome in result] == [(2, 0)]
    assert project.questions() == {"mood": 2, "tone": 2}


@pytest.mark.field_trial(24)
def test_equal_files_whose_names_are_their_questions_are_two_batches(project: Project) -> None:
    project.put(TABLE, "anger.csv", "joy.csv")
    assert project.names((".", {})) == ["anger.csv", "joy.csv"]
    assert project.questions() == {"anger": 2, "joy": 2}
    assert project.take((".", {})) == []
    project.put(TABLE, "fear.csv")
    assert project.names((".", {})) == ["fear.csv"]


@pytest.mark.field_trial(24)
@pytest.mark.parametrize(("text", "told"), [(NAMED, {}), (TABLE, {"question": "own"})])
def test_where_the_name_says_nothing_a_copy_is_the_same(
    project: Project, text: str, told: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="kappaflow")
    project.put(text, "a.csv", "b.csv")
    assert project.names((".", told)) == ["a.csv"]
    assert caplog.messages[-1] == "b.csv is a copy of a.csv: its ratings are stored once"
    (project.inbox / "a.csv").unlink()
    caplog.clear()
    assert project.take((".", told)) == []
    assert caplog.messages == []  # b.csv is the only one now
    assert project.questions() == {"own": 2}


def test_a_copy_of_a_rejected_file_has_no_ratings_that_are_stored(
    project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="kappaflow")
    project.put("", "a.csv", "b.csv")
    project.take((".", {}))
    assert caplog.messages[-1] == "b.csv is a copy of a.csv, which was rejected"


OLD: dict[str, tuple[str, tuple[str, ...], tuple[tuple[str, dict[str, object]], ...]]] = {
    "the name is the question": (TABLE, ("tone.csv",), ((".", {}),)),
    "the folder is": (TABLE, ("tone/a.csv", "mood/a.csv"), ((".", {}),)),
    "the rows name it": (NAMED, ("a.csv", "b.csv", "c/a.csv"), ((".", {}),)),
    "the settings do": (TABLE, ("a.csv", "b.csv"), ((".", {"question": "tone"}),)),
    "the settings do, in vain": (NAMED, ("a.csv", "b.csv"), ((".", {"question": "tone"}),)),
    "columns are told": (TWO, ("tone.csv", "x/tone.csv"), ((".", {"columns": {"label": "tone"}}),)),
    "format and columns are": (TWO, ("a.csv",), ((".", {**MOOD, "format": "long"}),)),
    "two sources": (TWO, ("one/a.csv", "two/a.csv"), (("one", MOOD), ("two", TONE))),
    "two without questions": (TWO, ("one/a.csv", "two/b.csv"), (
        ("one", {"columns": {"label": "mood"}}), ("two", {"columns": {"label": "tone"}}))),
    "a refused file": ("nothing to read\n", ("a.csv", "b.csv"), ((".", {}),)),
}  # fmt: skip


@pytest.mark.parametrize("case", OLD)
def test_what_an_earlier_version_took_in_is_not_taken_in_again(project: Project, case: str) -> None:
    text, names, sources = OLD[case]
    for name in names:
        project.put(text, name)
        text += "\n" if "two" in case or "tone" in name else ""  # equal bytes in two places: see the tests below
    assert project.take(*sources)
    age(project.db)
    before = project.rows("select * from batches order by all")
    assert project.take(*sources) == []
    assert project.rows("select * from batches order by all") == before
    assert all(result.reading is None for result in _known(project))


def _known(project: Project):  # type: ignore[no-untyped-def]
    from tasks.ingest.pending_files import BatchRegister

    return BatchRegister(project.db, []).by_id.values()


@pytest.mark.field_trial(25)
@pytest.mark.parametrize("text", [TABLE, NAMED, "nothing to read\n"])
def test_a_batch_of_the_first_day_is_known_by_its_bytes_and_reader(project: Project, text: str) -> None:
    project.put(text, "tone/a.csv")
    project.take((".", {}))
    age(project.db, first_day=True)
    assert project.take((".", {})) == []
    project.put(text, "mood/a.csv")
    assert project.names((".", {})) == (["mood/a.csv"] if text == TABLE else [])
    assert project.take((".", {})) == []


@pytest.mark.field_trial(24)
def test_the_second_question_that_an_earlier_version_left_out_comes_in(project: Project) -> None:
    project.put(TABLE, "anger.csv")
    project.take((".", {}))
    age(project.db)
    project.put(TABLE, "joy.csv")
    assert project.names((".", {})) == ["joy.csv"]
    assert project.questions() == {"anger": 2, "joy": 2}
    assert project.take((".", {})) == []


@pytest.mark.field_trial(11)
@pytest.mark.parametrize("turn", [list, lambda sources: list(reversed(sources))])
def test_the_second_source_that_an_earlier_version_left_out_comes_in(
    project: Project, turn: Callable[[object], list[tuple[str, dict[str, object]]]]
) -> None:
    project.put(TWO, "both.csv")
    project.take(("both.csv", MOOD))
    age(project.db)
    sources = turn([("both.csv", MOOD), ("both.csv", TONE)])
    assert [result.counts.n_ratings for result in project.take(*sources)] == [2]
    assert project.questions() == {"mood": 2, "tone": 2}
    assert project.take(*sources) == []


def test_a_rule_for_duplicates_is_no_reading(project: Project) -> None:
    project.put(TABLE, "tone.csv")
    project.take((".", {}))
    rules = IngestRules({}, {"tone": DuplicateRule("first")})
    assert list(ingest(project.db, project.sweep((".", {})), rules)) == []
