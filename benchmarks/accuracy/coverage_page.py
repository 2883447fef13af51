"""The page docs/accuracy-coverage.md, from the rows that `benchmarks.accuracy.coverage` found."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from benchmarks.accuracy.studies import Kind
from benchmarks.page import Table
from benchmarks.page import page as whole_page
from benchmarks.real_data.accuracy_page import KIND_OF_WARNING, figure, share
from stats.accuracy.warnings_in_words import LOW_KAPPA

PAGE = Path(__file__).parents[2] / "docs" / "accuracy-coverage.md"
LOW, HIGH = 0.84, 0.985  # where the coverage of a nominal 90 % interval may lie in a setting
BOOTSTRAPPED = ("lehner", "binless", "attenuation")
Kinds = Sequence[Kind]


def page(estimates: pl.DataFrame, kinds: Kinds, every: int) -> str:
    """The whole page, from the rows of `benchmarks.accuracy.coverage.run`; `every` so many sets have bootstraps."""
    rows = judged(estimates, kinds)
    note = "Written by `python -m benchmarks.accuracy.coverage`; do not edit."
    tables = [_methods(rows, every), _paper(rows, kinds), _settings(rows, kinds, paper=True)]
    tables += [_settings(rows, kinds, paper=False), _models(rows, kinds), _warnings(rows)]
    title = "How good are the estimates, and do the intervals hold what they promise?"
    return whole_page(title, note, _reading(rows), _facts(rows), tables)


def judged(estimates: pl.DataFrame, kinds: Kinds) -> pl.DataFrame:
    """The rows with what their settings are, their error, and whether the intervals hold the expected accuracy."""
    described = pl.DataFrame(
        {
            "setting": range(len(kinds)),
            "name": [f"{kind.name}, {kind.setting.n_items:,} items" + ", violated" * kind.violated for kind in kinds],
            "paper": [kind.paper for kind in kinds],
            "good": [kind.kappa >= LOW_KAPPA for kind in kinds],
            "violated": [kind.violated for kind in kinds],
        },
        schema_overrides={"setting": pl.Int64},
    )
    truth = pl.col("truth")
    return estimates.join(described, on="setting", maintain_order="left").with_columns(
        error=pl.col("estimate") - truth,
        holds=truth.is_between(pl.col("low"), pl.col("high")),
        holds_95=truth.is_between(pl.col("low_95"), pl.col("high_95")),
    )


def figures(rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """By the columns named: estimates, those undefined, bias, RMSE, coverage at .9 and .95, mean width at .9."""
    return rows.group_by(by, maintain_order=True).agg(
        n=pl.len(),
        undefined=pl.col("estimate").null_count(),
        without=pl.col("low").null_count() - pl.col("estimate").null_count(),
        bias=pl.col("error").mean(),
        rmse=(pl.col("error") ** 2).mean().sqrt(),
        coverage=pl.col("holds").mean(),
        coverage_95=pl.col("holds_95").mean(),
        width=(pl.col("high") - pl.col("low")).mean(),
    )


def requirement(rows: pl.DataFrame) -> dict[str, float]:
    """What the default has to keep: its RMSE over lehner's in the paper's settings; where kappa is .2 or more the
    lowest and highest coverage of its 90 % interval in a setting, and the pooled one."""
    paper = figures(rows.filter("paper"), ["method"])
    rmse = dict(paper.select("method", "rmse").rows())
    default = rows.filter(pl.col("method") == "average", pl.col("good"))
    each = figures(default, ["setting"])["coverage"].to_list()
    pooled = figures(default, ["method"])["coverage"].item()
    ratio = rmse["average"] / rmse["lehner"]
    return {"ratio": ratio, "lowest": min(each), "highest": max(each), "pooled": pooled, "settings": len(each)}


def _reading(rows: pl.DataFrame) -> list[str]:
    kept = requirement(rows)
    rmse = dict(figures(rows.filter("paper"), ["method"]).select("method", "rmse").rows())
    held = kept["lowest"] >= LOW and kept["highest"] <= HIGH
    promise = "keeps its promise" if held else "does not everywhere keep its promise"
    return [
        "Ratings are simulated here from raters and systems of known accuracy, and every method estimates the systems"
        " from the raters' labels alone.",
        f"**The default, `average`, is off by {figure(rmse['average'])}** (root mean square) over the source paper's"
        f" 14 settings, `lehner` by {figure(rmse['lehner'])}: {figure(kept['ratio'], 2)} of it.",
        f"**Its 90 % interval {promise} where the raters agree enough**, with a kappa of .2 or more, as raters of .6"
        f" do with five labels. In {kept['settings']:.0f} such settings it holds the expected accuracy in"
        f" {share(kept['pooled'])} of the cases; the lowest setting has {share(kept['lowest'])}, the highest"
        f" {share(kept['highest'])}.{_outside(rows)} Among them are settings that break the assumptions: raters of"
        " unequal accuracy, errors that prefer neighbouring labels and differ from rater to rater, items of unequal"
        " difficulty.",
        _poor_raters(rows),
        "An interval that allows for one model only is too narrow as soon as this model is wrong, and more so with"
        " more items (figure 8): see the coverage of each model. The interval of `average` adds the variance"
        " between the models to their own. It cannot cover what all models leave out, such as errors that raters and"
        " system share: see [real data](accuracy-on-real-data.md).",
    ]


def _outside(rows: pl.DataFrame) -> str:
    """The settings that lie outside LOW to HIGH, if any."""
    each = figures(rows.filter(pl.col("method") == "average", pl.col("good")), ["name"])
    odd = each.filter(~pl.col("coverage").is_between(LOW, HIGH)).select("name", "coverage").rows()
    listing = "; ".join(f"{name}: {figure(coverage)}" for name, coverage in odd)
    return f" Outside {LOW} to {HIGH} lies {listing}." if odd else ""


def _poor_raters(rows: pl.DataFrame) -> str:
    poor = rows.filter(pl.col("method") == "average", ~pl.col("good")).drop_nulls("estimate")
    if poor.is_empty():
        return "No setting with a lower kappa was simulated."
    each = figures(poor, ["setting"])
    warned = _mean(poor["warnings"].list.eval(pl.element().str.starts_with("The raters agree little")).list.any())
    coverage, rmse = each["coverage"].to_list(), figures(poor, ["method"])["rmse"].item()
    return (
        "**If they agree less, the ratings say little**, as with raters of .4, or of .6 with two labels only: an"
        f" RMSE of {figure(rmse)}, a coverage of {share(min(coverage))} to {share(max(coverage))} by setting. The"
        " lowest are two labels with difficult items, on which raters are wrong more often than right. The labels"
        f" cannot show this. {share(warned)} of these estimates carry the warning that the raters agree little."
    )


def _facts(rows: pl.DataFrame) -> dict[str, str]:
    per_setting = rows.filter("paper").group_by("setting").agg(pl.col("set").n_unique())["set"].to_list()
    return {
        "settings": "the paper's 14 (its figures 1 to 14: 5 labels, 3 raters, 50, 200 or 5,000 items), and others: 2,"
        " 5 or 10 labels, 3 or 5 raters, 50, 200 or 1,000 items, each as the paper assumes (all raters .6) and"
        " violated"
        " (raters .5 to .7, errors half as likely with each step between the labels, each error rate drawn between 0"
        " and twice its mean, accuracies .2 higher or lower on easy and difficult items); some of the violated ones"
        " once more with labels that are not declared as ordered",
        "drawing": "base rates from Dirichlet(1, ..., 1) in each set; labels declared as ordered, except where a"
        " setting says nominal",
        "sets": f"{min(per_setting)} or more per setting, each with systems of accuracy .1, .3, .5, .7 and .9; where"
        " labels and raters are so many that patterns seldom recur (10 labels, or 5 raters over 5 labels), one of these"
        " systems per set, in turn",
        "truth": "the expected accuracy of the system over the set's base rates and levels of difficulty",
        "chance": "the systems of a set share its raters, so that with 100 sets a coverage of .90 has a standard error"
        " of about .015, and of .03 with one system per set; with 200 sets .011 and .021",
        "undefined": "raters who agree no better than chance give no estimate; such sets are counted and left out",
    }


def _methods(rows: pl.DataFrame, every: int) -> Table:
    good = figures(rows.filter("good"), ["method"])
    cells = figures(rows.filter("good"), ["method", "setting"]).drop_nulls("coverage")
    ends = cells.group_by("method").agg(least=pl.col("coverage").min(), most=pl.col("coverage").max())
    paper = figures(rows.filter("paper"), ["method"]).select("method", of_paper="rmse", bias_paper="bias")
    everything = paper.join(good, on="method", maintain_order="left").join(ends, on="method", maintain_order="left")
    shown = [
        [f"`{row['method']}`", figure(row["of_paper"]), figure(row["bias_paper"]), figure(row["rmse"])]
        + [figure(row[name]) for name in ("coverage", "least", "most", "coverage_95", "width")]
        for row in everything.sort("of_paper").iter_rows(named=True)
    ]
    header = ("method", "RMSE, paper", "bias, paper", "RMSE", "coverage", "lowest", "highest", "at 95 %", "width")
    about = f"""RMSE and bias over the paper's 14 settings; then over all settings with a kappa of .2 or more: RMSE,
    coverage of the nominal 90 % interval pooled and in the lowest and highest setting, of the nominal 95 % interval,
    and mean width of the 90 % interval. Bootstraps of lehner, binless and attenuation take long. They were made in one
    set of {every}, so their lowest and highest settings are based on few cases. Ordinal and difficulty apply to three
    labels or more."""
    return Table("Methods", about, header, shown)


def _paper(rows: pl.DataFrame, kinds: Kinds) -> Table:
    each = figures(rows.filter("paper"), ["setting", "method"])
    methods = each["method"].unique(maintain_order=True).to_list()
    header = ("figure", "items", "raters", *(f"{method}" for method in methods))
    errors = {(row["setting"], row["method"]): row["rmse"] for row in each.iter_rows(named=True)}
    shown = [
        [*_described(kinds[number])[:3], *(figure(errors.get((number, method))) for method in methods)]
        for number in each["setting"].unique(maintain_order=True)
    ]
    return Table("RMSE in the paper's settings", "Root mean square of the error, all systems.", header, shown)


def _settings(rows: pl.DataFrame, kinds: Kinds, *, paper: bool) -> Table:
    some = rows.filter(pl.col("method") == "average", pl.col("paper") == paper)
    header = ("setting", "items", "raters", "violated", "estimates", "undefined", "bias", "RMSE", "at 90 %", "at 95 %")
    shown = []
    for row in figures(some, ["setting"]).iter_rows(named=True):
        of_row = [figure(row[name]) for name in ("bias", "rmse", "coverage", "coverage_95")]
        shown.append([*_described(kinds[row["setting"]]), f"{row['n']:,}", str(row["undefined"]), *of_row])
    title = "The default in the paper's settings" if paper else "The default in other settings"
    return Table(title, "Bias, RMSE and coverage of `average`; raters is their mean accuracy.", header, shown)


def _described(kind: Kind) -> list[str]:
    return [kind.name, f"{kind.setting.n_items:,}", f"{kind.raters:g}", "yes" if kind.violated else "no"]


def _models(rows: pl.DataFrame, kinds: Kinds) -> Table:
    own = rows.filter("paper").filter(~pl.col("method").is_in(BOOTSTRAPPED))
    each = figures(own, ["setting", "method"])
    methods = each["method"].unique(maintain_order=True).to_list()
    coverages = {(row["setting"], row["method"]): row["coverage"] for row in each.iter_rows(named=True)}
    shown = [
        [*_described(kinds[number]), *(figure(coverages.get((number, method))) for method in methods)]
        for number in each["setting"].unique(maintain_order=True)
    ]
    about = "Share of the nominal 90 % intervals that hold the expected accuracy, in the paper's settings."
    return Table("Coverage of each model", about, ("setting", "items", "raters", "violated", *methods), shown)


def _warnings(rows: pl.DataFrame) -> Table:
    default = rows.filter(pl.col("method") == "average").drop_nulls("estimate").with_row_index("estimate_number")
    groups = {
        "kappa below .2, as assumed": ~pl.col("good") & ~pl.col("violated"),
        "kappa below .2, violated": ~pl.col("good") & pl.col("violated"),
        "kappa .2 and more, as assumed": pl.col("good") & ~pl.col("violated"),
        "kappa .2 and more, violated": pl.col("good") & pl.col("violated"),
    }
    sentences = pl.col("warnings").list.eval(pl.element().str.extract(KIND_OF_WARNING)).list.unique()
    kinds = default.select(sentences.alias("said")).explode("said")["said"].drop_nulls().unique().sort().to_list()
    shown = []
    for kind in kinds:
        has = default.with_columns(has=sentences.list.contains(kind))
        shown.append([f"{kind} ...", *(share(_mean(has.filter(which)["has"])) for which in groups.values())])
    about = "Share of the estimates by `average` with a warning that begins with these words."
    return Table("Warnings", about, ("warning", *groups), shown)


def _mean(flags: pl.Series) -> float | None:
    return None if flags.is_empty() else float(flags.cast(pl.Float64).to_numpy().mean())
