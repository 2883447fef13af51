"""Spans and boxes as ratings: each rater's set of labels of an item, beside the choices of the same file."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tasks.errors import InputError
from tasks.formats import Export, ReadOptions
from tasks.formats.regions.read_regions import read_regions
from tasks.ingest.read_export import read_export
from tasks.ingest.validate import validate
from tasks.single_file.accuracy_file import AccuracyDetail, estimate
from tasks.single_file.agree_file import AgreementDetail, agree
from tasks.single_file.inspect_file import inspect_file
from tasks.single_file.load_file import FileOptions

LABELS = ReadOptions(regions="labels")
DATA = Path(__file__).parents[3] / "data"
CVAT = DATA / "exports" / "cvat"


def read(path: Path, **options: Any) -> Export:
    return read_export(path, ReadOptions(regions="labels", **options))


def ratings(export: Export) -> list[tuple[Any, ...]]:
    return sorted(export.rows.select("question", "item", "rater", "label").rows())


def mark(*labels: str, at: int = 0) -> dict[str, Any]:
    return {"from_name": "ner", "type": "labels", "value": {"start": at, "end": at + 4, "labels": list(labels)}}


TONE = {"from_name": "tone", "type": "choices", "value": {"choices": ["kind"]}}


def export_of(path: Path, *items: dict[str, list[dict[str, Any]]], **more: Any) -> Path:
    tasks = [
        {"id": n, "data": {"text": "Anna lives in Berlin"}, "annotations": [
            {"completed_by": rater, "updated_at": "2026-01-05T10:00:00Z", "result": results}
            for rater, results in raters.items()
        ], **more} for n, raters in enumerate(items, start=1)
    ]  # fmt: skip
    path.write_text(json.dumps(tasks))
    return path


FOUR = (
    {"ann": [mark("PER"), mark("LOC", at=14), mark("PER", at=8)], "ben": [mark("PER")]},
    {"ann": [mark("PER")], "ben": [mark("PER", at=3)]},
    {"ann": [mark("LOC")], "ben": [mark("LOC")]},
    {"ann": [], "ben": []},
)


def test_each_label_counts_once_and_an_item_without_a_span_has_the_empty_set(tmp_path: Path) -> None:
    held = read(export_of(tmp_path / "x.json", *FOUR))
    by_ann = ['["LOC", "PER"]', "PER", "LOC", "[]"]
    by_ben = ["PER", "PER", "LOC", "[]"]
    assert ratings(held) == [
        row
        for n, labels in enumerate(zip(by_ann, by_ben, strict=True), start=1)
        for row in zip(["ner"] * 2, [str(n)] * 2, ["ann", "ben"], labels, strict=True)
    ]
    assert held.rejects.is_empty()
    assert held.rows["rated_at"].null_count() == 0


def test_choices_beside_spans_keep_their_question_and_only_damage_is_rejected(tmp_path: Path) -> None:
    damaged = mark("PER") | {"value": {"start": "x", "end": 4, "labels": ["PER"]}}
    transcript = {"from_name": "said", "type": "textarea", "value": {"text": ["a"]}}
    model = {"model_version": "m1", "result": [mark("LOC", "PER")]}
    path = export_of(tmp_path / "x.json", {"1": [mark("PER"), TONE], "2": [damaged, transcript]}, predictions=[model])
    held = read(path)
    assert ratings(held) == [
        ("ner", "1", "1", "PER"), ("ner", "1", "2", "[]"), ("ner", "1", "m1", '["LOC", "PER"]'),
        ("tone", "1", "1", "kind"),
    ]  # fmt: skip
    assert held.rows.filter(rater="m1").select("rater_kind", "system_version").rows() == [("system", "m1")]
    assert sorted(held.rejects["reason"]) == ["bad_record", "unsupported_control"]
    checked = validate(held, labels={"ner": ["PER", "LOC"]})
    assert (checked.ratings.height, checked.n_rows) == (4, 6)
    assert validate(held, labels={"ner": ["PER"]}).rejects["reason"].to_list().count("unknown_label") == 1


def test_spans_of_argilla_beside_its_labels() -> None:
    held = read(DATA / "regions" / "argilla" / "records.json")
    first, second = (f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2))
    assert ratings(held) == [
        ("ner", "doc-1", first, '["LOC", "PER"]'), ("ner", "doc-1", second, "PER"), ("ner", "doc-1", "tagger-1", "PER"),
        ("ner", "doc-2", first, "[]"),
        ("tone", "doc-1", first, "neutral"), ("tone", "doc-1", second, "kind"), ("tone", "doc-2", first, "neutral"),
    ]  # fmt: skip
    assert held.rows.filter(rater="tagger-1").select("rater_kind", "system_version").rows() == [("system", "tagger-1")]
    assert (held.rejects.height, held.n_skipped) == (0, 1)


def test_every_coefficient_with_masi_and_each_label_against_the_rest(tmp_path: Path) -> None:
    path = export_of(tmp_path / "x.json", *FOUR)
    options = FileOptions(LABELS, weights="masi")
    (result,) = agree(path, options, AgreementDetail(by=("label", "pair")))
    figures = {row["name"]: row["estimate"] for row in result["coefficients"]}  # type: ignore[attr-defined]
    assert figures["percent_agreement"] == pytest.approx((1 / 3 + 3) / 4), "MASI of {LOC, PER} and {PER} is 1/2 x 2/3"
    assert figures["krippendorff_alpha"] is not None
    assert {row["label"] for row in result["by_label"]} == {"LOC", "PER"}  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="no question 'spans'"):
        agree(path, FileOptions(LABELS, question="spans"))


def test_accuracy_and_inspect(tmp_path: Path) -> None:
    items = [
        {"ann": [mark("PER")], "ben": [mark("PER")], "cem": [], "gpt": [mark("PER")]},
        FOUR[3] | {"cem": [], "gpt": []},
    ]
    path = export_of(tmp_path / "x.json", *items * 10)
    reading = ReadOptions(regions="labels", systems=frozenset({"gpt"}))
    (result,) = estimate([path], FileOptions(reading), detail=AccuracyDetail(methods=("average",)))
    assert result["labels"] == ["PER", "[]"]
    shown = inspect_file(path, LABELS)
    assert (shown["n_ratings"], shown["n_regions"], shown["n_rejected"]) == (80, 30, 0)
    assert shown["questions"] == [
        {"question": "ner", "n_ratings": 80, "n_raters": 4, "n_items": 20, "labels": ["PER", "[]"]}
    ]
    assert 'regions = "labels"' in str(shown["toml"])
    assert 'labels = ["PER"]' in str(shown["toml"])


def test_tags_of_images_and_boxes_are_two_questions(tmp_path: Path) -> None:
    held = read(CVAT / "ann.xml")
    assert [row for row in ratings(held) if row[0] == "boxes"] == [
        ("boxes", "a.png", "ann", '["car", "road"]'), ("boxes", "b.png", "ann", "[]"), ("boxes", "c.png", "ann", "[]"),
    ]  # fmt: skip
    plain = read_export(CVAT / "ann.xml")
    assert [row for row in ratings(held) if row[0] != "boxes"] == ratings(plain) != []
    assert "per_region" not in held.rejects["reason"].to_list()


def test_shapes_whose_places_are_not_compared_count_with_their_labels(tmp_path: Path) -> None:
    path = tmp_path / "ann.xml"
    polygon = '<polygon label="car" points="1,1;2,2;1,2"></polygon>'
    edges = 'xtl="1" ytl="1" xbr="5" ybr="5"'
    images = {"a": polygon, "b": f'<box label="bus" {edges}></box>', "c": "", "d": polygon}
    images["d"] += f'<box label="bus" rotation="30.0" {edges}></box>'
    held = [f'<image id="{name}" name="{name}.png">{shapes}</image>' for name, shapes in images.items()]
    path.write_text(f"<annotations><version>1.1</version>{''.join(held)}</annotations>")
    export = read(path)
    assert [row[-1] for row in ratings(export)] == ["car", "bus", "[]", '["bus", "car"]']
    assert export.rejects.is_empty()
    places = read_regions([path], ReadOptions())
    assert places is not None
    assert (places.boxes.height, places.rejects.height) == (1, 3)


@pytest.mark.parametrize(
    ("options", "question"),
    [({}, "spans"), ({"question": "ner"}, "ner"), ({"fallback_question": "names"}, "names"),
     ({"fallback_question": "ann"}, "spans"), ({"prefix": "p"}, "p/spans")],
)  # fmt: skip
def test_a_file_named_after_its_rater_names_no_question(tmp_path: Path, options: dict[str, str], question: str) -> None:
    path = tmp_path / "ann.jsonl"
    path.write_text(json.dumps({"id": 1, "text": "t", "label": [[0, 1, "PER"]], "Comments": []}))
    options = {"fallback_question": "ann", **options}
    assert ratings(read(path, **options)) == [(question, "1", "ann", "PER")]


def archive(path: Path, **members: str) -> Path:
    with zipfile.ZipFile(path, "w") as packed:
        for name, text in members.items():
            packed.writestr(name, text)
    return path


def test_an_archive_of_brat_keeps_the_folders_and_the_texts(tmp_path: Path) -> None:
    text = "Anna lives in Berlin"
    path = archive(tmp_path / "ner.zip", **{
        "ner/annotation.conf": "[entities]\nPER\n",
        "ner/ann/doc1.ann": "T1\tPER 0 4\tAnna\n", "ner/ann/doc1.txt": text,
        "ner/ben/doc1.ann": "T1\tPER 0 4\tAnna\nT2\tLOC 14 20\tBerlin\n", "ner/ben/doc1.txt": text,
        "ner/ben/doc2.ann": "", "ner/ann/doc2.ann": "",
    })  # fmt: skip
    held = read_regions([path], ReadOptions())
    assert held is not None
    assert held.assignments.select("item", "rater").rows() == [
        ("doc1", "ann"),
        ("doc2", "ann"),
        ("doc1", "ben"),
        ("doc2", "ben"),
    ]
    assert held.lengths.rows() == [("doc1", 20)]
    (result,) = agree(path, FileOptions())
    figures = {row["name"]: row["estimate"] for row in result["coefficients"]}  # type: ignore[attr-defined]
    assert figures["f1_exact"] == pytest.approx(2 / 3)
    assert figures["character_alpha"] is not None
    assert ratings(read(path, fallback_question="ner")) == [
        ("ner", "doc1", "ann", "PER"), ("ner", "doc1", "ben", '["LOC", "PER"]'),
        ("ner", "doc2", "ann", "[]"), ("ner", "doc2", "ben", "[]"),
    ]  # fmt: skip
    flat = archive(tmp_path / "eva.zip", **{"doc1.ann": "T1\tPER 0 4\tAnna\n"})
    assert ratings(read(flat, fallback_question="eva")) == [("spans", "doc1", "eva", "PER")]


def test_an_archive_of_webanno_has_a_curator_and_the_untouched_document(tmp_path: Path) -> None:
    head = "#FORMAT=WebAnno TSV 3.3\n#T_SP=x.NamedEntity|value\n\n\n#Text=Anna lives\n"
    lines = head + "1-1\t0-4\tAnna\t{}\t\n1-2\t5-10\tlives\t_\t\n"
    raters = {"ann": "PER", "ben": "_", "INITIAL_CAS": "_", "CURATION_USER": "PER"}
    path = archive(tmp_path / "x.zip", **{
        f"annotation/doc1.txt/{rater}.tsv": lines.format(label) for rater, label in raters.items()
    })  # fmt: skip
    held = read_regions([path], ReadOptions())
    assert held is not None
    assert sorted(held.assignments.select("item", "rater", "rater_kind").rows()) == [
        ("doc1.txt", "CURATION_USER", "gold"), ("doc1.txt", "ann", "human"), ("doc1.txt", "ben", "human"),
    ]  # fmt: skip
    assert held.n_skipped == 1
