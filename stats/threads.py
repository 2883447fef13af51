"""Independent computations on several cores, by threads."""

import os
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

MIN_ROWS = 200_000  # of ratings; with fewer, arrays are so short that threads mostly wait for each other
MAX_ROWS = 10_000_000  # with more, several computations at once could take too much memory
MAX_THREADS = 4  # only numpy and polars run at once, Python itself in one thread at a time


class OneAfterAnother(Executor):
    """Make each call at once, in the caller's thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call the function. Its errors are raised here."""
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def executor_for(n_rows: int) -> Executor:
    """Return an executor for computations on a table of n_rows ratings.

    It has threads if there are several cores and they pay for this many rows. Results are the same either way.

    >>> with executor_for(3) as executor:
    ...     list(executor.map(len, ["a", "bc"]))
    [1, 2]
    """
    n_threads = min(os.cpu_count() or 1, MAX_THREADS)
    if n_threads < 2 or not MIN_ROWS <= n_rows <= MAX_ROWS:
        return OneAfterAnother()
    return ThreadPoolExecutor(n_threads)
