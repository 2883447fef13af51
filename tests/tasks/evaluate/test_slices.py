"""Figures by slice are those of the slice's ratings alone; they are kept, shown, and out of the way elsewhere."""

import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from flows.cli.runs.history_output import print_reproduced, reproduced_as_json
from stats.accuracy import accuracy
from stats.agreement import agreement
from tasks.evaluate import slices as module
from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.patterns import from_ratings
from tasks.evaluate.pending_questions import pending_questions
from tasks.evaluate.question_config import QuestionConfig
from tasks.evaluate.slices import METHODS, SliceTables, by_slice
from tasks.formats import ReadOptions
from tasks.monitor.windows.agreement_windows import TREND
from tasks.question_runs import process_questions
from tasks.report.write_report import write_report
from tasks.runs.history import reproduce, settings_of
from tasks.summary.ratings_needed import plan_question
from tasks.summary.run_figures import read_brief_figures, read_run_figures
from tests.tasks.inbox import InboxProject
from warehouse.connect import connect
from warehouse.publication.snapshot import publish
from warehouse.questions import read_table

LABELS = ("A", "B", "C")
OPTIONS = EvaluationOptions(
    confidence=0.9, seed=3, alert_coefficient="krippendorff_alpha", code_version="1", last_items=7
)
SLICED = QuestionConfig(labels=LABELS, slices=("language", "source"))
RATERS = ("ann", "bob", "cyd", "bot", "lead")


def rows(n: int, seed: int = 6) -> list[str]:
    """Of every third item the language is missing; Danish has one rater, and no system."""
    rng, result = random.Random(seed), []
    for item in range(n):
        language = ["", "de", "fr"][item % 3] if item else "da"
        for rater in RATERS[: len(RATERS) if item else 1]:
            if item < 2 or rng.random() < 0.8:
                label = rng.choice(LABELS) if rng.random() < 0.3 else LABELS[item % 2]
                version = "v1" if rater == "bot" else ""
                result.append(f"i{item},{rater},{label},{version},{language}")
    return result


PEOPLE = [row for row in rows(40) if row.split(",")[1] in RATERS[:3]]


class Project(InboxProject):
    def take_in(self, name: str, rows: list[str], header: str = "item,rater,label,system_version,language") -> None:
        (self.inbox / name).write_text(f"{header}\n" + "\n".join(rows) + "\n")
        self.ingest(ReadOptions(question="tone", systems=frozenset({"bot"}), gold=frozenset({"lead"})))

    def evaluate(self, config: QuestionConfig = SLICED, *, everything: bool = False) -> list[tuple[str, ...]]:
        """The notes of each question that was due."""
        text = QuestionConfigs({"tone": config})
        result = self.work("evaluate", text, OPTIONS, everything=everything, recount=everything)
        assert [outcome.error for outcome in result] == [None] * len(result)
        return [outcome.notes for outcome in result]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.take_in("one.csv", rows(40))
    return made


def of_slice(project: Project, value: str) -> pl.DataFrame:
    with connect(project.db) as con:
        metadata = read_table(con, "item_metadata").filter(pl.col("key") == "language", pl.col("value") == value)
        return read_table(con, "current_ratings").join(metadata, on=["question", "item"], how="semi")


def test_the_figures_of_a_slice_are_those_of_its_ratings(project: Project) -> None:
    (notes,) = project.evaluate()
    assert notes == (
        "tone: 13 items have no metadata 'language', and so no slice by it.",
        "tone: No item has the metadata 'source', so there is no slice by it.",
    )
    result, estimated = project.view("latest_agreement"), project.view("latest_system_accuracy")
    scopes = [scope for scope in result["scope"].unique().sort() if scope.startswith("slice:")]
    assert scopes == ["slice:language=da", "slice:language=de", "slice:language=fr"]
    for value in ("de", "fr"):
        alone = of_slice(project, value)
        human = alone.filter(pl.col("rater_kind") == "human").select("item", "rater", "label")
        expected = agreement(human, labels=LABELS, coefficients=TREND, confidence=0.9).sort("name")
        mine = result.filter(pl.col("scope") == f"slice:language={value}").sort("coefficient")
        assert mine["coefficient"].to_list() == expected["name"].to_list() == sorted(TREND)
        for column in ("estimate", "se", "low", "high", "n_items", "n_ratings"):
            assert mine[column].to_list() == pytest.approx(expected[column].to_list()), column
        gold = alone.filter(pl.col("rater_kind") == "gold").select("item", "label")
        rated = alone.filter(pl.col("rater_kind") != "gold").select("item", "rater", "label")
        systems = accuracy(
            rated, systems=["bot"], labels=LABELS, methods=METHODS, gold=gold, confidence=0.9, seed=3
        ).sort("method")
        mine = estimated.filter(pl.col("scope") == f"slice:language={value}").sort("method")
        assert mine["method"].to_list() == systems["method"].to_list() == ["average", "lehner"]
        for column in ("accuracy", "low", "high", "n_items", "n_gold"):
            assert mine[column].to_list() == pytest.approx(systems[column].to_list(), rel=1e-6), column
        assert set(mine["system_version"]) == {"v1"}
        assert set(mine["confidence"]) == {0.9}


def test_a_slice_without_figures_says_why(project: Project) -> None:
    project.evaluate()
    result = project.view("latest_agreement").filter(pl.col("scope") == "slice:language=da")
    assert result["estimate"].to_list() == [None] * len(TREND)
    assert None not in result["reason"].to_list()
    project.take_in("two.csv", ["i0,bot,A,v1,da"])
    project.evaluate()
    (row,) = project.view("latest_system_accuracy").filter(pl.col("scope") == "slice:language=da").to_dicts()
    assert (row["accuracy"], row["reason"], row["system_version"]) == (None, "too_few_gold", "v1")


def test_views_with_a_row_per_system_show_all_items_only(project: Project) -> None:
    project.evaluate(QuestionConfig(labels=LABELS))
    before = project.view("system_comparison").drop("system_version")
    assert project.view("latest_system_accuracy")["scope"].unique().to_list() == ["all"]
    project.evaluate()
    assert project.view("system_comparison").drop("system_version").equals(before)
    assert project.view("latest_system_accuracy")["scope"][0] == "all"


def test_other_slices_are_another_setting(project: Project) -> None:
    assert len(project.evaluate()) == 1
    assert project.evaluate() == []
    assert len(project.evaluate(QuestionConfig(labels=LABELS, slices=("language",)))) == 1
    assert len(project.evaluate(QuestionConfig(labels=LABELS))) == 1
    assert not [scope for scope in project.view("latest_agreement")["scope"] if scope.startswith("slice:")]


def test_from_patterns_and_from_ratings_is_the_same(project: Project) -> None:
    project.evaluate()
    columns = ["run_id", "evaluated_at"]
    before = [project.view(name).drop(columns) for name in ("latest_agreement", "latest_system_accuracy")]
    project.evaluate(everything=True)
    again = [project.view(name).drop(columns) for name in ("latest_agreement", "latest_system_accuracy")]
    assert all(result.equals(other) for result, other in zip(before, again, strict=True))


def test_a_run_with_slices_is_reproduced_without_them(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.evaluate()
    run = project.view("latest_agreement")["run_id"][0]
    result = reproduce(project.db, run)
    assert (result.differences, result.left_out) == ((), 3 * len(TREND) + 2 * (len(METHODS) + 4 * len(LABELS)))
    assert reproduced_as_json(result)["left_out"] == result.left_out
    print_reproduced(result)
    assert f"Left out: {result.left_out} rows of slices." in capsys.readouterr().out
    configs, _ = settings_of(result.run)
    assert configs == SLICED
    # Another language, known later, is no difference.
    project.take_in("two.csv", [row.replace(",fr", ",de") for row in rows(40)])
    assert reproduce(project.db, run).differences == ()
    # But a reason to evaluate again.
    assert len(project.evaluate()) == 1
    assert "slice:language=fr" not in set(project.view("latest_agreement")["scope"])


def test_the_report_and_the_plan_tell_slices_from_systems(project: Project, tmp_path: Path) -> None:
    project.evaluate()
    snapshot = publish(project.db, tmp_path / "published")
    page = write_report(snapshot, tmp_path / "report.html", title="t", code_version="1").read_text()
    assert "<summary>By slice</summary>" in page
    assert "language=de" in page
    assert len(plan_question(snapshot, "tone")["systems"]) == 1


@pytest.fixture
def people(tmp_path: Path) -> Project:
    """Without a system, which takes longest."""
    made = Project(tmp_path)
    made.take_in("one.csv", PEOPLE)
    return made


def test_metadata_that_come_without_ratings_make_a_sliced_question_due(people: Project) -> None:
    assert len(people.evaluate()) == 1
    people.take_in("other key.csv", PEOPLE, header="item,rater,label,system_version,colour")
    assert people.evaluate() == []
    people.take_in("two.csv", [f"{row.rpartition(',')[0]},en" if row.startswith("i1,") else row for row in PEOPLE])
    assert people.view("batches").sort("ingested_at")["n_ratings"].to_list() == [len(PEOPLE), 0, 0]
    assert len(people.evaluate()) == 1
    assert "slice:language=en" in set(people.view("latest_agreement")["scope"])
    assert people.evaluate() == []


def test_metadata_alone_concern_slices_only(people: Project) -> None:
    texts = {
        "evaluate": QuestionConfigs({"tone": QuestionConfig(labels=LABELS)}),
        "monitor": QuestionConfigs({"tone": SLICED}),
    }
    for kind, configs in texts.items():
        due = pending_questions(people.db, kind, configs, OPTIONS, everything=False)
        assert [result.error for result in process_questions(people.db, kind, due, configs, OPTIONS)] == [None]
    people.take_in("two.csv", [f"{row.rpartition(',')[0]},en" for row in PEOPLE])
    assert set(people.view("item_metadata")["value"]) == {"en"}
    for kind, configs in texts.items():
        assert pending_questions(people.db, kind, configs, OPTIONS, everything=False) == []


def patterns(*ratings: tuple[str, str, str, str]) -> pl.DataFrame:
    frame = pl.DataFrame(ratings, schema=["item", "rater", "rater_kind", "label"], orient="row")
    return from_ratings(frame).frame


def counts(*result: tuple[str, str, int]) -> pl.DataFrame:
    return pl.DataFrame(result, schema=["value", "item", "n_items"], orient="row")


def sliced(given: pl.DataFrame, of: dict[str, pl.DataFrame], **config: Any) -> SliceTables:
    return by_slice("q", given, of, QuestionConfig(**config), None, confidence=0.95, seed=0)


def test_of_many_values_the_largest_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_VALUES", 2)
    given = patterns(
        *((str(i), rater, "human", label) for i in range(7) for rater, label in (("a", "A"), ("b", "AB"[i % 2])))
    )
    assert given.unique("item").sort("item")["n_items"].to_list() == [4, 3]
    result = sliced(given, {"k": counts(("x", "0", 1), ("y", "0", 2), ("y", "1", 1), ("z", "0", 1), ("z", "1", 2))})
    assert set(result.tables) == {"agreement"}
    percent = result.tables["agreement"].filter(pl.col("coefficient") == "percent_agreement")
    assert percent.select("scope", "n_items").rows() == [("slice:k=y", 3), ("slice:k=z", 3)]
    assert percent["estimate"].to_list() == pytest.approx([2 / 3, 1 / 3])
    assert result.notes == ("q: 'k' has 3 values; the 2 with most items are slices.",)


def test_gold_of_items_that_no_system_answered_in_a_slice_is_none() -> None:
    given = patterns(
        *(("1", rater, "human", "A") for rater in "ab"), ("1", "g", "gold", "A"),
        *((item, rater, "human", label) for item, label in zip("2345", "ABAB", strict=True) for rater in "ab"),
        *((item, "s", "system", label) for item, label in zip("2345", "ABAA", strict=True)),
    )  # fmt: skip
    every = given.unique("item").select(value=pl.lit("x"), item="item", n_items="n_items")
    result = sliced(given, {"k": every}, labels=("A", "B"))
    assert result.tables["system_accuracy"]["n_gold"].to_list() == [0, 0]
    assert result.tables["system_accuracy"]["n_items"].to_list() == [4, 4]


def test_nothing_is_sliced_without_a_key() -> None:
    assert sliced(patterns(("1", "a", "human", "A")), {}) == SliceTables()


def test_a_system_that_is_less_accurate_on_a_slice_is_named_everywhere(tmp_path: Path) -> None:
    rng, result = random.Random(1), []
    for item in range(1200):
        right, language = LABELS[item % 3], ("de", "fr", "it")[item // 3 % 3]
        for rater, share in (("ann", 0.9), ("bob", 0.85), ("bot", 0.55 if language == "fr" else 0.92)):
            label = right if rng.random() < share else LABELS[(item + rng.choice((1, 2))) % 3]
            result.append(f"i{item},{rater},{label},,{language}")
    project = Project(tmp_path)
    project.take_in("one.csv", result)
    project.evaluate(QuestionConfig(labels=LABELS, slices=("language",)))
    snapshot = publish(project.db, tmp_path / "published")
    brief = read_brief_figures(snapshot).low_slices
    assert [sentence[:52] for sentence in brief] == ["tone: bot is less accurate where language is fr: 0.5"]
    changed = read_run_figures(snapshot, {"tone"}, []).changed
    assert changed is not None
    assert changed.low_slices == brief
    page = write_report(snapshot, tmp_path / "report.html", title="t", code_version="1").read_text()
    assert page.index("What needs attention") < page.index("is less accurate where language is fr")


def test_values_that_look_alike_are_named() -> None:
    given = patterns(*((str(i), rater, "human", "AB"[i % 2]) for i in range(4) for rater in "ab"))
    result = sliced(given, {"k": counts(("DE", "0", 1), ("de", "1", 1))})
    assert result.notes[0] == (
        "q: Some values of 'k' look alike and count as different: 'DE' and 'de'. Correct the export if they are the "
        "same."
    )
