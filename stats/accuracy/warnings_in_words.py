"""Write warnings: what the ratings look like, and how that changes the estimate.

The figures in the sentences are means over simulated data of the source paper's procedure (5 labels, 3 raters) unless
they say otherwise.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from stats.accuracy.estimators import lehner
from stats.accuracy.fitting.estimator import SystemPatterns
from stats.arrays import FloatArray, IntArray

LOW_KAPPA = 0.2
HIGH_KAPPA = 0.95
FEW_ITEMS = 200
FEW_GOLD = 20
FAR_APART = 0.1
NO_WIDTH = 0.0005  # an interval shorter than that is printed as one number
MAX_COPIED = 5  # raters that are named besides the one that a system seems to copy most
MAX_ALIKE = 3  # pairs of raters that get a full sentence each

NO_INFORMATION = (
    "There is no interval, because the ratings say too little: near the estimate the likelihood is so flat in some"
    " direction that its curvature gives no standard error."
)
INTERVAL_TOO_NARROW = (
    "The interval is too narrow, because a bootstrap sees neither the bias of the estimate nor a violated assumption."
    " In simulations a nominal 90 % interval held the true accuracy in 64 to 84 % of the cases."
)
BINARY = (
    "With two labels a rater who errs more often on one label than on the other breaks the method's assumptions. The"
    " estimate can then be too low by up to .17."
)

ONE_LABEL = (
    "All human ratings have one label. Nothing shows if these people would give another one where it is right: the"
    " estimate takes it that they would."
)


SAME_ANSWERS = (
    "People agree almost always (on {share:.1%} of the pairs of ratings), and the system with them. Annotators who work"
    " alone do so on easy items only. If they saw the system's answers (pre-annotation) or each other's, the estimate"
    " says how often they kept them, not how often these are right, and it is too high. Have some items judged by"
    " someone who sees no answers, and give them as gold."
)

OUTER_WITHOUT_WIDTH = (
    "The outer interval has no width that shows. It adds the errors of real data on the logit scale, and on this scale"
    " they are next to nothing for an estimate so near 1 or 0. It does not allow for items on which the raters agree on"
    " a wrong label. On 20 public data sets these were 4 % of the items (median). Have some items judged by an expert,"
    " and give them as gold."
)


def on_raters(patterns: SystemPatterns, kappa: float, base_rates: FloatArray) -> list[str]:
    """Warn about the raters."""
    m = patterns.C[patterns.rated].sum(axis=1)
    notes = []
    if kappa < LOW_KAPPA:
        notes.append(
            f"The raters agree little (kappa {kappa:.3f}, below {LOW_KAPPA}). The estimate scatters widely and leans"
            " towards the middle: with 200 items and kappa .06, a system that is right in .90 is put at .80 on average."
        )
    notes += on_uneven(m)
    notes += on_one_label(patterns)
    if len(base_rates) == 2:
        notes.append(BINARY)
    if (base_rates == 0).sum() > (patterns.C.sum(axis=0) == 0).sum():
        notes.append(
            "The estimated frequency of at least one label that raters used is 0 (clipped). The method then counts"
            " every such rating as an error. This lowers the estimate of a system that uses the label rightly."
        )
    return notes


def on_one_label(patterns: SystemPatterns) -> list[str]:
    """Warn that the raters gave one label only."""
    return [ONE_LABEL] if (patterns.C[patterns.rated].sum(axis=0) > 0).sum() == 1 else []


def on_same_answers(patterns: SystemPatterns, accuracy: float) -> list[str]:
    """Warn that people agree on nearly everything beyond the frequencies of the labels, and the system with them."""
    of_people = lehner.rater_figures(patterns.C, patterns.n_items[None, :].astype(np.float64))
    used = patterns.n_items @ patterns.C
    by_chance = float(((used / used.sum()) ** 2).sum())
    kappa = (float(of_people.P_a[0]) - by_chance) / (1 - by_chance) if by_chance < 1 else 0.0
    return [SAME_ANSWERS.format(share=of_people.P_a[0])] if min(kappa, accuracy) >= HIGH_KAPPA else []


def on_uneven(m: IntArray) -> list[str]:
    """Warn that items have different numbers m of ratings, for a method that pools pairs of ratings."""
    if m.min() == m.max():
        return []
    return [
        f"Items have between {m.min()} and {m.max()} human ratings. If difficult items got more raters, the raters'"
        " pooled agreement is too low, and so every estimate built on it is off."
    ]


def on_any(
    patterns: SystemPatterns, accuracy: float, *, pairs: bool = False, symmetric: bool = False
) -> tuple[str, ...]:
    """Warn about a method other than Lehner's.

    `pairs` says that it pools pairs of ratings, `symmetric` that it takes errors to fall alike on all labels.
    """
    W, N = patterns.n_items[None, :].astype(np.float64), patterns.n_labels
    kappa = float(lehner.kappa(lehner.rater_figures(patterns.C, W).P_a, N)[0])
    n = patterns.count(patterns.rated & patterns.answered)
    notes = []
    if kappa < LOW_KAPPA:
        notes.append(
            f"The raters agree little (kappa {kappa:.3f}, below {LOW_KAPPA}). With 200 items and raters who are right"
            " in .40, expect the average of the models to be off by .06, with uneven errors by .10. It then puts a"
            " system that is right in .10 at .20."
        )
    if n < FEW_ITEMS:
        notes.append(
            f"The estimate rests on few items: {n} (fewer than {FEW_ITEMS}). With raters who are right in .60, expect"
            " an error of about .08 with 50 items and of .04 with 200."
        )
    notes += on_one_label(patterns)
    notes += on_same_answers(patterns, accuracy)
    notes += on_uneven(patterns.C[patterns.rated].sum(axis=1)) if pairs else []
    notes += [BINARY] if symmetric and N == 2 else []
    return (*notes, *on_items(patterns), *on_estimate(accuracy, N))


def on_answers(patterns: SystemPatterns) -> list[str]:
    """Warn, for Lehner's method, about the items that the system answered."""
    n = patterns.count(patterns.rated & patterns.answered)
    warning = (
        f"The estimate rests on few items: {n} (fewer than {FEW_ITEMS}). Few items and clipped bins pull it towards the"
        " middle: with raters who are right in .60, a system that is right in .90 is put at .82 on average with 50"
        " items and at .86 with 200."
    )
    return [*([warning] if n < FEW_ITEMS else []), *on_items(patterns)]


def on_items(patterns: SystemPatterns) -> list[str]:
    """Warn, for any method, about the items that the system answered."""
    rated, answered = patterns.rated, patterns.answered
    n, alone, unanswered = (patterns.count(mask) for mask in (rated & answered, ~rated & answered, rated & ~answered))
    notes = []
    if alone:
        notes.append(
            f"Nobody rated {alone} of the {n + alone} items that the system answered. Without gold labels such items"
            " carry no information and are left out. The estimate is for the rated items only."
        )
    if unanswered:
        notes.append(
            f"The system gave no answer on {unanswered} of {n + unanswered} rated items. The estimate is for the items"
            " that it answered. It is too favourable if the system left out the difficult ones."
        )
    return notes


def on_bins(n: FloatArray, P_s: FloatArray) -> list[str]:
    """Warn about the bins (10,) of one system."""
    skipped = n[np.isnan(P_s)].sum() / n.sum()
    if skipped == 0:
        return []
    return [
        f"{skipped:.0%} of the items lie in bins where the raters' top label is no better than a guess. They are left"
        " out, and the estimate is for the others."
    ]


def on_estimate(accuracy: float, n_labels: int) -> list[str]:
    """Warn about the estimate."""
    if accuracy >= 1 / n_labels:
        return []
    return [
        f"The system is put below chance ({accuracy:.3f} < {1 / n_labels:.3f}). Check that its labels mean the same as"
        " the raters' labels: a swapped or shifted coding looks exactly like this."
    ]


def on_outer_interval(row: Mapping[str, Any]) -> list[str]:
    """Warn that the outer interval of a row is one number, which is surer than real data allow."""
    low, high = row.get("outer_low"), row.get("outer_high")
    return [OUTER_WITHOUT_WIDTH] if low is not None and high is not None and high - low < NO_WIDTH else []


def on_replicates(undefined: float) -> list[str]:
    """Warn that part of the bootstrap has no estimate."""
    if undefined == 0:
        return []
    share = f"{undefined:.0%}" if undefined >= 0.01 else "less than 1%"
    return [
        f"In {share} of the bootstrap samples the raters agree no better than chance and there is no estimate. The"
        " interval leaves these samples out, so it is too narrow."
    ]


def on_steps(steps: int, converged: bool) -> list[str]:
    """Warn that EM has not converged."""
    if converged:
        return []
    return [f"The estimate had not settled after {steps} evaluations of the likelihood. Use it with caution."]


def on_cut(raw: float) -> list[str]:
    """Warn that a closed form left [0, 1]."""
    if 0 <= raw <= 1:
        return []
    return [f"The formula gives {raw:.3f}, which is not between 0 and 1. It is cut to {min(max(raw, 0.0), 1.0):.0f}."]


def on_models(low: float, high: float) -> list[str]:
    """Warn that models which the ratings do not rule out disagree."""
    if high - low < FAR_APART:
        return []
    return [
        f"Models that the ratings do not rule out put the system between {low:.3f} and {high:.3f}. The interval allows"
        " for this. A few gold items would show which model is right."
    ]


def on_dawid_skene(accuracy: float, dawid_skene: float | None) -> list[str]:
    """Warn that the average is far from `dawid_skene`, with what was measured of such gaps.

    >>> on_dawid_skene(0.9, 0.85)
    []
    """
    if dawid_skene is None or abs(accuracy - dawid_skene) < FAR_APART:
        return []
    return [
        f"The methods disagree: audit. dawid_skene puts the system at {dawid_skene:.3f}, average at {accuracy:.3f}."
        " Only right answers show which is nearer. On five public sets with gold 1 of 105 systems had such a gap"
        " (average was off by .22 there, by .07 on the others, root mean square), and the gap did not rank the errors"
        " (Spearman .02): it was not measured that errors are larger at such a gap."
    ]


def from_checks(checks: pl.DataFrame, system: str) -> tuple[str, ...]:
    """Return the warnings on a system that come from the checks (`stats.accuracy.assumption_checks`).

    There is a sentence or more for each check that the raters or this system violate, and for each unclear one. If no
    check can be made, there is one sentence.

    >>> rows = [("raters", None, None, "They differ.", True, 0.1), ("copying", "bot", None, "It copies.", True, 0.4)]
    >>> columns = ["name", "system", "reason", "detail", "violated", "effect"]
    >>> from_checks(pl.DataFrame(rows, schema=columns, orient="row"), "another system")
    ('They differ.',)
    """
    about = [row for row in checks.to_dicts() if row["system"] in (None, system)]
    notes = [row["detail"] for row in about if row["violated"] and row["name"] not in ("alike", "copying")]
    copied = [row for row in about if row["violated"] and row["name"] == "copying"]
    unclear = [row["detail"] for row in about if row["violated"] is None and row["reason"] is None]
    alike = [row["detail"] for row in about if row["violated"] and row["name"] == "alike"]
    if len(alike) > MAX_ALIKE:
        alike = [*alike[:MAX_ALIKE], f"Further pairs of raters that are alike: {len(alike) - MAX_ALIKE}."]
    undefined = [row["detail"] for row in about if row["reason"] == "not_identified"]
    unchecked = [f"The assumptions on the raters cannot be checked. {undefined[0]}"] if undefined else []
    return (*notes, *_on_copying(copied), *unclear, *alike, *unchecked)


def _on_copying(copied: list[dict[str, Any]]) -> list[str]:
    """Return the detail of the rater who seems copied most.

    It names the others, because the consequence is the same.
    """
    if not copied:
        return []
    first, *others = sorted(copied, key=lambda row: -(row["effect"] or 0.0))
    if not others:
        return [first["detail"]]
    names = ", ".join(row["rater"] for row in others[:MAX_COPIED])
    more = f" and {len(others) - MAX_COPIED} more" if len(others) > MAX_COPIED else ""
    return [f"{first['detail']} The same holds for {names}{more}."]
