"""Tables of figures, for the screen and for a page of the documentation."""

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

FIGURE = re.compile(r"-?\d.*|failed|")
CODE_SPAN = re.compile("`[^`]+`")


@dataclass(frozen=True)
class Table:
    """A heading, what is in it and how it was measured, and rows of text, each as long as the header."""

    title: str
    about: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()


def as_text(table: Table) -> str:
    """Aligned columns, figures to the right."""
    columns = []
    for header, *cells in zip(table.header, *table.rows, strict=True):
        width = max(map(len, (header, *cells)))
        pad = str.rjust if _are_figures(cells) else str.ljust
        columns.append([pad(cell, width) for cell in (header, *cells)])
    lines = ["  ".join(cells).rstrip() for cells in zip(*columns, strict=True)]
    return "\n".join([table.title, *(f"  {line}" for line in (*lines, *table.notes))])


def as_markdown(table: Table) -> str:
    """A section of a page."""
    columns = zip(table.header, *table.rows, strict=True)
    rule = ["---:" if _are_figures(cells) else "---" for _, *cells in columns]
    rows = ["| " + " | ".join(cells) + " |" for cells in (table.header, rule, *table.rows)]
    notes = "".join(f"\n- {note}" for note in table.notes)
    return (
        "\n".join([f"## {table.title}\n", f"{_wrapped(table.about)}\n", *rows]) + "\n" + (f"{notes}\n" if notes else "")
    )


def page(title: str, note: str, paragraphs: Sequence[str], facts: Mapping[str, str], tables: Sequence[Table]) -> str:
    """The whole page: a comment of who wrote it, paragraphs, facts as a list, tables."""
    listed = "\n".join(f"- {what}: {value}" for what, value in facts.items())
    texts = [f"<!-- {note} -->\n\n# {title}\n", *(f"{_wrapped(text)}\n" for text in paragraphs), f"{listed}\n"]
    return "\n".join([*texts, *(as_markdown(table) for table in tables)])


def _are_figures(cells: Sequence[str]) -> bool:
    return all(FIGURE.fullmatch(cell) for cell in cells)


def _wrapped(text: str) -> str:
    """Wrap a paragraph, but not within a code span."""
    whole = CODE_SPAN.sub(lambda span: span[0].replace(" ", "\0"), " ".join(text.split()))
    return textwrap.fill(whole, 120, break_long_words=False, break_on_hyphens=False).replace("\0", " ")
