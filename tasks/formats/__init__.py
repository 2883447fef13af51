"""The readers, one file for each format. To add one: a new file, a line in FORMATS, a fixture in tests/data/exports.

The order counts: detection asks the formats in turn, those with a mark of their own before the general tables.
"""

from tasks.formats.base import CANONICAL, METADATA, Export, Format, ReadOptions
from tasks.formats.label_studio import LABEL_STUDIO
from tasks.formats.long import LONG
from tasks.formats.rejects import REJECTS
from tasks.formats.wide import WIDE

__all__ = ["CANONICAL", "FORMATS", "METADATA", "REJECTS", "Export", "Format", "ReadOptions"]

FORMATS: dict[str, Format] = {
    "label_studio": LABEL_STUDIO,
    "long": LONG,
    "wide": WIDE,
}
