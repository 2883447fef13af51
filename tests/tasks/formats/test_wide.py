"""Wide tables: detected only where nothing else can be meant; a blank is not a rating."""

from pathlib import Path

import pytest

from tasks.errors import ReadError, UnknownFormatError
from tasks.formats import Export, ReadOptions
from tasks.ingest.read_export import detect, read_export

EXPORTS = Path(__file__).parents[2] / "data" / "exports" / "wide"


def read(tmp_path: Path, content: str, **options: object) -> Export:
    path = tmp_path / "file.csv"
    path.write_text(content, encoding="utf-8")
    return read_export(path, ReadOptions(**options))  # type: ignore[arg-type]


def raters(export: Export) -> list[str]:
    return export.rows["rater"].unique(maintain_order=True).to_list()


def test_cells_become_ratings_row_by_row_and_blanks_none() -> None:
    export = read_export(EXPORTS / "raters.csv")
    rows = export.rows.select("row_number", "item", "rater", "label").rows()
    yes, no = "yes", "no"
    assert rows[:4] == [(2, "1", "ann", yes), (2, "1", "ben", yes), (2, "1", "cem", no), (2, "1", "model-x", yes)]
    assert rows[4:7] == [(3, "2", "ann", no), (3, "2", "cem", no), (3, "2", "model-x", yes)]
    assert "4" not in export.rows["item"]


def test_the_other_columns_are_metadata_and_the_reading_is_said() -> None:
    export = read_export(EXPORTS / "raters.csv")
    assert export.metadata.row(0) == ("raters", "1", "text", "One, with comma")
    assert export.metadata.height == 4
    assert export.warnings == (
        "Read as a wide table: the item is column 'id', the raters are 'ann', 'ben', 'cem', 'model-x'.",
    )


def test_systems_are_the_columns_that_are_named() -> None:
    export = read_export(EXPORTS / "raters.csv", ReadOptions(systems=frozenset({"model-x"}), gold=frozenset({"cem"})))
    kinds = dict(export.rows.select("rater", "rater_kind").unique().rows())
    assert kinds == {"ann": "human", "ben": "human", "cem": "gold", "model-x": "system"}


def test_a_judge_whose_labels_differ_a_little_still_belongs() -> None:
    assert raters(read_export(EXPORTS / "judges.csv")) == ["human_1", "human_2", "judge"]


def test_a_named_system_belongs_whatever_it_answers(tmp_path: Path) -> None:
    content = "id,a,b,bot\n1,x,x,42\n2,y,x,y\n3,y,y,43\n"
    assert raters(read(tmp_path, content, systems=frozenset({"bot"}))) == ["a", "b", "bot"]


def test_all_raters_may_be_named_as_systems(tmp_path: Path) -> None:
    export = read(tmp_path, "id,a,b\n1,x,x\n2,y,x\n3,y,y\n", systems=frozenset({"a", "b"}))
    assert (raters(export), export.rows["rater_kind"].unique().to_list()) == (["a", "b"], ["system"])
    assert [text for text in export.warnings if "who rated" in text] == []


def test_a_rater_who_always_says_the_same_belongs(tmp_path: Path) -> None:
    assert raters(read(tmp_path, "item,alice,bob,carol\n1,a,a,b\n2,b,b,b\n")) == ["alice", "bob", "carol"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("a,b,c\n1,x,x\n2,y,y\n", "no column names the item"),
        ("id,a,b\n1,x,p\n2,y,q\n", "no two columns share a label set"),
        ("id,a,b\n1,x,x\n1,y,x\n", "ids in column 'id' repeat"),
        ("id,a,b,c,d\n1,x,x,1,1\n2,y,x,0,1\n", "several sets of columns share labels"),
        ("id,a,b,c\n1,u,v,u\n2,v,u,v\n3,w,w,7\n4,x,x,\n5,y,z,\n6,z,y,\n", "'c' use some of the labels and other"),
        ("id,text,label\n1,one,x\n2,two,y\n", "no two columns share a label set"),
        ("id,a,b\n", "no two columns share a label set"),
    ],
)
def test_what_is_not_certain_is_refused(tmp_path: Path, content: str, why: str) -> None:
    with pytest.raises(UnknownFormatError, match=why):
        read(tmp_path, content)
    if "id" in content.split("\n")[0] and "repeat" not in why:
        with pytest.raises(ReadError, match=why) as caught:
            read(tmp_path, content, format="wide")
        assert "raters=" in str(caught.value) + str(caught.value.hint)


def test_numbers_that_are_no_labels_are_metadata(tmp_path: Path) -> None:
    content = "id,a,b,length\n" + "".join(f"{i},{i % 3},{i % 2},{i + 1}\n" for i in range(12))
    export = read(tmp_path, content)
    assert raters(export) == ["a", "b"]
    assert export.metadata["key"].unique().to_list() == ["length"]


def test_a_table_of_single_ratings_is_long_even_if_it_could_be_wide(tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    path.write_text("id,rater,label\n1,x,x\n2,y,y\n", encoding="utf-8")
    assert detect(path) == "long"


def test_the_mapping_decides(tmp_path: Path) -> None:
    content = "Doc;first;second;x;y\nd1;p;1;q;2\nd1;p;2;;3\n"
    export = read(tmp_path, content, columns={"item": "doc", "raters": "First|x"})
    assert export.format == "wide"
    assert export.rows.select("rater", "label").rows() == [("first", "p"), ("x", "q"), ("first", "p")]
    assert not any("Read as a wide table" in warning for warning in export.warnings)
    with pytest.raises(ReadError, match="no column 'third'"):
        read(tmp_path, content, columns={"item": "doc", "raters": "first|third"})


def test_an_unnamed_index_serves_as_item(tmp_path: Path) -> None:
    export = read(tmp_path, ",a,b\n0,x,x\n1,y,x\n")
    assert export.rows["item"].to_list() == ["0", "0", "1", "1"]


def test_two_raters_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="two columns are named 'a'"):
        read(tmp_path, "id,a,a\n1,x,x\n2,y,x\n")


def test_a_question_column_is_one_if_it_repeats(tmp_path: Path) -> None:
    rows = "".join(f"{i},{q},x,y\n{i + 1},{q},y,x\n" for i, q in ((0, "tone"), (2, "tone"), (4, "style")))
    assert set(read(tmp_path, "id,question,a,b\n" + rows).rows["question"]) == {"tone", "style"}
    texts = "".join(f"{i},What is {i}?,{'xy'[i % 2]},x\n" for i in range(4))
    assert set(read(tmp_path, "id,question,a,b\n" + texts).rows["question"]) == {"file"}


def test_labels_written_as_decimals_are_those_written_as_integers(tmp_path: Path) -> None:
    export = read(tmp_path, "id,a,b\n1,1,1.0\n2,0,\n3,1,0.0\n")
    assert export.rows["label"].to_list() == ["1", "1", "0", "1", "0"]


def test_one_row_does_not_tell_a_rater_with_another_label_from_metadata(tmp_path: Path) -> None:
    """The label of carla was kept as metadata, and no rating."""
    with pytest.raises(ReadError) as refused:
        read(tmp_path, "item,text,anna,ben,carla\nx1,hello there,yes,yes,no\n")
    mapping = "item=item,raters=anna|ben|carla"
    assert "it has one row, which does not tell raters from other columns: 'carla' may be either." in str(refused.value)
    assert f"--format wide --columns '{mapping}'" in str(refused.value)
    named = read(tmp_path, "item,text,anna,ben,carla\nx1,hello there,yes,yes,no\n",
                 columns=dict(pair.split("=") for pair in mapping.split(",")))  # fmt: skip
    assert named.rows.select("rater", "label").rows() == [("anna", "yes"), ("ben", "yes"), ("carla", "no")]
    assert raters(read(tmp_path, "item,anna,ben\nx1,yes,yes\n")) == ["anna", "ben"]


def test_a_table_whose_first_column_is_not_known_as_the_item_gets_the_mapping_of_a_wide_table(tmp_path: Path) -> None:
    content = "\ufeffFall;Anna;Ben;Carla\nF1;ja;nein;ja\nF2;ja;ja;ja\nF3;nein;;n/a\nF4;-;ja;ja\nSumme;4;3;4\n"
    with pytest.raises(ReadError) as refused:
        read(tmp_path, content)
    assert refused.value.hint == (
        "If each row is an item, and the columns are raters: --format wide --columns 'item=Fall,raters=Anna|Ben|Carla'."
    )
    export = read(tmp_path, content, format="wide", columns={"item": "Fall", "raters": "Anna|Ben|Carla"})
    assert export.rows.height == 11
    assert export.rejects.select("row_number", "reason").rows() == [(6, "bad_record")]


@pytest.mark.parametrize(
    ("table", "options"),
    [
        ("item,ann,bob,rated_at,date\n1,x,y,2026-01-05,d\n2,x,x,2026-01-06,d\n3,y,y,2026-01-07,e\n",
         {"raters": "ann|bob"}),
        ("item,yes,no,rated_at,date\n1,3,2,2026-01-05,d\n2,5,0,2026-01-06,d\n3,1,4,2026-01-07,e\n",
         {"labels": "yes|no"}),
    ],
)  # fmt: skip
def test_a_column_that_may_be_the_time_is_named_until_it_is_mapped(
    tmp_path: Path, table: str, options: dict[str, str]
) -> None:
    path = tmp_path / "table.csv"
    path.write_text(table)
    note = "Not read as the time of the ratings: 'rated_at'. If it is that, add time=rated_at to the columns."
    export = read_export(path, ReadOptions(columns=options))
    assert [text for text in export.warnings if text.startswith(note)]
    assert export.rows["rated_at"].null_count() == export.rows.height
    export = read_export(path, ReadOptions(columns=options | {"time": "rated_at"}))
    assert not [text for text in export.warnings if text.startswith(note)]
    assert export.rows["rated_at"].null_count() == 0


def test_times_are_no_raters(tmp_path: Path) -> None:
    """`created_at` and `updated_at` of a tool counted as two raters with the times as labels, and agreement was 1."""
    rows = "".join(f"{n},{'ab'[n % 2]},2026-01-0{n}T10:00:00Z,2026-01-0{n}T10:00:00Z\n" for n in range(1, 7))
    with pytest.raises((ReadError, UnknownFormatError), match="not a wide table either: no two columns share"):
        read(tmp_path, "id,sentiment,created_at,updated_at\n" + rows)
