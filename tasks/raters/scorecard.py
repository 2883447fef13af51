"""Read the scorecards of raters and systems from the published snapshot."""

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import polars as pl

from stats.unnamed import UNNAMED
from tasks.errors import InputError
from tasks.summary.other_answers import refuse_published_answers
from tasks.summary.published_views import read_views

PAIRS_HINT = (
    'See how far each pair of raters agrees: kappaflow sql "select question, rater_a, rater_b, coefficient, estimate, '
    'low, high from latest_region_agreement where rater_a is not null and label is null"'
)
VOTERS_HINT = (
    'See how far each voter agrees with the others: kappaflow sql "select question, rater, estimate, low, high from '
    "latest_preference_figures where figure = 'agreement_with_others'\""
)


@dataclass(frozen=True)
class Scorecards:
    """`cards`: rows of the view rater_scorecard. `bias`: rows of latest_rater_bias of the same raters and questions."""

    cards: pl.DataFrame
    bias: pl.DataFrame


def read_scorecards(snapshot: Path, *, rater: str | None = None, question: str | None = None) -> Scorecards:
    """Read the scorecards of one rater or of all, in one question or in all.

    Raises InputError if the rater or the question has none.
    """
    views = read_views(snapshot, "rater_scorecard", "latest_rater_bias", "latest_system_accuracy")
    cards, bias = views["rater_scorecard"], views["latest_rater_bias"]
    if cards.is_empty():
        raise _no_cards(snapshot)
    if rater is not None and rater in views["latest_system_accuracy"]["system"] and rater not in cards["rater"]:
        raise InputError(f"{rater!r} is a system, and these are the scorecards of people.", "Add --systems.")
    if question is not None and question not in cards["question"]:
        refuse_published_answers(snapshot, question, "a scorecard")
        if _has_unnamed_votes(snapshot, question):
            raise _no_names(f"of {question!r}")
    cards = _only(cards, question=question, rater=rater)
    return Scorecards(cards, bias.join(cards, on=["question", "rater"], how="semi", maintain_order="left"))


def read_system_scorecards(snapshot: Path, *, system: str | None = None, question: str | None = None) -> pl.DataFrame:
    """Read rows of the view system_scorecard: of one system or of all, in one question or in all.

    Raises InputError if the system or the question has none.
    """
    cards = read_views(snapshot, "system_scorecard")["system_scorecard"]
    if cards.is_empty():
        if _has_only_other_work(snapshot) or _has_only_votes(snapshot):
            raise _no_cards(snapshot)
        raise InputError("No question has an evaluated system yet.", "Name systems in kappaflow.toml, and run it.")
    if question is not None and question not in cards["question"]:
        refuse_published_answers(snapshot, question, "a scorecard")
    return _only(cards, question=question, system=system)


def _no_cards(snapshot: Path) -> InputError:
    """Return the error for a project without scorecards, which only questions with labels have."""
    if _has_only_other_work(snapshot):
        return InputError(
            "Scorecards are of labels, and the evaluated questions of this project are rankings, texts, spans or "
            "boxes.",
            PAIRS_HINT,
        )
    if _has_only_votes(snapshot):
        return InputError("Scorecards are of labels, and the answers of this project are votes on models.", VOTERS_HINT)
    if _has_unnamed_votes(snapshot):
        return _no_names("of this project")
    return InputError("No question has scorecards yet.", "Run `kappaflow evaluate --all` once.")


def _no_names(whose: str) -> InputError:
    return InputError(
        f"Scorecards are of single annotators, and the votes {whose} do not name who gave them.",
        "`kappaflow status` has the agreement of all of them.",
    )


def _has_unnamed_votes(snapshot: Path, question: str | None = None) -> bool:
    agreement = read_views(snapshot, "latest_agreement")["latest_agreement"]
    rows = agreement if question is None else agreement.filter(question=question)
    return UNNAMED in rows["reason"]


def _has_only_other_work(snapshot: Path) -> bool:
    views = read_views(snapshot, "latest_agreement", "latest_region_agreement")
    return views["latest_agreement"].is_empty() and not views["latest_region_agreement"].is_empty()


def _has_only_votes(snapshot: Path) -> bool:
    views = read_views(snapshot, "latest_agreement", "latest_region_agreement", "latest_model_strengths")
    return not views.pop("latest_model_strengths").is_empty() and all(view.is_empty() for view in views.values())


def _only(cards: pl.DataFrame, **names: str | None) -> pl.DataFrame:
    """Keep the rows with these names. Raises InputError if no row has one."""
    for column, name in names.items():
        if name is not None:
            available = sorted(set(cards[column]))
            cards = cards.filter(pl.col(column) == name)
            if cards.is_empty():
                raise InputError(f"There is no scorecard of the {column} {name!r}.", _hint(name, available))
    return cards


def _hint(name: str, available: list[str]) -> str:
    nearest = get_close_matches(name, available, n=1)
    return f"The most similar name is {nearest[0]!r}." if nearest else f"Known are {', '.join(available[:20])}."
