"""What the gold items of a system are worth, and what further ones would bring."""

from dataclasses import dataclass

from stats.accuracy.estimators.average import AVERAGE
from stats.accuracy.gold.audit import gold_items, scores
from stats.accuracy.gold.gold_rows import LEAST_GOLD
from stats.accuracy.gold.gold_weights import size_with_more
from stats.accuracy.gold.prediction_powered import Score, prediction_powered
from stats.accuracy.prepared_ratings import PreparedRatings


@dataclass(frozen=True)
class GoldGain:
    """Half the width of the audited interval now and with more gold items; None with fewer than two gold items.

    The interval is cut at 0 and 1, as it is shown. n_more: the further gold items that are meant.
    """

    n_gold: int
    n_more: int
    half_width: float | None
    with_more: float | None


def gold_gain(
    prepared_ratings: PreparedRatings, system: str, gold: object, *, more: int, confidence: float
) -> GoldGain:
    """Return the half-widths of the system's audited accuracy by `average`, now and with `more` random gold items.

    At most as many items count as the system answered: n_more of the result is less than `more` where fewer are left,
    and with_more is None where none is.
    """
    patterns = prepared_ratings.patterns(system, by_rater=True)
    rated, systems, labels = prepared_ratings.ratings, prepared_ratings.systems, prepared_ratings.labels
    golds = gold_items(rated, gold, system=system, systems=systems, labels=labels)  # type: ignore[arg-type]
    m, n = len(golds.system), patterns.count(patterns.answered)
    n_more = min(more, max(n - m, 0))
    if m < LEAST_GOLD:
        return GoldGain(m, n_more, None, None)
    f, f_mean = scores(patterns, AVERAGE.fit(patterns), golds)
    estimate = prediction_powered(Score(golds.correct, f, f_mean, n, golds.weight))
    further = size_with_more(golds.weight, m, n_more)
    now, later = (estimate.cut_half_width(size, confidence) for size in (m, further))
    return GoldGain(m, n_more, now, later if n_more else None)
