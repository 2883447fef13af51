"""Print what open alerts found, a sentence each."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from flows.cli.alerts.alerts_output import ID_LENGTH, state
from flows.cli.terminal import note
from flows.project_folder import Project
from flows.settings.task_inputs import message_context
from tasks.monitor.alert_findings import Wording, finding
from tasks.notify.message_styles import PlainStyle
from warehouse.alerting.messages import IncidentAlert


def print_alert_findings(alerts: Sequence[dict[str, Any]], project: Project) -> None:
    """Print the finding of each of these rows of `alert_states`."""
    context = message_context(project)
    wording = Wording(PlainStyle(), datetime.now(ZoneInfo(context.timezone)).date(), context.coefficient)
    for row in alerts:
        state_text = "" if row["state"] == "open" else f" ({state(row)})"
        sentence = finding(IncidentAlert.of(row), wording)
        note(f"ALERT {row['alert_id'][:ID_LENGTH]} {row['question']}{state_text}: {sentence}", style="")
