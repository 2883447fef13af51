"""Print rejected rows, and turn them into JSON."""

from typing import TYPE_CHECKING

from flows.cli.terminal import headers_of, note, print_table

if TYPE_CHECKING:
    from tasks.ingest.rejected_rows import RejectSummary

MAX_ROWS = 40  # on a terminal; --csv and --json have all
SUMMARY = headers_of(
    "file_name reason n_rejected first_row last_row attempt detail",
    file_name="file",
    reason="reason",
    n_rejected="rows",
    first_row="first",
    last_row="last",
    detail="what is wrong",
)
ROWS = headers_of(
    "file_name row_number column_name value reason item rater attempt",
    file_name="file",
    row_number="row",
    column_name="column",
    reason="reason",
)


def as_json(rejects: "RejectSummary") -> dict[str, object]:
    """Return the value of `rejects --json`."""
    return {"summary": rejects.summary.to_dicts(), "rows": rejects.rows.to_dicts()}


def print_rejects(rejects: "RejectSummary", place: str) -> None:
    """Print the summary by file and reason, then the first rows. `place` is the option that names the project."""
    if rejects.summary.is_empty():
        note("No rows were rejected.", style="dim")
        return
    print_table(rejects.summary.to_dicts(), title="Rejected rows by file and reason", headers=SUMMARY, warn="reason")
    print_table(rejects.rows.head(MAX_ROWS).to_dicts(), title="Rows", headers=ROWS, warn="value")
    if rejects.rows.height > MAX_ROWS:
        note(f"The first {MAX_ROWS} of {rejects.rows.height:,} rows; --csv and --json have them all.", style="dim")
    if (rejects.rows["n_rows"] > 1).any():
        note("Of a dataset the first rows of each file and reason are listed, and the others are counted.", style="dim")
    note(f"After a fix in kappaflow.toml: kappaflow ingest --retry-rejects{place}", style="dim")
