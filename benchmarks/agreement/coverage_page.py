"""The page docs/coverage.md, from the rows that `benchmarks.agreement.coverage` found."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
LOW, HIGH = 0.92, 0.97  # where a cell is as it should be
METHODS = ("t", "jackknife", "percentile", "bca")
Row = dict[str, Any]

HEAD = """<!-- Written by `python -m benchmarks.agreement.coverage`; do not edit. -->
# Do the intervals hold what they promise?

A 95 % interval keeps its promise if the intervals from 95 of 100 sets of ratings hold the true value. This can
only be tested if the true value is known. So these ratings are simulated, by
`python -m benchmarks.agreement.coverage`.

## What to use

- **From 100 items on the default is good** (`t`: standard error by formula, t distribution). {many} of the {many_all}
  cells below with complete ratings and 100 items or more lie within .92 to .97, information agreement and Yule's Y
  left out.
- **With 30 items** it covers less: {few} of {few_all} cells lie within, the lowest is {worst}. At high agreement
  its intervals lie too high. `bca` does better with three raters. No method helps if all ratings agree. Then the
  interval is [1, 1] and `detail` says degenerate. A rule for that case: raters may still differ on up to 3/n of
  all items.
- **Items with a single rating** make the standard errors of percent agreement, Brennan-Prediger, Fleiss, Conger
  and AC1 too large (these are Gwet's standard errors, as in other programs). At high agreement the standard error
  of percent agreement is too large by half. `jackknife` is right from 100 items on. Alpha and Light's kappa do not
  have this problem.
- **Information agreement** is far too high if there are few items per cell of the raters' table. Take 1,000 items
  for five labels. With two labels it is good from 100 items on, unless agreement is low. No method corrects it.
- **Yule's Y** is undefined if a cell of the table is empty. With few items and high agreement this is often so,
  and the other sets are not typical. Then take another coefficient.
- **ICC** has the F interval, which assumes normally distributed ratings. If errors are blunders, so that all wrong
  grades are equally likely, it is much too narrow, however many items there are. Then take `jackknife`; with 30
  items its intervals are too narrow, too.

## How it was done

- World *errors*, the main one: the item has a right label; base rates are .7 and .3, or .4, .25, .15, .12 and .08.
  Each rater errs independently of the others, and all wrong labels are equally likely. The most careful rater errs
  a quarter less often than the mean, the least careful a quarter more often. The error rate is such that Fleiss'
  kappa of all items is the kappa in the table's head.
- World *hard items*: all agree on easy items, whose share is kappa, and guess by the base rates on the others.
- World *grades*, for the ICC: an item's value and the raters' errors are normal, and what the raters give is rounded
  to five grades. Kappa is the share of the variance before rounding that lies between items.
- All ways in which an item can be rated are listed with their shares; a set of n items is one multinomial draw of
  them. The true value of a coefficient is its value for a thousand million items in exactly these shares.
  Coefficients have different true values: if Fleiss' kappa is .8, AC1 is a little higher. Each interval has to
  hold the value of its own coefficient.
- A cell has {errors:,} sets of ratings ({hard_items:,} in the world *hard items*; {jackknife:,} for the jackknife,
  {bca:,} for the bootstrap with 1,000 replicates each). Chance moves a coverage of .95 by {chance} either way
  ({chance_bca} for the bootstrap).
- Sets without an estimate are left out; their number is in brackets. Sets without disagreement count, with [1, 1].
- Bold is what lies outside .92 to .97, with a letter for the reason ([below](#why-some-cells-are-bold)).

The columns are kappa / number of items.
"""

REASONS = {
    "e": "**empty cells**: more than one set in a hundred has no estimate, and the others are not typical",
    "b": "**bias**: the estimate is off by more than half of its standard deviation, so that the interval sits in\n"
    "  the wrong place; the percentile bootstrap adds the bias once more, so that a quarter is enough there",
    "g": "**gaps**: the standard error is too large by more than 5 %, since an item with one rating enters the\n"
    "  formula as one that lies far from the mean",
    "f": "**F**: the interval is made for normal ratings",
    "a": "**all agree**: in the sets whose standard error is not 0 the coverage is within .92 to .97; the interval of\n"
    "  the others, [1, 1], cannot hold the truth",
    "s": "**short when high**: a set that happens to look better than the truth has a smaller standard error, too, so\n"
    "  that its interval lies above; so it is with every proportion near 1",
    "w": "**short when low**: a set that happens to look worse than the truth has a smaller standard error, too, so\n"
    "  that its interval lies below; so it is where agreement is low and a label rare",
    "n": "**no one reason**: none of these; a little too short, or with the bootstrap too long",
}


def page(figures: pl.DataFrame) -> str:
    """The whole page, from the rows of `benchmarks.agreement.coverage.run`."""
    rows = figures.with_columns(
        why=pl.Series([_reason(row) for row in figures.iter_rows(named=True)], dtype=pl.String),
        column=pl.Series([f"{_number(row['kappa'])} / {row['items']}" for row in figures.iter_rows(named=True)]),
        order=pl.col("asked").replace_strict(METHODS, range(len(METHODS))),
    ).sort("model", "missing", "raters", "labels", "order", "kappa", "items", maintain_order=True)
    # coefficients come in the order in which the tasks name them, the sort kept it
    texts = [_head(rows), *_world(rows, "errors"), *_methods(rows), *_gaps(rows), *_icc(rows), *_why(rows)]
    texts += ["## The other world: hard items\n", *_world(rows, "hard items")]
    return "\n".join(texts).rstrip() + "\n"


def _reason(row: Row) -> str | None:
    """The letter of REASONS for a cell outside LOW..HIGH, else None."""
    if LOW <= round(row["coverage"], 3) <= HIGH:
        return None
    with_interval = row["sets"] - row["undefined"]
    uneven = with_interval - row["degenerate"]
    holds = {
        "e": row["undefined"] > 0.01 * row["sets"],
        "b": abs(row["bias"]) * (2 if row["method"] == "percentile" else 1) > 0.5 * row["sd"],
        "g": row["missing"] > 0 and row["se"] > 1.05 * row["sd"],
        "f": row["method"] == "F",
        "a": row["coverage"] < LOW <= row["coverage"] * with_interval / max(uneven, 1) <= HIGH,
        "s": row["correlation"] < -0.3 and row["above"] > row["below"],
        "w": row["correlation"] > 0.3 and row["below"] > row["above"],
    }
    return next((letter for letter, is_so in holds.items() if is_so), "n")


def _head(rows: pl.DataFrame) -> str:
    sets = {name.replace(" ", "_"): _sets(rows, section=name) for name in ("errors", "hard items")}
    sets |= {name: _sets(rows, asked=name) for name in ("jackknife", "bca")}
    usual = rows.filter(
        pl.col("section").is_in(["errors", "hard items"]),
        pl.col("coefficient").is_in(["information_agreement", "yule_y"]).not_(),
    )
    many, few = usual.filter(pl.col("items") >= 100), usual.filter(pl.col("items") < 100)
    return HEAD.format(
        **sets,
        chance=_chance(sets["errors"]),
        chance_bca=_chance(sets["bca"]),
        many=many["why"].null_count(),
        many_all=len(many),
        few=few["why"].null_count(),
        few_all=len(few),
        worst=_number(min(few["coverage"].to_list()), digits=3),
    )


def _sets(rows: pl.DataFrame, **where: str) -> int:
    sets: int = rows.filter(**where)["sets"][0]
    return sets


def _chance(sets: int) -> str:
    """Half the width of the 95 % interval of a coverage of .95."""
    return _number(1.96 * (0.95 * 0.05 / sets) ** 0.5, digits=3)


def _world(rows: pl.DataFrame, section: str) -> Iterator[str]:
    """One table per number of raters and labels."""
    for (r, k), block in rows.filter(section=section).group_by("raters", "labels", maintain_order=True):
        yield f"### {r} raters, {k} labels\n"
        yield _table(block, ["coefficient"])
        agree = block.filter(coefficient="fleiss_kappa")["degenerate"]
        if agree.sum():
            yield f"Sets in which all ratings agree, by column: {', '.join(f'{number:,}' for number in agree)}.\n"


def _methods(rows: pl.DataFrame) -> Iterator[str]:
    yield "## Other methods, two labels\n"
    yield from _sections(rows.filter(section="methods"), "raters", "{} raters", ["coefficient", "asked"])


def _gaps(rows: pl.DataFrame) -> Iterator[str]:
    yield "## Three raters, each rating missing with probability .2\n"
    yield "One item in ten has a single rating. At kappa .8 and 30 items, standard errors that are too large happen to"
    yield "make up for intervals that lie too high.\n"
    yield from _sections(rows.filter(section="gaps"), "labels", "{} labels", ["coefficient", "asked"])


def _icc(rows: pl.DataFrame) -> Iterator[str]:
    yield "## Intraclass correlations, grades 1 to 5\n"
    block = rows.filter(section="icc").with_columns(asked=pl.col("method"))
    yield from _sections(block, "model", "World *{}*", ["raters", "coefficient", "asked"])


def _sections(block: pl.DataFrame, by: str, title: str, names: Sequence[str]) -> Iterator[str]:
    for (value,), some in block.group_by(by, maintain_order=True):
        yield f"### {title.format(value)}\n"
        yield _table(some, names)


def _table(block: pl.DataFrame, names: Sequence[str]) -> str:
    """Rows by `names`, columns by kappa and items."""
    columns = block["column"].unique(maintain_order=True).to_list()
    head = ["method" if name == "asked" else name for name in names] + columns
    lines = [head, ["---"] * len(names) + ["---:"] * len(columns)]
    for key, cells in block.group_by(names, maintain_order=True):
        of_column = {row["column"]: row for row in cells.iter_rows(named=True)}
        lines.append([*map(str, key), *(_cell(of_column[column]) for column in columns)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _cell(row: Row) -> str:
    text = _number(row["coverage"], digits=3)
    text = f"**{text}** {row['why']}" if row["why"] else text
    return f"{text} ({row['undefined']:,})" if row["undefined"] else text


def _number(value: float, digits: int = 1) -> str:
    return f"{value:.{digits}f}".removeprefix("0")


def _why(rows: pl.DataFrame) -> Iterator[str]:
    """Each reason, with what was seen in its cells."""
    bold = rows.filter(pl.col("why").is_not_null())
    letters = [letter for letter in REASONS if letter in bold["why"]]
    yield "## Why some cells are bold\n"
    small = len(bold.filter(items=30))
    yield f"{len(bold)} of the {len(rows):,} cells on this page are, {small} of them with 30 items. The first reason"
    yield "that applies counts.\n"
    yield from (f"- {letter}: {REASONS[letter]}." for letter in letters)
    yield "\nWhat was seen in these cells, as medians: shares of the sets whose interval lies below or above the truth,"
    yield "whose standard error (se) is 0, or which have no estimate; bias and mean standard error as multiples of the"
    yield "standard deviation of the estimates; correlation of estimate and standard error.\n"
    yield "| why | cells | coverage | below | above | bias | se | correlation | se 0 | no estimate |"
    yield "| --- |" + " ---: |" * 9
    yield from (_seen(letter, bold.filter(why=letter)) for letter in letters)
    yield ""


def _seen(letter: str, some: pl.DataFrame) -> str:
    medians = some.select(
        "below",
        "above",
        bias=pl.col("bias") / pl.col("sd"),
        se=pl.col("se") / pl.col("sd"),
        correlation="correlation",
        degenerate=pl.col("degenerate") / pl.col("sets"),
        undefined=pl.col("undefined") / pl.col("sets"),
    ).median()
    coverage = some["coverage"].to_list()
    least, most = (_number(end, digits=3) for end in (min(coverage), max(coverage)))
    return f"| {letter} | {len(some)} | {least} to {most} | {' | '.join(f'{x:.2f}' for x in medians.row(0))} |"
