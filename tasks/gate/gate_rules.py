"""Define the rules of a gate: the limits that figures are held to, and how they are judged."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from tasks.errors import InputError

Judge = Literal["interval", "point"]
UnjudgedAs = Literal["pass", "finding"]

# Each rule with the option that sets it. The key in kappaflow.toml has the name of the rule.
RULE_OPTIONS = {
    "min_alpha": "--min-alpha .6",
    "min_agreement": "--min-agreement gwet_ac1=.6",
    "min_accuracy": "--min-accuracy SYSTEM=.8",
    "no_open_alerts": "--no-open-alerts",
    "max_rejected": "--max-rejected 2%",
}


@dataclass(frozen=True)
class FigureLimits:
    """The limits of the figures of a question.

    `min_alpha` is the least Krippendorff's alpha of the humans, in [-1, 1]. `min_agreement` has the least value by
    coefficient, `min_accuracy` the least accuracy by system, in [0, 1].
    """

    min_alpha: float | None = None
    min_agreement: Mapping[str, float] = field(default_factory=dict)
    min_accuracy: Mapping[str, float] = field(default_factory=dict)

    def over(self, other: "FigureLimits") -> "FigureLimits":
        """Return these limits, and those of `other` that are not set here.

        >>> FigureLimits(0.6, {}, {"gpt": 0.9}).over(FigureLimits(0.5, {}, {"gpt": 0.8, "rules": 0.7}))
        FigureLimits(min_alpha=0.6, min_agreement={}, min_accuracy={'gpt': 0.9, 'rules': 0.7})
        """
        return FigureLimits(
            other.min_alpha if self.min_alpha is None else self.min_alpha,
            {**other.min_agreement, **self.min_agreement},
            {**other.min_accuracy, **self.min_accuracy},
        )

    @property
    def is_empty(self) -> bool:
        """Check that no limit is set."""
        return self == FigureLimits()


@dataclass(frozen=True)
class GateRules:
    """The rules of a gate.

    `limits` hold for each question that is checked, `by_question` for one question, before `limits`. `questions` are
    those to check; empty for all. `max_rejected` is the largest share of rejected rows, in [0, 1]. `unjudged` says what
    a rule that cannot be judged counts as; None for neither a pass nor a finding.
    """

    limits: FigureLimits = FigureLimits()
    by_question: Mapping[str, FigureLimits] = field(default_factory=dict)
    no_open_alerts: bool = False
    max_rejected: float | None = None
    questions: tuple[str, ...] = ()
    judge: Judge = "interval"
    unjudged: UnjudgedAs | None = None

    @property
    def has_figures(self) -> bool:
        """Check that a rule is about a figure of a question."""
        return not self.limits.is_empty or any(not limits.is_empty for limits in self.by_question.values())

    @property
    def is_empty(self) -> bool:
        """Check that there is no rule."""
        return not (self.has_figures or self.no_open_alerts or self.max_rejected is not None)

    def limits_of(self, question: str) -> FigureLimits:
        """Return the limits of one question."""
        return self.by_question.get(question, FigureLimits()).over(self.limits)


def require_rules(rules: GateRules) -> None:
    """Raise InputError if there is no rule."""
    if rules.is_empty:
        raise InputError(
            "There is no rule to check.",
            f"Give one or more of {', '.join(RULE_OPTIONS.values())}, or [check] in kappaflow.toml.",
        )


def parse_share(text: str) -> float:
    """Return '2%' or '0.02' as a share. Raises ValueError, with the end of a sentence, for anything else.

    >>> parse_share("2%"), parse_share(".02"), parse_share("0.7 %")
    (0.02, 0.02, 0.007)
    """
    match = re.fullmatch(r"(\d+\.?\d*|\.\d+)\s*(%?)", text.strip(), re.ASCII)
    share = None if match is None else Decimal(match[1]) / (100 if match[2] else 1)
    if share is None or share > 1:
        raise ValueError("is a share from 0 to 1, such as '2%' or 0.02")
    return float(share)


def parse_coefficient_limit(text: str) -> float:
    """Return a limit of a coefficient. Raises ValueError, with the end of a sentence, if it is not a number in [-1, 1].

    >>> parse_coefficient_limit(".6")
    0.6
    """
    match = re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)", text.strip(), re.ASCII)
    if match is None or abs(float(match[0])) > 1:
        raise ValueError("is a number from -1 to 1, such as 0.6")
    return float(match[0])


def parse_limits(option: str, texts: Sequence[str], parse: Callable[[str], float]) -> dict[str, float]:
    """Return the limits of a repeated option NAME=LIMIT by name. A name may contain '='.

    Raises InputError for a text without a name, a wrong limit, and two limits for one name.

    >>> parse_limits("--min-accuracy", ["gpt=.8", "a=b=90%"], parse_share)
    {'gpt': 0.8, 'a=b': 0.9}
    """
    limits: dict[str, float] = {}
    for text in texts:
        name, sign, limit = text.rpartition("=")
        if not sign or not name.strip():
            raise InputError(f"{option} {text!r} is not of the form NAME=LIMIT.", f"Write {option} NAME=0.8.")
        if limits.setdefault(name.strip(), value := parse_option(option, limit, parse)) != value:
            raise InputError(f"{option} gives {name.strip()!r} two limits.", "Give only one.")
    return limits


def parse_option(option: str, text: str, parse: Callable[[str], float]) -> float:
    """Return the value of an option. Raises InputError if it is wrong."""
    try:
        return parse(text)
    except ValueError as error:
        raise InputError(f"{option} {text!r}: the limit {error}.", "Correct the number.") from None
