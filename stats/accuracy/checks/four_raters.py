"""Say which two of four raters are alike, where they make a system seem to copy one of the other two.

Among four raters one tetrad belongs to two pairs: it cannot tell whether cleo and dora are alike, or anna and ben. The
pair that is alike also makes every system seem to copy the other two, because its agreement is part of what explains
theirs. A system that copies nobody can decide it: with the system as a fifth rater there are further tetrads.
"""

from dataclasses import dataclass

import numpy as np

from stats.accuracy.checks import person_pairs
from stats.accuracy.checks.check_inputs import CheckInputs
from stats.accuracy.checks.person_pairs import Pair, PairResult
from stats.accuracy.raters import tetrads
from stats.defaults import CHECK_LEVEL

RELEVANT = 0.1  # of the ratings, as in the check of raters who are alike


@dataclass(frozen=True)
class AlikePair:
    """Two of four raters who seem alike, and the other two, who may be the ones instead.

    is_told: every system says that it is `pair`. That holds if no system copies a rater.
    """

    pair: tuple[str, str]
    others: tuple[str, str]
    is_told: bool

    @property
    def sentence(self) -> str:
        """Say who is alike, to stand beside a system that seems to copy."""
        these, those = (" and ".join(names) for names in (self.pair, self.others))
        who = f"{these}, or {those}" + (f"; {these} if no system copies" if self.is_told else "")
        return (
            f"But two of the four raters seem alike ({who}), and that alone makes systems seem to copy. The check"
            " cannot tell the two apart. Have items audited, or leave out one of the raters who are alike."
        )


def alike_pair(inputs: CheckInputs, results: list[PairResult]) -> AlikePair | None:
    """Return the two of four raters who seem most alike, or None. `results` are the tests of all pairs.

    The p value is the one before the correction for the number of tests: a system must not be accused of what two
    raters may have done.
    """
    seem_alike = [each for each in results if each.test.p_value < CHECK_LEVEL and each.test.copied >= RELEVANT]
    if len(inputs.raters) != 4 or not seem_alike:
        return None
    pair = max(seem_alike, key=lambda each: each.test.z).pair
    others = tuple(code for code in range(4) if code not in pair)
    by_system = [(_is_alike(inputs, system, pair), _is_alike(inputs, system, others)) for system in inputs.systems]
    first, second = (
        bool(by_system) and all(these and not those for these, those in by_system),
        bool(by_system) and all(those and not these for these, those in by_system),
    )
    names, other_names = _names(inputs, pair), _names(inputs, others)
    return AlikePair(other_names, names, True) if second else AlikePair(names, other_names, first)


def _is_alike(inputs: CheckInputs, system: str, pair: tuple[int, ...]) -> bool:
    """Check whether two raters agree too much beside a system and each of the others, who may be alike themselves."""
    answers, _ = person_pairs.sampled(inputs.systems[system], inputs.seed)
    agreements = tetrads.agreements(person_pairs.with_system(answers))
    others = np.array([code for code in range(5) if code not in pair])
    alike = np.zeros((5, 5), bool)
    alike[others[0], others[1]] = alike[others[1], others[0]] = True
    test = tetrads.test_excess(agreements, pair[0], pair[1], others, alike)
    return test is not None and test.p_value < CHECK_LEVEL and test.copied >= RELEVANT


def _names(inputs: CheckInputs, pair: tuple[int, ...] | Pair) -> tuple[str, str]:
    return inputs.raters[pair[0]], inputs.raters[pair[1]]
