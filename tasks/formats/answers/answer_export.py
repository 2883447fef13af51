"""Hold the rankings and texts of a file."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import polars as pl

from tasks.formats.parsing.cells import nfc
from tasks.formats.parsing.export import ReadOptions
from tasks.formats.parsing.reject_rows import ReaderNotes, Reject, rejects_frame

RANKING, TEXT = "ranking", "text"
KINDS = (RANKING, TEXT)
ANSWER_COLUMNS: dict[str, type[pl.DataType]] = {
    "question": pl.String,
    "item": pl.String,
    "rater": pl.String,
    "rater_kind": pl.String,
    "kind": pl.String,
    "answer": pl.String,
    "row_number": pl.Int64,
    "rated_at": pl.String,
    "source_ref": pl.String,
}
"""One row per answer. `kind` is ranking or text. A ranking is a JSON array of [option, rank]. rated_at and source_ref,
the answer's identity in its tool, are null where the file has none."""
KEY = ["question", "item", "rater"]


@dataclass(frozen=True)
class AnswerExport:
    """What a reader of rankings or texts returns. `has_labels` is true if the file holds labels or regions, too."""

    format: str
    rows: pl.DataFrame
    rejects: pl.DataFrame
    has_labels: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def questions(self) -> list[str]:
        """Return the questions that have answers."""
        return self.rows["question"].unique().sort().to_list()


@dataclass
class Answers(ReaderNotes):
    """The answers so far."""

    rows: list[tuple[str | int | None, ...]] = field(default_factory=list)
    origin: tuple[str | None, str | None] = (None, None)
    """rated_at and source_ref of the answers that are added next."""
    has_labels: bool = False

    def add_text(
        self, row: int, question: str, item: str | None, rater: str | None, text: str, kind: str = "human"
    ) -> None:
        """Add a text."""
        if item is None or rater is None:
            self.reject_unnamed(row, item)
        else:
            self.rows.append((question, item, rater, kind, TEXT, nfc(text).strip(), row, *self.origin))

    def add_ranking(
        self,
        row: int,
        question: str,
        item: str | None,
        rater: str | None,
        ranks: Sequence[tuple[str | None, float]],
        kind: str = "human",
    ) -> None:
        """Add a ranking: the options with their ranks, of which the order counts. Reject it if one is there twice."""
        options = [option for option, _ in ranks]
        if not ranks or None in options or len(set(options)) < len(options):
            detail = "The ranking has no option, a blank one, or one twice."
            self.reject(row, question, json.dumps(options, ensure_ascii=False), "bad_record", detail)
        elif item is None or rater is None:
            self.reject_unnamed(row, item)
        else:
            answer = json.dumps([[nfc(str(option)), rank] for option, rank in ranks], ensure_ascii=False)
            self.rows.append((question, item, rater, kind, RANKING, answer, row, *self.origin))

    def export(self, format_: str, rejects: Iterable[Reject] = (), warnings: Iterable[str] = ()) -> AnswerExport:
        """Return what the reader returns."""
        return AnswerExport(
            format_,
            pl.DataFrame(self.rows, schema=ANSWER_COLUMNS, orient="row"),
            rejects_frame([*rejects, *self.rejects]),
            self.has_labels,
            (*warnings, *self.sentences),
        )


def together(exports: Sequence[AnswerExport], options: ReadOptions) -> AnswerExport:
    """Return the answers of several files as one. The last answer of a rater to a question on an item counts."""
    rows = pl.concat([export.rows for export in exports])
    rows = rows.with_columns(pl.col(name).map_elements(nfc, pl.String) for name in KEY)
    last = rows.unique(KEY, keep="last", maintain_order=True)
    last = last.with_columns(rater_kind=options.kind_of(pl.col("rater"), pl.col("rater_kind")))
    again = rows.height - last.height
    notes = [f"Answers that a rater gave again: {again:,}. The last one counts."] if again else []
    return AnswerExport(
        exports[0].format,
        last,
        pl.concat([export.rejects for export in exports]),
        any(export.has_labels for export in exports),
        (*dict.fromkeys(note for export in exports for note in export.warnings), *notes),
    )
