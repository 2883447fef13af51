"""Hold the spans and boxes of a file, and who did which item."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite

import polars as pl

from tasks.counted_words import counted
from tasks.formats.parsing.reject_rows import ReaderNotes, Reject, rejects_frame

SPAN_COLUMNS: dict[str, type[pl.DataType]] = {
    "question": pl.String,
    "item": pl.String,
    "rater": pl.String,
    "start": pl.Int64,
    "end": pl.Int64,
    "label": pl.String,
}
"""One row per span. Characters are counted from 0; `end` is the first one after the span."""
BOX_COLUMNS: dict[str, type[pl.DataType]] = {
    "question": pl.String,
    "item": pl.String,
    "rater": pl.String,
    "left": pl.Float64,
    "top": pl.Float64,
    "right": pl.Float64,
    "bottom": pl.Float64,
    "label": pl.String,
}
"""One row per box, in pixels or in per cent of the image."""
LENGTH_COLUMNS: dict[str, type[pl.DataType]] = {"item": pl.String, "length": pl.Int64}
"""One row per item whose text is known: its number of characters."""
DONE_COLUMNS: dict[str, type[pl.DataType]] = {
    "question": pl.String,
    "item": pl.String,
    "rater": pl.String,
    "rater_kind": pl.String,
    "rated_at": pl.String,
    "source_ref": pl.String,
}
"""One row per item and rater who submitted it, also without a span. rated_at and source_ref, the annotation's identity
in its tool, are null where the file has none."""
WORK_LENGTH_COLUMNS: dict[str, type[pl.DataType]] = {
    "question": pl.String,
    "item": pl.String,
    "rater": pl.String,
    "length": pl.Int64,
}
"""One row per item and rater: the number of characters of the text in the file of this work, null where unknown."""
MARKED = "Marked for"
"""How the sentence on spans and boxes beside labels begins."""
SHAPE_COLUMNS: dict[str, type[pl.DataType]] = {
    "question": pl.String,
    "item": pl.String,
    "rater": pl.String,
    "label": pl.String,
    "row_number": pl.Int64,
}
"""One row per labelled shape whose place is not compared, such as a polygon, and its row among the rejects."""
MAX_PLACE = 2**53  # what JSON's numbers hold exactly
AGAIN = "Items that a rater submitted again: {n}. The last one counts."


@dataclass(frozen=True)
class SpanExport:
    """What a reader of spans or boxes returns.

    `shapes` are rejected as places, but their labels are known. `has_labels` is true if the file holds labels of whole
    items, too. `lengths` has a row for each length of an item's text: several if files disagree; `work_lengths` says
    which rater's file has which. `counts` are sentences on what was left out, with {n} for its number.
    `known_questions` are those of Argilla that have spans, also if nobody's work on one can be read.
    """

    format: str
    spans: pl.DataFrame
    assignments: pl.DataFrame
    rejects: pl.DataFrame
    n_skipped: int = 0
    has_labels: bool = False
    warnings: tuple[str, ...] = ()
    boxes: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=BOX_COLUMNS))
    lengths: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=LENGTH_COLUMNS))
    counts: Mapping[str, int] = field(default_factory=dict)
    work_lengths: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=WORK_LENGTH_COLUMNS))
    shapes: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=SHAPE_COLUMNS))
    known_questions: frozenset[str] = frozenset()

    @property
    def n_regions(self) -> int:
        """Count the spans and boxes."""
        return self.spans.height + self.boxes.height

    @property
    def questions(self) -> list[str]:
        """Return the questions that have spans, or that somebody did."""
        return self.assignments["question"].unique().sort().to_list()


@dataclass
class Spans(ReaderNotes):
    """The spans and boxes so far. A rater's last work on an item counts."""

    marked_spans: dict[tuple[str, str, str], tuple[str, list[tuple[int, int, str]]]] = field(default_factory=dict)
    boxes: dict[tuple[str, str, str], list[tuple[float, float, float, float, str]]] = field(default_factory=dict)
    times: dict[tuple[str, str, str], str | None] = field(default_factory=dict)
    refs: dict[tuple[str, str, str], str | None] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)
    shapes: dict[tuple[str, str, str], list[tuple[str, int]]] = field(default_factory=dict)
    n_replaced: int = 0
    has_labels: bool = False
    known_questions: frozenset[str] = frozenset()

    def start(
        self,
        row: int,
        question: str,
        item: str | None,
        rater: str | None,
        kind: str = "human",
        rated_at: str | None = None,
        source_ref: str | None = None,
    ) -> bool:
        """Begin a rater's work on an item. If the rater or the item has no name, reject the work and return False."""
        if item is None or rater is None:
            self.reject_unnamed(row, item)
            return False
        self.n_replaced += (question, item, rater) in self.marked_spans
        self.marked_spans[question, item, rater] = (kind, [])
        self.boxes[question, item, rater] = []
        self.shapes[question, item, rater] = []
        self.times[question, item, rater] = rated_at
        self.refs[question, item, rater] = source_ref
        return True

    def text(self, item: str | None, text: object) -> None:
        """Keep the length of an item's text, if the file has it."""
        if item is not None and isinstance(text, str):
            self.lengths[item] = max(len(text), self.lengths.get(item, 0))

    def add(self, row: int, key: tuple[str, str, str], start: object, end: object, label: str | None) -> None:
        """Add a span to the work begun, or reject it."""
        places = [place for place in (start, end) if isinstance(place, int) and not isinstance(place, bool)]
        if len(places) < 2 or not 0 <= places[0] <= places[1] <= MAX_PLACE:
            self.reject(row, "span", f"{start}-{end}", "bad_record", "The span has no start and end in characters.")
        elif label is None:
            self.reject(row, "span", f"{start}-{end}", "missing_label", "The span has no label.")
        else:
            self.marked_spans[key][1].append((places[0], places[1], label))

    def add_box(self, row: int, key: tuple[str, str, str], edges: Sequence[float | None], label: str | None) -> None:
        """Add a box (left, top, right, bottom) to the work begun, or reject it."""
        places = [edge for edge in edges if edge is not None and isfinite(edge) and abs(edge) <= MAX_PLACE]
        shown = ", ".join(map(str, edges))
        if len(places) != 4 or places[0] > places[2] or places[1] > places[3]:
            self.reject(row, "box", shown, "bad_record", "The box has no left, top, right and bottom edge.")
        elif label is None:
            self.reject(row, "box", shown, "missing_label", "The box has no label.")
        else:
            self.boxes[key].append((places[0], places[1], places[2], places[3], label))

    def reject_shape(self, row: int, key: tuple[str, str, str], column: str, label: str | None, detail: str) -> None:
        """Reject a shape of the work begun whose place is not compared. Its label is kept."""
        self.reject(row, column, label, "unsupported_control", detail)
        if label is not None:
            self.shapes[key].append((label, row))

    def export(self, format_: str, rejects: Iterable[Reject] = (), warnings: Iterable[str] = ()) -> SpanExport:
        """Return what the reader returns."""
        spans = [(*key, *span) for key, (_, marked) in self.marked_spans.items() for span in marked]
        boxes = [(*key, *box) for key, marked in self.boxes.items() for box in marked]
        assignments = [(*key, kind, self.times[key], self.refs[key]) for key, (kind, _) in self.marked_spans.items()]
        counts = {sentence: n for sentence, n in self.notes.items() if n}
        if self.n_replaced:
            counts[AGAIN] = self.n_replaced
        return SpanExport(
            format_,
            pl.DataFrame(spans, schema=SPAN_COLUMNS, orient="row"),
            pl.DataFrame(assignments, schema=DONE_COLUMNS, orient="row"),
            rejects_frame([*rejects, *self.rejects]),
            self.n_skipped,
            self.has_labels,
            tuple(warnings),
            pl.DataFrame(boxes, schema=BOX_COLUMNS, orient="row"),
            pl.DataFrame(list(self.lengths.items()), schema=LENGTH_COLUMNS, orient="row"),
            counts,
            shapes=pl.DataFrame(
                [(*key, *shape) for key, marked in self.shapes.items() for shape in marked],
                schema=SHAPE_COLUMNS,
                orient="row",
            ),
            known_questions=self.known_questions,
        )


def text_among(fields: Mapping[str, object]) -> str | None:
    """Return the text of an item: the field `text`, else the only text among its fields, None if there are several."""
    texts = {name: value for name, value in fields.items() if isinstance(value, str)}
    return texts.get("text") or (next(iter(texts.values())) if len(texts) == 1 else None)


def marked_beside(held: SpanExport) -> str:
    """Say what is marked beside labels of whole items, and how to compare it."""
    name = held.questions[0] if len(held.questions) == 1 else "NAME"
    return f"{what_is_marked(held)} `kappaflow agree FILE --question {name}` compares them between raters."


def what_is_marked(held: SpanExport) -> str:
    """Say how many spans and boxes there are, and the questions that they answer."""
    kinds = ((held.spans.height, "span", "spans"), (held.boxes.height, "box", "boxes"))
    counts = [counted(n, singular, plural) for n, singular, plural in kinds if n]
    return f"{MARKED} {', '.join(held.questions)}: {' and '.join(counts)}."
