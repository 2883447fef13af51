"""Measure the pairwise preferences of a single file: strengths, agreement, position bias, judges against people."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from schemas.rating_columns import IS_HUMAN
from tasks.counted_words import counted
from tasks.doubtful_raters import doubtful_raters, names_model
from tasks.errors import ColumnsHint, InputError, some
from tasks.evaluate.labels import no_answers
from tasks.evaluate.preference_figures import PreferenceFigures, preference_figures
from tasks.formats import ReadOptions
from tasks.formats.preferences.preference_votes import PreferenceExport
from tasks.formats.preferences.read_preferences import read_preferences


@dataclass(frozen=True)
class PreferencesOfFile:
    """The votes of one question of a file, and their figures."""

    export: PreferenceExport
    question: str | None
    votes: pl.DataFrame
    figures: PreferenceFigures
    warnings: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON value of `kappaflow prefer --json`."""
        figures, strengths = self.figures, self.figures.strengths
        return {
            "format": self.export.format,
            "question": self.question,
            "n_votes": self.votes.height,
            "n_comparisons": self.export.n_comparisons,
            "n_models": strengths.models.height,
            "n_raters": self.votes["rater"].drop_nulls().n_unique(),
            "n_skipped": self.export.n_skipped,
            "n_rejected": self.export.rejects.height,
            "votes_of": figures.votes_of,
            "interval_method": strengths.interval_method,
            "n_clusters": strengths.n_clusters,
            "tie_parameter": strengths.tie_parameter,
            "tie_low": strengths.tie_low,
            "tie_high": strengths.tie_high,
            "models": strengths.models.to_dicts(),
            "agreement": figures.agreement.to_dicts(),
            "raters": figures.raters.to_dicts(),
            "position": figures.position.to_dicts(),
            "n_swapped": figures.n_swapped,
            "n_swapped_alike": figures.n_swapped_alike,
            "judges": figures.judges.to_dicts(),
            "columns": None if self.export.columns is None else self.export.columns.to_json(),
            "warnings": list(self.warnings),
        }


def preferences_of_file(
    path: Path, reading: ReadOptions, *, question: str | None = None, confidence: float = 0.95
) -> PreferencesOfFile:
    """Measure a file of preferences. The strengths come from people's votes if there are any, else from systems'.

    Of several votes of a rater on a comparison in one order the last counts. Errors: ReadError and InputError as
    `read_preferences`; InputError for a system that did not vote, and for a file without a vote.
    """
    export = read_preferences(path, reading)
    _check_systems(export.votes, reading)
    chosen = _question(export, question, path)
    votes, n_repeated = _last(chosen.votes)
    if votes.is_empty():
        raise InputError(f"{path.name} holds no vote that can be read.", _why_not(export))
    figures = preference_figures(votes, confidence=confidence)
    return PreferencesOfFile(
        chosen,
        votes["question"][0],
        votes,
        figures,
        (*export.warnings, *_rejected(export), *_repeated(n_repeated), *_models_beside_people(votes), *figures.notes),
    )


def _check_systems(votes: pl.DataFrame, reading: ReadOptions) -> None:
    raters = votes["rater"].drop_nulls().unique().sort().to_list()
    if absent := sorted(reading.systems - set(raters)):
        raise InputError(f"No vote is by {absent[0]!r}.", f"The voters: {some(raters) or 'nobody is named'}.")


def _question(export: PreferenceExport, question: str | None, path: Path) -> PreferenceExport:
    """Return the votes of one question. Tables have no questions."""
    names = export.votes["question"].drop_nulls().unique().sort().to_list()
    if question is not None and question not in names:
        raise InputError(f"{path.name} has no question {question!r}.", f"It has: {some(names) or 'none by name'}.")
    if len(names) > 1 and question is None:
        raise InputError(f"{path.name} holds {len(names)} questions: {some(names)}.", "Name one with --question NAME.")
    if question is None:
        return export
    return replace(export, votes=export.votes.filter(pl.col("question") == question))


def _last(votes: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Return the last vote of each named rater on a comparison in one order, and how many others there were."""
    by_raters = votes.filter(pl.col("rater").is_not_null())
    kept = by_raters.unique(["item", "rater", "first", "second"], keep="last", maintain_order=True)
    nameless = votes.filter(pl.col("rater").is_null())
    return pl.concat([kept, nameless]).sort("row_number", maintain_order=True), by_raters.height - kept.height


def _rejected(export: PreferenceExport) -> list[str]:
    counts = export.rejects.group_by("reason").len().sort("len", "reason", descending=[True, False])
    sentences = [f"{counted(n, 'vote was', 'votes were')} rejected: {reason}." for reason, n in counts.rows()]
    unknown = export.rejects.filter(reason="unknown_label", column_name="winner")["value"].drop_nulls()
    values = unknown.value_counts(sort=True).sort("count", "value", descending=[True, False])["value"].to_list()
    if values and (answers := [value for value in values if value not in no_answers(["a", "b", *values])]):
        mapping = ColumnsHint({"tie": answers[0]})
        sentences.append(
            f"These votes name no model: {some(values)}. If {answers[0]!r} stands for a tie: add {mapping}."
        )
    return sentences


def _models_beside_people(votes: pl.DataFrame) -> list[str]:
    """Say which voters count as people but are named like models, if there are other people: their votes are mixed."""
    people = votes.filter(IS_HUMAN)["rater"].drop_nulls().unique().to_list()
    return doubtful_raters(people) if not all(map(names_model, people)) else []


def _repeated(n: int) -> list[str]:
    return (
        [f"{counted(n, 'vote was', 'votes were')} superseded by a later one of the same rater on the same comparison."]
        if n
        else []
    )


def _why_not(export: PreferenceExport) -> str:
    if export.rejects.is_empty():
        return "Check that the file has rows."
    row = export.rejects.row(0, named=True)
    return f"Row {row['row_number']}, {row['column_name']} {row['value'] or ''}: {row['detail']}"
