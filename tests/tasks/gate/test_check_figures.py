"""Which rules are judged for which question, and what does not exist."""

from dataclasses import replace

import pytest

from tasks.errors import InputError
from tasks.gate.check_figures import check_figures
from tasks.gate.gate_figures import ALPHA, GateFigure, GateFigures, OpenAlert, RowCounts
from tasks.gate.gate_rules import FigureLimits, GateRules

HIGH, LOW = GateFigure(0.8, 0.7, 0.9, n_items=50), GateFigure(0.4, 0.3, 0.5, n_items=20)
FIGURES = GateFigures(
    place="project",
    questions=("mood", "tone"),
    rows=RowCounts(100, 1),
    systems={"tone": ("gpt", "rules"), "mood": ("gpt",)},
    agreement={("tone", ALPHA): HIGH, ("mood", ALPHA): LOW, ("tone", "gwet_ac1"): HIGH},
    accuracy={("tone", "gpt"): HIGH, ("mood", "gpt"): LOW, ("tone", "rules"): LOW},
    alerts=(OpenAlert("mood", "low_agreement", "critical"),),
)


def verdicts(rules: GateRules, figures: GateFigures = FIGURES) -> list[tuple[str, str | None, str, str]]:
    return [(rule.rule, rule.question, rule.subject, rule.verdict) for rule in check_figures(rules, figures).rules]


def test_a_rule_is_judged_for_each_question_and_rules_keep_their_order() -> None:
    rules = GateRules(FigureLimits(0.6, {}, {"gpt": 0.6}), no_open_alerts=True, max_rejected=0.02)
    assert verdicts(rules) == [
        ("min_alpha", "mood", "", "finding"),
        ("min_alpha", "tone", "", "pass"),
        ("min_accuracy", "mood", "gpt", "finding"),
        ("min_accuracy", "tone", "gpt", "pass"),
        ("no_open_alerts", None, "", "finding"),
        ("max_rejected", None, "", "pass"),
    ]


def test_only_the_questions_that_are_named_are_judged() -> None:
    rules = GateRules(FigureLimits(0.6), no_open_alerts=True, questions=("tone", "tone"))
    assert verdicts(rules) == [("min_alpha", "tone", "", "pass"), ("no_open_alerts", "tone", "", "pass")]


def test_an_alert_counts_for_its_own_question_where_questions_are_named() -> None:
    rules = GateRules(no_open_alerts=True, questions=("tone", "mood"))
    results = [(rule.question, rule.verdict, rule.estimate) for rule in check_figures(rules, FIGURES).rules]
    assert results == [("tone", "pass", 0), ("mood", "finding", 1)]


def test_a_system_is_judged_where_it_rates() -> None:
    assert verdicts(GateRules(FigureLimits(min_accuracy={"rules": 0.6}))) == [
        ("min_accuracy", "tone", "rules", "finding")
    ]


def test_a_question_has_limits_of_its_own() -> None:
    rules = GateRules(FigureLimits(0.6), {"mood": FigureLimits(0.2, {}, {"gpt": 0.35})})
    assert verdicts(rules) == [
        ("min_alpha", "mood", "", "pass"),
        ("min_alpha", "tone", "", "pass"),
        ("min_accuracy", "mood", "gpt", "unjudged"),
    ]


def test_a_figure_that_no_run_has_computed_is_unjudged() -> None:
    (rule,) = check_figures(
        GateRules(FigureLimits(min_agreement={"gwet_ac1": 0.6}), questions=("mood",)), FIGURES
    ).rules
    assert (rule.verdict, rule.reason, rule.estimate, rule.n_items) == ("unjudged", "not_evaluated", None, None)


def test_counts_are_the_estimate_and_rows_the_number_of_items() -> None:
    alerts, rejected = check_figures(GateRules(no_open_alerts=True, max_rejected=0.5), FIGURES).rules
    assert (alerts.estimate, alerts.limit, alerts.n_items, alerts.low) == (1, 0, None, None)
    assert (rejected.estimate, rejected.limit, rejected.n_items, rejected.high) == (0.01, 0.5, 100, None)


@pytest.mark.parametrize(("unjudged", "verdict"), [(None, "unjudged"), ("pass", "pass"), ("finding", "finding")])
def test_an_unjudged_rule_counts_as_asked_and_says_so(unjudged, verdict: str) -> None:
    result = check_figures(GateRules(FigureLimits(0.75), questions=("tone",), unjudged=unjudged), FIGURES)
    assert result.verdict == verdict
    assert [(rule.verdict, rule.counts_as) for rule in result.rules] == [("unjudged", verdict)]


@pytest.mark.parametrize(
    ("rules", "text", "hint"),
    [
        (GateRules(), "There is no rule", "--min-alpha"),
        (GateRules(FigureLimits(0.6), questions=("tne",)), "project has no question 'tne'", "mood, tone"),
        (GateRules(by_question={"tne": FigureLimits(0.6)}), "project has no question 'tne'", "mood, tone"),
        (GateRules(FigureLimits(min_accuracy={"gtp": 0.6})), "No system 'gtp' has ratings", "gpt, rules"),
        (GateRules(FigureLimits(min_accuracy={"rules": 0.6}), questions=("mood",)), "has ratings of mood", "gpt"),
        (GateRules(by_question={"mood": FigureLimits(min_accuracy={"rules": 0.6})}), "has ratings of mood", "gpt"),
        (GateRules(by_question={"mood": FigureLimits(0.6)}, questions=("tone",)), "No rule concerns tone", "mood"),
    ],
)  # fmt: skip
def test_what_does_not_exist_is_named_with_what_does(rules: GateRules, text: str, hint: str) -> None:
    with pytest.raises(InputError, match=text) as caught:
        check_figures(rules, FIGURES)
    assert hint in caught.value.hint


def test_a_project_without_ratings_has_rows_and_alerts_to_judge_but_no_figures() -> None:
    empty = replace(FIGURES, questions=(), systems={}, agreement={}, accuracy={}, alerts=(), rows=RowCounts(0, 0))
    assert verdicts(GateRules(no_open_alerts=True, max_rejected=0.5), empty) == [
        ("no_open_alerts", None, "", "pass"),
        ("max_rejected", None, "", "unjudged"),
    ]
    with pytest.raises(InputError, match="no question with ratings"):
        check_figures(GateRules(FigureLimits(0.6)), empty)
    with pytest.raises(InputError, match="no question with ratings"):
        check_figures(GateRules(max_rejected=0.5, questions=("tone",)), empty)


def test_without_any_system_the_hint_says_where_to_name_one() -> None:
    with pytest.raises(InputError) as caught:
        check_figures(GateRules(FigureLimits(min_accuracy={"gpt": 0.6})), replace(FIGURES, systems={}))
    assert "kappaflow.toml" in caught.value.hint


ANSWERS = replace(
    FIGURES,
    questions=("mood", "order", "spans", "tone", "young"),
    without_labels=frozenset({"order", "spans"}),
    agreement=FIGURES.agreement | {("spans", "f1_exact"): HIGH, ("order", "kendall_w"): LOW},
)


def test_a_limit_of_labels_is_not_about_other_answers_and_says_so() -> None:
    result = check_figures(GateRules(FigureLimits(0.6, {"gwet_ac1": 0.6})), ANSWERS)
    judged = [(rule.question, rule.coefficient, rule.reason) for rule in result.rules]
    assert judged == [
        ("mood", ALPHA, None), ("tone", ALPHA, None), ("young", ALPHA, "not_evaluated"),
        ("mood", "gwet_ac1", "not_evaluated"), ("tone", "gwet_ac1", None), ("young", "gwet_ac1", "not_evaluated"),
    ]  # fmt: skip
    (note,) = result.warnings
    assert note.startswith(
        "min_alpha and min_agreement gwet_ac1 are not about order, spans: the answers are no labels."
    )


BOTH = replace(ANSWERS, agreement=ANSWERS.agreement | {("spans", ALPHA): LOW})
NONE_HAS_LABELS = replace(ANSWERS, questions=("order", "spans"))


@pytest.mark.parametrize(
    ("limits", "figures", "left_out"),
    [
        (FigureLimits(0.6), FIGURES, None),
        (FigureLimits(min_agreement={"f1_exact": 0.6}), ANSWERS, None),
        (FigureLimits(0.6, {"f1_exact": 0.6}), ANSWERS, "min_alpha is not about order, spans"),
        (FigureLimits(0.6), BOTH, "min_alpha is not about order"),  # its labels are judged
        (
            FigureLimits(min_agreement={"gwet_ac1": 0.6, "kendall_w": 0.6}),
            NONE_HAS_LABELS,
            "min_agreement gwet_ac1 is not about order, spans",
        ),
    ],
)
def test_the_note_names_the_limits_of_labels_and_the_questions_without(
    limits: FigureLimits, figures: GateFigures, left_out: str | None
) -> None:
    notes = check_figures(GateRules(limits), figures).warnings
    assert [note.split(": ")[0] for note in notes] == ([] if left_out is None else [left_out])


def test_a_question_with_labels_and_spans_is_judged_by_both() -> None:
    rules = GateRules(FigureLimits(0.6, {"f1_exact": 0.6}), by_question={"order": FigureLimits(0.5)})
    judged = [(rule.question, rule.coefficient) for rule in check_figures(rules, BOTH).rules]
    assert [of for of in judged if of[0] in BOTH.without_labels] == [
        ("order", ALPHA), ("spans", ALPHA), ("spans", "f1_exact")
    ]  # fmt: skip
    rules = GateRules(FigureLimits(min_agreement={"gwet_ac1": 0.6}), by_question={"order": FigureLimits(0.5)})
    judged = [(rule.question, rule.coefficient) for rule in check_figures(rules, ANSWERS).rules]
    assert ("order", ALPHA) in judged
    assert ("order", "gwet_ac1") not in judged  # the limit that names it is one of alpha


@pytest.mark.parametrize(
    "rules",
    [
        GateRules(FigureLimits(0.6), questions=("order",)),
        GateRules(by_question={"order": FigureLimits(0.6)}),
        GateRules(by_question={"order": FigureLimits(min_agreement={"f1_exact": 0.6})}),
    ],
)
def test_a_limit_that_names_a_question_is_judged_whatever_its_answers(rules: GateRules) -> None:
    result = check_figures(rules, ANSWERS)
    (order,) = result.rules
    assert result.warnings == ()
    assert (order.question, order.verdict, order.reason) == ("order", "unjudged", "not_applicable")
    assert "not of the kind that this coefficient is of" in order.detail


def test_spans_and_rankings_are_judged_by_their_own_coefficients() -> None:
    limits = FigureLimits(min_agreement={"f1_exact": 0.6, "kendall_w": 0.6})
    assert verdicts(GateRules(limits), ANSWERS) == [
        ("min_agreement", "order", "kendall_w", "finding"),
        ("min_agreement", "spans", "f1_exact", "pass"),
    ]


def test_a_coefficient_that_no_answer_has_is_refused() -> None:
    with pytest.raises(InputError, match="has the coefficient f1_iou50") as error:
        check_figures(GateRules(FigureLimits(min_agreement={"f1_iou50": 0.6})), ANSWERS)
    assert error.value.hint == "There are f1_exact, kendall_w."
    with pytest.raises(InputError, match="has the coefficient f1_iou50") as error:
        check_figures(GateRules(FigureLimits(min_agreement={"f1_iou50": 0.6})), FIGURES)
    assert "spans, boxes" in error.value.hint
    with pytest.raises(InputError, match="has the coefficient f1_iou50"):  # though another limit can be judged
        check_figures(GateRules(FigureLimits(min_agreement={"gwet_ac1": 0.6, "f1_iou50": 0.6})), FIGURES)


def test_a_limit_of_labels_for_spans_alone_names_what_they_have() -> None:
    alone = replace(ANSWERS, questions=("order", "spans"))
    with pytest.raises(InputError, match="No rule concerns") as error:
        check_figures(GateRules(FigureLimits(0.6)), alone)
    assert "f1_exact, kendall_w" in error.value.hint
