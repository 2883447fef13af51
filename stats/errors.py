"""The root error of the statistics package."""


class StatsError(ValueError):
    """Ratings, labels or settings that a statistic cannot be computed from.

    The message is two sentences: the rule with the value that was found, then what to do about it. A quantity
    that is merely *undefined* for valid input is no error: it is null with a reason (`stats.reasons`).
    """
