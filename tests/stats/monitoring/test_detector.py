"""The detector against a plain one that follows the rules word by word, and against its promises."""

import json
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import pairwise
from math import exp, log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats.errors import StatsError
from stats.monitoring import ChartGroup, DetectorState, KnownLooks, run_detector

START = np.datetime64("2026-01-05")


def day_after(n_days: int) -> date:
    """Return the day that many days after START."""
    return date(2026, 1, 5) + timedelta(days=n_days)


def group_of(
    means: np.ndarray[Any, Any],
    n_items: np.ndarray[Any, Any],
    *,
    n_reference: int = 8,
    threshold: float = 100,
    **changes: Any,
) -> ChartGroup:
    """Make a group from mean scores (G, T)."""
    G, T = means.shape
    group = ChartGroup(
        chart="labels",
        subject=None,
        days=START + np.arange(T) * np.timedelta64(1, "D"),
        n_items=n_items.astype(np.int64),
        score_sums=np.rint(means * n_items * 1e6).astype(np.int64),
        n_reference=n_reference,
        labels=tuple("abcdef"[:G]),
        direction="both",
        levels=np.full(G, 0.5),
        variances=np.full(G, 0.2),
        smallest_change=0.15,
        larger_change=None,
        prior_correlation=0.03,
        threshold=threshold,
    )
    return replace(group, **changes)


def random_group(seed: int, T: int, G: int, change: float, **changes: Any) -> ChartGroup:
    """Make a group whose first series shifts in the middle, and back near the end."""
    rng = np.random.default_rng(seed)
    n = rng.integers(5, 60, T)
    means = 0.5 + rng.normal(0, 1, (G, T)) * np.sqrt(0.2 * (0.97 / n + 0.03))
    means[0, T // 2 : 3 * T // 4] -= change
    return group_of(means, n, **changes)


@dataclass
class PlainChart:
    """One chart, kept as lists. Scores are turned so that a drop is sought."""

    x: list[float]
    n: list[int]
    s2: float
    deltas: list[float]
    rho0: float
    stored: list[float] = field(default_factory=list)

    def rho(self, t: int) -> float:
        above, below = 20 * self.rho0, 20.0
        for d in range(1, t):
            h = 1 / self.n[d] + 1 / self.n[d - 1]
            w = (1 + 5 * h) ** -2
            above += w * ((self.x[d] - self.x[d - 1]) ** 2 / self.s2 - h)
            below += w * (2 - h)
        return min(max(above / below, 0), 0.5)

    def inflation(self, t: int) -> float:
        blocks = []
        for b in range(t // 5):
            looks = range(5 * b, 5 * b + 5)
            w = [1 / (self.s2 * ((1 - self.rho(d)) / self.n[d] + self.rho(d))) for d in looks]
            blocks.append((sum(wi * self.x[d] for wi, d in zip(w, looks, strict=True)) / sum(w), 1 / sum(w)))
        q = [min(9, (b[0] - a[0]) ** 2 / (a[1] + b[1])) for a, b in pairwise(blocks)]
        return max(1, (6 + sum(q)) / (6 + len(q)))

    def look(self, t: int, n_reference: int, bad: set[int], start: int) -> dict[int, float]:
        """Cap look t and return L of each candidate."""
        rho, inflation = self.rho(t), self.inflation(t)
        self.v = [self.s2 * inflation * ((1 - rho) / n + rho) for n in self.n]
        good = [d for d in range(t) if d not in bad]
        self.W = sum(1 / self.v[d] for d in good)
        m = sum(self.stored[d] / self.v[d] for d in good) / self.W if good else 0.0
        half = 2.5 * sqrt(self.v[t] + 1 / self.W) if good else 0.0
        self.stored.append(self.x[t] if t < n_reference else min(max(self.x[t], m - half), m + half))
        return {tau: self.ratio(tau, t, bad) for tau in range(start, t)}

    def means(self, tau: int, t: int, bad: set[int]) -> tuple[float, float, float]:
        before, after = [d for d in range(tau) if d not in bad], range(tau, t + 1)
        W = [sum(1 / self.v[d] for d in side) for side in (before, after)]
        means = [sum(self.stored[d] / self.v[d] for d in side) / w for side, w in zip((before, after), W, strict=True)]
        return means[0], means[1], 1 / W[0] + 1 / W[1]

    def ratio(self, tau: int, t: int, bad: set[int]) -> float:
        before, after, V = self.means(tau, t, bad)
        return sum(exp((d * (before - after) - d * d / 2) / V) for d in self.deltas) / len(self.deltas)


def plain_detector(group: ChartGroup) -> tuple[list[float], list[dict[str, Any]]]:
    """Follow the rules one after the other, with no thought of speed."""
    deltas = [group.smallest_change] + ([group.larger_change] if group.larger_change else [])
    signs = {"down": [1], "up": [-1], "both": [1, -1]}[group.direction]
    n, rho0 = group.n_items.tolist(), group.prior_correlation
    charts = [
        (s, sign, PlainChart(list(sign * group.means[s]), n, float(group.variances[s]), deltas, rho0))
        for sign in signs
        for s in range(group.n_series)
    ]
    statistic, alarms, bad, start = [], [], set[int](), group.n_reference
    state: dict[str, Any] | None = None
    for t in range(len(group.days)):
        L = [chart.look(t, group.n_reference, bad, start) for _, _, chart in charts]
        sums = [sum(ratios.values()) for ratios in L]
        statistic.append(sum(sums) / len(charts))
        if state is not None:
            chart = charts[state["number"]][2]
            x, v = chart.stored[t], chart.v[t]
            state["C"] = max(0, state["C"] + ((x - state["m1"]) ** 2 - (x - state["m0"]) ** 2) / (2 * v))
            if state["C"] >= log(100):
                state["closed"], statistic[-1] = t, 0.0
                bad |= set(range(state["change"], t + 1))
                start, state = t + 1, None
        elif statistic[-1] >= group.threshold:
            number = int(np.argmax(sums))
            s, sign, chart = charts[number]
            ratios = L[number]
            order = sorted(ratios, key=lambda tau: -ratios[tau])
            held, kept = 0.0, []
            while held < 0.9 * sums[number]:
                kept.append(order[len(kept)])
                held += ratios[kept[-1]]
            before, after, _ = chart.means(order[0], t, bad)
            state = {"number": number, "s": s, "sign": sign, "opened": t, "closed": None, "C": 0.0}
            state |= {"change": order[0], "low": min(kept), "high": max(kept)}
            state |= {"before": sign * before, "after": sign * after}
            state |= {"m0": before, "m1": before - max(group.smallest_change, before - after) / 2}
            alarms.append(state)
    return statistic, alarms


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "options",
    [
        {"G": 1, "direction": "down", "labels": ()},
        {"G": 1, "direction": "up", "labels": ()},
        {"G": 3, "direction": "both"},
        {"G": 1, "direction": "down", "labels": (), "larger_change": 0.4, "prior_correlation": 0.01},
    ],
)
def test_it_follows_the_rules(seed: int, options: dict[str, Any]) -> None:
    change = -0.35 if options["direction"] == "up" else 0.35
    group = random_group(seed, 60, change=change, **options)
    statistic, alarms = plain_detector(group)
    history = run_detector([group])[0]
    assert history.statistic == pytest.approx(statistic, rel=1e-9)
    assert len(history.alarms) == len(alarms)
    day = group.days.astype(object)
    for alarm, expected in zip(history.alarms, alarms, strict=True):
        assert alarm.opened_on == day[expected["opened"]]
        assert alarm.changed_on == day[expected["change"]]
        assert (alarm.changed_low, alarm.changed_high) == (day[expected["low"]], day[expected["high"]])
        assert alarm.closed_on == (None if expected["closed"] is None else day[expected["closed"]])
        assert (alarm.before, alarm.after) == pytest.approx((expected["before"], expected["after"]), abs=1e-12)
        assert alarm.label == (group.labels[expected["s"]] if group.labels else None)
        assert alarm.direction == ("down" if expected["sign"] > 0 else "up")


def test_the_cases_above_open_and_close() -> None:
    groups = [random_group(seed, 60, 1, 0.35, direction="down", labels=()) for seed in range(6)]
    alarms = [alarm for history in run_detector(groups) for alarm in history.alarms]
    assert len(alarms) >= 5
    assert sum(alarm.closed_on is not None for alarm in alarms) >= 2


@given(st.integers(0, 10_000), st.integers(9, 45), st.sampled_from(["down", "up", "both"]))
@settings(max_examples=25, deadline=None)
def test_a_run_up_to_a_day_equals_the_full_run(seed: int, looks: int, direction: str) -> None:
    full_group = random_group(seed, 46, 2, 0.4, direction=direction)
    full = run_detector([full_group])[0]
    day: date = full_group.days.astype(object)[looks - 1]
    part = run_detector([full_group.until(day)])[0]
    assert (part.statistic == full.statistic[:looks]).all()
    expected = [
        replace(alarm, closed_on=alarm.closed_on if alarm.closed_on and alarm.closed_on <= day else None)
        for alarm in full.alarms
        if alarm.opened_on <= day
    ]
    assert list(part.alarms) == expected


@given(st.permutations(range(7)), st.integers(0, 1000))
@settings(max_examples=15, deadline=None)
def test_other_groups_and_their_order_change_nothing(order: list[int], seed: int) -> None:
    groups = [random_group(seed + i, 20 + 7 * i, 1 + i % 2, 0.4, n_reference=8 + i) for i in range(7)]
    alone = [run_detector([group])[0] for group in groups]
    together = run_detector([groups[i] for i in order])
    for i, history in zip(order, together, strict=True):
        assert (history.statistic == alone[i].statistic).all()
        assert history.alarms == alone[i].alarms


def test_relabelling_the_series_relabels_the_alarm() -> None:
    group = random_group(3, 60, 3, 0.5)
    turned = replace(group, score_sums=group.score_sums[::-1], labels=group.labels[::-1])
    result, other = run_detector([group])[0], run_detector([turned])[0]
    assert result.statistic == pytest.approx(other.statistic, rel=1e-12)
    assert result.alarms[0].label == other.alarms[0].label == "a"


def test_expected_statistic_of_healthy_looks_is_the_number_of_candidates() -> None:
    """With known variance and no cap E M_t = number of candidates. Large days: rho and I stay near their truth."""
    rng, streams, T = np.random.default_rng(5), 20_000, 6
    n = np.full(T, 10)
    # few looks and a small change: rho is its prior and the statistic has a light tail
    x = 0.5 + rng.normal(0, 1, (streams, T)) * sqrt(0.2 * (0.97 / 10 + 0.03))
    groups = [
        group_of(row[None], n, n_reference=2, direction="down", labels=(), smallest_change=0.05, threshold=1e9)
        for row in x
    ]
    M = np.array([history.statistic for history in run_detector(groups)])
    assert M[:, :3].max() == 0
    for t in range(3, T):
        assert M[:, t].mean() == pytest.approx(t - 2, rel=0.04)


def test_false_alarms_of_healthy_streams_are_rarer_than_promised() -> None:
    rng, A, T = np.random.default_rng(6), 100, 80
    groups = [random_group(int(seed), T, 1, 0.0, n_reference=20, threshold=A) for seed in rng.integers(0, 2**31, 300)]
    alarmed = sum(bool(history.alarms) for history in run_detector(groups))
    assert alarmed / len(groups) <= T / A


def test_one_odd_day_is_no_change() -> None:
    means, n = np.full((1, 40), 0.5), np.full(40, 20)
    means[0, 30] = -0.4
    history = run_detector([group_of(means, n, direction="down", labels=(), threshold=1000)])[0]
    assert history.alarms == ()


def test_a_small_case_by_hand() -> None:
    """Two looks of ten items at the level, then two that are .2 lower."""
    means = np.array([[0.5, 0.5, 0.3, 0.3]])
    group = group_of(means, np.full(4, 10), n_reference=2, direction="down", labels=(), prior_correlation=0.0)
    statistic = run_detector([group])[0].statistic
    # h = .2, w = 1/4: at look 3 sums are 20 * 0 + (0 - .2) / 4 + (.04 / .2 - .2) / 4 < 0, so rho = 0; v = .02
    v = 0.02
    # cap of look 2: 0 +- 2.5 sqrt(v + v / 2) = .433, of look 3 wider: none is capped
    expected = exp((0.15 * 0.2 - 0.15**2 / 2) / (v / 2 + v / 2))
    assert statistic == pytest.approx([0, 0, 0, expected], rel=1e-12)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_items": np.array([3, 0])}, "at least one item"),
        ({"days": np.array(["2026-01-06", "2026-01-05"], "datetime64[D]")}, "ascending"),
        ({"n_reference": 0}, "reference"),
        ({"threshold": 0.0}, "threshold"),
        ({"variances": np.array([0.0])}, "variances"),
    ],
)
def test_groups_that_cannot_be(changes: dict[str, Any], message: str) -> None:
    group = group_of(np.full((1, 2), 0.5), np.array([3, 3]), n_reference=1)
    with pytest.raises(StatsError, match=message):
        run_detector([replace(group, **changes)])


def test_no_groups() -> None:
    assert run_detector([]) == ()


def test_to_json() -> None:
    history = run_detector([random_group(0, 60, 1, 0.5, labels=(), direction="down")])[0]
    result = history.to_json()
    assert set(result) == {"chart", "subject", "threshold", "statistic", "alarms"}
    assert len(result["statistic"]) == 60
    assert result["alarms"][0]["changed_on"] == history.alarms[0].changed_on.isoformat()


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    changed=st.integers(0, 59),
    G=st.integers(1, 3),
    direction=st.sampled_from(["down", "up", "both"]),
    larger=st.sampled_from([None, 0.4]),
)
def test_a_run_that_goes_on_from_an_earlier_one_equals_a_run_over_all_looks(
    seed: int, changed: int, G: int, direction: str, larger: float | None
) -> None:
    """The looks from `changed` on are replaced, more follow, and other groups go on from other days."""
    shape = {"direction": direction, "larger_change": larger, "threshold": 20.0}
    after = [random_group(seed + i, 80 - 10 * i, G, 0.5, **shape) for i in range(3)]
    before = []
    for i, group in enumerate(after):
        other = random_group(seed + 7, 60, G, 0.8, **shape)
        at = max(changed - i, 0)
        before.append(
            replace(
                other,
                score_sums=np.hstack([group.score_sums[:, :at], other.score_sums[:, at:]]),
                n_items=np.hstack([group.n_items[:at], other.n_items[at:]]),
            )
        )
    states = [
        DetectorState.from_json(json.loads(json.dumps(outcome.state.to_json()))) for outcome in run_detector(before)
    ]
    days = [day_after(max(changed - i, 0)) for i in range(3)]
    known = [KnownLooks(state, day) for state, day in zip(states, days, strict=True)]
    for result, whole, look in zip(run_detector(after, [*known[:2], None]), run_detector(after), known, strict=True):
        assert result.alarms == whole.alarms
        assert result.state == whole.state
        first = look.first_look(result.group) if look is not known[2] else 0
        assert result.statistic[first:].tolist() == whole.statistic[first:].tolist()
        assert result.statistic[:8].tolist() == [0.0] * 8
        assert result.deviations.tolist() == whole.deviations.tolist()


def test_known_looks_are_not_computed_again() -> None:
    group = random_group(3, 60, 2, 0.5)
    (before,) = run_detector([group.until(day_after(49))])
    (after,) = run_detector([group], [KnownLooks(before.state, day_after(50))])
    assert np.isnan(after.statistic[8:50]).all()
    assert np.isfinite(after.statistic[50:]).all()
