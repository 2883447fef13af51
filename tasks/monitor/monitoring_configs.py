"""What the settings say of the charts, alerts and rules of each question."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tasks.evaluate.question_config import QuestionConfig
from tasks.monitor.monitor_config import MonitorConfig


@dataclass(frozen=True)
class AlertConfig:
    """What the settings say of the alerts of a question.

    - severities: of kinds that do not have the default, warning. owner: who is to look at the question.
    """

    severities: Mapping[str, str] = field(default_factory=dict)
    owner: str | None = None

    def severity(self, kind: str) -> str:
        """Return the severity of a kind of alert: warning or critical."""
        return self.severities.get(kind, "warning")


@dataclass(frozen=True)
class QuestionMonitoring:
    """The settings of one question: of its labels and raters, its charts, its alerts, and the limits of its rules.

    own_rules: the rules whose limit is not that of all questions.
    """

    question: QuestionConfig = field(default_factory=QuestionConfig)
    charts: MonitorConfig = field(default_factory=MonitorConfig)
    alerts: AlertConfig = field(default_factory=AlertConfig)
    rules: Mapping[str, float] = field(default_factory=dict)
    own_rules: frozenset[str] = frozenset()

    def rules_of_other_answers(self) -> Mapping[str, float]:
        """Return the limits that hold for spans, boxes, rankings and texts."""
        return {kind: limit for kind, limit in self.rules.items() if kind in self.own_rules}


@dataclass(frozen=True)
class MonitoringConfigs:
    """The settings of each question in kappaflow.toml, and the default for all others."""

    questions: Mapping[str, QuestionMonitoring]
    default: QuestionMonitoring = field(default_factory=QuestionMonitoring)

    def of(self, question: str) -> QuestionMonitoring:
        """Return the settings of a question, or the default."""
        return self.questions.get(question, self.default)
