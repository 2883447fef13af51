"""Check whether a system agrees with one rater more than their accuracies explain.

It may have copied from that rater, or been trained on that rater's labels. The test is a one-sided test of tetrads
(`stats.accuracy.raters.tetrads`) with the other human raters. The effect is the share of answers that would make the
excess if they were copied.

A system and a rater who are both right where the other raters share an error look the same. So the verdict is open if
that is the likelier reason: several systems point to the same rater, or that rater is the best one (`other_reason`).
It is open, too, if two of four raters seem alike, which makes systems seem to copy the other two
(`stats.accuracy.checks.four_raters`), and if a system gives all of a rater's answers and the test does not reject
(`suspicion`).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from stats.accuracy.checks import person_pairs, raters_check
from stats.accuracy.checks.alike_check import alike_pairs, of_four
from stats.accuracy.checks.check_inputs import CheckInputs, SystemAnswers
from stats.accuracy.checks.finding import CheckFinding
from stats.accuracy.checks.four_raters import AlikePair
from stats.accuracy.raters import tetrads
from stats.accuracy.raters.tetrads import ExcessTest
from stats.defaults import CHECK_LEVEL

NAME = "copying"
RELEVANT = 0.1  # of the answers
TIE = 1e-9
CONSEQUENCE = (
    "The estimate is then too high. Take a system that is right in .90 by itself, and three raters who are right in"
    " .60. If it takes 30 % of its answers from one of them, the average of the models is too high by .12 and Lehner's"
    " method by .06. If it takes all, by .40 and .19. Leave that rater out, or have items audited."
)
MAX_CONFOUNDED = 4  # raters up to which two who are alike are not told from a system that copies a third
CONFOUNDED = (
    " With so few raters it may also be that two other raters are alike. The estimate of an accurate system is then too"
    " low instead."
)
IDENTICAL = (
    "The test cannot tell why, but no answer differs, which is rare for two who work independently. If one has the"
    " other's answers, the estimate is far too high: leave that rater out, or have items audited."
)
UNDECIDED = (
    " If the system has learned from that rater's labels, the estimate is too high: leave that rater out. If not, the"
    " estimate may be too low. A few audited items would show which."
)


def run(inputs: CheckInputs) -> list[CheckFinding]:
    """Return one finding for each system and rater that can be tested, or one for a system without any."""
    findings = [
        finding for system, answers in inputs.systems.items() for finding in _of_system(inputs, system, answers)
    ]
    best = raters_check.best(inputs) if any(_points(finding) for finding in findings) else None
    alike = of_four(inputs)
    return [replace(finding, other_reason=_other_reason(finding, findings, best, alike)) for finding in findings]


def _of_system(inputs: CheckInputs, system: str, answers: SystemAnswers) -> list[CheckFinding]:
    if len(inputs.raters) < 3:
        detail = (
            "This check needs three human raters. With fewer, a system that copies a rater looks like one that is as"
            " accurate."
        )
        return [CheckFinding(NAME, detail, reason="too_few_raters", system=system)]
    humans, chosen, on_people = person_pairs.most_active(answers.humans)
    sampled_answers, on_sample = person_pairs.sampled(SystemAnswers(humans, answers.answer), inputs.seed)
    patterns, own, people = person_pairs.with_system(sampled_answers), len(chosen), np.arange(len(chosen))
    codes = np.append(chosen, len(inputs.raters))  # alike_pairs has the system last
    among = alike_pairs(inputs)[np.ix_(codes, codes)]
    pairs = [(int(rater), own) for rater in people]
    results, on_pairs = person_pairs.test_pairs(tetrads.agreements(patterns), pairs, people, among)
    if not results:
        detail = (
            f"This check needs a rater who shares {person_pairs.MIN_COMMON} items with the system, and two other raters"
            f" who agree better than chance. There is none.{on_sample}"
        )
        return [CheckFinding(NAME, detail, reason="too_few_items", system=system)]
    scope, r = on_sample + on_people + on_pairs, len(inputs.raters)
    findings = [
        _finding(system, inputs.raters[int(chosen[result.pair[0]])], result.test, scope, r) for result in results
    ]
    level = CHECK_LEVEL / len(results)
    return [
        replace(finding, suspicion=IDENTICAL if _is_twin(result.test, level) else "")
        for finding, result in zip(findings, results, strict=True)
    ]


def _is_twin(test: ExcessTest, level: float) -> bool:
    """Check whether two agree on all items, which the agreement that the others explain makes unlikely.

    With few raters the explained agreement is so uncertain that the test does not reject even then.
    """
    return test.agreement > 1 - TIE and test.expected**test.common < level


def _finding(system: str, rater: str, test: ExcessTest, scope: str, r: int) -> CheckFinding:
    confounded = CONFOUNDED if r <= MAX_CONFOUNDED else ""
    return CheckFinding(
        NAME,
        f"{system} agrees with {rater} on {test.agreement:.0%} of {test.common:,} items, and the other raters explain"
        f" {test.expected:.0%}",
        test.z,
        test.p_value,
        test.copied,
        test.copied >= RELEVANT,
        f"That is as if {test.copied:.0%} of its answers were {rater}'s. {CONSEQUENCE}{confounded}",
        "no sign of copying",
        scope,
        system=system,
        rater=rater,
    )


def _points(finding: CheckFinding) -> bool:
    """Check whether a system points to a rater, before the correction for the number of tests."""
    return finding.is_large and finding.p_value is not None and finding.p_value < CHECK_LEVEL


def _other_reason(
    finding: CheckFinding, findings: Sequence[CheckFinding], best: str | None, alike: AlikePair | None
) -> str:
    """Return the sentence on why the system need not have copied, '' if there is no other reason."""
    if not _points(finding):
        return ""
    if alike is not None:
        return alike.sentence
    rater = finding.rater
    systems = [other.system for other in findings if other.rater == rater and _points(other)]
    if len(systems) > 1:
        others = ", ".join(str(name) for name in systems if name != finding.system)
        return (
            f"So does {others}. That several systems point to {rater} does not mean that they copy: {rater} may simply"
            f" be right where other raters share an error.{UNDECIDED}"
        )
    if rater == best:
        return f"But {rater} is better than the other raters: the two may simply be right where others err.{UNDECIDED}"
    return ""
