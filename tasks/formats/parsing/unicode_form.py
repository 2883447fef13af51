"""Bring ids and labels into one form of Unicode: what looks the same on a screen is the same text.

`é` is one character or two, an e and an accent. Tools and file systems write either, so `Café` of one annotator and
`Café` of another would be two labels. All names are read in the composed form, NFC.
"""

from dataclasses import replace

import polars as pl

from tasks.formats.parsing.distinct_texts import distinct_of_each
from tasks.formats.parsing.export import Export

NAMES = ("question", "item", "rater", "system_version", "label", "key")
MAX_EXAMPLES = 5
BEYOND_LATIN = r"[^\x00-\x{2FF}]"
"""All characters below are composed and combine with nothing that is below, too."""


class Composer:
    """Convert the parts of one file to NFC, and remember the changes."""

    def __init__(self) -> None:
        self._changed: dict[str, set[str]] = {}
        self._joined: dict[str, None] = {}

    def export(self, part: Export) -> Export:
        """Return the part with its names in NFC. Its warnings list the changes so far."""
        rows = self._composed(part.rows, remember=True)
        metadata = self._composed(part.metadata, remember=False)
        return replace(part, rows=rows, metadata=metadata, warnings=(*part.warnings, *self._warnings()))

    def _composed(self, frame: pl.DataFrame, *, remember: bool) -> pl.DataFrame:
        texts = distinct_of_each(frame, [name for name in NAMES if frame.schema.get(name) == pl.String])
        for name, of_column in texts.items():
            changes = _changes(frame[name] if of_column is None else of_column)
            if changes.is_empty():
                continue
            if remember:
                self._remember(name, frame[name], changes)
            frame = frame.with_columns(pl.col(name).replace(changes["text"], changes["composed"]))
        return frame

    def _remember(self, name: str, texts: pl.Series, changes: pl.DataFrame) -> None:
        self._changed.setdefault(name, set()).update(changes["text"])
        twice = changes["composed"].is_duplicated() | changes["composed"].is_in(texts.unique().implode())
        for text in changes.filter(twice)["composed"].unique().sort():
            self._joined[f"{name} {text!r}"] = None

    def _warnings(self) -> list[str]:
        if not self._changed:
            return []
        counts = ", ".join(f"{name}: {len(texts):,}" for name, texts in self._changed.items())
        warning = f"Some names were not in Unicode's composed form (NFC) and were converted to it ({counts})."
        if self._joined:
            some = [*self._joined][:MAX_EXAMPLES]
            more = f" and {len(self._joined) - len(some):,} more" if len(self._joined) > len(some) else ""
            warning += f" Names that look the same are now one: {', '.join(some)}{more}."
        return [warning]


def composed(frame: pl.DataFrame) -> pl.DataFrame:
    """Convert a small frame to NFC, without warnings."""
    return Composer().export(Export("", frame, pl.DataFrame())).rows


def _changes(texts: pl.Series) -> pl.DataFrame:
    """Return the texts that are not in NFC, and their composed form.

    Nearly always there are none. The lengths show it: the text is ASCII.
    """
    text = pl.col(texts.name)
    of = texts.to_frame().lazy()
    if not of.select((text.str.len_bytes() != text.str.len_chars()).any()).collect().item():
        return pl.DataFrame(schema={"text": pl.String, "composed": pl.String})
    return (
        of.filter(text.str.contains(BEYOND_LATIN))
        .select(text.alias("text"), text.str.normalize("NFC").alias("composed"))
        .filter(pl.col("text") != pl.col("composed"))
        .unique(maintain_order=True)
        .collect()
    )
