"""Tell whether a figure of agreement weighs near misses."""


def is_plain(weights: str | None) -> bool:
    """Check that a row has no weights. The weights 'metric' of alpha on a scale do not count as weights."""
    return weights in (None, "", "identity", "unweighted", "metric")
