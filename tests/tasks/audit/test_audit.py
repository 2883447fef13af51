"""An audit from end to end: draw, fill in, take back, and what it changed."""

import csv
import json
import random
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from stats.accuracy import accuracy, prepared
from stats.accuracy.gold.gold_gain import gold_gain
from tasks.audit.audit_draw import draw_audit
from tasks.audit.audit_effect import RANDOM
from tasks.audit.take_audit import take_audit
from tasks.errors import InputError, ReadError
from tasks.evaluate.gold.gold_inclusion import LEAST_DRAWN
from tasks.evaluate.question_config import QuestionConfig
from tasks.formats import ReadOptions
from tests.tasks.inbox import InboxProject
from warehouse.connect import connect
from warehouse.maintenance.integrity import run_checks
from warehouse.questions import read_table

LABELS = ("kind", "rude")
CONFIG = QuestionConfig(labels=LABELS)
NOW = datetime(2026, 3, 1, tzinfo=UTC)
N = 80
TRUTH = [LABELS[i % 3 == 0] for i in range(N)]
HOSTILE = '=HYPERLINK("http://x","y")'


def item_name(i: int) -> str:
    return "=1+1" if i == 0 else f"i{i}"


@pytest.fixture
def project(tmp_path: Path) -> InboxProject:
    """Three people and a bot, who are right in about .85; the text of each item is a formula."""
    rng, made = random.Random(4), InboxProject(tmp_path)
    lines = [["item", "rater", "label", "text"]]
    for i, truth in enumerate(TRUTH):
        for rater in ("ann", "bob", "cy", "bot"):
            wrong = LABELS[truth == LABELS[0]]
            lines.append([item_name(i), rater, truth if rng.random() < 0.85 else wrong, HOSTILE])
    with (made.inbox / "tone.csv").open("w", newline="") as file:
        csv.writer(file).writerows(lines)
    made.ingest(ReadOptions(question="tone", systems=frozenset({"bot"})))
    return made


def read(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


def draw(project: InboxProject, n: int = 20, seed: int = 1, file_format: str = "csv", name: str = "audit.csv",
         now: datetime = NOW) -> Any:  # fmt: skip
    out = project.folder / name
    return draw_audit(project.db, "tone", n=n, seed=seed, out=out, file_format=file_format, now=now)


def filled(path: Path, wrong: dict[int, str] | None = None) -> list[dict[str, str]]:
    """Fill in the right labels; `wrong` replaces some, by row."""
    rows = read(path)
    for number, row in enumerate(rows):
        i = 0 if "1+1" in row["item"] else int(row["item"][1:])
        row["label"] = (wrong or {}).get(number, TRUTH[i])
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=["item", "text", "label"])
        writer.writeheader()
        writer.writerows(rows)
    return rows


def take(project: InboxProject, path: Path) -> dict[str, Any]:
    return take_audit(project.db, path, "tone", CONFIG, confidence=0.95, seed=0).to_json()


def gold(project: InboxProject) -> pl.DataFrame:
    with connect(project.db, read_only=True) as con:
        return read_table(con, "current_ratings").filter(pl.col("rater_kind") == "gold")


def test_the_file_has_an_empty_label_and_no_formula(project: InboxProject) -> None:
    draw(project, n=N)
    rows = read(project.folder / "audit.csv")
    assert list(rows[0]) == ["item", "text", "label"]
    assert {row["label"] for row in rows} == {""}
    assert {row["text"] for row in rows} == {"'" + HOSTILE}
    assert "'=1+1" in {row["item"] for row in rows}
    assert len({row["item"] for row in rows}) == N


def test_the_same_seed_is_the_same_sample_and_another_has_other_items(project: InboxProject) -> None:
    first = draw(project)
    items = (project.folder / "audit.csv").read_text()
    again = draw(project, name="again.csv")
    assert (again.repeated, (project.folder / "again.csv").read_text()) == (True, items)
    assert first.to_json()["inclusion_probability"] == 20 / N
    draw(project, seed=2, name="other.csv")
    drawn = [{row["item"] for row in read(project.folder / name)}
             for name in ("audit.csv", "other.csv")]  # fmt: skip
    assert not drawn[0] & drawn[1]
    with pytest.raises(InputError, match="41 items are asked for, and 40 can be drawn"):
        draw(project, n=41, seed=3)


def test_every_item_is_as_likely_to_be_drawn(project: InboxProject) -> None:
    drawn = [row["item"] for seed in range(4) for row in _rows(project, seed)]
    assert sorted(drawn) == sorted({*drawn})
    with connect(project.db, read_only=True) as con:
        stored = read_table(con, "audits")
    assert stored["n_population"].sort().to_list() == [65, 70, 75, 80]


def _rows(project: InboxProject, seed: int) -> list[dict[str, str]]:
    draw(project, n=5, seed=seed, name=f"{seed}.csv")
    return read(project.folder / f"{seed}.csv")


def test_answers_become_gold_once_and_narrow_the_interval(project: InboxProject) -> None:
    sample = draw(project).sample
    filled(project.folder / "audit.csv")
    value = take(project, project.folder / "audit.csv")
    assert (value["n_ratings"], value["n_rejected"], value["n_gold"], value["n_gold_drawn"]) == (20, 0, 20, 20)
    (bot,) = value["systems"]
    assert (bot["before"]["n_gold"], bot["after"]["n_gold"]) == (0, 20)
    assert bot["half_width_next"] < bot["half_width_after"]
    assert bot["outer_half_width_before"] > bot["half_width_before"]
    assert bot["outer_half_width_after"] == bot["half_width_after"]
    assert f"{bot['outer_half_width_before']:.3f} with errors as on real data" in " ".join(value["notes"])
    assert any("with 20 more gold items it would be about" in text for text in value["notes"])
    assert any("All gold items were drawn at random" in text for text in value["notes"])
    stored = gold(project)
    assert (stored.height, stored["rater"].unique().to_list()) == (20, ["audit"])
    assert stored["source_ref"].unique().to_list() == [sample.audit_id]
    again = take(project, project.folder / "audit.csv")
    assert (again["repeated"], again["n_ratings"], again["n_unchanged"]) == (True, 0, 20)
    assert gold(project).equals(stored)
    with connect(project.db) as con:
        assert {name for name, rows in run_checks(con).items() if rows.height} == set()


@pytest.mark.parametrize(("n", "words"), [(N - 3, "with 3 more gold items"), (N - 1, "with 1 more gold item it")])
def test_no_more_gold_is_asked_for_than_there_are_items(project: InboxProject, n: int, words: str) -> None:
    draw(project, n=n)
    filled(project.folder / "audit.csv")
    value = take(project, project.folder / "audit.csv")
    assert any(words in text for text in value["notes"])
    assert value["systems"][0]["n_gold_next"] == N - n


def test_nothing_is_said_of_more_gold_where_none_is_left(project: InboxProject) -> None:
    draw(project, n=N)
    filled(project.folder / "audit.csv")
    value = take(project, project.folder / "audit.csv")
    assert not any("more gold" in text for text in value["notes"])
    (bot,) = value["systems"]
    assert (bot["n_gold_next"], bot["half_width_next"]) == (0, None)


def test_wrong_rows_are_refused_with_their_place_and_the_rest_is_taken(project: InboxProject) -> None:
    draw(project)
    path = project.folder / "audit.csv"
    filled(path, {0: "nice", 1: ""})
    with path.open("a") as file:
        file.write("i999,,kind\n")
    value = take(project, path)
    assert (value["n_ratings"], value["n_skipped"], value["n_rejected"]) == (18, 1, 2)
    assert [(row["row_number"], row["column_name"], row["value"], row["reason"]) for row in value["rejected"]] == [
        (2, "label", "nice", "unknown_label"),
        (22, "item", "i999", "unknown_item"),
    ]
    assert "20 items were drawn." in value["rejected"][1]["detail"]


def test_a_file_with_labels_is_not_overwritten(project: InboxProject) -> None:
    path = draw(project).path
    before = path.read_text()
    assert draw(project).path.read_text() == before  # an empty one may be written again
    filled = before.replace(',""\n', ',"kind"\n', 1)
    path.write_text("\ufeff" + filled, encoding="utf-8")
    with pytest.raises(InputError, match="labels in it already"):
        draw(project)
    assert path.read_text(encoding="utf-8-sig") == filled


def test_a_corrected_file_replaces_the_answer(project: InboxProject) -> None:
    draw(project)
    path = project.folder / "audit.csv"
    rows = filled(path)
    take(project, path)
    other = LABELS[rows[0]["label"] == LABELS[0]]
    filled(path, {0: other})
    value = take(project, path)
    assert (value["n_ratings"], value["n_unchanged"], value["n_gold"]) == (1, 19, 20)


def test_a_file_that_was_replaced_counts_again(project: InboxProject) -> None:
    """The file that is given last decides, also if it was given before another one."""
    draw(project)
    path = project.folder / "audit.csv"
    rows = filled(path)
    item, right = rows[0]["item"].removeprefix("'"), rows[0]["label"]
    wrong = LABELS[right == LABELS[0]]
    labels = []
    for label in (right, wrong, right, wrong):
        filled(path, {0: label})
        value = take(project, path)
        labels.append((value["repeated"], value["n_ratings"], gold(project).filter(item=item)["label"].item()))
    assert labels == [(False, 20, right), (False, 1, wrong), (False, 1, right), (False, 1, wrong)]
    assert take(project, path)["repeated"]
    with connect(project.db) as con:
        assert {name for name, rows in run_checks(con).items() if rows.height} == set()


def test_of_several_labels_of_an_item_the_last_one_counts_and_it_is_said(project: InboxProject) -> None:
    draw(project)
    path = project.folder / "audit.csv"
    first = filled(path)[0]
    other = LABELS[first["label"] == LABELS[0]]
    with path.open("a", newline="") as file:
        csv.writer(file).writerow([first["item"], "", other])
    value = take(project, path)
    assert value["notes"][0] == "1 item has several labels in the file. The last one counts."
    item = first["item"].removeprefix("'")
    assert gold(project).filter(item=item)["label"].to_list() == [other]
    assert not any("several labels" in text for text in take(project, path)["notes"])


@pytest.mark.parametrize(("labels", "seed", "note"), [
    (LABELS, 1, ["The same items were drawn for 'mood', and a table does not name its question: check that these are "
                 "the answers to 'tone'."]),
    (LABELS, 2, []),
    (("calm", "angry"), 1, []),
])  # fmt: skip
def test_a_table_that_could_belong_to_another_question_is_said(
    project: InboxProject, labels: tuple[str, str], seed: int, note: list[str]
) -> None:
    lines = [["item", "rater", "label"]]
    lines += [[item_name(i), rater, labels[i % 2]] for i in range(N) for rater in ("ann", "bob")]
    with (project.inbox / "mood.csv").open("w", newline="") as file:
        csv.writer(file).writerows(lines)
    project.ingest(ReadOptions(question="mood"))
    draw_audit(project.db, "mood", n=20, seed=seed, out=project.folder / "m.csv", file_format="csv", now=NOW)
    draw(project)
    filled(project.folder / "audit.csv")
    notes = take(project, project.folder / "audit.csv")["notes"]
    assert [text for text in notes if "mood" in text] == note


def test_a_folder_and_a_seed_that_cannot_be_stored_draw_nothing(project: InboxProject) -> None:
    for out, seed, why in ((project.folder, 1, "is a folder"), (project.folder / "a.csv", 10**30, "--seed is")):
        with pytest.raises(InputError, match=why):
            draw_audit(project.db, "tone", n=3, seed=seed, out=out, file_format="csv", now=NOW)
    with connect(project.db) as con:
        assert con.execute("select count(*) from audit_items").fetchall() == [(0,)]


def test_label_studio_tasks_come_back_by_their_item(project: InboxProject) -> None:
    draw(project, n=6, file_format="label-studio", name="tasks.json")
    tasks = json.loads((project.folder / "tasks.json").read_text())
    assert tasks[0]["data"].keys() == {"item", "text", "question"}
    choice = {"from_name": "tone", "to_name": "text", "type": "choices", "value": {"choices": ["kind"]}}
    exported = [
        {"id": 70 + number, "data": task["data"], "predictions": [],
         "annotations": [{"id": 900 + number, "completed_by": 3, "was_cancelled": False, "result": [choice]}]}
        for number, task in enumerate(tasks)
    ]  # fmt: skip
    path = project.folder / "export.json"
    path.write_text(json.dumps(exported))
    assert take(project, path)["n_ratings"] == 6
    assert sorted(gold(project)["item"]) == sorted(task["data"]["item"] for task in tasks)


def exported(project: InboxProject, answers: dict[str, list[str]], number: int = 0) -> Path:
    """Write an export of Label Studio: the tasks of tasks.json, and the labels of each control."""
    tasks = json.loads((project.folder / "tasks.json").read_text())
    rows = [
        {"id": 70 + i, "data": task["data"], "predictions": [],
         "annotations": [{"id": 900 + i, "completed_by": 3, "was_cancelled": False, "result": [
             {"id": f"{name}{i}", "from_name": name, "to_name": "text", "type": "choices",
              "value": {"choices": [labels[i]]}} for name, labels in answers.items()]}]}
        for i, task in enumerate(tasks)
    ]  # fmt: skip
    path = project.folder / f"export{number}.json"
    path.write_text(json.dumps(rows))
    return path


def test_label_studio_answers_to_other_questions_are_left_out(project: InboxProject) -> None:
    """One page of Label Studio may ask two questions with the same labels."""
    draw(project, n=6, file_format="label-studio", name="tasks.json")
    value = take(project, exported(project, {"tone": ["kind"] * 6, "politeness": ["rude"] * 6}))
    assert gold(project)["label"].to_list() == ["kind"] * 6
    assert (value["n_ratings"], value["n_skipped"], value["n_other_questions"]) == (6, 6, 6)
    assert value["notes"][0].startswith("6 answers to other questions in the file: left out.")
    with pytest.raises(ReadError, match="has answers to several questions, and none is 'tone': 'a', 'b'"):
        take(project, exported(project, {"a": ["kind"] * 6, "b": ["rude"] * 6}, 1))
    assert take(project, exported(project, {"label": ["rude"] * 6}, 2))["n_ratings"] == 6


def test_what_systems_said_in_label_studio_is_not_without_a_label(project: InboxProject) -> None:
    draw(project, n=6, file_format="label-studio", name="tasks.json")
    path = exported(project, {"tone": ["kind"] * 6})
    tasks = json.loads(path.read_text())
    for task in tasks:
        result = task["annotations"][0]["result"]
        task["predictions"] = [{"id": task["id"], "model_version": "gpt", "result": result}]
    tasks[0]["annotations"][0]["was_cancelled"] = True
    path.write_text(json.dumps(tasks))
    value = take(project, path)
    assert (value["n_ratings"], value["n_skipped"], value["n_unlabelled"]) == (5, 7, 1)


def test_label_studio_tasks_of_another_question_are_refused(project: InboxProject) -> None:
    draw(project, n=6, file_format="label-studio", name="tasks.json")
    path = exported(project, {"label": ["kind"] * 6})
    path.write_text(path.read_text().replace('"question": "tone"', '"question": "politeness"'))
    with pytest.raises(ReadError, match="written for the question 'politeness', not for 'tone'"):
        take(project, path)


def test_items_on_which_gold_raters_differ_count_as_not_labelled(project: InboxProject) -> None:
    by_lead(project, range(5, 15))
    draw(project, n=24, file_format="label-studio", name="tasks.json", now=datetime.now(UTC))
    draw(project, n=24, now=datetime.now(UTC))  # the same items as a table
    take(project, exported(project, {"tone": ["kind"] * 24}))
    path = project.folder / "audit.csv"
    rows = read(path)
    path.write_text("item,label\n" + "".join(f"{row['item']},rude\n" for row in rows[:8]))
    value = take(project, path)
    assert (value["n_gold"], value["n_gold_drawn"]) == (26, 16)
    assert any(text.startswith("On 8 items the gold raters differ") for text in value["notes"])
    assert not any("of unknown origin" in text or text == RANDOM for text in value["notes"])
    (bot,) = value["systems"]
    known = {row["item"].removeprefix("'"): 16 / 70 for row in rows[8:]} | {f"i{i}": 1.0 for i in range(5, 15)}
    assert bot["after"]["n_gold"] == 26
    assert bot["after"]["accuracy"] == pytest.approx(by_hand(project, known)["accuracy"], abs=1e-9)


def test_the_next_half_width_is_narrower_where_the_interval_is_cut_at_one() -> None:
    rows = [(str(i), rater, "AB"[i % 2]) for i in range(80) for rater in ("ann", "bob", "bot")]
    frame = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    known = pl.DataFrame([(str(i), "AB"[i % 2]) for i in range(20)], schema=["item", "label"], orient="row")
    once = prepared(frame, systems=["bot"], labels=["A", "B"])
    gain = gold_gain(once, "bot", known, more=20, confidence=0.95)
    row = accuracy(once, systems=["bot"], labels=["A", "B"], methods=["average"], gold=known).row(0, named=True)
    assert gain.half_width == pytest.approx((row["high"] - row["low"]) / 2, abs=0.01)
    assert gain.with_more is not None
    assert gain.half_width is not None
    assert gain.with_more < gain.half_width


def by_lead(project: InboxProject, items: Sequence[int]) -> None:
    """Take in labels of a lead, whose labels are gold."""
    rows = "".join(f"i{i},lead,{TRUTH[i]}\n" for i in items)
    (project.inbox / f"lead{items[0]}.csv").write_text("item,rater,label\n" + rows)
    project.ingest(ReadOptions(question="tone", systems=frozenset({"bot"}), gold=frozenset({"lead"})))


def by_hand(project: InboxProject, probabilities: dict[str, float]) -> dict[str, Any]:
    """The bot's accuracy by the gold items with these probabilities."""
    known = gold(project).filter(pl.col("item").is_in(list(probabilities)))
    known = known.select("item", "label", inclusion_probability=pl.col("item").replace_strict(probabilities))
    with connect(project.db, read_only=True) as con:
        ratings = read_table(con, "current_ratings").filter(pl.col("rater_kind") != "gold")
    result = accuracy(
        ratings.select("item", "rater", "label"), systems=["bot"], labels=LABELS, gold=known, methods=["average"]
    )
    return result.row(0, named=True)


def drawn_names(project: InboxProject) -> list[str]:
    return [row["item"].removeprefix("'") for row in read(project.folder / "audit.csv")]


def test_gold_from_before_the_draw_stands_for_itself(project: InboxProject) -> None:
    by_lead(project, range(5, 15))
    sample = draw(project, now=datetime.now(UTC)).sample
    assert sample.n_population == N - 10
    filled(project.folder / "audit.csv")
    value = take(project, project.folder / "audit.csv")
    assert (value["n_gold"], value["n_gold_drawn"]) == (30, 20)
    notes = " ".join(value["notes"])
    assert "10 of the gold items were not drawn by `kappaflow audit`. They had gold before" in notes
    assert "drawn with known probabilities that differ" in notes
    (bot,) = value["systems"]
    known = dict.fromkeys(drawn_names(project), 20 / 70) | {f"i{i}": 1.0 for i in range(5, 15)}
    for name, figure in by_hand(project, known).items():
        if name in ("accuracy", "low", "high", "n_gold"):
            assert bot["after"][name] == pytest.approx(figure, abs=1e-9)


def test_gold_from_after_the_draw_is_left_out(project: InboxProject) -> None:
    draw(project, now=datetime.now(UTC))
    names = drawn_names(project)
    free = [i for i in range(1, N) if f"i{i}" not in names]
    by_lead(project, range(free[0], free[0] + 1))
    filled(project.folder / "audit.csv")
    value = take(project, project.folder / "audit.csv")
    assert (value["n_gold"], value["n_gold_drawn"]) == (21, 20)
    assert any("1 of the gold items are of unknown origin, and are left out" in text for text in value["notes"])
    (bot,) = value["systems"]
    assert bot["after"]["n_gold"] == 20
    assert bot["after"]["accuracy"] == pytest.approx(by_hand(project, dict.fromkeys(names, 0.25))["accuracy"], abs=1e-9)


def test_gold_from_between_two_draws_counts_for_a_part(project: InboxProject) -> None:
    draw(project, now=datetime.now(UTC))
    names = drawn_names(project)
    between = [i for i in range(1, N) if f"i{i}" not in names][:12]
    by_lead(project, between)
    filled(project.folder / "audit.csv")
    take(project, project.folder / "audit.csv")
    (project.folder / "audit.csv").unlink()
    draw(project, seed=2, n=16, now=datetime.now(UTC))
    names += drawn_names(project)
    filled(project.folder / "audit.csv")
    value = take(project, project.folder / "audit.csv")
    assert (value["n_gold"], value["n_gold_drawn"]) == (48, 36)
    assert any("12 of the gold items were not drawn by `kappaflow audit`. They had gold before its last draw" in text
               for text in value["notes"])  # fmt: skip
    later = 16 / 48
    counts = dict.fromkeys(names, 1 / (0.25 + 0.75 * later)) | {f"i{i}": 1 / (0.25 / later + 0.75) for i in between}
    known = {item: 0.5 / count for item, count in counts.items()}  # the half, as a file has none above 1
    (bot,) = value["systems"]
    for name, figure in by_hand(project, known).items():
        if name in ("accuracy", "low", "high", "n_gold"):
            assert bot["after"][name] == pytest.approx(figure, abs=1e-9)


def test_few_drawn_items_do_not_do_without_the_others(project: InboxProject) -> None:
    by_lead(project, range(5, 15))
    draw(project, n=LEAST_DRAWN - 1, now=datetime.now(UTC))
    filled(project.folder / "audit.csv")
    value = take(project, project.folder / "audit.csv")
    notes = " ".join(value["notes"])
    assert "Gold items that `kappaflow audit` drew: 9 of 19, and 10 are needed" in notes
    assert "not treated as a random sample" in notes
    (bot,) = value["systems"]
    assert bot["after"]["n_gold"] == 19


def test_what_cannot_be_drawn_or_taken_is_said(project: InboxProject) -> None:
    path = project.folder / "x.csv"
    path.write_text("item,label\ni1,kind\n")
    with pytest.raises(ReadError, match="No item was drawn"):
        take(project, path)
    path.unlink()
    with pytest.raises(InputError, match="has no items that could be drawn"):
        draw_audit(project.db, "other", n=1, seed=1, out=path, file_format="csv", now=NOW)
    with pytest.raises(InputError, match="--format 'xml' is unknown"):
        draw(project, file_format="xml")
    draw(project)
    path.write_text("id,answer\ni1,kind\n")
    with pytest.raises(ReadError, match="has no column 'item'"):
        take(project, path)
