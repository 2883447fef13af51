"""Intervals that rest on few items are too narrow, and the figures say so."""

import json
from pathlib import Path

import polars as pl
import pytest

from tasks.evaluate.question_config import QuestionConfig
from tasks.evaluate.regions.few_items import FEW_ITEMS
from tasks.evaluate.regions.region_figures import region_tables
from tasks.formats import ReadOptions
from tasks.formats.regions.read_regions import read_regions
from tasks.single_file.agree_file import AgreementDetail, agree
from tasks.single_file.agree_regions import agree_on_regions
from tasks.single_file.load_file import FileOptions
from tests.tasks.evaluate.regions.test_region_figures import work

NARROW = "The intervals rest on {n} (fewer than 20) and are too narrow"


@pytest.mark.parametrize("n", [FEW_ITEMS - 1, FEW_ITEMS])
def test_boxes_of_few_images(tmp_path: Path, n: int) -> None:
    images = [{"id": i, "file_name": f"{i}.png"} for i in range(n)]
    for rater, shift in (("ann", 0), ("ben", 1)):
        boxes = [{"image_id": i, "category_id": 1, "bbox": [shift * (i % 3), 0, 9, 9]} for i in range(n)]
        coco = {"images": images, "categories": [{"id": 1, "name": "car"}], "annotations": boxes}
        (tmp_path / f"{rater}.json").write_text(json.dumps(coco))
    held = read_regions([tmp_path / "ann.json", tmp_path / "ben.json"], ReadOptions())
    assert held is not None
    (result,) = agree_on_regions(held, FileOptions())
    assert any(text.startswith(NARROW.format(n=f"{n} images")) for text in result["warnings"]) is (n < FEW_ITEMS)


@pytest.mark.parametrize("n", [FEW_ITEMS - 1, FEW_ITEMS])
@pytest.mark.parametrize(("mark", "noun"), [('[[0.0,0.0,{i}.0,9.0,"car"]]', "images"), ('[[0,{i},"car"]]', "texts")])
def test_a_project_notes_it_of_boxes_and_spans(mark: str, noun: str, n: int) -> None:
    rows = [
        (f"i{i}", rater, mark.replace("{i}", str(5 + i % shift)))
        for i in range(n)
        for rater, shift in (("ann", 2), ("ben", 3))
    ]
    _, notes = region_tables("cars", work(*rows), QuestionConfig(), 0.95)
    output = any(text.startswith("cars: " + NARROW.format(n=f"{n} {noun}")) for text in notes)
    assert output is (n < FEW_ITEMS)


@pytest.mark.parametrize(("n", "kind"), [(8, "ranking"), (25, "ranking"), (8, "text")])
def test_rankings_of_few_items(tmp_path: Path, n: int, kind: str) -> None:
    rows = [
        (f"i{i}", rater, "a > b > c" if (i + k) % 3 else "b > a > c") for i in range(n) for k, rater in enumerate("xy")
    ]
    path = tmp_path / "order.csv"
    pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row").write_csv(path)
    (result,) = agree(path, FileOptions(), AgreementDetail(answers=kind))
    output = any(text.startswith(NARROW.format(n=f"{n} items")) for text in result["warnings"])
    answers = [
        (item, rater, json.dumps({"ranking": [["a", 1], ["b", 2]]} if kind == "ranking" else {"text": label}))
        for item, rater, label in rows
    ]
    _, notes = region_tables("order", work(*answers), QuestionConfig(), 0.95)
    assert output is any(text.startswith("order: " + NARROW.format(n=f"{n} items")) for text in notes)
    assert output is (n < FEW_ITEMS and kind == "ranking")
