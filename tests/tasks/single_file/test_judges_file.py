"""Judges of a file: rows are repeats, versions are compared, epochs and scorers of Inspect AI are raters."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tasks.errors import InputError, ReadError
from tasks.formats import ReadOptions
from tasks.ingest.read_export import read_export
from tasks.single_file.judges_file import judges_of_file
from tasks.single_file.load_file import FileOptions


def written(path: Path, rows: list[str]) -> Path:
    path.write_text("item,rater,rater_kind,system_version,label\n" + "\n".join(rows) + "\n")
    return path


def test_rows_are_repeats_and_versions_are_judges(tmp_path: Path) -> None:
    rows = [
        f"i{i},gpt,system,{version},{'A' if (i + (n == 2 and i == 3)) % 2 else 'B'}"
        for i in range(10) for version in ("v2", "v10") for n in range(3)
    ]  # fmt: skip
    file = written(tmp_path / "a.csv", [*rows, *(f"i{i},ann,human,,A" for i in range(10))])
    result = judges_of_file(file, FileOptions()).to_json()
    assert [row["judge"] for row in result["judges"]] == ["gpt v10", "gpt v2", "all judges"]
    assert {row["n_answers"] for row in result["judges"]} == {30, 60}
    assert [(row["version_a"], row["version_b"]) for row in result["drift"]] == [("gpt v2", "gpt v10")]
    assert result["judges"][0]["flip_rate"] == pytest.approx(2 / 3 / 10)


def test_scores_go_by_the_scale(tmp_path: Path) -> None:
    rows = [f"i{i},gpt,system,,{min(10, 1 + i + (n == 2))}" for i in range(10) for n in range(3)]
    file = written(tmp_path / "a.csv", rows)
    nominal, interval = (judges_of_file(file, FileOptions(scale=scale)).to_json() for scale in ("nominal", "interval"))
    assert (nominal["scale"], interval["scale"]) == ("nominal", "interval")
    assert nominal["judges"][0]["reliability"] < 0.5
    assert interval["judges"][0]["reliability"] > 0.9
    assert interval["judges"][0]["flip_rate"] == nominal["judges"][0]["flip_rate"]


def test_numbered_raters_are_repeats_of_one_judge(tmp_path: Path) -> None:
    file = written(tmp_path / "a.csv", [f"i{i},{name},,,A" for i in range(4) for name in ("gpt", "gpt #2")])
    result = judges_of_file(file, FileOptions(labels=("A", "B")))
    assert result.judges.select("judge", "n_items", "n_answers").rows() == [("gpt", 4, 8)]


def test_gold_that_has_nothing_to_do_with_the_answers_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path / "a.csv", [f"i{i},gpt,system,,{'AB'[(i + n) % 2]}" for i in range(4) for n in range(2)])
    gold = tmp_path / "gold.csv"
    for rows, problem in (("x1,A\nx2,B\n", r"None of the gold items \(2\)"), ("i1,A\ni2,rude\n", "the label 'rude'")):
        gold.write_text(f"item,label\n{rows}")
        with pytest.raises(InputError, match=problem):
            judges_of_file(file, FileOptions(), gold)
    gold.write_text("item,label\ni0,A\ni1,A\nnobody,B\n")
    assert judges_of_file(file, FileOptions(), gold).judges["n_gold"].to_list() == [2]


def test_an_unknown_judge_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path / "a.csv", ["i1,gpt,system,,A", "i2,gpt,system,,B"])
    with pytest.raises(InputError, match="No answer is by 'claude'"):
        judges_of_file(file, FileOptions(reading=ReadOptions(systems=frozenset({"claude"}))))


def log(path: Path) -> Path:
    samples = [
        {"id": n, "epoch": epoch, "target": "A", "scores": {
            "first": {"value": "C", "answer": "A"}, "second": {"value": "I", "answer": "AB"[n % 2]}}}
        for n in range(3) for epoch in (1, 2)
    ]  # fmt: skip
    path.write_text(json.dumps({"version": 2, "eval": {"task": "tone", "model": "gpt"}, "samples": samples}))
    return path


def rows_of(path: Path, rater: str) -> list[tuple[Any, ...]]:
    export = read_export(path, ReadOptions(columns={"rater": rater}))
    assert not any("last counts" in text for text in export.warnings)
    return sorted(export.rows.filter(pl.col("item") == "1").select("question", "rater", "rater_kind", "label").rows())


def test_epochs_and_scorers_of_inspect_are_raters_where_the_user_says_so(tmp_path: Path) -> None:
    file = log(tmp_path / "log.json")
    assert rows_of(file, "epoch") == [
        ("tone/first", "gpt", "human", "A"), ("tone/first", "gpt #2", "human", "A"),
        ("tone/second", "gpt", "human", "B"), ("tone/second", "gpt #2", "human", "B"),
    ]  # fmt: skip
    assert rows_of(file, "scorer") == [
        ("tone", "first", "human", "A"), ("tone", "first #2", "human", "A"),
        ("tone", "second", "human", "B"), ("tone", "second #2", "human", "B"),
    ]  # fmt: skip
    result = judges_of_file(file, FileOptions(reading=ReadOptions(columns={"rater": "scorer"})))
    assert result.judges["judge"].to_list() == ["first", "second", "all judges"]
    with pytest.raises(ReadError, match="each `epoch` or each `scorer`"):
        read_export(file, ReadOptions(columns={"rater": "model_name"}))


@pytest.mark.parametrize("run", [True, False])
def test_an_id_that_is_not_named_item_has_repeats_too(tmp_path: Path, run: bool) -> None:
    answers = [
        {"id": f"s{i}", "judge": "gpt", "verdict": "AB"[(i + (n == 2)) % 2]} | ({"run": n} if run else {})
        for i in range(20) for n in range(3)
    ]  # fmt: skip
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(map(json.dumps, answers)) + "\n")
    result = judges_of_file(file, FileOptions())
    assert result.judges.select("n_items", "n_answers", "flip_rate").row(0) == (20, 60, pytest.approx(2 / 3))
    assert not [text for text in result.warnings if "later one counts" in text]  # every answer counts


def test_a_topic_is_not_taken_for_an_item_with_repeats(tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    file.write_text("task,judge,verdict\n" + "".join(f"t{i % 2},gpt,{'AB'[i % 2]}\n" for i in range(60)))
    with pytest.raises(ReadError, match="only 2 would count"):
        judges_of_file(file, FileOptions())


def test_rejected_answers_are_counted(tmp_path: Path) -> None:
    rows = [f"i{i},gpt,system,,{'' if i < 4 and n else 'AB'[(i + n) % 2]}" for i in range(10) for n in range(2)]
    file = written(tmp_path / "a.csv", [*rows, "i1,gpt,system,,I cannot judge this."])
    result = judges_of_file(file, FileOptions(labels=("A", "B")))
    assert "4 rows were rejected: missing_label." in result.warnings
    assert "1 row was rejected: unknown_label." in result.warnings


@pytest.mark.parametrize("header", ["question_id", "item"])
def test_answers_about_several_models_are_no_repeats_before_the_user_says_so(tmp_path: Path, header: str) -> None:
    """Else the differences between the models would count as changes of a judge's mind."""
    rows = [f"q{i},m{m},j{j},{(i + m) % 3}" for i in range(20) for m in range(4) for j in range(2)]
    file = tmp_path / "answers.csv"
    file.write_text("\n".join([f"{header},model,judge,score", *rows, *rows]) + "\n")
    with pytest.raises(ReadError, match="they differ in 'model'") as refused:
        judges_of_file(file, FileOptions())
    assert f"--columns 'item={header}|model'" in str(refused.value.hint)
    by_model = judges_of_file(file, FileOptions(reading=ReadOptions(columns={"item": f"{header}|model"})))
    assert by_model.judges["flip_rate"].to_list() == [0, 0, 0]
    repeats = judges_of_file(file, FileOptions(reading=ReadOptions(columns={"item": header})))
    assert repeats.judges["n_items"].to_list() == [20, 20, 20]


def test_a_column_with_the_model_of_the_judge_is_no_part_of_the_item(tmp_path: Path) -> None:
    rows = [f"q{i},gpt-{j},p{n},j{j},{(i + n) % 3}" for i in range(20) for n in range(3) for j in range(2)]
    file = tmp_path / "answers.csv"
    file.write_text("\n".join(["item,model,system_prompt,judge,score", *rows]) + "\n")
    assert judges_of_file(file, FileOptions()).judges["n_answers"].to_list() == [60, 60, 120]


def test_columns_named_like_runs_are_perhaps_repeats_of_one_judge(tmp_path: Path) -> None:
    rows = [f"{n},{n % 3},{n % 3},{(n + (n % 5 == 0)) % 3}" for n in range(30)]
    file = tmp_path / "runs.csv"
    file.write_text("\n".join(["id,gpt (seed 1),gpt (seed 2),gpt (seed 3)", *rows]) + "\n")
    assert any("perhaps answers of one judge, 'gpt'" in note for note in judges_of_file(file, FileOptions()).warnings)
    file.write_text("\n".join(["id,gpt,gpt #2,gpt #3", *rows]) + "\n")
    result = judges_of_file(file, FileOptions())
    assert result.judges.select("n_items", "n_answers").rows() == [(30, 90)]
    assert not any("perhaps answers" in note for note in result.warnings)


def test_texts_in_the_column_question_are_perhaps_what_was_rated(tmp_path: Path) -> None:
    rows = [
        f"{3 * i + n},What is the capital of land {i}?,gpt,{'AB'[(i + (n == 2)) % 2]}"
        for i in range(30)
        for n in range(3)
    ]
    file = tmp_path / "answers.csv"
    file.write_text("\n".join(["id,question,judge,verdict", *rows]) + "\n")
    with pytest.raises(InputError) as refused:
        judges_of_file(file, FileOptions())
    assert "If they are what was rated, their column names the items: --columns item=COLUMN." in refused.value.hint
    answers = judges_of_file(file, FileOptions(reading=ReadOptions(columns={"item": "question"})))
    assert answers.judges["n_items"].to_list() == [30]
