"""Say in one line how a question stands: good, watch or act, and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stats.agreement.breakdowns.contradictions import Contradiction
from stats.verdict_interval import POOR, SURE, has_no_width, reaches
from tasks.summary.finite import finite
from tasks.summary.headline import estimate_or_last
from tasks.summary.next_steps import next_steps
from tasks.summary.poor_agreement import Causes, interval_of, is_poor

STATES = ("act", "watch", "good")
NO_WIDTH = (
    "An interval without width says that agreement is the same on all items. That does not make it certain: states and"
    " alerts rest on what so few items prove."
)
RULES = (
    f"Act: a critical alert is open, or the whole interval of agreement lies below {POOR:g}. "
    f"Good: no alert is open, and the whole interval of agreement lies above {SURE:g}. Watch: all other cases."
)
Row = Mapping[str, Any]


@dataclass(frozen=True)
class QuestionState:
    """How a question stands. rule says which rule the state follows, and how sure that is; next_steps what to do
    first and then."""

    state: str
    rule: str
    next_steps: tuple[str, ...]

    @property
    def place(self) -> int:
        """The place by urgency: 0 is most urgent."""
        return STATES.index(self.state)


def urgency(state: QuestionState, main: Row | None) -> tuple[int, float]:
    """Return what report and pages sort questions by, the most urgent first: state, then agreement, lowest first."""
    return state.place, estimate_or_last(main)


def question_state(
    main: Row | None,
    agreement: Sequence[Row],
    systems: Sequence[Row],
    alerts: Sequence[Row],
    *,
    has_doubtful: bool,
    contradictions: Sequence[Contradiction] = (),
    causes: Causes | None = None,
) -> QuestionState:
    """Judge a question by the figures that stand for it.

    main: the row of `latest_agreement` that stands for the question; agreement: its rows over all ratings of people;
    systems: the main estimate of each system; alerts: the open alerts; has_doubtful: whether items wait to be
    adjudicated; contradictions: the annotators who contradict the others, which is to be settled first; causes: what
    may be behind low agreement.
    """
    has_one_label = _has_one_label(main, agreement)
    state, rule = _state(main, alerts, has_one_label=has_one_label)
    what_to_do = next_steps(
        main,
        agreement,
        systems,
        is_good=state == "good",
        has_one_label=has_one_label,
        has_alerts=bool(alerts),
        has_doubtful=has_doubtful,
        contradictions=contradictions,
        causes=causes or Causes(),
    )
    return QuestionState(state, rule, what_to_do)


def _has_one_label(main: Row | None, agreement: Sequence[Row]) -> bool:
    """Check whether another coefficient stands for alpha, which is undefined because all ratings have one label."""
    if main is None or main["coefficient"] == "krippendorff_alpha":
        return False
    alpha = next((row for row in agreement if row["coefficient"] == "krippendorff_alpha"), None)
    return alpha is not None and finite(alpha.get("estimate")) is None and alpha["reason"] == "zero_denominator"


def _state(main: Row | None, alerts: Sequence[Row], *, has_one_label: bool) -> tuple[str, str]:
    low, high = interval_of(main)
    n_critical = sum(alert["severity"] == "critical" for alert in alerts)
    if n_critical:
        return "act", "a critical alert is open" if n_critical == 1 else f"{n_critical} critical alerts are open"
    if main is None or finite(main.get("estimate")) is None:
        return "watch", "there is no figure of agreement"
    if main["coefficient"] == "percent_agreement":
        return "watch", "there is no figure of agreement beyond chance"
    if low is None or high is None:
        return "watch", "agreement has no interval, so it cannot be told"
    if is_poor(main):
        return "act", f"the whole interval of agreement lies below {POOR:g}"
    if not alerts and has_no_width(main) and not reaches(low, SURE) and reaches(high, SURE):
        return (
            "watch",
            f"agreement is the same on all {main['n_items']:,} items: too few to tell on which side of {SURE:g} it is",
        )
    if alerts:
        return "watch", "an alert is open" if len(alerts) == 1 else f"{len(alerts)} alerts are open"
    if has_one_label:
        return "watch", "all ratings have one label, so agreement cannot be told from chance"
    if reaches(low, SURE):
        return "good", f"no alert is open, and the whole interval of agreement lies above {SURE:g}"
    if reaches(high, SURE):
        return "watch", f"the interval of agreement holds {SURE:g}: it cannot be told yet on which side it is"
    return "watch", f"the whole interval of agreement lies below {SURE:g}"
