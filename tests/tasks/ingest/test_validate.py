"""From text to typed ratings: every reason, and nothing lost."""

import csv
import io
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tasks.ingest.validate
from schemas.contracts import breaches
from tasks.evaluate.labels import declared_or_inferred
from tasks.formats import CANONICAL, Export, ReadOptions
from tasks.formats.parsing.cells import tidy, tidy_labels
from tasks.formats.parsing.distinct_texts import changed, distinct, distinct_of_each
from tasks.formats.parsing.reject_rows import REASONS, Reject, rejects_frame
from tasks.formats.parsing.timestamps import parse_times
from tasks.ingest.read_export import read_export
from tasks.ingest.validate import RATINGS, ValidatedExport, validate

GOOD = {"question": "q", "item": "1", "rater": "ann", "rater_kind": "human", "label": "yes", "row_number": 2}


def export(*rows: dict[str, object], rejects: tuple[Reject, ...] = (), n_skipped: int = 0) -> Export:
    frame = pl.DataFrame([GOOD | row for row in rows], schema=CANONICAL)
    return Export("test", frame, rejects_frame(rejects), n_skipped)


def only_reject(**row: object) -> dict[str, object]:
    result = validate(export(row))
    assert result.ratings.is_empty()
    assert result.rejects.height == 1
    return result.rejects.row(0, named=True)


def test_a_good_row_is_a_typed_rating() -> None:
    full = {"rated_at": "2026-05-01T10:00:00+02:00", "score": "0.25", "duration_s": "3", "system_version": "v1"}
    result = validate(export(full))
    assert dict(result.ratings.schema) == RATINGS
    row = result.ratings.row(0, named=True)
    assert row["rated_at"] == datetime(2026, 5, 1, 8, tzinfo=UTC)
    assert (row["score"], row["duration_s"], row["system_version"], row["source_ref"]) == (0.25, 3.0, "v1", None)
    assert (result.n_rows, result.n_skipped, result.rejects.height) == (1, 0, 0)


@pytest.mark.parametrize(
    ("row", "reason", "column", "value"),
    [
        ({"question": None}, "missing_question", "question", None),
        ({"item": None}, "missing_item", "item", None),
        ({"rater": None}, "missing_rater", "rater", None),
        ({"label": None}, "missing_label", "label", None),
        ({"label": "nan"}, "missing_label", "label", "nan"),
        ({"label": "NaN"}, "missing_label", "label", "NaN"),
        ({"label": "NAN"}, "missing_label", "label", "NAN"),
        ({"label": '{"verdict": "C", "why": "x"}'}, "object_label", "label", '{"verdict": "C", "why": "x"}'),
        ({"label": "-inf"}, "bad_number", "label", "-inf"),
        ({"item": "a\0b"}, "bad_encoding", "item", "a\0b"),
        ({"label": "\0"}, "bad_encoding", "label", "\0"),
        ({"item": "x" * 1_001}, "id_too_long", "item", "x" * 200),
        ({"source_ref": "é" * 1_001}, "id_too_long", "source_ref", "é" * 200),
        ({"label": "x" * 4_001}, "label_too_long", "label", "x" * 200),
        ({"rater_kind": "crowd"}, "bad_rater_kind", "rater_kind", "crowd"),
        ({"rater_kind": None}, "bad_rater_kind", "rater_kind", None),
        ({"rated_at": "soon"}, "bad_time", "rated_at", "soon"),
        ({"rated_at": "0001-01-01T00:00:00Z"}, "bad_time", "rated_at", "0001-01-01T00:00:00Z"),
        ({"score": "high"}, "bad_number", "score", "high"),
        ({"score": "inf"}, "bad_number", "score", "inf"),
        ({"duration_s": "nan"}, "bad_number", "duration_s", "nan"),
        ({"duration_s": "-1"}, "bad_number", "duration_s", "-1"),
    ],
)
def test_each_reason(row: dict[str, object], reason: str, column: str, value: str | None) -> None:
    reject = only_reject(**row)
    assert (reject["reason"], reject["column_name"], reject["value"]) == (reason, column, value)
    assert reject["detail"].startswith(REASONS[reason])  # type: ignore[attr-defined]
    assert reject["row_number"] == 2


def test_limits_are_inclusive() -> None:
    row = {"item": "é" * 1_000, "label": "x" * 4_000, "duration_s": "0", "rated_at": "1971-01-01"}
    assert validate(export(row)).ratings.height == 1


def test_a_row_that_fails_twice_is_one_reject_with_both_sentences() -> None:
    reject = only_reject(item=None, label=None, rated_at="soon")
    assert reject["reason"] == "missing_item"
    assert reject["detail"] == " ".join(REASONS[r] for r in ("missing_item", "missing_label", "bad_time"))


def test_rows_that_break_the_same_rules_share_their_sentence_in_memory() -> None:
    rows = [{"rated_at": f"day {number}", "rater_kind": ("robot", "human")[number % 2]} for number in range(1000)]
    details = validate(export(*rows)).rejects["detail"]
    both = f"{REASONS['bad_rater_kind']} {REASONS['bad_time']}"
    assert details.head(2).to_list() == [both, REASONS["bad_time"]]
    n_bytes = details.to_arrow(compat_level=pl.CompatLevel.newest()).get_total_buffer_size()
    assert n_bytes < 20 * len(details)  # each row has 16 bytes, which point to a sentence


def test_the_same_fault_is_told_for_each_question_and_none() -> None:
    rows = [{"question": name, "label": "maybe"} for name in ("a", "b", None, "c", "a")]
    rejects = validate(export(*rows), labels={"a": ("yes",), "b": ("no",)}).rejects
    told = [REASONS["unknown_label"] + f" Declared are: {label}." for label in ("yes", "no")]
    assert rejects["detail"].to_list() == [*told, REASONS["missing_question"], told[0]]


def test_declared_labels() -> None:
    rows = [{"label": label} for label in ("yes", "No", "1", '["no", "yes"]', '["no", "huh"]', "[sic]", "[broken")]
    result = validate(
        export(*rows, {"question": "free", "label": "anything"}), labels={"q": ["yes", "no", "1.0", "[sic]"]}
    )
    assert result.ratings["label"].to_list() == ["yes", "1", '["no", "yes"]', "[sic]", "anything"]
    assert result.rejects["value"].to_list() == ["No", '["no", "huh"]', "[broken"]
    assert set(result.rejects["reason"]) == {"unknown_label"}
    assert result.rejects["detail"][0].endswith("Declared are: yes, no, 1.0, [sic].")


def test_a_blank_label_is_missing_and_not_unknown() -> None:
    result = validate(export({"label": None}), labels={"q": ["yes"]})
    assert result.rejects["reason"].to_list() == ["missing_label"]


def test_rejects_of_reader_and_validation_stand_in_the_order_of_the_file() -> None:
    ragged = Reject(3, None, "x", "ragged_row", "The row has 1 cells, the header has 3.")
    result = validate(
        export({"row_number": 2, "item": None}, {"row_number": 4, "rater": None}, rejects=(ragged,), n_skipped=5)
    )
    assert result.rejects["row_number"].to_list() == [2, 3, 4]
    assert (result.n_rows, result.n_skipped) == (8, 5)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-11-20T22:54:36.552415Z", (2026, 11, 20, 22, 54, 36, 552415)),
        ("2026-11-20T22:54:36", (2026, 11, 20, 22, 54, 36)),
        ("2026-11-20 22:54:36.5", (2026, 11, 20, 22, 54, 36, 500000)),
        ("2026-11-20 22:54:36 UTC", (2026, 11, 20, 22, 54, 36)),
        ("2026-11-20T22:54:36-08:00", (2026, 11, 21, 6, 54, 36)),
        ("2026-11-20T22:54:36+0130", (2026, 11, 20, 21, 24, 36)),
        ("2026-11-20 22:54+01", (2026, 11, 20, 21, 54)),
        ("2026-11-20T22:54", (2026, 11, 20, 22, 54)),
        ("2026-11-20", (2026, 11, 20)),
        ("1763679276", (2025, 11, 20, 22, 54, 36)),
        ("1763679276.25", (2025, 11, 20, 22, 54, 36, 250000)),
        ("1763679276123", (2025, 11, 20, 22, 54, 36, 123000)),
        ("1763679276123456", (2025, 11, 20, 22, 54, 36, 123456)),
    ],
)
def test_times(text: str, time: tuple[int, ...]) -> None:
    assert parse_times(pl.Series([text]))[0] == datetime(*time, tzinfo=UTC)  # type: ignore[arg-type,misc]


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-30",
        "20/11/2026",
        "2026",
        "-5",
        "nan",
        "1e30",
        "2200-01-01",
        "1969-12-31",
        "",
        "0",
        "0.0",
        "1970-01-01T00:00:00Z",
        "1970-01-01 01:00",
        "1970-01-21T09:54:39Z",
    ],
)
def test_what_is_no_time(text: str) -> None:
    assert parse_times(pl.Series([text]))[0] is None


def test_times_of_several_spellings_in_one_column_keep_their_places() -> None:
    texts = [
        "2026-01-01",
        None,
        "x",
        "1767225600",
        "2026-01-01T00:00:00Z",
        "2026-01-01 00:00:00",
        "2025-12-31T23:00-01:00",
    ]
    new_year = datetime(2026, 1, 1, tzinfo=UTC)
    assert parse_times(pl.Series(texts)).to_list() == [new_year, None, None, *[new_year] * 4]


# The contract, and nothing lost

TEXTS = st.one_of(
    st.none(),
    st.sampled_from(
        ["", " ", "a", "1.0", "nan", "inf", "-1", "2026-01-01", "1e9", "human", "x" * 4_001, "\0", '["a", "b"]']
    ),
    st.text(max_size=5),
)
CELLS = st.text(alphabet=st.sampled_from([*'ab1. ,;"\n', "é", "\r"]), max_size=4)
ROWS = st.lists(st.fixed_dictionaries({name: TEXTS for name in CANONICAL if name != "row_number"}), max_size=6)


@settings(max_examples=150, deadline=None)
@given(ROWS)
def test_what_the_rules_accept_pandera_accepts(rows: list[dict[str, object]]) -> None:
    frame = pl.DataFrame([row | {"row_number": n} for n, row in enumerate(rows, 1)], schema=CANONICAL)
    blank_is_null = frame.with_columns(pl.when(pl.col(pl.String) != "").then(pl.col(pl.String)))
    result = validate(Export("test", blank_is_null, rejects_frame(())), contract=False)
    assert breaches("ratings", result.ratings).is_empty()
    assert breaches("rejects", result.rejects).is_empty()
    assert result.n_rows == result.ratings.height + result.rejects.height == len(rows)


@settings(max_examples=100, deadline=None)
@given(ROWS)
def test_texts_that_repeat_are_judged_as_each_row_alone_is(rows: list[dict[str, object]]) -> None:
    """Eight times each row, so that every text repeats and its column is judged by its distinct texts."""
    alone, repeated = (
        validate(Export("test", pl.DataFrame(each, schema=CANONICAL), rejects_frame(())), contract=False)
        for each in (rows, rows * 8)
    )
    for name in ("ratings", "rejects"):
        eight = pl.concat([getattr(alone, name)] * 8)
        assert getattr(repeated, name).sort(pl.all()).equals(eight.sort(pl.all()))


@given(st.lists(CELLS, max_size=12), st.booleans())
def test_tidying_distinct_texts_is_tidying_each(texts: list[str], often: bool) -> None:
    frame = pl.DataFrame({"label": texts * (8 if often else 1)}, schema={"label": pl.String})
    for change in (tidy, tidy_labels):
        expected = frame.select(change(pl.col("label")))
        assert frame.select(changed("label", change, distinct(frame, "label"))).equals(expected)


def test_distinct_texts_of_several_columns_are_those_of_each() -> None:
    frame = pl.DataFrame(
        {"label": ["a", None, "a", "b"] * 5, "item": [f"{i}" for i in range(20)], "nothing": [None] * 20},
        schema=dict.fromkeys(("label", "item", "nothing"), pl.String),
    )
    texts = distinct_of_each(frame, ["nothing", "item", "label"])
    assert list(texts) == ["nothing", "item", "label"]
    assert texts["item"] is None
    results = {name: column.to_list() for name, column in texts.items() if column is not None}
    assert set(results["label"]) == {"a", "b", None}
    assert results["nothing"] == [None]
    assert distinct_of_each(frame.clear(), ["label"]) == {"label": None}
    assert distinct_of_each(frame, []) == {}


def test_what_only_the_contract_refuses_is_a_reject_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        tasks.ingest.validate, "RULES", [rule for rule in tasks.ingest.validate.RULES if rule.column != "duration_s"]
    )
    result = validate(export({"row_number": 2}, {"row_number": 3, "duration_s": "-1"}, {"row_number": 4}))
    assert result.ratings["row_number"].to_list() == [2, 4]
    assert result.rejects.select("row_number", "column_name", "value", "reason").rows() == [
        (3, "duration_s", "-1.0", "contract")
    ]
    assert result.n_rows == 3


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(CELLS, min_size=1, max_size=4), max_size=10), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])
)
def test_no_row_of_a_csv_is_lost(tmp_path: Path, rows: list[list[str]], encoding: str) -> None:
    out = io.StringIO(newline="")
    csv.writer(out).writerows([["item", "rater", "label"], *rows])
    path = tmp_path / "rows.csv"
    path.write_bytes(out.getvalue().encode(encoding))
    if rows and all(len(row) != 3 for row in rows) and len(rows) > 1:
        return  # not one row is as wide as the header: the file is refused, see test_formats_tables
    result = validate(read_export(path, ReadOptions(format="long")), contract=False)
    full = [row for row in rows if len(row) == 3 and all(cell.strip() for cell in row)]
    assert accounted(result) == list(range(2, len(rows) + 2))
    assert result.ratings.select("item", "rater").rows() == [(row[0].strip(), row[1].strip()) for row in full]


def accounted(result: ValidatedExport) -> list[int]:
    return sorted([*result.ratings["row_number"], *result.rejects["row_number"]])


@pytest.mark.parametrize("label", ["null", "None", "NA", "n/a", "nano", "no"])
def test_words_for_no_answer_are_labels(label: str) -> None:
    """Raters use them ("none of these"), and odd output of a judge is to be reported (trap 10)."""
    assert validate(export({"label": label})).ratings["label"].to_list() == [label]


@pytest.mark.parametrize(("labels", "text"), [(["yes", "None"], True), (["yes", "no"], False)])
def test_words_for_no_answer_are_doubted_where_nobody_declared_them(labels: list[str], text: bool) -> None:
    result = declared_or_inferred(pl.Series(labels), None, "nominal", "q")
    assert (
        "If 'None' stands for no answer, declare the labels without: others are rejected" in str(result.note)
    ) == text
    assert declared_or_inferred(pl.Series(labels), labels, "nominal", "q").note is None
