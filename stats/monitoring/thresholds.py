"""Turn the false alarms a year that a user accepts into the threshold of each chart.

The promise is for all charts of one question together. Each chart gets a share of it. With a threshold A
a healthy chart raises at most one false alarm in A looks on average, if its variances are known.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from stats.defaults import FALSE_ALARMS_PER_YEAR, LOOKS_PER_YEAR
from stats.errors import StatsError

CHART_SHARES = {
    "agreement": 1 / 4,
    "labels": 1 / 4,
    "rater": 1 / 8,
    "rater_labels": 1 / 16,
    "rater_speed": 1 / 16,
    "system": 1 / 4,
}
"""The share of each kind of chart. Raters, and systems, divide theirs equally among them."""


@dataclass(frozen=True)
class AlarmBudget:
    """What a user accepts and expects.

    - false_alarms_per_year: over all charts of a question. looks_per_year: days with ratings in a year.
    """

    false_alarms_per_year: float = FALSE_ALARMS_PER_YEAR
    looks_per_year: float = LOOKS_PER_YEAR

    def __post_init__(self) -> None:
        """Raise StatsError unless both are above 0."""
        for name, value in vars(self).items():
            if not value > 0:
                raise StatsError(f"{name} is above 0, found {value}. Write 1 for one false alarm a year.")

    def threshold(self, chart: str, *, n_raters: int = 1, n_systems: int = 1) -> float:
        """Return the threshold A of a kind of chart: looks a year / (accepted alarms x share).

        Raises StatsError for a kind that is no chart.

        >>> budget = AlarmBudget(false_alarms_per_year=1, looks_per_year=250)
        >>> [budget.threshold(chart, n_raters=5, n_systems=2) for chart in CHART_SHARES]
        [1000.0, 1000.0, 10000.0, 20000.0, 20000.0, 2000.0]
        """
        if chart not in CHART_SHARES:
            raise StatsError(f"No chart is called {chart!r}. Take one of: {', '.join(CHART_SHARES)}.")
        among = n_raters if chart.startswith("rater") else n_systems if chart == "system" else 1
        return self.looks_per_year * among / (self.false_alarms_per_year * CHART_SHARES[chart])


def project_alarms(budgets: Sequence[AlarmBudget]) -> float:
    """Return the false alarms a year of all questions of a project together: each question has its own promise."""
    return sum(budget.false_alarms_per_year for budget in budgets)
