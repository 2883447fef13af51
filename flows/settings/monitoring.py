"""The tables of kappaflow.toml on monitoring: [monitor], [alerts], [[alerts.mute]] and [rules]."""

from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from flows.settings.values import (
    ChartCoefficient,
    Coefficient,
    Days,
    ExactKind,
    Kind,
    Name,
    Off,
    Seconds,
    SettingsTable,
    Share,
    Threshold,
)
from stats import defaults
from tasks.monitor.alert_kinds import Severity


def _each_once(values: list[str]) -> list[str]:
    """Refuse a value that is listed twice."""
    if len(set(values)) < len(values):
        raise ValueError("list each value once")
    return values


class MuteSettings(SettingsTable):
    """`[[alerts.mute]]`: alerts that send no messages until a day. A name may be a pattern with * and ?."""

    until: date
    question: Name | None = None
    kind: Kind | None = None
    subject: Name | None = None


class AlertSettings(SettingsTable):
    """When to open an alert: if the coefficient over all ratings of a question is below the threshold."""

    coefficient: Coefficient = "krippendorff_alpha"
    below: Threshold | None = None
    severity: dict[ExactKind, Severity] = {}  # by kind of alert; warning for all others
    owner: Name | None = None  # who is to look at the alerts
    mute: list[MuteSettings] = []


class MonitorSettings(SettingsTable):
    """`[monitor]`: windows of time, and the control charts; see docs/explanation/monitoring.md."""

    windows: Annotated[list[Literal["day", "week", "month"]], AfterValidator(_each_once)] = ["day", "week", "month"]
    rolling_days: Annotated[int, Field(ge=0, le=1000)] = 28  # length of the rolling windows; 0: none
    window_items: Annotated[int, Field(ge=0)] = 30  # a window with fewer items is marked as too small
    coefficient: ChartCoefficient = defaults.CHARTED_COEFFICIENT
    false_alarms_per_year: Annotated[float, Field(gt=0)] = (
        defaults.FALSE_ALARMS_PER_YEAR
    )  # of all charts of a question together
    looks_per_year: Annotated[float, Field(gt=0)] = defaults.LOOKS_PER_YEAR  # days with ratings
    reference_items: Annotated[int, Field(ge=1)] = defaults.REFERENCE_ITEMS
    reference_days: Annotated[int, Field(ge=1)] = defaults.REFERENCE_DAYS
    reference_from: date | None = None
    reference_until: date | None = None
    reference_batches: list[Name] = []  # names of files
    closing_lag_days: Annotated[int, Field(ge=0, le=365)] = (
        defaults.CLOSING_LAG_DAYS
    )  # a day is charted so many days later

    @model_validator(mode="after")
    def _one_reference(self) -> "MonitorSettings":
        if (self.reference_from is None) != (self.reference_until is None):
            raise ValueError("give reference_from and reference_until together, or neither")
        if self.reference_from and self.reference_until and self.reference_until < self.reference_from:
            raise ValueError("reference_until is before reference_from")
        if self.reference_from and self.reference_batches:
            raise ValueError("give the dates of the reference or its batches, not both")
        return self


class RuleSettings(SettingsTable):
    """`[rules]` and `[questions.NAME.rules]`: limits that open an alert; see tasks.monitor.rules."""

    recent_agreement: Threshold | Off | None = None
    batch_late: Seconds | Off | None = None
    rater_missing: Days | Off | None = None
    rejected_rows: Share | Off | None = None
    new_label: Seconds | Off | None = None
    ratings_per_item: Annotated[float, Field(gt=0)] | Off | None = None
    gold_score: Share | Off | None = None

    @field_validator("*", mode="before")
    @classmethod
    def _no_true(cls, value: object) -> object:
        if value is True:
            raise ValueError("is a limit, or false for no such rule")
        return value
