"""What `show` prints of a past run."""

import polars as pl
import pytest

from flows.cli.runs.history_output import RUN, print_reproduced, print_run, reproduced_as_json
from tasks.runs.history import PastRun, ReproducedRun


def test_a_small_p_value_is_not_printed_as_zero(capsys: pytest.CaptureFixture[str]) -> None:
    """`show` had p 0.000 where `agree` and `as-of` have <0.001."""
    checks = pl.DataFrame({"name": ["pairs", "raters"], "p_value": [4e-7, 0.0312], "p_adjusted": [8e-7, None]})
    print_run(PastRun(dict.fromkeys(RUN), {"assumption_checks": checks}))
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["pairs", "<0.001", "<0.001"] in rows
    assert ["raters", "0.031", "—"] in rows


def test_a_run_computed_again_has_the_number_of_rows_that_its_sentence_names(
    capsys: pytest.CaptureFixture[str],
) -> None:
    reproduced = ReproducedRun({"run_id": "3f9a", "question": "tone"}, {"agreement": 133, "system_accuracy": 9}, ())
    assert reproduced_as_json(reproduced)["n_rows"] == 142
    print_reproduced(reproduced)
    assert "Equal: 142 rows in agreement, system_accuracy of run 3f9a." in " ".join(capsys.readouterr().out.split())


def test_a_run_without_figures_is_not_called_equal(capsys: pytest.CaptureFixture[str]) -> None:
    """Such as that of a question whose only file was withdrawn. It said 'Equal: 0 rows in  of run 3f9a.'"""
    print_reproduced(ReproducedRun({"run_id": "3f9a", "question": "tone"}, {}, ()))
    text = " ".join(capsys.readouterr().out.split())
    assert text == "Nothing to compare: run 3f9a stored no figures that can be computed again."
