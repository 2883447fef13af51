"""How a question stands: the rule, and its doubt."""

from typing import Any

import pytest

from tasks.summary.next_steps import ADJUDICATE
from tasks.summary.poor_agreement import REVERSED, is_poor
from tasks.summary.question_state import STATES, question_state, urgency
from tests.tasks.summary.question_figures import CRITICAL, WARNING, agreement, alike


@pytest.mark.parametrize(
    ("low", "high", "alerts", "state", "word"),
    [
        (0.8, 0.9, [], "good", "above"),
        (0.667, 0.9, [], "good", "above"),
        (0.6, 0.7, [], "watch", "cannot be told"),
        (0.6, 0.667, [], "watch", "cannot be told"),
        (0.5, 0.6, [], "watch", "below"),
        (0.1, 0.39, [], "act", "below 0.4"),
        (0.1, 0.4, [], "watch", "below 0.667"),
        (0.1, 0.41, [], "watch", "below 0.667"),
        (0.8, 0.9, [WARNING], "watch", "an alert is open"),
        (0.8, 0.9, [WARNING, CRITICAL], "act", "critical"),
        (None, None, [], "watch", "no figure"),
    ],
)
def test_no_state_is_surer_than_the_interval(
    low: float | None, high: float | None, alerts: list[dict[str, str]], state: str, word: str
) -> None:
    judged = question_state(agreement(low, high), [], [], alerts, has_doubtful=False)
    assert judged.state == state
    assert word in judged.rule
    assert judged.place == STATES.index(state)


@pytest.mark.parametrize(
    ("value", "n_items", "state", "rule", "steps"),
    [
        (
            1.0,
            2,
            "watch",
            "agreement is the same on all 2 items: too few",
            ("Rate 15 more items: if all ratings agree",),
        ),
        (
            1.0,
            16,
            "watch",
            "agreement is the same on all 16 items: too few",
            ("Rate 1 more item: if all ratings agree",),
        ),
        (1.0, 17, "good", "above 0.667", ()),
        (-1.0, 2, "watch", "below 0.667", ()),
        (-1.0, 20, "act", "below 0.4", (REVERSED,)),
    ],
)
def test_a_standard_error_of_0_proves_no_more_than_the_items_do(
    value: float, n_items: int, state: str, rule: str, steps: tuple[str, ...]
) -> None:
    judged = question_state(alike(value, n_items), [], [], [], has_doubtful=False)
    assert (judged.state, rule in judged.rule) == (state, True)
    assert [result.startswith(text) for result, text in zip(judged.next_steps, steps, strict=True)] == [True] * len(
        steps
    )


WITHOUT_INTERVAL = {
    "no low end": agreement(0.8, 0.9) | {"low": None},
    "no high end": agreement(0.8, 0.9) | {"high": None},
    "neither": agreement(0.1, 0.2) | {"low": None, "high": None},
    "all items alike, nothing known of chance": alike(1.0, 100, expected=None),
}


@pytest.mark.parametrize("main", WITHOUT_INTERVAL.values(), ids=WITHOUT_INTERVAL)
def test_without_an_interval_an_estimate_proves_nothing(main: dict[str, Any]) -> None:
    judged = question_state(main, [], [], [], has_doubtful=False)
    assert (judged.state, judged.rule) == ("watch", "agreement has no interval, so it cannot be told")
    assert judged.next_steps == ()
    assert not is_poor(main)
    assert question_state(main, [], [], [CRITICAL], has_doubtful=False).state == "act"


def test_an_open_alert_outranks_items_that_are_too_few() -> None:
    judged = question_state(alike(1.0, 2), [], [], [WARNING], has_doubtful=False)
    assert (judged.state, judged.rule) == ("watch", "an alert is open")


def test_agreement_without_chance_in_it_is_no_verdict() -> None:
    main = agreement(0.95, 0.99, coefficient="percent_agreement")
    assert question_state(main, [], [], [], has_doubtful=False).state == "watch"


@pytest.mark.parametrize(
    ("alerts", "rule"),
    [
        ([WARNING], "an alert is open"),
        ([WARNING, WARNING], "2 alerts are open"),
        ([CRITICAL], "a critical alert is open"),
        ([WARNING, CRITICAL], "a critical alert is open"),
        ([CRITICAL, CRITICAL, WARNING], "2 critical alerts are open"),
    ],
)
def test_open_alerts_are_counted(alerts: list[dict[str, str]], rule: str) -> None:
    judged = question_state(agreement(0.7, 0.74), [], [], alerts, has_doubtful=True)
    assert (judged.rule, judged.next_steps) == (rule, (ADJUDICATE,))  # not also: "Look at its alerts."


def test_poor_agreement_is_the_rule_that_asks_to_act() -> None:
    for low, high in ((0.1, 0.39), (0.1, 0.41), (None, None)):
        main = agreement(low, high)
        assert is_poor(main) == (question_state(main, [], [], [], has_doubtful=False).state == "act")
    assert not is_poor(agreement(0.1, 0.3, coefficient="percent_agreement"))


def test_ratings_of_one_label_are_no_good_agreement() -> None:
    """AC1 is 1 where everybody says yes to everything; whether they look at the items, it does not tell."""
    ac1 = alike(1.0, 60, coefficient="gwet_ac1")
    alpha = agreement(None, None, reason="zero_denominator")
    judged = question_state(ac1, [ac1, alpha], [], [], has_doubtful=False)
    assert (judged.state, judged.rule) == (
        "watch", "all ratings have one label, so agreement cannot be told from chance"
    )  # fmt: skip
    assert judged.next_steps[0].startswith("Rate items for which another label may be right")
    assert question_state(ac1, [ac1, agreement(0.9, 1.0)], [], [], has_doubtful=False).state == "good"


def test_a_question_without_any_figure_has_no_state_but_that() -> None:
    judged = question_state(None, [agreement(0.8, 0.9)], [], [], has_doubtful=False)
    assert (judged.state, judged.rule, judged.next_steps) == ("watch", "there is no figure of agreement", ())
    assert question_state(None, [], [], [CRITICAL], has_doubtful=False).state == "act"
    assert not is_poor(None)


def test_a_question_with_less_agreement_comes_first_however_many_alerts_another_one_has() -> None:
    low, high = agreement(0.45, 0.55), agreement(0.65, 0.75)
    several = question_state(high, [high], [], [WARNING, WARNING], has_doubtful=False)
    single = question_state(low, [low], [], [WARNING], has_doubtful=False)
    assert urgency(single, low) < urgency(several, high)
