"""The functions are those of SciPy, imported when they are called."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import special

from stats import special_functions

ARGUMENTS = {
    "chdtrc": (3, 2.5), "expit": (0.3,), "fdtr": (3, 9, 1.2), "fdtrc": (3, 9, 1.2), "fdtri": (3, 9, 0.4),
    "gammaincc": (2.0, 1.5), "gammaln": (7.5,), "logit": (0.3,), "ndtr": (1.2,), "ndtri": (0.975,), "stdtr": (9, 1.2),
    "stdtrit": (9, 0.975), "xlogy": (0.0, 0.0),
}  # fmt: skip
LOADED = "import sys, {}; print(*sorted(sys.modules))"
HEAVY = (
    "scipy.special",
    "scipy.optimize",
    "scipy.sparse",
    "scipy.stats",
    "scipy.linalg",
    "prefect",
    "pandera",
    "altair",
    "vl_convert",
)


@pytest.mark.parametrize("name", special_functions.__all__)
def test_each_function_is_that_of_scipy(name: str) -> None:
    arguments = ARGUMENTS[name]
    assert getattr(special_functions, name)(*arguments) == getattr(special, name)(*arguments)
    rows = np.full((2, 3), arguments[-1])
    several = getattr(special_functions, name)(*arguments[:-1], rows)
    assert (several == getattr(special, name)(*arguments[:-1], rows)).all()


@pytest.mark.parametrize(
    "module", ["flows.idle_run", "tasks.single_file.agree_file", "flows.cli.files.agreement_output"]
)
def test_a_run_with_nothing_to_do_and_agree_load_no_scipy_no_prefect_and_no_pandera(module: str) -> None:
    code = LOADED.format(module)
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    modules = set(result.stdout.split())
    assert module in modules
    assert not modules.intersection(HEAVY)
