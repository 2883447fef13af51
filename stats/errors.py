"""The root error of the statistics package, and checks of the types of arguments, which raise it.

Scripts and notebooks have no type checker.
"""

from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any

__all__ = ["StatsError"]


class StatsError(ValueError):
    """Ratings, labels or options from which a statistic cannot be computed.

    The message has two sentences: the rule with the value that breaks it, then what to do. A figure that is
    *undefined* for correct input raises no error. It is null with a reason (`stats.reasons`).
    """


def is_whole(value: object) -> bool:
    """Check whether a value is a whole number, of Python or numpy, and no truth value.

    >>> [is_whole(value) for value in (2, 2.0, True, "2", None)]
    [True, False, False, False, False]
    """
    return isinstance(value, Integral) and not isinstance(value, bool)


def check_numbers(**values: object) -> None:
    """Raise StatsError unless each argument is a number.

    >>> check_numbers(confidence=0.95)
    """
    for name, value in values.items():
        if not isinstance(value, Real) or isinstance(value, bool):
            raise StatsError(f"{name} must be a number, found {value!r}. Pass a number, without quotes.")


def check_whole_numbers(**values: object) -> None:
    """Raise StatsError unless each argument is a whole number.

    >>> check_whole_numbers(n_labels=3)
    """
    for name, value in values.items():
        if not is_whole(value):
            raise StatsError(f"{name} must be a whole number, found {value!r}. Pass such a number.")


def check_sequences(**values: object) -> None:
    """Raise StatsError unless each argument is a list, a tuple or the like.

    >>> check_sequences(raters=(0.7, 0.6))
    """
    for name, value in values.items():
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise StatsError(f"{name} must be a list, found {value!r}. Put it into square brackets.")


def are_different_names(names: object) -> bool:
    """Check whether these are one or more different names in a list, a tuple or a set.

    >>> [are_different_names(names) for names in (["a", "b"], ["a", "a"], [], "a", 5, None)]
    [True, False, False, False, False, False]
    """
    if isinstance(names, str) or not isinstance(names, Iterable):
        return False
    listed = [*map(str, names)]
    return 0 < len(set(listed)) == len(listed)


def as_list(names: Any) -> list[Any]:
    """Return the names of a list, or what is no list as the only one, so that a check names it.

    >>> as_list(["a", "b"]), as_list("ab"), as_list(5)
    (['a', 'b'], ['ab'], [5])
    """
    return [names] if isinstance(names, str) or not isinstance(names, Iterable) else list(names)
