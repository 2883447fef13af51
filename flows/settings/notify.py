"""The [[notify]] tables of kappaflow.toml: which alerts go to which channel."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from flows.settings.values import Kind, Name, SettingsTable, Variable
from tasks.monitor.alert_kinds import SEVERITIES, Severity


def _as_texts(value: object) -> object:
    """Return a single text as a list of one."""
    return [value] if isinstance(value, str) else value


def _severity(value: object) -> object:
    """Check the severity before pydantic does, whose sentence would name each of the two forms."""
    texts = value if isinstance(value, list) and value else [value]
    if not all(text in SEVERITIES for text in texts):
        raise ValueError("is 'warning' or 'critical', or a list of them")
    return value


Texts = Annotated[list[Name], BeforeValidator(_as_texts)]
Kinds = Annotated[list[Kind], BeforeValidator(_as_texts)]


class NotifySettings(SettingsTable):
    """A channel, and the alerts that it gets. An empty list means all."""

    url_env: Variable = "KAPPAFLOW_NOTIFY_URL"  # the name of the variable with an Apprise URL, never the URL itself
    questions: Texts = []  # names, or patterns with * and ?
    kinds: Kinds = []  # the same
    severity: Annotated[Severity | list[Severity], BeforeValidator(_severity)] = "warning"  # a text: it and graver ones
    owners: Texts = []
    events: Annotated[list[Literal["opened", "closed"]], BeforeValidator(_as_texts), Field(min_length=1)] = [
        "opened",
        "closed",
    ]
    reminder_days: Annotated[float, Field(gt=0)] | None = None  # None: no reminders

    @property
    def severities(self) -> tuple[Severity, ...]:
        """Return the severities of the alerts that the channel gets."""
        if isinstance(self.severity, list):
            return tuple(self.severity)
        return SEVERITIES[SEVERITIES.index(self.severity) :]
