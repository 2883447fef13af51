"""`kappaflow judges`: its JSON and its tables."""

from pathlib import Path
from typing import Any


def test_the_promised_shape_and_the_tables(tmp_path: Path, kappaflow: Any, kappaflow_json: Any) -> None:
    file = tmp_path / "answers.csv"
    rows = [
        f"i{i},gpt,system,{version},{'AB'[(i + (n == 0 and i % 4 == 0)) % 2]}"
        for i in range(12) for version in ("v1", "v2") for n in range(2)
    ]  # fmt: skip
    file.write_text("item,rater,rater_kind,system_version,label\n" + "\n".join(rows) + "\n")
    result = kappaflow_json("judges", file, "--system", "gpt", "--labels", "A,B")
    assert result["labels"] == ["A", "B"]
    assert [(row["judge"], row["flip_rate"]) for row in result["judges"][:2]] == [("gpt v1", 0.25), ("gpt v2", 0.25)]
    (drift,) = result["drift"]
    assert drift["low"] <= 0 <= drift["high"]
    text = kappaflow("judges", file, "--labels", "A,B").stdout
    assert "Judges asked several times" in text
    assert "Versions, on the items that both answered" in text


def test_gold_says_where_it_comes_from(tmp_path: Path, kappaflow: Any, kappaflow_json: Any) -> None:
    file, gold = tmp_path / "answers.csv", tmp_path / "gold.csv"
    answers = [f"i{i},gpt,{'AB'[(i + (n == 0 and i % 4 == 0)) % 2]}" for i in range(40) for n in range(2)]
    file.write_text("item,rater,label\n" + "\n".join(answers) + "\n")
    right = [f"i{i},{'AB'[i % 2]}" for i in range(40)]
    cases = {"": ("unknown", "audited with gold, if it is a random sample."),
             ",0.5": ("drawn", "audited with gold of known probabilities.")}  # fmt: skip
    for probability, (origin, words) in cases.items():
        header = "item,label,inclusion_probability" if probability else "item,label"
        gold.write_text("\n".join([header, *(row + probability for row in right)]) + "\n")
        (judge,) = kappaflow_json("judges", file, "--system", "gpt", "--gold", gold)["judges"]
        assert judge["gold_origin"] == origin
        assert words in " ".join(kappaflow("judges", file, "--system", "gpt", "--gold", gold).stdout.split())
    (judge,) = kappaflow_json("judges", file, "--system", "gpt")["judges"]
    assert judge["gold_origin"] is None
    assert "audited" not in kappaflow("judges", file, "--system", "gpt").stdout


def test_the_worth_of_answers_comes_with_its_interval(tmp_path: Path, kappaflow: Any, kappaflow_json: Any) -> None:
    file, gold = tmp_path / "answers.csv", tmp_path / "gold.csv"
    gold.write_text("item,label\n" + "\n".join(f"i{i},A" for i in range(9)))
    shown = {}
    for name, words in {
        "some": "ABA AAA BBB ABB AAA AAA BBA AAA AAA",
        "alike": "BBB AAA BBB BBB AAA AAA BBB AAA AAA",
    }.items():
        answers = [f"i{i},gpt,{label}" for i, word in enumerate(words.split()) for label in word]
        file.write_text("item,rater,label\n" + "\n".join(answers) + "\n")
        result = kappaflow_json("judges", file, "--labels", "A,B", "--gold", gold)
        (judge,) = result["judges"]
        low, high = judge["effective_low"], judge["effective_high"]
        shown[name] = " ".join(kappaflow("judges", file, "--gold", gold, COLUMNS="250").stdout.split())
        if name == "some":
            assert 1 <= low < judge["effective_committee"] < high <= 3
            assert f"{judge['effective_committee']:.3f} [{low:.3f}, {high:.3f}]" in shown[name]
            assert not result["warnings"]
        else:
            assert (judge["effective_committee"], low, high) == (1.0, None, None)
            assert "gpt: what the answers are worth has no interval" in result["warnings"][0]
            assert result["warnings"][0] in shown[name]


def test_of_judges_that_nobody_asked_twice_one_row_is_printed(tmp_path: Path, kappaflow: Any) -> None:
    file = tmp_path / "answers.csv"
    answers = [f"i{i},gpt/{prompt},{'AB'[(i + (i % 4 == prompt)) % 2]}" for i in range(12) for prompt in range(3)]
    file.write_text("item,rater,label\n" + "\n".join(answers) + "\n")
    text = kappaflow("judges", file).stdout
    assert "all judges" in text
    assert "gpt/0" not in text
    assert "interval" not in text
    assert "No item has two answers of this judge" in " ".join(text.split())


def test_a_header_alone_holds_no_answer(tmp_path: Path, kappaflow: Any) -> None:
    (tmp_path / "x.csv").write_text("item,rater,label\n")
    what, hint = kappaflow("judges", tmp_path / "x.csv", code=2).stderr.splitlines()
    assert what == "x.csv holds no answer."
    assert hint.startswith("See what is in it with `kappaflow inspect ")
