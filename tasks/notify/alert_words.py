"""Say in sentences what an alert found, how sure it is, and what to look at."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from tasks.monitor.rules import RULES
from tasks.notify.message_styles import MessageStyle
from warehouse.alerting.messages import IncidentAlert

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
RATER_KINDS = {"rater", "rater_labels", "rater_speed"}
CHART_KINDS = {"agreement", "labels", "system", *RATER_KINDS}  # together they keep the promise on false alarms
REASONS = {
    "recovered": "The old level is back.",
    "revised": "Corrected ratings no longer show it.",
    "accepted": "It was accepted as the new normal.",
    "replaced": "A newer version answers.",
    "closed": "Somebody closed it.",
}
TITLES = {
    "agreement": "agreement",
    "labels": "label {}",
    "rater": "{}",
    "rater_labels": "labels of {}",
    "rater_speed": "speed of {}",
    "system": "{}",
    "version": "new version of {}",
}
ADVICE = {
    "labels": "Look at the latest items: are they of another kind, or is the label understood in another way?",
    "rater": "Look at the items on which {} and the others differ.",
    "rater_labels": "Look at the items to which {} and the others gave different labels.",
    "rater_speed": "Look at the latest ratings of {}: quick answers may be careless.",
    "system": "Look at the latest items on which {} and the annotators differ.",
    "version": "Compare the two versions of {} before you rely on the new one.",
}
NOBODY_STANDS_OUT = "No single annotator stands out: look at the items or the guideline."


@dataclass(frozen=True)
class Wording:
    """What the sentences need besides the alert: style, date of today, name of the agreement chart's coefficient."""

    style: MessageStyle
    today: date
    coefficient: str


def title(alert: IncidentAlert, style: MessageStyle) -> str:
    """Return what the alert is about in a few words, such as the name of the rater."""
    if alert.kind in TITLES and (alert.subject is not None or alert.kind == "agreement"):
        return TITLES[alert.kind].format(style.name(alert.subject or ""))
    kind = style.prose(alert.kind.replace("_", " "))
    return kind if alert.subject is None else f"{kind}: {style.name(alert.subject)}"


def finding(alert: IncidentAlert, wording: Wording) -> str:
    """Return the finding: what changed, since when, and in how many items. Of a rule: its sentence and figures."""
    say = FINDINGS.get(alert.kind)
    has_subject = alert.subject is not None or alert.kind == "agreement"
    if say is None or alert.before is None or alert.after is None or not has_subject:
        own = [wording.style.prose(text) for text in (alert.detail, _figures(alert)) if text]
        return " ".join(own) or f"{title(alert, wording.style)}."
    sentence = say(alert, alert.before, alert.after, wording)
    return "T" + sentence[1:] if sentence.startswith("the annotators") else sentence


def evidence(alert: IncidentAlert, wording: Wording) -> str:
    """Return the figures that a chart had when the alert was opened, as a further sentence. Those of a rule are in its
    finding."""
    is_told = alert.kind in FINDINGS and alert.before is not None and alert.after is not None
    figures = _figures(alert) if is_told else None
    return f" Figures: {wording.style.prose(figures)}." if figures else ""


def closing(alert: IncidentAlert, wording: Wording) -> str:
    """Return that an alert was closed, and why."""
    reason = alert.closed_because or "closed"
    why = REASONS.get(reason, "So said who closed it.")
    if reason == "recovered" and alert.kind in RULES:
        why = "Its limit is met again."
    name = title(alert, wording.style)
    since = (
        f" It had changed about {_day(alert.changed_on, wording)}{_span(alert, wording)}." if alert.changed_on else ""
    )
    return f"{name}: {wording.style.prose(reason.removesuffix('.'))}. {why}{since}"


def advice(alerts: Sequence[IncidentAlert], style: MessageStyle) -> list[str]:
    """Return what to look at, a sentence for each cause.

    If agreement fell and no annotator has an alert of the same incident, nobody stands out.
    """
    kinds = {alert.kind for alert in alerts}
    sentences = [NOBODY_STANDS_OUT] if "agreement" in kinds and not kinds & RATER_KINDS else []
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


def _agreement(alert: IncidentAlert, before: float, after: float, wording: Wording) -> str:
    verb = "fell" if after <= before else "rose"
    return (
        f"{_since(alert, wording)}the annotators agree {'less' if after <= before else 'more'}: {wording.coefficient} "
        f"{verb} from {_figure(before)} to {_figure(after)}{_items(alert)}."
    )


def _labels(alert: IncidentAlert, before: float, after: float, wording: Wording) -> str:
    label = wording.style.name(alert.subject or "")
    return (
        f"{_since(alert, wording)}the annotators give the label {label} {'more' if after > before else 'less'} often: "
        f"its share went from {_percent(before)} to {_percent(after)}{_items(alert)}."
    )


def _rater(alert: IncidentAlert, before: float, after: float, wording: Wording) -> str:
    rater = wording.style.name(alert.subject or "")
    return (
        f"{_since(alert, wording)}{rater} agrees with the others {_less(after)} they agree with each other on the same "
        f"items{_items(alert)}. Before, it was {_more_or_less(before)}."
    )


def _rater_labels(alert: IncidentAlert, before: float, after: float, wording: Wording) -> str:
    rater, label = wording.style.name(alert.subject or ""), alert.label
    what = f"the label {wording.style.name(label)}" if label is not None else "one of the labels"
    return (
        f"{_since(alert, wording)}{rater} gives {what} {'more' if after > before else 'less'} often than before, "
        f"compared with the others on the same items: the difference went from {_figure(before, signed=True)} to "
        f"{_figure(after, signed=True)}{_items(alert)}."
    )


def _rater_speed(alert: IncidentAlert, before: float, after: float, wording: Wording) -> str:
    rater = wording.style.name(alert.subject or "")
    return (
        f"{_since(alert, wording)}{rater} answers faster: {_percent(after)} of the answers take less time than the "
        f"fastest tenth of the reference did; before, it was {_percent(before)}{_items(alert)}."
    )


def _system(alert: IncidentAlert, before: float, after: float, wording: Wording) -> str:
    system = wording.style.name(alert.subject or "")
    return (
        f"{_since(alert, wording)}{system} is right {'less' if after <= before else 'more'} often: its accuracy, by "
        f"the model of the annotators, went from {_figure(before)} to {_figure(after)}{_items(alert)}."
    )


def _version(alert: IncidentAlert, before: float, after: float, wording: Wording) -> str:
    system = wording.style.name(alert.subject or "")
    return (
        f"{_since(alert, wording)}{system} has a new version, which is {'worse' if after <= before else 'better'}: its "
        f"accuracy, by the model of the annotators, is {_figure(after)}, that of the version before was "
        f"{_figure(before)}{_items(alert)}."
    )


FINDINGS: Mapping[str, Callable[[IncidentAlert, float, float, Wording], str]] = {
    "agreement": _agreement,
    "labels": _labels,
    "rater": _rater,
    "rater_labels": _rater_labels,
    "rater_speed": _rater_speed,
    "system": _system,
    "version": _version,
}


def _since(alert: IncidentAlert, wording: Wording) -> str:
    if alert.changed_on is None:
        return ""
    return f"Since about {_day(alert.changed_on, wording)}{_span(alert, wording)}, "


def _span(alert: IncidentAlert, wording: Wording) -> str:
    """Return the interval of the change's date, such as ' (4-12 March)'."""
    low, high = alert.changed_low, alert.changed_high
    if low is None or high is None or low == high:
        return ""
    if (low.year, low.month) == (high.year, high.month):
        return f" ({low.day}-{_day(high, wording)})"
    if low.year == high.year:
        return f" ({low.day} {MONTHS[low.month - 1]}-{_day(high, wording)})"
    return f" ({low.day} {MONTHS[low.month - 1]} {low.year}-{high.day} {MONTHS[high.month - 1]} {high.year})"


def _day(day: date | None, wording: Wording) -> str:
    if day is None:
        return ""
    return f"{day.day} {MONTHS[day.month - 1]}" + (f" {day.year}" if day.year != wording.today.year else "")


def _items(alert: IncidentAlert) -> str:
    return "" if alert.n_items is None else f" ({alert.n_items:,} item{'' if alert.n_items == 1 else 's'})"


def _less(value: float) -> str:
    if _figure(value) in (".00", "-.00"):
        return "as much as"
    return f"{_figure(abs(value))} {'less' if value < 0 else 'more'} than"


def _more_or_less(value: float) -> str:
    return (
        "as much" if _figure(value) in (".00", "-.00") else f"{_figure(abs(value))} {'less' if value < 0 else 'more'}"
    )


def _figure(value: float, *, signed: bool = False) -> str:
    """Write a coefficient with two decimals and no zero before the point.

    >>> _figure(0.571), _figure(-0.125), _figure(1), _figure(0.2, signed=True)
    ('.57', '-.12', '1.00', '+.20')
    """
    return f"{value:{'+' if signed else ''}.2f}".replace("0.", ".", 1) if abs(value) < 0.995 else f"{value:.2f}"


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"


def _figures(alert: IncidentAlert) -> str | None:
    """Return the evidence of a rule, which is text. That of a chart is JSON, which is for queries."""
    return alert.evidence if isinstance(_evidence(alert), str) else None


def _evidence(alert: IncidentAlert) -> object:
    if alert.evidence is None:
        return None
    try:
        parsed = json.loads(alert.evidence)
    except ValueError:
        return alert.evidence
    return parsed if isinstance(parsed, dict | list) else alert.evidence
