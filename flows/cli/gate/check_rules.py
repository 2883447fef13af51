"""Turn the options of `kappaflow check` into rules, over those of the settings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast, get_args

from tasks.errors import InputError
from tasks.gate.gate_rules import (
    FigureLimits,
    GateRules,
    Judge,
    UnjudgedAs,
    parse_coefficient_limit,
    parse_limits,
    parse_option,
    parse_share,
)
from tasks.region_coefficients import NAMES


@dataclass(frozen=True)
class RuleOptions:
    """The options of the command line that concern rules, as they were given."""

    questions: Sequence[str] | None = None
    min_alpha: str | None = None
    min_agreement: Sequence[str] | None = None
    min_accuracy: Sequence[str] | None = None
    no_open_alerts: bool = False
    max_rejected: str | None = None
    judge: str | None = None
    unjudged: str | None = None


def with_options(rules: GateRules, options: RuleOptions) -> GateRules:
    """Return the rules of the settings with those of the command line, which take precedence for every question.

    Raises InputError for a limit that is not a number or out of range, an unknown coefficient, and another value of
    --judge or --unjudged than there is.
    """
    limits = _limits(options)
    max_rejected = rules.max_rejected
    if options.max_rejected is not None:
        max_rejected = parse_option("--max-rejected", options.max_rejected, parse_share)
    return replace(
        rules,
        limits=limits.over(rules.limits),
        by_question={question: limits.over(own) for question, own in rules.by_question.items()},
        no_open_alerts=rules.no_open_alerts or options.no_open_alerts,
        max_rejected=max_rejected,
        questions=tuple(options.questions or ()),
        judge=cast(Judge, _choice("--judge", options.judge, get_args(Judge)) or rules.judge),
        unjudged=cast(
            UnjudgedAs | None, _choice("--unjudged", options.unjudged, get_args(UnjudgedAs)) or rules.unjudged
        ),
    )


def _limits(options: RuleOptions) -> FigureLimits:
    alpha = options.min_alpha
    agreement = parse_limits("--min-agreement", options.min_agreement or (), parse_coefficient_limit)
    _check_coefficients(agreement)
    return FigureLimits(
        None if alpha is None else parse_option("--min-alpha", alpha, parse_coefficient_limit),
        agreement,
        parse_limits("--min-accuracy", options.min_accuracy or (), parse_share),
    )


def _check_coefficients(names: Sequence[str] | dict[str, float]) -> None:
    if not names:
        return
    from stats.agreement import COEFFICIENTS  # imported here, because it takes time

    known_names = [*COEFFICIENTS, *NAMES]
    for name in names:
        if name not in known_names:
            raise InputError(
                f"--min-agreement: there is no coefficient {name!r}.", f"Use one of {', '.join(known_names)}."
            )


def _choice(option: str, value: str | None, choices: Sequence[str]) -> str | None:
    if value is not None and value not in choices:
        raise InputError(f"{option} {value!r} is unknown.", f"Use {' or '.join(choices)}.")
    return value
