"""Compute the agreement on the spans, boxes, rankings or texts of a question: over all, by pair, and by label."""

import json
from dataclasses import dataclass
from typing import Any

import polars as pl

from schemas.rating_columns import IS_HUMAN
from stats.item_distances import distances_of_regions
from stats.regions import (
    BOXES,
    DONE,
    SPANS,
    by_label,
    by_pair,
    known_lengths,
    match_boxes,
    match_spans,
    n_left_out,
    region_agreement,
)  # fmt: skip
from tasks.evaluate.question_config import QuestionConfig, kinds_as_declared
from tasks.evaluate.regions.answer_figures import IS_ANSWER, OTHER_OPTIONS, answer_rows, peoples_answers
from tasks.evaluate.regions.few_items import few_items_notes
from tasks.evaluate.regions.text_alphas import ALPHAS, QUICK, TextAlphas, left_out_note

MAX_TEXTS = 20_000  # with more texts most alphas are left out, because they take as long as all other figures
MAX_RATERS = 50  # whose pairs have alphas
NO_PEOPLE = "{question}: fewer than two people marked spans or boxes, so that nothing can be compared."
NO_ANSWERS = "{question}: fewer than two people gave rankings or texts, so that nothing can be compared."
MIXED = "{question} has {kinds}: they are not compared. Give them to questions of different names."
SPANS_AND_BOXES = "{question} has spans and boxes: they are not compared. Give them to two controls of different names."
LEFT_OUT = (
    "{question}: of more than {n:,} texts only character_alpha is computed, over all raters; "
    "`kappaflow agree --coefficients` computes the others."
)
COLUMNS = (
    "rater_a", "rater_b", "label", "coefficient", "estimate", "se", "low", "high", "confidence", "interval_method",
    "n_items", "n_raters", "n_regions", "reason", "detail",
)  # fmt: skip


def region_tables(
    question: str, region_work: pl.DataFrame, config: QuestionConfig, confidence: float
) -> tuple[dict[str, pl.DataFrame], tuple[str, ...]]:
    """Return the tables region_agreement and item_distances of a question, and what its reader must know.

    `region_work` is as `warehouse.questions.region_work_of` reads it. People are compared, systems and gold are not.
    """
    people = people_of(region_work, config)
    if people.select(IS_ANSWER.any()).item():
        return _answer_tables(question, people, confidence)
    marked = marked_work_of(people)
    if marked.assignments["rater"].n_unique() < 2:
        return {}, (NO_PEOPLE.format(question=question),)
    if marked.has_both:
        return {}, (SPANS_AND_BOXES.format(question=question),)
    matches = marked.matches()
    rows, notes = _figures(marked, matches, confidence)
    tables = {"region_agreement": _table(rows), "item_distances": distances_of_regions(matches)}
    return tables, tuple(note.format(question=question, n=MAX_TEXTS) for note in notes)


def people_of(region_work: pl.DataFrame, config: QuestionConfig) -> pl.DataFrame:
    """Return the work of people."""
    return kinds_as_declared(region_work, config).filter(IS_HUMAN)


def _answer_tables(
    question: str, people: pl.DataFrame, confidence: float
) -> tuple[dict[str, pl.DataFrame], tuple[str, ...]]:
    if people["rater"].n_unique() < 2:
        return {}, (NO_ANSWERS.format(question=question),)
    regions = people.filter(~IS_ANSWER)
    answers = peoples_answers(people.filter(IS_ANSWER))
    kinds = [f"{kind}s" for kind in sorted(answers.kinds)] + (["spans or boxes"] if regions.height else [])
    if len(kinds) > 1:
        return {}, (MIXED.format(question=question, kinds=" and ".join(kinds)),)
    rows = answer_rows(answers, confidence)
    tables = {"region_agreement": _table(rows), "item_distances": answers.item_distances()}
    notes = [OTHER_OPTIONS.format(question=question, n=answers.n_left_out)] if answers.n_left_out else []
    overall = [row for row in rows if row.get("rater_a") is None]
    notes += [f"{question}: {text}" for text in few_items_notes(kinds[0], overall)]
    return tables, tuple(notes)


def _table(rows: list[dict[str, Any]]) -> pl.DataFrame:
    table = pl.DataFrame([{name: row.get(name) for name in COLUMNS} for row in rows], infer_schema_length=None)
    texts = ("rater_a", "rater_b", "label", "reason", "detail")
    numbers = ("estimate", "se", "low", "high")
    return table.with_columns(pl.col(*texts).cast(pl.String), pl.col(*numbers).cast(pl.Float64))


@dataclass(frozen=True)
class MarkedWork:
    """The spans and boxes of the people of a question, who did which item, and the lengths of the texts.

    `n_left_out`: texts of two people or more whose length is not sure, so that no alpha counts them.
    """

    spans: pl.DataFrame
    boxes: pl.DataFrame
    assignments: pl.DataFrame
    lengths: pl.DataFrame
    n_left_out: int = 0

    @property
    def has_both(self) -> bool:
        """Check for spans beside boxes, which are not compared."""
        return self.spans.height > 0 and self.boxes.height > 0

    @property
    def n_items(self) -> int:
        """Count the items that people did."""
        return self.assignments["item"].n_unique()

    def matches(self) -> pl.DataFrame:
        """Match the regions of each pair of raters."""
        return (
            match_boxes(self.boxes, self.assignments)
            if self.boxes.height
            else match_spans(self.spans, self.assignments)
        )


def marked_work_of(people: pl.DataFrame) -> MarkedWork:
    """Return what people marked. Their work is as `warehouse.questions.region_work_of` reads it."""
    spans, boxes = _regions(people)
    assignments = people.select(*DONE)
    lengths = people.select("item", pl.col("text_length").alias("length"))
    usable = known_lengths(lengths, spans)
    return MarkedWork(spans, boxes, assignments, usable, n_left_out(lengths, usable, assignments))


def _figures(marked: MarkedWork, matches: pl.DataFrame, confidence: float) -> tuple[list[dict[str, Any]], list[str]]:
    assignments, many = marked.assignments, marked.n_items > MAX_TEXTS
    names = () if marked.boxes.height else QUICK if many else tuple(ALPHAS)
    alphas = TextAlphas(marked.spans, assignments, marked.lengths, confidence, names, only_overall=many)
    overall = [*region_agreement(matches, assignments, confidence=confidence).to_dicts(), *alphas.overall()]
    pairs = by_pair(matches, assignments, confidence=confidence).to_dicts()
    if assignments["rater"].n_unique() <= MAX_RATERS:
        pairs = alphas.after_pairs(pairs, 1)
    labels = alphas.after_labels(by_label(matches, assignments, confidence=confidence).to_dicts())
    rows = [row | {"coefficient": row.get("coefficient") or row["name"]} for row in (*overall, *pairs, *labels)]
    kind = "boxes" if marked.boxes.height else "spans"
    narrow_notes = [f"{{question}}: {text}" for text in few_items_notes(kind, overall)]
    if marked.boxes.height:
        return rows, narrow_notes
    behind = [f"{{question}}: {left_out_note(marked.n_left_out)}"] if marked.n_left_out else []
    return rows, [*([LEFT_OUT] if many else []), *behind, *narrow_notes]


def _regions(region_work: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the spans and the boxes, one row each."""
    spans: list[tuple[Any, ...]] = []
    boxes: list[tuple[Any, ...]] = []
    for item, rater, text in region_work.select("item", "rater", "regions").iter_rows():
        for region in json.loads(text):
            (spans if len(region) == 3 else boxes).append((item, rater, *region))
    spans_frame = pl.DataFrame(spans, schema=_schema(SPANS, ("start", "end")), orient="row", strict=False)
    boxes_frame = pl.DataFrame(
        boxes, schema=_schema(BOXES, ("left", "top", "right", "bottom")), orient="row", strict=False
    )
    return spans_frame, boxes_frame


def _schema(columns: dict[str, Any], places: tuple[str, ...]) -> dict[str, Any]:
    return {name: columns[name] for name in ("item", "rater", *places, "label")}
