"""Readers of preferences: what each shape gives, what is rejected, and what is refused."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tasks.errors import InputError, ReadError
from tasks.formats import ReadOptions
from tasks.formats.preferences.read_preferences import PREFERENCE_FORMATS, preference_format, read_preferences
from tasks.ingest.read_export import read_export

ARENA = [
    {
        "question_id": 81,
        "model_a": "m1",
        "model_b": "m2",
        "winner": "model_a",
        "judge": "e0",
        "turn": 1,
        "c": [{"r": 1}],
    },
    {"question_id": 81, "model_a": "m2", "model_b": "m1", "winner": "model_a", "judge": "e1", "turn": 1, "c": []},
    {"question_id": 81, "model_a": "m1", "model_b": "m2", "winner": "tie (bothbad)", "judge": "e0", "turn": 2, "c": []},
    {"question_id": 82, "model_a": "m1", "model_b": "m2", "winner": "error", "judge": "e0", "turn": 1, "c": []},
    {"question_id": 82, "model_a": "m1", "model_b": "m1", "winner": "tie", "judge": "e0", "turn": 1, "c": []},
]
ALPACA = [
    {"instruction": "say hi", "generator_1": "ref", "generator_2": "m1", "annotator": "gpt", "preference": p}
    for p in (1.0, 2.0, 1.5, 1.9, None)
]


def pairwise_task(number: int, selected: list[str], **data: str) -> dict[str, Any]:
    return {
        "id": number,
        "data": {"left_text": "x", "right_text": "y", **data},
        "annotations": [
            {"id": i, "completed_by": i, "was_cancelled": side == "skip", "result": [
                {"from_name": "pw", "to_name": "left_text,right_text", "type": "pairwise", "value": {"selected": side}},
                {"from_name": "n", "to_name": "left_text", "type": "number", "value": {"number": 3}},
            ]}
            for i, side in enumerate(selected)
        ],
    }  # fmt: skip


def lines(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("\n".join(json.dumps(record) for record in records) + "\n")
    return path


def test_turns_are_items_and_a_question_is_a_cluster(tmp_path: Path) -> None:
    export = read_preferences(lines(tmp_path / "arena.jsonl", ARENA))
    assert export.format == "pairwise_table"
    assert export.votes.select("item", "cluster", "rater", "first", "second", "outcome").rows() == [
        ("81|1", "81", "e0", "m1", "m2", "first"),
        ("81|1", "81", "e1", "m2", "m1", "first"),
        ("81|2", "81", "e0", "m1", "m2", "tie"),
    ]
    assert export.n_comparisons == 2
    assert Counter(export.rejects["reason"]) == {"unknown_label": 1, "bad_record": 1}


def test_alpaca_eval_counts_for_the_nearer_and_rejects_blanks(tmp_path: Path) -> None:
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps(ALPACA))
    export = read_preferences(path)
    assert export.format == "alpaca_eval"
    assert export.votes["outcome"].to_list() == ["first", "second", "tie", "second"]
    assert export.rejects["reason"].to_list() == ["empty_answer"]
    assert "Preferences between 1 and 2, counted for the nearer: 1." in export.warnings


def test_label_studio_pairwise(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps([pairwise_task(1, ["left", "right", "skip"]), pairwise_task(2, ["left"])]))
    export = read_preferences(path)
    assert export.votes.select("item", "rater", "first", "outcome", "question").rows() == [
        ("1", "0", "left_text", "first", "pw"),
        ("1", "1", "left_text", "second", "pw"),
        ("2", "0", "left_text", "first", "pw"),
    ]
    assert (export.n_skipped, export.rejects.height) == (1, 0)
    named = [
        pairwise_task(1, ["left"], model_a="m1", model_b="m2"),
        pairwise_task(2, ["left"], model_a="m2", model_b="m1"),
    ]
    path.write_text(json.dumps(named))
    assert read_preferences(path).votes["first"].to_list() == ["m1", "m2"]
    path.write_text(json.dumps([pairwise_task(1, ["left"], one="m1", two="m2")]))
    mapped = read_preferences(path, ReadOptions(columns={"model_a": "one", "model_b": "data.two"}))
    assert mapped.votes.select("first", "second").rows() == [("m1", "m2")]


def test_any_table_by_mapping_with_a_position(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("doc,A,B,better,who,shown first\n1,m1,m2,m2,ann,A\n1,m1,m2,B,ben,m2\n2,m1,m2,both,ann,\n")
    columns = {
        "model_a": "A",
        "model_b": "B",
        "winner": "better",
        "judge": "who",
        "item": "doc",
        "position": "shown first",
    }
    export = read_preferences(path, ReadOptions(columns=columns, systems=frozenset({"ben"})))
    assert export.votes.select("rater_kind", "first", "second", "outcome").rows() == [
        ("human", "m1", "m2", "second"),
        ("system", "m2", "m1", "first"),
        ("human", "m1", "m2", "tie"),
    ]
    assert export.columns is not None
    assert export.columns.to_json()["passed_over"] == []


def test_winners_as_three_columns(tmp_path: Path) -> None:
    path = tmp_path / "train.csv"
    path.write_text(
        "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n1,x,y,1,0,0\n2,x,y,0,0,1\n3,x,y,0,0,0\n4,x,y,1,1,0\n"
    )
    export = read_preferences(path)
    assert export.votes["outcome"].to_list() == ["first", "tie"]
    assert export.rejects["reason"].to_list() == ["empty_answer", "unknown_label"]


def test_verdicts_of_arena_hard_and_mt_bench_are_winners(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner\nx,y,A>>B\nx,y,B>A\nx,y,A=B\nx,y,[[A]]\nx,y,[[C]]\nx,y,C\n")
    export = read_preferences(path)
    assert export.votes["outcome"].to_list() == ["first", "second", "tie", "first", "tie"]
    assert export.rejects["value"].to_list() == ["C"]


def test_several_winner_columns_are_proposed_and_each_is_a_voter(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(
        "question_id,model_a,model_b,winner1,winner2,n\n1,x,y,model_a,tie,1\n2,x,y,model_b,x,2\n3,x,y,y,y,1\n"
    )
    with pytest.raises(ReadError, match="known as winner") as caught:
        read_preferences(path)
    assert "voter: --columns 'winner=winner1|winner2'." in str(caught.value.hint)
    with pytest.raises(ReadError, match="which of two models won"):
        read_export(path)
    export = read_preferences(path, ReadOptions(columns={"winner": "winner1|winner2"}))
    assert export.votes.select("item", "rater", "outcome").rows() == [
        ("1", "winner1", "first"),
        ("1", "winner2", "tie"),
        ("2", "winner1", "second"),
        ("2", "winner2", "first"),
        ("3", "winner1", "second"),
        ("3", "winner2", "second"),
    ]


def test_numbers_that_may_mean_either_model_are_asked_about_and_can_be_mapped(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("id,model_a,model_b,winner\n1,x,y,1\n2,x,y,-1\n3,x,y,0\n4,x,y,-1\n")
    with pytest.raises(ReadError, match="'-1', '0', '1': a scale of numbers") as caught:
        read_preferences(path)
    assert "model_a is better: add --columns model_a_wins=1,model_b_wins=-1,tie=0." in str(caught.value.hint)
    mapped = {"model_a_wins": "1", "model_b_wins": "-1", "tie": "0"}
    votes = read_preferences(path, ReadOptions(columns=mapped)).votes
    assert votes["outcome"].to_list() == ["first", "second", "tie", "second"]
    path.write_text("id,model_a,model_b,winner\n1,x,y,1\n2,x,y,2\n3,x,y,3\n4,x,y,4\n5,x,y,5\n")
    with pytest.raises(ReadError) as caught:
        read_preferences(path)
    assert "smaller ones do: add --columns 'model_a_wins=1|2,model_b_wins=4|5,tie=3'." in str(caught.value.hint)


def test_a_mapping_of_numbers_has_them_all_and_each_once(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("id,model_a,model_b,winner\n1,x,y,0\n2,x,y,1\n3,x,y,0\n")
    with pytest.raises(ReadError, match="also holds '1', and no role names what it means"):
        read_preferences(path, ReadOptions(columns={"model_a_wins": "0"}))  # else 1 would be model_a, too
    with pytest.raises(InputError, match="gives the winner '1' two meanings"):
        read_preferences(path, ReadOptions(columns={"model_a_wins": "0|1", "model_b_wins": "1"}))
    path.write_text("id,model_a,model_b,winner\n1,x,y,1\n2,x,y,2\n3,x,y,3\n")
    with pytest.raises(ReadError) as caught:
        read_preferences(path)
    assert str(caught.value.hint).startswith("If 3 is a tie: add --columns tie=3. If the larger numbers")
    assert read_preferences(path, ReadOptions(columns={"tie": "3"})).votes["outcome"].to_list() == [
        "first",
        "second",
        "tie",
    ]


def test_a_judge_written_with_its_prompt_has_a_name_in_their_order(tmp_path: Path) -> None:
    record = {**ARENA[0], "judge": ["vicuna", "pair-v2"]}
    assert read_preferences(lines(tmp_path / "a.jsonl", [record])).votes["rater"].to_list() == ["vicuna|pair-v2"]


def test_rows_without_an_item_column_are_items_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner\nx,y,1\nx,y,2\n")
    export = read_preferences(path)
    assert export.n_comparisons == 2
    assert any("No column names the item" in note for note in export.warnings)


@pytest.mark.parametrize(
    ("text", "columns", "sentence"),
    [
        ("item,rater,label\n1,a,x\n", {}, "none of them is known as model_a"),
        ("model_a,model_b,winner\nx,y,0\nx,y,1\n", {}, "holds 0 and 1, but no 2"),
        ("model_a,model_b,winner\nx,y,0\nx,y,1\nx,y,tie\n", {}, "holds 0 and 1, but no 2"),
        ("model_a,model_b,winner\nx,y,1\nx,y,-1\nx,y,0\nx,y,2\n", {}, "a scale of numbers"),
        ("model_a,model_b,winner\nx,y,1\nx,y,2\nx,y,4\nx,y,5\n", {}, "a scale of numbers"),
        ("model_a,model_b,winner\nx,y,a\n", {"winner": "best"}, "has no column 'best'"),
    ],
)
def test_tables_that_are_refused(tmp_path: Path, text: str, columns: dict[str, str], sentence: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(ReadError, match=sentence):
        read_preferences(path, ReadOptions(columns=columns))


def test_roles_and_formats_that_do_not_exist(tmp_path: Path) -> None:
    path = lines(tmp_path / "arena.jsonl", ARENA)
    with pytest.raises(InputError, match="have no role 'label'"):
        read_preferences(path, ReadOptions(columns={"label": "winner"}))
    with pytest.raises(InputError, match="There is no format of preferences"):
        read_preferences(path, ReadOptions(format="long"))


def test_readers_of_ratings_refuse_preferences_and_name_the_command(tmp_path: Path) -> None:
    path = lines(tmp_path / "arena.jsonl", ARENA)
    with pytest.raises(ReadError, match="which of two models won") as caught:
        read_export(path)
    assert "kappaflow prefer" in caught.value.hint


def test_every_format_is_described_and_other_files_are_none_of_them(tmp_path: Path) -> None:
    assert all(known.describe.endswith(".") for known in PREFERENCE_FORMATS.values())
    plain = tmp_path / "plain.csv"
    plain.write_text("item,rater,label\n1,a,x\n")
    assert preference_format(plain, ReadOptions()) is None


def test_a_number_that_is_no_vote_is_no_win_of_the_first_model(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner\n" + "x,y,1\nx,y,2\n" * 20 + "x,y,-1\n")
    export = read_preferences(path)
    assert (export.votes.height, export.rejects["value"].to_list()) == (40, ["-1"])


def test_long_instructions_are_told_apart_by_ids_that_a_project_takes(tmp_path: Path) -> None:
    records = [{**ALPACA[0], "instruction": "word " * 300 + end} for end in ("one", "two", "one")]
    items = read_preferences(lines(tmp_path / "long.jsonl", records)).votes["item"]
    assert (items.n_unique(), items.str.len_chars().max()) == (2, 1_000)


def test_alpaca_eval_says_that_the_position_is_not_known(tmp_path: Path) -> None:
    assert any("shown first" in note for note in read_preferences(lines(tmp_path / "a.jsonl", ALPACA)).warnings)


def test_two_columns_named_like_models_are_proposed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,left_model,right_model,preference\n1,x,y,A\n")
    with pytest.raises(ReadError, match="known as model_a") as caught:
        read_preferences(path)
    assert str(caught.value.hint) == "If this fits: --columns model_a=left_model,model_b=right_model."
    mapped = ReadOptions(columns={"model_a": "left_model", "model_b": "right_model"})
    assert read_preferences(path, mapped).votes["outcome"].to_list() == ["first"]
    path.write_text("id,chosen_model,rejected_model,judge\n1,x,y,A\n")  # the chosen one is no first one
    with pytest.raises(ReadError, match="known as model_a") as caught:
        read_preferences(path)
    assert "'rejected_model' are the better and the worse model" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("table", "hint"),
    [
        ("model_a,model_b,score_a,score_b\nx,y,3,5\n", "If 'score_a', 'score_b' are scores of the two models, add a"),
        ("model_a,model_b,winner\n" + "".join(f"x,y,0.{n}\n" for n in range(11, 30)), "If they are probabilities"),
    ],
)
def test_what_has_no_winner_says_how_to_write_one(tmp_path: Path, table: str, hint: str) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(table)
    with pytest.raises(ReadError) as caught:
        read_preferences(path, ReadOptions())
    assert str(caught.value.hint).startswith(hint)
