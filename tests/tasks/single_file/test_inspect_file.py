"""The dry run: what `inspect --json` prints, and the TOML that it proposes."""

import json
import tomllib
from pathlib import Path

import pytest

from tasks.errors import ReadError
from tasks.formats import ReadOptions
from tasks.single_file.inspect_file import inspect_file

EXPORTS = Path(__file__).parents[2] / "data" / "exports"


def test_counts_raters_and_questions() -> None:
    result = inspect_file(EXPORTS / "long" / "full.tsv")
    assert list(result)[:7] == ["format", "n_ratings", "n_skipped", "n_rejected", "raters", "questions", "warnings"]
    assert (result["format"], result["n_ratings"], result["n_skipped"], result["n_rejected"]) == ("long", 5, 0, 2)
    assert result["raters"] == [
        {"rater": "ann", "rater_kind": "human", "n_ratings": 3},
        {"rater": "ben", "rater_kind": "human", "n_ratings": 1},
        {"rater": "judge", "rater_kind": "system", "n_ratings": 1},
    ]
    assert result["questions"] == [
        {"question": "polite", "n_ratings": 1, "n_raters": 1, "n_items": 1, "labels": ["yes"]},
        {"question": "tone", "n_ratings": 4, "n_raters": 3, "n_items": 2, "labels": ["negative", "positive"]},
    ]


def test_rejects_by_reason_with_examples() -> None:
    result = inspect_file(EXPORTS / "long" / "crowd.csv", labels={"crowd": ["cat"]})
    assert result["n_rejected"] == 4
    (unknown,) = result["rejects"]  # type: ignore[misc]
    assert (unknown["reason"], unknown["n"]) == ("unknown_label", 4)
    assert unknown["examples"][0] == {
        "row_number": 4,
        "column_name": "label",
        "value": "dog",
        "detail": "The label is not among the labels declared for the question. Declared are: cat.",
    }


@pytest.mark.parametrize("path", sorted(EXPORTS.glob("*/*.*")), ids=lambda path: path.name)
def test_everything_is_plain_json_and_the_toml_reads(path: Path) -> None:
    if path.name == "expected.json":
        return
    result = inspect_file(path)
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert tomllib.loads(str(result["toml"]))["source"][0]["format"] == result["format"]
    assert len(result["first_rows"]) <= 5  # type: ignore[arg-type]


def test_first_rows_are_as_the_warehouse_would_take_them() -> None:
    first = inspect_file(EXPORTS / "long" / "full.tsv")["first_rows"][2]  # type: ignore[index]
    assert first["rated_at"] == "2026-03-01T11:00:00.000000Z"
    assert (first["item"], first["rater"], first["score"], first["row_number"]) == ("d1", "judge", 0.75, 4)


def test_the_toml_says_again_what_was_told_and_lists_single_labels(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text('doc,who,code\n1,a,10\n1,b,9\n2,a,"[""x"", ""y""]"\n', encoding="utf-8")
    columns = {"item": "doc", "rater": "who", "label": "code"}
    options = ReadOptions(columns=columns, question='how "odd"?\n', prefix="p\\", systems=frozenset({"b"}))
    settings = tomllib.loads(str(inspect_file(path, options)["toml"]))
    (source,) = settings["source"]
    assert str(inspect_file(path, options)["toml"]).startswith(
        "# In place of a [[source]] that reads the same files.\n"
    )
    assert source["columns"] == columns
    assert (source["question"], source["prefix"], source["systems"]) == ('how "odd"?\n', "p\\", ["b"])
    assert settings["questions"] == {'p\\/how "odd"?\n': {"labels": ["9", "10", "x", "y"]}}


def test_the_settings_read_labels_that_look_like_sets_as_sets(tmp_path: Path) -> None:
    path = tmp_path / "tags.csv"
    labels = ["a", "b", "c", "a;b", "b;c", "a;c", "c", "a;b;c"]
    path.write_text("item,rater,label\n" + "".join(f"{n},ann,{label}\n" for n, label in enumerate(labels)))
    inspected = inspect_file(path)
    settings = tomllib.loads(str(inspected["toml"]))
    assert settings["questions"] == {"tags": {"labels": ["a", "b", "c"]}}
    assert settings["source"][0]["columns"] == {"label_separator": ";"}
    assert 'If they are not: label_separator = "none"' in str(inspected["toml"])
    read = inspect_file(path, ReadOptions(columns={"label_separator": ";"}), {"tags": ["a", "b", "c"]})
    assert (read["n_ratings"], read["n_rejected"]) == (8, 0), "the settings take in every row"
    whole = tomllib.loads(str(inspect_file(path, ReadOptions(columns={"label_separator": "none"}))["toml"]))
    assert whole["questions"]["tags"]["labels"] == sorted(set(labels))


def test_with_too_many_labels_the_settings_list_none_of_them(tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    path.write_text("item,rater,label\n" + "".join(f"{n},ann,code {n}\n" for n in range(250)))
    inspected = inspect_file(path)
    assert len(inspected["questions"][0]["labels"]) == 200  # type: ignore[index]
    assert tomllib.loads(str(inspected["toml"]))["questions"] == {"codes": {}}
    assert "250 different labels" in str(inspected["toml"])


def test_what_cannot_be_read_raises_as_reading_does(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="There is no file"):
        inspect_file(tmp_path / "none.csv")


def test_proposes_labels_from_lowest_to_highest(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text("item,rater,label\n1,a,high\n1,b,low\n2,a,medium\n2,b,low\n", encoding="utf-8")
    settings = tomllib.loads(str(inspect_file(path)["toml"]))
    assert settings["questions"]["q"]["labels"] == ["low", "medium", "high"]


def test_rankings_and_texts_are_said_with_the_settings_that_take_them_in() -> None:
    file = Path(__file__).parents[2] / "data" / "answers" / "label_studio" / "rankings_and_texts.json"
    inspected = inspect_file(file, ReadOptions(prefix="lab"))
    assert inspected["warnings"] == [
        "rank: 4 rankings. `kappaflow agree FILE --question rank` compares them between raters, and so do projects with"
        ' answers = "ranking".',
        "said: 6 texts. `kappaflow agree FILE --question said` compares them between raters, and so do projects with"
        ' answers = "text".',
    ]
    settings = tomllib.loads(str(inspected["toml"]))
    assert settings["questions"] == {"lab/rank": {"answers": "ranking"}, "lab/said": {"answers": "text"}}


def test_settings_take_what_looks_like_rankings_as_rankings(tmp_path: Path) -> None:
    path = tmp_path / "order.csv"
    path.write_text("item,rater,label\n1,ann,A > B\n1,ben,B > A\n2,ann,A > B\n", encoding="utf-8")
    inspected = inspect_file(path)
    assert tomllib.loads(str(inspected["toml"]))["questions"] == {"order": {"answers": "ranking"}}
    assert any("They look like rankings of 2 options" in str(text) for text in inspected["warnings"])  # type: ignore[attr-defined]


def test_settings_take_many_numbers_as_points_on_a_scale(tmp_path: Path) -> None:
    path = tmp_path / "score.csv"
    path.write_text("item,rater,label\n" + "".join(f"{i},ann,{i}\n{i},ben,{i + 3}\n" for i in range(40)), "utf-8")
    inspected = inspect_file(path)
    assert tomllib.loads(str(inspected["toml"]))["questions"] == {"score": {"scale": "interval"}}
    assert any("These are many numbers." in str(text) for text in inspected["warnings"])  # type: ignore[attr-defined]


def test_mapped_winners_are_inspected_and_the_settings_read_them(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("item,model_a,model_b,winner\n1,x,y,1\n2,x,y,-1\n3,x,y,0\n")
    mapped = {"model_a_wins": "1", "model_b_wins": "-1", "tie": "0"}
    result = inspect_file(path, ReadOptions(columns=mapped))
    assert (result["format"], result["n_ratings"], result["n_rejected"]) == ("pairwise_table", 3, 0)
    assert 'columns = { "model_a_wins" = "1", "model_b_wins" = "-1", "tie" = "0" }' in str(result["toml"])
