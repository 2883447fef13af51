"""Print the results of `agree`."""

from collections.abc import Sequence
from typing import Any

from flows.cli.files.breakdowns_output import print_details
from flows.cli.regions.answers_output import print_answers
from flows.cli.regions.regions_output import print_regions
from flows.cli.terminal import headers_of, heading, interval, note, p_value, print_notes, print_table
from stats.share_in_percent import share_in_percent
from tasks.counted_words import counted, short_name
from tasks.formats.columns.column_roles import ColumnChoice
from tasks.summary.label_weights import chosen_weights, scale_sentence

AgreementResult = dict[str, Any]
COEFFICIENTS = headers_of("name estimate interval se p_value observed expected n_items reason", name="coefficient")


def print_agreement(results: Sequence[AgreementResult]) -> None:
    """Print a table of coefficients for each question, and below it the names of those that do not apply."""
    for result in results:
        if "n_regions" in result:
            print_regions(result)
            continue
        if "answers" in result:
            print_answers(result)
            print_columns(result["columns"])
            continue
        weights = chosen_weights(result["coefficients"])
        scale = result["scale"] if weights is None else f"{result['scale']}, {weights} weights"
        heading(
            f"{result['question']}: {counted(result['n_items'], 'item')}, {counted(result['n_raters'], 'rater')}, "
            f"{counted(result['n_ratings'], 'rating')}, {counted(len(result['labels']), 'label')} ({scale})"
        )
        print_columns(result.get("columns"))
        rows = [
            {**row, "interval": interval(row["low"], row["high"]), "p_value": p_value(row["p_value"])}
            for row in result["coefficients"]
            if row["reason"] != "not_applicable"
        ]
        print_table(rows, headers=COEFFICIENTS)
        _not_applicable(result["coefficients"])
        _degenerate(result["coefficients"])
        if text := scale_sentence(result["coefficients"]):
            note(text)
        _prevalence(result["prevalence"])
        print_details(result)
        for text in result["warnings"]:
            print_notes(text)


def print_columns(columns: AgreementResult | None) -> None:
    """Print which column has which role, and which columns are ignored."""
    if columns is not None:
        headers_by_role = {role: tuple(headers) for role, headers in columns["taken"].items()}
        print_notes(str(ColumnChoice(headers_by_role, tuple(columns["passed_over"]), tuple(columns["metadata"]))))


def _prevalence(row: AgreementResult) -> None:
    if row["prevalence_index"] is not None:
        share = share_in_percent(row["most_used_share"])
        note(
            f"Most used label: {short_name(row['most_used_label'])} ({share}); prevalence index "
            f"{row['prevalence_index']:.2f}, bias index {_decimals(row['bias_index'])}.",
            style="dim",
        )
    if row["note"]:
        note(row["note"])


def _not_applicable(rows: Sequence[AgreementResult]) -> None:
    names = [row["name"] for row in rows if row["reason"] == "not_applicable"]
    if names:
        note(f"Not applicable here: {', '.join(names)}.", style="dim")


def _degenerate(rows: Sequence[AgreementResult]) -> None:
    """Warn about the interval of a coefficient: [1, 1] from five items does not mean certainty."""
    names: dict[str, list[str]] = {}
    for row in rows:
        if row["estimate"] is not None and row["detail"]:
            names.setdefault(row["detail"], []).append(row["name"])
    for detail, of in names.items():
        note(f"{', '.join(of)}: {detail}")


def _decimals(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
