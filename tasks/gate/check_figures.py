"""Apply the rules of a gate to the figures of a project or a file."""

from collections.abc import Iterator, Sequence
from typing import Any

from tasks.errors import InputError, some
from tasks.gate.gate_figures import ALPHA, GateFigure, GateFigures
from tasks.gate.gate_rules import RULE_OPTIONS, FigureLimits, GateRules, require_rules
from tasks.gate.judgement import GateResult, Judgement, RuleResult, judge_alerts, judge_minimum, judge_rejected
from tasks.region_coefficients import NAMES

LABELS_ONLY = (
    "{limits} {verb} not about {questions}: the answers are no labels. Limits of their own coefficients, such as "
    "f1_exact of spans or kendall_w of rankings, are given with --min-agreement."
)
NOT_EVALUATED = GateFigure(None, reason="not_evaluated", detail="The question has not been evaluated yet.")

NO_LABELS = GateFigure(
    None,
    reason="not_applicable",
    detail="The answers are not of the kind that this coefficient is of. The report has their figures.",
)


def check_figures(rules: GateRules, figures: GateFigures) -> GateResult:
    """Judge each rule for each question that it concerns.

    A limit for a system concerns the questions that the system rates, a limit of a coefficient those whose answers it
    is of: labels, spans, boxes, rankings or texts. The results are in the order of RULE_OPTIONS.
    Raises InputError if there is no rule, if no question has ratings, and for a question or a system that does not
    exist.
    """
    questions = checked_questions(rules, figures.questions, figures.place)
    _check_systems(rules, figures, questions)
    results = [
        *(result for question in questions for result in _question_results(rules, figures, question)),
        *_alert_results(rules, figures, questions),
        *_rejected_results(rules, figures),
    ]
    _check_coefficients(rules, figures, results)
    if not results:
        raise InputError(f"No rule concerns {some(list(questions))}.", _hint(rules, figures))
    order = list(RULE_OPTIONS)
    in_order = tuple(sorted(results, key=lambda result: order.index(result.rule)))
    notes = (*figures.warnings, *_labels_only(rules, figures, questions))
    return GateResult(figures.place, in_order, rules.judge, rules.unjudged, notes)


def checked_questions(rules: GateRules, questions: Sequence[str], place: str) -> tuple[str, ...]:
    """Return the questions to check, which are all of `questions` unless the rules name some.

    Raises InputError if there is no rule, if a question that the rules name does not exist, and if a rule is about
    figures and there is no question.
    """
    require_rules(rules)
    if not questions and (rules.has_figures or rules.questions):
        raise InputError(
            f"{place} has no question with ratings.", "Put exports into the inbox and run `kappaflow run`."
        )
    for name in rules.questions or rules.by_question:
        if name not in questions:
            raise InputError(f"{place} has no question '{name}'.", f"It has: {some(list(questions))}.")
    return tuple(dict.fromkeys(rules.questions)) or tuple(questions)


def _check_systems(rules: GateRules, figures: GateFigures, questions: Sequence[str]) -> None:
    """Raise InputError for a limit of a system that rates none of the questions that the limit is for."""
    for system in rules.limits.min_accuracy:
        _check_system(system, figures, questions)
    for question in questions:
        own = rules.by_question.get(question)
        for system in own.min_accuracy if own else ():
            if system not in rules.limits.min_accuracy:
                _check_system(system, figures, [question])


def _check_system(system: str, figures: GateFigures, questions: Sequence[str]) -> None:
    names = sorted({name for question in questions for name in figures.systems.get(question, ())})
    if system not in names:
        raise InputError(
            f"No system '{system}' has ratings of {some(list(questions))}.",
            f"The systems are: {some(names)}."
            if names
            else "No rater is known to be a system; name yours in kappaflow.toml, in `systems` of the question.",
        )


def _hint(rules: GateRules, figures: GateFigures) -> str:
    if rules.by_question:
        return f"There are rules for {some(sorted(rules.by_question))}."
    if own := _own_coefficients(figures):
        return f"The answers are no labels. Give a limit of what they have: {some(own)}."
    return "The answers are no labels, and there is no figure of theirs that could have a limit."


def _own_coefficients(figures: GateFigures) -> list[str]:
    """Return the coefficients of spans, boxes, rankings and texts that questions have."""
    available = {coefficient for _, coefficient in figures.agreement}
    return [name for name in NAMES if name in available]


def _check_coefficients(rules: GateRules, figures: GateFigures, results: Sequence[RuleResult]) -> None:
    """Raise InputError for a limit of a coefficient of spans, boxes, rankings or texts that no checked question has."""
    for coefficient in rules.limits.min_agreement:
        if coefficient in NAMES and not any(result.coefficient == coefficient for result in results):
            own = _own_coefficients(figures)
            raise InputError(
                f"No question that is checked has the coefficient {coefficient}, {NAMES[coefficient]}.",
                f"There are {some(own)}." if own else "It is of spans, boxes, rankings or texts.",
            )


def _labels_only(rules: GateRules, figures: GateFigures, questions: Sequence[str]) -> list[str]:
    """Return a note that names the questions without labels that limits of labels leave out."""
    names = [] if rules.limits.min_alpha is None else ["min_alpha"]
    names += [f"min_agreement {name}" for name in rules.limits.min_agreement if name not in NAMES]
    left_out = [question for question in questions if question in figures.without_labels and not rules.questions]
    left_out = [question for question in left_out if not _has_labels(figures, question)]
    if not names or not left_out:
        return []
    verb = "is" if len(names) == 1 else "are"
    return [LABELS_ONLY.format(limits=" and ".join(names), verb=verb, questions=some(left_out))]


def _has_labels(figures: GateFigures, question: str) -> bool:
    return any(name not in NAMES for of_question, name in figures.agreement if of_question == question)


def _question_results(rules: GateRules, figures: GateFigures, question: str) -> Iterator[RuleResult]:
    limits = rules.limits_of(question)
    alpha = [] if limits.min_alpha is None else [("min_alpha", ALPHA, limits.min_alpha)]
    for rule, coefficient, limit in [*alpha, *(("min_agreement", *pair) for pair in limits.min_agreement.items())]:
        missing = NO_LABELS if question in figures.without_labels else NOT_EVALUATED
        figure = figures.agreement.get((question, coefficient), missing)
        if figure is not missing or _is_about(rules, figures, question, coefficient):
            yield _figure_result(rules, rule, figure, limit, question=question, coefficient=coefficient)
    for system, limit in limits.min_accuracy.items():
        if system in figures.systems.get(question, ()):
            figure = figures.accuracy.get((question, system), NOT_EVALUATED)
            yield _figure_result(rules, "min_accuracy", figure, limit, question=question, system=system)


def _is_about(rules: GateRules, figures: GateFigures, question: str, coefficient: str) -> bool:
    """Check whether a limit is about a question that has no figure of the coefficient.

    A limit of all questions is not about those that have other answers than the coefficient is of. One that names a
    question is always about it.
    """
    own = rules.by_question.get(question, FigureLimits())
    is_own = coefficient in own.min_agreement or (coefficient == ALPHA and own.min_alpha is not None)
    if is_own or question in rules.questions:
        return True
    return coefficient not in NAMES and question not in figures.without_labels


def _figure_result(rules: GateRules, rule: str, figure: GateFigure, limit: float, **subject: str) -> RuleResult:
    names = ("estimate", "low", "high", "n_items", "method", "confidence", "n_gold", "gold_origin", "warnings", "outer")
    judged = {name: getattr(figure, name) for name in names}
    return _result(rules, rule, judge_minimum(figure, limit, rules.judge), limit=limit, **judged, **subject)


def _alert_results(rules: GateRules, figures: GateFigures, questions: Sequence[str]) -> Iterator[RuleResult]:
    if not rules.no_open_alerts:
        return
    for question in questions if rules.questions else (None,):
        alerts = [alert for alert in figures.alerts or () if question is None or alert.question == question]
        yield _result(rules, "no_open_alerts", judge_alerts(alerts), question=question, estimate=len(alerts), limit=0)


def _rejected_results(rules: GateRules, figures: GateFigures) -> Iterator[RuleResult]:
    rows, limit = figures.rows, rules.max_rejected
    if limit is not None:
        share = rows.n_rejected / rows.n_rows if rows.n_rows else None
        yield _result(
            rules, "max_rejected", judge_rejected(rows, limit), estimate=share, limit=limit, n_items=rows.n_rows
        )


def _result(rules: GateRules, rule: str, judgement: Judgement, **judged: Any) -> RuleResult:
    """Join a judgement with what was judged."""
    counts_as = (rules.unjudged or "unjudged") if judgement.verdict == "unjudged" else judgement.verdict
    return RuleResult(
        rule=rule,
        verdict=judgement.verdict,
        detail=judgement.detail,
        reason=judgement.reason,
        counts_as=counts_as,
        **judged,
    )
