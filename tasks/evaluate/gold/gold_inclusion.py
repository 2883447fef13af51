"""With which probability the gold items of a question were drawn, by all audits together."""

import polars as pl

from stats.accuracy.gold.gold_weights import ALIKE, is_drawn
from stats.ratings import INCLUSION
from tasks.counted_words import counted

Inclusion = pl.DataFrame
"""One row per gold item: item, pattern (its name), inclusion_probability (above 1: it counts for less than one item),
drawn (by an audit), and in all rows n_unlabelled, how many items are in strata of which no drawn item has gold."""
LEAST_DRAWN = 10  # drawn gold items with which the figures do without gold of unknown origin


def gold_inclusion(drawn: pl.DataFrame, strata: pl.DataFrame, others: pl.DataFrame) -> Inclusion | None:
    """Return the probabilities of the gold items that have one; None where gold of unknown origin has to do.

    drawn: item, pattern, audit_id, stratum, first_at (of the item's first rating); of items that have gold now. strata:
    audit_id, stratum, n_items (drawn of it), n_population, drawn_at. others: item, pattern, stratum, first_at, gold_at
    (of its first gold) of the items with gold that no audit drew.

    A sample gives an item gold with probability r (1 - d) (1 - d') ...: r is the share of its stratum that the sample
    drew and that was then labelled, and d, d', ... are the shares that earlier samples drew, because a sample leaves
    their items out. Samples from before the item arrived do not count. p is the sum over the samples.

    A sample also leaves out an item to which somebody else gave gold before. Let q be the probability of gold from
    these later samples if they had not left it out. The drawn items of its kind, each counted 1 / p times, then stand
    for all but q / p of these items, so the item itself counts q / p times: once if its gold was there before all
    samples that could have drawn it, and not at all if its gold came after them. Gold of items that came after the last
    sample is left out, too: nobody knows how these items were picked among the new ones. Where fewer than LEAST_DRAWN
    items were drawn and there is other gold, all gold counts, and nobody knows how it was chosen: None.

    >>> from datetime import datetime
    >>> day = [datetime(2026, 1, i) for i in range(1, 6)]
    >>> drawn = pl.DataFrame({"item": ["1", "2"], "pattern": ["0", "1"], "audit_id": ["a", "b"], "stratum": ["", ""],
    ...     "first_at": [day[0], day[2]]})
    >>> strata = pl.DataFrame({"audit_id": ["a", "b"], "stratum": ["", ""], "n_items": [1, 1], "n_population": [10, 5],
    ...     "drawn_at": [day[1], day[3]]})
    >>> others = pl.DataFrame(schema={"item": pl.String, "pattern": pl.String, "stratum": pl.String,
    ...     "first_at": pl.Datetime, "gold_at": pl.Datetime})
    >>> gold_inclusion(drawn, strata, others)["inclusion_probability"].round(3).to_list()  # .1 + .9 * .2, and .2
    [0.28, 0.2]
    """
    if drawn.is_empty() or (others.height and drawn.height < LEAST_DRAWN):
        return None
    samples = _samples(strata, drawn)
    later = pl.col("drawn_at") >= pl.col("gold_at")
    met = _met(drawn, samples)
    probable = met.group_by("item", "pattern", maintain_order=True).agg(pl.col("chance").sum().alias(INCLUSION))
    left_out = _met(others, samples).group_by("item", "pattern", maintain_order=True).agg(
        p=pl.col("chance").sum(),
        q=(pl.col("chance").filter(later).sum() / pl.col("passed").filter(later).first()).fill_nan(None),
        before_all=(later | ~pl.col("answered")).all() & pl.col("answered").any(),
    )  # fmt: skip
    # Where no drawn item of the stratum has gold yet, p and q are 0.
    counted_once = pl.col("before_all") & (pl.col("p") == 0)
    undrawn = left_out.filter(counted_once | (pl.col("q") > 0)).select(
        "item", "pattern", pl.when(counted_once).then(1.0).otherwise(pl.col("p") / pl.col("q")).alias(INCLUSION)
    )
    n_unlabelled = pl.lit(_n_unlabelled(strata, drawn), pl.Int64)
    frames = [probable.with_columns(drawn=pl.lit(value=True)), undrawn.with_columns(drawn=pl.lit(value=False))]
    return pl.concat(frames).sort("item").with_columns(n_unlabelled=n_unlabelled)


def _samples(strata: pl.DataFrame, drawn: pl.DataFrame) -> pl.DataFrame:
    """Return the samples by stratum: audit_id, stratum, drawn_at, rate (drawn and labelled), missed (not drawn),
    answered (an item of any stratum has gold)."""
    labelled = drawn.group_by("audit_id", "stratum").agg(n=pl.len())
    answered = pl.col("audit_id").is_in(drawn["audit_id"].implode())
    return strata.join(labelled, on=["audit_id", "stratum"], how="left").select(
        "audit_id", "stratum", "drawn_at",
        rate=(pl.col("n").fill_null(0) / pl.col("n_population")).clip(0, 1),
        missed=(1 - pl.col("n_items") / pl.col("n_population")).clip(0, 1),
        answered=answered,
    )  # fmt: skip


def _met(items: pl.DataFrame, samples: pl.DataFrame) -> pl.DataFrame:
    """Return the samples that could draw each item, in their order, and the item's own: passed is the probability that
    earlier ones did not draw it, chance that of gold by this one."""
    own = pl.col("audit_id") == pl.col("audit_id_other") if "audit_id" in items.columns else pl.lit(value=False)
    met = items.join(samples, on="stratum", suffix="_other").filter(own | (pl.col("first_at") <= pl.col("drawn_at")))
    met = met.sort("item", "drawn_at", "audit_id_other" if "audit_id" in items.columns else "audit_id")
    passed = pl.col("missed").cum_prod().shift(1, fill_value=1.0).over("item")
    return met.with_columns(passed=passed).with_columns(chance=pl.col("rate") * pl.col("passed"))


def _n_unlabelled(strata: pl.DataFrame, drawn: pl.DataFrame) -> int:
    """Count the items in strata of which no drawn item has gold. Audits that nobody answered yet do not count."""
    answered = strata.join(drawn, on="audit_id", how="semi").join(drawn, on="stratum", how="anti")
    return int(answered.group_by("stratum").agg(pl.col("n_population").max())["n_population"].sum())


def weighted_gold(gold: pl.DataFrame | None, inclusion: Inclusion | None) -> pl.DataFrame | None:
    """Return the gold patterns with the probabilities of their items, without gold that has none."""
    if gold is None or inclusion is None:
        return gold
    lists = inclusion.sort("item").group_by(pl.col("pattern").alias("item")).agg(INCLUSION)
    weighted = gold.join(lists, on="item").sort("item")
    return weighted.with_columns(n_items=pl.col(INCLUSION).list.len().cast(pl.Int64))


def gold_origin(gold: pl.DataFrame | None) -> str | None:
    """Return 'drawn' where each gold item was drawn with a known probability, 'unknown' for other gold, else None."""
    return None if gold is None else "drawn" if is_drawn(gold) else "unknown"


def inclusion_note(gold: pl.DataFrame | None, inclusion: Inclusion | None) -> list[str]:
    """Say that the gold items are weighted, and what becomes of gold that no audit drew."""
    if gold is None or inclusion is None:
        return []
    used = inclusion.filter(pl.col("pattern").is_in(gold["item"].implode()))
    weighted = ["The gold items were drawn with probabilities that differ, and are weighted by them."]
    notes = (weighted if is_unequal(used) else []) + on_unlabelled_strata(inclusion)
    return notes + on_other_gold(used, int(gold["n_items"].sum()))


def on_unlabelled_strata(inclusion: Inclusion | None) -> list[str]:
    """Say for which items the figures with gold do not hold, because their strata have none."""
    n = 0 if inclusion is None or inclusion.is_empty() else int(inclusion["n_unlabelled"][0])
    if not n:
        return []
    return [
        f"No drawn item of some strata has a label yet. These strata have {counted(n, 'item')}, and the figures with"
        " gold hold for them only if they are like the others. Label drawn items of each stratum."
    ]


def is_unequal(inclusion: Inclusion) -> bool:
    """Tell whether the probabilities differ."""
    smallest, largest = inclusion[INCLUSION].min(), inclusion[INCLUSION].max()
    if smallest is None or largest is None:
        return False
    return float(largest) - float(smallest) > ALIKE * float(largest)  # type: ignore[arg-type]


def on_other_gold(inclusion: Inclusion, n_gold: int) -> list[str]:
    """Say what becomes of the gold items that no audit drew. n_gold: all gold items, whoever chose them."""
    counts = inclusion.filter(~pl.col("drawn"))[INCLUSION]
    n_before, n_later = int(((counts - 1).abs() <= ALIKE).sum()), n_gold - inclusion.height
    notes, n_between = [], len(counts) - n_before
    if n_before:
        notes.append(
            f"{n_before:,} of the gold items were not drawn by `kappaflow audit`. They had gold before it drew from the"
            " others, so each of them stands for itself alone."
        )
    if n_between:
        notes.append(
            f"{n_between:,} of the gold items were not drawn by `kappaflow audit`. They had gold before its last draw,"
            " but not before the first that could have drawn them: they are weighted so that the items drawn before and"
            " they stand together for the items that the last draw left out."
        )
    if n_later > 0:
        notes.append(
            f"{n_later:,} of the gold items are of unknown origin, and are left out: they were not drawn by `kappaflow"
            " audit`, and the drawn ones stand for them, too. For items that came after the last draw that holds if"
            " they are like the earlier ones. Draw again, and the sample has such items as well."
        )
    return notes
