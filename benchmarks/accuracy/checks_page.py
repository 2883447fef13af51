"""The page docs/accuracy-checks.md, from the rows that `benchmarks.accuracy.checks` found."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

PAGE = Path(__file__).parents[2] / "docs" / "accuracy-checks.md"
LOW, HIGH = 0.02, 0.10  # where a share of false alarms at a nominal .05 is as it should be
CHECKS = ("pairs", "adjacent", "raters", "difficulty", "copying", "alike")
PAIRWISE = ("copying", "alike")
DESIGN = {("even", 0.0): "even", ("drawn", 0.0): "drawn", ("drawn", 0.2): "drawn, 20 % missing"}

HEAD = """<!-- Written by `python -m benchmarks.accuracy.checks`; do not edit. -->
# Do the ratings look as the estimators assume?

Estimates of accuracy without gold labels rest on assumptions: raters are equally accurate, errors fall evenly on the
other labels, items are equally difficult, and everybody errs independently of the others. `kappaflow accuracy` checks
them, as does `stats.accuracy.assumption_checks`, and warns if one is violated. This page says how each check works, how
often it raises a false alarm, and what it finds with how many items. All of it is simulated, by
`python -m benchmarks.accuracy.checks`.

## How each check works

- **pairs**: are the pairs of labels that raters mix up as frequent as evenly spread errors make them? Two raters say A
  and B with chance (pi_A + pi_B) 2 P_c P_e + (1 - pi_A - pi_B) 2 P_e^2, where pi are the base rates, P_c the chance of
  a right rating and P_e the chance of one particular wrong label. (The test that all pairs are equally frequent, which
  the source paper proposes, holds with equal base rates only.) The statistic is a sum of (O - E)^2 / (E + 1/2). Pairs
  of one item depend on each other, so p comes from sets that are simulated from the one-coin fit, each of which is
  fitted again. Effect: root mean square relative deviation, minus the deviation that chance causes. It matters from .1
  on.
- **adjacent**, for ordered scales: the share of one-step disagreements among all disagreements, minus the share that
  the one-coin fit expects. This difference is also the effect, and matters from .05 on. p is one-sided, simulated as
  for pairs.
- **raters**: are all raters equally accurate? A rating scores how many of the item's other ratings agree with it. If
  raters are equal, an item's scores can be exchanged among its raters. That gives the exact mean and covariance of the
  raters' sums, whichever ratings are missing. For up to 300 items with unequal scores p comes from random exchanges,
  for more from the chi-squared distribution. Effect: standard deviation of the raters' accuracy. It matters from .05
  on. It needs three raters.
- **difficulty**: do agreeing pairs per item vary more than the one-coin fit expects? p is one-sided and simulated.
  Effect: standard deviation between items of the raters' accuracy. It matters from .1 on. It needs three ratings of an
  item (with two labels four). With three ratings it finds little.
- **copying**: does a system agree with one rater more than their accuracies explain? With s = agreement minus the
  agreement that their label frequencies cause by chance, independent people have s_ab s_cd = s_ac s_bd, whatever their
  accuracies and whichever labels they prefer (with more than two labels: if a rater who does not know the label draws
  from the rater's own label frequencies). So the agreement of system and rater is compared with what the other raters
  say about both; the standard error comes from the delta method, and p is one-sided. Effect: the share of copied
  answers that would explain the excess. It matters from .1 on. It takes three raters. With three or four, two raters
  who are alike look like a system that copies another one.
- **alike**: the same for two human raters. It takes four; with four, it cannot tell a pair from the other two.

A check says *violated* if p is below .05 and the effect matters. Both are needed: with very many items everything is
significant. With fewer than 20 items in common no pair is suspected. All tests of a question share the 5 %: p is
corrected for their number by Holm's method with weights. Each check that can be made has the same weight, which is
divided among its pairs. `p_adjusted` is the corrected p, `p_value` that of the test alone.

**The verdict is not copying if there is another explanation.** Suppose that a system and a rater are both right on
items where the other raters share an error. Then they agree as much as if one had copied. So the verdict is *unclear*
and not *violated* in two cases: several systems seem to copy the same rater, or this rater is the best one (p is below
.05 in the check of raters, and also for the rater's distance from the others). The sentence beside the verdict says
which case it is. As a consequence, a system that has learned from the best rater is not found. Leave this rater out to
see what changes. The
verdict is *unclear*, too, if a system gives all of a rater's answers on so many items that independent work makes this
unlikely, although the test does not reject. With three raters it seldom does.
Two of four raters who are alike make every system seem to copy the other two. So with four raters the verdict on
copying is *unclear* as soon as two seem alike (p below .05 before the correction). The sentence names these two and the
other two, because four raters alone cannot tell which pair it is. A system that copies nobody can: if all systems say
that it is the same pair, only that pair is *violated*, on that condition.

## What a violation does to the estimate

Bias of the estimated accuracy of a system that is right in .90; 2,000 items, three raters who are right in .60 unless
said otherwise, five labels, 40 sets.

| violated | shows in | `lehner` | `average` |
| --- | --- | ---: | ---: |
| nothing | | -.00 | .00 |
| raters right in .4, .6 and .8 | raters | +.02 | .00 |
| raters right in .5, .6 and .7 | raters | .00 | .00 |
| PER=1: every rater has errors of a special kind | pairs | -.03 | .00 |
| AD=2: errors halve with every further step | pairs, adjacent | -.07 | .00 |
| difficulty .2, the same for raters and system | difficulty | -.03 | .00 |
| difficulty .2, for the raters only | difficulty | -.06 | .00 |
| one of three raters copies another on 30 % of the items | copying, raters | -.11 | -.04 |
| two of three copy the third on 30 % | | -.15 | -.10 |
| one of five raters copies another on 30 % | alike | -.04 | -.01 |
| four of five copy the fifth on 30 % | alike | -.14 | -.10 |
| the system copies one of three raters on 30 % | copying | +.06 | +.12 |
| the system copies one of three raters on all items | copying | +.19 | +.40 |
| the system copies one of five raters on 30 % | copying | +.03 | +.07 |
| the system copies one of five raters on all items | copying | +.08 | +.36 |

For the last four rows the true accuracy is the accuracy after copying. If a system copies, `average` is further off
than `lehner`; this is the only such case. The better a model fits, the more it relies on the agreement.
"""

SIZE = """## False alarms

Each check by itself: share of sets with p <= .05, of those on which the check can be made, where every assumption
holds. {sets} sets a cell; chance moves .05 by .02 either way. A cell with fewer than 100 usable sets is left empty.
Base rates are even, or drawn from Dirichlet(1, ..., 1) for each set. The system is right in .9. Bold is what lies
outside .02 to .10. {outside_rest} of the {rest} cells of the first four checks do, and {outside_pairwise} of the
{pairwise} of copying and alike, where it is the share of sets in which any pair gives an alarm (by Holm's method over
the pairs). Those two are too silent where raters agree little (kappa below .1) and, with five raters, where items are
few: they find less there. Their highest cell is {most}.

Columns: accuracy of the raters / items.
"""

POWER = """## What is found

Share of sets in which the check says *violated*: p is below .05 and the effect matters. Five labels, base rates drawn,
raters right in .60 unless said otherwise (four and five: the accuracies stand at equal distances), the system in .90.
{sets} sets a cell. The row *none* shows false alarms, and so do the columns of checks that do not belong to the
violation. There are exceptions: errors by distance also show in pairs; raters who copy another rater also show in
raters and, with three raters, in copying. *any* is the share of sets in which any check says violated, or kappa is
below .2. *alone* is this share if each check is judged by itself, without the correction for their number. *unclear* is
the share of sets in which copying or alike has a verdict that is unclear, which counts as none in the other columns.
"""

CLEAN = """## Questions on which nothing is wrong

Share of questions that draw any *violated*, corrected for the number of tests, and (*alone*) if each check were judged
by itself. Everybody errs independently of the others. *Errors* are even, on an ordered scale, or all prefer their own
labels (whoever does not know the label draws from their own label frequencies, Dirichlet(1, ..., 1); 200 items). Where
raters are unequal, what the check of raters says is right and not counted; where labels are favoured, what pairs,
raters and difficulty say is right, and only copying and alike are counted. Base rates drawn; systems right in .9, .8
and .85; {sets}. The highest share is {most}, on average {mean}; alone {most_alone} and {mean_alone}.
"""

WARNINGS = """## The paper's settings that violate several assumptions

Share of sets of Figures 8 to 14 (unequal raters, AD=2, PER=1 and difficulty .2 together) with a warning: any check says
*violated*, or kappa is below .2. {sets} sets each, the system right in .9; labels without a declared order, and on an
ordered scale. With 50 items there is a warning on few items (fewer than 200) in any case; it is not counted here.

| figure | items | raters | kappa below .2 | any warning, no order | any warning, ordered |
| ---: | ---: | --- | ---: | ---: | ---: |
"""


def page(figures: pl.DataFrame) -> str:
    """The whole page, from the rows of `benchmarks.accuracy.checks.run`."""
    return "\n".join([HEAD, *_clean(figures), *_size(figures), *_power(figures), *_warnings(figures)]).rstrip() + "\n"


def _clean(cells: pl.DataFrame) -> Iterator[str]:
    rows = cells.filter(section="clean")
    unequal = pl.col("accuracies").str.split(" ").list.n_unique() > 1
    about_pairs = (pl.col("world") == "favour") & (pl.col("check") == "verdict on pairs")
    about_all = (pl.col("world") != "favour") & ~unequal & (pl.col("check") == "verdict")
    about_rest = (pl.col("world") != "favour") & unequal & (pl.col("check") == "verdict but raters")
    rows = rows.filter(about_pairs | about_all | about_rest).sort(
        "world", "labels", "raters", "accuracies", descending=[True, False, False, False]
    )
    figures = {
        "most": rows["violated"].max(),
        "mean": rows["violated"].mean(),
        "most_alone": rows["alone"].max(),
        "mean_alone": rows["alone"].mean(),
    }
    sets = " and ".join(
        f"{sets:,} sets with {n} items" for n, sets in sorted(rows.select("items", "sets").unique().rows())
    )
    yield CLEAN.format(sets=sets, **{name: _number(value, 3) for name, value in figures.items()})
    columns = [(n, s) for n in sorted(rows["items"].unique()) for s in sorted(rows["systems"].unique())]
    head = [
        "errors",
        "labels",
        "raters",
        *(f"{n} items, {s} system{'s' if s > 1 else ''}: any / alone" for n, s in columns),
    ]
    lines = [head, ["---", "---:", "---", *["---:"] * len(columns)]]
    for (world, k, raters), cells in rows.group_by("world", "labels", "accuracies", maintain_order=True):
        share = {(row["items"], row["systems"]): row for row in cells.iter_rows(named=True)}
        shown = [
            f"{_number(share[at]['violated'], 3)} / {_number(share[at]['alone'], 3)}" if at in share else ""
            for at in columns
        ]
        lines.append([{"none": "even", "favour": "favoured"}[str(world)], str(k), str(raters), *shown])
    yield _table(lines)


def _size(figures: pl.DataFrame) -> Iterator[str]:
    rows = figures.filter(pl.col("section") == "size", pl.col("check").is_in(CHECKS)).with_columns(
        usable=(pl.col("made") * pl.col("sets") >= 100) | (pl.col("sets") < 100)
    )
    rows = rows.filter("usable", pl.col("significant").is_not_null())
    rest = rows.filter(~pl.col("check").is_in(PAIRWISE))
    pairwise = rows.filter(pl.col("check").is_in(PAIRWISE))
    yield SIZE.format(
        sets=_sets(figures, "size"),
        outside_rest=_outside(rest),
        rest=rest.height,
        outside_pairwise=_outside(pairwise),
        pairwise=pairwise.height,
        most=_number(max(pairwise["significant"], default=None), 3),
    )
    for check in CHECKS:
        some = rows.filter(pl.col("check") == check)
        if some.height:
            yield f"### {check}\n"
            yield _size_table(some)


def _size_table(rows: pl.DataFrame) -> str:
    columns = [(p, n) for p in sorted(rows["accuracy"].unique()) for n in sorted(rows["items"].unique())]
    head = ["raters", "labels", "base rates", *(f"{_number(p, 1)} / {n}" for p, n in columns)]
    lines = [head, ["---:", "---:", "---"] + ["---:"] * len(columns)]
    by = ("raters", "labels", "base_rates", "missing")
    ordered = rows.sort(by, descending=[False, False, True, False])
    for key, cells in ordered.group_by(by, maintain_order=True):
        r, k, rates, missing = key
        share = {(row["accuracy"], row["items"]): row["significant"] for row in cells.iter_rows(named=True)}
        shown = [_marked(share[column]) if column in share else "" for column in columns]
        lines.append([str(r), str(k), DESIGN[str(rates), float(str(missing))], *shown])
    return _table(lines)


def _power(figures: pl.DataFrame) -> Iterator[str]:
    rows = figures.filter(section="power")
    yield POWER.format(sets=_sets(figures, "power"))
    for (r,), some in rows.sort("raters").group_by("raters", maintain_order=True):
        yield f"### {r} raters\n"
        yield _power_table(some)


def _power_table(rows: pl.DataFrame) -> str:
    checks = [name for name in (*CHECKS, "any") if rows.filter(check=name)["violated"].count()]
    lines = [["violation", "items", *checks, "alone", "unclear"], ["---", "---:"] + ["---:"] * (len(checks) + 2)]
    for (world, n), cells in rows.sort("world", "items").group_by("world", "items", maintain_order=True):
        share = dict(zip(cells["check"], cells["violated"], strict=True))
        alone = cells.filter(check="any")["alone"][0]
        unclear = cells.filter(check="verdict on pairs")["unclear"][0]
        shown = [*(share[name] for name in checks), alone, unclear]
        lines.append([str(world), str(n), *(_number(value, 2) for value in shown)])
    return _table(lines)


def _warnings(figures: pl.DataFrame) -> Iterator[str]:
    rows = figures.filter(section="warnings")
    lines = []
    for (world,), some in rows.sort(pl.col("world").cast(pl.Int64)).group_by("world", maintain_order=True):
        first = some.row(0, named=True)
        kappa = some.filter(check="kappa", ordered=True)["violated"][0]
        shares = [some.filter(check="any", ordered=ordered)["violated"][0] for ordered in (False, True)]
        cells = [str(world), f"{first['items']:,}", first["accuracies"], *(_number(x, 2) for x in (kappa, *shares))]
        lines.append(f"| {' | '.join(cells)} |")
    yield WARNINGS.format(sets=_sets(figures, "warnings")) + "\n".join(lines) + "\n"


def _sets(figures: pl.DataFrame, section: str) -> int:
    sets: int = figures.filter(section=section)["sets"][0]
    return sets


def _is_outside(share: float) -> bool:
    return not LOW <= round(share, 3) <= HIGH


def _outside(rows: pl.DataFrame) -> int:
    return sum(_is_outside(share) for share in rows["significant"])


def _marked(share: float) -> str:
    text = _number(share, 3)
    return f"**{text}**" if _is_outside(share) else text


def _number(value: Any, digits: int) -> str:
    if value is None:
        return ""
    return f"{value:.{digits}f}".removeprefix("0")


def _table(lines: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
