"""Turn the alarms of charts into alerts: figures, and sentences that say what happened and what to look at."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from stats.monitoring import ChartAlarm, Incident, VersionComparison
from stats.monitoring.version_comparison import DECISIVE
from tasks.counted_words import counted
from tasks.glossary import COEFFICIENTS
from tasks.monitor.alert_findings import Wording, finding
from tasks.monitor.chart_drawing import DrawnCharts
from tasks.monitor.monitoring_configs import AlertConfig
from tasks.monitor.newcomer_words import name_in_evidence, newcomer_names
from tasks.notify.alert_words import LOOK_AT_NEWCOMERS, NOBODY_STANDS_OUT
from tasks.notify.message_styles import PlainStyle
from warehouse.alerting.alert_matching import ChartAlert

OVER_YEAR = "In a healthy project all charts of this question together raise about {n:g} such {alarms} a year."
ANNOTATORS_TOO = (
    "The annotators agree less since about {day}, but the model assumes that they are as good as before. So they may "
    "be the cause, and only right answers (gold) tell. "
)
"""The model of the annotators is that of the reference: if people get worse, each system looks worse, too."""
Z_95 = 1.96


def chart_alerts(drawn: DrawnCharts, settings: AlertConfig, agreement: str = "") -> list[ChartAlert]:
    """Return all alarms of a question's charts as alerts, open or over.

    `agreement` is the evidence of `agreement_evidence`, for the last alarm of the agreement chart.
    """
    years_alarms = over_year(drawn.inputs.plan.config.false_alarms_per_year)
    wording = Wording(PlainStyle(), None, COEFFICIENTS[drawn.inputs.plan.config.coefficient][0])
    alerts = []
    every = [alarm for incident in drawn.incidents for alarm in incident.alarms]
    fall = next((alarm for alarm in every if alarm.chart == "agreement" and alarm.closed_on is None), None)
    for number, incident in enumerate(drawn.incidents):
        for alarm in incident.alarms:
            windows = agreement if alarm.chart == "agreement" and alarm.closed_on is None else ""
            alert = chart_alert(alarm, incident, number, settings, windows)
            sentences = f"{finding(alert, wording)} {_advice(alarm, incident, alert.evidence, fall)}{years_alarms}"
            alerts.append(replace(alert, detail=sentences))
    first = len(drawn.incidents)
    worse = [
        (number, version) for number, version in enumerate(drawn.versions, start=first) if version.verdict == "worse"
    ]
    return alerts + [
        _version_alert(version, drawn.versions, _incident_number(version, drawn.incidents, number), settings, fall)
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


def over_year(budget: float) -> str:
    """Say how many false alarms a year the charts of a question raise."""
    return OVER_YEAR.format(n=budget, alarms="alarm" if budget == 1 else "alarms")


def chart_alert(alarm: ChartAlarm, incident: Incident, number: int, settings: AlertConfig, windows: str) -> ChartAlert:
    """Return an alarm as an alert that has no sentence yet. windows: the coefficient before the change and since."""
    score = "score of the chart: " if alarm.chart == "agreement" else ""  # it is only near the coefficient
    means = f"{score}before {alarm.before:.3f}, after {alarm.after:.3f}"
    opening = f"the chart's statistic {alarm.statistic:,.0f} on {alarm.opened_on}"
    further = f"; {windows}" if windows else ""
    names = ", ".join(name_in_evidence(rater) for rater in incident.raters)
    raters = f", with {names}" if alarm.chart == "agreement" and names else ""
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
        evidence=f"{means}, {opening} ({counted(alarm.n_items, 'item')} since the change){raters}{further}",
        detail="",
        incident=number,
        owner=settings.owner,
        closed_because="recovered" if alarm.closed_on else None,
        label=alarm.label,
    )


def _version_alert(
    version: VersionComparison,
    all_versions: tuple[VersionComparison, ...],
    number: int,
    settings: AlertConfig,
    fall: ChartAlarm | None,
) -> ChartAlert:
    assert version.difference is not None
    assert version.se is not None
    low, high = version.difference - Z_95 * version.se, version.difference + Z_95 * version.se
    of_system = [other for other in all_versions if other.system == version.system]
    replaced = any(other.old_version == version.version for other in of_system)
    began = next((other.first_day for other in of_system if other.version == version.old_version), date.min)
    people = _annotators_too(fall, began, version.decided_on)
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
        f" ({DECISIVE:g} decides), {counted(version.n_before, 'item')} before and {version.n_after:,} since",
        detail=f"Version {version.version} of system {version.system} is right less often than version "
        f"{version.old_version}: its accuracy, by the model of the annotators, went from {version.before:.3f} to "
        f"{version.after:.3f}, a difference of {version.difference:+.3f} [{low:+.3f}, {high:+.3f}], on "
        f"{counted(version.n_after, 'item')} since {_day(version.first_day)}. {people}".rstrip(),
        incident=number,
        owner=settings.owner,
        closed_because="replaced" if replaced else None,
    )


def _advice(alarm: ChartAlarm, incident: Incident, evidence: str, fall: ChartAlarm | None) -> str:
    """Return what to look at, or that the change is over. `fall`: the open alarm of agreement, if there is one."""
    if alarm.closed_on:
        return back_since(alarm.closed_on)
    if alarm.chart == "system":
        return _annotators_too(fall, alarm.changed_low, alarm.changed_high)
    if alarm.chart != "agreement":
        return ""
    newcomers = newcomer_names(evidence)
    if newcomers:
        return f"{LOOK_AT_NEWCOMERS.format(', '.join(newcomers))} "
    if incident.no_rater_stands_out:
        return f"{NOBODY_STANDS_OUT} "
    who = "annotator" if len(incident.raters) == 1 else "annotators"
    return f"Look at {who} {', '.join(incident.raters)} first. "


def _annotators_too(fall: ChartAlarm | None, low: date, high: date) -> str:
    """Say that annotators may be the cause, if their agreement may have fallen within these days."""
    if fall is None or fall.changed_low > high or low > fall.changed_high:
        return ""
    return ANNOTATORS_TOO.format(day=_day(fall.changed_on))


def back_since(day: date) -> str:
    """Say that a change is over."""
    return f"The old level is back since {_day(day)}. "


def _day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"
