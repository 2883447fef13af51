"""A coefficient without its errors: where only the value is wanted, or the errors are those of something else."""

from dataclasses import replace

import numpy as np

from stats.agreement.coefficient import Coefficient, Parts
from stats.agreement.errors import Errors
from stats.agreement.results import Results, results_of
from stats.agreement.tables import Tables
from stats.agreement.weights import Setting


def point_of(coefficient: Coefficient, tables: Tables, setting: Setting) -> Results:
    """Estimate, observed, expected and reason as `results_of` has them; its standard errors and intervals are void."""

    def compute(some: Tables, setting: Setting) -> Parts:
        parts = coefficient.compute(some, setting)
        return replace(parts, variance=lambda: np.zeros_like(parts.estimate), bounds=None)

    return results_of(replace(coefficient, compute=compute), tables, setting, Errors())
