"""Give each person one name: replace the aliases of `[raters]` where ratings are read."""

from collections.abc import Collection, Mapping
from dataclasses import replace

import polars as pl

from tasks.formats import ReadOptions
from tasks.ingest.validate import ValidatedExport


def rename_raters(checked: ValidatedExport, aliases: Mapping[str, str], options: ReadOptions) -> ValidatedExport:
    """Replace aliases by the names of their raters, in ratings and rejected rows.

    The name that the file gave goes to the column `name_in_file`. A person who is renamed to a system or gold rater of
    the source becomes one. Rename before `number_repeats`: ratings under two names are then several by one rater.
    """
    changes = {name: aliases[name] for name in _names(checked.ratings["rater"]) if name in aliases}
    rejects = checked.rejects.with_columns(pl.col("rater").replace(aliases)) if aliases else checked.rejects
    if not changes:
        return replace(checked, rejects=rejects)
    given = pl.col("rater").cast(pl.String)
    is_renamed = given.is_in(list(changes))
    ratings = checked.ratings.with_columns(
        given.replace(changes).alias("rater"),
        pl.when(is_renamed).then(given).alias("name_in_file"),
        _kind(is_renamed, given.replace(changes), options).cast(checked.ratings["rater_kind"].dtype),
    )
    return replace(checked, ratings=ratings, rejects=rejects)


def _names(raters: pl.Series) -> Collection[str]:
    return raters.unique().cast(pl.String).to_list()


def _kind(is_renamed: pl.Expr, rater: pl.Expr, options: ReadOptions) -> pl.Expr:
    """Return the kind of each rater: that of the new name, where the file gave an unknown one."""
    kind = pl.col("rater_kind").cast(pl.String)
    unknown = is_renamed & (kind == "human")
    return (
        pl.when(unknown & rater.is_in(sorted(options.gold))).then(pl.lit("gold"))
        .when(unknown & rater.is_in(sorted(options.systems))).then(pl.lit("system"))
        .otherwise(kind).alias("rater_kind")
    )  # fmt: skip
