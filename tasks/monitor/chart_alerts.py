"""Turn the alarms of charts into alerts: figures, and sentences that say what happened and what to look at."""

from collections.abc import Sequence
from datetime import date

from stats.monitoring import ChartAlarm, Incident, VersionComparison
from stats.monitoring.version_comparison import DECISIVE
from tasks.monitor.chart_drawing import DrawnCharts
from tasks.monitor.monitoring_configs import AlertSettings
from warehouse.alerting.alert_matching import ChartAlert

LOOK_AT_ITEMS = "No single annotator stands out: look at the items or the guideline."
OVER_YEAR = "In a healthy project all charts of this question together raise about {n:g} such {alarms} a year."
Z_95 = 1.96


def chart_alerts(drawn: DrawnCharts, settings: AlertSettings, agreement: str = "") -> list[ChartAlert]:
    """Return all alarms of a question's charts as alerts, open or over.

    `agreement` is the evidence of `agreement_evidence`, for the last alarm of the agreement chart.
    """
    budget = drawn.inputs.config.false_alarms_per_year
    over_year = OVER_YEAR.format(n=budget, alarms="alarm" if budget == 1 else "alarms")
    alerts = [
        _alert(
            alarm, incident, number, f"{_sentence(alarm)} {_advice(alarm, incident)}{over_year}", settings, agreement
        )
        for number, incident in enumerate(drawn.incidents)
        for alarm in incident.alarms
    ]
    first = len(drawn.incidents)
    worse = [
        (number, version) for number, version in enumerate(drawn.versions, start=first) if version.verdict == "worse"
    ]
    return alerts + [
        _version_alert(version, drawn.versions, _incident_number(version, drawn.incidents, number), settings)
        for number, version in worse
    ]


def _incident_number(version: VersionComparison, incidents: Sequence[Incident], own: int) -> int:
    """Return the number of the incident of a new version: that of its system's alarm if the change may be the version.

    `own` is the number that it gets as a new incident.
    """
    for number, incident in enumerate(incidents):
        for alarm in incident.alarms:
            of_system = (alarm.chart, alarm.subject) == ("system", version.system)
            if of_system and alarm.changed_low <= version.first_day <= alarm.changed_high:
                return number
    return own


def _alert(
    alarm: ChartAlarm, incident: Incident, number: int, detail: str, settings: AlertSettings, agreement: str
) -> ChartAlert:
    threshold = f"before {alarm.before:.3f}, after {alarm.after:.3f}, statistic {alarm.statistic:,.0f}"
    windows = f"; {agreement}" if agreement and alarm.chart == "agreement" and alarm.closed_on is None else ""
    raters = f", with {', '.join(incident.raters)}" if alarm.chart == "agreement" and incident.raters else ""
    return ChartAlert(
        kind=alarm.chart,
        subject=alarm.label if alarm.chart == "labels" else alarm.subject,
        severity=settings.severity(alarm.chart),
        changed_on=alarm.changed_on,
        changed_low=alarm.changed_low,
        changed_high=alarm.changed_high,
        detected_on=alarm.opened_on,
        before=alarm.before,
        after=alarm.after,
        n_items=alarm.n_items,
        evidence=f"{threshold} on {alarm.opened_on} ({alarm.n_items:,} items since the change){raters}{windows}",
        detail=detail,
        incident=number,
        owner=settings.owner,
        closed_because="recovered" if alarm.closed_on else None,
        label=alarm.label,
    )


def _version_alert(
    version: VersionComparison, all_versions: tuple[VersionComparison, ...], number: int, settings: AlertSettings
) -> ChartAlert:
    assert version.difference is not None
    assert version.se is not None
    low, high = version.difference - Z_95 * version.se, version.difference + Z_95 * version.se
    replaced = any(other.system == version.system and other.old_version == version.version for other in all_versions)
    return ChartAlert(
        kind="version",
        subject=version.system,
        severity=settings.severity("version"),
        changed_on=version.first_day,
        changed_low=version.first_day,
        changed_high=version.first_day,
        detected_on=version.decided_on,
        before=version.before,
        after=version.after,
        n_items=version.n_after,
        evidence=f"difference {version.difference:+.3f} [{low:+.3f}, {high:+.3f}], e {version.e:,.0f}"
        f" ({DECISIVE:g} decides), {version.n_before:,} items before and {version.n_after:,} since",
        detail=f"Version {version.version} of {version.system} is right less often than version {version.old_version}: "
        f"by {-version.difference:.2f} ({-high:.2f} to {-low:.2f}), on {version.n_after:,} items since "
        f"{_day(version.first_day)}.",
        incident=number,
        owner=settings.owner,
        closed_because="replaced" if replaced else None,
    )


def _sentence(alarm: ChartAlarm) -> str:
    """Say what changed, since when and how sure that is."""
    n, who, drop = f"{alarm.n_items:,} items", alarm.subject, alarm.before - alarm.after
    changes = {
        "agreement": f"the annotators agree less: {alarm.after:.2f}, {alarm.before:.2f} before ({n})",
        "labels": f"the label {alarm.label} is {_more(-drop)} frequent: {alarm.after:.0%} of the ratings,"
        f" {alarm.before:.0%} before ({n})",
        "rater": f"rater {who} agrees with the others {_less(-alarm.after)} than they agree with each other on the same"
        f" items, {_less(-alarm.before)} before ({n})",
        "rater_labels": f"rater {who} gives the label {alarm.label} {_more(-drop)} often than the others on the same"
        f" items: {_signed(alarm.after)}, {_signed(alarm.before)} before ({n})",
        "rater_speed": f"rater {who} answers faster: {alarm.after:.0%} of the ratings took less time than a tenth of"
        f" them did at first, {alarm.before:.0%} before ({alarm.n_items:,} ratings)",
        "system": f"system {who} is right less often: {alarm.after:.2f}, {alarm.before:.2f} before ({n})",
    }
    return f"Since about {_day(alarm.changed_on)} ({_span(alarm)}), {changes[alarm.chart]}."


def _advice(alarm: ChartAlarm, incident: Incident) -> str:
    if alarm.closed_on:
        return f"The old level is back since {_day(alarm.closed_on)}. "
    if alarm.chart == "agreement" and incident.no_rater_stands_out:
        return f"{LOOK_AT_ITEMS} "
    if alarm.chart == "agreement":
        return f"Look at {', '.join(incident.raters)} first. "
    return ""


def _less(difference: float) -> str:
    """Say how much less, or more, to two digits.

    >>> _less(0.14), _less(-0.001), _less(-0.02)
    ('0.14 less', '0.00 less', '0.02 more')
    """
    rounded = round(difference, 2)
    return f"{abs(rounded):.2f} {'more' if rounded < 0 else 'less'}"


def _signed(value: float) -> str:
    return f"{round(value, 2) + 0.0:+.2f}"


def _more(change: float) -> str:
    return "more" if change > 0 else "less"


def _span(alarm: ChartAlarm) -> str:
    if alarm.changed_low == alarm.changed_high:
        return "90 % sure of the day"
    return f"between {_day(alarm.changed_low)} and {_day(alarm.changed_high)}, 90 % sure"


def _day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"
