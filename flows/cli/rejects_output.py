"""How rejected rows look on a terminal, and as JSON."""

from typing import TYPE_CHECKING

from flows.cli.terminal import note, print_table

if TYPE_CHECKING:
    from tasks.ingest.rejected_rows import RejectSummary

SHOWN = 40  # rows on a terminal; --csv and --json have them all
SUMMARY = {
    "file_name": "file",
    "reason": "reason",
    "n_rejected": "rows",
    "first_row": "first",
    "last_row": "last",
    "attempt": "attempt",
    "detail": "what is wrong",
}
ROWS = {
    "file_name": "file",
    "row_number": "row",
    "column_name": "column",
    "value": "value",
    "reason": "reason",
    "item": "item",
    "rater": "rater",
    "attempt": "attempt",
}


def as_json(found: "RejectSummary") -> dict[str, object]:
    """The value of `rejects --json`."""
    return {"summary": found.summary.to_dicts(), "rows": found.rows.to_dicts()}


def print_rejects(found: "RejectSummary") -> None:
    """The summary by file and reason, then the first rows."""
    if found.summary.is_empty():
        note("Nothing was refused.", style="dim")
        return
    print_table(found.summary.to_dicts(), title="Refused, by file and reason", headers=SUMMARY, warn="reason")
    print_table(found.rows.head(SHOWN).to_dicts(), title="Rows", headers=ROWS, warn="value")
    if found.rows.height > SHOWN:
        note(f"The first {SHOWN} of {found.rows.height:,} rows; --csv and --json have them all.", style="dim")
    note("After a fix in kappaflow.toml: kappaflow ingest --retry-rejects", style="dim")
