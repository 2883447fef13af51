"""Read from the published snapshot what a run prints: the figures of its questions, and the open alerts."""

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from stats.verdict_interval import POOR
from tasks.region_coefficients import HEADLINES
from tasks.summary.annotators import contradictions_by_question
from tasks.summary.contrary_voter_rows import contrary_voter_sentences
from tasks.summary.headline import estimate_or_last, headline_rows
from tasks.summary.poor_agreement import Causes, causes_by_question, is_poor, what_to_clarify
from tasks.summary.published_views import (
    of_all_raters,
    overall,
    queue_questions,
    read_low_pairs,
    read_most_confused_pairs,
    read_views,
)
from tasks.summary.region_raters import region_rater_sentences
from tasks.summary.rejected_counts import rejected_by_file
from tasks.summary.slice_sentences import slice_sentences
from warehouse.connect import connect, kept_open
from warehouse.questions import has_figures, has_only_regions, has_only_votes, open_alerts

Row = dict[str, Any]
SLICE, SLICE_COEFFICIENT = "slice:", "krippendorff_alpha"
# The coefficients that `run` prints. The report and the warehouse have all.
PRINTED_COEFFICIENTS = ("percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1")
_CHANGED_VIEWS = (
    "latest_agreement",
    "latest_region_agreement",
    "latest_model_strengths",
    "latest_system_accuracy",
    "current_rejected_rows",
)
_BRIEF_VIEWS = (
    "latest_agreement",
    "latest_region_agreement",
    "latest_system_accuracy",
    "latest_model_strengths",
    "latest_preference_figures",
    "alert_states",
)


@dataclass(frozen=True)
class ChangedFigures:
    """The results of the questions that a run evaluated, and the rejected rows of its files, as rows of the views.

    `systems` has the headline row of each system. `slices` has the name of the slice without its prefix in `scope`.
    `low_slices` has a sentence for each system that is less accurate on a slice than on the others, `region_raters` for
    each annotator of spans, boxes, rankings or texts who stands out.
    """

    agreement: list[Row]
    slices: list[Row]
    regions: list[Row]
    models: list[Row]
    systems: list[Row]
    rejected: list[Row]
    low_slices: list[str] = field(default_factory=list)
    region_raters: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class RunFigures:
    """What a run prints of the project. `changed` is None if no file came in and no question changed.

    `has_figures` is false until a question has agreement or strengths of models.
    """

    changed: ChangedFigures | None
    open_alerts: list[Row]
    has_only_regions: bool
    has_only_votes: bool
    has_figures: bool = True


@dataclass(frozen=True)
class BriefFigures:
    """What `run --brief` prints: one row a question, a system and a model, and the open alerts, critical ones first.

    `regions` has one row a question of spans, boxes, rankings or texts. `doubtful_question` is, of the questions with
    items in doubt, the one with the lowest agreement. None if no item is in doubt. `contradictions` has a sentence for
    each annotator who contradicts the others of a question, `low_slices` for each system that is less accurate on a
    slice than on the others. `poor` has a sentence for each other question whose agreement is poor
    for sure: there `contradictions` has none.
    """

    agreement: list[Row]
    systems: list[Row]
    models: list[Row]
    open_alerts: list[Row]
    doubtful_question: str | None
    contradictions: list[str] = field(default_factory=list)
    low_slices: list[str] = field(default_factory=list)
    regions: list[Row] = field(default_factory=list)
    poor: list[str] = field(default_factory=list)


def read_run_figures(snapshot: Path, questions: Set[str], files: Sequence[str]) -> RunFigures:
    """Read the figures of these questions, the rejected rows of these files, and the open alerts."""
    with kept_open(snapshot, read_only=True):
        changed = _changed_figures(snapshot, questions, files) if questions or files else None
        with connect(snapshot, read_only=True) as con:
            return RunFigures(changed, open_alerts(con), has_only_regions(con), has_only_votes(con), has_figures(con))


def read_brief_figures(snapshot: Path) -> BriefFigures:
    """Read one figure for each question, system and model, and what to look at next."""
    with kept_open(snapshot, read_only=True):
        views = read_views(snapshot, *_BRIEF_VIEWS)
        doubtful = queue_questions(snapshot)
        pairs, confused = read_low_pairs(snapshot), read_most_confused_pairs(snapshot)
    agreement = overall(views["latest_agreement"]).filter(coefficient="krippendorff_alpha").to_dicts()
    lowest = min((row for row in agreement if row["question"] in doubtful), key=estimate_or_last, default=None)
    alerts = views["alert_states"].filter(pl.col("closed_at").is_null())
    return BriefFigures(
        agreement,
        headline_rows(views["latest_system_accuracy"].filter(scope="all")).to_dicts(),
        views["latest_model_strengths"].to_dicts(),
        _in_order(alerts).to_dicts(),
        lowest["question"] if lowest else None,
        [
            *contradiction_sentences(pairs),
            *region_sentences(views["latest_region_agreement"]),
            *contrary_voter_sentences(views["latest_preference_figures"]),
        ],
        slice_sentences(views["latest_system_accuracy"]),
        of_all_raters(views["latest_region_agreement"])
        .filter(pl.col("coefficient").is_in(HEADLINES))
        .sort("question")
        .to_dicts(),
        poor_sentences(views["latest_agreement"], confused, pairs),
    )


def _in_order(alerts: pl.DataFrame) -> pl.DataFrame:
    """Sort the open alerts as `status` and the pages do: critical before warnings, the latest first."""
    names = ("question", "kind", "subject", "alert_id")
    return alerts.sort(
        pl.col("severity") != "critical", pl.col("opened_at"), *names, descending=[False, True, *[False] * len(names)],
        nulls_last=True,
    )  # fmt: skip


def contradiction_sentences(pairs: pl.DataFrame) -> list[str]:
    """Say which annotators contradict the others, with their question."""
    by_question = contradictions_by_question(pairs)
    return [f"{question}: {each.sentence}" for question, several in by_question.items() for each in several]


def region_sentences(regions: pl.DataFrame) -> list[str]:
    """Say which annotators of spans, boxes, rankings or texts stand out, with their question.

    `regions` are rows of `latest_region_agreement`.
    """
    by_question = region_rater_sentences(regions)
    return [f"{question}: {sentence}" for question, several in by_question.items() for sentence in several]


def poor_sentences(agreement: pl.DataFrame, confused: pl.DataFrame, pairs: pl.DataFrame) -> list[str]:
    """Say which questions have poor agreement, and what to clarify there, except where annotators contradict others.

    agreement: rows of `latest_agreement`; confused: of the page query `most_confused_pairs`; pairs: of
    `latest_pairwise_agreement`.
    """
    causes, contrary = causes_by_question(pairs, confused), contradictions_by_question(pairs)
    rows = overall(agreement).filter(coefficient="krippendorff_alpha").sort("estimate", "question").to_dicts()
    poor = [(row["question"], row) for row in rows if row["question"] not in contrary and is_poor(row)]
    lies = f"the whole interval of agreement lies below {POOR:g}."
    return [f"{question}: {lies} {what_to_clarify(row, causes.get(question, Causes()))}" for question, row in poor]


def slice_rows(agreement: pl.DataFrame) -> pl.DataFrame:
    """Keep the row of each slice of `latest_agreement`, its name in `scope`, sorted by question and slice."""
    rows = agreement.filter(pl.col("scope").str.starts_with(SLICE), period="all", coefficient=SLICE_COEFFICIENT)
    return rows.with_columns(pl.col("scope").str.strip_prefix(SLICE)).sort("question", "scope")


def without_repeated_reasons(rows: pl.DataFrame) -> pl.DataFrame:
    """Leave one row, without the coefficient's name, of a question that one reason leaves without any figure.

    >>> frame = pl.DataFrame({"question": ["q", "q"], "coefficient": ["a", "b"], "estimate": [None, None],
    ...     "reason": ["too_few_raters"] * 2})
    >>> without_repeated_reasons(frame).rows()
    [('q', None, None, 'too_few_raters')]
    """
    alike = (pl.col("estimate").is_null().all() & (pl.col("reason").n_unique() == 1)).over("question")
    first = pl.int_range(pl.len()).over("question") == 0
    marked = rows.with_columns(alike=alike, first=first).filter(~pl.col("alike") | pl.col("first"))
    coefficient = pl.when(~pl.col("alike")).then(pl.col("coefficient"))
    return marked.with_columns(coefficient=coefficient).select(rows.columns)


def _changed_figures(snapshot: Path, questions: Set[str], files: Sequence[str]) -> ChangedFigures:
    views = read_views(snapshot, *_CHANGED_VIEWS)
    of_questions = pl.col("question").is_in(questions)
    agreement = views["latest_agreement"].filter(of_questions)
    printed = overall(agreement).filter(pl.col("coefficient").is_in(PRINTED_COEFFICIENTS))
    return ChangedFigures(
        without_repeated_reasons(printed).to_dicts(),
        slice_rows(agreement).to_dicts(),
        of_all_raters(views["latest_region_agreement"]).filter(of_questions).to_dicts(),
        views["latest_model_strengths"].filter(of_questions).to_dicts(),
        headline_rows(views["latest_system_accuracy"].filter(of_questions, scope="all")).to_dicts(),
        rejected_by_file(views["current_rejected_rows"], files).to_dicts(),
        slice_sentences(views["latest_system_accuracy"].filter(of_questions)),
        region_sentences(views["latest_region_agreement"].filter(of_questions)),
    )
