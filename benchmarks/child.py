"""A measurement in a process of its own: what is done, and how long the work alone took, is printed as JSON.

Needs nothing but the standard library, since the peers' environments run it too.
"""

import json
import resource
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

Figures = dict[str, float]
Work = Callable[[], Figures | Callable[[], Figures]]


def report(works: Mapping[str, Callable[..., Work]]) -> None:
    """Do the work that the arguments name, once. Each of `works` imports and loads what is not to be timed.

    Prints {"seconds", "before_mb", "found"}: of the work alone; the peak memory before it; the figures it found, or
    those of the function that it gave back, which is not timed.
    """
    name, *arguments = sys.argv[1:]
    work = works[name](*arguments)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    started = time.perf_counter()
    figures: Any = work()
    seconds = time.perf_counter() - started
    figures = figures() if callable(figures) else figures
    print(json.dumps({"seconds": seconds, "before_mb": before, "found": figures}))
