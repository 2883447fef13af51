"""[workers]: what may be said, and that questions spread over threads come out as they do one after another."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.service.workers import MIN_PARTS, n_parts, runs_alone
from flows.settings.model import WorkerSettings, load_settings
from tasks.errors import SettingsError
from warehouse.questions import StoredQuestion

N_QUESTIONS = 6


def _due(n: int) -> list[StoredQuestion]:
    return [StoredQuestion(question=f"q{number}", revision=1) for number in range(n)]


def test_few_parts_and_never_one_per_question_of_many() -> None:
    threads = WorkerSettings(count=2)
    assert [n_parts(threads, _due(n)) for n in (2, 3, 100)] == [2, 3, MIN_PARTS]
    assert n_parts(WorkerSettings(count=12), _due(100)) == 12
    assert runs_alone(WorkerSettings(), _due(100))
    assert runs_alone(threads, _due(1))
    assert not runs_alone(threads, _due(2))
    assert not runs_alone(WorkerSettings(runner="dask", address="tcp://host:8786"), _due(2))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('runner = "dask"', "needs the address of a scheduler"),
        ('address = "tcp://host:8786"', "set runner = 'dask'"),
        ('runner = "dask"\naddress = "host"', "is the address of a Dask scheduler"),
        ("count = 0", "greater than or equal to 1"),
        ('runner = "spark"', "'threads' or 'dask'"),
    ],
)
def test_a_wrong_setting_is_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "kappaflow.toml").write_text(f"[workers]\n{text}\n")
    with pytest.raises(SettingsError, match="workers") as caught:
        load_settings(tmp_path)
    assert sentence in str(caught.value)


def _project(folder: Path, settings: str) -> Path:
    (folder / "inbox").mkdir(parents=True)
    (folder / "kappaflow.toml").write_text(f'{settings}\n[questions.q0]\nscale = "ordinal"\n')
    rows = [
        f"q{question},{item},{rater},{'no' if (item * place + question) % 3 == 0 else 'yes'},2026-01-0{1 + item}"
        for question in range(N_QUESTIONS)
        for item in range(8)
        for place, rater in enumerate("abc", 1)
    ]
    (folder / "inbox" / "all.csv").write_text("\n".join(["question,item,rater,label,time", *rows]) + "\n")
    return folder


def test_spread_over_threads_the_results_are_the_same(
    tmp_path: Path, kappaflow_json: Callable[..., Any], prefect_server: str
) -> None:
    """Also the one that cannot be evaluated: it fails, the others of its part do not."""
    figures = []
    for name, settings in (("alone", ""), ("spread", "[workers]\ncount = 2")):
        project = _project(tmp_path / name, settings)
        result = kappaflow_json("run", "--project", project, code=1, timeout=300, PREFECT_API_URL=prefect_server)
        assert [failed["question"] for failed in result["failed"]] == ["q0"]  # once, though it is not monitored either
        assert result["evaluated"] == [f"q{number}" for number in range(1, N_QUESTIONS)]
        query = "select question, scope, period, coefficient, estimate, low, high, n_items from agreement order by all"
        figures.append(kappaflow_json("sql", query, "--project", project))
    assert figures[0] == figures[1]
    assert figures[0]


def test_dask_that_is_not_installed_or_not_there_is_a_sentence(
    tmp_path: Path, kappaflow: Callable[..., Any], prefect_server: str
) -> None:
    project = _project(tmp_path / "dask", '[workers]\nrunner = "dask"\naddress = "tcp://127.0.0.1:1"')
    result = kappaflow("run", "--project", project, code=2, timeout=300, PREFECT_API_URL=prefect_server)
    assert "dask" in result.stderr.lower()
    assert "[workers]" in result.stderr
