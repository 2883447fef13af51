"""Every likelihood model against a second, slow program: plain EM over single items, and a Hessian by differences.

The second program knows nothing of patterns, of blocks or of extrapolation. Each model is stated here again, with its
prior: this is what docs/reference/coefficients.md says of it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from stats.accuracy import ESTIMATORS
from stats.accuracy.fitting import em, likelihood
from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.fitting.likelihood import Model, data_of
from stats.accuracy.fitting.model_data import ModelData
from stats.accuracy.models import confusable, dawid_skene, difficulty, one_coin, ordinal, pooled_free, rater_coins
from stats.accuracy.system_patterns import patterns_by_rater, patterns_of, tables
from stats.simulate import simulate_ratings

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
LABELS = ["A", "B", "C"]


@dataclass(frozen=True)
class Second:
    """A model, as the second program states it."""

    levels: int = 1
    by_name: bool = False
    free: bool = False
    distance: bool = False
    confusable: bool = False  # errors on a right label fall where they like, the same for all
    like: str | None = None  # the model that its prior looks at


SECOND = {
    "one_coin": Second(),
    "ordinal": Second(distance=True),
    "difficulty": Second(levels=2),
    "ordered difficulty": Second(levels=2, distance=True),
    "confusable": Second(confusable=True),
    "confusable, difficulty": Second(levels=2, confusable=True),
    "pooled_free": Second(free=True, like="one_coin"),
    "dawid_skene": Second(free=True, by_name=True, like="one_coin"),
    "rater coins": Second(by_name=True, like="one_coin"),
    "ordered rater coins": Second(by_name=True, distance=True, like="ordinal"),
    "rater coins, difficulty": Second(levels=2, by_name=True, like="difficulty"),
    "ordered rater coins, difficulty": Second(levels=2, by_name=True, distance=True, like="ordered difficulty"),
}
MODELS: dict[str, Model] = {
    model.name: model
    for model in (
        one_coin.MODEL, ordinal.MODEL, difficulty.EVEN, difficulty.ORDERED, pooled_free.MODEL, dawid_skene.MODEL,
        confusable.MODEL,
        confusable.DIFFICULTY,
        rater_coins.EVEN, rater_coins.ORDERED, rater_coins.DIFFICULTY, rater_coins.ORDERED_DIFFICULTY,
    )
}  # fmt: skip


@dataclass(frozen=True)
class Items:
    """Raw items: ratings (n, r) and answer (n,), label codes, -1 = missing."""

    ratings: Codes
    answer: Codes
    k: int

    @property
    def counts(self) -> Codes:
        return np.stack([(self.ratings == x).sum(axis=1) for x in range(self.k)], axis=1)

    @property
    def used(self) -> NDArray[np.bool_]:
        return np.asarray(self.counts.sum(axis=0) > 0)


@dataclass(frozen=True)
class Chances:
    """base (Z,), one matrix (Z, k) a block; the last is the system's. Z = levels * k, level by level."""

    base: Array
    blocks: list[Array]


def block_of(model: Second, rater: int) -> int:
    return rater if model.by_name else 0


def log_items(model: Second, chances: Chances, items: Items) -> Array:
    """(n, Z) log P(what was said of the item, class)."""
    with np.errstate(divide="ignore"):
        joint = np.tile(np.log(chances.base), (len(items.answer), 1))
        logs = [np.log(block) for block in chances.blocks]
    for rater, given in enumerate(items.ratings.T):
        joint[given >= 0] += logs[block_of(model, rater)].T[given[given >= 0]]
    joint[items.answer >= 0] += logs[-1].T[items.answer[items.answer >= 0]]
    return joint


def counted(model: Second, G: Array, items: Items) -> Chances:
    """Expected counts, in the shape of the chances."""
    n_blocks = (items.ratings.shape[1] if model.by_name else 1) + 1
    blocks = [np.zeros((G.shape[1], items.k)) for _ in range(n_blocks)]
    for rater, given in enumerate(items.ratings.T):
        blocks[block_of(model, rater)] += G.T @ (given[:, None] == np.arange(items.k))
    blocks[-1] += G.T @ (items.answer[:, None] == np.arange(items.k))
    return Chances(np.asarray(G.sum(axis=0)), blocks)


def prior_of(model: Second, items: Items) -> Chances:
    """Pseudo-counts, in the shape of the chances."""
    k, u, Z = items.k, items.used.sum(), model.levels * items.k
    used = np.tile(items.used, model.levels)[:, None]
    half = np.where(np.tile(np.eye(k, dtype=bool), (model.levels, 1)), 0.5 / u, 0.5 / (u * (k - 1))) * used
    base: Array = 0.5 / k / model.levels * used[:, 0].astype(np.float64)
    if model.like is None:
        return Chances(base, [half, half])
    like = maximum(SECOND[model.like], items)
    r = items.ratings.shape[1] if model.by_name else 1
    if model.free:
        raters, system = 2.0 * like.blocks[0] * used, 2.0 * like.blocks[1] * used
    else:
        raters, system = 2.0 * like.blocks[0] * used / u, half
    assert raters.shape == (Z, k)
    return Chances(base, [*[raters] * r, system])


def kernel(t: float, k: int) -> Array:
    """(k, k) P(label | right label, error), falling as exp(-t) with every further step."""
    weight = np.array([[0.0 if x == z else np.exp(-t * (abs(x - z) - 1)) for x in range(k)] for z in range(k)])
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def chances_of(model: Second, T: Chances, k: int) -> Chances:
    """M-step: chances that make counts most likely."""
    base = T.base.reshape(model.levels, k)
    share, pi = base.sum(axis=1) / base.sum(), base.sum(axis=0) / base.sum()
    new_base = np.outer(share, pi).ravel()
    if model.free:
        rows = [block.sum(axis=1, keepdims=True) for block in T.blocks]
        free = [np.where(n > 0, block / np.maximum(n, 1e-300), 1 / k) for block, n in zip(T.blocks, rows, strict=True)]
        return Chances(new_base, free)
    K = (1 - np.eye(k)) / (k - 1)
    errors = sum(block.reshape(model.levels, k, k).sum(axis=0) for block in T.blocks) * (1 - np.eye(k))
    if model.confusable:
        K = errors + 2.0 * K  # two pseudo-errors on each right label
        K = K / K.sum(axis=1, keepdims=True)
    if model.distance:

        def lost(t: float) -> float:
            return -float((errors * np.log(kernel(t, k) + np.eye(k))).sum())

        K = kernel(float(minimize_scalar(lost, bounds=(-5, 5), method="bounded", options={"xatol": 1e-10}).x), k)
    blocks = []
    for number, block in enumerate(T.blocks):
        parts = []
        for level in block.reshape(model.levels, k, k):
            p = np.trace(level) / level.sum()
            if number == 0 and not model.by_name:
                p = max(p, 1 / k)
            parts.append(p * np.eye(k) + (1 - p) * K)
        blocks.append(np.concatenate(parts))
    return Chances(new_base, blocks)


def objective(model: Second, chances: Chances, prior: Chances, items: Items) -> float:
    """Log-likelihood and log prior."""
    joint = log_items(model, chances, items)
    result = float(np.log(np.exp(joint - joint.max(axis=1, keepdims=True)).sum(axis=1)).sum() + joint.max(axis=1).sum())
    for pseudo, chance in zip([prior.base, *prior.blocks], [chances.base, *chances.blocks], strict=True):
        result += float((pseudo[pseudo > 0] * np.log(chance[pseudo > 0])).sum())
    return result + of_errors(model, chances.blocks[0], items)


def of_errors(model: Second, block: Array, items: Items) -> float:
    """Log prior of the shares of the errors: two pseudo-errors on each label, spread evenly."""
    if not model.confusable:
        return 0.0
    errors = block[: items.k] * (1 - np.eye(items.k))
    errors = errors / errors.sum(axis=1, keepdims=True) + np.eye(items.k)
    return float(2.0 / (items.k - 1) * np.log(errors[items.used]).sum())


def lehner_start(model: Second, items: Items) -> Array:
    """(n, Z) Lehner's posterior, his base rates floored; half as much of it as difficult as the raters disagree."""
    C, k, m = items.counts, items.k, items.counts.sum(axis=1)
    P_a = (C * (C - 1)).sum() / (m * (m - 1)).sum()
    P_c = 1 / k + np.sqrt(((k - 1) * P_a - (k - 1) / k) / k)
    raw = ((k - 1) * C.sum(axis=0) / C.sum() - 1 + P_c) / (k * P_c - 1)
    rates = np.maximum(np.clip(raw, 0, None) / np.clip(raw, 0, None).sum(), min(0.03, 0.15 / k)) * items.used
    joint = rates / rates.sum() * ((k - 1) * P_c / (1 - P_c)) ** C
    P = joint / joint.sum(axis=1, keepdims=True)
    if model.levels == 1:
        return np.asarray(P)
    agreeing = np.where(m > 1, (C * (C - 1)).sum(axis=1) / np.maximum(m * (m - 1), 1), 0.5)[:, None]
    return np.hstack([P * (0.25 + 0.5 * agreeing), P * (0.75 - 0.5 * agreeing)])


def steps_of_em(model: Second, items: Items, prior: Chances) -> Iterator[tuple[Chances, Array]]:
    """Chances and the responsibilities that they give, step by step."""
    G = lehner_start(model, items)
    while True:
        T = counted(model, G, items)
        sums = [a + b for a, b in zip([T.base, *T.blocks], [prior.base, *prior.blocks], strict=True)]
        chances = chances_of(model, Chances(sums[0], sums[1:]), items.k)
        joint = log_items(model, chances, items)
        G = np.exp(joint - joint.max(axis=1, keepdims=True))
        G /= G.sum(axis=1, keepdims=True)
        yield chances, G


def maximum(model: Second, items: Items, steps: int = 4000) -> Chances:
    """Where plain EM ends."""
    prior, before = prior_of(model, items), np.zeros(0)
    for number, (chances, G) in enumerate(steps_of_em(model, items, prior)):
        if number >= steps or (before.shape == G.shape and np.abs(G - before).max() < 1e-8):
            return chances
        before = G
    raise AssertionError


def figure_of(model: Second, chances: Chances, items: Items) -> float:
    """Mean P(the own answer is right) over the answered items, half a right and half a wrong one added."""
    joint = log_items(model, chances, items)
    G = np.exp(joint - joint.max(axis=1, keepdims=True))
    G = (G / G.sum(axis=1, keepdims=True)).reshape(len(G), model.levels, items.k).sum(axis=1)
    answered = np.flatnonzero(items.answer >= 0)
    return float((G[answered, items.answer[answered]].sum() + 0.5) / (len(answered) + 1))


def drawn(k: int, n: int, seed: int, *, missing: float = 0.0, silent: float = 0.0, **rest: Any) -> Items:
    """Simulated items; a share of the ratings and of the answers is missing, the answers among label A most."""
    raters = {"a": 0.75, "b": 0.6, "c": 0.7, "d": 0.55}
    world: dict[str, Any] = {"labels": [str(x) for x in range(k)], "raters": raters, "systems": {"s": 0.8}, **rest}
    frame = simulate_ratings(
        n_items=n, rng=np.random.default_rng(seed), base_rates=np.arange(2, k + 2) / np.arange(2, k + 2).sum(), **world
    )
    codes = frame["label"].cast(pl.Int64).to_numpy().reshape(n, 5)
    truth = frame["truth"].cast(pl.Int64).to_numpy().reshape(n, 5)[:, 0]
    rng = np.random.default_rng(seed + 1)
    ratings = np.where(rng.random((n, 4)) < missing, -1, codes[:, :4])
    answer = np.where(rng.random(n) < silent * np.where(truth == 0, 1.6, 0.4), -1, codes[:, 4])
    rated = (ratings >= 0).any(axis=1)
    return Items(ratings[rated], answer[rated], k)


WORLDS: dict[str, Items] = {
    "three labels": drawn(3, 150, 1),
    "gaps": drawn(3, 200, 2, missing=0.3, silent=0.3),
    "uneven errors": drawn(4, 200, 3, asymmetry=2.0, error_range=0.5, difficulty=0.2),
    "two labels": drawn(2, 100, 4),
    "hard items": drawn(4, 600, 5, difficulty=0.25),
}
WORLDS["a label that nobody used"] = replace(WORLDS["three labels"], k=4)


def frame_of(items: Items) -> pl.DataFrame:
    codes = np.column_stack([items.ratings, items.answer])
    rows = [
        (f"{i:04}", name, str(code))
        for i, row in enumerate(codes)
        for name, code in zip([*(f"r{j}" for j in range(codes.shape[1] - 1)), "s"], row, strict=True)
        if code >= 0
    ]
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")


def patterns_for(items: Items, *, by_name: bool, ordered: bool = False) -> SystemPatterns:
    table = tables(frame_of(items), systems=["s"], labels=[str(x) for x in range(items.k)], ordered=ordered)["s"]
    return (patterns_by_rater if by_name else patterns_of)(table, "s")


def data_for(name: str, items: Items) -> ModelData:
    model = SECOND[name]
    return data_of(patterns_for(items, by_name=model.by_name, ordered=model.distance))


def arrived(name: str, data: ModelData) -> em.EmSolution:
    """The model's maximum to all digits, also of the model that its prior looks at."""
    if (like := SECOND[name].like) is not None:
        arrived(like, data)
    model = MODELS[name]
    view = model.view(data)
    data.solutions[model.name] = em.maximise(view.evidence, view.W, model.start(data), model.prior(data), model.m_step,
                                             gain=1e-11, tangent=model.tangent)  # fmt: skip
    return data.solutions[model.name]


def objective_of(name: str, data: ModelData, solution: em.EmSolution, items: Items) -> float:
    result = float(solution.loglik[0] + (MODELS[name].prior(data) * solution.Phi).sum())
    return result + of_errors(SECOND[name], np.exp(solution.Phi[0][:, 1 : 1 + data.k]), items)


CASES = [
    *((name, world) for name in SECOND for world in ("uneven errors", "hard items")),
    *((name, "gaps") for name in SECOND if SECOND[name].levels == 1),
    *((name, "a label that nobody used") for name in ("one_coin", "ordinal", "pooled_free", "rater coins")),
    *((name, "two labels") for name in ("one_coin", "pooled_free", "dawid_skene", "rater coins")),
]
CASES.remove(("ordered rater coins, difficulty", "uneven errors"))  # a ridge: plain EM does not end
CASES.remove(("confusable, difficulty", "uneven errors"))  # likewise


SLOW = {("dawid_skene", "hard items"), ("dawid_skene", "uneven errors")}  # 63 parameters


# Free parameters beside the base rates' u - 1, for u used labels, g given ones (a rater's or the system's), r raters.
PARAMETERS: dict[str, Callable[[int, int, int], int]] = {
    "one_coin": lambda u, g, r: 2,
    "pooled_free": lambda u, g, r: 2 * u * (g - 1),
    "ordinal": lambda u, g, r: 3,
    "dawid_skene": lambda u, g, r: (r + 1) * u * (g - 1),
    "difficulty": lambda u, g, r: 5,
    "ordered difficulty": lambda u, g, r: 6,
    "confusable": lambda u, g, r: 2 + u * (g - 2),
    "confusable, difficulty": lambda u, g, r: 5 + u * (g - 2),
    "rater coins": lambda u, g, r: r + 1,
    "ordered rater coins": lambda u, g, r: r + 2,
    "rater coins, difficulty": lambda u, g, r: 2 * (r + 1) + 1,
    "ordered rater coins, difficulty": lambda u, g, r: 2 * (r + 1) + 2,
}


@pytest.fixture(scope="module")
def paper(lehner_facts: dict[str, Any]) -> Items:
    """Table 2."""
    cases = [case.replace(" ", "") for case in lehner_facts["table2"]["cases"]]
    codes = np.array([["ABCD".index(label) for label in case] for case in cases])
    return Items(codes[:, :4], codes[:, 4], 4)


@pytest.mark.parametrize("name", ["one_coin", "pooled_free", "ordinal", "dawid_skene", "difficulty"])
def test_golden_table_2(name: str, paper: Items, golden: Callable[[str], dict[str, Any]]) -> None:
    fact = golden(name)["table2"]["accuracy"]
    assert figure_of(SECOND[name], maximum(SECOND[name], paper, 20_000), paper) == pytest.approx(fact, abs=1e-6)
    data = data_for(name, paper)
    assert likelihood.figure(arrived(name, data), 4)[0] == pytest.approx(fact, abs=1e-6)
    result = ESTIMATORS[name].fit(data.patterns).accuracy
    assert result == pytest.approx(fact, abs=1e-4)  # EM stops where the likelihood hardly rises


@pytest.mark.parametrize(("ordered", "key"), [(False, "table2"), (True, "table2_ordered")])
def test_golden_average_of_table_2(
    ordered: bool, key: str, paper: Items, golden: Callable[[str], dict[str, Any]]
) -> None:
    """Weights exp(-BIC / 2) of the second program's maxima."""
    nominal = ["one_coin", "pooled_free", "difficulty", "confusable", "confusable, difficulty", "rater coins"]
    names = ["one_coin", "pooled_free", "ordinal", "ordered difficulty", "ordered rater coins"] if ordered else nominal
    figures, bic = [], []
    for name in names:
        model = SECOND[name]
        chances = maximum(model, paper, 20_000)
        joint = log_items(model, chances, paper)
        loglik = float(np.log(np.exp(joint).sum(axis=1)).sum())
        figures.append(figure_of(model, chances, paper))
        bic.append((3 + PARAMETERS[name](4, 4, 4)) * np.log(10) - 2 * loglik)  # four labels used, ten items
    w = np.exp(-(np.array(bic) - min(bic)) / 2)
    fact = golden("average")[key]["accuracy"]
    assert w @ np.array(figures) / w.sum() == pytest.approx(fact, abs=1e-6)
    result = ESTIMATORS["average"].fit(patterns_for(paper, by_name=True, ordered=ordered)).accuracy
    assert result == pytest.approx(fact, abs=1e-4)


@pytest.mark.parametrize("name", SECOND)
def test_parameters_are_those_of_used_labels(name: str, paper: Items) -> None:
    items = Items(np.where(paper.ratings == 3, 0, paper.ratings), paper.answer, 5)  # D is the system's, E nobody's
    assert MODELS[name].n_parameters(data_for(name, items)) == 2 + PARAMETERS[name](3, 4, 4)
    gone = replace(items, answer=np.where(items.answer == 3, 0, items.answer))
    assert MODELS[name].n_parameters(data_for(name, gone)) == 2 + PARAMETERS[name](3, 3, 4)


def test_every_model_has_a_second_program() -> None:
    assert set(MODELS) == set(SECOND)
    named = {"one_coin", "pooled_free", "ordinal", "dawid_skene", "difficulty"}
    assert named <= set(MODELS)
    assert set(ESTIMATORS) - named == {"average", "lehner", "binless", "attenuation"}


@pytest.mark.parametrize(("name", "world"), CASES)
def test_the_maximum_is_that_of_plain_em(name: str, world: str) -> None:
    items, model, data = WORLDS[world], SECOND[name], data_for(name, WORLDS[world])
    solution = arrived(name, data)
    slow = maximum(model, items)
    assert likelihood.figure(solution, data.k)[0] == pytest.approx(figure_of(model, slow, items), abs=1e-5)
    lowest = objective(model, slow, prior_of(model, items), items)
    assert objective_of(name, data, solution, items) == pytest.approx(lowest, abs=1e-5)


@pytest.mark.parametrize(("name", "world"), CASES)
def test_the_figure_has_settled_where_em_stops(name: str, world: str) -> None:
    """EM stops where the likelihood hardly rises: what the figure still moves is far below its standard error."""
    model, (result, other) = MODELS[name], (data_for(name, WORLDS[world]) for _ in range(2))
    stopped, at_end = (
        float(likelihood.figure(outcome, result.k)[0])
        for outcome in (likelihood.solve(model, result), arrived(name, other))
    )
    error = likelihood.logit_error(model, other, at_end)
    assert error is not None
    assert abs(stopped - at_end) < 0.05 * at_end * (1 - at_end) * error[0] ** 0.5


@pytest.mark.parametrize(
    ("name", "world"), [case for case in CASES if case not in SLOW and not SECOND[case[0]].confusable]
)
def test_the_error_is_that_of_the_numeric_hessian(name: str, world: str) -> None:
    items, data = WORLDS[world], data_for(name, WORLDS[world])
    accuracy = float(likelihood.figure(arrived(name, data), data.k)[0])
    error = likelihood.logit_error(MODELS[name], data, accuracy)
    assert error is not None
    variance = numeric_variance(SECOND[name], items) / (accuracy * (1 - accuracy)) ** 2
    assert error[0] == pytest.approx(variance, rel=0.01)


def numeric_variance(model: Second, items: Items) -> float:
    """Delta method with a Hessian and a gradient by differences, in logits of the chances and log AD."""
    slow, prior = maximum(model, items), prior_of(model, items)
    theta = packed(model, slow, items)
    answers = counted(model, responsibilities_of(model, slow, items), items).blocks[-1].sum(axis=1)
    left = np.divide(answers, slow.base, out=np.zeros_like(answers), where=slow.base > 0)

    def height(theta: Array) -> float:
        return objective(model, unpacked(model, theta, items), prior, items)

    def accuracy(theta: Array) -> float:
        """Of the answers: the share of each class among them, times the chance of a right one there."""
        chances = unpacked(model, theta, items)
        own = np.concatenate([np.diag(part) for part in chances.blocks[-1].reshape(model.levels, items.k, items.k)])
        return float((left * chances.base * own).sum() / (left * chances.base).sum())

    h, n = 1e-3, len(theta)
    steps = h * np.eye(n)
    gradient = np.array([(accuracy(theta + step) - accuracy(theta - step)) / (2 * h) for step in steps])
    hessian = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            corners = [height(theta + a * steps[i] + b * steps[j]) * a * b for a in (1, -1) for b in (1, -1)]
            hessian[i, j] = hessian[j, i] = sum(corners) / (4 * h * h)
    return float(gradient @ np.linalg.solve(-hessian, gradient))


def responsibilities_of(model: Second, chances: Chances, items: Items) -> Array:
    joint = log_items(model, chances, items)
    G = np.exp(joint - joint.max(axis=1, keepdims=True))
    return np.asarray(G / G.sum(axis=1, keepdims=True))


def packed(model: Second, chances: Chances, items: Items) -> Array:
    """Free parameters: logits of base rates against the first label's, of the first level, of coins or rows; log AD."""
    base, k = chances.base.reshape(model.levels, items.k), items.k
    pi = base.sum(axis=0)[items.used]
    theta = list(np.log(pi[1:] / pi[0]))
    if model.levels == 2:
        theta.append(np.log(base[0].sum() / base[1].sum()))
    for block in chances.blocks:
        if model.free:
            rows = block[items.used]
            theta += list(np.log(rows[:, 1:] / rows[:, :1]).ravel())
        else:
            theta += [
                np.log(p / (1 - p))
                for p in block.reshape(model.levels, k, k)[:, items.used.argmax(), items.used.argmax()]
            ]
    if model.distance:
        first = chances.blocks[0][0]
        theta.append(np.log(first[1] / first[2]))
    return np.array(theta)


def unpacked(model: Second, theta: Array, items: Items) -> Chances:
    """Chances of the free parameters."""
    k, rest = items.k, iter(theta)
    pi = np.zeros(k)
    pi[items.used] = np.exp([0.0, *(next(rest) for _ in range(items.used.sum() - 1))])
    base = pi / pi.sum()
    if model.levels == 2:
        share = 1 / (1 + np.exp(-next(rest)))
        base = np.concatenate([share * base, (1 - share) * base])
    n_blocks, blocks = (items.ratings.shape[1] if model.by_name else 1) + 1, []
    if model.free:
        for _ in range(n_blocks):
            block = np.full((k, k), 1 / k)
            rows = np.exp([[0.0, *(next(rest) for _ in range(k - 1))] for _ in range(items.used.sum())])
            block[items.used] = rows / rows.sum(axis=1, keepdims=True)
            blocks.append(block)
        return Chances(base, blocks)
    p = [[1 / (1 + np.exp(-next(rest))) for _ in range(model.levels)] for _ in range(n_blocks)]
    K = kernel(next(rest), k) if model.distance else (1 - np.eye(k)) / (k - 1)
    return Chances(base, [np.concatenate([c * np.eye(k) + (1 - c) * K for c in coins]) for coins in p])


# The prior of the shares of errors stands in the M-step of `confusable` and not in the objective that EM watches.
@pytest.mark.parametrize("name", [name for name, model in SECOND.items() if not model.confusable])
def test_the_objective_never_falls(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each pass of the iteration begins where the last one ended, and higher; extrapolations are no exception."""
    data = data_for(name, WORLDS["hard items"])
    heights: list[float] = []
    model, plain = MODELS[name], em._further

    def watched(evidence: Any, W: Any, T: Any, T1: Any, change: Any, prior: Any, m_step: Any) -> Any:
        result = plain(evidence, W, T, T1, change, prior, m_step)
        heights.extend(float(em._step(evidence, W, at, prior, m_step)[0][0]) for at in (T, result))
        return result

    prior = model.prior(data)
    monkeypatch.setattr(em, "_further", watched)
    likelihood.solve(model, ModelData(data.patterns, data.W, data.raters, {**data.solutions}))
    assert prior.shape[0] == 1
    assert len(heights) > 4
    assert (np.diff(heights) >= -1e-8).all()


def test_many_weightings_at_once_are_each_alone() -> None:
    patterns = patterns_for(WORLDS["uneven errors"], by_name=True)
    n = int(patterns.n_items.sum())
    W = np.random.default_rng(1).multinomial(n, patterns.n_items / n, size=5).astype(np.float64)
    for name in ("one_coin", "pooled_free", "dawid_skene", "rater coins", "difficulty"):
        together = likelihood.replicate(MODELS[name], patterns, W)
        alone = [likelihood.replicate(MODELS[name], patterns, row[None])[0] for row in W]
        assert together == pytest.approx(alone, abs=1e-7), name
        assert np.ptp(together) > 0.001


def test_the_start_is_the_same_each_time() -> None:
    for name in SECOND:
        result, other = (likelihood.solve(MODELS[name], data_for(name, WORLDS["uneven errors"])) for _ in range(2))
        np.testing.assert_array_equal(result.Phi, other.Phi)


@pytest.mark.parametrize("name", ["one_coin", "pooled_free", "difficulty"])
def test_too_few_steps_are_told(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    patterns = patterns_for(WORLDS["hard items"], by_name=False)
    estimator = ESTIMATORS[name]
    assert not any("had not settled" in note for note in estimator.fit(patterns).warnings)
    monkeypatch.setattr(likelihood, "MAX_STEPS", 2)
    result = estimator.fit(patterns)
    assert any("had not settled after 4 evaluations" in note for note in result.warnings), result.warnings


@pytest.mark.parametrize("name", ["one_coin", "pooled_free", "ordinal", "dawid_skene", "difficulty"])
def test_the_score_of_an_item_is_the_probability_of_its_answer(name: str) -> None:
    """Of the fitted model; matrices of single raters are pooled by their ratings, since a score is asked for counts."""
    model, items = SECOND[name], WORLDS["hard items"]
    chances, pooled = maximum(model, items), replace(model, by_name=False)
    if model.by_name:
        G = responsibilities_of(model, chances, items)
        given = counted(pooled, G, items).blocks[0] + 1 / items.k
        chances = Chances(chances.base, [given / given.sum(axis=1, keepdims=True), chances.blocks[-1]])
    P = responsibilities_of(pooled, chances, items).reshape(len(items.answer), model.levels, items.k).sum(axis=1)
    right = P[np.arange(len(P)), items.answer]
    result = ESTIMATORS[name].fit(patterns_for(items, by_name=model.by_name, ordered=model.distance))
    assert result.score is not None
    assert result.accuracy is not None
    score = result.score(items.counts, items.answer)
    assert score == pytest.approx(right, abs=0.01)
    if not model.by_name:
        assert (score.sum() + 0.5) / (len(score) + 1) == pytest.approx(result.accuracy, abs=1e-9)
