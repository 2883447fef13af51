"""Say of figures that some of their gold came from a worklist, which lists the items in doubt."""

from collections.abc import Mapping

import polars as pl

from stats.accuracy.gold.audit_notes import UNKNOWN_ORIGIN

ORIGIN = "worklist"
NOT_RANDOM = (
    "Gold came from a worklist, which lists the items in doubt. So the accuracy is about difficult items, and mostly"
    " lower than over all items."
)


def with_worklist_origin(tables: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Return the tables with gold of unknown origin as gold of a worklist: it is known to be no random sample.

    >>> systems = pl.DataFrame({"gold_origin": ["unknown", None], "warnings": [[UNKNOWN_ORIGIN, "Few items."], []]})
    >>> with_worklist_origin({"system_accuracy": systems})["system_accuracy"].to_dicts()[0]["gold_origin"]
    'worklist'
    """
    changed = dict(tables)
    for name in ("system_accuracy", "rater_quality"):
        if name in changed:
            changed[name] = changed[name].with_columns(pl.col("gold_origin").replace("unknown", ORIGIN))
    if (systems := changed.get("system_accuracy")) is not None:
        words = pl.col("warnings").list.eval(pl.element().replace(UNKNOWN_ORIGIN, NOT_RANDOM))
        changed["system_accuracy"] = systems.with_columns(words)
    return changed


def has_worklist_origin(tables: Mapping[str, pl.DataFrame]) -> bool:
    """Check whether stored tables say that gold came from a worklist."""
    rows = (tables[name]["gold_origin"] for name in ("system_accuracy", "rater_quality") if name in tables)
    return any((origins == ORIGIN).any() for origins in rows)
