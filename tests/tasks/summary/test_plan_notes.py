"""The notes of `plan --question` and the numbers beside them."""

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from flows.cli.planning.plan_output import print_question
from tasks.summary.plan_notes import PlanBasis, plan_notes

BASIS = PlanBasis(half_width=0.05, per_item=3, kappa=0.4, n_labels=3, n_rated=200)


def row(**more: Any) -> dict[str, Any]:
    """Return a system whose inner interval is too wide."""
    usual = {
        "system": "bad", "method": "average", "accuracy": 0.5, "low": 0.4, "high": 0.6, "confidence": 0.9,
        "half_width_now": 0.1, "outer_half_width_now": None, "outer_half_width_least": None, "n_items": 200,
        "n_gold": 0, "enough": False, "more_items": 600, "more_ratings": 1800, "more_gold": 90,
        "half_spread": None, "reason": None, "detail": None,
    }  # fmt: skip
    return usual | more


def printed(capsys: pytest.CaptureFixture[str], *rows: dict[str, Any], basis: PlanBasis = BASIS) -> str:
    notes = plan_notes(rows, basis)
    plan = {"question": "tone", "half_width": 0.05, "n_ratings": 600, "n_items": 200, "coefficients": []}
    print_question(plan | {"systems": list(rows), "warnings": notes})
    return " ".join(capsys.readouterr().out.split())


def test_models_that_lie_apart_make_the_number_of_ratings_the_least(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, row(half_spread=0.06))
    assert "at least 1,800 ratings" in text
    assert "further apart than this half-width. More ratings do not change that. The gold items shown do." in text
    assert "few gold items" not in text


def test_gold_is_not_promised_where_that_of_all_items_is_not_enough(capsys: pytest.CaptureFixture[str]) -> None:
    outer = {"outer_half_width_now": 0.2, "outer_half_width_least": 0.1}
    text = printed(capsys, row(half_spread=0.06, more_gold=None, **outer))
    assert "The gold items shown do" not in text
    assert text.count("Gold does, but it takes more gold items than there are items so far.") == 2
    assert "No number of gold items is shown" in text


def test_what_is_enough_is_not_said_to_need_more(capsys: pytest.CaptureFixture[str]) -> None:
    reached = row(enough=True, more_items=0, more_ratings=0, half_spread=0.06, outer_half_width_now=0.04)
    text = printed(capsys, reached | {"outer_half_width_least": 0.06})  # a lower outer_error since the last run
    assert "nothing, enough" in text
    assert "the interval is narrow enough, but the models compared lie further apart" in text
    assert "no number of ratings" not in text


@pytest.mark.parametrize("enough", [True, False])
@pytest.mark.parametrize(
    ("spread", "outer", "least"), list(product((None, 0.02, 0.08), (None, 0.04, 0.2), (0.01, 0.1)))
)
@pytest.mark.parametrize("more_gold", [None, 90])
def test_no_note_contradicts_a_number(
    capsys: pytest.CaptureFixture[str],
    enough: bool,
    spread: float | None,
    outer: float | None,
    least: float,
    more_gold: int | None,
) -> None:
    number = 0 if enough else 600
    text = printed(
        capsys,
        row(
            enough=enough, more_items=number, more_ratings=3 * number, more_gold=more_gold, half_spread=spread,
            outer_half_width_now=outer, outer_half_width_least=None if outer is None else least,
        ),
    )  # fmt: skip
    if "More ratings do not change that" in text:
        assert "at least 1,800 ratings" in text or "nothing for the inner interval" in text
    if "The gold items shown do" in text:
        assert " 90 " in text
    if "Gold does, but it takes more" in text:
        assert " 90 " not in text
    if "nothing, enough" in text:
        assert "do not change" not in text
        assert "no number of ratings" not in text
    assert ("at least" in text) is (enough is False and spread == 0.08)


def test_gold_items_left_are_counted_among_those_that_the_system_answers() -> None:
    basis = PlanBasis(half_width=0.05, per_item=3, kappa=0.4, n_labels=3, n_rated=400)
    few, many = (row(n_gold=50, more_gold=drawn) for drawn in (300, 302))  # it answers half: 150 and 151
    assert not any("must be new" in text for text in plan_notes([few], basis))
    assert any("only 150 of its items have no gold" in text for text in plan_notes([many], basis))


@pytest.mark.parametrize(
    ("kappa", "per_item", "words"),
    [
        (0.1, 3, "more raters for each item do more"),
        (0.1, 20, None),
        (-0.1, 3, "no more than by chance (kappa -0.10)"),
        (0.3, 2, None),
    ],
)
def test_more_raters_are_advised_where_they_help(kappa: float, per_item: int, words: str | None) -> None:
    basis = PlanBasis(half_width=0.05, per_item=per_item, kappa=kappa, n_labels=3, n_rated=200)
    notes = plan_notes([row()], basis)
    assert any(words in text for text in notes) if words else len(notes) == 1
    assert len(plan_notes([row(enough=True)], basis)) == 1


def test_gold_narrows_more_slowly_than_the_root() -> None:
    assert plan_notes([row(n_gold=50)], BASIS)[0].endswith("the number of items, with gold more slowly.")
    assert plan_notes([row()], BASIS)[0].endswith("the root of the number of items.")


MODELS, NARROW = "lie further apart than this half-width. More ratings", "narrow enough, but the models"
OUTER, INNER = "no number of ratings brings the outer interval to ±0.05", "still needed are for the inner one"
SHARE, ANSWERED = "says nothing about a share", "The system answered 150 of 200 rated items"
NEW_ITEMS, CHANCE, MORE_RATERS = "must be new items", "agree no more than by chance", "more raters for each item do"
WIDE = {"outer_half_width_now": 0.2, "outer_half_width_least": 0.1}


@pytest.mark.parametrize(
    ("changes", "of_basis", "sentence"),
    [
        ({"half_spread": 0.05}, {}, set()),  # wider than wanted is what lies above
        ({"half_spread": 0.06}, {}, {MODELS}),
        ({"half_spread": 0.06, "n_gold": 50}, {}, set()),
        ({"half_spread": 0.06, "enough": True}, {}, {NARROW}),
        ({"half_spread": 0.06, "enough": True, "outer_half_width_now": 0.05}, {}, {NARROW}),
        ({"half_spread": 0.06, "enough": True, **WIDE, "outer_half_width_least": 0.01}, {}, {MODELS}),
        ({"half_spread": 0.06, "enough": None}, {}, set()),  # it has no interval
        (WIDE, {}, {OUTER, INNER}),
        (WIDE | {"enough": True}, {}, {OUTER}),
        (WIDE | {"outer_half_width_least": 0.05}, {}, set()),
        (WIDE | {"outer_half_width_least": None}, {}, set()),
        ({}, {"half_width": 0.5}, {SHARE}),
        ({}, {"half_width": 0.49}, set()),
        ({"n_items": 150}, {}, {ANSWERED}),
        ({"n_items": 150, "enough": True}, {}, set()),
        ({"n_items": 150}, {"n_rated": None}, set()),
        ({"n_gold": 50, "more_gold": 150}, {"n_rated": None}, set()),
        ({"n_gold": 50, "more_gold": 151}, {"n_rated": None}, {NEW_ITEMS}),
        ({"n_gold": 50, "more_gold": 150}, {"n_rated": 100}, set()),  # it answers more than people rate
        ({"n_gold": 50, "more_gold": None}, {}, set()),
        ({"more_gold": 400}, {}, set()),
        ({}, {"kappa": 0.2}, set()),
        ({}, {"kappa": 0.19}, {MORE_RATERS}),
        ({}, {"kappa": 0.0}, {CHANCE}),
        ({}, {"kappa": None}, set()),
        ({"n_gold": 50}, {"kappa": 0.0}, set()),  # gold, and not more ratings, is what is needed
        ({}, {"kappa": 0.1, "per_item": None}, set()),
        ({}, {"kappa": 0.1, "n_labels": None}, set()),
    ],
)
def test_each_note_has_its_condition(changes: dict[str, Any], of_basis: dict[str, Any], sentence: set[str]) -> None:
    notes = plan_notes([row(**changes)], replace(BASIS, **of_basis))
    words = (MODELS, NARROW, OUTER, INNER, SHARE, ANSWERED, NEW_ITEMS, CHANCE, MORE_RATERS)
    assert {text for text in words if any(text in note for note in notes)} == sentence
    is_planned = changes.get("enough", False) is not None  # then a note says what the numbers assume
    assert len(notes) == is_planned + len(sentence - {INNER})


def test_a_note_names_the_systems_that_it_is_about() -> None:
    stuck = [row(system=name, enough=enough, **WIDE) for name, enough in (("a", True), ("b", False))]
    others = [row(system="c", more_gold=None, **WIDE), row(system="d", n_gold=9), row(system="e")]
    stable, shown, more = plan_notes([*stuck, *others], BASIS)
    assert stable.endswith("with gold more slowly.")
    assert (shown.startswith("a, b: "), INNER in shown, "The gold items shown do." in shown) == (True, True, True)
    assert (more.startswith("c: "), "it takes more gold items" in more) == (True, True)
    assert any(CHANCE in note for note in plan_notes([row(), row(enough=True)], replace(BASIS, kappa=0.0)))
