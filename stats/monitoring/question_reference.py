"""Fix everything that the scores and charts of a question take from its reference days."""

from dataclasses import dataclass
from typing import Any

from stats.defaults import CHARTED_COEFFICIENT
from stats.monitoring.chart_group import MIN_VARIANCE
from stats.monitoring.daily_counts import CodedCounts, DailyCounts, coded_counts
from stats.monitoring.reference_period import ReferencePeriod
from stats.monitoring.scores.agreement_scores import (
    AgreementReference,
    agreement_reference,
    agreement_scores,
    label_scores,
)
from stats.monitoring.scores.frozen_one_coin import FrozenOneCoin, fit_one_coin
from stats.monitoring.scores.rater_scores import rater_label_scores, rater_scores
from stats.monitoring.scores.score_table import ScoreTable, score_moments
from stats.monitoring.scores.speed_scores import fast_counts, fast_limits
from stats.monitoring.scores.system_scores import SystemReference, system_references, system_scores
from stats.unnamed import name_nobody

MIN_SCORES = 50


@dataclass(frozen=True)
class SeriesReference:
    """Level (mean) and variance (ddof 1, .001 or more) of a series over n_items reference items, not rounded."""

    chart: str
    subject: str | None
    label: str | None
    n_items: int
    level: float
    variance: float


@dataclass(frozen=True)
class MissingChart:
    """A chart that cannot be drawn, with a code of `stats.reasons` and a sentence."""

    chart: str
    subject: str | None
    reason: str
    detail: str


@dataclass(frozen=True)
class QuestionReference:
    """What the reference fixes. The scores of any later item follow from it and the item's pattern.

    - period: the reference days. labels: all labels of the question.
    - agreement: the coefficient, None if it is undefined. span: Pa - Pe of Fleiss' kappa, 0 if undefined.
    - one_coin, systems: the model of the humans, and the systems that have a reference.
    - fast_limits: seconds below which a rating of each rater is fast.
    - series: level and variance of each series that has charts. missing: the charts that have none.
    """

    period: ReferencePeriod
    labels: tuple[str, ...]
    agreement: AgreementReference | None
    span: float
    one_coin: FrozenOneCoin
    systems: tuple[SystemReference, ...]
    fast_limits: dict[str, float]
    series: tuple[SeriesReference, ...]
    missing: tuple[MissingChart, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the reference as JSON. Two references with the same JSON score all items alike."""
        return {
            "period": self.period.to_json(),
            "labels": list(self.labels),
            "agreement": self.agreement.to_json() if self.agreement else None,
            "span": self.span,
            "one_coin": self.one_coin.to_json(),
            "systems": [system.to_json() for system in self.systems],
            "fast_limits": self.fast_limits,
            "series": [dict(vars(series)) for series in self.series],
            "missing": [dict(vars(chart)) for chart in self.missing],
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "QuestionReference":
        """Return the reference of `to_json`, equal to the last bit."""
        return cls(
            period=ReferencePeriod.from_json(values["period"]),
            labels=tuple(values["labels"]),
            agreement=AgreementReference.from_json(values["agreement"]) if values["agreement"] else None,
            span=values["span"],
            one_coin=FrozenOneCoin.from_json(values["one_coin"]),
            systems=tuple(SystemReference(**system) for system in values["systems"]),
            fast_limits=dict(values["fast_limits"]),
            series=tuple(SeriesReference(**series) for series in values["series"]),
            missing=tuple(MissingChart(**chart) for chart in values["missing"]),
        )


NO_SPAN = "The raters of the reference agree no more than by chance, so agreement cannot be lower."
ONE_LABEL = "All ratings of the reference have one label, so agreement cannot be lower."
NO_RATER_CHARTS = "The votes do not name the raters, so no rater can be followed from item to item."


def fit_reference(
    counts: DailyCounts, *, period: ReferencePeriod, coefficient: str = CHARTED_COEFFICIENT
) -> QuestionReference:
    """Fit everything that the charts need to the reference days of the counts. Other days are not read.

    `coefficient` is what the agreement chart follows: fleiss_kappa, krippendorff_alpha, gwet_ac1 or percent_agreement.
    A series with fewer than 50 scores in the reference has no chart. Raises StatsError as `coded_counts`, and for an
    unknown coefficient.
    """
    within = counts.between(period.first, period.last)
    coded = coded_counts(within)
    n_items = coded.patterns.n_items
    agreement = agreement_reference(coded, n_items, coefficient=coefficient)
    fleiss = agreement_reference(coded, n_items, coefficient="fleiss_kappa")
    model = fit_one_coin(coded, n_items)
    systems = system_references(coded, n_items, model)
    limits = fast_limits(within.durations)
    tables = score_tables(coded, agreement, systems, model)
    series = [each for table in tables for each in _series(table, coded)] + _speed_series(within, limits)
    with_names = [each for each in series if not (each.chart.startswith("rater") and name_nobody([each.subject or ""]))]
    missing = [] if len(with_names) == len(series) else [MissingChart("rater", None, "unnamed_raters", NO_RATER_CHARTS)]
    series = with_names
    missing += [MissingChart(each.chart, each.subject, *_reason(each)) for each in series if each.n_items < MIN_SCORES]
    no_pairs = not (coded.m >= 2).any()
    if agreement is None:
        missing.append(_no_agreement(coefficient, no_pairs))
    span = fleiss.span if fleiss else 0.0
    if span <= 0:
        series = [each for each in series if each.chart != "rater"]
        if not no_pairs:
            missing.append(MissingChart("rater", None, "zero_denominator", NO_SPAN if fleiss else ONE_LABEL))
    kept = tuple(each for each in series if each.n_items >= MIN_SCORES)
    distinct = tuple(dict.fromkeys(missing))
    return QuestionReference(period, counts.labels, agreement, span, model, systems, limits, kept, distinct)


def score_tables(
    counts: CodedCounts,
    agreement: AgreementReference | None,
    systems: tuple[SystemReference, ...],
    model: FrozenOneCoin,
) -> list[ScoreTable]:
    """Score all patterns for all kinds of charts but the raters' speed."""
    tables = [agreement_scores(counts, agreement)] if agreement else []
    return [
        *tables,
        label_scores(counts),
        rater_scores(counts),
        rater_label_scores(counts),
        system_scores(counts, systems, model),
    ]


def _series(table: ScoreTable, counts: CodedCounts) -> list[SeriesReference]:
    moments = score_moments(table, counts.patterns.n_items)
    return [
        SeriesReference(table.chart, subject, label, int(n), float(mean), max(float(variance), MIN_VARIANCE))
        for subject, label, n, mean, variance in zip(
            table.subjects, table.labels, moments.n_items, moments.mean, moments.variance, strict=True
        )
    ]


def _speed_series(counts: DailyCounts, limits: dict[str, float]) -> list[SeriesReference]:
    series = []
    by_day = fast_counts(counts.durations, limits)
    for rater in limits:
        rows = by_day.filter(rater=rater)
        n, fast = int(rows["n_items"].sum()), int(rows["n_fast"].sum())
        variance = fast * (n - fast) / (n * (n - 1)) if n > 1 else 0.0
        series.append(SeriesReference("rater_speed", rater, None, n, fast / n, max(variance, MIN_VARIANCE)))
    return series


def _reason(series: SeriesReference) -> tuple[str, str]:
    if series.chart in ("rater", "rater_labels"):
        n_items = f"{series.n_items} item{'' if series.n_items == 1 else 's'}"
        return "too_few_items", (
            f"A rater is compared with two others who rated the same item. The reference has {n_items} with three"
            f" ratings of which one is this rater's, and the chart needs {MIN_SCORES}. Let two others"
            " rate items of this rater. Then name days that have enough of them: reference_from and reference_until"
            " under [monitor]."
        )
    what = "ratings with a duration" if series.chart == "rater_speed" else "items"
    return "too_few_items", f"The reference has {series.n_items} {what} for this chart, and it needs {MIN_SCORES}."


def _no_agreement(coefficient: str, no_pairs: bool) -> MissingChart:
    if no_pairs:
        return MissingChart("agreement", None, "too_few_ratings", "No item of the reference has two ratings.")
    detail = f"All ratings of the reference have one label, so {coefficient} is undefined."
    return MissingChart("agreement", None, "zero_denominator", detail)
