"""Give each person one name where ratings are read: aliases of `[raters]`, and pseudonyms of forgotten raters."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial

import polars as pl

from tasks.formats import ReadOptions
from tasks.ingest.spooled_export import SpooledExport
from tasks.ingest.validate import ValidatedExport
from warehouse.raters.forgotten_names import ForgottenNames

NOBODY = ForgottenNames()


def rename_raters(
    checked: ValidatedExport,
    aliases: Mapping[str, str],
    options: ReadOptions,
    forgotten: ForgottenNames = NOBODY,
) -> ValidatedExport:
    """Replace aliases by the names of their raters, and the names of forgotten raters by their pseudonyms.

    Both in ratings and in rejected rows, with the text of their cells. The name that the file gave goes to the column
    `name_in_file`, unless it is forgotten. A person who is renamed to a system or gold rater of the source becomes one.
    Rename before `number_repeats`: ratings under two names are then several by one rater. To rename twice is the same
    as once.
    """
    if not aliases and not forgotten:
        return checked
    rejects = _renamed_rejects(checked.rejects, aliases, forgotten)
    if isinstance(checked, SpooledExport):
        new_names = {name: _new_name(name, aliases, forgotten) for name in checked.raters}
        if all(new == name for name, new in new_names.items()):
            return replace(checked, rejects=rejects)
        rename = partial(_renamed_ratings, aliases=aliases, options=options, forgotten=forgotten)
        return replace(checked.changed(rename, frozenset(new_names.values())), rejects=rejects)
    ratings = _renamed_ratings(checked.ratings, aliases, options, forgotten)
    return replace(checked, ratings=ratings, rejects=rejects)


def _renamed_ratings(
    ratings: pl.DataFrame, aliases: Mapping[str, str], options: ReadOptions, forgotten: ForgottenNames
) -> pl.DataFrame:
    new_names = {name: _new_name(name, aliases, forgotten) for name in _names(ratings["rater"])}
    changes = {name: new for name, new in new_names.items() if new != name}
    if not changes:
        return ratings
    rater = pl.col("rater").cast(pl.String)
    is_renamed = rater.is_in(list(changes))
    kept = [name for name, new in changes.items() if new == aliases.get(name)]
    return ratings.with_columns(
        rater.replace(changes).alias("rater"),
        pl.coalesce(
            pl.when(rater.is_in(kept)).then(rater),
            "name_in_file" if "name_in_file" in ratings.columns else None,
        ).alias("name_in_file"),
        _kind(is_renamed, rater.replace(changes), options).cast(ratings["rater_kind"].dtype),
    )


def _new_name(name: str, aliases: Mapping[str, str], forgotten: ForgottenNames) -> str:
    rater = aliases.get(name, name)
    return forgotten.pseudonym(rater) or forgotten.pseudonym(name) or rater


def _renamed_rejects(rejects: pl.DataFrame, aliases: Mapping[str, str], forgotten: ForgottenNames) -> pl.DataFrame:
    changes = {name: _new_name(name, aliases, forgotten) for name in _names(rejects["rater"].drop_nulls())}
    renamed = rejects.with_columns(pl.col("rater").replace(changes)) if changes else rejects
    if not forgotten:
        return renamed
    texts = {text for name in ("value", "detail") for text in _names(renamed[name].drop_nulls())}
    return renamed.with_columns(
        pl.col("value", "detail").replace({text: forgotten.without_names(text) for text in texts})
    )


def _names(raters: pl.Series) -> Collection[str]:
    return raters.unique().cast(pl.String).to_list()


def _kind(is_renamed: pl.Expr, rater: pl.Expr, options: ReadOptions) -> pl.Expr:
    """Return the kind of each rater: that of the new name, where the file gave an unknown one."""
    kind = pl.col("rater_kind").cast(pl.String)
    unknown = is_renamed & (kind == "human")
    return pl.when(unknown).then(options.kind_of(rater, kind)).otherwise(kind).alias("rater_kind")
