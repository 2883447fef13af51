"""Hold the rows that are not ratings, each with its place in the file and the reason."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import polars as pl

from schemas.rating_columns import MAX_DETAIL_LENGTH, MAX_VALUE_LENGTH, REJECTS
from tasks.formats.parsing.cells import cell_text

REASONS: dict[str, str] = {
    # the file cannot be read at all (`batches.reason`)
    "unreadable": "The file could not be read; `batches.detail` says why.",
    "outdated_export": "A full export that was written before the latest one of its source; it was not taken in.",
    # the row cannot be taken apart
    "ragged_row": "The row has more or fewer cells than the header.",
    "bad_quotes": "The quotes of the row do not close, or text follows a closing quote.",
    "bad_json": "The line is not a JSON object.",
    "bad_encoding": "The row holds bytes that are not UTF-8, or a NUL character.",
    "too_deep": "The record is nested too deeply.",
    "cell_too_long": "A cell or text of the row is too long to be read.",
    # the annotation holds no answer that can be compared
    "empty_answer": "The annotation was submitted without an answer.",
    "per_region": "The answer belongs to a part of the item (a span, a box), not to the item.",
    "unsupported_control": "The control does not give a label for the whole item.",
    "rejected_answer": "The tool marks the answer as rejected, or the example as one that has no answer.",
    "bad_record": "The record does not have the form that its tool gives it.",
    # the rating lacks a part or has a wrong one
    "missing_item": "The item is blank.",
    "missing_rater": "The rater is blank.",
    "missing_label": "The label is blank.",
    "missing_question": "The question is blank.",
    "object_label": "The label is an object with fields, such as answers to several questions, and not a label.",
    "id_too_long": "An id is longer than 1,000 characters.",
    "label_too_long": "The label is longer than 4,000 characters.",
    "unknown_item": "The item is not among those that were drawn for an audit, or is not an item of the question.",
    "unknown_label": "The label is not among the labels declared for the question.",
    "bad_rater_kind": "The kind of rater is not human, system or gold.",
    "bad_time": "The time is neither ISO 8601 nor Unix seconds, or not between 1971 and 2200.",
    "bad_number": "The number is not finite, or a duration is negative.",
    "duplicate_rating": "The rater has rated the item already, and the rule of the question is `error`.",
    "contract": "The rating breaks the contract of the ratings table.",
}


class Reject(NamedTuple):
    """One row that is not a rating, with a code of REASONS and a sentence about this row."""

    row_number: int | None
    column_name: str | None
    value: str | None
    reason: str
    detail: str


@dataclass
class ReaderNotes:
    """What a reader says of the rows that it does not take, and of the file."""

    rejects: list[Reject] = field(default_factory=list)
    n_skipped: int = 0
    notes: Counter[str] = field(default_factory=Counter)
    """Sentences for the warnings, with {n} for the number."""

    def reject(self, row: int, column: str | None, value: object, reason: str, detail: str) -> None:
        """Reject a row, or a part of it."""
        self.rejects.append(Reject(row, column, cell_text(value), reason, detail))

    def reject_unnamed(self, row: int, item: str | None) -> None:
        """Reject a row without an item, or else without a rater."""
        missing = "item" if item is None else "rater"
        self.reject(row, missing, None, f"missing_{missing}", f"The {missing} is blank.")

    def skip(self, note: str | None = None) -> None:
        """Count an answer that was not given. `note` is a sentence for the warnings."""
        self.n_skipped += 1
        if note:
            self.notes[note] += 1

    @property
    def sentences(self) -> list[str]:
        """Return the warnings."""
        return [sentence.format(n=f"{n:,}") for sentence, n in self.notes.items()]


def rejects_frame(rejects: Iterable[Reject]) -> pl.DataFrame:
    """Return a REJECTS frame. Values are cut at 200 characters, sentences at 1,000."""
    rows = [
        (r.row_number, r.column_name, r.value and r.value[:MAX_VALUE_LENGTH], r.reason, r.detail[:MAX_DETAIL_LENGTH])
        for r in rejects
    ]
    return pl.DataFrame(rows, schema=REJECTS, orient="row")
