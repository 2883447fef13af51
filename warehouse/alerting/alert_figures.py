"""The query for the figures behind an alert, for people to copy."""

from warehouse import sql
from warehouse.alerting.alert_matching import CHART_KINDS


def figures_query(kind: str, alert_id: str) -> str | None:
    """Return the query on one line; None for a kind that this version does not know.

    It names the alert by its id, and nothing that comes from an export, so it can be copied into a shell.
    """
    name = "chart" if kind in CHART_KINDS and kind != "version" else kind
    text = sql.texts("queries").get(f"alert_figures/{name}")
    if text is None:
        return None
    lines = [line.strip() for line in text.splitlines() if not line.startswith("--")]
    return " ".join(filter(None, lines)).replace("$alert_id", f"'{alert_id}'")
