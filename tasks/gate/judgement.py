"""Judge a figure by a limit: pass, finding, or unjudged."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Literal

from stats.verdict_interval import reaches
from tasks.counted_words import counted
from tasks.gate.gate_figures import GateFigure, OpenAlert, RowCounts
from tasks.gate.gate_rules import Judge, UnjudgedAs

Verdict = Literal["pass", "finding", "unjudged"]
EXIT_CODES: dict[Verdict, int] = {"pass": 0, "finding": 1, "unjudged": 3}
MAX_ALERTS_NAMED = 5
ON_FEW = "The interval rests on {n} and is too narrow to judge by. --judge point judges by the estimate alone."
SHOWN_FIRST = ("rule", "question", "verdict", "estimate", "low", "high", "limit", "n_items")


@dataclass(frozen=True)
class Judgement:
    """A verdict. `reason` is a code if it is `unjudged`, else None. `detail` is a sentence for people."""

    verdict: Verdict
    detail: str
    reason: str | None = None


@dataclass(frozen=True)
class RuleResult:
    """What became of one rule.

    `estimate`, `low` and `high` are the figure and its interval; null where undefined. For `no_open_alerts` the
    estimate is the number of open alerts, for `max_rejected` the share of rejected rows, and `n_items` the number of
    rows. `question` is None for a rule about the whole project or file. `counts_as` is the verdict that enters the
    verdict of the gate: another one than `verdict` only for a rule that could not be judged. `outer`: the interval is
    the outer one of an accuracy.
    """

    rule: str
    verdict: Verdict
    estimate: float | None
    limit: float
    detail: str
    counts_as: Verdict
    question: str | None = None
    low: float | None = None
    high: float | None = None
    n_items: int | None = None
    system: str | None = None
    coefficient: str | None = None
    method: str | None = None
    confidence: float | None = None
    n_gold: int | None = None
    gold_origin: str | None = None
    reason: str | None = None
    warnings: tuple[str, ...] = ()
    outer: bool = False

    @property
    def subject(self) -> str:
        """Return what the rule is about besides its question: a system, or a coefficient other than alpha."""
        return self.system or (self.coefficient if self.rule == "min_agreement" and self.coefficient else "")

    def to_json(self) -> dict[str, object]:
        """Return plain values: those that every rule has, then the others."""
        values = asdict(self)
        return {name: values[name] for name in SHOWN_FIRST} | values


@dataclass(frozen=True)
class GateResult:
    """What became of all rules of a gate. `place` is the project folder or the file."""

    place: str
    rules: tuple[RuleResult, ...]
    judge: Judge
    unjudged: UnjudgedAs | None = None
    warnings: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The gravest of the verdicts that count: a finding outranks an unjudged rule, which outranks a pass."""
        return max((rule.counts_as for rule in self.rules), key=("pass", "unjudged", "finding").index)

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        return EXIT_CODES[self.verdict]

    def to_json(self) -> dict[str, object]:
        """Return the value of `check --json`."""
        return {
            "verdict": self.verdict,
            "rules": [rule.to_json() for rule in self.rules],
            "judge": self.judge,
            "unjudged": self.unjudged,
            "place": self.place,
            "warnings": list(self.warnings),
        }


def judge_minimum(figure: GateFigure, limit: float, judge: Judge) -> Judgement:
    """Judge a figure that must not lie below a limit.

    By the interval: pass if all of it is at or above the limit, finding if all of it is below, else unjudged. An
    interval that is too narrow because of few items is unjudged, too. By the point: pass if the estimate is at or above
    the limit. A figure that misses the limit by the rounding of arithmetic is at the limit. A figure that is undefined
    or has a reason against it, and an estimate without the interval that is asked for, are unjudged.

    >>> judge_minimum(GateFigure(0.62, 0.55, 0.69), 0.6, "interval").verdict
    'unjudged'
    """
    if figure.estimate is None:
        detail = f"There is no figure: {figure.detail or figure.reason}"
        return Judgement("unjudged", _sentence(detail), figure.reason or "undefined")
    if figure.reason is not None:
        return Judgement("unjudged", _sentence(figure.detail or figure.reason), figure.reason)
    if judge == "point":
        return _passed("The estimate is", reaches(figure.estimate, limit))
    if figure.low is None or figure.high is None:
        return Judgement("unjudged", "The figure has no interval.", "no_interval")
    is_above = reaches(figure.low, limit)
    if not is_above and reaches(figure.high, limit):
        return Judgement("unjudged", "The interval holds the limit.", "limit_in_interval")
    if figure.on_few:
        return Judgement("unjudged", ON_FEW.format(n=counted(figure.n_items or 0, "item")), "few_items")
    return _passed("The interval is", is_above)


def judge_rejected(rows: RowCounts, limit: float) -> Judgement:
    """Judge the share of rejected rows, which must not exceed a limit. It is a count, so the judgement is exact."""
    if rows.n_rows == 0:
        return Judgement("unjudged", f"No row came in.{_unreadable(rows)}", "no_rows")
    is_within = rows.n_rejected <= Fraction(repr(limit)) * rows.n_rows
    were = "was" if rows.n_rejected == 1 else "were"
    detail = f"{rows.n_rejected:,} of {counted(rows.n_rows, 'row')} {were} rejected.{_unreadable(rows)}"
    return Judgement("pass" if is_within else "finding", detail)


def judge_alerts(alerts: Sequence[OpenAlert]) -> Judgement:
    """Judge the open alerts: a finding if there are any."""
    if not alerts:
        return Judgement("pass", "No alert is open.")
    names = [_alert_name(alert) for alert in alerts]
    more = f" and {len(names) - MAX_ALERTS_NAMED} more" if len(names) > MAX_ALERTS_NAMED else ""
    return Judgement("finding", f"Open: {', '.join(names[:MAX_ALERTS_NAMED])}{more}.")


def _alert_name(alert: OpenAlert) -> str:
    """Return an alert in words, as in 'tone rater ann (warning)'."""
    name = " ".join(part for part in (alert.question, alert.kind, alert.subject) if part)
    return f"{name} ({alert.severity})" if alert.severity else name


def _passed(beginning: str, is_above: bool) -> Judgement:
    if is_above:
        return Judgement("pass", f"{beginning} at or above the limit.")
    return Judgement("finding", f"{beginning} below the limit.")


def _unreadable(rows: RowCounts) -> str:
    if not rows.n_unreadable:
        return ""
    return f" {counted(rows.n_unreadable, 'file')} could not be read at all, without rows to count."


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else text + "."
