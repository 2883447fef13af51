"""Student's t without SciPy is Student's t of SciPy."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import special

from stats.student_t import MANY_DF, MAX_NUMBERS, student_cdf, student_quantile

DF = [0.5, 1, 2, 3, 4, 7, 11.5, 30, 99, 101, 249, 2_000, MANY_DF, MANY_DF + 1, 1e6, 1e9, np.inf]


@pytest.mark.parametrize("df", DF)
def test_probabilities_are_those_of_scipy_far_into_the_tails(df: float) -> None:
    t = np.array([-1e4, -40, -12, -5, -3, -2.2, -1, -0.3, -0.01, 0, 0.1, 1, 1.7, 2, 4, 9, 100])
    expected = special.ndtr(t) if np.isinf(df) else special.stdtr(df, t)
    np.testing.assert_allclose(student_cdf(df, t), expected, rtol=2e-12, atol=1e-300)


@pytest.mark.parametrize("df", DF)
def test_quantiles_are_those_of_scipy(df: float) -> None:
    p = np.array([1e-9, 0.0005, 0.025, 0.1, 0.4, 0.5, 0.75, 0.9, 0.975, 0.99995])
    expected = special.ndtri(p) if np.isinf(df) else special.stdtrit(df, p)
    # SciPy's quantile at 1 - 5e-5 is as exact as that number is.
    np.testing.assert_allclose(student_quantile(df, p), expected, rtol=1e-10, atol=1e-12)


def test_a_quantile_has_its_probability() -> None:
    for df in (1, 5, 60.0, 1e5):
        p = np.array([1e-12, 1e-5, 0.2, 0.7, 0.999])
        np.testing.assert_allclose(student_cdf(df, student_quantile(df, p)), p, rtol=1e-12)


def test_undefined_arguments_give_nan_and_the_ends_infinity() -> None:
    for df, x in ((np.nan, 1.0), (0.0, 1.0), (-1.0, 1.0), (3.0, np.nan)):
        assert np.isnan(student_cdf(df, x))
        assert np.isnan(student_quantile(df, x))
    assert np.isnan(student_quantile(3, [-0.1, 1.1])).all()
    assert student_quantile(3, [0, 1]).tolist() == [-np.inf, np.inf]
    assert student_cdf(3, [-np.inf, np.inf]).tolist() == [0, 1]


def test_long_arrays_give_the_same() -> None:
    df, t = np.linspace(1, 500, MAX_NUMBERS + 1), np.linspace(-6, 6, MAX_NUMBERS + 1)
    np.testing.assert_allclose(
        student_cdf(df, t), np.concatenate([student_cdf(df[:9], t[:9]), student_cdf(df[9:], t[9:])])
    )
    assert student_cdf(df[:, None], t[:2]).shape == (len(df), 2)


def test_few_numbers_need_no_scipy() -> None:
    code = "import sys; from stats.intervals import two_sided_p, t_interval; two_sided_p(.7, .1, 9); "
    code += "t_interval(.7, .1, 9, confidence=.95); print('scipy.special' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert result.stdout.strip() == "False"
