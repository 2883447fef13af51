import polars as pl

from tasks.summary.rejected_counts import rejected_by_file, rejected_by_reason

REJECTED = pl.DataFrame(
    [
        ("a.csv", "empty_label", 5, 1, "late"),
        ("a.csv", "empty_label", 2, 3, "late"),
        ("a.csv", "bad_time", 9, 2, "odd"),
        ("b.csv", "bad_time", 4, None, "odd"),
    ],
    schema=["file_name", "reason", "row_number", "n_rows", "detail"],
    orient="row",
)


def test_rejected_rows_of_the_named_files_by_file_and_reason() -> None:
    rows = rejected_by_file(REJECTED, ["a.csv"])
    assert rows.columns == ["file_name", "reason", "n_rows", "first_row", "detail"]
    assert rows.rows() == [("a.csv", "bad_time", 2, 9, "odd"), ("a.csv", "empty_label", 4, 2, "late")]


def test_rejected_rows_by_reason_come_with_the_number_of_files() -> None:
    assert rejected_by_reason(REJECTED).rows() == [("empty_label", 4, 1), ("bad_time", 3, 2)]
    assert rejected_by_reason(REJECTED.clear()).is_empty()
