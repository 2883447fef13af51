"""Read the tags of whole images in CVAT's XML (1.1). The file's name is the rater, because CVAT names nobody.

An image with several tags has a set of them as its label. Boxes and other shapes belong to parts of the image, and are
rejects here; `kappaflow agree` and projects compare boxes. An image without either is counted as skipped.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from tasks.formats.parsing.cells import cell_text, label_set, tidy_label
from tasks.formats.parsing.export import Export, Format, ReadOptions, canonical
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.reject_rows import Reject, rejects_frame
from tasks.formats.parsing.xml_elements import XmlElement, elements

SHAPES = frozenset({"box", "polygon", "polyline", "points", "ellipse", "cuboid", "skeleton", "mask"})
UNTAGGED = "Images without a tag or a shape: {n:,}."
RATER = "The rater is {rater!r}, the file's name."
PER_REGION = "The answer belongs to a part of the image. `kappaflow agree` and projects compare boxes."
TRACK = "A track of a video is not a label of an image."


@dataclass
class CvatImage:
    """An image with what it holds. `line` is its line in the file."""

    name: str | None
    line: int
    tags: list[XmlElement] = field(default_factory=list)
    shapes: list[XmlElement] = field(default_factory=list)


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for XML with annotations (`look_at_file` lets no other XML pass)."""
    return seen.kind == "xml"


def images(path: Path) -> Iterator[CvatImage | XmlElement]:
    """Iterate over the images, and over the tracks of videos, which are no images."""
    image = None
    for element in elements(path):
        parent = element.around[-1] if element.around else ""
        if element.name in ("image", "track") and parent == "annotations":
            if image is not None:
                yield image
            image = None
            if element.name == "track":
                yield element
            else:
                name = tidy_label(element.attributes.get("name")) or tidy_label(element.attributes.get("id"))
                image = CvatImage(name, element.line)
        elif image is not None and parent == "image":
            (image.tags if element.name == "tag" else image.shapes).append(element)
    if image is not None:
        yield image


def read(path: Path, options: ReadOptions) -> Export:
    """Read the tags of all images."""
    rows: list[dict[str, object]] = []
    rejects: list[Reject] = []
    n_skipped = 0
    for image in images(path):
        if isinstance(image, XmlElement):
            rejects.append(Reject(image.line, "track", image.attributes.get("label"), "unsupported_control", TRACK))
            continue
        for shape in image.shapes:
            rejects.append(Reject(shape.line, shape.name, shape.attributes.get("label"), "per_region", PER_REGION))
        labels = [label for tag in image.tags if (label := tidy_label(tag.attributes.get("label")))]
        if image.tags and not labels:
            rejects.append(Reject(image.line, "tag", None, "missing_label", "The tag has no label."))
        elif labels:
            rows.append({"item": image.name, "rater": path.stem, "label": label_set(labels), "row_number": image.line})
        n_skipped += not image.tags and not image.shapes
    columns = {"item": pl.String, "rater": pl.String, "label": pl.String, "row_number": pl.Int64}
    frame = pl.DataFrame(rows, schema=columns)
    notes = [UNTAGGED.format(n=n_skipped)] if n_skipped else []
    return Export(
        format="cvat",
        rows=canonical(frame),
        rejects=rejects_frame(
            Reject(r.row_number, r.column_name, cell_text(r.value), r.reason, r.detail) for r in rejects
        ),
        n_skipped=n_skipped,
        warnings=(RATER.format(rater=path.stem), *notes),
    )


CVAT = Format(
    name="cvat",
    describe="CVAT's XML for images 1.1: tags of whole images; one file per rater, named after them.",
    extensions=(".xml",),
    sniff=sniff,
    reader=read,
    rater_in_name=True,
    roles=frozenset(),
)
