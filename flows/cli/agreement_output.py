"""How agree and inspect look on a terminal."""

from collections.abc import Sequence
from typing import Any

from flows.cli.breakdowns_output import print_details
from flows.cli.terminal import heading, interval, line, note, p_value, print_notes, print_table
from tasks.formats.columns.column_roles import ColumnChoice

AgreementResult = dict[str, Any]
COEFFICIENTS = {
    "name": "coefficient",
    "estimate": "estimate",
    "interval": "interval",
    "se": "se",
    "p_value": "p",
    "observed": "observed",
    "expected": "expected",
    "n_items": "items",
    "reason": "why not",
}


def print_agreement(found: Sequence[AgreementResult]) -> None:
    """A table of coefficients per question; those that do not apply are named in one line below it."""
    for one in found:
        heading(
            f"{one['question']}: {one['n_items']:,} items, {one['n_raters']:,} raters, {one['n_ratings']:,} "
            f"ratings, {len(one['labels'])} labels ({one['scale']})"
        )
        print_columns(one.get("columns"))
        rows = [
            {**row, "interval": interval(row["low"], row["high"]), "p_value": p_value(row["p_value"])}
            for row in one["coefficients"]
            if row["reason"] != "not_applicable"
        ]
        print_table(rows, headers=COEFFICIENTS)
        _not_applicable(one["coefficients"])
        _prevalence(one["prevalence"])
        print_details(one)
        for text in one["warnings"]:
            print_notes(text)


def print_inspection(found: AgreementResult) -> None:
    """What a file holds, what would be rejected, and the lines for kappaflow.toml."""
    heading(
        f"{found['format']}: {found['n_ratings']:,} ratings, {found['n_skipped']:,} skipped, "
        f"{found['n_rejected']:,} rejected"
    )
    print_columns(found.get("columns"))
    print_table([{**row, "labels": _listed(row["labels"])} for row in found["questions"]], title="Questions")
    print_table(found["raters"], title="Raters")
    print_table(found.get("first_rows", []), title="First ratings")
    print_table(
        [{**row, "examples": _examples(row["examples"])} for row in found["rejects"]],
        title="Would be rejected",
        warn="reason",
    )
    for text in found["warnings"]:
        print_notes(text)
    if found.get("toml"):
        heading("For kappaflow.toml:")
        line(found["toml"])


def print_columns(columns: AgreementResult | None) -> None:
    """Which columns of a table were taken as what, and which were passed over."""
    if columns is not None:
        taken = {role: tuple(headers) for role, headers in columns["taken"].items()}
        print_notes(str(ColumnChoice(taken, tuple(columns["passed_over"]))))


def _prevalence(row: AgreementResult) -> None:
    if row["prevalence_index"] is not None:
        note(
            f"Most used label: {row['most_used_label']} ({row['most_used_share']:.0%}); prevalence index "
            f"{row['prevalence_index']:.2f}, bias index {_short(row['bias_index'])}.",
            style="dim",
        )
    if row["note"]:
        note(row["note"])


def _examples(rows: Sequence[AgreementResult]) -> str:
    return "; ".join(
        f"row {row['row_number']}"
        + (f", {row['column_name']}" if row["column_name"] else "")
        + (f": {row['value']!r}" if row["value"] else "")
        for row in rows
    )


def _not_applicable(rows: Sequence[AgreementResult]) -> None:
    names = [row["name"] for row in rows if row["reason"] == "not_applicable"]
    if names:
        note(f"Not applicable here: {', '.join(names)}.", style="dim")


def _short(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:12]) + (" ..." if len(names) > 12 else "")
