"""The functions of scipy.special that are used here. SciPy is imported when the first of them is called.

Its import takes longer than many a command: `kappaflow run` with nothing to do needs none of them.
"""

from typing import TYPE_CHECKING, Any

__all__ = [
    "chdtrc", "expit", "fdtr", "fdtrc", "fdtri", "gammaincc", "gammaln", "logit", "ndtr", "ndtri", "stdtr", "stdtrit",
    "xlogy",
]  # fmt: skip

if TYPE_CHECKING:
    from scipy.special import (
        chdtrc,
        expit,
        fdtr,
        fdtrc,
        fdtri,
        gammaincc,
        gammaln,
        logit,
        ndtr,
        ndtri,
        stdtr,
        stdtrit,
        xlogy,
    )
else:

    def _function(name: str) -> Any:
        """Return a function that imports SciPy when it is called first."""

        def call(*arguments: Any, **options: Any) -> Any:
            from scipy import special

            return getattr(special, name)(*arguments, **options)

        call.__name__ = name
        return call

    globals().update({name: _function(name) for name in __all__})
