"""Spans and boxes in a project: taken in once, each mark accounted for, kept with their history, and compared."""

import json
import os
import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.pending_questions import pending_questions
from tasks.evaluate.question_config import QuestionConfig
from tasks.formats import ReadOptions
from tasks.formats.regions.read_regions import read_regions
from tasks.ingest.file_result import FileResult
from tasks.ingest.ingest_files import ingest
from tasks.ingest.ingest_rules import IngestRules
from tasks.question_runs import process_questions
from tasks.raters.forget_rater import forget_rater, plan_forgetting
from tasks.single_file.agree_regions import agree_on_regions
from tasks.single_file.inspect_file import inspect_file
from tasks.single_file.load_file import FileOptions
from tasks.sources.folder import FolderSource, find_files
from warehouse.connect import connect
from warehouse.maintenance.integrity import run_checks
from warehouse.migrate import migrate
from warehouse.status import read_status

OPTIONS = EvaluationOptions(confidence=0.95, seed=1, alert_coefficient="krippendorff_alpha", code_version="0")
CONFIGS = QuestionConfigs({}, QuestionConfig())
DATA = Path(__file__).parents[2] / "data" / "regions"
PER, LOC = (0, 4, "PER"), (14, 20, "LOC")
Marks = dict[object, list[tuple[Any, Any, str]]]


class Project:
    def __init__(self, folder: Path) -> None:
        self.inbox, self.db = folder / "inbox", folder / "warehouse.duckdb"
        self.inbox.mkdir()
        with connect(self.db) as con:
            migrate(con)

    def ingest(self, *, full_export: bool = False, **options: object) -> list[FileResult]:
        read = ReadOptions(**options)  # type: ignore[arg-type]
        source = FolderSource("inbox", self.inbox, options=read, full_export=full_export)
        results = list(ingest(self.db, find_files([source]).readable, IngestRules({}, {}, {"annie": "ann"})))
        with connect(self.db) as con:
            assert not {name for name, rows in run_checks(con).items() if rows.height}
        return results

    def evaluate(self, configs: QuestionConfigs = CONFIGS) -> list[str | None]:
        due = pending_questions(self.db, "evaluate", configs, OPTIONS, everything=False)
        return [result.error for result in process_questions(self.db, "evaluate", due, configs, OPTIONS)]

    def rows(self, query: str) -> list[tuple[object, ...]]:
        with connect(self.db, read_only=True) as con:
            return con.execute(query).fetchall()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def tasks(path: Path, items: Sequence[Marks]) -> Path:
    """Write Label Studio's JSON: for each item the marks of each rater."""
    written = [
        {"id": number, "data": {"text": "Anna lives in Berlin"}, "annotations": [
            {"completed_by": rater, "result": [
                {"from_name": "ner", "type": "labels", "value": {"start": start, "end": end, "labels": [label]}}
                for start, end, label in marks
            ]}
            for rater, marks in raters.items()
        ]}
        for number, raters in enumerate(items, start=1)
    ]  # fmt: skip
    path.write_text(json.dumps(written))
    return path


ITEMS: list[Marks] = [
    {"ann": [PER, LOC], "ben": [PER]},
    {"ann": [PER], "ben": [(0, 6, "PER")]},
    {"ann": [LOC], "ben": [LOC], "cyd": []},
    {"ann": [], "ben": []},
]


def test_spans_are_taken_in_once_and_give_the_figures_of_agree(project: Project) -> None:
    path = tasks(project.inbox / "ner.json", [*ITEMS, {"ann": [("x", 4, "PER")]}])
    (result,) = project.ingest()
    assert (result.counts.n_ratings, result.counts.n_rejected, result.counts.n_skipped) == (10, 1, 0)
    assert project.ingest() == []
    assert project.rows("select count(*), sum(n_spans), sum(n_boxes) from region_work where is_current") == [(10, 7, 0)]
    assert project.evaluate() == [None]
    held = read_regions([path], ReadOptions())
    assert held is not None
    (alone,) = agree_on_regions(held, FileOptions(), by=("pair", "label"))
    stored = project.rows(
        "select rater_a, rater_b, label, coefficient, estimate, low, high, reason from latest_region_agreement"
    )
    expected = [
        (None, None, None, row["name"], *(row[k] for k in ("estimate", "low", "high", "reason")))
        for row in alone["coefficients"]
    ]
    expected += [
        (row["rater_a"], row["rater_b"], None, *(row[k] for k in ("coefficient", "estimate", "low", "high", "reason")))
        for row in alone["by_pair"]
    ]
    expected += [
        (None, None, *(row[k] for k in ("label", "name", "estimate", "low", "high", "reason")))
        for row in alone["by_label"]
    ]
    assert sorted(stored, key=str) == sorted(expected, key=str)
    shown = inspect_file(path)
    assert (shown["n_ratings"], shown["n_regions"], shown["n_rejected"]) == (0, 7, 1), "what the project takes in"
    with connect(project.db, read_only=True) as con:
        (status,) = read_status(con).regions.to_dicts()
    assert (status["question"], status["n_regions"], status["coefficient"]) == ("ner", 7, "f1_exact")
    overall = {row[3]: row[4] for row in stored if row[:3] == (None, None, None)}
    assert overall["f1_exact"] == pytest.approx(4 / 9)
    assert project.evaluate() == []


def test_times_without_a_zone_are_local_times_of_the_source(project: Project) -> None:
    path = tasks(project.inbox / "ner.json", [{"ann": [PER]}])
    (task,) = json.loads(path.read_text())
    task["annotations"][0]["updated_at"] = "2026-07-01T12:00:00"
    path.write_text(json.dumps([task]))
    project.ingest(timezone="Europe/Berlin")
    assert project.rows("select rated_at::varchar from region_work") == [("2026-07-01 10:00:00+00",)]


def test_later_work_replaces_earlier_work_and_the_question_is_computed_again(project: Project) -> None:
    tasks(project.inbox / "ner.json", ITEMS)
    project.ingest()
    project.evaluate()
    before = (
        "select estimate from latest_region_agreement"
        " where coefficient = 'f1_exact' and rater_a is null and label is null"
    )
    (first,) = project.rows(before)
    tasks(project.inbox / "later.json", [{"ann": [PER, LOC], "ben": [PER, LOC]}])
    (result,) = project.ingest()
    assert (result.counts.n_ratings, result.counts.n_unchanged) == (1, 1)
    assert project.evaluate() == [None]
    assert project.rows(before) > [first]
    assert project.rows("select count(*), count(*) filter (is_current) from region_work") == [(10, 9)]


def test_aliases_systems_and_forgotten_raters(project: Project) -> None:
    tasks(project.inbox / "ner.json", [{"annie": [PER], "ben": [PER], "gpt": [LOC]}, {"annie": [LOC], "ben": [PER]}])
    project.ingest()
    assert project.rows("select distinct rater from region_work order by 1") == [("ann",), ("ben",), ("gpt",)]
    config = QuestionConfigs({"ner": QuestionConfig(systems=frozenset(["gpt"]))}, QuestionConfig())
    assert project.evaluate(config) == [None]
    pairs = "select distinct rater_a, rater_b from latest_region_agreement where rater_a is not null"
    assert project.rows(pairs) == [("ann", "ben")]
    assert plan_forgetting(project.db, "ben", {}).n_ratings == 2
    forget_rater(project.db, project.db.parent / "published", "ben", {}, pseudonym="rater-1")
    assert {row[0] for row in project.rows("select rater from region_work")} == {"ann", "gpt", "rater-1"}


def test_boxes_of_two_people_in_files_of_equal_bytes(project: Project) -> None:
    coco = {"images": [{"id": 1, "file_name": "a.png"}, {"id": 2, "file_name": "b.png"}],
            "categories": [{"id": 1, "name": "car"}],
            "annotations": [{"image_id": n, "category_id": 1, "bbox": [0, 0, 9, 9]} for n in (1, 2)]}  # fmt: skip
    (project.inbox / "cars").mkdir()
    for name in ("ann", "ben"):
        (project.inbox / "cars" / f"{name}.json").write_text(json.dumps(coco))
    assert [result.counts.n_ratings for result in project.ingest()] == [2, 2]
    assert project.evaluate() == [None]
    figures = project.rows("select question, coefficient, estimate from latest_region_agreement where rater_a is null")
    assert ("cars", "f1_iou50", 1.0) in figures
    assert project.ingest() == []


CHOICE = {"from_name": "tone", "type": "choices", "value": {"choices": ["kind"]}}


def with_choice(project: Project, path: Path, name: str = "tone") -> None:
    """Write spans of two raters on two items, and a choice that the first made for the first item."""
    held = json.loads(
        tasks(path, [{"annie": [PER, LOC], "ben": [PER]}, {"annie": [], "ben": [("x", 1, "PER")]}]).read_text()
    )
    held[0]["annotations"][0]["result"].append(CHOICE | {"from_name": name})
    (project.inbox / "both.json").write_text(json.dumps(held))


def test_choices_beside_spans_are_both_taken_in(project: Project, tmp_path: Path) -> None:
    with_choice(project, tmp_path / "x.json")
    (result,) = project.ingest()
    assert (result.counts.n_ratings, result.counts.n_rejected) == (5, 1)
    shown = inspect_file(project.inbox / "both.json")
    assert (shown["n_ratings"], shown["n_regions"], shown["n_rejected"]) == (1, 3, 1)
    assert project.rows("select question, item, rater, label from current_ratings") == [("tone", "1", "ann", "kind")]
    work = project.rows("select question, item, rater, n_spans from region_work where is_current order by 2, 3")
    assert work == [("ner", "1", "ann", 2), ("ner", "1", "ben", 1), ("ner", "2", "ann", 0), ("ner", "2", "ben", 0)]
    assert project.rows("select column_name, reason from rejected_rows") == [("span", "bad_record")]
    assert project.ingest() == []
    assert project.evaluate() == [None, None]
    assert project.rows("select distinct question from latest_region_agreement") == [("ner",)]
    forget_rater(project.db, project.db.parent / "published", "ben", {}, pseudonym="rater-1")
    assert {row[0] for row in project.rows("select rater from region_work")} == {"ann", "rater-1"}
    (project.inbox / "both.json").write_text((project.inbox / "both.json").read_text().replace("kind", "rude"))
    (again,) = project.ingest()
    assert (again.counts.n_ratings, again.counts.n_unchanged) == (1, 4)
    assert {row[0] for row in project.rows("select rater from region_work")} == {"ann", "rater-1"}


def test_spans_of_argilla_and_the_answers_beside_them(project: Project) -> None:
    shutil.copy(DATA / "argilla" / "records.json", project.inbox)
    (result,) = project.ingest()
    assert (result.counts.n_ratings, result.counts.n_rejected, result.counts.n_skipped) == (7, 0, 1)
    shown = inspect_file(project.inbox / "records.json")
    assert (shown["n_ratings"], shown["n_regions"], shown["n_rejected"]) == (3, 4, 0)
    work = project.rows("select item, right(rater, 8), rater_kind, n_spans, text_length from region_work order by 1, 2")
    assert work == [
        ("doc-1", "00000001", "human", 2, 20), ("doc-1", "00000002", "human", 1, 20),
        ("doc-1", "tagger-1", "system", 1, 20), ("doc-2", "00000001", "human", 0, 12),
    ]  # fmt: skip
    assert project.rows("select question, item, label from current_ratings order by all") == [
        ("tone", "doc-1", "kind"), ("tone", "doc-1", "neutral"), ("tone", "doc-2", "neutral"),
    ]  # fmt: skip
    assert project.ingest() == []


def test_a_damaged_answer_is_one_rejected_row_and_leaves_the_spans_of_argilla(project: Project) -> None:
    """It was a label, all spans of the file were rejected, and its rater had done the item without a span."""
    records = json.loads((DATA / "argilla" / "records.json").read_text())
    for n, record in enumerate(json.loads(json.dumps(records)) for _ in range(2)):
        for entry in record:
            entry["id"] = f"{entry['id']}-{n}"
        if n:
            record[0]["ner.responses"][0] = "no span"
        (project.inbox / f"{n}.json").write_text(json.dumps([*record, 5] if n else record))
    whole, damaged = project.ingest()
    assert (whole.counts.n_ratings, whole.counts.n_rejected) == (7, 0)
    assert (damaged.counts.n_ratings, damaged.counts.n_rejected) == (6, 2)
    assert project.rows("select question, count(*) from current_ratings group by all") == [("tone", 6)]
    assert project.rows("select reason, detail, value from current_rejected_rows order by 1") == [
        ("bad_json", "The element is not a JSON object.", "5"),
        ("bad_record", "The answer is no list of spans.", "no span"),
    ]


def test_spans_and_choices_of_one_name_stay_choices_and_rejected_rows(project: Project, tmp_path: Path) -> None:
    with_choice(project, tmp_path / "x.json", "ner")
    (result,) = project.ingest()
    assert (result.counts.n_ratings, result.counts.n_rejected) == (1, 5)
    assert project.rows("select count(*) from region_work") == [(0,)]


def test_labels_of_spans_as_ratings(project: Project, tmp_path: Path) -> None:
    with_choice(project, tmp_path / "x.json")
    (result,) = project.ingest(regions="labels")
    assert (result.counts.n_ratings, result.counts.n_rejected) == (5, 1)
    ratings = "select question, item, rater, label from current_ratings order by all"
    assert project.rows(ratings) == [
        ("ner", "1", "ann", '["LOC", "PER"]'), ("ner", "1", "ben", "PER"),
        ("ner", "2", "ann", "[]"), ("ner", "2", "ben", "[]"),
        ("tone", "1", "ann", "kind"),
    ]  # fmt: skip
    assert project.rows("select count(*) from region_work") == [(0,)]
    assert project.evaluate(QuestionConfigs({"ner": QuestionConfig(weights="masi")}, QuestionConfig())) == [None, None]
    by_label = "select distinct scope from agreement where question = 'ner' and scope like 'label:%' order by 1"
    assert project.rows(by_label) == [("label:LOC",), ("label:PER",)]


def test_archives_of_brat_are_taken_in_and_single_documents_refused(project: Project) -> None:
    text = "T1\tPER 0 4\tAnna\n"
    (project.inbox / "ann").mkdir()
    (project.inbox / "ann" / "doc1.ann").write_text(text)
    (refused,) = project.ingest()
    assert refused.status == "rejected"
    assert ".zip" in str(refused.detail)
    (project.inbox / "ann" / "doc1.ann").unlink()
    with zipfile.ZipFile(project.inbox / "ner.zip", "w") as packed:
        for rater in ("ann", "ben"):
            packed.writestr(f"{rater}/doc1.ann", text)
            packed.writestr(f"{rater}/doc1.txt", "Anna lives")
            packed.writestr(f"{rater}/doc2.ann", "" if rater == "ann" else text)
    (result,) = project.ingest()
    assert (result.reader, result.counts.n_ratings, result.counts.n_rejected) == ("brat", 4, 0)
    assert project.evaluate() == [None]
    figure = "select question, estimate from latest_region_agreement where coefficient = 'f1_exact' and rater_a is null"
    assert project.rows(f"{figure} and label is null") == [("ner", pytest.approx(2 / 3))]
    assert project.ingest() == []


def test_copies_of_a_text_of_different_length_in_an_archive_are_noted_as_of_single_files(project: Project) -> None:
    texts = {"ann": ["Anna lives in Berlin", "Ben likes tea"], "ben": ["Anna lives in Berlin", "Ben likes tea. "]}
    path = project.inbox / "ner.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for rater, copies in texts.items():
            records = [{"id": n, "text": text, "label": [[0, 3 + n, "PER"]]} for n, text in enumerate(copies)]
            packed.writestr(f"{rater}.jsonl", "\n".join(map(json.dumps, records)))
    (result,) = project.ingest()
    assert (result.reader, result.counts.n_ratings) == ("doccano", 4)
    due = pending_questions(project.db, "evaluate", CONFIGS, OPTIONS, everything=False)
    (results,) = process_questions(project.db, "evaluate", due, CONFIGS, OPTIONS)
    held = read_regions([path], ReadOptions())
    assert held is not None
    (alone,) = agree_on_regions(held, FileOptions())
    left_out = "1 text is left out of the alphas: a span ends behind the text, or files have it in different lengths."
    assert any(left_out in text for text in alone["warnings"])
    assert any(left_out in text for text in results.notes)
    query = "select estimate, n_items from latest_region_agreement where coefficient = 'character_alpha'"
    ((estimate, n_items),) = project.rows(f"{query} and rater_a is null and label is null")
    of_file = next(row for row in alone["coefficients"] if row["name"] == "character_alpha")
    assert (estimate, n_items) == (of_file["estimate"], of_file["n_items"]) == (1.0, 1)


FIGURE = "select estimate, n_items from latest_region_agreement"
FIGURE += " where coefficient = 'f1_exact' and rater_a is null and label is null"


def test_what_a_full_export_no_longer_has_leaves_the_figures(project: Project) -> None:
    states = [ITEMS, ITEMS[:2], [{"ann": [PER]}, ITEMS[1]], ITEMS]
    counts, figures = [], []
    for day, items in enumerate(states, start=20_001):
        path = tasks(project.inbox / "spans.json", items)
        os.utime(path, (day * 86_400, day * 86_400))
        (full,) = project.ingest(full_export=True)
        counts.append((full.counts.n_ratings, full.counts.n_unchanged, full.counts.n_deleted))
        assert project.evaluate() == [None]
        figures += project.rows(FIGURE)
    assert counts == [(9, 0, 0), (0, 4, 5), (1, 2, 1), (7, 2, 0)]
    shared = [(4 / 9, 4), (2 / 5, 2), (0, 1), (4 / 9, 4)]
    assert figures == [(pytest.approx(f1), n) for f1, n in shared]
    assert project.rows("select count(*), count(deleted_at), count(*) filter (is_current) from region_work") == [
        (17, 6, 9)
    ]
    (project.inbox / "spans.json").unlink()
    old = tasks(project.inbox / "old.json", ITEMS[:3])
    os.utime(old, (86_400, 86_400))
    assert [result.reason for result in project.ingest(full_export=True)] == ["outdated_export"]
    assert project.rows(FIGURE) == figures[-1:]


def test_spans_that_another_source_replaced_and_the_export_lacks_are_deleted(project: Project, tmp_path: Path) -> None:
    def export(items: Sequence[Marks], day: int) -> FileResult:
        path = tasks(project.inbox / "spans.json", items)
        os.utime(path, (day * 86_400, day * 86_400))
        (result,) = project.ingest(full_export=True)
        return result

    export(ITEMS, 20_001)
    (tmp_path / "other").mkdir()
    tasks(tmp_path / "other" / "later.json", [{"ann": [(5, 10, "PER")]}])
    other = find_files([FolderSource("other", tmp_path / "other")]).readable
    assert [result.counts.n_ratings for result in ingest(project.db, other, IngestRules())] == [1]
    left = project.rows("select item, rater, is_current from region_work where not (item = '1' and rater = 'ann')")
    without = {rater: marks for rater, marks in ITEMS[0].items() if rater != "ann"}
    assert export([without, *ITEMS[1:]], 20_002).counts.n_deleted == 0  # in force is that of the other source
    of_ann = "select b.source, is_current, deleted_at is null from region_work as r join batches as b using (batch_id)"
    assert sorted(project.rows(f"{of_ann} where r.item = '1' and rater = 'ann'")) == [
        ("inbox", False, False), ("other", True, True)
    ]  # fmt: skip
    kept = project.rows("select item, rater, is_current from region_work where not (item = '1' and rater = 'ann')")
    assert sorted(kept) == sorted(left)


def test_a_full_export_deletes_spans_beside_its_choices(project: Project, tmp_path: Path) -> None:
    with_choice(project, tmp_path / "x.json")
    project.ingest(full_export=True)
    held = json.loads((project.inbox / "both.json").read_text())
    (project.inbox / "both.json").write_text(json.dumps(held[:1]))
    (again,) = project.ingest(full_export=True)
    assert (again.counts.n_unchanged, again.counts.n_deleted) == (3, 2)
    assert project.rows("select distinct item from region_work where is_current") == [("1",)]


@pytest.mark.parametrize(("folder", "tags", "boxes"), [(".", "cvat", "boxes"), ("cars", "cars", "cars")])
def test_tags_beside_boxes_of_cvat_are_both_taken_in(project: Project, folder: str, tags: str, boxes: str) -> None:
    images = (
        '<image id="0" name="a.png"><tag label="good"/><box label="car" xtl="0" ytl="0" xbr="9" ybr="9"/>'
        '<polygon label="car" points="1,1;2,2;3,1"/></image><image id="1" name="b.png"/>'
        '<image id="2" name="c.png"><tag label="bad"/></image>'
    )
    (project.inbox / folder).mkdir(exist_ok=True)
    for name in ("ann", "ben"):
        file = project.inbox / folder / f"{name}.xml"
        file.write_text(f"<annotations>{images}</annotations>")
        shown = inspect_file(file)
        assert (shown["n_ratings"], shown["n_regions"], shown["n_skipped"], shown["n_rejected"]) == (2, 1, 0, 1)
    for result in project.ingest():
        assert (result.counts.n_ratings, result.counts.n_skipped, result.counts.n_rejected) == (5, 0, 1)
        assert sum(note.startswith("The rater is") for note in result.warnings) == 1
    labels = "select question, item, label from current_ratings where rater = 'ann' order by 2"
    assert project.rows(labels) == [(tags, "a.png", "good"), (tags, "c.png", "bad")]
    work = "select question, item, n_boxes from region_work where is_current and rater = 'ann' order by 2"
    assert project.rows(work) == [(boxes, "a.png", 1), (boxes, "b.png", 0), (boxes, "c.png", 0)]
    rejected = "select distinct column_name, reason from rejected_rows"
    assert project.rows(rejected) == [("polygon", "unsupported_control")]
    assert project.ingest() == []
    assert project.evaluate() == [None] * len({tags, boxes})
    figure = "select question, estimate from latest_region_agreement where coefficient = 'f1_iou50' and rater_a is null"
    assert project.rows(f"{figure} and label is null") == [(boxes, 1.0)]
    percent = "select question, estimate from latest_agreement"
    percent += " where coefficient = 'percent_agreement' and scope = 'humans'"
    assert project.rows(percent) == [(tags, 1.0)]
    counts = "select question, sum(n_ratings)::int from batch_questions group by 1 order by 1"
    assert project.rows(counts) == ([("cars", 10)] if tags == boxes else [("boxes", 6), ("cvat", 4)])
    (project.inbox / folder / "ann.xml").write_text(f"<annotations>{images.replace('good', 'fair')}</annotations>")
    (again,) = project.ingest()
    assert (again.counts.n_ratings, again.counts.n_unchanged) == (1, 4)
