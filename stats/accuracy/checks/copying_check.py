"""Does a system agree with one rater more than their accuracies explain: copied from him, or trained on his labels?

By tetrads (`stats.accuracy.checks.tetrads`) with the other human raters, one-sided. Effect: the share of answers that,
copied, would make the excess.

A system and a rater who are both right where the other raters share an error look the same. So nobody is accused where
that is the likelier reason: several systems point to the same rater, or he is the best one (`other_reason`).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from stats.accuracy.checks import person_pairs, raters_check, tetrads
from stats.accuracy.checks.alike_check import alike_pairs
from stats.accuracy.checks.check_inputs import CheckInputs, SystemAnswers
from stats.accuracy.checks.finding import LEVEL, CheckFinding
from stats.accuracy.checks.tetrads import ExcessTest

NAME = "copying"
RELEVANT = 0.1  # of the answers
CONSEQUENCE = (
    "Its accuracy is then put too high: with three raters who are right in .60, a system that is right in .90 by itself"
    " and takes 30 % of its answers from one of them is put too high by .12 by the average of the models and by .06 by"
    " Lehner's method, one that takes all by .40 and .19. Leave that rater out, or have items audited."
)
FEW = 4  # raters up to which two who are alike are not told from a system that copies a third
CONFOUNDED = (
    " With so few raters it may as well be that two other raters are alike, which puts an accurate system too low"
    " instead."
)
UNDECIDED = (
    " If it has learned from that rater's labels, its accuracy is put too high: leave that rater out. If not, it may be"
    " put too low. A few audited items would tell."
)


def run(material: CheckInputs) -> list[CheckFinding]:
    """One finding for each system and rater that can be tested; one for a system without any."""
    found = [finding for system, given in material.systems.items() for finding in _of_system(material, system, given)]
    best = raters_check.best(material) if any(_points(one) for one in found) else None
    return [replace(one, other_reason=_other_reason(one, found, best)) for one in found]


def _of_system(material: CheckInputs, system: str, given: SystemAnswers) -> list[CheckFinding]:
    if len(material.raters) < 3:
        detail = "It takes three human raters to tell a system that copies one of them from one that is as accurate."
        return [CheckFinding(NAME, detail, reason="too_few_raters", system=system)]
    humans, chosen, on_people = person_pairs.most_active(given.humans)
    some, on_sample = person_pairs.sampled(SystemAnswers(humans, given.answer), material.seed)
    patterns, own, people = person_pairs.with_system(some), len(chosen), np.arange(len(chosen))
    codes = np.append(chosen, len(material.raters))  # alike_pairs has the system last
    among = alike_pairs(material)[np.ix_(codes, codes)]
    pairs = [(int(rater), own) for rater in people]
    found, on_pairs = person_pairs.test_pairs(tetrads.agreements(patterns), pairs, people, among)
    if not found:
        detail = (
            f"No rater has {person_pairs.COMMON} items in common with the system, and two other raters beside them who"
            f" agree better than chance.{on_sample}"
        )
        return [CheckFinding(NAME, detail, reason="too_few_items", system=system)]
    scope, r = on_sample + on_people + on_pairs, len(material.raters)
    return [_finding(system, material.raters[int(chosen[one.pair[0]])], one.found, scope, r) for one in found]


def _finding(system: str, rater: str, found: ExcessTest, scope: str, r: int) -> CheckFinding:
    confounded = CONFOUNDED if r <= FEW else ""
    return CheckFinding(
        NAME,
        f"{system} agrees with {rater} on {found.agreement:.0%} of {found.common:,} items, and the other raters explain"
        f" {found.expected:.0%}",
        found.z,
        found.p_value,
        found.copied,
        found.copied >= RELEVANT,
        f"That is as if {found.copied:.0%} of its answers were {rater}'s. {CONSEQUENCE}{confounded}",
        "no sign of copying",
        scope,
        system=system,
        rater=rater,
    )


def _points(finding: CheckFinding) -> bool:
    """Whether a system points to a rater, be it by chance: without correction for the number of tests."""
    return finding.is_large and finding.p_value is not None and finding.p_value < LEVEL


def _other_reason(finding: CheckFinding, found: Sequence[CheckFinding], best: str | None) -> str:
    """Why the system need not have copied."""
    if not _points(finding):
        return ""
    rater, systems = finding.rater, [one.system for one in found if one.rater == finding.rater and _points(one)]
    if len(systems) > 1:
        others = ", ".join(str(name) for name in systems if name != finding.system)
        return (
            f"So does {others}: that several systems point to {rater} is no sign that they copy; {rater} may simply be"
            f" right where other raters share an error.{UNDECIDED}"
        )
    if rater == best:
        return f"But {rater} is better than the other raters: the two may simply be right where others err.{UNDECIDED}"
    return ""
