"""Print alerts: the list, one with all that belongs to it, and what was done about some."""

from typing import TYPE_CHECKING, Any

from flows.cli.terminal import cell, headers_of, heading, line, note, print_table

if TYPE_CHECKING:
    import polars as pl

    from tasks.notify.alert_details import AlertDetails

ID_LENGTH = 8
LISTED = headers_of("id question kind subject severity since opened_at owner state")
DAYS = headers_of("day label n_items value low high statistic threshold")
MESSAGES = headers_of("channel event written_at sent_at error", written_at="written (UTC)", sent_at="sent (UTC)")
FIGURES = (
    ("before", "before"),
    ("after", "since"),
    ("n_items", "items since"),
    ("changed_on", "changed on"),
    ("changed_low", "90 % sure: from"),
    ("changed_high", "90 % sure: to"),
    ("detected_on", "detected on"),
    ("label", "label"),
)
OF_A_RULE = {"after": "now", "n_items": "items"}  # nothing has changed; the figure is beyond a limit
OF_THE_SCORE = {"before": "score before", "after": "score since"}  # which is only near the coefficient in the sentence


def print_alerts(rows: "pl.DataFrame", place: str, *, only_open: bool) -> None:
    """Print one line for each alert. `place` is the option that names the project."""
    if rows.is_empty():
        note("No alert is open." if only_open else "There are no such alerts.", style="dim")
        return
    listed = [_listed(row) for row in rows.to_dicts()]
    print_table(listed, title="Open alerts" if only_open else "Alerts", headers=LISTED, warn="severity")
    note(f"More about one: kappaflow alerts show ID{place}", style="dim")


def print_alert(details: "AlertDetails") -> None:
    """Print all details of one alert."""
    alert = details.alert
    subject = "" if alert["subject"] is None else f", {alert['subject']}"
    heading(f"{alert['question']}: {alert['kind']}{subject} ({alert['severity'] or 'alert'}, {state(alert)})")
    line(f"alert {alert['alert_id']}, incident {alert['incident_id']}, opened {cell(alert['opened_at'])} UTC")
    for sentence in details.sentences:
        note(sentence, style="")
    for advice in details.look_at:
        note(advice)
    if alert["owner"]:
        note(f"Owner: {alert['owner']}", style="")
    heading("Figures")
    note(alert["evidence"] or "None were kept.", style="")
    names = OF_A_RULE if alert["before"] is None else OF_THE_SCORE if alert["kind"] == "agreement" else {}
    figures = [
        {"figure": names.get(key, name), "value": cell(alert[key])} for key, name in FIGURES if alert[key] is not None
    ]
    print_table(figures, headers={"figure": "figure", "value": "value"})
    days = [row | {name: round(row[name]) for name in ("statistic", "threshold")} for row in details.days.to_dicts()]
    print_table(days, title="Days of the chart", headers=DAYS)
    print_table([_listed(row) for row in details.incident], title="Other alerts of the same cause", headers=LISTED)
    print_table(details.messages.to_dicts(), title="Messages", headers=MESSAGES, warn="error")
    heading("SQL behind it")
    for what, query in details.queries.items():
        line(f"  {what:8}{query}")


def print_done(rows: "pl.DataFrame", result_text: str, unmuted_text: str = "") -> None:
    """Say what was done about each alert. `unmuted_text` is said, if given, of an alert that is not muted now."""
    for row in rows.to_dicts():
        what = ", ".join(str(row[name]) for name in ("question", "kind", "subject") if row[name] is not None)
        text = unmuted_text if unmuted_text and row["state"] != "muted" else result_text
        note(f"{row['alert_id'][:ID_LENGTH]} ({what}): {text}.", style="")


def state(alert: dict[str, Any]) -> str:
    """Return the state of a row of `alert_states` in a few words, with who and when."""
    if alert["state"] == "closed":
        by = f" by {alert['closed_by']}" if alert["closed_by"] else ""
        return f"closed {alert['closed_at']:%Y-%m-%d}{by}: {alert['closed_because']}"
    words = ["open"]
    if alert["acknowledged_by"] or alert["state"] == "acknowledged":
        words = [f"acknowledged by {alert['acknowledged_by'] or 'somebody'}"]
    if alert["state"] == "muted":
        until = f"{alert['muted_until']:%Y-%m-%d %H:%M}".removesuffix(" 00:00")
        words.append(f"muted until {until}")
    return ", ".join(words)


def _listed(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"id": row["alert_id"][:ID_LENGTH], "since": row["changed_on"], "state": state(row)}
