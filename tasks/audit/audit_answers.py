"""Take the labels of an audit's items back as gold, exactly once, with a reason for each row that is refused."""

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import duckdb
import polars as pl

from schemas.rating_columns import MAX_VALUE_LENGTH, REJECTS
from tasks.errors import ReadError
from tasks.formats import CANONICAL, Export, ReadOptions
from tasks.formats.parsing.cells import nfc, tidy_label
from tasks.formats.parsing.file_look import look_at_file
from tasks.formats.parsing.reject_reasons import REASONS
from tasks.formats.parsing.reject_rows import rejects_frame
from tasks.formats.parsing.text_table import read_table
from tasks.ingest.read_export import read_export
from tasks.ingest.validate import ValidatedExport, validate
from tasks.spreadsheet_text import without_formulas
from warehouse.audits import drawn_items, labels_in_force
from warehouse.batches import Batch, BatchCounts, store_batch

SOURCE = "audit"
RATER = "audit"
UNKNOWN_ITEM = "unknown_item"


@dataclass(frozen=True)
class TakenAnswers:
    """What became of the rows of a file of answers. `rejects` has the columns of REJECTS."""

    counts: BatchCounts
    rejects: pl.DataFrame


def take_answers(
    con: duckdb.DuckDBPyConnection, path: Path, question: str, *, labels: tuple[str, ...] | None, now: datetime
) -> TakenAnswers:
    """Store the answers as ratings of kind gold. The same file a second time changes nothing.

    `labels` are the declared labels; None stands for those that the question has. A row without a label is an item
    that is not labelled yet, and is skipped. A label that the question does not have, and an item that was not drawn,
    are rejected. Raises ReadError for a file that cannot be read, and where nothing was drawn for the question.
    """
    drawn = drawn_items(con, question)
    if drawn.is_empty():
        raise ReadError(
            f"No item was drawn for an audit of {question!r}.",
            f"Draw some first: kappaflow audit --question {question} --n 20 --seed 1 --out audit.csv",
        )
    export = _read(path, question)
    names = _names(drawn["item"])
    rows = export.rows.with_columns(item=pl.col("item").replace(names))
    rows = rows.join(drawn.select("item", "audit_id"), on="item", how="left", maintain_order="left")
    foreign = rows["audit_id"].is_null() & rows["item"].is_not_null()
    known = rows.filter(~foreign).with_columns(source_ref=pl.col("audit_id")).select(*CANONICAL)
    refused = _unknown_items(rows.filter(foreign), drawn.height)
    answers = replace(export, rows=known, rejects=pl.concat([export.rejects, refused]))
    allowed = labels or labels_in_force(con, question)
    checked = validate(answers, labels={question: allowed})
    counts = store_batch(
        con, _batch(path, question, checked, now), checked.ratings, checked.rejects, export.metadata.clear(), now=now
    )
    return TakenAnswers(counts, checked.rejects.select(*REJECTS))


def _read(path: Path, question: str) -> Export:
    """Read a table with item and label, or an export of Label Studio."""
    if look_at_file(path).kind in ("json", "jsonl"):
        export = read_export(path, ReadOptions(columns={"item": "item"}))
        gold = export.rows.with_columns(question=pl.lit(question), rater_kind=pl.lit("gold"))
        human = export.rows["rater_kind"].fill_null("human") != "system"
        skipped = export.n_skipped + int((~human).sum())
        return replace(export, rows=gold.filter(human), n_skipped=skipped)
    return _read_table(path, question)


def _read_table(path: Path, question: str) -> Export:
    table = read_table(path)
    place = {header.lower(): f"c{i}" for i, header in reversed(list(enumerate(table.headers)))}
    for name in ("item", "label"):
        if name not in place:
            raise ReadError(
                f"{path.name} has no column {name!r}; it has {', '.join(map(repr, table.headers))[:300]}.",
                "Answers are the file that `kappaflow audit --out` wrote, with its column label filled in.",
                file=str(path),
                column=name,
            )
    cells = table.frame.select(
        item=pl.col(place["item"]).map_elements(_tidy, pl.String),
        label=pl.col(place["label"]).map_elements(_tidy, pl.String),
        row_number=pl.col("row_number"),
    )
    answered = cells.filter(pl.col("label").is_not_null())
    rows = answered.select(
        *(
            {
                "question": pl.lit(question), "item": pl.col("item"), "rater": pl.lit(RATER),
                "rater_kind": pl.lit("gold"), "label": pl.col("label"), "row_number": pl.col("row_number"),
            }.get(name, pl.lit(None)).cast(kind).alias(name)
            for name, kind in CANONICAL.items()
        )
    )  # fmt: skip
    rejects = rejects_frame(table.rejects)
    return Export(format=SOURCE, rows=rows, rejects=rejects, n_skipped=cells.height - answered.height)


def _tidy(text: str) -> str | None:
    return tidy_label(nfc(text))


def _names(items: pl.Series) -> dict[str, str]:
    """Return the item by its text in the file, where an apostrophe was put before a formula."""
    return {written: item for item, written in zip(items, without_formulas(items), strict=True) if written != item}


def _unknown_items(rows: pl.DataFrame, n_drawn: int) -> pl.DataFrame:
    return rows.select(
        "row_number",
        pl.lit("item").alias("column_name"),
        pl.col("item").str.slice(0, MAX_VALUE_LENGTH).alias("value"),
        pl.lit(UNKNOWN_ITEM).alias("reason"),
        pl.lit(f"{REASONS[UNKNOWN_ITEM]} Drawn were {n_drawn:,} items.").alias("detail"),
    )


def _batch(path: Path, question: str, checked: ValidatedExport, now: datetime) -> Batch:
    content = hashlib.sha256(path.read_bytes()).hexdigest()
    return Batch(
        batch_id=hashlib.sha256(f"{SOURCE} {question} {content}".encode()).hexdigest(),
        source=SOURCE,
        file_name=path.name,
        sha256=None,  # as for a live source: no source has the file, so none is asked for it again
        reader=SOURCE,
        status="stored",
        n_rows=checked.n_rows,
        n_skipped=checked.n_skipped,
        started_at=now,
    )
