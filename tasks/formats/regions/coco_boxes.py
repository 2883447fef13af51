"""Read the boxes in COCO's JSON: `images`, `annotations` with `bbox`, `categories`. The file's name is the rater.

A box is [left, top, width, height]. Each image of the file is done, also one without a box.
"""

import json
from pathlib import Path
from typing import Any

from tasks.errors import ReadError
from tasks.formats.parsing.cells import cell_text, tidy_label
from tasks.formats.parsing.export import ReadOptions
from tasks.formats.parsing.file_look import FileLook, json_error, look_at_file
from tasks.formats.parsing.json_fields import dicts_in, number
from tasks.formats.parsing.text_encoding import utf8_bytes
from tasks.formats.regions.span_export import SpanExport, Spans

QUESTION = "boxes"
LISTS = ("images", "annotations", "categories")
CROWD = "Crowds (iscrowd), which are regions of many objects, counted as skipped: {n}."


def sniff(seen: FileLook, options: ReadOptions | None = None) -> bool:
    """Check for one record with the three lists."""
    return seen.kind == "json" and not seen.records_at and all(seen.shape.get(name) == "array" for name in LISTS)


def read(path: Path, options: ReadOptions) -> SpanExport:
    """Read all images of one rater. Errors: ReadError for JSON that breaks off."""
    held = _load(path)
    labels = {
        cell_text(record.get("id")): tidy_label(record.get("name")) for record in dicts_in(held.get("categories"))
    }
    boxes, items = Spans(), dict[str | None, str | None]()
    for row, image in enumerate(dicts_in(held.get("images")), start=1):
        number_of = cell_text(image.get("id"))
        items[number_of] = tidy_label(image.get("file_name")) or number_of
        boxes.start(row, QUESTION, items[number_of], path.stem)
    for row, record in enumerate(dicts_in(held.get("annotations")), start=1):
        item = items.get(cell_text(record.get("image_id")))
        label = labels.get(cell_text(record.get("category_id")))
        box = record.get("bbox")
        if item is None:
            boxes.reject(row, "image_id", cell_text(record.get("image_id")), "missing_item", "No image has this id.")
        elif record.get("iscrowd") in (1, True):
            boxes.skip(CROWD)
        elif not isinstance(box, list) or len(box) != 4:
            key = (QUESTION, item, path.stem)
            boxes.reject_shape(row, key, "bbox", label, "The annotation has no box.")
        else:
            left, top, width, height = (number(edge) for edge in box)
            right = None if left is None or width is None else left + width
            bottom = None if top is None or height is None else top + height
            boxes.add_box(row, (QUESTION, item, path.stem), [left, top, right, bottom], label)
    return boxes.export("coco", warnings=[f"The rater is {path.stem!r}, the file's name."])


def _load(path: Path) -> dict[str, Any]:
    try:
        held = json.loads(utf8_bytes(path, look_at_file(path).encoding))
    except (ValueError, RecursionError) as error:
        raise json_error(path, error) from error
    if not isinstance(held, dict):
        hint = "It is one object with images, annotations and categories."
        raise ReadError.of(path, "is not a COCO file.", hint)
    return held
