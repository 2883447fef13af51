"""Readers of boxes: Label Studio, CVAT and COCO; what is rejected; and the figures of files."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tasks.errors import InputError, ReadError
from tasks.formats import ReadOptions
from tasks.formats.regions.read_regions import read_regions
from tasks.formats.regions.span_export import SpanExport
from tasks.ingest.read_export import read_export
from tasks.single_file.agree_file import AgreementDetail, agree
from tasks.single_file.inspect_file import inspect_file
from tasks.single_file.load_file import FileOptions, load_counted, load_file

CVAT = Path(__file__).parents[3] / "data" / "exports" / "cvat"


def held_in(*paths: Path, **options: Any) -> SpanExport:
    held = read_regions(paths, ReadOptions(**options))
    assert held is not None
    return held


def coco(path: Path, *boxes: dict[str, Any]) -> Path:
    images = [{"id": 1, "file_name": "a.png"}, {"id": 2, "file_name": "b.png"}]
    annotations = [{"id": n, "image_id": 1, "category_id": 1, "iscrowd": 0} | box for n, box in enumerate(boxes)]
    held = {"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "car"}]}
    path.write_text(json.dumps(held))
    return path


def rectangle(name: str = "box", **value: Any) -> dict[str, Any]:
    usual = {"x": 10, "y": 10, "width": 20, "height": 20, "rotation": 0, "rectanglelabels": ["car"]}
    return {"from_name": name, "type": "rectanglelabels", "original_width": 640, "value": usual | value}


def test_cvat() -> None:
    held = held_in(CVAT / "ann.xml", CVAT / "ben.xml")
    assert held.boxes.drop("question").rows() == [
        ("a.png", "ann", 10.5, 20.0, 110.5, 80.0, "car"), ("a.png", "ben", 12.5, 20.0, 112.5, 80.0, "car"),
    ]  # fmt: skip
    assert held.assignments.select("item", "rater").rows() == [
        ("a.png", "ann"), ("b.png", "ann"), ("c.png", "ann"), ("a.png", "ben"),
    ]  # fmt: skip
    assert sorted(held.rejects.select("column_name", "detail").rows()) == [
        ("box", "The box is rotated."), ("polygon", "A polygon is not a box."),
        ("track", "A track of a video is not a label of an image."),
    ]  # fmt: skip
    assert held.has_labels


def test_coco(tmp_path: Path) -> None:
    path = coco(
        tmp_path / "ann.json",
        {"bbox": [1, 2, 3, 4]},
        {"bbox": [1, 2, 3]},
        {"bbox": [1, 2, -3, 4]},
        {"bbox": [1, 2, "x", 4]},
        {"bbox": [1, 2, 3, 4], "image_id": 9},
        {"bbox": [1, 2, 3, 4], "category_id": 9},
        {"segmentation": {}, "iscrowd": 1},
    )
    held = held_in(path)
    assert held.boxes.drop("question").rows() == [("a.png", "ann", 1.0, 2.0, 4.0, 6.0, "car")]
    assert Counter(held.rejects["reason"]) == {
        "bad_record": 2, "unsupported_control": 1, "missing_item": 1, "missing_label": 1,
    }  # fmt: skip
    assert (held.assignments.height, held.n_skipped) == (2, 1)
    with pytest.raises(ReadError, match="holds boxes on images"):
        read_export(path)


def test_label_studio(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    results = [rectangle(), rectangle(rotation=30), rectangle(width=None), rectangle(rectanglelabels=[])]
    task = {"id": 5, "data": {"image": "x"}, "annotations": [
        {"completed_by": 1, "result": results}, {"completed_by": 2, "result": []},
    ]}  # fmt: skip
    path.write_text(json.dumps([task]))
    held = held_in(path)
    assert held.boxes.rows() == [("box", "5", "1", 10.0, 10.0, 30.0, 30.0, "car")]
    assert Counter(held.rejects["reason"]) == {"unsupported_control": 1, "bad_record": 1, "missing_label": 1}
    assert held.assignments["rater"].to_list() == ["1", "2"]


def test_a_box_without_a_label_beside_spans_is_rejected_once(tmp_path: Path) -> None:
    place: dict[str, Any] = {"x": 10, "y": 10, "width": 20, "height": 20, "rotation": 0}
    results = [
        {"from_name": "ner", "type": "labels", "value": {"start": 0, "end": 3, "labels": ["name"]}},
        {"id": "b", "from_name": "rect", "type": "rectangle", "value": place},
        {"from_name": "tone", "type": "choices", "value": {"choices": ["dark"]}},
    ]
    tasks = [
        {"id": 5, "data": {"text": "Ann"}, "annotations": [{"completed_by": n, "result": results} for n in (1, 2)]}
    ]
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks))
    shown = inspect_file(path)
    assert (shown["n_ratings"], shown["n_regions"], shown["n_rejected"]) == (2, 2, 2)
    read = FileOptions()
    counted = load_counted(path, read)  # as `check` does, which does not compare spans
    assert counted.n_rejected == 2
    assert [note for note in counted.questions[0].warnings if "rejected" in note] == [
        "2 rows were rejected: missing_label."
    ]


def test_label_studio_where_labels_name_what_rectangle_draws(tmp_path: Path) -> None:
    place: dict[str, Any] = {"x": 10, "y": 10, "width": 20, "height": 20, "rotation": 0}
    shape = {"points": [[1, 1], [9, 1], [5, 9]], "closed": True, "labels": ["car"]}
    results = [
        {"id": "a", "from_name": "rect", "type": "rectangle", "value": place},
        {"id": "a", "from_name": "kind", "type": "labels", "value": place | {"labels": ["car"]}},
        {"id": "b", "from_name": "rect", "type": "rectangle", "value": place},
        {"id": "c", "from_name": "kind", "type": "labels", "value": shape},
        {"from_name": "tone", "type": "choices", "value": {"choices": ["dark"]}},
    ]
    tasks = [{"id": 5, "data": {"image": "x"}, "annotations": [{"completed_by": 1, "result": results}]}]
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks))
    held = held_in(path)
    assert held.boxes.rows() == [("kind", "5", "1", 10.0, 10.0, 30.0, 30.0, "car")]
    assert sorted(held.rejects["detail"]) == ["The box has no label.", "The shape is no box."]
    shown = inspect_file(path)
    assert (shown["n_ratings"], shown["n_regions"], shown["n_rejected"]) == (1, 1, 2)


def test_a_rater_who_submits_again_keeps_the_last_boxes_only(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    again = [{"completed_by": 1, "result": [rectangle(x=n)]} for n in (1, 2)]
    path.write_text(json.dumps([{"id": 5, "data": {"image": "x"}, "annotations": again}]))
    assert held_in(path).boxes["left"].to_list() == [2.0]


def test_agree_compares_the_boxes_of_files(tmp_path: Path) -> None:
    paths = [coco(tmp_path / f"{name}.json", {"bbox": [x, 0, 10, 10]}) for name, x in (("ann", 0), ("ben", 2))]
    (result,) = agree(paths, FileOptions(), AgreementDetail(by=("pair",)))
    results = {row["name"]: row["estimate"] for row in result["coefficients"]}  # type: ignore[attr-defined]
    assert results == {"f1_iou50": 1.0, "f1_iou75": 0.0, "mean_iou": pytest.approx(80 / 120)}
    assert (result["regions"], result["n_regions"], result["n_items"]) == ("boxes", 2, 2)
    assert result["by_pair"][0]["rater_b"] == "ben"  # type: ignore[index]
    with pytest.raises(InputError, match="--weights cannot be used with"):
        agree(paths, FileOptions(weights="masi"), AgreementDetail())


def test_tags_are_labels_of_images_and_boxes_are_asked_for_by_name() -> None:
    paths = [CVAT / "ann.xml", CVAT / "ben.xml"]
    (tags,) = agree(paths, FileOptions(), AgreementDetail())
    assert (tags["question"], tags["n_ratings"]) == ("cvat", 3)
    (boxes,) = agree(paths, FileOptions(question="boxes"), AgreementDetail())
    assert (boxes["n_regions"], boxes["labels"]) == (2, ["car"])
    shown = inspect_file(paths[0])
    assert (shown["n_ratings"], shown["n_regions"]) == (2, 1)


def test_accuracy_is_not_offered_for_boxes(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    annotations = [{"completed_by": 1, "result": [rectangle()]}]
    path.write_text(json.dumps([{"id": 5, "data": {"image": "x"}, "annotations": annotations}]))
    with pytest.raises(InputError, match="accuracy is not offered for boxes"):
        load_file(path, FileOptions())


@pytest.mark.parametrize(
    "text",
    [
        "<annotations><image name='a'>",
        "<!DOCTYPE a [<!ENTITY b 'x'>]><annotations><image name='&b;'/></annotations>",
        "<annotations>" + "<a>" * 200 + "</a>" * 200 + "</annotations>",
        "<annotations>\x01</annotations>",
    ],
    ids=["cut off", "entities", "deep", "control character"],
)
def test_xml_that_is_hostile_or_cut_off_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "ann.xml"
    path.write_text(text)
    with pytest.raises(ReadError):
        read_export(path, ReadOptions(format="cvat"))


def test_other_xml_stays_refused(tmp_path: Path) -> None:
    path = tmp_path / "page.xml"
    path.write_text("<html><body>Log in</body></html>")
    with pytest.raises(ReadError, match="XML or a web page"):
        read_export(path)
