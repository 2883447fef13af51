"""Does a system agree with one rater more than their accuracies explain: copied from him, or trained on his labels?

By tetrads (`stats.accuracy.checks.tetrads`) with the other human raters, one-sided, with Holm's correction over the
raters of one system, so that another system changes nothing. Effect: the share of answers that, copied, would make
the excess.
"""

import numpy as np

from stats.accuracy.checks import pairwise, tetrads
from stats.accuracy.checks.alike import alike_pairs
from stats.accuracy.checks.finding import LEVEL, Finding, p_text, verdict
from stats.accuracy.checks.material import Answered, Material
from stats.accuracy.checks.pairwise import Result

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


def run(material: Material) -> list[Finding]:
    """One finding for each system and rater that can be tested; one for a system without any."""
    return [finding for system, given in material.systems.items() for finding in _of_system(material, system, given)]


def _of_system(material: Material, system: str, given: Answered) -> list[Finding]:
    if len(material.raters) < 3:
        detail = "It takes three human raters to tell a system that copies one of them from one that is as accurate."
        return [Finding(NAME, detail, reason="too_few_raters", system=system)]
    humans, chosen, on_people = pairwise.most_active(given.humans)
    some, on_sample = pairwise.sampled(Answered(humans, given.answer), material.seed)
    patterns, own, people = pairwise.with_system(some), len(chosen), np.arange(len(chosen))
    codes = np.append(chosen, len(material.raters))  # alike_pairs has the system last
    among = alike_pairs(material)[np.ix_(codes, codes)]
    pairs = [(int(rater), own) for rater in people]
    found, on_pairs = pairwise.tested(tetrads.agreements(patterns), pairs, people, among)
    if not found:
        detail = (
            f"No rater has {pairwise.COMMON} items in common with the system, and two other raters beside them who"
            f" agree better than chance.{on_sample}"
        )
        return [Finding(NAME, detail, reason="too_few_items", system=system)]
    said = on_sample + on_people + on_pairs
    names, r = [material.raters[int(code)] for code in chosen], len(material.raters)
    return [_finding(system, names[one.pair[0]], one, said, r) for one in found]


def _finding(system: str, rater: str, result: Result, said: str, r: int) -> Finding:
    one, p = result.found, result.p_value
    violated = p < LEVEL and one.copied >= RELEVANT
    detail = (
        f"{system} agrees with {rater} on {one.agreement:.0%} of {one.common:,} items, and the other raters explain"
        f" {one.expected:.0%} ({p_text(p)}){f', as if {one.copied:.0%} of its answers were his' if violated else ''}"
    )
    detail += verdict(p, violated, CONSEQUENCE + (CONFOUNDED if r <= FEW else ""), "no sign of copying")
    return Finding(NAME, detail + said, one.z, p, one.copied, violated, system=system, rater=rater)
