"""Measure the errors of `rater_severity`, and how often its intervals hold the true severities, by simulation.

python -m benchmarks.agreement.severity_coverage
"""

import argparse

import numpy as np
import polars as pl

from stats.agreement.scorecard.severity import rater_severity
from stats.arrays import FloatArray

SEVERITIES = np.array([-0.8, -0.2, 0.0, 0.3, 0.7])
DESIGNS = (  # items, steps of the scale, ratings of an item
    (100, (-1.0, 0.0, 1.0), 3),
    (300, (-1.0, 0.0, 1.0), 3),
    (300, (0.0,), 3),
    (300, (-1.5, -0.5, 0.5, 1.5), 2),
)


def simulated(
    rng: np.random.Generator, n_items: int, severities: FloatArray, steps: FloatArray, per_item: int
) -> pl.DataFrame:
    """Draw ratings by the model: items from a normal distribution with sd 1.5, raters of an item at random."""
    theta, n_raters = rng.normal(0, 1.5, n_items), len(severities)
    items = np.repeat(np.arange(n_items), per_item)
    raters = np.concatenate([rng.permutation(n_raters)[:per_item] for _ in range(n_items)])
    labels = np.arange(len(steps) + 1)
    weight = labels * (theta[items] - severities[raters])[:, None] - np.concatenate([[0], np.cumsum(steps)])
    chance = np.exp(weight - weight.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    label = (chance.cumsum(axis=1)[:, :-1] < rng.random(len(items))[:, None]).sum(axis=1)
    names = [f"r{rater}" for rater in raters]
    return pl.DataFrame({"item": items.astype(str), "rater": names, "label": label.astype(str)})


def main() -> None:
    """Print a table: bias, error and coverage of each design."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    runs = parser.parse_args().runs
    print("| items | labels | ratings an item | largest bias | error (sd) | coverage of 95 % | undefined |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for n_items, steps, per_item in DESIGNS:
        names, errors, held, undefined = [str(label) for label in range(len(steps) + 1)], [], [], 0
        for seed in range(runs):
            ratings = simulated(np.random.default_rng(seed), n_items, SEVERITIES, np.array(steps), per_item)
            severities = rater_severity(ratings, labels=names)
            if severities["severity"].null_count():
                undefined += 1
                continue
            errors.append(severities["severity"].to_numpy() - SEVERITIES)
            low, high = severities["low"].to_numpy(), severities["high"].to_numpy()
            held.append((low <= SEVERITIES) & (high >= SEVERITIES))
        bias = np.mean(errors, axis=0)
        print(
            f"| {n_items} | {len(names)} | {per_item} | {bias[np.abs(bias).argmax()]:+.3f} | "
            f"{np.std(errors, axis=0).mean():.3f} | {np.mean(held):.3f} | {undefined} of {runs} |"
        )


if __name__ == "__main__":
    main()
