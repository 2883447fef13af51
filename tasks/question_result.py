"""What became of a question in a run."""

from dataclasses import dataclass

from warehouse.alerting.alert_changes import AlertChange

LEFT_OUT = "Left out:"  # what a note on answers that do not count begins with
DIFFICULT_GOLD = "Gold of difficult items:"  # what a note on gold of a worklist begins with


@dataclass(frozen=True)
class QuestionResult:
    """The outcome of one question. `error` says why it could not be evaluated; None if it was.

    `alert_changes` are the alerts of the question that the run opened or closed.
    """

    kind: str
    question: str
    n_ratings: int
    notes: tuple[str, ...]
    error: str | None = None
    alert_changes: tuple[AlertChange, ...] = ()
