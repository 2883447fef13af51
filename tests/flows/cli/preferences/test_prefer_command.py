"""`kappaflow prefer`: its JSON and its tables; hostile names; refusals."""

import json
from pathlib import Path
from typing import Any

HOSTILE = "m\x1b[31m=1+1"


def battles(folder: Path, names: tuple[str, str] = ("m1", "m2")) -> Path:
    """Write votes of two people and a judge, half of them in the other order."""
    rows = []
    for item in range(12):
        a, b = names if item % 2 else names[::-1]
        for n, judge in enumerate(("ann", "ben", "gpt")):
            winner = "tie" if (item + n) % 5 == 0 else "model_a" if (item + n) % 3 else "model_b"
            rows.append({"question_id": item, "model_a": a, "model_b": b, "winner": winner, "judge": judge})
    file = folder / "battles.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return file


def test_the_promised_shape_and_the_tables(tmp_path: Path, kappaflow: Any, kappaflow_json: Any) -> None:
    file = battles(tmp_path)
    result = kappaflow_json("prefer", file, "--system", "gpt")
    assert {"model", "strength", "low", "high", "rank"} <= result["models"][0].keys()
    assert sum(row["strength"] for row in result["models"]) < 1e-9
    assert (result["n_votes"], result["n_comparisons"], result["n_raters"]) == (36, 12, 3)
    assert (result["votes_of"], result["interval_method"], result["n_clusters"]) == ("people", "clustered", 12)
    assert [row["judge"] for row in result["judges"]] == ["gpt"]
    assert [row["rater"] for row in result["raters"]] == ["ann", "ben"]
    text = kappaflow("prefer", file).stdout
    for title in ("Strengths; intervals by item", "Agreement of the voters", "Position", "Each voter and the others"):
        assert title in text


def test_a_judge_beside_people_shows_its_own_position_bias(tmp_path: Path, kappaflow: Any, kappaflow_json: Any) -> None:
    rows = ["item,model_a,model_b,winner,judge"]
    for item in range(120):
        a, b = ("m1", "m2") if item % 2 else ("m2", "m1")
        better = "model_a" if (a == "m1") == (item % 3 > 0) else "model_b"
        rows += [f"{item},{a},{b},{better},{person}" for person in ("ann", "ben")]
        rows.append(f"{item},{a},{b},{'model_a' if item % 5 else better},gpt")
    file = tmp_path / "votes.csv"
    file.write_text("\n".join(rows) + "\n")
    position = {row["rater"]: row for row in kappaflow_json("prefer", file, "--system", "gpt")["position"]}
    assert list(position) == [None, "ann", "ben", "gpt"]
    assert position[None]["low"] < 0.5 < position[None]["high"]
    assert position["gpt"]["low"] > 0.7
    text = kappaflow("prefer", file, "--system", "gpt").stdout
    assert "all people" in text


def test_a_range_of_one_rank_is_one_number(tmp_path: Path, kappaflow: Any) -> None:
    wins = ["a"] * 25 + ["b"] * 2
    rows = [f"{item},a,b,{'model_a' if winner == 'a' else 'model_b'},ann" for item, winner in enumerate(wins)]
    file = tmp_path / "votes.csv"
    file.write_text("\n".join(["item,model_a,model_b,winner,judge", *rows]) + "\n")
    text = kappaflow("prefer", file).stdout
    assert "1-1" not in text
    assert "2-2" not in text


def test_hostile_names_cannot_act_on_the_terminal(tmp_path: Path, kappaflow: Any) -> None:
    text = kappaflow("prefer", battles(tmp_path, (HOSTILE, "m2"))).stdout
    assert "\x1b" not in text
    assert "=1+1" in text


def test_what_is_wrong_is_said_in_two_lines(tmp_path: Path, kappaflow: Any) -> None:
    file = battles(tmp_path)
    for arguments, what, hint in (
        (("prefer", file, "--system", "nobody"), "No vote is by 'nobody'.", "ann, ben, gpt"),
        (("prefer", file, "--columns", "label=winner"), "is not ROLE=COLUMN", "model_a"),
        (("prefer", file, "--question", "q"), "has no question 'q'", "none by name"),
        (("agree", file), "which of two models won", "kappaflow prefer"),
    ):
        result = kappaflow(*arguments, code=2)
        text = result.stderr.strip().splitlines()
        assert len(text) == 2
        assert what in text[0]
        assert hint in text[1]
        assert result.stdout == ""


def test_a_difference_on_fewer_comparisons_says_so(tmp_path: Path, kappaflow: Any, kappaflow_json: Any) -> None:
    rows = ["item,model_a,model_b,winner,judge"]
    for item in range(20):
        rows += [f"{item},m1,m2,model_{'ab'[item % 2]},ann", f"{item},m1,m2,model_{'ab'[item % 4 > 1]},gpt"]
        if item < 5:
            rows.append(f"{item},m1,m2,model_{'ab'[item % 3 > 0]},ben")
    file = tmp_path / "votes.csv"
    file.write_text("\n".join(rows) + "\n")
    row = kappaflow_json("prefer", file, "--system", "gpt")["judges"][0]
    assert (row["n_comparisons"], row["n_with_several_people"]) == (20, 5)
    there = row["people"] + row["difference"]
    assert abs(there - row["agreement"]) > 0.01
    text = " ".join(kappaflow("prefer", file, "--system", "gpt").stdout.split())
    assert "gpt: the difference is on the 5 comparisons that two or more people voted on, too." in text
    assert f"There gpt agrees with people in {there:.3f}, people among themselves in {row['people']:.3f}." in text


def test_a_difference_on_all_comparisons_needs_no_sentence(tmp_path: Path, kappaflow: Any) -> None:
    assert "the difference is on" not in kappaflow("prefer", battles(tmp_path), "--system", "gpt").stdout


def test_models_among_the_people_are_said(tmp_path: Path, kappaflow_json: Any) -> None:
    """Their votes would count in the strengths as those of people."""
    file = tmp_path / "votes.csv"
    rows = [
        f"{n},{'m1,m2' if n % 2 else 'm2,m1'},{'AB'[n % 3 % 2]},{voter}"
        for n in range(24)
        for voter in ("ann", "gpt-4o")
    ]
    file.write_text("\n".join(["item,model_a,model_b,verdict,judge", *rows]) + "\n")
    assert any(
        "Named like models, but counted as people: 'gpt-4o'" in note
        for note in kappaflow_json("prefer", file)["warnings"]
    )
    as_system = kappaflow_json("prefer", file, "--system", "gpt-4o")
    assert not any("Named like models" in note for note in as_system["warnings"])


def test_votes_that_name_no_model_are_named_and_may_be_ties(
    tmp_path: Path, kappaflow: Any, kappaflow_json: Any
) -> None:
    file = tmp_path / "votes.csv"
    rows = [f"{n},{'m1,m2' if n % 2 else 'm2,m1'},{('A', 'B', 'C', 'error')[n % 4]},gpt" for n in range(24)]
    file.write_text("\n".join(["item,model_a,model_b,verdict,judge", *rows]) + "\n")
    text = " ".join(kappaflow("prefer", file).stdout.split())
    assert "These votes name no model: C, error. If 'C' stands for a tie: add --columns tie=C." in text
    assert (kappaflow_json("prefer", file)["n_votes"], kappaflow_json("prefer", file)["n_rejected"]) == (12, 12)
    with_ties = kappaflow_json("prefer", file, "--columns", "tie=C")
    assert (with_ties["n_votes"], with_ties["n_rejected"]) == (18, 6)
    assert not any("stands for a tie" in note for note in with_ties["warnings"])
