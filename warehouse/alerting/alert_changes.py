"""What changed among the alerts of a question, so that people can be told."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # `agree` imports this module, and no database
    import duckdb


@dataclass(frozen=True)
class AlertChange:
    """An alert that was opened or closed.

    - event: opened or closed. severity: warning or critical. incident_id: alerts of one cause share it.
    - subject: the rater, system or label, None where the whole question is meant. owner: who is to look at it.
    """

    alert_id: str
    incident_id: str
    question: str
    kind: str
    subject: str | None
    severity: str
    owner: str | None
    event: str


Tell = Callable[["duckdb.DuckDBPyConnection", Sequence[AlertChange]], None]
"""Tell people what changed, in the transaction of the change."""
