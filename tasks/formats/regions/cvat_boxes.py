"""Read the boxes in CVAT's XML for images. The file's name is the rater; each image of the file is done."""

from pathlib import Path

from tasks.formats.cvat import SHAPES, TRACK, images, sniff
from tasks.formats.parsing.cells import tidy_label
from tasks.formats.parsing.export import ReadOptions
from tasks.formats.parsing.json_fields import number
from tasks.formats.parsing.xml_elements import XmlElement
from tasks.formats.regions.span_export import SpanExport, Spans

__all__ = ["read", "sniff"]

QUESTION = "boxes"
EDGES = ("xtl", "ytl", "xbr", "ybr")


def read(path: Path, options: ReadOptions) -> SpanExport:
    """Read all images of one rater."""
    boxes = Spans()
    for image in images(path):
        if isinstance(image, XmlElement):
            boxes.reject(image.line, "track", image.attributes.get("label"), "unsupported_control", TRACK)
            continue
        boxes.has_labels |= bool(image.tags)
        if not boxes.start(image.line, QUESTION, image.name, path.stem):
            continue
        key = (QUESTION, str(image.name), path.stem)
        for shape in image.shapes:
            label = tidy_label(shape.attributes.get("label"))
            if shape.name != "box":
                kind = shape.name if shape.name in SHAPES else "shape"
                boxes.reject_shape(shape.line, key, kind, label, f"A {kind} is not a box.")
            elif number(shape.attributes.get("rotation")):
                boxes.reject_shape(shape.line, key, "box", label, "The box is rotated.")
            else:
                edges = [number(shape.attributes.get(edge)) for edge in EDGES]
                boxes.add_box(shape.line, key, edges, label)
    return boxes.export("cvat", warnings=[f"The rater is {path.stem!r}, the file's name."])
