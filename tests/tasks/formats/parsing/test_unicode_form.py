"""Ids and labels that look the same are the same: names are read in Unicode's composed form, whatever the file has."""

import json
import unicodedata
from pathlib import Path

import polars as pl
import pytest

from tasks.formats import ReadOptions
from tasks.formats.parsing.cells import label_set
from tasks.ingest.read_export import read_export
from tasks.ingest.validate import validate
from tasks.single_file.agree_file import AgreementDetail, agree
from tasks.single_file.gold_file import read_gold
from tasks.single_file.inspect_file import inspect_file
from tasks.single_file.load_file import FileOptions

pytestmark = pytest.mark.field_trial(26)
NFC = "Café"
NFD = unicodedata.normalize("NFD", NFC)
assert NFC != NFD


def sheet(tmp_path: Path, *rows: tuple[str, str, str], name: str = "labels.csv") -> Path:
    path = tmp_path / name
    lines = ["item,rater,label", *(",".join(row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_raters_who_agree_agree_however_their_names_are_written(tmp_path: Path) -> None:
    path = sheet(
        tmp_path,
        (f"{NFC} 1", "ann", NFC), (f"{NFD} 1", "ben", NFD), (f"{NFC} 2", "ann", "tea"), (f"{NFD} 2", "ben", "tea"),
        ("3", "ann", NFC), ("3", "ben", NFD), ("4", "ann", "tea"), ("4", "ben", "tea"),
    )  # fmt: skip
    (result,) = agree(path, FileOptions(labels=(NFD, "tea")), AgreementDetail(coefficients=("cohen_kappa",)))
    assert (result["n_items"], result["labels"]) == (4, [NFC, "tea"])
    assert result["coefficients"][0]["estimate"] == 1.0
    texts = [warning for warning in read_export(path).warnings if "NFC" in warning]
    assert texts == [
        "Some names were not in Unicode's composed form (NFC) and were converted to it (item: 2, label: 1). Names "
        f"that look the same are now one: item '{NFC} 1', item '{NFC} 2', label '{NFC}'."
    ]


def test_names_that_are_composed_are_left_alone_and_nothing_is_said(tmp_path: Path) -> None:
    path = sheet(tmp_path, (NFC, "Ångström", "東京"), ("Ł", "ben", "naïve"))
    export = read_export(path)
    assert export.rows.select("item", "rater", "label").rows() == [(NFC, "Ångström", "東京"), ("Ł", "ben", "naïve")]
    assert not [warning for warning in export.warnings if "NFC" in warning]


def test_every_reader_composes_names_and_metadata_follow_their_item(tmp_path: Path) -> None:
    task = {
        "id": 1, "data": {"key": NFD, "text": "t"},
        "annotations": [{"id": 1, "completed_by": 1, "result": [
            {"from_name": f"q {NFD}", "type": "choices", "value": {"choices": [NFD]}}]}],
    }  # fmt: skip
    path = tmp_path / "export.json"
    path.write_text(json.dumps([task]), encoding="utf-8")
    export = read_export(path, ReadOptions(columns={"item": "key"}))
    assert export.rows.select("question", "item", "label").rows() == [(f"q {NFC}", NFC, NFC)]
    assert set(export.metadata.select("question", "item").rows()) == {(f"q {NFC}", NFC)}


def test_a_set_of_labels_has_each_label_once() -> None:
    assert label_set([NFD, NFC, "b"]) == label_set(["b", NFC]) == json.dumps([NFC, "b"], ensure_ascii=False)
    assert label_set([NFD, NFC]) == NFC


def test_names_that_the_user_gives_match(tmp_path: Path) -> None:
    path = sheet(tmp_path, ("1", NFD, NFD), ("1", "ben", "x"), name=f"{NFD}.csv")
    options = ReadOptions(systems=frozenset({NFD}), prefix=NFD)
    checked = validate(read_export(path, options), labels={f"{NFD}/{NFD}": [NFD]})
    assert checked.ratings.select("question", "rater", "rater_kind", "label").rows() == [
        (f"{NFC}/{NFC}", NFC, "system", NFC)
    ]
    assert checked.rejects["reason"].to_list() == ["unknown_label"]
    other = validate(read_export(path, ReadOptions(systems=frozenset({NFC}), gold=frozenset({NFD})))).ratings
    assert other.filter(pl.col("rater") == NFC)["rater_kind"].to_list() == ["gold"]


def test_gold_matches_the_items(tmp_path: Path) -> None:
    path = tmp_path / "gold.csv"
    path.write_text(f"item,gold\n{NFD},{NFD}\n{NFC},{NFC}\n", encoding="utf-8")
    assert read_gold(path).rows() == [(NFC, NFC)]


def test_inspect_says_what_was_joined(tmp_path: Path) -> None:
    path = sheet(tmp_path, ("1", "ann", NFC), ("1", "ben", NFD), ("2", "ann", NFC), ("2", "ben", NFC))
    result = inspect_file(path)
    assert any(f"label '{NFC}'" in warning for warning in result["warnings"])  # type: ignore[attr-defined]
    assert result["questions"][0]["labels"] == [NFC]  # type: ignore[index]


def test_names_that_still_look_alike_are_named(tmp_path: Path) -> None:
    """Characters that nobody sees, ligatures and case are left as they are, and said."""
    path = sheet(
        tmp_path, ("1", "ann", "cat"), ("1", "bob", "ca\u200bt"), ("2", "ann", "Fish"), ("2", "bob", "\ufb01sh"),
        ("3", "ann", "dog"), ("3", "Bob", "dog"),
    )  # fmt: skip
    warnings = inspect_file(path)["warnings"]
    assert isinstance(warnings, list)
    assert [text for text in warnings if "look alike" in text] == [
        "raters: Some names look alike and count as different: 'Bob' and 'bob'. "
        "Correct the export if they are the same.",
        "labels of labels: Some labels look alike and count as different: 'Fish' and '\ufb01sh'; 'cat' and "
        "'ca\\u200bt'. "
        "Correct the export if they are the same.",
    ]
    (result,) = agree(path, FileOptions(), AgreementDetail(coefficients=("cohen_kappa",)))
    assert "'cat' and 'ca\\u200bt'" in result["warnings"][0]
