"""The page docs/accuracy-on-real-data.md, from the rows that `benchmarks.real_data.accuracy` found."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.page import Table, as_text
from benchmarks.page import page as whole_page
from benchmarks.real_data import consensus_beside_gold, outer_intervals
from benchmarks.real_data.outer_intervals import defined
from benchmarks.real_data.real_sets import Choice, RealSet

PAGE = Path(__file__).parents[2] / "docs" / "accuracy-on-real-data.md"
KIND_OF_WARNING = r"^([^\d:(,.]*[^\d:(,.\s])"  # a warning up to its first figure or stop: what kind it is
Z_90 = 1.645


@dataclass(frozen=True)
class Known:
    """A public set: its title, what it is and where it comes from, and its systems, if they are fixed."""

    title: str
    source: str
    systems: tuple[str, ...] = ()


SETS = {
    "music_genre": Known(
        "Music genre",
        "genre of 30-second clips, ten labels, by Mechanical Turk workers; gold is the clip's own genre. F. Rodrigues,"
        " F. Pereira & B. Ribeiro 2013, Learning from multiple annotators: distinguishing good from random labelers,"
        " Pattern Recognition Letters 34, 1428-1436. Systems: single workers.",
    ),
    "sentiment_polarity": Known(
        "Sentence polarity",
        "sentences of film reviews, positive or negative, by Mechanical Turk workers. Rodrigues et al. 2013, as above;"
        " sentences and gold of B. Pang & L. Lee 2005, Seeing stars, ACL. Systems: single workers.",
    ),
    "weather_cf_amt": Known(
        "Weather sentiment",
        "tweets on the weather, five labels, by Mechanical Turk workers; tweets from CrowdFlower, gold as published"
        " with them. M. Venanzi, W. Teacy, A. Rogers & N. Jennings 2015, Weather Sentiment, University of Southampton."
        " Systems: single workers.",
    ),
    "pandalm_judges": Known(
        "PandaLM",
        "which of two answers is better (first, second, tie), by three humans. Gold is the majority of these humans, so"
        " that it errs where they do, and the comparison is too kind to all methods. Y. Wang et al. 2023, PandaLM,"
        " arXiv 2306.05087. Systems: GPT-3.5 and PandaLM-7B as judges; a fourth label, garbage, is only theirs.",
        ("gpt-3.5-turbo", "pandalm-7b"),
    ),
    "llmbar_judges": Known(
        "LLMBar",
        "which of two answers follows the instruction, by LLM judges; a part of the items is made to mislead them. Z."
        " Zeng et al. 2023, LLMBar, arXiv 2310.07641. Systems: single judges (model, prompt, order of the answers)."
        " The raters are the other judges: no human is among them.",
    ),
}


def page(
    estimates: pl.DataFrame,
    sets: Sequence[RealSet],
    choice: Choice,
    simulation: Sequence[dict[str, Any]] = (),
    consensus: Sequence[dict[str, Any]] = (),
) -> str:
    """The whole page, from the rows of `accuracy.study` and of `outer_intervals.simulated`.

    `consensus` are the rows of `consensus_beside_gold.study`.
    """
    rows = judged(estimates)
    facts = {described.title: described.source for described in SETS.values() if described.title in estimates["set"]}
    tables = [_overall(rows), *_both_intervals(rows, simulation), _sets(rows, sets), *_by_set(rows)]
    tables += [*(consensus_beside_gold.tables(consensus) if consensus else []), _order(rows), _warnings(rows)]
    note = "Written by `python -m benchmarks.real_data.accuracy`; do not edit."
    return whole_page(
        "How good are the estimates on real data?",
        note,
        [*_reading(rows), *([consensus_beside_gold.reading(consensus)] if consensus else []), _how(rows, choice)],
        facts,
        tables,
    )


def printed(estimates: pl.DataFrame) -> str:
    """The main tables for the screen."""
    rows = judged(estimates)
    return "\n\n".join(as_text(table) for table in (_overall(rows), *_by_set(rows), _warnings(rows)))


def judged(estimates: pl.DataFrame) -> pl.DataFrame:
    """The rows with their error, and whether the interval holds the gold accuracy: as it stands, and with the
    sampling error of the gold accuracy added in quadrature."""
    g, n = pl.col("gold_accuracy"), pl.col("n_gold")
    share = (g * n + 2) / (n + 4)  # Agresti & Coull 1998: no error of 0 where all answers are right
    noise = Z_90 * (share * (1 - share) / (n + 4)).sqrt()
    down = ((pl.col("estimate") - pl.col("low")) ** 2 + noise**2).sqrt()
    up = ((pl.col("high") - pl.col("estimate")) ** 2 + noise**2).sqrt()
    return estimates.with_columns(
        error=pl.col("estimate") - g,
        holds=g.is_between(pl.col("low"), pl.col("high")),
        holds_widely=g.is_between(pl.col("estimate") - down, pl.col("estimate") + up),
    )


def by_set(rows: pl.DataFrame) -> pl.DataFrame:
    """Set by method: systems with an estimate, bias, RMSE, share of intervals that hold the gold accuracy."""
    return rows.group_by("set", "method", maintain_order=True).agg(
        systems=pl.col("estimate").count(),
        bias=pl.col("error").mean(),
        rmse=(pl.col("error") ** 2).mean().sqrt(),
        holds=pl.col("holds").mean(),
        holds_widely=pl.col("holds_widely").mean(),
    )


def overall(rows: pl.DataFrame) -> pl.DataFrame:
    """Means over the sets, each set counting once; of methods with an estimate in every set."""
    each = by_set(rows)
    everywhere = each.group_by("method", maintain_order=True).agg(
        pl.col("systems").min().alias("least"),
        pl.col("systems").sum(),
        pl.col("bias", "rmse", "holds", "holds_widely").mean(),
        pl.col("rmse").max().alias("worst"),
    )
    return everywhere.filter(pl.col("least") > 0).drop("least")


def _reading(rows: pl.DataFrame) -> list[str]:
    each, means = by_set(rows), {row["method"]: row for row in overall(rows).iter_rows(named=True)}
    default = each.filter(pl.col("method") == "average").sort("rmse")
    best, worst = default.row(0, named=True), default.row(-1, named=True)
    average, lehner = means["average"], means["lehner"]
    below = sorted((row["rmse"], name) for name, row in means.items() if row["rmse"] < average["rmse"])
    better = f" Lower still: {', '.join(f'`{name}` {figure(value)}' for value, name in below)}." if below else ""
    return [
        "Systems whose answers can be checked against gold labels are estimated here without gold, from the other"
        f" raters' labels alone. **The default, `average`, is off by {figure(average['rmse'])}** (root mean square,"
        f" mean over {default.height} sets; `lehner` by {figure(lehner['rmse'])}).{better} It is at its best on"
        f" {best['set']} ({figure(best['rmse'])}) and at its worst on {worst['set']} ({figure(worst['rmse'])}).",
        f"**The estimates are too high**, by {figure(average['bias'])} on the mean of the sets for `average`: people"
        " and programs err on the same items. If all make the same errors, the estimate takes agreement for"
        " accuracy. No method that has only the labels can see this.",
        *_shared_errors(rows, worst),
        f"**The inner 90 % intervals hold the gold accuracy in {share(average['holds'])} of the cases** ("
        f"{share(average['holds_widely'])} if the gold accuracy's own sampling error is allowed for), in"
        f" {worst['set']} in {share(worst['holds'])}. They cover chance and the uncertainty about the model, but not"
        " errors that all models exclude.",
        *_outer(rows),
    ]  # fmt: skip


def _outer(rows: pl.DataFrame) -> list[str]:
    """What the outer intervals hold, where they come from, and what they do not cover."""
    figures = outer_intervals.left_out(rows)
    names = ("outer", "outer_half", "inner_half", "fitted", "exact")
    holds, halves, inner, fitted, exact = (sum(row[name] for row in figures) / len(figures) for name in names)
    worst, lowest = (min(figures, key=lambda row: float(row[name])) for name in ("outer", "exact"))
    return [
        f"**The outer 90 % intervals hold it in {share(holds)}** (gold's own error allowed for), at worst, on"
        f" {worst['set']}, in {share(worst['outer'])}; with gold taken as exact in {share(exact)}, at worst, on"
        f" {lowest['set']}, in {share(lowest['exact'])}. Their half-width is {figure(halves)} on average, that of the"
        f" inner ones {figure(inner)}. They are logit(A) ± z √(U + B + τ²): U and B as for the inner interval, with"
        " `dawid_skene` among the models, and τ = 0.3 at every confidence (setting `outer_error`). With"
        f" τ fitted to the other sets alone they hold {share(fitted)}: five sets are few to fit it on.",
        "τ was chosen on 20 public sets with gold, these among them, mostly of crowd workers; there .14, .26 and .40"
        " hold 85, 90 and 95 %. With one of the 20 sets left out each time, the outer 90 % intervals held 91 % of the"
        " gold accuracies, on the worst set 50 %. **What this does not cover**: LLM systems beside expert people. No"
        " such set is public. If raters and systems share more errors than on these sets, estimates are further off"
        " than the outer interval says. Where a figure matters, have some twenty items audited (`--gold`).",
    ]


def _shared_errors(rows: pl.DataFrame, worst: dict[str, Any]) -> list[str]:
    """On the worst set, if it is its bias that makes it so."""
    order = order_of(rows).filter(pl.col("set") == worst["set"]).row(0, named=True)
    if abs(worst["bias"]) < 0.7 * worst["rmse"] or order["rank"] is None:
        return []
    return [
        f"On {worst['set']} no method without gold can be right: the raters make the same errors, and the systems"
        f" come out {figure(abs(worst['bias']))} too {'high' if worst['bias'] > 0 else 'low'} with `average`. Their"
        f" order is still right (rank correlation {figure(order['rank'], 2)}): a comparison of systems is more"
        " reliable than the figure of a single one."
    ]


def _how(rows: pl.DataFrame, choice: Choice) -> str:
    return (
        f"How it was made: every rater with {choice.least_items} gold items or more is taken for the system in turn,"
        f" {choice.most_systems} of them drawn at random (seed {choice.seed}) where there are more, and all other"
        " raters rate it; sets of LLM judges have the systems named below. Labels are taken as nominal. The gold"
        " accuracy is the share of right answers on the system's items that have gold and another rating."
        f" {rows.n_unique(['set', 'system'])} systems in all. The systems of a set have their raters and items in"
        " common, so that their errors are alike, and a set counts for little more than one observation. The sets:"
    )


def _overall(rows: pl.DataFrame) -> Table:
    header = ("method", "systems", "bias", "RMSE", "RMSE of worst set", "holds gold", "with gold's error")
    shown = [
        [f"`{row['method']}`", str(row["systems"]), signed(row["bias"]), *(figure(row[n]) for n in ("rmse", "worst"))]
        + [share(row[name]) for name in ("holds", "holds_widely")]
        for row in overall(rows).sort("rmse").iter_rows(named=True)
    ]
    about = """Means over the sets, each counting once. Bias and RMSE of the estimated against the gold accuracy; share
    of the 90 % intervals that hold the gold accuracy as it stands, and with its own sampling error added to the
    interval's in quadrature. The intervals of lehner, binless and attenuation are bootstraps. Methods that do not
    apply to every set (difficulty needs three labels, ordinal an ordered scale) stand in the tables by set only."""
    return Table("All sets", about, header, shown)


def _sets(rows: pl.DataFrame, sets: Sequence[RealSet]) -> Table:
    header = ("set", "labels", "items", "raters", "ratings", "kappa", "systems", "their accuracy")
    shown = []
    for real_set in sets:
        mine = rows.filter(pl.col("set") == real_set.name)
        systems = mine.unique("system")["gold_accuracy"].to_list()
        sizes = (
            len(real_set.labels),
            real_set.ratings["item"].n_unique(),
            real_set.ratings["rater"].n_unique(),
            real_set.ratings.height,
        )
        accuracies = f"{figure(min(systems), 2)} to {figure(max(systems), 2)}"
        kappa = figure(mine["kappa"].to_list()[0], 2)
        shown.append([real_set.name, *(f"{size:,}" for size in sizes), kappa, str(len(systems)), accuracies])
    about = """Kappa is that of the raters of the first system, with chance 1/N. Accuracy is by gold."""
    return Table("The sets", about, header, shown)


def _by_set(rows: pl.DataFrame) -> list[Table]:
    each = by_set(rows)
    kinds = {
        "RMSE by set": ("rmse", figure, "Root mean square of estimated minus gold accuracy."),
        "Bias by set": ("bias", signed, "Mean of estimated minus gold accuracy."),
        "Intervals by set": ("holds", share, "Share of the 90 % intervals that hold the gold accuracy as it stands."),
    }
    names = each["set"].unique(maintain_order=True).to_list()
    tables = []
    for title, (column, written, about) in kinds.items():
        shown = [
            [f"`{method}`", *(written(some.filter(pl.col("set") == name)[column].item()) for name in names)]
            for (method,), some in each.group_by("method", maintain_order=True)
            if some["systems"].sum()
        ]
        tables.append(Table(title, f"{about} Empty: the method does not apply.", ("method", *names), shown))
    return tables


def _both_intervals(rows: pl.DataFrame, simulation: Sequence[dict[str, Any]]) -> list[Table]:
    tables = [outer_intervals.real_table(outer_intervals.left_out(rows), outer_intervals.fitted_tau(defined(rows)))]
    if simulation:
        sets = max(row["estimates"] for row in simulation) // 5  # five systems a set
        tables.append(outer_intervals.simulated_table(list(simulation), sets))
    return tables


def order_of(rows: pl.DataFrame) -> pl.DataFrame:
    """Set, number of systems, rank correlation of average with gold (null with two systems), RMSE without the bias."""
    scatter = (pl.col("error") - pl.col("error").mean()).pow(2).mean().sqrt()
    rank = pl.when(pl.len() > 2).then(pl.corr("estimate", "gold_accuracy", method="spearman"))
    default = rows.filter(pl.col("method") == "average").group_by("set", maintain_order=True)
    return default.agg(systems=pl.len(), rank=rank, scatter=scatter)


def _order(rows: pl.DataFrame) -> Table:
    shown = [[name, str(n), figure(rank, 2), figure(scatter)] for name, n, rank, scatter in order_of(rows).rows()]
    about = """Spearman's correlation of the estimates of average with the gold accuracies, and the RMSE that is left
    when the set's bias is taken away: errors that all systems of a set share do not change their order."""
    return Table("Order of the systems", about, ("set", "systems", "rank correlation", "RMSE without bias"), shown)


def _warnings(rows: pl.DataFrame) -> Table:
    default = rows.filter(pl.col("method") == "average").with_columns(n=pl.len().over("set"))
    kinds = default.explode("warnings").with_columns(said=pl.col("warnings").str.extract(KIND_OF_WARNING))
    counted = kinds.drop_nulls("said").unique(["set", "system", "said"], maintain_order=True)
    names = default["set"].unique(maintain_order=True).to_list()
    n = dict(default.group_by("set").agg(pl.col("n").first()).rows())
    shown = []
    for (sentence,), some in counted.group_by("said", maintain_order=True):
        times = dict(some.group_by("set").len().rows())
        shown.append([f"{sentence} ...", *(share(times[name] / n[name]) if name in times else "" for name in names)])
    about = "Share of the systems whose estimate by average carries a warning that begins with these words."
    return Table("What the warnings said", about, ("warning", *names), shown)


def figure(value: float | None, digits: int = 3) -> str:
    """A share as 0.123; nothing where undefined."""
    return "" if value is None else f"{value:.{digits}f}"


def signed(value: float | None) -> str:
    """A difference as 0.012 or -0.012."""
    return "" if value is None else f"{value:.3f}"


def share(value: float | None) -> str:
    """A share in per cent."""
    return "" if value is None else f"{100 * value:.0f} %"
