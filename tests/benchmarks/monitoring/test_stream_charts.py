"""The charts of simulated streams are those that the project draws of the same ratings."""

import numpy as np
import polars as pl
import pytest

from benchmarks.monitoring.stream_charts import agreement_statistic, rater_statistic, system_statistic
from benchmarks.monitoring.streams import StreamWorld, draw_answers, draw_streams
from stats.arrays import FloatArray
from stats.monitoring import DailyCounts, QuestionCharts, question_charts

WORLD = StreamWorld(3, 2, 0.5, 0.02, "uneven")
LOOKS = 40


@pytest.fixture(scope="module")
def drawn() -> tuple[np.ndarray, np.ndarray]:
    """Labels (S, T, n, r) and answers (S, T, n) of two streams, whose kappa drops."""
    rng, kappas = np.random.default_rng(1), np.where(np.arange(LOOKS) < 30, 0.5, 0.2)
    streams = draw_streams(WORLD, kappas, 2, rng)
    return streams.labels, draw_answers(WORLD, streams.truth, np.full(LOOKS, 0.8), rng)


def question(labels: np.ndarray, answers: np.ndarray) -> QuestionCharts:
    """The charts of one stream, from tables such as a warehouse has."""
    days = pl.date_range(pl.date(2026, 1, 5), pl.date(2026, 1, 5) + pl.duration(days=LOOKS - 1), eager=True)
    n_items = labels.shape[1]
    pattern = np.arange(LOOKS * n_items)
    items = pl.DataFrame({"day": days.to_numpy()[pattern // n_items], "pattern": pattern, "n_items": 1})
    flat = labels.reshape(len(pattern), -1)
    ratings = [(item, str(rater), str(label)) for (item, rater), label in np.ndenumerate(flat)]
    given = [(item, "bot", str(label)) for item, label in enumerate(answers.ravel())]
    return question_charts(
        DailyCounts(
            labels=("0", "1"),
            items=items.cast({"day": pl.Date, "n_items": pl.Int64}),
            ratings=pl.DataFrame(ratings, schema=["pattern", "rater", "label"], orient="row"),
            answers=pl.DataFrame(given, schema=["pattern", "system", "label"], orient="row"),
        )
    )


def same_until_an_alarm(own: FloatArray, charts: QuestionCharts, chart: str, subject: str | None) -> None:
    (history,) = [
        result for result in charts.histories if (result.group.chart, result.group.subject) == (chart, subject)
    ]
    until = int(np.argmax(own >= history.group.threshold)) or len(own)
    np.testing.assert_allclose(own[:until], history.statistic[:until], rtol=1e-9)
    assert own[:20].max() == 0 < own[21]
    assert bool(history.alarms) == bool((own >= history.group.threshold).any())


def test_statistics_are_those_of_the_project(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    labels, answers = drawn
    agreement, systems = agreement_statistic(labels, 2), system_statistic(labels, answers, 2)
    raters = rater_statistic(labels, 2)
    assert raters.shape == (2, 3, LOOKS)
    for number in range(2):
        charts = question(labels[number], answers[number])
        same_until_an_alarm(agreement[number], charts, "agreement", None)
        same_until_an_alarm(systems[number], charts, "system", "bot")
        for rater in range(3):
            same_until_an_alarm(raters[number, rater], charts, "rater", str(rater))
    assert (agreement[:, 30:].max(axis=1) > 1000).any()
