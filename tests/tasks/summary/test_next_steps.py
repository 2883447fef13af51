"""What to do next on a question: steps whose numbers are the planner's."""

from typing import Any

import pytest

from stats.accuracy.planning import gold_half_width, more_items, score_correlation
from stats.accuracy.planning.one_coin_information import rater_accuracy
from stats.agreement.breakdowns.contradictions import Contradiction
from tasks.summary.next_steps import ADJUDICATE, HELPS
from tasks.summary.poor_agreement import BY_CHANCE, GUIDELINE, Causes, ConfusedLabels
from tasks.summary.question_state import question_state
from tests.tasks.summary.question_figures import WARNING, agreement, alike, system


def test_the_numbers_of_more_items_are_the_planners() -> None:
    judged = question_state(agreement(0.3, 0.6), [], [], [], has_doubtful=True)
    n_more = more_items(half_width_now=0.15, n_now=100, half_width=0.1).n_more
    assert judged.next_steps == (
        f"Rate {n_more} more items, 3 ratings each: the interval of agreement shrinks from ±0.15 to ±0.1.",
    )


def test_more_items_are_not_proposed_for_an_interval_that_stays_as_wide() -> None:
    steps = {half: question_state(agreement(0.5 - half, 0.5 + half), [], [], [], has_doubtful=True).next_steps
             for half in (0.0535, 0.06, 0.105)}  # fmt: skip
    assert not any("±0.05 to ±0.05" in step for step in steps[0.0535])
    assert any("from ±0.06 to ±0.05" in step for step in steps[0.06])
    assert any("to ±0.05" in step for step in steps[0.105])  # not from ±0.10 to ±0.1


@pytest.mark.parametrize(
    ("low", "high", "n_items", "step"),
    [
        (-5.647, 1.0, 2, "Rate 30 or more items: the few so far say nothing about agreement."),
        (-1.001, 1.0, 29, "Rate 30 or more items: the few so far say nothing about agreement."),
        (-1.0, 1.0, 2, "Rate 30 or more items: the few so far say nothing about agreement."),
        (-0.99, 1.0, 29, "from ±0.99 to ±0.1."),
        (-1.5, 1.0, 30, "from ±1.25 to ±0.1."),
    ],
)
def test_an_interval_as_wide_as_all_values_is_no_ground_to_plan_on(
    low: float, high: float, n_items: int, step: str
) -> None:
    main = agreement(low, high, n_items=n_items, n_ratings=2 * n_items)
    (result,) = question_state(main, [], [], [], has_doubtful=False).next_steps
    assert result.endswith(step)


def test_an_interval_that_is_cut_at_1_is_as_wide_as_its_other_side() -> None:
    main = agreement(0.6, 1.0) | {"estimate": 0.85}  # 0.25 to either side, but for the cut
    judged = question_state(main, [], [], [], has_doubtful=False)
    n_more = more_items(half_width_now=0.25, n_now=100, half_width=0.1).n_more
    assert judged.next_steps == (
        f"Rate {n_more} more items, 3 ratings each: the interval of agreement shrinks from ±0.25 to ±0.1.",
    )


def test_the_numbers_of_an_audit_are_the_planners() -> None:
    kappa = agreement(0.5, 0.7, coefficient="brennan_prediger")
    r = score_correlation(4, 3, rater_accuracy(4, 0.6), 0.8)
    halves = {n: gold_half_width(n, 0.95, 0.16, r, 100) for n in (20, 30, 50, 100)}
    n_gold = next(n for n, half in halves.items() if half <= HELPS * 0.18)
    judged = question_state(kappa, [kappa], [system(0.6, 0.96)], [], has_doubtful=False)
    assert judged.next_steps == (
        f"Audit {n_gold} random items: the interval of judge shrinks from ±0.18 to about ±{halves[n_gold]:.2f}.",
    )
    audited = question_state(kappa, [kappa], [system(0.6, 0.96, n_gold=30)], [], has_doubtful=False)
    assert not any("Audit" in step for step in audited.next_steps)


@pytest.mark.parametrize(("n_drawn", "larger"), [(20, 30), (30, 50), (50, 100), (100, None)])
def test_the_smallest_audit_that_takes_a_quarter_off_the_interval_is_proposed(n_drawn: int, larger: int | None) -> None:
    kappa = agreement(0.2, 1.0, coefficient="brennan_prediger")  # of 4 labels, 3 ratings each
    wanted = gold_half_width(n_drawn, 0.95, 0.16, score_correlation(4, 3, rater_accuracy(4, 0.6), 0.8), 100) / 0.75
    for factor, items in ((1.001, n_drawn), (0.999, larger)):
        judge = system(0.5 - factor * wanted, 0.5 + factor * wanted)
        step = question_state(kappa, [kappa], [judge], [], has_doubtful=False).next_steps[0]
        assert step.startswith(f"Audit {items} random items" if items else "Rate ")


def audits(kappa: float | None, *systems: dict[str, Any], **changes: Any) -> list[str]:
    """The audits proposed for a question of this kappa."""
    labelled = agreement(0.2, 1.0, coefficient="brennan_prediger") | {"estimate": kappa} | changes
    rows = [agreement(0.98, 1.0), labelled]
    steps = question_state(rows[0], rows, systems, [WARNING], has_doubtful=False).next_steps
    return [step for step in steps if step.startswith("Audit")]


def test_no_audit_is_planned_by_an_agreement_with_weights() -> None:
    """Near misses agree in part there. Of 600 items on a scale of five, the audit left an interval twice as wide."""
    wide = system(0.6, 0.96)
    assert [bool(audits(0.8, wide, weights=weights)) for weights in ("identity", "metric", "quadratic", "masi")] == [
        True, True, False, False,
    ]  # fmt: skip


def test_an_audit_is_of_the_system_about_which_most_is_in_doubt() -> None:
    wide, narrow = system(0.6, 0.96), system(0.65, 0.95, system="other")
    unknown = system(0.1, 0.99, system="unknown", accuracy=None)
    audited = system(0.1, 0.99, system="audited", n_gold=1)
    assert [audits(0.6, *systems) for systems in ([wide, narrow], [narrow, wide, unknown, audited])] == [
        ["Audit 20 random items: the interval of judge shrinks from ±0.18 to about ±0.13."]
    ] * 2
    inner = system(0.6, 0.96) | {"outer_low": None, "outer_high": None}
    outer = system(0.7, 0.9) | {"outer_low": 0.6, "outer_high": 0.96}
    assert audits(0.6, inner) == audits(0.6, outer) == audits(0.6, wide)


@pytest.mark.parametrize(
    ("n_items", "n_labelled", "n_ratings", "n_raters", "n_drawn", "n_gold"),
    [
        (400, 100, 300, 3, 20, 20),  # it answers items that nobody rates: of those drawn it answers all
        (8, 200, 600, 3, 50, 2),  # of 30 drawn it answers one, which tells nothing
        (20, 100, 120, 2, 30, 6),
        (100, 100, 1500, 10, 20, 20),
    ],
)
def test_an_audit_is_planned_by_the_gold_items_that_the_system_answers(
    n_items: int, n_labelled: int, n_ratings: int, n_raters: int, n_drawn: int, n_gold: int
) -> None:
    r = score_correlation(4, n_raters, rater_accuracy(4, 0.6), 0.8)
    half = gold_half_width(n_gold, 0.95, 0.16, r, n_items)
    (step,) = audits(
        0.6, system(0.5 - 1.4 * half, 0.5 + 1.4 * half, n_items=n_items), n_items=n_labelled, n_ratings=n_ratings
    )
    assert (
        step
        == f"Audit {n_drawn} random items: the interval of judge shrinks from ±{1.4 * half:.2f} to about ±{half:.2f}."
    )


def test_no_audit_is_larger_than_the_items_of_the_system() -> None:
    half = gold_half_width(20, 0.95, 0.16, score_correlation(4, 3, rater_accuracy(4, 0.6), 0.8), 25)
    judge = system(0.5 - 1.3 * half, 0.5 + 1.3 * half, n_items=25)  # 20 are too few, and there are no 30
    assert audits(0.6, judge, n_items=25, n_ratings=75) == []


@pytest.mark.parametrize("kappa", [None, 0.0, 1.0, -0.2])
def test_where_agreement_gives_no_accuracy_of_raters_no_audit_is_planned(kappa: float | None) -> None:
    assert audits(kappa, system(0.6, 0.96)) == []


@pytest.mark.parametrize("missing", ["n_labels", "n_ratings", "n_items"])
def test_an_audit_is_not_planned_by_figures_that_are_missing(missing: str) -> None:
    assert audits(0.6, system(0.6, 0.96), **{missing: None}) == []


@pytest.mark.parametrize("accuracy", [0.0, 1.0])
def test_an_accuracy_without_variance_promises_no_audit_without_error(accuracy: float) -> None:
    assert audits(0.6, system(0.6, 0.96, accuracy=accuracy)) == []


def test_an_audit_counts_the_items_that_the_system_leaves_out() -> None:
    kappa = agreement(0.5, 0.7, coefficient="brennan_prediger", n_items=200, n_ratings=600)
    r = score_correlation(4, 3, rater_accuracy(4, 0.6), 0.8)
    halves = {n: gold_half_width(n // 2, 0.95, 0.16, r, 100) for n in (20, 30, 50, 100)}
    n_drawn = next(n for n, half in halves.items() if half <= HELPS * 0.18)
    judged = question_state(kappa, [kappa], [system(0.6, 0.96)], [], has_doubtful=False)
    assert judged.next_steps == (
        f"Audit {n_drawn} random items: the interval of judge shrinks from ±0.18 to about ±{halves[n_drawn]:.2f}.",
    )


def test_an_audit_is_only_proposed_where_it_helps() -> None:
    kappa = agreement(0.64, 0.66, coefficient="brennan_prediger")
    judged = question_state(kappa, [kappa], [system(0.79, 0.81)], [], has_doubtful=True)
    assert judged.next_steps == ("Adjudicate the 10 items most in doubt.",)


@pytest.mark.parametrize(
    ("low", "high", "steps"),
    [(0.64, 0.69, (ADJUDICATE,)), (0.38, 0.42, (ADJUDICATE,)), (0.68, 0.73, ())],
)
def test_items_in_doubt_are_the_last_step_where_nothing_else_helps_and_agreement_is_not_good(
    low: float, high: float, steps: tuple[str, ...]
) -> None:
    assert question_state(agreement(low, high), [], [], [], has_doubtful=True).next_steps == steps
    assert question_state(agreement(low, high), [], [], [], has_doubtful=False).next_steps == ()


def test_with_an_alert_its_items_come_first() -> None:
    judged = question_state(agreement(0.3, 0.6), [], [], [WARNING], has_doubtful=True)
    assert judged.next_steps[0] == "Adjudicate the 10 items most in doubt."
    assert len(judged.next_steps) == 2


@pytest.mark.parametrize(
    ("low", "high", "n_steps"),
    [
        (0.41, 0.66, 2), (0.4, 0.66, 2), (0.1, 0.4, 1), (0.45, 0.667, 1), (0.3, 0.5, 1), (0.6, 0.8, 1)
    ],
)  # fmt: skip
def test_where_agreement_is_low_for_sure_its_items_come_before_a_narrower_interval(
    low: float, high: float, n_steps: int
) -> None:
    steps = question_state(agreement(low, high), [], [], [], has_doubtful=True).next_steps
    assert len(steps) == n_steps
    assert steps[-1].startswith("Rate ")
    assert (steps[0] == "Adjudicate the 10 items most in doubt.") == (n_steps == 2)


@pytest.mark.parametrize(
    ("low", "high", "first"),
    [
        (0.1, 0.39, GUIDELINE),
        (0.0, 0.39, BY_CHANCE),
        (-0.1, 0.39, BY_CHANCE),
        (-0.1, 0.41, "Rate "),  # agreement may be fair
        (0.41, 0.66, ADJUDICATE),
    ],
)
def test_what_is_poor_or_chance_is_clarified_before_more_is_rated(low: float, high: float, first: str) -> None:
    steps = question_state(agreement(low, high), [], [], [], has_doubtful=True).next_steps
    assert steps[0].startswith(first)
    assert (steps[1:] == (ADJUDICATE,)) == (first in (GUIDELINE, BY_CHANCE))


def test_what_many_numbers_are_is_the_only_step() -> None:
    steps = question_state(agreement(0.1, 0.39), [], [], [], has_doubtful=True, causes=Causes(n_numbers=78)).next_steps
    assert len(steps) == 1
    assert steps[0].startswith("Say what the labels are: 78 different numbers")


@pytest.mark.parametrize(("low", "high"), [(0.1, 0.39), (0.41, 0.66)])
def test_the_labels_that_are_confused_come_first(low: float, high: float) -> None:
    confused = ConfusedLabels("bill", "other", 0.41, 0.2)
    causes = Causes(confused=confused)
    steps = question_state(agreement(low, high), [], [], [], has_doubtful=True, causes=causes).next_steps
    assert steps == (confused.sentence, ADJUDICATE)
    contradiction = Contradiction(("bob",), -0.8, -0.9, -0.7, 0.85)
    steps = question_state(
        agreement(low, high), [], [], [], has_doubtful=True, causes=causes, contradictions=[contradiction]
    ).next_steps  # bob confuses all labels
    assert (steps[0].startswith("Ask how they read the labels: bob"), steps[1]) == (True, ADJUDICATE)


@pytest.mark.parametrize(
    ("main", "step"),
    [
        (agreement(None, None, reason="too_few_items"), "Have two annotators or more rate the same items, 30 or more"),
        (agreement(1.0, 1.0, coefficient="percent_agreement", n_labels=1), "Declare all labels of the question"),
    ],
)
def test_what_agreement_needs_comes_first(main: dict[str, Any], step: str) -> None:
    main |= {"observed": 1.0, "expected": 0.0, "confidence": 0.95}
    assert question_state(main, [], [], [], has_doubtful=True).next_steps[0].startswith(step)


def test_one_annotator_needs_a_second_one() -> None:
    judged = question_state(agreement(None, None, reason="too_few_raters"), [], [], [], has_doubtful=False)
    assert judged.next_steps[0].startswith("Have a second annotator rate 30 or more of the 100 items: ")
    for n_items, text in ((30, "30 or more of the 30 items"), (29, "30 or more items"), (None, "30 or more items")):
        alone = agreement(None, None, reason="too_few_raters", n_items=n_items)
        assert f"rate {text}: " in question_state(alone, [], [], [], has_doubtful=False).next_steps[0]
    few = question_state(agreement(None, None, reason="too_few_raters", n_items=1), [], [], [], has_doubtful=False)
    assert few.next_steps[0].startswith("Have a second annotator rate 30 or more items: ")
    assert question_state(agreement(0.8, 0.88), [], [], [], has_doubtful=False).next_steps == ()


def test_without_an_annotator_two_are_needed_not_a_second() -> None:
    undefined = agreement(None, None, reason="too_few_raters", n_raters=0, n_items=0)
    (step,) = question_state(undefined, [], [], [], has_doubtful=False).next_steps
    assert step == "Have two annotators rate the same 30 or more items: agreement needs two."
    result = agreement(None, None, reason="too_few_raters", n_raters=1, n_items=60)
    (step,) = question_state(result, [], [], [], has_doubtful=False).next_steps
    assert step.startswith("Have a second annotator rate 30 or more of the 60 items")


def test_where_all_agree_nobody_differs() -> None:
    """An alert on rejected rows does not make annotators differ who agree on everything."""
    perfect = alike(1.0, 100)
    assert question_state(perfect, [], [], [WARNING], has_doubtful=False).next_steps == ("Look at its alerts.",)
    assert question_state(perfect, [], [], [], has_doubtful=False).next_steps == ()
    low = agreement(0.41, 0.5, n_items=None)
    assert question_state(low, [], [], [], has_doubtful=False).next_steps == ()
    assert (
        question_state(agreement(0.5, 0.6), [], [], [WARNING], has_doubtful=True).next_steps[0].startswith("Adjudicate")
    )


def test_who_contradicts_the_others_comes_first() -> None:
    contradiction = Contradiction(("bob",), -0.8, -0.9, -0.7, 0.85)
    state = question_state(agreement(-0.3, -0.2), [], [], [], has_doubtful=True, contradictions=[contradiction])
    assert state.next_steps[0].startswith("Ask how they read the labels: bob contradicts the others (kappa -0.80")


def test_of_several_who_contradict_the_first_is_named_and_two_steps_are_enough() -> None:
    contradictions = [Contradiction((name,), -0.8, -0.9, -0.7, 0.85) for name in ("bob", "eve")]
    main = agreement(0.3, 0.6)
    bob, then = question_state(main, [], [], [WARNING], has_doubtful=True, contradictions=contradictions).next_steps
    assert bob.startswith("Ask how they read the labels: bob contradicts")
    assert then == ADJUDICATE  # and not also: more items


@pytest.mark.parametrize(
    ("n_items", "n_ratings", "step"),
    [(12_500, 37_500, "Rate 100,000 more items, 3 ratings each"), (12_600, 37_800, None), (100, None, None)],
)
def test_more_items_than_anybody_rates_are_not_proposed(n_items: int, n_ratings: int | None, step: str | None) -> None:
    main = agreement(0.2, 0.8, n_items=n_items, n_ratings=n_ratings)
    steps = question_state(main, [], [], [], has_doubtful=False).next_steps
    assert [result.split(":")[0] for result in steps] == ([] if step is None else [step])
