"""Rating patterns in a file: n_items says how many items a row stands for. Equal figures or a refusal, no guess."""

from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.errors import StatsError
from tasks.errors import InputError, ReadError
from tasks.formats import ReadOptions
from tasks.ingest.read_export import read_export
from tasks.single_file.accuracy_file import AccuracyDetail as AccuracyDetail
from tasks.single_file.accuracy_file import estimate
from tasks.single_file.agree_file import AgreementDetail, agree
from tasks.single_file.inspect_file import inspect_file
from tasks.single_file.load_file import FileOptions
from tasks.single_file.reduce import reduce_ratings

RATERS = ("ann", "bob", "cid", "sys")
LABELS = ("A", "B", "C")
RATINGS = pl.DataFrame(
    [
        (f"i{item:03}", rater, LABELS[(item + (item // 7 % 3 if (item + place) % 4 == 0 else 0)) % 3])
        for item in range(120)
        for place, rater in enumerate(RATERS)
        if (item * place) % 5 != 3
    ],
    schema=["item", "rater", "label"],
    orient="row",
)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """The same ratings written out, and as patterns in two formats; all of one name, which is the question."""
    paths = {kind: tmp_path / kind / name for kind, name in (
        ("ratings", "tone.parquet"), ("parquet", "tone.parquet"), ("csv", "tone.csv"))}  # fmt: skip
    for path in paths.values():
        path.parent.mkdir()
    RATINGS.write_parquet(paths["ratings"])
    reduce_ratings(RATINGS).write_parquet(paths["parquet"])
    reduce_ratings(RATINGS).write_csv(paths["csv"])
    return paths


def _equal(outcome: Any, expected: Any) -> None:
    """Integers and words exactly, floats to rounding."""
    if isinstance(expected, dict):
        assert outcome.keys() == expected.keys()
        for key in expected:
            _equal(outcome[key], expected[key])
    elif isinstance(expected, list):
        assert len(outcome) == len(expected)
        for result, other in zip(outcome, expected, strict=True):
            _equal(result, other)
    elif isinstance(expected, float):
        assert outcome == pytest.approx(expected, rel=1e-9, abs=1e-12)
    else:
        assert outcome == expected


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_agreement_of_patterns_is_that_of_the_ratings(files: dict[str, Path], kind: str) -> None:
    detail = AgreementDetail(by=("label", "rater", "pair"))
    (expected,), (result,) = (agree(files[name], FileOptions(), detail) for name in ("ratings", kind))
    warning = result.pop("warnings")
    expected.pop("warnings")
    assert result["n_items"] == 120
    _equal(result, expected)
    n_patterns = reduce_ratings(RATINGS)["item"].n_unique()
    assert f": {n_patterns} patterns stand for 120 items" in str(warning)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_accuracy_of_patterns_is_that_of_the_ratings(files: dict[str, Path], kind: str) -> None:
    options = FileOptions(ReadOptions(systems=frozenset({"sys"})))
    (expected,), (result,) = (
        estimate(files[name], options, detail=AccuracyDetail(by=("label",))) for name in ("ratings", kind)
    )
    expected.pop("warnings")
    result.pop("warnings")
    _equal(result, expected)


def test_reduced_by_duckdb_and_in_parts_it_is_the_same() -> None:
    whole = reduce_ratings(RATINGS)
    assert whole["n_items"].dtype == pl.Int64
    assert whole.unique("item")["n_items"].sum() == 120
    with duckdb.connect() as con:
        con.register("ratings", RATINGS)
        assert reduce_ratings(con.table("ratings")).equals(whole)
    odd = pl.col("item").str.slice(1).cast(pl.Int64) % 2 == 1
    halves = [reduce_ratings(RATINGS.filter(half), labels=LABELS, raters=RATERS) for half in (odd, ~odd)]
    together = pl.concat(
        [half.with_columns(item=pl.format("{}/{}", pl.lit(number), "item")) for number, half in enumerate(halves)]
    )
    assert reduce_ratings(together).equals(whole)


@given(
    st.lists(
        st.tuples(st.sampled_from("abcdefgh"), st.sampled_from(RATERS), st.sampled_from(LABELS)),
        min_size=1,
        unique_by=lambda row: row[:2],
    )
)
def test_patterns_written_out_are_the_ratings_without_names(rows: list[tuple[str, str, str]]) -> None:
    ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    patterns = reduce_ratings(ratings)
    shapes = patterns.group_by("item").agg(pl.struct("rater", "label").sort(), pl.col("n_items").first())
    written_out = [tuple(map(tuple, (r.values() for r in s))) for _, s, n in shapes.rows() for _ in range(n)]
    given_ = ratings.group_by("item").agg(pl.struct("rater", "label").sort())
    assert sorted(written_out) == sorted(tuple(map(tuple, (r.values() for r in s))) for _, s in given_.rows())


def test_an_undeclared_label_is_refused() -> None:
    with pytest.raises(StatsError, match="declared"):
        reduce_ratings(RATINGS, labels=["A", "B"])


HEADER = "item,rater,label,n_items\n"


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "", "many", "nan", "1e3", "9999999999999999"])
def test_what_is_no_number_of_items_is_refused_with_its_row(tmp_path: Path, value: str) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"{HEADER}1,a,x,3\n1,b,x,{value}\n")
    with pytest.raises(ReadError, match=r"in row 3 it is") as caught:
        read_export(path)
    assert caught.value.row == 3
    assert "whole number from 1" in caught.value.hint


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ("1,a,x,3\n1,b,x,4\n", "several n_items: 3 and 4"),
        ("1,a,x,3\n1,a,y,3\n", "rater 'a' twice in item '1'"),
        ("1,a,x,3\n1,,y,3\n", "1 row was rejected in p.csv"),
        ("1,a,x,3\n1,b\n1,c,y,3\n", "1 row was rejected in p.csv"),
    ],
)
def test_patterns_that_are_not_whole_are_refused(tmp_path: Path, rows: str, text: str) -> None:
    path = tmp_path / "p.csv"
    path.write_text(HEADER + rows)
    with pytest.raises(InputError, match=text):
        agree(path, FileOptions())


def test_whole_numbers_with_decimals_are_read_and_any_column_can_be_mapped(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("item,rater,label,weight\n1,a,x,3.0\n1,b,x,3.0\n2,a,y,1\n2,b,x,1\n")
    (result,) = agree(path, FileOptions(ReadOptions(columns={"n_items": "weight"})))
    assert (result["n_items"], result["n_ratings"]) == (4, 8)
    (unmapped,) = agree(path, FileOptions())
    assert unmapped["n_items"] == 2


def test_gold_items_beside_patterns_are_refused(files: dict[str, Path], tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text("item,label\ni001,A\n")
    with pytest.raises(InputError, match="no items that --gold could name"):
        estimate(files["parquet"], FileOptions(ReadOptions(systems=frozenset({"sys"}))), gold=gold)


def test_a_wide_table_with_n_items_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text("id,ann,bob,n_items\n1,yes,no,4\n2,no,no,3\n3,yes,yes,2\n")
    with pytest.raises(ReadError, match="a wide table cannot have such a column"):
        read_export(path)


def test_inspect_says_what_the_rows_are(files: dict[str, Path]) -> None:
    result = inspect_file(files["parquet"])
    assert "rating pattern" in str(result["warnings"])
    assert "not ingested" in str(result["toml"])


def test_a_folder_of_parquet_parts_is_read_as_one_file(tmp_path: Path) -> None:
    folder = tmp_path / "tone.parquet"
    (folder / "_temporary").mkdir(parents=True)
    for number in range(3):
        RATINGS.gather_every(3, number).write_parquet(folder / f"part-{number}.snappy.parquet")
    RATINGS.write_parquet(folder / "_temporary" / "half.parquet")
    (folder / "_SUCCESS").touch()
    whole = tmp_path / "whole" / "tone.parquet"
    whole.parent.mkdir()
    RATINGS.write_parquet(whole)
    (result,), (expected,) = agree(folder, FileOptions()), agree(whole, FileOptions())
    _equal(result, expected)


def test_parts_with_and_without_n_items_are_not_mixed(tmp_path: Path) -> None:
    RATINGS.write_parquet(tmp_path / "a.parquet")
    reduce_ratings(RATINGS).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(ReadError, match=r"a\.parquet lacks the column n_items"):
        read_export(tmp_path)


def test_a_folder_without_parquet_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="is a folder, not a file"):
        read_export(tmp_path)
