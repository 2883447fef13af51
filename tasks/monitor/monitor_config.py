"""The settings of the control charts of a question."""

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from stats import defaults

if TYPE_CHECKING:
    from stats.monitoring import AlarmBudget, ReferenceSettings


@dataclass(frozen=True)
class MonitorConfig:
    """What the settings say of the control charts; see `[monitor]` in the reference of settings.

    - coefficient: what the agreement chart follows.
    - false_alarms_per_year, looks_per_year: what is accepted of all charts of a question, and days with ratings a year.
    - reference_items, reference_days: the reference is the first whole days that hold so many items and looks.
    - reference_from, reference_until, or reference_batches (names of files): the reference that a user named instead.
    - closing_lag_days: a day is charted so many days later, because ratings arrive late.
    - code_version: of kappaflow, which computes the charts. Another version computes all of them again.
    """

    coefficient: str = defaults.CHARTED_COEFFICIENT
    false_alarms_per_year: float = defaults.FALSE_ALARMS_PER_YEAR
    looks_per_year: float = defaults.LOOKS_PER_YEAR
    reference_items: int = defaults.REFERENCE_ITEMS
    reference_days: int = defaults.REFERENCE_DAYS
    reference_from: date | None = None
    reference_until: date | None = None
    reference_batches: tuple[str, ...] = ()
    closing_lag_days: int = defaults.CLOSING_LAG_DAYS
    code_version: str = ""

    @property
    def budget(self) -> "AlarmBudget":
        """Return the false alarms that are accepted."""
        from stats.monitoring import AlarmBudget  # settings are read without it

        return AlarmBudget(self.false_alarms_per_year, self.looks_per_year)

    def reference(self, batch_days: tuple[date, date] | None) -> "ReferenceSettings":
        """Return the choice of reference days. batch_days: first and last day of the batches that the settings name."""
        from stats.monitoring import ReferenceSettings  # settings are read without it

        first, last = batch_days or (self.reference_from, self.reference_until)
        return ReferenceSettings(
            self.reference_items, self.reference_days, first=first, last=last, coefficient=self.coefficient
        )
