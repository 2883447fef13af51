"""Worlds whose agreement is known, as the shares of all ways in which an item can be rated."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from stats.agreement import COEFFICIENTS
from stats.agreement.count_tables import CountTables, tables_of
from stats.agreement.weights import LabelSetting, label_setting
from stats.arrays import FloatArray, IntArray
from stats.patterns import patterns_of
from stats.simulation.confusion_matrices import confusion_matrix

BASE_RATES = {2: (0.7, 0.3), 5: (0.4, 0.25, 0.15, 0.12, 0.08)}
CARE = 0.25  # the most careful rater errs by this share less often than the mean, the least careful more often
GRADES = 400  # kinds of items that stand for a normal distribution
POPULATION = 1e9  # items that are as good as all


@dataclass(frozen=True)
class World:
    """How ratings come about: `model` of MODELS at a `kappa`, and the share of ratings `missing` at random."""

    model: str
    kappa: float
    raters: int
    labels: int
    missing: float = 0.0


@dataclass(frozen=True)
class Kinds:
    """Kinds of items: their shares (t,), and P(label | kind, rater) in `given` (t, r, k)."""

    shares: FloatArray
    given: FloatArray


@dataclass(frozen=True)
class Population:
    """Every way in which an item can be rated: label codes (P, r) of the raters, -1 = none, and its share (P,)."""

    codes: IntArray
    shares: FloatArray
    labels: int

    def tables(self, pattern_items: FloatArray) -> CountTables:
        """B sets of ratings with these items per pattern (B, P)."""
        tables = tables_of(patterns_of(self.codes, np.zeros(len(self.codes), np.int64), self.labels))
        items = pattern_items @ np.eye(len(tables.C))[tables.row_of]
        return replace(tables, items=items, pattern_items=pattern_items)


def independent_errors(world: World) -> Kinds:
    """Each rater errs independently of the others, towards any wrong label alike; kinds are the right labels.

    The raters' error rates are spread evenly by CARE about a mean that makes Fleiss' kappa the wanted one.
    """
    r, k = world.raters, world.labels

    def kinds(error: float) -> Kinds:
        rates = error * np.linspace(1 - CARE, 1 + CARE, r)
        return Kinds(np.array(BASE_RATES[k]), np.stack([confusion_matrix(k, 1 - rate) for rate in rates], axis=1))

    def excess(error: float) -> float:
        return true_value("fleiss_kappa", population(kinds(error)), setting(k)) - world.kappa

    return kinds(float(brentq(excess, 1e-6, (k - 1) / k / (1 + CARE), xtol=1e-12)))


def hard_items(world: World) -> Kinds:
    """All agree on easy items, whose share is kappa; on hard ones each guesses by the base rates."""
    k, rates = world.labels, np.array(BASE_RATES[world.labels])
    chances = np.concatenate([np.eye(k), rates[None]])
    return Kinds(np.append(world.kappa * rates, 1 - world.kappa), np.repeat(chances[:, None], world.raters, axis=1))


def grades(world: World) -> Kinds:
    """An item's value and each rater's error are normal, kappa is the share of the variance that lies between items;
    what raters give is rounded to k grades, which are one standard deviation wide."""
    k = world.labels
    value = np.sqrt(world.kappa) * ndtri((np.arange(GRADES) + 0.5) / GRADES)
    ends = np.concatenate([[-np.inf], np.arange(1, k) - k / 2, [np.inf]])
    chances = np.diff(ndtr((ends - value[:, None]) / np.sqrt(1 - world.kappa)), axis=1)
    return Kinds(np.full(GRADES, 1 / GRADES), np.repeat(chances[:, None], world.raters, axis=1))


MODELS: dict[str, Callable[[World], Kinds]] = {"errors": independent_errors, "hard items": hard_items, "grades": grades}


@cache
def population_of(world: World) -> Population:
    """The population of a world."""
    return population(MODELS[world.model](world), world.missing)


def population(kinds: Kinds, missing: float = 0.0) -> Population:
    """All patterns, of raters who are independent given the kind of item; items without any rating are left out."""
    t, r, k = kinds.given.shape
    chances = np.concatenate([kinds.given * (1 - missing), np.full((t, r, 1), missing)], axis=2)[
        ..., : k + (missing > 0)
    ]
    codes = np.indices((chances.shape[2],) * r).reshape(r, -1).T
    shares = kinds.shares @ chances[:, np.arange(r), codes].prod(axis=2)
    codes = np.where(codes == k, -1, codes)
    rated = (codes >= 0).any(axis=1)
    return Population(codes[rated], shares[rated] / shares[rated].sum(), k)


def setting(k: int, scale: str = "nominal") -> LabelSetting:
    """The labels 1..k."""
    return label_setting([str(label + 1) for label in range(k)], scale, None)


def true_value(name: str, population: Population, setting: LabelSetting) -> float:
    """What a coefficient makes of very many items in exactly the population's shares."""
    tables = population.tables(POPULATION * population.shares[None])
    return float(COEFFICIENTS[name].compute(tables, setting).estimate[0])
