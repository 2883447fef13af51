"""The options and settings that questions are evaluated with."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tasks.evaluate.question_config import QuestionConfig


@dataclass(frozen=True)
class EvaluationOptions:
    """Options that apply to every question of a run. A result is out of date when one of them changes."""

    confidence: float
    seed: int
    alert_coefficient: str
    code_version: str
    last_items: int = 0  # also compute the window of this many most recently rated items; 0: do not
    windows: tuple[str, ...] = ("day", "week", "month")
    rolling_days: int = 0  # also compute windows of this many days that end on each day with items; 0: do not
    window_items: int = 0  # a window with fewer items is marked as too small
    timezone: str = "UTC"  # of the days in which ratings are counted


@dataclass(frozen=True)
class QuestionConfigs:
    """The settings of each question in kappaflow.toml, and the default for all others."""

    questions: Mapping[str, QuestionConfig]
    default: QuestionConfig = field(default_factory=QuestionConfig)

    def of(self, question: str) -> QuestionConfig:
        """Return the settings of a question, or the default."""
        return self.questions.get(question, self.default)
