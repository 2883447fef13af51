"""Votes in one record per item: counts, lists, parallel lists; and tables that must not be taken for counts."""

from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest

from tasks.errors import ReadError
from tasks.formats import ReadOptions
from tasks.ingest.read_export import detect, read_export
from tasks.single_file.agree_file import AgreementDetail, agree
from tasks.single_file.load_file import FileOptions

FLEISS_1971 = (
    "00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031 "
    "00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"
)
FLEISS = "subject,no,maybe,yes\ns1,0,1,3\ns2,4,0,0\ns3,2,1,1\n"


def write(tmp_path: Path, content: str, name: str = "file.csv") -> Path:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return path


def test_a_table_of_counts_gives_one_rating_per_vote(tmp_path: Path) -> None:
    rows = read_export(write(tmp_path, FLEISS)).rows
    counts = rows.group_by("item", "label").len().sort("item", "label").rows()
    assert counts == [("s1", "maybe", 1), ("s1", "yes", 3), ("s2", "no", 4), ("s3", "maybe", 1), ("s3", "no", 2),
                      ("s3", "yes", 1)]  # fmt: skip
    assert not rows.select(pl.struct("item", "rater").is_duplicated().any()).item()


@pytest.mark.parametrize("role", ["time", "rated_at"])
def test_all_votes_of_a_row_have_the_time_of_a_mapped_column(tmp_path: Path, role: str) -> None:
    """It was taken for the items' metadata, so that half a year of votes fell on the day of the file's arrival."""
    path = write(tmp_path, "subject,no,yes,when\ns1,1,1,3/24/2026 17:57\ns2,2,0,\n")
    columns = {"item": "subject", "labels": "no|yes", role: "when", "time_format": "%m/%d/%Y %H:%M"}
    export = read_export(path, ReadOptions(columns=columns))
    assert export.rows.select("item", "rated_at").sort("item").rows() == [
        *[("s1", "2026-03-24T17:57:00.000000")] * 2, *[("s2", None)] * 2,
    ]  # fmt: skip
    assert export.columns is not None
    assert export.columns.metadata == ()
    assert not any("do not concern" in text or "no effect" in text for text in export.warnings)
    (other,) = [text for text in read_export(path, ReadOptions(columns=columns | {"score": "no"})).warnings
                if "do not concern" in text]  # fmt: skip
    assert "mapped to score do" in other


def test_fleiss_kappa_of_his_own_table_is_as_published(tmp_path: Path) -> None:
    """Fleiss (1971), Psychological Bulletin 76, table 1: 30 patients, 6 ratings each, 5 diagnoses, kappa .430."""
    lines = [f"{n},{','.join(row)}" for n, row in enumerate(FLEISS_1971.split())]
    path = write(tmp_path, "patient,depression,personality,schizophrenia,neurosis,other\n" + "\n".join(lines) + "\n")
    (result,) = agree(path, FileOptions(), AgreementDetail(coefficients=("fleiss_kappa",)))
    assert result["n_ratings"] == 180
    assert result["coefficients"][0]["estimate"] == pytest.approx(0.430, abs=0.0005)  # type: ignore[index]


@pytest.mark.parametrize(
    "content",
    [
        "id,alpha,beta,gamma\nx,1,2,3\ny,3,1,2\nz,2,3,1\n",  # ranks
        "id,no,maybe,yes\nx,20,30,50\ny,60,30,10\nz,0,0,100\n",  # perhaps per cent
        "id,rater1,rater2,rater3\nx,1,2,3\ny,3,2,1\nz,2,2,2\n",  # people
        "id,no,maybe,yes\nx,1,2,3\ny,3,1,3\nz,2,3,1\n",  # other sums
        "id,alice,bob,carol\nx,1,2,3\ny,2,2,2\nz,3,2,1\n",  # ratings that happen to add up
        "id,alice,bob,carol\nx,1,2,3\ny,1,1,2\nz,2,1,3\n",  # a rater whose labels happen to be a sum
        "a,b,c\n1,2,3\n2,1,4\n3,3,2\n",  # no ids
    ],
)
def test_what_may_be_something_else_is_not_taken_for_counts(tmp_path: Path, content: str) -> None:
    path = write(tmp_path, content)
    with suppress(ReadError):
        assert detect(path) != "vote_counts"


@pytest.mark.parametrize("sums", ["5,5,5", "5,4,6"])
def test_a_column_of_totals_is_no_label(tmp_path: Path, sums: str) -> None:
    a, b, c = sums.split(",")
    content = f"id,no,maybe,yes,total\nx,1,1,{int(a) - 2},{a}\ny,0,{b},0,{b}\nz,{int(c) - 1},1,0,{c}\n"
    export = read_export(write(tmp_path, content))
    assert export.format == "vote_counts"
    assert (export.rows.height, export.rows["label"].unique().sort().to_list()) == (15, ["maybe", "no", "yes"])
    assert export.columns is not None
    assert export.columns.passed_over == ("total",)


def test_named_labels_need_no_equal_sums(tmp_path: Path) -> None:
    path = write(tmp_path, "id,no,yes,text\nx,1,2,t\ny,3,1,u\nz,0,-1,v\nw,0,0,w\n")
    export = read_export(path, ReadOptions(columns={"item": "id", "labels": "no|yes"}))
    assert (export.format, export.rows.height) == ("vote_counts", 7)
    assert export.rejects.select("row_number", "reason").rows() == [(4, "bad_record"), (5, "empty_answer")]
    assert ("x", "text", "t") in export.metadata.select("item", "key", "value").rows()


def test_a_number_of_votes_without_end_is_a_reject(tmp_path: Path) -> None:
    content = '{"uid": "u", "label_counter": {"a": 99999}}\n{"uid": "v", "label_counter": {"a": 2, "b": 1}}\n'
    export = read_export(write(tmp_path, content, "c.jsonl"))
    assert (export.rows.height, export.rejects["reason"].to_list()) == (3, ["bad_record"])


def test_figures_that_need_names_are_null_with_the_reason(tmp_path: Path) -> None:
    (result,) = agree(write(tmp_path, FLEISS), FileOptions(), AgreementDetail(by=("pair", "rater")))
    reasons = {row["name"]: row["reason"] for row in result["coefficients"]}  # type: ignore[attr-defined]
    assert reasons["conger_kappa"] == "unnamed_raters"
    assert reasons["fleiss_kappa"] is None
    assert result["by_pair"] == result["by_rater"] == []
