"""Warnings in words: what was found in the ratings, and what that does to the estimate.

Figures in the sentences are means over simulated data of the source paper's procedure (5 labels, 3 raters)
unless said otherwise.
"""

import numpy as np

from stats.accuracy.estimator import FloatArray, Patterns

LOW_KAPPA = 0.2
FEW_ITEMS = 200
FEW_GOLD = 20

INTERVAL_TOO_NARROW = (
    "The interval covers less than it claims: a bootstrap sees neither the bias of the estimate nor a violated"
    " assumption. In simulations a nominal 90 % interval held the true accuracy in 64 to 84 % of the cases."
)
BINARY = (
    "With two labels a rater who errs more often on one label than on the other breaks the method's assumptions:"
    " the estimate can then be too low by up to .17."
)


def on_raters(patterns: Patterns, kappa: float, base_rates: FloatArray) -> list[str]:
    """Warnings that concern the raters."""
    m = patterns.C[patterns.rated].sum(axis=1)
    notes = []
    if kappa < LOW_KAPPA:
        notes.append(
            f"The raters agree little (kappa {kappa:.3f}, below {LOW_KAPPA}): the estimate scatters widely and leans"
            " towards the middle. With 200 items and kappa .06, a system that is right in .90 is put at .80 on average."
        )
    if m.min() != m.max():
        notes.append(
            f"Items have between {m.min()} and {m.max()} human ratings. If difficult items were given more raters, the"
            " raters' pooled agreement is too low and every estimate built on it is off."
        )
    if len(base_rates) == 2:
        notes.append(BINARY)
    if (base_rates == 0).sum() > (patterns.C.sum(axis=0) == 0).sum():
        notes.append(
            "The estimated frequency of at least one label that raters used is 0 (clipped): the method then takes every"
            " such rating for an error, which lowers the estimate of a system that rightly uses the label."
        )
    return notes


def on_answers(patterns: Patterns) -> list[str]:
    """Warnings that concern which items the system answered."""
    rated, answered = patterns.rated, patterns.answered
    n, alone, silent = (patterns.count(mask) for mask in (rated & answered, ~rated & answered, rated & ~answered))
    notes = []
    if n < FEW_ITEMS:
        notes.append(
            f"The estimate rests on {n} items (fewer than {FEW_ITEMS}): clipping of bins pulls it towards the middle."
            " A system that is right in .90, rated by raters who are right in .60, is put at .82 on average with 50"
            " items and at .86 with 200."
        )
    if alone:
        notes.append(
            f"{alone} of the system's {n + alone} answers are on items that nobody rated: they say nothing without gold"
            " labels and are left out, so the estimate is for the rated items only."
        )
    if silent:
        notes.append(
            f"The system gave no answer on {silent} of {n + silent} rated items: the estimate is for the items that it"
            " answered, and too favourable if it left out the difficult ones."
        )
    return notes


def on_bins(n: FloatArray, P_s: FloatArray) -> list[str]:
    """Warnings that concern the bins (10,) of one system."""
    skipped = n[np.isnan(P_s)].sum() / n.sum()
    if skipped == 0:
        return []
    return [
        f"{skipped:.0%} of the items lie in bins where the raters' top label is no better than a guess; they are"
        " skipped, and the estimate is for the others."
    ]


def on_estimate(accuracy: float, n_labels: int) -> list[str]:
    """Warnings that concern the estimate itself."""
    if accuracy >= 1 / n_labels:
        return []
    return [
        f"The system is put below chance ({accuracy:.3f} < {1 / n_labels:.3f}): check that its labels mean what the"
        " raters' labels mean, since a swapped or shifted coding looks exactly like this."
    ]


def on_replicates(undefined: float) -> list[str]:
    """Warning that part of the bootstrap has no estimate."""
    if undefined == 0:
        return []
    return [
        f"In {undefined:.0%} of the bootstrap samples the raters agree no better than chance and there is no estimate;"
        " the interval is taken over the rest, and so is too narrow."
    ]
