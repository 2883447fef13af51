"""Judge the findings of all checks of one question together, because many tests find something by chance.

All tests of a question share an error of CHECK_LEVEL, by Holm's method with weights. Each check that was made has an
equal share. Its rows (pairs of raters, systems with raters) divide the share among them. So if all assumptions hold, a
question has any `violated` with a probability of at most CHECK_LEVEL.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from stats.accuracy.checks.finding import CheckFinding, holm, p_text
from stats.defaults import CHECK_LEVEL


@dataclass(frozen=True)
class Verdict:
    """A row of `assumption_checks`."""

    name: str
    system: str | None
    rater: str | None
    other: str | None
    statistic: float | None
    p_value: float | None
    p_adjusted: float | None
    effect: float | None
    reason: str | None
    detail: str
    violated: bool | None


def verdicts(findings: Sequence[CheckFinding]) -> list[Verdict]:
    """Return a verdict on each finding of all checks of one question.

    >>> findings = [CheckFinding("pairs", "They differ", 3.0, 0.02, 0.2, True, "Mind it.", "no sign")] * 2
    >>> [(finding.p_adjusted, finding.violated, finding.detail) for finding in verdicts(findings)][0]
    (0.04, True, 'They differ (p 0.040, corrected for 2 tests). Mind it.')
    """
    tested = [finding for finding in findings if finding.p_value is not None]
    rows = Counter(finding.name for finding in tested)
    adjusted = holm([finding.p_value or 0.0 for finding in tested], [1 / rows[finding.name] for finding in tested])
    remaining = iter(adjusted)
    return [
        _verdict(finding, None if finding.p_value is None else next(remaining), len(tested)) for finding in findings
    ]


def _verdict(finding: CheckFinding, p_adjusted: float | None, tests: int) -> Verdict:
    detail, violated = finding.detail, None
    if finding.p_value is not None and p_adjusted is not None:
        certain = p_adjusted < CHECK_LEVEL and finding.is_large
        doubt = finding.other_reason if certain else finding.suspicion
        violated = None if doubt else certain
        corrected = f", corrected for {tests} tests" if tests > 1 else ""
        detail = f"{finding.detail} ({p_text(p_adjusted)}{corrected}){_end(finding, p_adjusted, violated, doubt)}"
    return Verdict(
        finding.name,
        finding.system,
        finding.rater,
        finding.other,
        finding.statistic,
        finding.p_value,
        p_adjusted,
        finding.effect,
        finding.reason,
        detail + finding.scope,
        violated,
    )


def _end(finding: CheckFinding, p_adjusted: float, violated: bool | None, doubt: str) -> str:
    """Return the end of the sentence: what follows from the finding, or that nothing does."""
    if violated is None:
        return f". {doubt}"
    if violated:
        return f". {finding.consequence}"
    if p_adjusted < CHECK_LEVEL:
        return ": too small a difference to matter."
    if (finding.p_value or 0.0) < CHECK_LEVEL:
        return ": with so many tests one such result is found by chance."
    return f": {finding.nothing}."
