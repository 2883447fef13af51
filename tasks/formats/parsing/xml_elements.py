"""Read the elements of an XML file one after the other, without entities and without a document type."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.parsers import expat

from tasks.errors import ReadError

CHUNK = 1 << 20
MAX_DEPTH = 100


@dataclass(frozen=True)
class XmlElement:
    """An element that begins: its name, its attributes, its line, and the names of the elements around it."""

    name: str
    attributes: Mapping[str, str]
    line: int
    around: tuple[str, ...]


def elements(path: Path) -> Iterator[XmlElement]:
    """Iterate over the elements where they begin. Errors: ReadError for what is no XML, or declares a document type."""
    parser = expat.ParserCreate()
    parsed: list[XmlElement] = []
    around: list[str] = []

    def begin(name: str, attributes: dict[str, str]) -> None:
        if len(around) >= MAX_DEPTH:
            raise ReadError.of(path, "is nested too deeply.", "Export it again.")
        parsed.append(XmlElement(name, attributes, parser.CurrentLineNumber, tuple(around)))
        around.append(name)

    def end(_: str) -> None:
        around.pop()

    def refuse(*_: object) -> None:
        raise ReadError.of(
            path, "has a DOCTYPE declaration, which no export has.", "Export the file again from the annotation tool."
        )

    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.StartDoctypeDeclHandler = refuse
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                parser.Parse(chunk, False)
                yield from parsed
                parsed.clear()
            parser.Parse(b"", True)
            yield from parsed
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise ReadError.of(path, f"is not valid XML: {error}.", "The file may be cut off: export it again.") from error
