"""The consensus of the raters beside gold: how often its label is right, and what its probabilities are worth."""

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.page import Table
from benchmarks.real_data.real_sets import RealSet
from stats.accuracy.item_patterns import ItemPatterns, item_patterns
from stats.accuracy.items.consensus import CONSENSUS, ERROR_CORRELATION, mixed, posteriors
from stats.arrays import FloatArray, IntArray
from stats.defaults import DEFAULT_CONSENSUS

CORRELATIONS = np.arange(0, 101) / 100
BINS = 10
NORMAL_95 = 1.959963984540054
PEER = "crowd-kit"
Judged = tuple[FloatArray, IntArray, IntArray]  # probabilities of the labels, right label and ratings of gold items
ToMix = tuple[FloatArray, FloatArray, IntArray, IntArray]  # GLAD's and Dawid & Skene's, right label and ratings


def study(sets: Sequence[RealSet], peer: Path | None = None) -> list[dict[str, Any]]:
    """A row per set and method: accuracy of the label, Brier score, calibration error, mean probability.

    `hits` says for each item with gold, in the order of their names, whether the label is right. `peer` is the Python
    of an environment with crowd-kit, whose methods are tried too.
    """
    rows, to_mix = [], {}
    for real_set in sets:
        rows += [] if peer is None else _by_crowdkit(real_set, peer)
        judged = _by_method(real_set)
        rows += [{"set": real_set.name, "method": method, **figures(each)} for method, each in judged.items()]
        to_mix[real_set.name] = (judged["glad"][0], *judged["dawid_skene"])
    for name, mixed_from in to_mix.items() if len(to_mix) > 1 else ():  # one set alone has no others to choose rho on
        rho = best_correlation([others for other, others in to_mix.items() if other != name])
        left_out = figures(_mixed(mixed_from, rho))
        rows.append({"set": name, "method": "mixture, left out", "correlation": rho, **left_out})
    return rows


def _mixed(to_mix: ToMix, rho: float) -> Judged:
    """The mixture, with errors under Dawid & Skene taken to correlate by rho."""
    by_ease, by_label, right, m = to_mix
    return mixed(by_ease, by_label, m, rho), right, m


def figures(judged: Judged) -> dict[str, Any]:
    """How often the label is right, the Brier score, the calibration error in ten bins, the mean probability, hits."""
    P, right, _ = judged
    sure, hit = P.max(axis=1), (P.argmax(axis=1) == right).astype(float)
    bins = np.minimum((sure * BINS).astype(int), BINS - 1)
    gaps = [abs(sure[bins == b].mean() - hit[bins == b].mean()) * (bins == b).mean() for b in np.unique(bins)]
    brier = float(((P - np.eye(P.shape[1])[right]) ** 2).sum(axis=1).mean())
    calibration = float(sum(gaps))
    return {"right": float(hit.mean()), "brier": brier, "calibration": calibration, "sure": float(sure.mean()),
            "hits": hit.tolist()}  # fmt: skip


def best_correlation(some: Sequence[ToMix]) -> float:
    """The correlation of errors with the smallest calibration error, each set counting once."""
    errors = [np.mean([figures(_mixed(to_mix, float(rho)))["calibration"] for to_mix in some]) for rho in CORRELATIONS]
    return float(CORRELATIONS[int(np.argmin(errors))])


def _by_crowdkit(real_set: RealSet, python: Path) -> list[dict[str, Any]]:
    """The same figures by crowd-kit's methods. A method without probabilities has only the share of right labels."""
    humans = real_set.ratings.filter(~pl.col("rater").is_in(list(real_set.systems)))
    with tempfile.TemporaryDirectory() as folder:
        source, out = (str(Path(folder) / name) for name in ("ratings.parquet", "found.parquet"))
        humans.select(pl.col("item").alias("task"), pl.col("rater").alias("worker"), "label").write_parquet(source)
        subprocess.run([python, "-m", "benchmarks.peers.crowdkit_consensus", source, out], check=True)
        labelled = pl.read_parquet(out)
    gold = (
        real_set.gold.filter(pl.col("gold").is_in(list(real_set.labels)))
        .join(humans, on="item", how="semi")
        .sort("item")
    )
    codes = {label: code for code, label in enumerate(real_set.labels)}
    right = np.array([codes[label] for label in gold["gold"]])
    rows = []
    for (method,), part in labelled.group_by("method", maintain_order=True):
        has_probabilities = part["probability"].null_count() == 0
        wide = part.with_columns(pl.col("probability").fill_null(1.0)).pivot(
            "label", index="task", values="probability"
        )
        wide = gold.select(task="item").join(wide, on="task", how="left", maintain_order="left")
        missing = [pl.lit(0.0).alias(label) for label in real_set.labels if label not in wide.columns]
        P = wide.with_columns(*missing).select(real_set.labels).fill_null(0.0).to_numpy()
        row = figures((P, right, right))
        unknown = {} if has_probabilities else dict.fromkeys(("brier", "calibration", "sure"))
        rows.append({"set": real_set.name, "method": f"{PEER} {method}", **row, **unknown})
    return rows


def _by_method(real_set: RealSet) -> dict[str, Judged]:
    """The probabilities of the items with gold, by each method. The systems of a set, if fixed, are not raters."""
    items = item_patterns(
        real_set.ratings.filter(~pl.col("rater").is_in(list(real_set.systems))), labels=real_set.labels
    )
    gold = real_set.gold.filter(pl.col("gold").is_in(list(real_set.labels))).rename({"gold": "truth"})
    rows = pl.DataFrame({"item": items.names, "row": items.row}).join(gold, on="item").sort("item")
    codes = {label: code for code, label in enumerate(real_set.labels)}
    right, row = np.array([codes[label] for label in rows["truth"]]), rows["row"].to_numpy()
    m = items.counts.sum(axis=1)
    plain = {method: np.concatenate(list(posteriors(items, method=method).blocks)) for method in CONSENSUS}
    with_gold = {"majority": items.counts / m[:, None], "wawa": wawa(items), **plain}
    return {method: (P[row], right, m[row]) for method, P in with_gold.items()}


def wawa(items: ItemPatterns) -> FloatArray:
    """Votes weighted by how often a rater agrees with the majority (as in crowd-kit), as shares (q, k)."""
    ratings, k = items.patterns, items.patterns.n_labels
    agrees = ratings.label == items.counts.argmax(axis=1)[ratings.pattern]
    n = ratings.n_items[ratings.pattern]
    skill = np.bincount(ratings.rater, agrees * n, ratings.n_raters) / np.bincount(ratings.rater, n, ratings.n_raters)
    cells = np.bincount(ratings.pattern * k + ratings.label, skill[ratings.rater], len(items.counts) * k)
    votes = cells.reshape(-1, k)
    return np.asarray(votes / np.maximum(votes.sum(axis=1, keepdims=True), 1e-12))


def tables(results: Sequence[dict[str, Any]]) -> list[Table]:
    """The accuracy of the labels, and the calibration of the probabilities."""
    frame = pl.DataFrame(results, infer_schema_length=None).drop("correlation", "hits", strict=False)
    means, beside = _means(results), _beside(results)
    own = f"`{DEFAULT_CONSENSUS}`"
    header = ("method", "label is right", f"less than {own}", "95 % interval", "calibration error", "Brier score",
              "mean probability")  # fmt: skip
    rows = [
        [
            f"`{row['method']}`",
            _figure(row["right"]),
            *_difference_cells(*beside[row["method"]]),
            *(_figure(row[name]) for name in ("calibration", "brier", "sure")),
        ]
        for row in means.sort("right", descending=True, maintain_order=True).iter_rows(named=True)
    ]
    about = f"""Share of the items with gold whose most probable label is the right one; mean distance of probability
    and share of right labels, in ten bins; means over the sets, each counting once. `{DEFAULT_CONSENSUS}` is the
    default. How much less often a method is right than the default has an interval from the items with gold, paired:
    what these items, and no others, can tell. majority and wawa (votes weighted by agreement with the majority) have
    shares of votes in place of probabilities. `mixture` takes errors under `dawid_skene` to correlate by
    {ERROR_CORRELATION}, which was chosen on these sets, as was the mean of these two models among others. In
    `mixture, left out` the correlation with the smallest calibration error on the other sets is used."""
    by_set = frame.pivot("set", index="method", values="right", maintain_order=True)
    calibration = frame.pivot("set", index="method", values="calibration", maintain_order=True)
    names = [name for name in by_set.columns if name != "method"]
    return [
        Table("The consensus of the raters", about, header, rows),
        *(
            Table(title, note, ("method", *names), [
                [f"`{row['method']}`", *(_figure(row[name]) for name in names)] for row in part.iter_rows(named=True)
            ])
            for title, note, part in (
                ("Consensus: right labels by set", "Share of right labels.", by_set),
                ("Consensus: calibration by set", "Mean distance of probability and share right.", calibration),
            )
        ),
    ]  # fmt: skip


def _means(rows: Sequence[dict[str, Any]]) -> pl.DataFrame:
    """Means over the sets, each counting once, of the methods that apply to every set (KOS is one for two labels)."""
    frame = pl.DataFrame(rows, infer_schema_length=None)
    everywhere = frame.filter(pl.len().over("method") == frame["set"].n_unique())
    return everywhere.group_by("method", maintain_order=True).agg(
        pl.col("right", "brier", "calibration", "sure").mean()
    )


def _beside(rows: Sequence[dict[str, Any]]) -> dict[str, tuple[float, float]]:
    """By method how much less often it is right than the default, mean over the sets, with its standard error.

    The two are compared item by item within a set. The sets are taken as fixed.
    """
    hits = {(row["method"], row["set"]): np.array(row["hits"]) for row in rows}
    lower = {}
    for method in {row["method"] for row in rows}:
        gaps = [
            hits[DEFAULT_CONSENSUS, name] - of_set
            for (other_method, name), of_set in hits.items()
            if other_method == method
        ]
        variances = [gap.var(ddof=1) / len(gap) for gap in gaps]
        lower[method] = float(np.mean([gap.mean() for gap in gaps])), float(np.sqrt(sum(variances)) / len(gaps))
    return lower


def _difference_cells(difference: float, se: float) -> tuple[str, str]:
    if se == 0:
        return "", ""
    low, high = (difference + sign * NORMAL_95 * se for sign in (-1, 1))
    return _figure(difference), f"{_figure(low)} to {_figure(high)}"


def _figure(value: float | None) -> str:
    return "" if value is None else f"{round(value, 3) + 0:.3f}"  # + 0 turns -0.0 into 0.0


def reading(rows: Sequence[dict[str, Any]]) -> str:
    """The result in a paragraph: the default beside the best peer, and its calibration."""
    means = _means(rows)
    peers = means.filter(pl.col("method").str.starts_with(PEER)).sort("right", descending=True)
    own = means.filter(method=DEFAULT_CONSENSUS).row(0, named=True)
    left_out = means.filter(method=f"{DEFAULT_CONSENSUS}, left out")
    text = f"""**The consensus of the raters**, by `{DEFAULT_CONSENSUS}`, is right on {own["right"]:.1%} of the items
    with gold (mean of the sets), and its probabilities are off by {own["calibration"]:.3f}"""
    if left_out.height:
        text += f" ({left_out['calibration'].item():.3f} where the set itself chose nothing)"
    if peers.is_empty():
        return f"{text}. crowd-kit was not installed, so its methods are not beside it."
    beside = _beside(rows)
    better = [
        f"{row['method'].removeprefix(PEER).strip()} ({row['right']:.1%}, {_ahead(*beside[row['method']])})"
        for row in peers.filter(pl.col("right") > own["right"]).iter_rows(named=True)
    ]
    calibrated = peers.drop_nulls("calibration").sort("calibration").row(0, named=True)
    ahead = f"right more often are {', '.join(better)}" if better else "none of them is right more often"
    return f"""{text}. {peers.height} methods of crowd-kit apply to every set: {ahead}. The smallest calibration error
    of them is {calibrated["calibration"]:.3f} ({calibrated["method"].removeprefix(PEER).strip()})."""


def _ahead(difference: float, se: float) -> str:
    """How far a method is ahead of the default, in points of the share."""
    low, high = (100 * (-difference + sign * NORMAL_95 * se) for sign in (-1, 1))
    return f"{-100 * difference:.1f} points ahead with a 95 % interval from {low:.1f} to {high:.1f}"
