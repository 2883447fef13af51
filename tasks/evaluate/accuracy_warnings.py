"""Add to the accuracies of systems what to keep in mind about them."""

from collections.abc import Mapping, Sequence

import polars as pl

from stats.accuracy.gold.audit_notes import pooled_versions
from stats.accuracy.warnings_in_words import from_checks
from tasks.counted_words import counted

MAX_NAMED = 6  # labels in a sentence


def with_unused_labels(
    accuracies: pl.DataFrame, rated: pl.DataFrame, systems: Sequence[str], gold: pl.DataFrame | None
) -> pl.DataFrame:
    """Add a warning to the accuracies of each system with a label that neither an annotator nor gold gave.

    `rated` has item, rater, label, and n_items if its items are patterns. Without annotators there is no warning: gold
    alone says what is right.
    """
    is_system = pl.col("rater").is_in(list(systems))
    used = set(rated.filter(~is_system)["label"].unique())
    if not used:
        return accuracies
    if gold is not None:
        used |= set(gold["label"].unique())
    count = pl.col("n_items").sum() if "n_items" in rated.columns else pl.len()
    answers = rated.filter(is_system).group_by("rater", "label").agg(count.alias("n"))
    answers = answers.sort("n", "label", descending=[True, False])
    notes = {
        str(system): _sentence(unused, int(of_system["n"].sum()))
        for (system,), of_system in answers.group_by("rater", maintain_order=True)
        if (unused := of_system.filter(~pl.col("label").is_in(sorted(used)))).height
    }
    return _with_warnings(accuracies, {system: [note] for system, note in notes.items()})


def with_check_warnings(accuracies: pl.DataFrame, checks: pl.DataFrame) -> pl.DataFrame:
    """Add the warnings of the checks to the accuracies of each system."""
    return _with_warnings(accuracies, {system: from_checks(checks, system) for system in accuracies["system"].unique()})


def with_pooled_versions(accuracies: pl.DataFrame, versions_of: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """Add a note to the accuracies that are over several versions of their system. versions_of: in their order."""
    several = {system: versions for system, versions in versions_of.items() if len(versions) > 1}
    return _with_warnings(accuracies, {system: [pooled_versions(versions)] for system, versions in several.items()})


def with_notes(accuracies: pl.DataFrame, notes: Sequence[str]) -> pl.DataFrame:
    """Add notes on the gold to all accuracies."""
    return _with_warnings(accuracies, dict.fromkeys(accuracies["system"], notes))


def _with_warnings(accuracies: pl.DataFrame, warnings: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """Add the warnings of each system to those of its accuracies that are not null."""
    added = [
        [] if value is None else list(warnings.get(system, ()))
        for system, value in accuracies.select("system", "accuracy").rows()
    ]
    return accuracies.with_columns(pl.col("warnings").list.concat(pl.Series(added, dtype=pl.List(pl.String))))


def _sentence(unused: pl.DataFrame, n_answers: int) -> str:
    n = int(unused["n"].sum())
    shown = ", ".join(map(repr, unused["label"].head(MAX_NAMED))) + (" ..." if unused.height > MAX_NAMED else "")
    what, verb = ("has a label", "counts") if n == 1 else ("have labels", "count")
    return f"{n:,} of its {counted(n_answers, 'answer')} {what} that no annotator gave ({shown}), and {verb} as wrong."
