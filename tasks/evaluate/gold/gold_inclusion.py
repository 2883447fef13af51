"""With which probability the gold items of a question were drawn, by all audits together."""

import polars as pl

from stats.accuracy.gold.gold_weights import ALIKE, INCLUSION, is_drawn
from tasks.counted_words import counted

Inclusion = pl.DataFrame
"""One row per gold item: item, pattern (its name), inclusion_probability, drawn (by an audit), and in all rows
n_unlabelled, how many items are in strata of which no drawn item has gold."""
LEAST_DRAWN = 10  # drawn gold items with which the figures do without gold of unknown origin


def gold_inclusion(drawn: pl.DataFrame, strata: pl.DataFrame, others: pl.DataFrame) -> Inclusion | None:
    """Return the probabilities of the gold items that have one; None where gold of unknown origin has to do.

    drawn: item, pattern, audit_id, stratum, first_at (of the item's first rating); of items that have gold now. strata:
    audit_id, stratum, n_population, drawn_at. others: item, pattern, first_at, gold_at (of its first gold) of the items
    with gold that no audit drew.

    Several samples draw an item with 1 - prod(1 - p): each leaves out what earlier ones drew, and what came later. p is
    the share of the stratum that was drawn and then labelled, so items that nobody labelled count as not drawn.

    An audit draws from the items without gold. So an item that had gold before stands for itself alone, whoever chose
    it: its probability is 1. Gold that came later has none and is left out, because the drawn items stand for its item.
    So is gold of items that came after the last draw: nobody knows how these items were picked among the new ones.
    Where fewer than LEAST_DRAWN items were drawn and there is other gold, all gold counts, and nobody knows how it was
    chosen: None.

    >>> from datetime import datetime
    >>> early, late = datetime(2026, 1, 1), datetime(2026, 2, 1)
    >>> drawn = pl.DataFrame({"item": ["1", "2"], "pattern": ["0", "1"], "audit_id": ["a", "b"], "stratum": ["", ""],
    ...     "first_at": [early, late]})
    >>> strata = pl.DataFrame({"audit_id": ["a", "b"], "stratum": ["", ""], "n_population": [10, 5],
    ...     "drawn_at": [datetime(2026, 1, 2), datetime(2026, 2, 2)]})
    >>> others = pl.DataFrame(schema={"item": pl.String, "pattern": pl.String, "first_at": pl.Datetime,
    ...     "gold_at": pl.Datetime})
    >>> gold_inclusion(drawn, strata, others)["inclusion_probability"].round(3).to_list()  # 1 - .9 * .8, and .2
    [0.28, 0.2]
    """
    if drawn.is_empty() or (others.height and drawn.height < LEAST_DRAWN):
        return None
    labelled = drawn.group_by("audit_id", "stratum").agg(n=pl.len())
    rates = strata.join(labelled, on=["audit_id", "stratum"]).with_columns(rate=pl.col("n") / pl.col("n_population"))
    met = drawn.join(rates, on="stratum", suffix="_other").filter(
        (pl.col("audit_id") == pl.col("audit_id_other")) | (pl.col("first_at") <= pl.col("drawn_at"))
    )
    missed = met.sort("item", "audit_id_other").group_by("item", "pattern", maintain_order=True)
    probable = missed.agg((1 - (1 - pl.col("rate").clip(0, 1)).product()).alias(INCLUSION)).with_columns(
        drawn=pl.lit(value=True)
    )
    draws = rates.select("audit_id", "drawn_at").unique()
    before = others.join(draws, how="cross").filter(pl.col("first_at") <= pl.col("drawn_at"))
    before = before.group_by("item", "pattern").agg(pl.col("gold_at").first(), pl.col("drawn_at").min())
    certain = before.filter(pl.col("gold_at") <= pl.col("drawn_at")).with_columns(
        pl.lit(1.0).alias(INCLUSION), drawn=pl.lit(value=False)
    )
    n_unlabelled = pl.lit(_n_unlabelled(strata, drawn), pl.Int64)
    return pl.concat([probable, certain.select(probable.columns)]).sort("item").with_columns(n_unlabelled=n_unlabelled)


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
    n_before, n_later = inclusion.height - int(inclusion["drawn"].sum()), n_gold - inclusion.height
    notes = []
    if n_before:
        notes.append(
            f"{n_before:,} of the gold items were not drawn by `kappaflow audit`. They had gold before it drew from the"
            " others, so each of them stands for itself alone."
        )
    if n_later > 0:
        notes.append(
            f"{n_later:,} of the gold items are of unknown origin, and are left out: they were not drawn by `kappaflow"
            " audit`, and the drawn ones stand for them, too. For items that came after the last draw that holds if"
            " they are like the earlier ones. Draw again, and the sample has such items as well."
        )
    return notes
