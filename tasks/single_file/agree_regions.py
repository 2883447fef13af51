"""Compute the agreement on spans or boxes in a file, or in several as one, without a project."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from schemas.rating_columns import IS_HUMAN, IS_SYSTEM
from stats.errors import StatsError
from stats.regions import by_label, by_pair, known_lengths, match_boxes, match_spans, n_left_out, region_agreement
from tasks.counted_words import counted
from tasks.errors import InputError, some
from tasks.evaluate.regions.few_items import few_items_notes
from tasks.evaluate.regions.text_alphas import ALPHAS, QUICK, TextAlphas, left_out_note
from tasks.formats.regions.span_export import SpanExport
from tasks.single_file.load_file import FileOptions

BREAKDOWNS = ("pair", "label")
MAX_UNASKED = 20_000  # with more texts most alphas are left out, because they take as long as all the rest
LEFT_OUT = "With so many texts only {quick} is computed, over all raters. For the others give --coefficients {names}."


def agree_on_regions(
    held: SpanExport,
    options: FileOptions,
    *,
    coefficients: tuple[str, ...] | None = None,
    by: tuple[str, ...] = (),
    min_items: int = 1,
    useless: Mapping[str, object] | None = None,
) -> list[dict[str, Any]]:
    """Compute the figures of each question that the options ask for, in the shape of `agree --json`.

    Of spans f1_exact, f1_partial, character_alpha and unitised_alpha; of boxes f1_iou50, f1_iou75 and mean_iou.

    `useless` are options that have no use for spans, null where not given. Raises InputError for one that is given, for
    a breakdown or coefficient that does not exist, and if the question must be named.
    """
    for name, value in (useless or {}).items():
        if value:
            raise InputError(f"{name} cannot be used with spans and boxes.", "Leave it out.")
    if odd := [name for name in by if name not in BREAKDOWNS]:
        raise InputError(f"--by {odd[0]} is not offered for spans and boxes.", f"Use {' or '.join(BREAKDOWNS)}.")
    questions = [options.question] if options.question is not None else held.questions
    if len(questions) > 1 and not options.all_questions:
        raise InputError(
            f"The spans or boxes are of {len(questions)} questions: {some(questions)}.",
            "Name one with --question NAME, or ask for --all-questions.",
        )
    return [_agree(held, question, options, coefficients, by, min_items) for question in questions]


def _agree(
    held: SpanExport,
    question: str,
    options: FileOptions,
    coefficients: tuple[str, ...] | None,
    by: tuple[str, ...],
    min_items: int,
) -> dict[str, Any]:
    assignments = held.assignments.filter(pl.col("question") == question, IS_HUMAN)
    spans, boxes = (
        regions.filter(pl.col("question") == question).join(assignments, on=["item", "rater"], how="semi")
        for regions in (held.spans, held.boxes)
    )
    if spans.height and boxes.height:
        raise InputError(f"{question} has spans and boxes.", "Give them to two controls of different names.")
    if absent := sorted(options.reading.systems - set(held.assignments["rater"])):
        raters = sorted(set(held.assignments["rater"]))
        raise InputError(f"No span or box is by '{absent[0]}'.", f"The raters: {some(raters)}.")
    try:
        matches = match_boxes(boxes, assignments) if boxes.height else match_spans(spans, assignments)
        unasked = coefficients is None and assignments["item"].n_unique() > MAX_UNASKED
        names = () if boxes.height else QUICK if unasked else _alphas(coefficients)
        lengths = known_lengths(held.lengths, spans)
        alphas = TextAlphas(spans, assignments, lengths, options.confidence, names, only_overall=unasked)
        others = None if coefficients is None else [name for name in coefficients if name not in alphas.names]
        chosen: dict[str, Any] = {"coefficients": others, "confidence": options.confidence}
        figures = [*region_agreement(matches, assignments, **chosen).to_dicts(), *alphas.overall()]
        breakdowns: dict[str, list[dict[str, Any]]] = {}
        if "pair" in by:
            pairs = by_pair(matches, assignments, min_items=min_items, **chosen).to_dicts()
            breakdowns["by_pair"] = alphas.after_pairs(pairs, min_items)
        if "label" in by:
            breakdowns["by_label"] = alphas.after_labels(by_label(matches, assignments, **chosen).to_dicts())
    except StatsError as error:
        what, _, hint = str(error).rpartition(". ")
        raise InputError(f"{what}.", hint) from error
    n_systems = held.assignments.filter(pl.col("question") == question, IS_SYSTEM)["rater"].n_unique()
    notes = [*_reject_notes(held), *few_items_notes("boxes" if boxes.height else "spans", figures)]
    if spans.height and unasked:
        notes.append(LEFT_OUT.format(quick=QUICK[0], names=",".join(ALPHAS)))
    if names and (n_texts := n_left_out(held.lengths, lengths, assignments)):
        notes.append(left_out_note(n_texts))
    if n_systems:
        notes.append(f"Left out, because they are systems: {n_systems:,}.")
    return {
        "question": question,
        "labels": sorted({*spans["label"], *boxes["label"]}),
        "scale": "nominal",
        "n_items": assignments["item"].n_unique(),
        "n_raters": assignments["rater"].n_unique(),
        "n_ratings": assignments.height,
        "n_regions": spans.height + boxes.height,
        "regions": "boxes" if boxes.height else "spans",
        "coefficients": figures,
        **breakdowns,
        "columns": None,
        "warnings": [*held.warnings, *notes],
    }


def _reject_notes(held: SpanExport) -> list[str]:
    counts = held.rejects.group_by("reason").len().sort("len", "reason", descending=[True, False])
    return [
        f"{counted(n, 'span, box or item was', 'spans, boxes or items were')} rejected: {reason}."
        for reason, n in counts.rows()
    ]


def _alphas(coefficients: tuple[str, ...] | None) -> tuple[str, ...]:
    """Return the alphas that are asked for, and if nothing is, all of them."""
    return tuple(name for name in ALPHAS if coefficients is None or name in coefficients)
