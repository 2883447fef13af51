"""Say in sentences how sure an alert is, what to look at, and why it was closed.

What it found: `tasks.monitor.alert_findings`.
"""

from collections.abc import Sequence

from tasks.monitor.alert_findings import (
    FINDINGS,
    Wording,
    day_words,
    interval_words,
    other_coefficient,
    text_figures,
    title,
)
from tasks.monitor.newcomer_words import newcomer_names
from tasks.monitor.rules import RULES
from tasks.notify.message_styles import MessageStyle
from warehouse.alerting.messages import IncidentAlert

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
RATER_KINDS = {"rater", "rater_labels", "rater_speed"}
BY_INTERVAL = ("gold_score", "recent_agreement", "ratings_per_item")
"""Rules whose limit is missed only if the whole interval lies below it."""
CHART_KINDS = {"agreement", "labels", "system", *RATER_KINDS}  # together they keep the promise on false alarms
REASONS = {
    "recovered": "The old level is back.",
    "revised": "Corrected ratings no longer show it.",
    "accepted": "It was accepted as the new normal.",
    "replaced": "A newer version answers.",
    "no figure": "There is no longer a figure, or enough behind it, to hold to its limit.",
    "no limit": "The settings have no limit for it any more.",
    "closed": "Somebody closed it.",
}
ADVICE = {
    "labels": "Look at the latest items: are they of another kind, or is the label understood in another way?",
    "rater": "Look at the items on which annotator {} and the others differ.",
    "rater_labels": "Look at the items to which annotator {} and the others gave different labels.",
    "rater_speed": "Look at the latest ratings of annotator {}: quick answers may be careless.",
    "system": "Look at the latest items on which system {} and the annotators differ. If the annotators agree less "
    "since then, they may be the cause, and only right answers (gold) tell.",
    "version": "Compare the two versions of system {} before you rely on the new one.",
}
NOBODY_STANDS_OUT = (
    "No annotator's own chart shows a change: look at the items, at the guideline, and at who began or ceased to rate."
)
"""Someone who joins has no chart yet, and of two annotators the charts cannot tell which one changed."""
LOOK_AT_PAIRS = "Look at the pairs of annotators that agree least since then, at the items, and at the guideline."
"""Where annotators have no charts: the answers are spans, boxes, rankings or texts."""
LOOK_AT_NEWCOMERS = "Look first at the items on which {} and the others differ."


def evidence(alert: IncidentAlert, wording: Wording) -> str:
    """Return the figures that a chart had when the alert was opened, as a further sentence. Those of a rule are in its
    finding."""
    is_told = alert.kind in FINDINGS and alert.before is not None and alert.after is not None
    figures = text_figures(alert.evidence) if is_told else None
    return f" Figures: {wording.style.prose(figures)}." if figures else ""


def closing(alert: IncidentAlert, wording: Wording) -> str:
    """Return that an alert was closed, and why."""
    reason = alert.closed_because or "closed"
    why = REASONS.get(reason, "So said who closed it.")
    if reason == "recovered" and alert.kind in RULES:
        why = "Its limit is no longer missed for sure." if alert.kind in BY_INTERVAL else "Its limit is met again."
    name = title(alert, wording.style)
    since = ""
    if alert.changed_on:
        since = f" It had changed about {day_words(alert.changed_on, wording)}{interval_words(alert, wording)}."
    return f"{name}: {wording.style.prose(reason.removesuffix('.'))}. {why}{since}"


def advice(alerts: Sequence[IncidentAlert], style: MessageStyle) -> list[str]:
    """Return what to look at, a sentence for each cause.

    If agreement fell and no annotator has an alert of the same incident, nobody stands out but those who began to rate
    then, if the figures name any.
    """
    kinds = {alert.kind for alert in alerts}
    newcomers = [name for alert in alerts if alert.kind == "agreement" for name in newcomer_names(alert.evidence)]
    sentences = []
    if newcomers:
        sentences = [LOOK_AT_NEWCOMERS.format(", ".join(style.name(name) for name in dict.fromkeys(newcomers)))]
    elif any(alert.kind == "agreement" and other_coefficient(alert.evidence) for alert in alerts):
        sentences = [LOOK_AT_PAIRS]
    elif "agreement" in kinds and not kinds & RATER_KINDS:
        sentences = [NOBODY_STANDS_OUT]
    for alert in alerts:
        name = style.name(alert.subject or "")
        if alert.kind in ADVICE:
            sentences.append(ADVICE[alert.kind].format(name))
        elif alert.kind in RULES:
            sentences.append(RULES[alert.kind].look_at.replace("{subject}", name))
    return list(dict.fromkeys(sentences))


def false_alarms(alerts: Sequence[IncidentAlert], per_year: float) -> list[str]:
    """Return how many such alarms come without a cause.

    >>> from types import SimpleNamespace
    >>> false_alarms([SimpleNamespace(kind="rater")], 1)
    ['In a healthy project all charts of this question together raise about one such alarm a year.']
    """
    kinds = {alert.kind for alert in alerts}
    sentences = []
    if kinds & CHART_KINDS:
        how_many = (
            f"{NUMBERS[round(per_year)] if 1 <= per_year <= 12 and per_year == round(per_year) else f'{per_year:g}'} "
            f"such alarm{'' if per_year == 1 else 's'} a year"
            if per_year >= 1
            else f"one such alarm in {1 / per_year:.2g} years"
        )
        sentences.append(f"In a healthy project all charts of this question together raise about {how_many}.")
    if "version" in kinds:
        sentences.append("Among new versions that are as good as the old ones, at most 1 in 20 gets such a verdict.")
    return sentences
