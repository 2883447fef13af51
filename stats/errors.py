"""The root error of the statistics package."""

__all__ = ["StatsError"]


class StatsError(ValueError):
    """Ratings, labels or options from which a statistic cannot be computed.

    The message has two sentences: the rule with the value that breaks it, then what to do. A figure that is
    *undefined* for correct input raises no error. It is null with a reason (`stats.reasons`).
    """
