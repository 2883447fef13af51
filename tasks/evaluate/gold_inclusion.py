"""With which probability the gold items of a question were drawn, by all audits together."""

import polars as pl

from stats.accuracy.gold.gold_weights import ALIKE, INCLUSION

Inclusion = pl.DataFrame
"""One row per gold item: item, pattern (its name), inclusion_probability."""


def gold_inclusion(drawn: pl.DataFrame, strata: pl.DataFrame) -> Inclusion | None:
    """Return the probabilities of the gold items; None where nothing was drawn, or all probabilities are alike.

    drawn: item, pattern, audit_id, stratum, first_at (of the item's first rating); of items that have gold now. strata:
    audit_id, stratum, n_population, drawn_at.

    Several samples draw an item with 1 - prod(1 - p): each leaves out what earlier ones drew, and what came later. p is
    the share of the stratum that was drawn and then labelled, so items that nobody labelled count as not drawn.

    >>> from datetime import datetime
    >>> early, late = datetime(2026, 1, 1), datetime(2026, 2, 1)
    >>> drawn = pl.DataFrame({"item": ["1", "2"], "pattern": ["0", "1"], "audit_id": ["a", "b"], "stratum": ["", ""],
    ...     "first_at": [early, late]})
    >>> strata = pl.DataFrame({"audit_id": ["a", "b"], "stratum": ["", ""], "n_population": [10, 5],
    ...     "drawn_at": [datetime(2026, 1, 2), datetime(2026, 2, 2)]})
    >>> gold_inclusion(drawn, strata)["inclusion_probability"].round(3).to_list()  # 1 - .9 * .8, and .2
    [0.28, 0.2]
    """
    if drawn.is_empty():
        return None
    labelled = drawn.group_by("audit_id", "stratum").agg(n=pl.len())
    rates = strata.join(labelled, on=["audit_id", "stratum"]).with_columns(rate=pl.col("n") / pl.col("n_population"))
    met = drawn.join(rates, on="stratum", suffix="_other").filter(
        (pl.col("audit_id") == pl.col("audit_id_other")) | (pl.col("first_at") <= pl.col("drawn_at"))
    )
    missed = met.sort("item", "audit_id_other").group_by("item", "pattern", maintain_order=True)
    found = missed.agg((1 - (1 - pl.col("rate").clip(0, 1)).product()).alias(INCLUSION)).sort("item")
    smallest, largest = found[INCLUSION].min(), found[INCLUSION].max()
    alike = float(largest) - float(smallest) <= ALIKE * float(largest)  # type: ignore[arg-type]
    return None if alike else found


def weighted_gold(gold: pl.DataFrame | None, inclusion: Inclusion | None) -> pl.DataFrame | None:
    """Return the gold patterns with the probabilities of their items, if these differ. Other gold is left out then."""
    if gold is None or inclusion is None:
        return gold
    lists = inclusion.sort("item").group_by(pl.col("pattern").alias("item")).agg(INCLUSION)
    weighted = gold.join(lists, on="item").sort("item")
    return weighted.with_columns(n_items=pl.col(INCLUSION).list.len().cast(pl.Int64))


def inclusion_note(gold: pl.DataFrame | None, inclusion: Inclusion | None) -> list[str]:
    """Say that the gold items are weighted, and how many are left out because nobody knows how they were chosen."""
    if gold is None or inclusion is None:
        return []
    n_gold = int(gold["n_items"].sum())
    unknown = n_gold - inclusion.filter(pl.col("pattern").is_in(gold["item"].implode())).height
    note = "The gold items were drawn with probabilities that differ, and are weighted by them."
    left_out = f" {unknown:,} gold items were not drawn by `kappaflow audit`: they have no weight and are left out."
    return [note + (left_out if unknown > 0 else "")]
