"""Prefect flows and the command line."""

import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

# A `tasks.py` in the current folder comes first on Python's path. tasks/__init__.py checks the other packages.
_spec = find_spec("tasks")
_origin = str(_spec and _spec.origin)
if Path(_origin).resolve() != Path(__file__).resolve().parents[1] / "tasks" / "__init__.py":
    raise ImportError(
        f"kappaflow needs its own module `tasks`, but Python finds {_origin}. "
        "Rename that one, work in another folder, or set PYTHONSAFEPATH=1."
    )

import_module("tasks")  # it checks the other packages before a module of flows imports one of them

# NumPy reads this when it is imported. The matrices of an evaluation are small: several threads take several times the
# processor time, and the last digit of a product depends on their number.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
