"""Units of work, as plain functions: read, validate, store, evaluate, report."""

from importlib.util import find_spec
from pathlib import Path

# The packages have common names. A `stats.py` in the current folder would be imported instead of ours.
for _name in ("stats", "schemas", "warehouse"):
    _spec = find_spec(_name)
    _origin = str(_spec and _spec.origin)
    if Path(_origin).resolve() != Path(__file__).resolve().parents[1] / _name / "__init__.py":
        raise ImportError(
            f"kappaflow needs its own module `{_name}`, but Python finds {_origin}. "
            "Rename that one, work in another folder, or set PYTHONSAFEPATH=1."
        )
