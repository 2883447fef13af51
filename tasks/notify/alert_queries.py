"""The SQL behind an alert, for people to copy: it names the alert by its id, and nothing that comes from an export."""

from tasks.monitor.rules import RULES
from warehouse.alerting.alert_matching import CHART_KINDS

OF_VERSIONS = (
    "select v.* from version_comparisons as v inner join alerts as a on v.question = a.question"
    " and v.system = a.subject where a.alert_id = '{alert_id}'"
)
OF_CHARTS = (
    "select c.* from charts as c inner join alerts as a on c.question = a.question and c.chart = a.kind"
    " and (c.subject is not distinct from a.subject or a.kind = 'labels') where a.alert_id = '{alert_id}' order by c.day"
)


def query_behind(kind: str, alert_id: str) -> str | None:
    """Return a query for the figures behind an alert; None for a kind that this version does not know."""
    if kind == "version":
        return OF_VERSIONS.format(alert_id=alert_id)
    if kind in CHART_KINDS:
        return OF_CHARTS.format(alert_id=alert_id)
    if kind in RULES:
        question = f"(select question from alerts where alert_id = '{alert_id}')"
        return RULES[kind].sql.replace("{question}", question)
    return None
