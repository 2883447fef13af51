"""Say in a sentence what an alert found: since when, the figures, and what they are compared with.

The terminal, the messages, the report and the live pages say the same sentence.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date

from tasks.counted_words import counted
from tasks.glossary import COEFFICIENTS
from tasks.monitor.newcomer_words import read_newcomers
from tasks.notify.message_styles import MessageStyle
from tasks.region_coefficients import in_a_sentence
from warehouse.alerting.alert_matching import ChartAlert
from warehouse.alerting.messages import IncidentAlert

Alert = IncidentAlert | ChartAlert
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
TITLES = {
    "agreement": "agreement",
    "labels": "label {}",
    "rater": "annotator {}",
    "rater_labels": "labels of annotator {}",
    "rater_speed": "speed of annotator {}",
    "system": "system {}",
    "version": "new version of system {}",
}
_FIGURE = r"(-?\d\.\d+(?: \[[^\]]*\])?)"
_WINDOWS = re.compile(
    rf"; (\w+) {_FIGURE} before, {_FIGURE} since \d{{4}}-\d\d-\d\d(?:; newcomer .*)?$", re.DOTALL
)  # as `agreement_at_change` writes them


@dataclass(frozen=True)
class Wording:
    """What the sentences need besides the alert: style, date of today, name of the agreement chart's coefficient.

    Days of this year have no year. Without a date of today all have one.
    """

    style: MessageStyle
    today: date | None
    coefficient: str


def title(alert: Alert, style: MessageStyle) -> str:
    """Return what the alert is about in a few words, such as the name of the rater."""
    if alert.kind in TITLES and (alert.subject is not None or alert.kind == "agreement"):
        return TITLES[alert.kind].format(style.name(alert.subject or ""))
    kind = style.prose(alert.kind.replace("_", " "))
    return kind if alert.subject is None else f"{kind}: {style.name(alert.subject)}"


def finding(alert: Alert, wording: Wording) -> str:
    """Return the finding of a chart: what changed, since when, and in how many items. Of a rule: what is not met."""
    say = FINDINGS.get(alert.kind)
    has_subject = alert.subject is not None or alert.kind == "agreement"
    if say is None or alert.before is None or alert.after is None or not has_subject:
        sentence = rule_finding(alert.detail, alert.evidence)
        if sentence:
            return wording.style.prose(sentence)
        sentence = f"{title(alert, wording.style)}."
    else:
        sentence = say(alert, alert.before, alert.after, wording)
    return sentence[0].upper() + sentence[1:]


def rule_finding(detail: str | None, evidence: str | None) -> str:
    """Return the sentence of a rule with its figures. Empty if there is neither.

    >>> rule_finding("They agree less than you want.", "krippendorff_alpha 0.606 [0.581, 0.632], threshold 0.65")
    "They agree less than you want: Krippendorff's alpha 0.606 [0.581, 0.632], threshold 0.65."
    """
    sentences = (detail or "", text_figures(evidence) or "")
    sentence = ": ".join(part.removesuffix(".") for part in sentences if part)
    return f"{sentence}." if sentence else ""


def text_figures(evidence: str | None) -> str | None:
    """Return evidence that is a text, its coefficient by its name. None if it is JSON, which is for queries."""
    if evidence is None:
        return None
    try:
        if isinstance(json.loads(evidence), dict | list):
            return None
    except ValueError:
        pass
    name, _, rest = evidence.partition(" ")
    title = _coefficient_title(name)
    return f"{title} {rest}" if title else evidence


def _agreement(alert: Alert, before: float, after: float, wording: Wording) -> str:
    fell = after <= before
    charted = other_coefficient(alert.evidence) or wording.coefficient
    coefficient, *figures = _with_intervals(alert, fell=fell) or (charted, _figure(before), _figure(after))
    return (
        f"{_since(alert, wording)}the annotators agree {'less' if fell else 'more'}: {coefficient} "
        f"{'fell' if fell else 'rose'} from {figures[0]} to {figures[1]}{_items(alert, wording)}."
        f"{_newcomers(alert, wording)}"
    )


def _newcomers(alert: Alert, wording: Wording) -> str:
    """Return sentences about the raters who began to rate when agreement fell, if the figures name any."""
    figures = read_newcomers(alert.evidence)
    if figures is None:
        return ""
    sentences = [
        f" Annotator {wording.style.name(newcomer.rater)} began to rate on {day_words(newcomer.first_day, wording)}: "
        f"pairs of ratings with this annotator agree in {newcomer.pairs_with}, other pairs in "
        f"{newcomer.pairs_without} of the cases."
        for newcomer in figures.newcomers
    ]
    n_more = figures.n_newcomers - len(figures.newcomers)
    more = f" {n_more:,} more annotators who began then are like this." if n_more else ""
    who = "this annotator" if figures.n_newcomers == 1 else f"these {figures.n_newcomers:,} annotators"
    name = COEFFICIENTS[figures.coefficient][0] if figures.coefficient in COEFFICIENTS else figures.coefficient
    return f"{''.join(sentences)}{more} Without {who}, {name} is {figures.without} since then."


def _with_intervals(alert: Alert, *, fell: bool) -> tuple[str, str, str] | None:
    """Return the coefficient and its figures before and since the change, which the evidence has with intervals.

    The chart follows a score that is only near the coefficient. None where the coefficient moved the other way.
    """
    windows = _WINDOWS.search(alert.evidence or "")
    if windows is None:
        return None
    name, before, after = windows.groups()
    moved = float(after.split()[0]) - float(before.split()[0])
    title = _coefficient_title(name)
    return (title, before, after) if title and (moved < 0) == fell else None


def other_coefficient(evidence: str | None) -> str | None:
    """Return the name of the coefficient of spans, boxes, rankings or texts that a chart followed; None of labels."""
    windows = _WINDOWS.search(evidence or "")
    return in_a_sentence(windows[1]) if windows else None


def _coefficient_title(name: str) -> str | None:
    return COEFFICIENTS[name][0] if name in COEFFICIENTS else in_a_sentence(name)


def _labels(alert: Alert, before: float, after: float, wording: Wording) -> str:
    label = wording.style.name(alert.subject or "")
    return (
        f"{_since(alert, wording)}the annotators give the label {label} {'more' if after > before else 'less'} often: "
        f"its share went from {_percent(before)} to {_percent(after)}{_items(alert, wording)}."
    )


def _rater(alert: Alert, before: float, after: float, wording: Wording) -> str:
    rater = wording.style.name(alert.subject or "")
    return (
        f"{_since(alert, wording)}annotator {rater} agrees with the others {_less(after)} they agree with each other "
        f"on the same items{_items(alert, wording)}; before, {_more_or_less(before)}."
    )


def _rater_labels(alert: Alert, before: float, after: float, wording: Wording) -> str:
    rater, label = wording.style.name(alert.subject or ""), alert.label
    what = f"the label {wording.style.name(label)}" if label is not None else "one of the labels"
    return (
        f"{_since(alert, wording)}annotator {rater} gives {what} {'more' if after > before else 'less'} often than "
        f"before, compared with the others on the same items: the difference went from {_figure(before, signed=True)} "
        f"to {_figure(after, signed=True)}{_items(alert, wording)}."
    )


def _rater_speed(alert: Alert, before: float, after: float, wording: Wording) -> str:
    rater = wording.style.name(alert.subject or "")
    return (
        f"{_since(alert, wording)}annotator {rater} answers faster: {_percent(after)} of the answers take less time "
        f"than the fastest tenth of the reference did; before, it was {_percent(before)}"
        f"{_items(alert, wording, 'rating')}."
    )


def _system(alert: Alert, before: float, after: float, wording: Wording) -> str:
    system = wording.style.name(alert.subject or "")
    return (
        f"{_since(alert, wording)}system {system} is right {'less' if after <= before else 'more'} often: its "
        f"accuracy, by the model of the annotators, went from {_figure(before)} to {_figure(after)}"
        f"{_items(alert, wording)}."
    )


def _version(alert: Alert, before: float, after: float, wording: Wording) -> str:
    if alert.detail:  # names both versions, and has the interval of the difference
        return wording.style.prose(alert.detail)
    system = wording.style.name(alert.subject or "")
    since = _since(alert, wording)
    return (
        f"{since}system {system} has a new version, which is {'worse' if after <= before else 'better'}: its "
        f"accuracy, by the model of the annotators, is {_figure(after)}, that of the version before was "
        f"{_figure(before)}{_items(alert, wording)}."
    )


FINDINGS: Mapping[str, Callable[[Alert, float, float, Wording], str]] = {
    "agreement": _agreement,
    "labels": _labels,
    "rater": _rater,
    "rater_labels": _rater_labels,
    "rater_speed": _rater_speed,
    "system": _system,
    "version": _version,
}


def _since(alert: Alert, wording: Wording) -> str:
    if alert.changed_on is None:
        return ""
    return f"Since about {day_words(alert.changed_on, wording)}{interval_words(alert, wording)}, "


def interval_words(alert: Alert, wording: Wording) -> str:
    """Return the interval of the change's date, such as ' (4-12 March, 90 % sure)'."""
    low, high = alert.changed_low, alert.changed_high
    if low is None or high is None or low == high:
        return ""
    if (low.year, low.month) == (high.year, high.month):
        return f" ({low.day}-{day_words(high, wording)}, 90 % sure)"
    if low.year == high.year:
        return f" ({low.day} {MONTHS[low.month - 1]}-{day_words(high, wording)}, 90 % sure)"
    first, last = (f"{day.day} {MONTHS[day.month - 1]} {day.year}" for day in (low, high))
    return f" ({first}-{last}, 90 % sure)"


def day_words(day: date, wording: Wording) -> str:
    """Return a day such as '12 March', with its year unless it is the year of today."""
    this_year = wording.today.year if wording.today else None
    return f"{day.day} {MONTHS[day.month - 1]}" + ("" if day.year == this_year else f" {day.year}")


def _items(alert: Alert, wording: Wording, what: str = "item") -> str:
    """Return how many items the figure since the change is of, and up to which day. It stays as it was found."""
    if alert.n_items is None:
        return ""
    until = f" until {day_words(alert.detected_on, wording)}" if alert.detected_on else ""
    return f" ({counted(alert.n_items, what)}{until})"


def _less(value: float) -> str:
    if _figure(value) in (".00", "-.00"):
        return "as much as"
    return f"{_figure(abs(value))} {'less' if value < 0 else 'more'} than"


def _more_or_less(value: float) -> str:
    if _figure(value) in (".00", "-.00"):
        return "there was no difference"
    return f"it was {_figure(abs(value))} {'less' if value < 0 else 'more'}"


def _figure(value: float, *, signed: bool = False) -> str:
    """Write a coefficient with two decimals and no zero before the point.

    >>> _figure(0.571), _figure(-0.125), _figure(1), _figure(0.2, signed=True)
    ('.57', '-.12', '1.00', '+.20')
    """
    return f"{value:{'+' if signed else ''}.2f}".replace("0.", ".", 1) if abs(value) < 0.995 else f"{value:.2f}"


def _percent(value: float) -> str:
    """Write a share in percent, a small one with a decimal.

    >>> _percent(0.314), _percent(0.0134)
    ('31 %', '1.3 %')
    """
    return f"{100 * value:.{0 if value >= 0.1 else 1}f} %"
