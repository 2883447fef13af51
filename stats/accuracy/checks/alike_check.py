"""Check whether two human raters agree more than their accuracies explain.

They may be the same person, copy, or talk to each other. The test is a one-sided test of tetrads
(`stats.accuracy.raters.tetrads`) with two other human raters or more. The effect is the share of ratings that would
make the excess if they were copied.
"""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from stats.accuracy.checks import person_pairs
from stats.accuracy.checks.check_inputs import CheckInputs, SystemAnswers
from stats.accuracy.checks.finding import CheckFinding
from stats.accuracy.checks.four_raters import AlikePair, alike_pair
from stats.accuracy.checks.person_pairs import Pair, PairResult
from stats.accuracy.raters import tetrads
from stats.arrays import IntArray
from stats.defaults import CHECK_LEVEL

NAME = "alike"
RELEVANT = 0.1  # of the ratings
MAX_APART = 10  # pairs that are set apart at most
CONSEQUENCE = (
    "Their shared errors count as right answers, so the estimate of an accurate system is too low. With three raters,"
    " of whom two share 30 % of their labels, a system that is right in .90 is put too low by .11 by Lehner's method"
    " and by .04 by the average of the models (with five raters by .04 and .01). Leave one of the two out."
)
OTHERS_ARE = (
    "But if no system copies a rater, it is {} who are alike: four raters alone cannot tell the two pairs apart."
)
IF_NO_COPY = (
    " With four raters it may also be the two others who are alike. If no system copies a rater, it is these: the"
    " systems' answers say so."
)
CONFOUNDED = " With four raters it may also be the two others who are alike."


def run(inputs: CheckInputs) -> list[CheckFinding]:
    """Return one finding for each pair of raters that can be tested. If there is none, return one that says why."""
    if len(inputs.raters) < 4:
        detail = (
            "This check needs four human raters. With three, two who are alike show in the check of copying: as a"
            " system that agrees too much with the third."
        )
        return [CheckFinding(NAME, detail, reason="too_few_raters")]
    results, chosen, scope = _results(inputs)
    if not results:
        detail = (
            f"This check needs two raters who share {person_pairs.MIN_COMMON} items, and two others who agree better"
            f" than chance. There are none.{scope}"
        )
        return [CheckFinding(NAME, detail, reason="too_few_items")]
    names, likely = [inputs.raters[int(code)] for code in chosen], of_four(inputs)
    return [
        _finding(names[result.pair[0]], names[result.pair[1]], result, scope, likely, len(names) == 4)
        for result in results
    ]


def of_four(inputs: CheckInputs) -> AlikePair | None:
    """Return the two raters who seem alike if there are four raters, else None."""
    return alike_pair(inputs, _results(inputs)[0]) if len(inputs.raters) == 4 else None


def alike_pairs(inputs: CheckInputs) -> NDArray[np.bool_]:
    """Return the pairs of raters who are alike, as a table (r + 1, r + 1).

    The last row and column, a system's, are empty.
    """
    r = len(inputs.raters)
    table = np.zeros((r + 1, r + 1), bool)
    if r > 4:  # of four, the two other raters may as well be the ones who are alike
        results, chosen, _ = _results(inputs)
        for result in results:
            if _is_violated(result):
                a, b = chosen[list(result.pair)]
                table[a, b] = table[b, a] = True
    return table


def _results(inputs: CheckInputs) -> tuple[list[PairResult], IntArray, str]:
    """Return the tested pairs, by position among the chosen raters, the codes of these raters, and a sentence on the
    choice.
    """
    if "alike" not in inputs.memory:
        inputs.memory["alike"] = _tested(inputs)
    results: tuple[list[PairResult], IntArray, str] = inputs.memory["alike"]
    return results


def _tested(inputs: CheckInputs) -> tuple[list[PairResult], IntArray, str]:
    """Test the pairs step by step.

    Two raters who are alike make other pairs seem alike, because their agreement is part of what explains the others.
    So the alike pair with the smallest p value is set apart, and the others are tested again without it.
    """
    humans, chosen, on_people = person_pairs.most_active(inputs.humans)
    nobody = np.full(len(humans.n_items), -1)
    sampled_answers, on_sample = person_pairs.sampled(SystemAnswers(humans, nobody), inputs.seed)
    agreements, people = tetrads.agreements(sampled_answers.humans), np.arange(len(chosen))
    pairs = [(int(a), int(b)) for a, b in combinations(people, 2)]
    alike, apart = np.zeros((len(people), len(people)), bool), dict[Pair, PairResult]()
    results, on_pairs = person_pairs.test_pairs(agreements, pairs, people, alike)
    while len(people) > 4 and len(apart) < MAX_APART:
        left = [result for result in results if result.pair not in apart and _is_violated(result)]
        if not left:
            break
        worst = min(left, key=lambda result: -result.test.z)
        apart[worst.pair] = worst
        alike[worst.pair] = alike[worst.pair[::-1]] = True
        results, on_pairs = person_pairs.test_pairs(agreements, pairs, people, alike)
    results = sorted(
        [*apart.values(), *(result for result in results if result.pair not in apart)], key=lambda result: result.pair
    )
    return results, chosen, on_sample + on_people + on_pairs


def _is_violated(result: PairResult) -> bool:
    """Check whether a pair is alike, judged among the pairs only: the pairs set apart must not depend on the other
    checks.
    """
    return result.p_value < CHECK_LEVEL and result.test.copied >= RELEVANT


def _finding(
    rater: str, other: str, result: PairResult, scope: str, likely: AlikePair | None, four: bool
) -> CheckFinding:
    test, is_told = result.test, likely is not None and likely.is_told
    others = "" if likely is None or not is_told or {rater, other} != {*likely.others} else " and ".join(likely.pair)
    confounded = IF_NO_COPY if likely is not None and is_told and {rater, other} == {*likely.pair} else CONFOUNDED
    return CheckFinding(
        NAME,
        f"{rater} and {other} agree on {test.agreement:.0%} of {test.common:,} items, and the other raters explain"
        f" {test.expected:.0%}",
        test.z,
        test.p_value,
        test.copied,
        test.copied >= RELEVANT,
        f"That is as if {test.copied:.0%} of the ratings were copied. {CONSEQUENCE}{confounded if four else ''}",
        "no sign that they are alike",
        scope,
        OTHERS_ARE.format(others) if others else "",
        rater=rater,
        other=other,
    )
