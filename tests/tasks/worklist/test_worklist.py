"""A worklist from end to end: written, filled in, taken back as gold or as an annotator's ratings."""

import csv
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from stats.accuracy.gold.audit_notes import UNKNOWN_ORIGIN
from tasks.errors import InputError, ReadError
from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.gold import worklist_gold
from tasks.formats import ReadOptions
from tasks.question_result import DIFFICULT_GOLD
from tasks.raters.forget_rater import forget_rater
from tasks.runs.history import reproduce
from tasks.worklist.take_worklist import NOT_INDEPENDENT, NOT_RANDOM, take_worklist
from tasks.worklist.write_worklist import Worklist, read_worklist, worklist_format, write_worklist
from tests.tasks.inbox import InboxProject
from warehouse.connect import connect
from warehouse.maintenance.integrity import run_checks
from warehouse.questions import read_table
from warehouse.worklist import answered_items, labels_given

NOW = datetime(2026, 3, 1, tzinfo=UTC)
FORMULA = "=1+A1"
ROWS = [
    ("=1+1", "ann", "kind"), ("=1+1", "bob", "rude"), ("=1+1", "bot", "kind"),
    ("i2", "ann", "kind"), ("i2", "bob", "rude"), ("i2", "bot", "rude"),
    *((f"s{i}", rater, "rude" if i % 3 else "kind") for i in range(40) for rater in ("ann", "bob", "cy", "bot")),
]  # fmt: skip


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> InboxProject:
    """Forty items on which all agree, and two on which they do not; the text of each is a formula."""
    made = InboxProject(tmp_path_factory.mktemp("worklist"))
    with (made.inbox / "tone.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("item", "rater", "label", "text"), *((*row, FORMULA) for row in ROWS)])
    made.ingest(ReadOptions(question="tone", systems=frozenset({"bot"})))
    made.work("evaluate", QuestionConfigs({}), EvaluationOptions(0.95, 0, "krippendorff_alpha", "1"))
    return made


@pytest.fixture
def project(evaluated: InboxProject, tmp_path: Path) -> InboxProject:
    made = InboxProject(tmp_path)
    made.db.write_bytes(evaluated.db.read_bytes())
    return made


def current(project: InboxProject) -> pl.DataFrame:
    with connect(project.db, read_only=True) as con:
        return read_table(con, "current_ratings").filter(pl.col("batch_id") != _first_batch(con))


def _first_batch(con: Any) -> str:
    return str(con.sql("select batch_id from batches order by ingested_at limit 1").fetchall()[0][0])


def filled(path: Path, label: str = "rude") -> Path:
    rows = list(csv.DictReader(path.read_text().splitlines()))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "label": label} for row in rows)
    return path


def take(project: InboxProject, path: Path, rater: str | None = None) -> dict[str, Any]:
    return take_worklist(project.db, path, "tone", rater, labels=("kind", "rude"), now=NOW).to_json()


def test_it_has_what_people_said_and_not_what_the_system_said(project: InboxProject) -> None:
    result = read_worklist(project.db, "tone", n=5)
    assert result.n_doubtful == result.items.height == 2
    assert dict(result.items.select("item", "labels_given").iter_rows()) == {
        "=1+1": "kind (by ann); rude (by bob)",
        "i2": "kind (by ann); rude (by bob)",
    }
    first = read_worklist(project.db, "tone", n=1)
    assert (first.items.height, first.n_doubtful) == (1, 2)
    assert first.items["item"].to_list() == result.items["item"].to_list()[:1]
    with connect(project.db, read_only=True) as con:
        given = labels_given(con, "tone", ["i2", "s0"]).rows()
    assert given == [("i2", "kind", ["ann"]), ("i2", "rude", ["bob"]), ("s0", "kind", ["ann", "bob", "cy"])]


def test_a_spreadsheet_runs_nothing_and_a_blind_list_tells_nothing(project: InboxProject, tmp_path: Path) -> None:
    result = read_worklist(project.db, "tone", n=5)
    write_worklist(result, tmp_path / "list.csv", "csv", blind=False)
    rows = list(csv.DictReader((tmp_path / "list.csv").read_text().splitlines()))
    assert list(rows[0]) == ["item", "text", "labels_given", "question", "label"]
    assert {row["text"] for row in rows} == {"'" + FORMULA}
    assert {row["item"] for row in rows} == {"'=1+1", "i2"}
    write_worklist(result, tmp_path / "blind.csv", "csv", blind=True)
    assert (tmp_path / "blind.csv").read_text().splitlines()[0] == "item,text,question,label"
    with pytest.raises(InputError, match="There is no folder"):
        write_worklist(result, tmp_path / "no" / "list.csv", "csv", blind=True)
    with pytest.raises(InputError, match=f"{tmp_path} is a folder"):
        write_worklist(result, tmp_path, "csv", blind=True)


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_gold_comes_back_once(project: InboxProject, tmp_path: Path, ending: str) -> None:
    result, path = read_worklist(project.db, "tone", n=5), tmp_path / f"list.{ending}"
    write_worklist(result, path, ending, blind=False)
    if ending == "csv":
        filled(path)
    else:
        pl.read_excel(path).with_columns(label=pl.lit("rude")).write_excel(path)
    value = take(project, path)
    assert (value["n_ratings"], value["n_rejected"], value["notes"]) == (2, 0, [NOT_RANDOM])
    rows = current(project)
    assert rows.select("item", "rater", "rater_kind", "label").sort("item").rows() == [
        ("=1+1", "adjudication", "gold", "rude"),
        ("i2", "adjudication", "gold", "rude"),
    ]
    again = take(project, path)
    assert (again["repeated"], again["n_ratings"], again["n_unchanged"]) == (True, 0, 2)
    assert current(project).equals(rows)
    with connect(project.db) as con:
        assert {name for name, found_rows in run_checks(con).items() if found_rows.height} == set()


def test_the_consensus_of_an_adjudicated_item_has_its_gold_beside_it(project: InboxProject, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("item,label\ni2,rude\ns0,rude\n")  # all raters of s0 say kind
    take(project, path)
    project.work("evaluate", QuestionConfigs({}), EvaluationOptions(0.95, 0, "krippendorff_alpha", "1"))
    with connect(project.db, read_only=True) as con:
        rows = con.sql("select item, label, gold_label from item_consensus where item in ('i2', 's0', 's3')").fetchall()
    assert {item: gold for item, _, gold in rows} == {"i2": "rude", "s0": "rude", "s3": None}
    assert {item: label for item, label, _ in rows}["s0"] == "kind"


def test_the_next_evaluation_says_that_the_gold_is_of_difficult_items(project: InboxProject, tmp_path: Path) -> None:
    write_worklist(read_worklist(project.db, "tone", n=5), tmp_path / "list.csv", "csv", blind=False)
    take(project, filled(tmp_path / "list.csv"))
    results = project.work("evaluate", QuestionConfigs({}), EvaluationOptions(0.95, 0, "krippendorff_alpha", "1"))
    notes = [text for result in results for text in result.notes if DIFFICULT_GOLD in text]
    assert [text.startswith("tone: Gold of difficult items: 2 gold items came from a worklist") for text in notes] == [
        True
    ]
    with connect(project.db, read_only=True) as con:
        (row,) = read_table(con, "latest_system_accuracy").filter(method="average").to_dicts()
    assert (row["gold_origin"], row["n_gold"]) == ("worklist", 2)
    assert worklist_gold.NOT_RANDOM in row["warnings"]
    assert UNKNOWN_ORIGIN not in row["warnings"], "one sentence on where the gold comes from"
    assert not reproduce(project.db, row["run_id"]).differences


def test_the_same_file_is_also_an_annotators(project: InboxProject, tmp_path: Path) -> None:
    write_worklist(read_worklist(project.db, "tone", n=5), tmp_path / "list.csv", "csv", blind=True)
    path = filled(tmp_path / "list.csv")
    take(project, path)
    value = take(project, path, rater="eve")
    assert (value["rater_kind"], value["n_ratings"], value["notes"]) == ("human", 2, [NOT_INDEPENDENT])
    assert current(project).filter(pl.col("rater") == "eve")["rater_kind"].to_list() == ["human", "human"]
    with pytest.raises(InputError, match="The rater 'bot' is of the kind system"):
        take(project, path, rater="bot")


def test_each_row_is_a_rating_skipped_or_rejected(project: InboxProject, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("item,label\ni2,kind\n'=1+1,nice\ns1,\ni99,kind\n")
    value = take(project, path)
    assert (value["n_ratings"], value["n_skipped"], value["n_rejected"]) == (1, 1, 2)
    assert [(row["row_number"], row["column_name"], row["value"], row["reason"]) for row in value["rejected"]] == [
        (3, "label", "nice", "unknown_label"),
        (5, "item", "i99", "unknown_item"),
    ]
    assert value["rejected"][1]["detail"] == "The question does not have this item. The question has 42 items."
    path.write_text("id,label\ni2,kind\n")
    with pytest.raises(ReadError, match="has no column 'item'"):
        take(project, path)


def test_numbers_come_back_without_the_zeros_that_a_spreadsheet_drops(tmp_path: Path) -> None:
    project = InboxProject(tmp_path)
    rows = [f"{item},{rater},kind" for item in ("007", "08", "8.0", "9") for rater in ("ann", "bob")]
    (project.inbox / "tone.csv").write_text("\n".join(["item,rater,label", *rows]))
    project.ingest(ReadOptions(question="tone"))
    path = tmp_path / "list.csv"
    path.write_text("item,label\n7,rude\n8,rude\n9,rude\n")
    value = take(project, path)
    assert (value["n_ratings"], [row["value"] for row in value["rejected"]]) == (2, ["8"])
    assert sorted(current(project)["item"]) == ["007", "9"]
    assert value["notes"][0] == (
        "1 item is written otherwise in the file, such as 7 for 007: a spreadsheet drops zeros. They were taken for the"
        " same."
    )


def test_capital_letters_of_a_label_do_not_matter(project: InboxProject, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("item,label\ni2,Kind\n'=1+1,RUDE\n")
    assert take(project, path)["n_rejected"] == 0
    gold = current(project).filter(rater_kind="gold")
    assert sorted(gold["label"]) == ["kind", "rude"]


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_a_list_of_another_question_is_refused(project: InboxProject, tmp_path: Path, ending: str) -> None:
    """Both questions have these items and labels, so nothing else would tell."""
    path = tmp_path / f"list.{ending}"
    listed = read_worklist(project.db, "tone", n=5)
    other = Worklist("=mood", listed.items, listed.n_doubtful)
    write_worklist(other, path, ending, blind=True)
    with pytest.raises(ReadError, match="items that were written for the question '=mood', not for 'tone'") as refused:
        take(project, path)
    assert refused.value.hint == "Take them with --question =mood."
    assert current(project).is_empty()
    with connect(project.db) as con:
        con.execute("update internal.questions set question = '=mood' where question = 'tone'")
    if ending == "csv":
        filled(path)
    else:
        pl.read_excel(path).with_columns(label=pl.lit("rude")).write_excel(path)
    result = take_worklist(project.db, path, "=mood", None, labels=("kind", "rude"), now=NOW).to_json()
    assert (result["n_ratings"], result["n_other_questions"]) == (2, 0)


def test_rows_of_another_question_are_left_out(project: InboxProject, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("item,question,label\ni2,tone,rude\n=1+1,mood,kind\ns0,,kind\ns1,mood,\ns2,tone,\n")
    result = take(project, path)
    assert [result[name] for name in ("n_ratings", "n_skipped", "n_other_questions", "n_unlabelled")] == [2, 3, 1, 1]
    assert current(project).sort("item").select("item", "label").rows() == [("i2", "rude"), ("s0", "kind")]
    assert result["notes"][0].startswith("1 answer to other questions in the file: left out.")


def test_label_studio_tasks_come_back_under_the_names_of_their_annotators(
    project: InboxProject, tmp_path: Path
) -> None:
    write_worklist(read_worklist(project.db, "tone", n=5), tmp_path / "tasks.json", "label-studio", blind=False)
    tasks = json.loads((tmp_path / "tasks.json").read_text())
    assert tasks[0]["data"].keys() == {"item", "text", "labels_given", "question"}
    choice = {"from_name": "tone", "to_name": "text", "type": "choices", "value": {"choices": ["kind"]}}
    exported = [
        {"id": 70 + number, "data": task["data"], "predictions": [],
         "annotations": [{"id": 900 + number, "completed_by": {"email": "lea@x.org"}, "was_cancelled": False,
                          "result": [choice]}]}
        for number, task in enumerate(tasks)
    ]  # fmt: skip
    with pytest.raises(ReadError, match="tasks alone are not answers") as tasks_alone:
        take(project, tmp_path / "tasks.json")
    assert "Give the JSON export." in tasks_alone.value.hint
    path = tmp_path / "export.json"
    path.write_text(json.dumps(exported))
    assert take(project, path)["n_ratings"] == 2
    assert current(project)["rater"].unique().to_list() == ["lea@x.org"]
    assert take(project, path, rater="eve")["n_ratings"] == 2
    assert sorted(current(project)["rater"].unique()) == ["eve", "lea@x.org"]
    pseudonym = forget_rater(project.db, tmp_path / "published", "eve", {}).pseudonym
    path.write_text(json.dumps(exported).replace("kind", "rude"))
    assert take(project, path, rater="eve")["n_ratings"] == 2
    assert sorted(current(project)["rater"].unique()) == sorted([pseudonym, "lea@x.org"])


def test_an_item_is_not_read_as_a_label(project: InboxProject, tmp_path: Path) -> None:
    """A label 3.0 is the label 3, and TRUE is true; items of these names are other items."""
    (project.inbox / "more.csv").write_text(
        "item,rater,label\n" + "".join(f"{item},{r},kind\n" for item in ("3", "3.0", "TRUE") for r in ("ann", "bob"))
    )
    project.ingest(ReadOptions(question="tone"))
    path = tmp_path / "list.csv"
    path.write_text("item,label\n3,kind\n3.0,rude\nTRUE,rude\n")
    value = take(project, path)
    assert (value["n_ratings"], value["n_rejected"]) == (3, 0)
    gold = current(project).filter(rater_kind="gold")
    assert dict(gold.select("item", "label").iter_rows()) == {"3": "kind", "3.0": "rude", "TRUE": "rude"}


def test_what_has_no_list_is_refused(project: InboxProject, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no question 'tune'"):
        read_worklist(project.db, "tune", n=5)
    with pytest.raises(InputError, match="There is no question 'tune'"):
        take_worklist(project.db, tmp_path / "x.csv", "tune", None, labels=None, now=NOW)
    write_worklist(read_worklist(project.db, "tone", n=5), tmp_path / "list.csv", "csv", blind=True)
    take(project, filled(tmp_path / "list.csv"))
    with pytest.raises(InputError, match="No item of 'tone' is in doubt"):
        read_worklist(project.db, "tone", n=5)


def test_answered_items_are_left_out_until_the_next_evaluation(project: InboxProject, tmp_path: Path) -> None:
    """Of i2 the answers make a pattern that no item had; of =1+1 they would be certain only with the next figures."""
    options = EvaluationOptions(0.95, 0, "krippendorff_alpha", "1")
    first = read_worklist(project.db, "tone", n=1)
    assert (first.n_answered, first.left_out()) == (0, "")
    write_worklist(first, tmp_path / "list.csv", "csv", blind=True)
    now = datetime.now(UTC)
    take_worklist(project.db, filled(tmp_path / "list.csv"), "tone", "cy", labels=("kind", "rude"), now=now)
    second = read_worklist(project.db, "tone", n=1)
    assert (second.n_doubtful, second.n_answered) == (1, 1)
    assert {*first.items["item"], *second.items["item"]} == {"=1+1", "i2"}
    assert "1 item is left out: answered since the last run." in second.left_out()
    write_worklist(second, tmp_path / "next.csv", "csv", blind=True)
    take_worklist(project.db, filled(tmp_path / "next.csv"), "tone", "cy", labels=("kind", "rude"), now=now)
    with pytest.raises(InputError, match=r"No other item of 'tone' is in doubt: 2 items were answered since"):
        read_worklist(project.db, "tone", n=1)
    project.work("evaluate", QuestionConfigs({}), options)
    with connect(project.db, read_only=True) as con:
        assert answered_items(con, "tone") == []


def test_an_answered_item_is_left_out_though_the_figures_have_others_with_its_labels(tmp_path: Path) -> None:
    made = InboxProject(tmp_path)
    raters = ("ann", "bob", "cy")
    rows = [(f"i{n}", rater, "rude" if rater == raters[n % 3] else "kind") for n in range(12) for rater in raters]
    rows += [(f"s{n}", rater, "rude" if n % 3 else "kind") for n in range(30) for rater in raters]
    rows.remove(("i0", "cy", "kind"))
    with (made.inbox / "tone.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("item", "rater", "label"), *rows])
    made.ingest(ReadOptions(question="tone"))
    made.work("evaluate", QuestionConfigs({}), EvaluationOptions(0.95, 0, "krippendorff_alpha", "1"))
    path = tmp_path / "list.csv"
    path.write_text("item,label\ni0,kind\n")
    take_worklist(made.db, path, "tone", "cy", labels=("kind", "rude"), now=datetime.now(UTC))
    queue = made.view("disagreement_queue")["item"].to_list()
    assert "i0" in queue
    result = read_worklist(made.db, "tone", n=50)
    assert (result.n_answered, result.n_doubtful) == (1, len(queue) - 1)
    assert sorted(["i0", *result.items["item"]]) == sorted(queue)


def test_the_ending_or_the_name_tells_the_format(tmp_path: Path) -> None:
    assert worklist_format(None, Path("a.XLSX")) == "xlsx"
    assert worklist_format("csv", Path("a.txt")) == "csv"
    with pytest.raises(InputError, match=r"The ending of a\.txt is not a format") as caught:
        worklist_format(None, Path("a.txt"))
    assert caught.value.hint == "Add --format with one of csv, xlsx, label-studio."
    with pytest.raises(InputError, match="'pdf' is unknown"):
        worklist_format("pdf", Path("a.csv"))
    assert Worklist("q", pl.DataFrame(), 0).to_json()["n"] == 0


@pytest.mark.parametrize("raters", [("ann",), ("ann", "bob")])
def test_items_without_a_probable_label_are_not_said_to_be_clear(tmp_path: Path, raters: tuple[str, ...]) -> None:
    """With one rating an item, or with one label, no label has a probability, least of all one of .95."""
    made = InboxProject(tmp_path)
    with (made.inbox / "tone.csv").open("w", newline="") as file:
        csv.writer(file).writerows(
            [("item", "rater", "label"), *((f"s{i}", rater, "kind") for i in range(6) for rater in raters)]
        )
    made.ingest(ReadOptions(question="tone"))
    made.work("evaluate", QuestionConfigs({}), EvaluationOptions(0.95, 0, "krippendorff_alpha", "1"))
    with pytest.raises(InputError, match="has a probability, so it is not known") as refused:
        read_worklist(made.db, "tone", n=5)
    assert refused.value.hint.startswith("It takes two labels or more, and items that two annotators or more rated.")
