"""Prefect flows and the command line."""

import os
from importlib.util import find_spec
from pathlib import Path

# As in tasks/__init__.py, which looks for the others: a `tasks.py` in the current folder comes first on Python's path.
_spec = find_spec("tasks")
_found = str(_spec and _spec.origin)
if Path(_found).resolve() != Path(__file__).resolve().parents[1] / "tasks" / "__init__.py":
    raise ImportError(
        f"kappaflow needs its own module `tasks`, but Python finds {_found}. "
        "Rename that one, work in another folder, or set PYTHONSAFEPATH=1."
    )

# Read when NumPy is imported. The products of an evaluation are small: over several threads they take several times the
# processor time, and their last digit depends on how many.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
