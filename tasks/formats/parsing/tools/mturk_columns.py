"""Name the columns of Mechanical Turk's results. Users may also map them, and read the results as a table."""

from collections.abc import Collection, Sequence

REJECT = "Reject"
TO_FILL_IN = ("Approve", REJECT)
"""The last columns. A row has no cells for them until the requester writes some."""


def are_results(headers: Collection[str]) -> bool:
    """Check for the columns that all results have."""
    return "HITId" in headers and "WorkerId" in headers


def n_to_fill_in(headers: Sequence[str]) -> int:
    """Count the last columns that a row of such results may lack."""
    return len(TO_FILL_IN) if are_results(headers) and tuple(headers[-2:]) == TO_FILL_IN else 0
