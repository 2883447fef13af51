"""Long tables: which column is what, what becomes of the others, labels as text."""

from pathlib import Path

import polars as pl
import pytest

from tasks.errors import InputError, ReadError
from tasks.formats import Export, ReadOptions
from tasks.formats.columns.column_roles import REQUIRED, USUAL_NAMES, plain
from tasks.ingest.read_export import read_export
from tasks.ingest.validate import validate

EXPORTS = Path(__file__).parents[2] / "data" / "exports" / "long"


def read(tmp_path: Path, content: str, name: str = "file.csv", **options: object) -> Export:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return read_export(path, ReadOptions(**options))  # type: ignore[arg-type]


def triples(export: Export) -> list[tuple[str, ...]]:
    return export.rows.select("item", "rater", "label").rows()


@pytest.mark.parametrize(
    "header",
    [
        *("task,worker,label", "item_id,annotator_id,label", "Item ID,Rater,Answer", "unitId;coder;category"),
        *("id\tuser\tvalue", "doc | judge | rating", "EXAMPLE,Worker-ID,Response", "hit_id,completed_by,choice"),
    ],
)
def test_usual_headers_need_no_mapping(tmp_path: Path, header: str) -> None:
    delimiter = next(d for d in "\t;|," if d in header)
    export = read(tmp_path, header + "\n" + delimiter.join(["1", "ann", "yes"]) + "\n")
    assert export.format == "long"
    assert triples(export) == [("1", "ann", "yes")]


def test_each_usual_name_is_written_plainly_and_serves_one_role_only() -> None:
    names = [name for role, listed in USUAL_NAMES.items() for name in listed if (role, name) != ("label", "score")]
    assert len(names) == len(set(names))
    assert all(name == plain(name) for name in names)


@pytest.mark.parametrize("role", REQUIRED)
def test_every_usual_name_is_found(tmp_path: Path, role: str) -> None:
    sure = {"item": "item_id", "rater": "rater_id", "label": "label"}
    for name in USUAL_NAMES[role]:
        header = ",".join((sure | {role: name}).values())
        assert triples(read(tmp_path, f"{header}\ni,r,l\n")) == [("i", "r", "l")]


def test_the_more_exact_name_wins_and_the_other_is_named(tmp_path: Path) -> None:
    export = read(tmp_path, "item,item_id,rater,label,answer\nlong text,7,ann,yes,because\n")
    assert triples(export) == [("7", "ann", "yes")]
    assert export.warnings[:2] == (
        "The item is column 'item_id', not 'item'; --columns item=NAME changes this.",
        "The label is column 'label', not 'answer'; --columns label=NAME changes this.",
    )


def test_a_score_is_the_label_only_where_nothing_else_is(tmp_path: Path) -> None:
    with_label = read(tmp_path, "item,rater,label,score\n1,a,x,0.5\n")
    assert with_label.rows.select("label", "score").row(0) == ("x", "0.5")
    without = read(tmp_path, "item,rater,score\n1,a,4\n")
    assert without.rows.select("label", "score").row(0) == ("4", None)


def test_two_columns_of_one_name_are_refused_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="two columns that could be the label: 'label' and 'Label'") as caught:
        read(tmp_path, "item,rater,label,Label\n1,a,x,y\n")
    assert "--columns label=" in caught.value.hint
    with pytest.raises(ReadError, match="2 columns 'label'"):
        read(tmp_path, "item,rater,label,label\n1,a,x,y\n", columns={"label": "label"})


def test_a_mapping_is_by_header_whatever_its_case(tmp_path: Path) -> None:
    content = "Doc Nr,who,code,label\n1,ann,A,ignored\n"
    columns = {"item": "doc_nr", "rater": "WHO", "label": "code"}
    assert triples(read(tmp_path, content, columns=columns)) == [("1", "ann", "A")]


def test_a_mapping_to_nothing_says_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"no column 'code' \(for label\); its columns are 'item', 'rater'") as caught:
        read(tmp_path, "item,rater,label\n1,a,x\n", columns={"label": "code"})
    assert caught.value.column == "code"
    with pytest.raises(InputError, match="role 'labl'") as wrong:
        read(tmp_path, "item,rater,label\n1,a,x\n", columns={"labl": "label"})
    assert "item, rater, label" in wrong.value.hint


@pytest.mark.parametrize(
    ("header", "missing"), [("item,label", "rater"), ("rater,label", "item"), ("item,rater,text", "label")]
)
def test_a_missing_role_is_named_with_the_columns_seen(tmp_path: Path, header: str, missing: str) -> None:
    with pytest.raises(ReadError, match=f"none of them is known as the {missing}") as caught:
        read(tmp_path, f"{header}\n1,x\n" if header.count(",") == 1 else f"{header}\n1,x,some words\n")
    assert "--columns item=...,rater=...,label=..." in caught.value.hint
    assert repr(header.split(",")[0]) in str(caught.value)


def test_a_file_of_answers_without_raters_points_to_gold(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="does not say who rated") as caught:
        read(tmp_path, "item_id,label\n1,x\n2,y\n")
    assert "--gold" in caught.value.hint


# Labels and ids


def test_whole_numbers_lose_their_decimals_as_labels_but_not_as_ids(tmp_path: Path) -> None:
    export = read(tmp_path, "item,rater,label\n1.0,a, 2.0 \n2.0,a,-0.0\n3.0,a,2.50\n4.0,a,1.10.0\n")
    assert triples(export) == [("1.0", "a", "2"), ("2.0", "a", "0"), ("3.0", "a", "2.50"), ("4.0", "a", "1.10.0")]


def test_white_space_around_is_stripped_and_blanks_are_null(tmp_path: Path) -> None:
    export = read(tmp_path, 'item,rater,label\n" 1 ",\u00a0ann\u00a0,\tyes\n , ,"  "\n')
    assert triples(export) == [("1", "ann", "yes"), (None, None, None)]


# Questions, times and other optional columns


def test_the_question_of_a_row(tmp_path: Path) -> None:
    content = "item,rater,label,question\n1,a,x,tone\n1,b,x,\n"
    assert read(tmp_path, content).rows["question"].to_list() == ["tone", "file"]
    assert read(tmp_path, content, fallback_question="inbox").rows["question"].to_list() == ["tone", "inbox"]
    assert read(tmp_path, content, fallback_question="inbox", question="q").rows["question"].to_list() == ["tone", "q"]
    assert read(tmp_path, content, prefix="news").rows["question"].to_list() == ["news/tone", "news/file"]


def test_an_items_own_question_text_is_not_the_question(tmp_path: Path) -> None:
    rows = "".join(f"{i},{r},x,What is {i}?\n" for i in range(30) for r in "ab")
    export = read(tmp_path, "item,rater,label,question\n" + rows)
    assert export.rows["question"].unique().to_list() == ["file"]
    assert any("not read as question" in warning for warning in export.warnings)
    assert export.metadata.filter(item="3").rows() == [("file", "3", "question", "What is 3?")]
    insisted = read(tmp_path, "item,rater,label,question\n" + rows, columns={"question": "question"})
    assert insisted.rows["question"].n_unique() == 30


def test_optional_columns_are_believed_only_if_their_values_fit(tmp_path: Path) -> None:
    content = "item,rater,label,date,confidence,duration\n1,a,x,1/2/2015 10:22,high,3\n1,b,x,1/3/2015 9:00,low,4\n"
    export = read(tmp_path, content)
    assert export.rows["rated_at"].null_count() == 2
    assert export.rows["duration_s"].to_list() == ["3", "4"]
    assert [w.split(":")[0] for w in export.warnings[:2]] == [
        "Column 'date' is not read as time",
        "Column 'confidence' is not read as score",
    ]
    assert validate(export).ratings.height == 2
    insisted = validate(read(tmp_path, content, columns={"time": "date"}))
    assert insisted.rejects["reason"].to_list() == ["bad_time", "bad_time"]


def test_kinds_of_raters(tmp_path: Path) -> None:
    content = "item,rater,label,rater_kind\n1,a,x,HUMAN\n1,b,x,LLM\n1,c,x,\n1,d,x,\n1,e,x,\n1,a,y,\n"
    export = read(tmp_path, content, systems=frozenset({"c", "a"}), gold=frozenset({"d"}))
    assert export.rows["rater_kind"].to_list() == ["human", "system", "system", "gold", "human", "system"]


def test_all_optional_roles_reach_the_rating() -> None:
    ratings = validate(read_export(EXPORTS / "full.tsv")).ratings
    judge = ratings.filter(rater="judge").row(0, named=True)
    assert judge["rated_at"].isoformat() == "2026-03-01T11:00:00+00:00"
    assert (judge["score"], judge["system_version"], judge["rater_kind"]) == (0.75, "j-2", "system")
    assert ratings.filter(rater="ben").row(0, named=True)["rated_at"].isoformat() == "2026-03-01T10:00:00+00:00"
    assert ratings["duration_s"].to_list() == [12.5, 8.0, None, 3.0, None]
    assert ratings["row_number"].to_list() == [2, 3, 4, 5, 6]


# Metadata


def test_constant_columns_describe_the_item_and_varying_ones_are_named(tmp_path: Path) -> None:
    content = "item,rater,label,lang,note\n1,a,x,de,n1\n1,b,y,,n2\n2,a,x,en,\n2,b,x,en,\n"
    export = read(tmp_path, content)
    assert export.metadata.sort("item", "key").rows() == [("file", "1", "lang", "de"), ("file", "2", "lang", "en")]
    assert export.warnings == ("Not kept, because their values differ within an item: columns 'note'.",)


def test_metadata_belongs_to_each_question_of_the_item() -> None:
    export = read_export(EXPORTS / "full.tsv")
    assert export.metadata.filter(item="d1").select("question", "value").rows() == [
        ("tone", "Fine, thanks"),
        ("polite", "Fine, thanks"),
    ]


def test_long_metadata_is_cut_and_said(tmp_path: Path) -> None:
    export = read(tmp_path, f"item,rater,label,text\n1,a,x,{'é' * 3_000}\n")
    assert export.metadata["value"].str.len_chars().to_list() == [2_000]
    assert export.warnings == ("Cut after 2,000 characters: 1 value of item metadata.",)


# Files


def test_a_header_without_rows_is_an_empty_export(tmp_path: Path) -> None:
    export = read(tmp_path, "item,rater,label\n")
    assert export.rows.height == export.rejects.height == 0
    assert export.warnings == ("The file has a header but no rows.",)
    assert validate(export).n_rows == 0


def test_parquet_reads_as_csv_does(tmp_path: Path) -> None:
    frame = pl.DataFrame({"task": [1, 1, 2], "worker": ["a", "b", "a"], "label": [1.0, None, 2.0]})
    frame.write_parquet(tmp_path / "same.parquet")
    frame.write_csv(tmp_path / "same.csv")
    parquet, csv = (read_export(tmp_path / name) for name in ("same.parquet", "same.csv"))
    assert triples(parquet) == triples(csv) == [("1", "a", "1"), ("1", "b", None), ("2", "a", "2")]
    assert parquet.rows["row_number"].to_list() == [1, 2, 3]
    assert csv.rows["row_number"].to_list() == [2, 3, 4]


def test_day_numbers_of_a_spreadsheet_are_times_if_one_says_so(tmp_path: Path) -> None:
    """Without a date format a cell holds the days since 1899-12-30: 46266 is 2026-09-01."""
    content = "item,rater,label,date\n1,a,x,46266\n1,b,x,46266.5\n"
    export = read(tmp_path, content)
    assert export.rows["rated_at"].null_count() == 2
    assert "--columns 'time=date,time_format=excel'" in export.warnings[0]
    ratings = validate(read(tmp_path, content, columns={"time": "date", "time_format": "excel"})).ratings
    assert ratings["rated_at"].dt.to_string("%Y-%m-%d %H:%M").to_list() == ["2026-09-01 00:00", "2026-09-01 12:00"]


def test_a_column_in_which_only_some_times_have_a_zone_is_named(tmp_path: Path) -> None:
    times = ["2026-04-01T10:00:00Z", "2026-04-01 10:00:00+02:00", "2026-04-01 10:00:00", ""]
    file = tmp_path / "tone.csv"
    file.write_text("item,rater,label,time\n" + "".join(f"{n},ann,{n % 2},{time}\n" for n, time in enumerate(times)))
    (note,) = [text for text in read_export(file).warnings if "time zone" in text]
    assert note.startswith("Column 'time' (time) has a time zone in 2 rows and none in 1.")
    file.write_text("item,rater,label,time\n" + "".join(f"{n},ann,{n % 2},{times[2]}\n" for n in range(4)))
    assert not [text for text in read_export(file).warnings if "time zone" in text]
