"""Do two human raters agree more than their accuracies explain: the same person, copying, talking to each other?

By tetrads (`stats.accuracy.checks.tetrads`) with two other human raters or more, one-sided. Effect: the share of
ratings that, copied, would make the excess.
"""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from stats.accuracy.checks import person_pairs, tetrads
from stats.accuracy.checks.check_inputs import CheckInputs, SystemAnswers
from stats.accuracy.checks.finding import LEVEL, CheckFinding
from stats.accuracy.checks.person_pairs import Pair, PairResult
from stats.arrays import IntArray

NAME = "alike"
RELEVANT = 0.1  # of the ratings
APART = 10  # pairs that are set apart at most
CONSEQUENCE = (
    "Errors they share pass for right, and an accurate system is put too low: with three raters, of whom two share 30 %"
    " of their labels, one that is right in .90 by .11 by Lehner's method and by .04 by the average of the models (with"
    " five raters by .04 and .01). Leave one of the two out."
)
CONFOUNDED = " With four raters it may as well be the two others who are alike."


def run(material: CheckInputs) -> list[CheckFinding]:
    """One finding for each pair of raters that can be tested, or one that says why there is none."""
    if len(material.raters) < 4:
        detail = (
            "It takes four human raters to tell two that are alike from two that are accurate. With three, two that"
            " are alike show in the check of copying, as a system that agrees too much with the third."
        )
        return [CheckFinding(NAME, detail, reason="too_few_raters")]
    results, chosen, said = _results(material)
    if not results:
        detail = (
            f"No two raters have {person_pairs.COMMON} items in common, and two others beside them who"
            f" agree better than"
            f" chance.{said}"
        )
        return [CheckFinding(NAME, detail, reason="too_few_items")]
    names = [material.raters[int(code)] for code in chosen]
    return [_finding(names[one.pair[0]], names[one.pair[1]], one, said, len(names) == 4) for one in results]


def alike_pairs(material: CheckInputs) -> NDArray[np.bool_]:
    """(r + 1, r + 1) the raters who are alike; the last row and column, a system's, are empty."""
    r = len(material.raters)
    table = np.zeros((r + 1, r + 1), bool)
    if r > 4:  # of four, the two other raters may as well be the ones who are alike
        results, chosen, _ = _results(material)
        for one in results:
            if _is_violated(one):
                a, b = chosen[list(one.pair)]
                table[a, b] = table[b, a] = True
    return table


def _results(material: CheckInputs) -> tuple[list[PairResult], IntArray, str]:
    """The pairs tested, by position among the codes of the raters looked at; these codes; what to say of the choice."""
    if "alike" not in material.memory:
        material.memory["alike"] = _tested(material)
    results: tuple[list[PairResult], IntArray, str] = material.memory["alike"]
    return results


def _tested(material: CheckInputs) -> tuple[list[PairResult], IntArray, str]:
    """Two who are alike make the others seem so, whom their agreement explains. So the pair with the smallest p is set
    apart, as long as it is alike, and the others are tested again without it."""
    humans, chosen, on_people = person_pairs.most_active(material.humans)
    nobody = np.full(len(humans.n_items), -1)
    some, on_sample = person_pairs.sampled(SystemAnswers(humans, nobody), material.seed)
    agreements, people = tetrads.agreements(some.humans), np.arange(len(chosen))
    pairs = [(int(a), int(b)) for a, b in combinations(people, 2)]
    alike, apart = np.zeros((len(people), len(people)), bool), dict[Pair, PairResult]()
    results, on_pairs = person_pairs.test_pairs(agreements, pairs, people, alike)
    while len(people) > 4 and len(apart) < APART:
        left = [one for one in results if one.pair not in apart and _is_violated(one)]
        if not left:
            break
        worst = min(left, key=lambda one: -one.found.z)
        apart[worst.pair] = worst
        alike[worst.pair] = alike[worst.pair[::-1]] = True
        results, on_pairs = person_pairs.test_pairs(agreements, pairs, people, alike)
    results = sorted([*apart.values(), *(one for one in results if one.pair not in apart)], key=lambda one: one.pair)
    return results, chosen, on_sample + on_people + on_pairs


def _is_violated(one: PairResult) -> bool:
    """Among the pairs alone: so that the pairs that are set apart do not depend on the other checks."""
    return one.p_value < LEVEL and one.found.copied >= RELEVANT


def _finding(rater: str, other: str, result: PairResult, said: str, four: bool) -> CheckFinding:
    one = result.found
    return CheckFinding(
        NAME,
        f"{rater} and {other} agree on {one.agreement:.0%} of {one.common:,} items, and the other raters explain"
        f" {one.expected:.0%}",
        one.z,
        one.p_value,
        one.copied,
        one.copied >= RELEVANT,
        f"That is as if {one.copied:.0%} of the ratings were copied. {CONSEQUENCE}{CONFOUNDED if four else ''}",
        "no sign that they are alike",
        said,
        rater=rater,
        other=other,
    )
