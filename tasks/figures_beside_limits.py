"""Write a figure that is close to a limit so that it reads as it was judged."""

from collections.abc import Callable

from stats.verdict_interval import reaches

MAX_DECIMALS = 9


def as_judged(value: float, least: int, is_within: Callable[[float], bool], kind: str = "f") -> str:
    """Write a number with the fewest decimals, at least `least`, with which it is within the limit if the value is.

    With the kind 'g' these are digits, not decimals.

    >>> [as_judged(value, 3, lambda figure: figure >= 0.6) for value in (0.59996, 0.6, 0.70004)]
    ['0.59996', '0.600', '0.700']
    """
    texts = [f"{value:z.{decimals}{kind}}" for decimals in range(least, MAX_DECIMALS + 1)]
    return next((text for text in texts if is_within(float(text)) == is_within(value)), texts[-1])


def beside_least(value: float, limit: float, least: int = 3) -> str:
    """Write a figure that stands beside the least that it should be.

    >>> beside_least(0.59996, 0.6), beside_least(0.5, 0.6), beside_least(2.996, 3, least=2)
    ('0.59996', '0.500', '2.996')
    """
    return as_judged(value, least, lambda figure: reaches(figure, limit))


def percent_beside_most(share: float, limit: float, least: int, kind: str = "f") -> str:
    """Write a share, in percent, that stands beside the largest share that is allowed.

    >>> percent_beside_most(0.0500041, 0.05, 2), percent_beside_most(0.1001, 0.1, 3, kind="g")
    ('5.0004', '10.01')
    """
    most = 100 * limit
    return as_judged(100 * share, least, lambda percent: reaches(most, percent), kind)


def interval_beside_least(value: float, low: float | None, high: float | None, limit: float, least: int = 3) -> str:
    """Write a figure and its interval, if it has one, that stand beside the least that the figure should be.

    >>> interval_beside_least(0.59996, 0.55, 0.60004, 0.6), interval_beside_least(0.5, None, None, 0.6)
    ('0.59996 [0.550, 0.600]', '0.500 without an interval')
    """
    figure = beside_least(value, limit, least)
    if low is None or high is None:
        return f"{figure} without an interval"
    return f"{figure} [{beside_least(low, limit, least)}, {beside_least(high, limit, least)}]"
