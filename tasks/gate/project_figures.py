"""Read the figures that a gate judges from the published snapshot of a project."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from stats.agreement import COEFFICIENTS
from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.pending_questions import outdated_questions
from tasks.evaluate.regions.few_items import few_items_notes
from tasks.gate.gate_figures import (
    GateFigure,
    GateFigures,
    OpenAlert,
    Row,
    RowCounts,
    accuracy_figure,
    agreement_figure,
)
from tasks.ingest.file_result import ANSWER_READERS
from tasks.region_coefficients import what_is_compared
from tasks.summary.headline import headline_rows
from tasks.summary.label_weights import is_plain
from tasks.summary.published_views import of_all_raters, overall
from warehouse.connect import connect
from warehouse.questions import other_answers, raters_in_force, read_table, systems_in_force


def project_figures(
    snapshot: Path, place: str, settings: tuple[QuestionConfigs, EvaluationOptions] | None = None
) -> GateFigures:
    """Read the latest figures of each question that has ratings. `place` names the project in messages.

    The accuracy of a system is its headline. The figures of a question whose ratings changed after its last evaluation,
    or whose settings are not those of `settings` any more, have the reason `outdated`, and cannot be judged. Raises
    WarehouseError if the snapshot cannot be read.
    """
    with connect(snapshot, read_only=True) as con:
        agreement = overall(read_table(con, "latest_agreement")).to_dicts()
        regions = of_all_raters(read_table(con, "latest_region_agreement"))
        accuracy = read_table(con, "latest_system_accuracy").filter(pl.col("scope") == "all")
        alerts = read_table(con, "alerts").filter(pl.col("closed_at").is_null())
        batches = read_table(con, "data_quality")
        questions = dict.fromkeys(question for question, _ in raters_in_force(con))
        systems = systems_in_force(con).group_by("question", maintain_order=True).agg("system")
        outdated = outdated_questions(con, settings)
        others = [name for name in questions if other_answers(con, name) is not None]
    return GateFigures(
        place=place,
        questions=tuple(questions),
        systems={question: tuple(names) for question, names in systems.iter_rows()},
        agreement={
            key: _current(figure, key[0], outdated)
            for key, figure in {**_agreement_figures(agreement), **_region_figures(regions)}.items()
        },
        accuracy={
            (row["question"], row["system"]): _current(accuracy_figure(row), row["question"], outdated)
            for row in headline_rows(accuracy).to_dicts()
        },
        rows=_row_counts(batches),
        without_labels=frozenset(others),
        alerts=tuple(OpenAlert(**row) for row in alerts.select("question", "kind", "severity", "subject").to_dicts()),
    )


def _region_figures(regions: pl.DataFrame) -> dict[tuple[str, str], GateFigure]:
    """Return the figures of spans, boxes, rankings and texts by question and coefficient."""
    figures = {}
    for row in regions.with_columns(observed=None, expected=None).to_dicts():
        figure = agreement_figure(row)
        notes = few_items_notes(what_is_compared(row["coefficient"]), [row])
        figures[row["question"], row["coefficient"]] = replace(figure, warnings=(*figure.warnings, *notes))
    return figures


def _agreement_figures(rows: Sequence[Row]) -> dict[tuple[str, str], GateFigure]:
    """Return the figures by question and coefficient.

    A coefficient that takes no weights has its weighted form's figure where the question has weights, and says so.
    """
    by_name = {(row["question"], row["coefficient"]): row for row in rows}
    figures = {key: agreement_figure(row) for key, row in by_name.items()}
    for (question, name), row in by_name.items():
        coefficient = COEFFICIENTS.get(name)
        form = None if coefficient is None or is_plain(row["weights"]) else coefficient.weighted_form
        if form is not None and (weighted := figures.get((question, form))):
            note = f"{name} takes no weights, and the question has {row['weights']} ones: {form}, its weighted form,"
            figures[question, name] = replace(weighted, warnings=(f"{note} counts.", *weighted.warnings))
    return figures


def _current(figure: GateFigure, question: str, outdated: Mapping[str, str]) -> GateFigure:
    if question not in outdated:
        return figure
    return replace(figure, reason="outdated", detail=outdated[question])


def _row_counts(batches: pl.DataFrame) -> RowCounts:
    """Count the rows of all batches, each by the latest attempt to read it.

    Answers that `audit` and `worklist` take in come from no source: they are not rows of an export.
    """
    batches = batches.filter(pl.col("reader").is_null() | ~pl.col("reader").is_in(ANSWER_READERS))
    was_withdrawn = pl.col("top_reason").eq_missing("withdrawn")  # and is wanted again: the next run reads it
    n_unreadable = batches.filter(pl.col("status") == "rejected", ~was_withdrawn).height
    return RowCounts(int(batches["n_rows"].sum()), int(batches["n_rejected"].sum()), n_unreadable)
