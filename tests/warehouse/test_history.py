"""The past of a question: the ratings that were in force at a moment, what each version of a system said, and the
answers of a worklist since the last evaluation."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
import pytest

from warehouse.batches import BatchCounts
from warehouse.questions import ratings_as_of, rows_of_run, runs_like, stored_questions, system_versions
from warehouse.runs.run_results import Run, start_run
from warehouse.worklist import answered_items, answers_in_force, kinds_of, labels_given, rated_items

Con = duckdb.DuckDBPyConnection
Store = Callable[..., BatchCounts]
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def row(rater: str, label: str, **more: object) -> dict[str, object]:
    return {"item": "i", "rater": rater, "label": label, **more}


def test_ratings_are_those_that_were_in_force(con: Con, store: Store) -> None:
    store(con, "b1", [row("ann", "A")], at=NOON)
    store(con, "b2", [row("ann", "B"), row("bob", "B")], at=NOON + 2 * HOUR)

    def at(moment: datetime) -> list[tuple[str, str]]:
        return sorted(ratings_as_of(con, "q", moment).select("rater", "label").rows())

    assert at(NOON - HOUR) == []
    assert at(NOON) == [("ann", "A")]
    assert at(NOON + HOUR) == [("ann", "A")]
    assert at(NOON + 2 * HOUR) == [("ann", "B"), ("bob", "B")]
    assert ratings_as_of(con, "other", NOON).is_empty()


def test_a_rating_ends_at_the_moment_of_its_successor_or_of_its_deletion(con: Con, store: Store) -> None:
    full = {"source": "tool", "full_export": True}
    store(con, "b1", [row("ann", "A"), row("bob", "A"), row("ann", "A", question="other")], at=NOON, **full)
    store(con, "b2", [row("ann", "B"), row("bob", "A")], at=NOON + 2 * HOUR, **full)
    store(con, "b3", [row("ann", "B")], at=NOON + 4 * HOUR, **full)
    moment = timedelta(microseconds=1)
    in_force = {
        NOON - moment: "", NOON: "ann A, bob A", NOON + 2 * HOUR - moment: "ann A, bob A",
        NOON + 2 * HOUR: "ann B, bob A", NOON + 4 * HOUR - moment: "ann B, bob A", NOON + 4 * HOUR: "ann B",
        NOON + 9 * HOUR: "ann B",
    }  # fmt: skip
    for at, expected in in_force.items():
        table = ratings_as_of(con, "q", at).select("rater", "label").rows()
        macro = con.execute("select rater, label from ratings_as_of('q', ?)", [at]).fetchall()
        assert [", ".join(f"{rater} {label}" for rater, label in sorted(rows)) for rows in (table, macro)] == [
            expected, expected
        ]  # fmt: skip


def test_each_version_keeps_its_own_answer(con: Con, store: Store) -> None:
    system = {"rater_kind": "system"}
    result, two = {**system, "system_version": "v1"}, {**system, "system_version": "v2"}
    store(con, "b1", [row("bot", "A", **result), row("old", "A", **result), row("ann", "A")], at=NOON)
    store(con, "b2", [row("bot", "C", **result)], at=NOON + HOUR)
    store(con, "b3", [row("bot", "B", **two)], at=NOON + 2 * HOUR)
    rows = system_versions(con, "q").select("item", "rater", "system_version", "label").rows()
    assert rows == [("i", "bot", "v1", "C"), ("i", "bot", "v2", "B")]
    # before the second version there was nothing to compare
    assert system_versions(con, "q", NOON + HOUR).is_empty()


def test_versions_are_those_of_systems_whose_answers_were_there_at_the_moment(con: Con, store: Store) -> None:
    def answers(version: str, items: str, rater: str = "bot", kind: str = "system") -> list[dict[str, object]]:
        return [row(rater, version, system_version=version, rater_kind=kind) | {"item": item} for item in items]

    def texts(*columns: str, **options: Any) -> list[str]:
        rows = system_versions(con, "q", **options).select(columns or ("item", "system_version")).rows()
        return sorted({" ".join(values) for values in rows})

    store(con, "b1", answers("v1", "ij"), at=NOON, settings_hash="s1")
    people = [result for version in ("v1", "v2") for result in answers(version, "i", "who", "human")]
    store(con, "b2", [*answers("v2", "ij"), *answers("v1", "ij", "single"), *people], at=NOON + HOUR)
    store(con, "b1", answers("v1", "j"), at=NOON + 2 * HOUR, settings_hash="s2", retry=True)
    both = ["i v1", "i v2", "j v1", "j v2"]
    moments = (NOON, NOON + HOUR, NOON + 2 * HOUR - timedelta(microseconds=1), NOON + 2 * HOUR, None)
    assert [texts(moment=moment) for moment in moments] == [[], both, both, both[1:], both[1:]]
    kinds: dict[str, dict[str, Any]] = {
        "bot": {}, "bot who": {"systems": ["who"]}, "": {"systems": [], "gold": ["bot"]},
        "who": {"systems": ["who", "bot"], "gold": ["bot"]},
    }  # fmt: skip
    assert {raters: " ".join(texts("rater", **options)) for raters, options in kinds.items()} == {
        raters: raters for raters in kinds
    }
    con.execute(
        "insert into internal.declared_kinds select question_id, rater_id, if(rater = 'who', 'system', 'gold')"
        " from internal.questions cross join internal.raters where rater in ('who', 'bot')"
    )
    assert (texts("rater"), texts("rater", systems=[])) == (["who"], ["bot"])


def test_the_answer_of_a_version_is_its_latest_by_time_then_by_arrival(con: Con, store: Store) -> None:
    def answer(item: str, label: str, hours: int | None, version: str | None = "v1") -> dict[str, object]:
        at = None if hours is None else NOON - hours * HOUR
        return row("bot", label, rater_kind="system", system_version=version, rated_at=at) | {"item": item}

    store(con, "b1", [answer("i", "A", 1), answer("j", "A", None), answer("k", "A", None), answer("l", "A", 3)])
    store(
        con,
        "b2",
        [answer("i", "B", 2), answer("j", "B", 3), answer("k", "B", None), answer("l", "B", 3)],
        at=NOON + HOUR,
    )
    store(con, "b3", [answer("i", "C", 0, "v2"), answer("j", "D", 0, None)], at=NOON + 2 * HOUR)
    rows = system_versions(con, "q").select("item", "system_version", "label").rows()
    assert rows == [("i", "v1", "A"), ("i", "v2", "C"), ("j", "v1", "B"), ("k", "v1", "B"), ("l", "v1", "B")]


def test_a_version_is_as_old_as_its_first_answer(con: Con, store: Store) -> None:
    def answer(version: str, item: str, hours: int | None) -> dict[str, object]:
        at = None if hours is None else NOON + hours * HOUR
        return row("bot", "A", rater_kind="system", system_version=version, rated_at=at) | {"item": item}

    store(con, "b1", [answer("v1", "i", 2), answer("v1", "j", 1), answer("v1", "k", None)])
    store(con, "b2", [answer("v2", "i", 4), answer("v3", "i", None)])
    rows = system_versions(con, "q").select("item", "system_version", "first_at").rows()
    first = NOON + HOUR
    assert rows == [("i", "v1", first), ("i", "v2", NOON + 4 * HOUR), ("i", "v3", None), ("j", "v1", first),
                    ("k", "v1", first)]  # fmt: skip


def test_a_run_is_found_by_the_beginning_of_its_id(con: Con) -> None:
    for name in ("abc1", "abd2"):
        start_run(con, Run(run_id=name, kind="evaluate", question="q", code_version="1", started_at=NOON))
    assert [result["run_id"] for result in runs_like(con, "abc")] == ["abc1"]
    assert len(runs_like(con, "ab")) == 2
    assert runs_like(con, "x") == []
    assert rows_of_run(con, "agreement", "abc1").is_empty()


@pytest.mark.parametrize("hostile", ["%", "_", "abc1'; drop table runs; --"])
def test_a_hostile_id_is_only_a_text(con: Con, hostile: str) -> None:
    start_run(con, Run(run_id="abc1", kind="evaluate", question="q", code_version="1", started_at=NOON))
    assert runs_like(con, hostile) == []


def rated(item: str, rater: str, label: str, kind: str = "human", **more: object) -> dict[str, object]:
    return {"item": item, "rater": rater, "label": label, "rater_kind": kind, **more}


def test_the_label_that_most_annotators_gave_comes_first(con: Con, store: Store) -> None:
    rows = [rated("i", "eve", "no"), rated("i", "bob", "yes"), rated("i", "ann", "yes"), rated("j", "ann", "yes")]
    rows += [rated("i", f"bot {n}", "no", "system") for n in (1, 2)] + [rated("i", "expert", "maybe", "gold")]
    rows += [rated("i", "cy", "other", question="another"), rated("k", "ann", "no")]
    store(con, "b1", rows)
    assert labels_given(con, "q", ["i", "j"]).rows() == [
        ("i", "yes", ["ann", "bob"]), ("i", "no", ["eve"]), ("j", "yes", ["ann"])
    ]  # fmt: skip
    assert rated_items(con, "q")["item"].to_list() == ["i", "j", "k"]
    assert answers_in_force(con, "q", ["j", "k"]).rows() == [("j", "ann", "yes"), ("k", "ann", "no")]
    assert [kinds_of(con, rater) for rater in ("ann", "bot 1", "expert", "nobody")] == [
        ["human"], ["system"], ["gold"], []
    ]  # fmt: skip


def test_answers_of_a_worklist_count_as_new_until_an_evaluation_has_them(con: Con, store: Store) -> None:
    def run(name: str, at: datetime, kind: str = "evaluate", status: str = "succeeded", question: str = "q") -> None:
        (revision,) = (stored.revision for stored in stored_questions(con) if stored.question == question)
        about = Run(
            run_id=name, kind=kind, question=question, code_version="1", status=status, started_at=at,
            input_revision=revision,
        )  # fmt: skip
        start_run(con, about)

    def answer(name: str, item: str, at: datetime, **more: object) -> None:
        store(con, name, [rated(item, "cy", "yes", **more)], at=at, source=more.get("question", "worklist"))

    store(con, "b1", [rated(item, "ann", "no") for item in "ijkl"], source="inbox", at=NOON)
    store(con, "b2", [rated(item, "ann", "no", question="inbox") for item in "ij"], source="inbox", at=NOON)
    run("oldest", NOON + HOUR / 2)
    answer("early", "i", NOON + HOUR)
    run("r1", NOON + 2 * HOUR)
    run("r0", NOON + HOUR)  # began before, and has the same ratings
    assert answered_items(con, "q") == []
    store(con, "late", [rated("j", "cy", "yes")], source="worklist", settings_hash="s1", at=NOON + 2 * HOUR)
    answer("file", "j", NOON + 3 * HOUR, question="inbox")
    store(con, "b3", [rated("k", "cy", "yes")], source="inbox", at=NOON + 3 * HOUR)  # no answer of a worklist
    assert (answered_items(con, "q"), answered_items(con, "inbox")) == (["j"], [])
    run("r2", NOON + 4 * HOUR, kind="monitor")
    run("r3", NOON + 4 * HOUR, status="failed")
    run("r4", NOON + 4 * HOUR, question="inbox")
    assert answered_items(con, "q") == ["j"]
    store(con, "late", [], source="worklist", settings_hash="s2", retry=True, at=NOON + 5 * HOUR)  # taken back
    assert answered_items(con, "q") == []
    answer("again", "l", NOON + 6 * HOUR)
    store(con, "bob", [rated("l", "bob", "yes")], at=NOON + 6 * HOUR, source="worklist")
    assert answered_items(con, "q") == ["l"]
    store(con, "b4", [rated("l", "cy", "no"), rated("l", "bob", "no")], source="inbox", at=NOON + 7 * HOUR)
    assert answered_items(con, "q") == []  # other answers are in force
    answer("more", "m", NOON + 8 * HOUR)
    assert answered_items(con, "q") == ["m"]
    run("r5", NOON + 8 * HOUR)  # it began in the same moment, and has read the answer
    assert answered_items(con, "q") == []
