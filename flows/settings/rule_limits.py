"""Give the limits of the rules that open alerts, from the settings of all questions and of one."""

from collections.abc import Mapping

from flows.settings.model import QuestionSettings, Settings


def rule_limits(settings: Settings, question: QuestionSettings) -> dict[str, float]:
    """Return the limits of the rules of a question: its own before those of all questions. False switches one off.

    `new_label` of all questions is not meant for numbers on a scale: almost each new number would open an alert.
    """
    all_questions = {**settings.rules.model_dump(), "low_agreement": settings.alerts.below}
    if question.scale in ("interval", "ratio"):
        all_questions["new_label"] = None
    own = _of_question(question)
    return _without_off({kind: limit if own.get(kind) is None else own[kind] for kind, limit in all_questions.items()})


def own_rules(question: QuestionSettings) -> frozenset[str]:
    """Return the rules that have a limit in the settings of the question itself."""
    return frozenset(_without_off(_of_question(question)))


def _of_question(question: QuestionSettings) -> dict[str, object]:
    return {**(question.rules.model_dump() if question.rules else {}), "low_agreement": question.alert_below}


def _without_off(limits: Mapping[str, object]) -> dict[str, float]:
    return {
        kind: float(limit) for kind, limit in limits.items() if isinstance(limit, int | float) and limit is not False
    }
