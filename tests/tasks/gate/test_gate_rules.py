"""The rules of a gate, and the texts that limits are written as."""

import pytest

from tasks.errors import InputError
from tasks.gate.gate_rules import (
    RULE_OPTIONS,
    FigureLimits,
    GateRules,
    parse_coefficient_limit,
    parse_limits,
    parse_option,
    parse_share,
    require_rules,
)


@pytest.mark.parametrize(
    ("text", "share"),
    [("2%", 0.02), ("0.02", 0.02), (".5", 0.5), ("0", 0.0), ("100 %", 1.0), ("0.7%", 0.007), (" 1. ", 1.0)],
)
def test_a_share_is_a_number_or_percent(text: str, share: float) -> None:
    assert parse_share(text) == share


@pytest.mark.parametrize("text", ["", "2", "101%", "-1%", "nan", "inf", "1e-2", "two", "%", "2%%", "٣%", "0.1.2"])
def test_any_other_text_is_no_share(text: str) -> None:
    with pytest.raises(ValueError, match="a share from 0 to 1"):
        parse_share(text)


@pytest.mark.parametrize(("text", "limit"), [(".6", 0.6), ("-0.2", -0.2), ("+1", 1.0), ("0", 0.0)])
def test_a_limit_of_a_coefficient_may_be_negative(text: str, limit: float) -> None:
    assert parse_coefficient_limit(text) == limit


@pytest.mark.parametrize("text", ["", "1.01", "-2", "nan", "60%", "a"])
def test_any_other_text_is_no_limit_of_a_coefficient(text: str) -> None:
    with pytest.raises(InputError, match="from -1 to 1"):
        parse_option("--min-alpha", text, parse_coefficient_limit)


def test_a_name_may_hold_an_equals_sign() -> None:
    assert parse_limits("--min-accuracy", ["a=b=.8", "c=70%", "c=.7"], parse_share) == {"a=b": 0.8, "c": 0.7}


@pytest.mark.parametrize(
    ("texts", "text"),
    [(["gpt"], "NAME=LIMIT"), (["=.8"], "NAME=LIMIT"), (["gpt=.8", "gpt=.9"], "two limits"), (["gpt="], "share")],
)
def test_a_wrong_pair_is_refused(texts: list[str], text: str) -> None:
    with pytest.raises(InputError, match=text):
        parse_limits("--min-accuracy", texts, parse_share)


def test_the_limits_of_a_question_come_before_those_of_all() -> None:
    rules = GateRules(
        FigureLimits(0.6, {"gwet_ac1": 0.5}, {"gpt": 0.8}), {"tone": FigureLimits(0.3, {}, {"gpt": 0.9, "rules": 0.5})}
    )
    assert rules.limits_of("tone") == FigureLimits(0.3, {"gwet_ac1": 0.5}, {"gpt": 0.9, "rules": 0.5})
    assert rules.limits_of("mood") == rules.limits


def test_no_rule_is_refused_with_the_rules_that_exist() -> None:
    with pytest.raises(InputError) as caught:
        require_rules(GateRules(by_question={"tone": FigureLimits()}))
    assert all(option in caught.value.hint for option in RULE_OPTIONS.values())
    for rules in (
        GateRules(FigureLimits(0.0)),
        GateRules(by_question={"tone": FigureLimits(min_alpha=0.1)}),
        GateRules(no_open_alerts=True),
        GateRules(max_rejected=0.0),
    ):
        require_rules(rules)
