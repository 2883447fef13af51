"""What a refused table is told to write: a mapping that fits its values, and never one that mixes things."""

from itertools import product
from pathlib import Path

import pytest

from flows.cli.options import parse_columns
from tasks.errors import ReadError
from tasks.formats import ReadOptions
from tasks.ingest.read_export import read_export


def refusal(tmp_path: Path, content: str) -> ReadError:
    path = tmp_path / "file.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ReadError) as caught:
        read_export(path)
    return caught.value


def test_the_models_of_a_pair_are_part_of_the_item_and_no_raters(tmp_path: Path) -> None:
    pairs = (("ant", "bee"), ("ant", "cow"), ("bee", "cow"))
    rows = [
        f"{i},{a},{b},{t},model_{1 + (i + t) % 2},model_{i},model_{1 + i % 2}"
        for i, t in product((1, 2), (1, 2))
        for a, b in pairs
    ]
    content = "\n".join(["question_id,ours,theirs,turn,winner1,winner2,winner3", *rows]) + "\n"
    columns = {"item": "question_id|ours|theirs|turn", "raters": "winner1|winner2|winner3"}
    assert f"'item={columns['item']},raters={columns['raters']}'" in refusal(tmp_path, content).hint
    export = read_export(tmp_path / "file.csv", ReadOptions(format="wide", columns=columns))
    assert (export.rows["item"].n_unique(), export.rows.height) == (12, 36)


def test_a_column_of_criteria_is_the_question(tmp_path: Path) -> None:
    rows = [f"{i},Ann. {r},{c},{(i + r) % 3}" for i in range(4) for r in (1, 2) for c in ("tone", "bias", "type")]
    hint = refusal(tmp_path, "\n".join(["art_id,ann,criteriaID,annotation", *rows]) + "\n").hint
    assert hint == "If this fits: --columns item=art_id,rater=ann,label=annotation,question=criteriaID."


def test_a_table_that_nobody_signed_needs_a_column(tmp_path: Path) -> None:
    error = refusal(tmp_path, "command,intent\nturn it on,on\nshut it,off\nshut it,off\n")
    assert "If each file is by one rater, rater={file} takes the rater from the name of the file." in error.hint


def test_a_header_without_rows_is_said(tmp_path: Path) -> None:
    assert "It has a header but no rows." in str(refusal(tmp_path, "output_id,rater_id,rating\n"))


def test_an_index_without_a_name_is_in_no_mapping(tmp_path: Path) -> None:
    flags = "A1 noise,A2 gaps,A3 loops"
    rows = [f"{n},{n % 3},s{n % 3},{n % 2},{n // 2 % 2},{n // 3 % 2},{'ab'[n // 3]}" for n in range(6)]
    error = refusal(tmp_path, "\n".join([f",Unnamed: 0,snt_id,{flags},Annotator", *rows]) + "\n")
    assert "item=...,rater=...,label=A1 noise|" in str(error)
    assert "Unnamed" not in error.hint


def test_a_blank_header_above_numbers_is_no_title(tmp_path: Path) -> None:
    hint = refusal(tmp_path, ",,\n,,\n1,out in the rain,can\n2,a roll of film,cam\n").hint
    assert "The header is blank. Add a first line with the names of the columns" in hint


def test_sentences_are_questions_and_no_raters(tmp_path: Path) -> None:
    questions = ["The shape is closed", "Angles (if any) fit, too", "It doesn't overlap"]
    rows = [f"https://x/{i}.svg,{i},Yes,{'Yes' if i % 2 else 'No'},{'No' if i % 3 else 'Yes'}" for i in range(9)]
    header = ",".join(f'"{name}"' for name in ("image", "assigned", *questions))
    error = refusal(tmp_path, "\n".join([header, *rows]) + "\n")
    assert "hold answers under names of questions or labels, not of raters" in str(error)
    assert "It doesn'\"'\"'t overlap" in str(error)


def test_questions_of_two_coders_are_proposed_one_at_a_time(tmp_path: Path) -> None:
    names = [f"{question}_coder{n}" for n in (1, 2) for question in ("role(a/b)", "frame(0/1)")]
    rows = [f"{i}::x,{'ab'[i % 2]},{i % 2},{'ab'[i // 2 % 2]},{i // 2 % 2}" for i in range(8)]
    hint = refusal(tmp_path, "\n".join([",".join(["pair_id", *names]), *rows]) + "\n").hint
    assert (
        "Read one question at a time: --format wide --columns 'item=pair_id,raters=role(a/b)_coder1|role(a/b)_coder2'"
        in hint
    )


def test_what_was_measured_is_not_proposed_as_the_item(tmp_path: Path) -> None:
    rows = [
        f"item_{i},{judge},{framing},{0.5 + (7 * i + 3 * n) % 20 / 8},{(i + n) % 3}"
        for i in range(6)
        for judge in ("lou", "max")
        for n, framing in enumerate(("a", "b", "c", "d"))
    ]
    error = refusal(tmp_path, "\n".join(["item_id,judge,framing_text,latency_s,label", *rows]) + "\n")
    assert "latency_s" not in error.hint


def test_a_comma_in_the_name_of_a_column_is_kept() -> None:
    assert parse_columns(["item=id,label=Tone (1,2)|Style (1,2),rater=who"]) == {
        "item": "id", "label": "Tone (1,2)|Style (1,2)", "rater": "who",
    }  # fmt: skip


def test_a_sheet_of_criteria_has_questions_and_no_raters(tmp_path: Path) -> None:
    rows = [f"conv {n},{1 + n % 5},{1 + n % 4},{1 + n % 3}" for n in range(12)]
    hint = str(refusal(tmp_path, "\n".join(["conversation,Helpfulness,Depth,Honesty", *rows]) + "\n").hint)
    mapping = "item=conversation,rater={file},label=Helpfulness|Depth|Honesty"
    assert "one rater answered them all: --columns '" + mapping in hint
    export = read_export(tmp_path / "file.csv", ReadOptions(columns=parse_columns([mapping])))
    assert set(export.rows["rater"]) == {"file"}
    assert set(export.rows["question"]) == {"Helpfulness", "Depth", "Honesty"}


def test_columns_that_tell_rows_apart_together_are_proposed_together(tmp_path: Path) -> None:
    rows = [f"q{q},j,{s},{t},{'ab'[(q + s) % 2]}" for q, s, t in product(range(6), (1, 2, 3), (0, 0.7))]
    content = "\n".join(["question_id,judge_model,seed,temperature,verdict", *rows]) + "\n"
    mapping = "item=question_id|seed|temperature,rater=judge_model,label=verdict"
    assert (
        f"If 'seed', 'temperature' are parts of the item's name: --columns '{mapping}'."
        in refusal(tmp_path, content).hint
    )
    assert (
        read_export(tmp_path / "file.csv", ReadOptions(columns=parse_columns([mapping]))).rows["item"].n_unique() == 36
    )
    known = content.replace("judge_model", "judge")
    hint = str(refusal(tmp_path, known).hint)
    assert hint.startswith(
        "If 'seed', 'temperature' are parts of its name: --columns 'item=question_id|seed|temperature'."
    )
    assert "`kappaflow judges` compares them" in hint


def test_lists_and_objects_are_named_where_the_answers_may_stand(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text('{"id": 1, "text": "a", "judges": ["x", "y"], "games": [{"score": 1}]}\n' * 3)
    with pytest.raises(ReadError) as caught:
        read_export(path)
    assert "Lists and objects stand in 'judges', 'games': if the answers are in there, write a row" in str(
        caught.value.hint
    )


def test_objects_in_cells_are_shown_from_the_first_row_with_their_fields(tmp_path: Path) -> None:
    rows = "".join(f'{n},a,"{{""verdict"": ""pass"", ""reason"": ""{n}""}}"\n' for n in range(30))
    error = refusal(tmp_path, "item,rater,label\n" + rows)
    assert str(error).startswith("Row 2 of file.csv")
    assert "one field of the objects (verdict, reason), write that field into a further column." in str(error.hint)


def test_a_metric_that_tells_rows_apart_is_the_question(tmp_path: Path) -> None:
    rows = [f"t{t},{e},{m},{(t + len(m)) % 3}" for t in range(8) for e in ("x", "y") for m in ("tone", "bias")]
    hint = str(refusal(tmp_path, "\n".join(["trace_id,evaluator,metric,score", *rows]) + "\n").hint)
    mapping = "item=trace_id,rater=evaluator,label=score,question=metric"
    assert f"If 'metric' is the question: --columns {mapping}." in hint
    export = read_export(tmp_path / "file.csv", ReadOptions(columns=parse_columns([mapping])))
    assert (set(export.rows["question"]), export.rows.height) == ({"tone", "bias"}, 32)
