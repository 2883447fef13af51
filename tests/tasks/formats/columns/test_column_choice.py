"""Which column of a table is what, by its values: the wrong one is refused, and both are named with the option."""

from pathlib import Path

import polars as pl
import pytest

from stats.agreement import agreement
from tasks.errors import InputError, ReadError
from tasks.formats import Export, ReadOptions
from tasks.ingest.read_export import read_export
from tasks.ingest.validate import validate
from tasks.single_file.agree_file import agree
from tasks.single_file.gold_file import read_gold
from tasks.single_file.inspect_file import inspect_file
from tasks.single_file.load_file import FileOptions
from tests.tasks.inbox import InboxProject

LLM_SHEET = "id,annotator,prompt,response,score\n" + "".join(
    f"{i},{rater},p{i},reply number {i},{score}\n"
    for i, scores in enumerate(((4, 2), (5, 1), (3, 5)))
    for rater, score in zip("ab", scores, strict=True)
)
JIGSAW = "id,text,toxic,severe_toxic,obscene\n1,t,0,0,0\n2,u,1,0,1\n3,v,1,1,1\n4,w,0,0,0\n"


def read(tmp_path: Path, content: str, name: str = "file.csv", **options: object) -> Export:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return read_export(path, ReadOptions(**options))  # type: ignore[arg-type]


def refusal(tmp_path: Path, content: str, **options: object) -> ReadError:
    with pytest.raises(ReadError) as caught:
        read(tmp_path, content, **options)
    return caught.value


def labels(export: Export) -> list[str | None]:
    return export.rows["label"].to_list()


# The label


@pytest.mark.field_trial(10)
@pytest.mark.parametrize(
    ("content", "wrong", "right"),
    [
        (LLM_SHEET, "response", "score"),
        ("id,annotator,text,category,helpful\n1,a,t,news,yes\n1,b,t,news,no\n2,a,u,sport,yes\n2,b,u,sport,no\n",
         "category", "helpful"),
        ("id,annotator,question,answer,score\n1,a,Q one?,hi,4\n1,b,Q one?,hi,2\n2,a,Q two?,ok,5\n2,b,Q two?,ok,1\n",
         "answer", "score"),
        ("item,rater,rater_age,response,Q1,Q2\n7,1,18,r,No,No\n7,2,30,r,No,Yes\n8,1,18,s,No,Yes\n8,2,30,s,No,No\n",
         "response", "Q2"),
    ],
)  # fmt: skip
def test_a_label_that_describes_the_item_is_refused(tmp_path: Path, content: str, wrong: str, right: str) -> None:
    error = refusal(tmp_path, content)
    assert f"Column {wrong!r} of file.csv is probably not the label: it never differs between raters of an item" in str(
        error
    )
    assert f"{right!r} could be the label" in str(error)
    assert error.hint == f"Name one: --columns label={right}, or --columns label={wrong}."
    assert any(line.split() == ["score", "4,", "2,", "5,", "..."] for line in error.lines) or content != LLM_SHEET
    assert read(tmp_path, content, columns={"label": right}).columns.headers["label"] == (right,)  # type: ignore[union-attr]
    assert read(tmp_path, content, columns={"label": wrong}).rows["label"].n_unique() >= 2  # the user insists


def test_a_right_answer_named_label_beside_the_answers_of_raters_is_asked_about(tmp_path: Path) -> None:
    rows = [(rater, item, item % 2, abs(item % 2 - (item == rater))) for rater in (1, 2) for item in range(4)]
    content = "annotator,instance,label,predicted\n" + "".join(
        f"{r},{i},{gold},{predicted}\n" for r, i, gold, predicted in rows
    )
    error = refusal(tmp_path, content)
    assert "Column 'label' of file.csv is probably not the label: it never differs between raters" in str(error)
    assert "--columns label=predicted, or --columns label=label" in error.hint
    assert len(labels(read(tmp_path, content, columns={"label": "label"}))) == 8
    other_words = content.replace("annotator,instance,label,predicted", "annotator,instance,label,length")
    assert len(labels(read(tmp_path, other_words.replace(",0\n", ",5\n")))) == 8


@pytest.mark.field_trial(10)
def test_two_columns_that_qualify_are_both_named(tmp_path: Path) -> None:
    content = "item,rater,rating,category\n1,a,x,p\n1,b,y,q\n2,a,x,q\n2,b,x,p\n"
    error = refusal(tmp_path, content)
    assert "several columns that could be the label: 'rating', 'category'" in str(error)
    assert "--columns label=category, or --columns label=rating" in error.hint


@pytest.mark.field_trial(10)
def test_long_text_is_no_label(tmp_path: Path) -> None:
    texts = [f"{i}: " + "A long answer of the model. " * 8 for i in range(3)]
    head, rows = "id,annotator,response", [f"{i},{r},{texts[i]}" for i in range(3) for r in "ab"]
    error = refusal(tmp_path, "\n".join([head, *rows]))
    assert "Column 'response' of file.csv holds texts, not labels" in str(error)
    scored = [f"{row},{score}" for row, score in zip(rows, (1, 2, 1, 2, 2, 2), strict=True)]
    export = read(tmp_path, "\n".join([f"{head},score", *scored]))
    assert labels(export) == ["1", "2", "1", "2", "2", "2"]
    assert any(
        "The label is column 'score', not 'response', which holds texts" in warning for warning in export.warnings
    )


@pytest.mark.field_trial(10)
@pytest.mark.parametrize(
    "content",
    [
        "item,rater,label,score\n1,a,x,0.9\n1,b,y,0.8\n2,a,x,0.7\n2,b,x,0.6\n",  # a label and its confidence
        "item,rater,label,score\n1,a,x,0.9\n1,b,x,0.8\n2,a,y,0.7\n2,b,y,0.6\n",  # all agree
        "item,rater,label,label_id\n1,a,x,1\n1,b,y,2\n2,a,x,1\n2,b,x,1\n",  # the same twice
        "item,rater,label,category\n1,a,x,p\n1,b,y,p\n2,a,x,q\n2,b,x,q\n",  # metadata of the item
        "item,rater,label,helpful\n1,a,x,p\n1,b,x,q\n2,a,y,p\n2,b,y,q\n",  # all agree on what is named label
        "item,rater,answer\n1,a,x\n1,b,x\n2,a,y\n2,b,y\n",
        "item,rater,answer,comment\n1,a,x,why\n1,b,y,so\n2,a,x,why\n2,b,x,so\n",
    ],
)
def test_what_is_not_in_doubt_is_read(tmp_path: Path, content: str) -> None:
    expected = [line.split(",")[2] for line in content.splitlines()[1:]]
    assert labels(read(tmp_path, content)) == expected


@pytest.mark.field_trial(10)
def test_the_columns_are_always_said(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text("id,annotator,text,label,note\n1,a,t,x,n\n1,b,t,y,m\n2,a,u,x,o\n2,b,u,x,p\n", encoding="utf-8")
    text = "Columns used: item 'id', rater 'annotator', label 'label'; metadata of the items: 'text'; not used: 'note'."
    columns = {
        "taken": {"item": ["id"], "rater": ["annotator"], "label": ["label"]},
        "passed_over": ["text", "note"],
        "metadata": ["text"],
    }
    assert str(read_export(path).columns) == text
    assert read_export(path).notes[0] == text
    assert inspect_file(path)["columns"] == columns
    assert agree(path, FileOptions())[0]["columns"] == columns
    path.write_text("id,text,ann1,ann2\n1,t,x,y\n2,u,x,x\n", encoding="utf-8")
    assert str(read_export(path).columns) == (
        "Columns used: item 'id', raters 'ann1', 'ann2'; metadata of the items: 'text'."
    )


@pytest.mark.field_trial(10)
def test_a_run_says_the_columns_and_why_a_file_is_refused(tmp_path: Path) -> None:
    project = InboxProject(tmp_path)
    (project.inbox / "sheet.csv").write_text(LLM_SHEET, encoding="utf-8")
    (refused,) = project.ingest()
    assert refused.status == "rejected"
    assert "Column 'response' of sheet.csv is probably not the label" in str(refused.detail)
    assert "--columns label=score" in str(refused.detail)
    (stored,) = project.ingest(ReadOptions(columns={"label": "score"}))
    assert (stored.status, stored.counts.n_ratings) == ("stored", 6)
    assert stored.warnings[0] == (
        "Columns used: item 'id', rater 'annotator', label 'score'; metadata of the items: 'prompt', 'response'."
    )


@pytest.mark.field_trial(12)
def test_rows_that_are_marked_as_rejected_are_said(tmp_path: Path) -> None:
    content = "item,rater,label,ASSIGNMENT:status,_tainted\n1,a,x,APPROVED,false\n1,b,y,REJECTED,true\n2,a,,SKIPPED,\n"
    text = read(tmp_path, content).warnings
    assert any("'ASSIGNMENT:status' is REJECTED in 1 row with a label" in warning for warning in text)
    assert any("'_tainted' is true in 1 row with a label" in warning for warning in text)


# The raters of a wide table


@pytest.mark.field_trial(12)
@pytest.mark.parametrize(
    ("content", "why"),
    [
        (
            JIGSAW,
            "columns 'toxic', 'severe_toxic', 'obscene' hold only 0 and 1 under names that do not look like people's",
        ),
        ("id,ann1,ann2,is_train\n1,0,1,1\n2,1,1,0\n3,0,0,1\n", "column 'is_train' holds only 0 and 1 under names"),
        ("id,ann1,ann2,gold_label\n1,x,y,x\n2,x,x,x\n3,y,y,y\n", "column 'gold_label' is named as an aggregate"),
        (
            "id,ann1,ann2,majority_label\n1,x,y,x\n2,x,x,x\n3,y,y,y\n",
            "column 'majority_label' is named as an aggregate",
        ),
        (
            "id,fluency,coherence\n1,1,2\n2,2,2\n3,1,1\n",
            "columns 'fluency', 'coherence' hold answers under names of quest",
        ),
        ("id,joy,anger\n1,True,False\n2,False,TRUE\n", "columns 'joy', 'anger' hold only false and true"),
        ("id,alice,bob\n1,0,1\n2,1,1\n3,0,0\n", "--format wide --columns 'item=id,raters=alice|bob'."),
        ("id,ann,ben,label_final\n1,x,y,x\n2,x,x,x\n3,y,y,y\n", "column 'label_final' is named as an aggregate"),
        ("id,yes,no,unsure\n1,1,2,2\n2,0,5,1\n3,3,1,1\n", "columns 'no', 'unsure' hold answers under names"),
        ("id,n_yes,n_no\n1,2,2\n2,0,2\n3,2,0\n", "columns 'n_yes', 'n_no' hold numbers of votes"),
        ("id,votes_dog,votes_cat\n1,2,2\n2,0,2\n3,2,0\n", "hold numbers of votes"),
        (
            "id,r1,r2,r3\n" + "".join(f"{i},{i % 3},{(i + 1) % 3},{(i + 2) % 3}\n" for i in range(12)),
            "each row of columns 'r1', 'r2', 'r3' adds up to 3",
        ),
        (
            "id,x,y,z\n" + "".join(f"{i},{i % 4},{3 - i % 4},{2 if i % 7 else 1}\n" for i in range(12)),
            "adds up to nearly the same, 4 to 5, so that they are counts of labels, not raters. If they are numbers of "
            "votes: --columns 'item=id,labels=x|y|z'.",
        ),
        (
            "id,x,y,z\n" + "".join(f"{i},{i % 3 / 4},{(2 - i % 3) / 4},{0.5 if i % 6 else 0.25}\n" for i in range(12)),
            "adds up to nearly the same, 0.75 to 1, so that",
        ),
        ("item,c1,c2,c3\n1,0,0,14\n2,0,2,12\n3,2,8,4\n4,14,0,0\n", "adds up to 14, so that they are counts"),
    ],
)
def test_what_is_no_person_is_refused(tmp_path: Path, content: str, why: str) -> None:
    people = {"columns": {"item": "item", "raters": "c1|c2|c3"}} if "c1" in content else {}
    if people:
        content = content.replace("c1,c2,c3", "first,second,third")
        people = {"columns": {"item": "item", "raters": "first|second|third"}}
    assert why in str(refusal(tmp_path, content, **people))


@pytest.mark.field_trial(12)
def test_the_refusal_of_an_aggregate_says_how_to_map_and_the_mapping_works(tmp_path: Path) -> None:
    content = "id,text,ann1,ann2,ann3,gold_label\n1,t,yes,no,yes,yes\n2,u,no,no,no,no\n3,v,yes,yes,no,yes\n"
    error = refusal(tmp_path, content)
    assert error.hint == "If this fits: --format wide --columns 'item=id,raters=ann1|ann2|ann3'."
    export = read(tmp_path, content, format="wide", columns={"item": "id", "raters": "ann1|ann2|ann3"})
    result = agreement(
        export.rows.select("item", "rater", "label"), labels=["no", "yes"], coefficients=["fleiss_kappa"]
    )
    assert result["estimate"][0] == pytest.approx(0.1)
    gold = read(tmp_path, content, gold=frozenset({"gold_label"}))
    assert gold.rows.filter(rater_kind="gold").height == 3


@pytest.mark.field_trial(12)
@pytest.mark.parametrize(
    "header", ["ann1,ann2", "rater_a,rater_b", "a,b", "eva@x.org,tom@x.org", "human_1,gpt-4", "Worker 3,Worker 9"]
)
def test_zeros_and_ones_of_people_are_votes(tmp_path: Path, header: str) -> None:
    export = read(tmp_path, f"id,{header}\n1,0,1\n2,1,1\n3,0,0\n")
    assert export.rows["rater"].unique().sort().to_list() == sorted(header.split(","))


@pytest.mark.field_trial(12)
def test_names_of_people_need_no_mapping_where_the_labels_are_words(tmp_path: Path) -> None:
    export = read(tmp_path, "id,anna,ben,lang\n1,yes,no,de\n2,no,no,en\n3,yes,yes,de\n")
    assert export.rows["rater"].unique().sort().to_list() == ["anna", "ben"]


@pytest.mark.field_trial(12)
def test_rows_that_are_people_are_no_items(tmp_path: Path) -> None:
    content = "Email,first,second\nann@x.org,1,2\nben@x.org,1,3\n"
    error = refusal(tmp_path, content, columns={"item": "Email", "raters": "first|second"})
    assert "the rows are people and the columns items" in str(error)


@pytest.mark.field_trial(12)
def test_a_column_that_is_the_majority_of_the_others_is_no_rater(tmp_path: Path) -> None:
    votes = [("x", "y", "x"), ("y", "y", "x"), ("x", "x", "x"), ("x", "y", "y")]
    rows = [(*votes[i % 4], max("xy", key=votes[i % 4].count)) for i in range(40)]
    table = ["id,anna,ben,carl,result", *(f"{i},{','.join(row)}" for i, row in enumerate(rows))]
    error = refusal(tmp_path, "\n".join(table))
    assert "column 'result' is what most of the others say" in str(error)
    assert "--format wide --columns 'item=id,raters=anna|ben|carl'" in str(error)
    assert error.hint.startswith("Use the mapping above if it fits.")
    table[2] = table[2][:-1] + "x"  # it once says something else
    assert read(tmp_path, "\n".join(table)).rows["rater"].n_unique() == 4
    assert read(tmp_path, "\n".join(table[:10])).rows["rater"].n_unique() == 4  # too few to tell


# The item


def crowd(n_items: int = 40, n_raters: int = 5) -> str:
    rows = [f"topic{i % 4},d{i},w{r},{'xy'[(i * r) % 2]}" for i in range(n_items) for r in range(n_raters)]
    return "\n".join(["task,orig_id,worker,label", *rows])


@pytest.mark.field_trial(14)
def test_an_item_under_which_most_ratings_replace_each_other_is_refused(tmp_path: Path) -> None:
    error = refusal(tmp_path, crowd())
    assert "Of 200 ratings of file.csv only 20 would count if column 'task' named the item" in str(error)
    assert error.hint.startswith("The item seems to be 'orig_id': --columns item=orig_id.")
    assert read(tmp_path, crowd(), columns={"item": "orig_id"}).rows["item"].n_unique() == 40
    assert read(tmp_path, crowd(), columns={"item": "task"}).rows["item"].n_unique() == 4  # the user insists
    with pytest.raises(ReadError, match="only 20 would count"):
        inspect_file(tmp_path / "file.csv")


@pytest.mark.field_trial(14)
def test_without_another_column_it_is_refused_too(tmp_path: Path) -> None:
    content = "\n".join(line.replace(",d", ";d").split(";")[0] + "," + ",".join(line.split(",")[2:])
                        for line in crowd().splitlines()[1:])  # fmt: skip
    error = refusal(tmp_path, "task,worker,label\n" + content)
    assert "--columns item=NAME" in error.hint
    assert "--columns item=task insists" in error.hint


@pytest.mark.field_trial(14)
def test_ratings_that_share_item_and_rater_are_said_with_the_column_that_tells_them_apart(tmp_path: Path) -> None:
    rows = [f"q{i},{turn},{rater},{'xyz'[(i + turn) % 3]}" for i in range(4) for turn in (1, 2) for rater in "ab"]
    export = read(tmp_path, "\n".join(["item,turn,rater,label", *rows]), columns={"item": "item"})
    assert any("column 'turn' tells them apart" in warning for warning in export.warnings)
    result = inspect_file(tmp_path / "file.csv", ReadOptions(columns={"item": "item"}))
    assert "8 ratings were superseded" in str(result["warnings"])


@pytest.mark.field_trial(14)
def test_corrections_and_repeats_are_read(tmp_path: Path) -> None:
    assert read(tmp_path, "item,rater,label\n1,a,x\n1,a,y\n1,a,x\n").rows.height == 3
    log = "".join(f"{i},a,{'xy'[k % 2]},2026-01-0{k + 1}\n" for i in range(10) for k in range(4))
    assert read(tmp_path, "item,rater,label,time\n" + log).rows.height == 40


# Sets and truth values in cells


@pytest.mark.field_trial(16)
def test_a_set_has_one_spelling(tmp_path: Path) -> None:
    cells = ['["x","y"]', '["y", "x"]', "['y', 'x']", "['y' 'x']", '["x"]', "x", "[]", "[sic]", '["x", ""]']
    content = "item,rater,label\n" + "".join(
        f'{i},a,"{cell.replace(chr(34), chr(34) * 2)}"\n' for i, cell in enumerate(cells)
    )
    both = '["x", "y"]'
    assert labels(read(tmp_path, content)) == [both, both, both, both, "x", "x", None, "[sic]", "x"]


@pytest.mark.field_trial(16)
def test_agreement_over_sets_in_cells(tmp_path: Path) -> None:
    path = tmp_path / "sets.csv"
    rows = ['1,a,"[""x"",""y""]"', '1,b,"[""y"",""x""]"', '2,a,"[""x""]"', "2,b,x", "3,a,x", '3,b,"[""y"",""x""]"']
    path.write_text("\n".join(["item,rater,label", *rows]), encoding="utf-8")
    result = agree(path, FileOptions())[0]
    assert result["labels"] == ['["x", "y"]', "x"]
    (observed,) = [c["estimate"] for c in result["coefficients"] if c["name"] == "percent_agreement"]  # type: ignore[attr-defined]
    assert observed == pytest.approx(2 / 3)
    (tmp_path / "gold.csv").write_text('item,label\n1,"[""y"",""x""]"\n2,TRUE\n', encoding="utf-8")
    assert read_gold(tmp_path / "gold.csv")["label"].to_list() == ['["x", "y"]', "true"]


@pytest.mark.field_trial(16)
def test_truth_values_have_one_spelling_in_all_files(tmp_path: Path) -> None:
    assert labels(read(tmp_path, "item,rater,label\n1,a,TRUE\n1,b,True\n1,c,true\n2,a,FALSE\n2,b,False\n")) == [
        *["true"] * 3, *["false"] * 2,
    ]  # fmt: skip
    wide = read(tmp_path, "item,ann1,ann2\n1,TRUE,true\n2,False,TRUE\n")
    assert labels(wide) == ["true", "true", "false", "true"]
    frame = pl.DataFrame({"item": [1, 2], "rater": ["a", "a"], "label": [True, False]})
    frame.write_parquet(tmp_path / "typed.parquet")
    assert labels(read_export(tmp_path / "typed.parquet")) == ["true", "false"]
    result = validate(read(tmp_path, "item,rater,label\n1,a,TRUE\n"), labels={"file": ["True", "False"]})
    assert result.rejects.is_empty()


@pytest.mark.field_trial(16)
@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("votes.csv", 'item,rater,label\n1,crowd,"[""n"", ""e"", ""n""]"\n', "repeats a label, so it is not a set"),
        ("votes.jsonl", '{"item": 1, "rater": "c", "label": ["n", "e", "n"]}\n{"item": 2}\n',
         "repeats a label, so it is not a set"),
        ("lists.csv", "item,rater,label\n1,crowd,\"[['race'], ['race', 'age']]\"\n", "holds lists within a list"),
        ("counts.jsonl", '{"item": 1, "rater": "c", "label": {"n": 60, "e": 40}}\n',
         "holds objects (counts"),
        ("tasks.csv", 'item,rater,label\n1,a,"[{""task"": 1, ""value"": ""Yes""}]"\n', "holds objects, not labels"),
    ],
)  # fmt: skip
def test_votes_and_objects_are_no_sets(tmp_path: Path, name: str, content: str, why: str) -> None:
    with pytest.raises(ReadError, match="column 'label'") as caught:
        read(tmp_path, content, name)
    assert why in str(caught.value)
    assert "one row per rating" in caught.value.hint


# Refusals


@pytest.mark.field_trial(20)
def test_a_refusal_shows_all_columns_with_values_and_a_mapping(tmp_path: Path) -> None:
    meta = ",".join(f"meta{i}" for i in range(16))
    rows = "".join(f"{i},{r},{','.join('m' * 16)},{answer}\n" for i, r, answer in
                   [(1, "u1", "yes"), (1, "u2", "no"), (2, "u1", "yes"), (2, "u2", "yes")])  # fmt: skip
    error = refusal(tmp_path, f"_unit_id,_worker_id,{meta},is_it_a_car\n{rows}")
    assert "'is_it_a_car'" in str(error)
    assert error.hint == "If this fits: --columns item=_unit_id,rater=_worker_id,label=is_it_a_car."
    assert len(error.lines) == 20
    assert error.lines[-1].split() == ["is_it_a_car", "yes,", "no"]
    mapping = {"item": "_unit_id", "rater": "_worker_id", "label": "is_it_a_car"}
    assert labels(read(tmp_path, (tmp_path / "file.csv").read_text(), columns=mapping)) == ["yes", "no", "yes", "yes"]


@pytest.mark.field_trial(20)
@pytest.mark.parametrize("content", ["a,b,c\n1,x,x\n", "id,rater,text\n1,a,t\n2,b,u\n"])
def test_no_refusal_of_a_table_advises_to_inspect_it(tmp_path: Path, content: str) -> None:
    path = tmp_path / "file.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ReadError) as caught:
        inspect_file(path)
    assert "inspect" not in f"{caught.value} {caught.value.hint}"


@pytest.mark.field_trial(20)
@pytest.mark.parametrize(
    "content", ["w1\tu1\tporn\nw2\tu1\tnot\nw1\tu2\tnot\nw2\tu2\tnot\n", "0,,1,0\n1,1,,0\n,0,0,0\n2,2,1,2\n"]
)
def test_a_table_without_a_header_is_named_as_such(tmp_path: Path, content: str) -> None:
    error = refusal(tmp_path, content)
    assert "seems to have no header" in str(error)
    assert "Add a first line" in error.hint


@pytest.mark.field_trial(20)
def test_us_dates_are_offered_a_format_that_reads_them(tmp_path: Path) -> None:
    content = "item,rater,label,date\n1,a,x,3/24/2016 17:57\n1,b,y,3/25/2016 09:00\n2,a,x,12/31/2016 00:00\n"
    export = read(tmp_path, content)
    assert "--columns 'time=date,time_format=%m/%d/%Y %H:%M'" in export.warnings[0]
    insisted = read(tmp_path, content, columns={"time": "date"})
    assert validate(insisted).rejects["reason"].to_list() == ["bad_time"] * 3
    assert "Read them with --columns 'time=date,time_format=%m/%d/%Y %H:%M'" in insisted.warnings[0]
    with pytest.raises(InputError, match=r"Every row of .* was rejected \(3\): bad_time") as caught:
        agree(tmp_path / "file.csv", FileOptions(ReadOptions(columns={"time": "date"})))
    assert "time_format=%m/%d/%Y %H:%M" in caught.value.hint
    right = validate(read(tmp_path, content, columns={"time": "date", "time_format": "%m/%d/%Y %H:%M"}))
    assert right.rejects.is_empty()
    assert right.ratings["rated_at"].dt.to_string("%Y-%m-%d %H:%M").to_list()[0] == "2016-03-24 17:57"


@pytest.mark.field_trial(20)
def test_day_and_month_that_cannot_be_told_apart_are_both_offered(tmp_path: Path) -> None:
    export = read(tmp_path, "item,rater,label,date\n1,a,x,3/4/2016\n1,b,y,5/6/2016\n", columns={"time": "date"})
    assert "cannot be told apart" in export.warnings[0]
    assert "time_format=%m/%d/%Y'" in export.warnings[0]
    assert "time_format=%d/%m/%Y'" in export.warnings[0]


def test_the_score_beside_a_text_is_the_label_where_items_have_one_rater(tmp_path: Path) -> None:
    rows = [
        f"q{n % 20},{n // 20},judge,The answer number {n} is right and {'helpful ' * 10},{n % 7}" for n in range(40)
    ]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["question_id,model,judge,judgment,score", *rows]) + "\n")
    export = read_export(path, ReadOptions(columns={"item": "question_id|model"}))
    assert set(export.rows["label"]) == set("0123456")
    assert any("which holds texts" in note for note in export.warnings)
