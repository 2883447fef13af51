"""Compute the agreement on rankings or texts in a file, or in several as one, without a project."""

import json
from collections.abc import Mapping
from typing import Any

import polars as pl

from schemas.rating_columns import IS_HUMAN, IS_SYSTEM
from stats.answers import RANKS, TEXTS, answer_agreement, answers_by_pair, ranking_distances, text_distances
from stats.answers.rankings import comparable_items
from stats.errors import StatsError
from tasks.counted_words import counted
from tasks.errors import InputError, some
from tasks.evaluate.regions.few_items import few_items_notes
from tasks.formats.answers.answer_export import RANKING, AnswerExport
from tasks.formats.answers.written_rankings import parse_ranking
from tasks.formats.weighted import N_ITEMS
from tasks.single_file.load_file import FileOptions, LoadedQuestion

NOT_RANKED = "Left out, because they are no rankings such as A > B = C: {n:,}; the first is {first!r}."
OTHER_OPTIONS = "Items left out because their raters put different options in order: {n:,}."


def agree_on_answers(
    held: AnswerExport,
    options: FileOptions,
    kind: str | None,
    *,
    coefficients: tuple[str, ...] | None = None,
    by: tuple[str, ...] = (),
    min_items: int = 1,
    useless: Mapping[str, object] | None = None,
) -> list[dict[str, Any]]:
    """Compute the figures of each question that the options ask for, in the shape of `agree --json`.

    Of rankings kendall_w, spearman and kendall_tau; of texts text_similarity, word_similarity and exact_match. `kind`
    is what the user says that the answers are. `useless` are options that have no use here, null where not given.
    """
    _check(by, useless)
    questions = [options.question] if options.question is not None else held.questions
    if len(questions) > 1 and not options.all_questions:
        raise InputError(
            f"The rankings or texts are of {len(questions)} questions: {some(questions)}.",
            "Name one with --question NAME, or ask for --all-questions.",
        )
    if absent := sorted(options.reading.systems - set(held.rows["rater"])):
        raters = sorted(set(held.rows["rater"]))
        raise InputError(f"No answer is by '{absent[0]}'.", f"The raters: {some(raters)}.")
    counts = held.rejects.group_by("reason").len().sort("len", "reason", descending=[True, False])
    rejected = [f"{counted(n, 'answer was', 'answers were')} rejected: {reason}." for reason, n in counts.rows()]
    results = []
    for question in questions:
        rows = held.rows.filter(pl.col("question") == question)
        kinds = rows["kind"].unique().to_list()
        if len(kinds) > 1 or (kind is not None and kind != kinds[0]):
            what = " and ".join(sorted(kinds))
            raise InputError(
                f"{question} has answers of the kind {what}.", "Leave --answers out, or name another question."
            )
        chosen = {"coefficients": coefficients, "confidence": options.confidence}
        notes = [*held.warnings, *rejected]
        results.append(_agree(question, rows, kinds[0], by, min_items, chosen, notes))
    return results


def agree_on_labels_as(
    loaded: LoadedQuestion,
    kind: str,
    options: FileOptions,
    *,
    coefficients: tuple[str, ...] | None = None,
    by: tuple[str, ...] = (),
    min_items: int = 1,
    useless: Mapping[str, object] | None = None,
) -> dict[str, Any]:
    """Compute the same for the labels of a table that are rankings (`A > B = C`) or texts, as the user says."""
    _check(by, useless)
    if N_ITEMS in loaded.ratings.columns:
        raise InputError("Counts of items cannot be used with rankings and texts.", "Give a row per answer.")
    rows, notes = loaded.ratings.select("item", "rater", "rater_kind", pl.col("label").alias("answer")), []
    if kind == RANKING:
        parsed = [parse_ranking(answer) for answer in rows["answer"]]
        odd = [answer for answer, ranks in zip(rows["answer"], parsed, strict=True) if ranks is None]
        notes = [NOT_RANKED.format(n=len(odd), first=odd[0][:60])] if odd else []
        rows = rows.with_columns(answer=pl.Series(parsed, dtype=pl.String)).drop_nulls("answer")
        if odd and rows.is_empty():
            raise InputError(
                f"{loaded.question} has no ranking: the first answer is {odd[0][:60]!r}.", "Write A > B = C."
            )
    chosen = {"coefficients": coefficients, "confidence": options.confidence}
    labels_note = f"{loaded.question}: {loaded.labels.note}"
    warnings = [note for note in loaded.warnings if note != labels_note]
    result = _agree(loaded.question, rows, kind, by, min_items, chosen, [*warnings, *notes])
    return result | {"columns": None if loaded.read_columns is None else loaded.read_columns.to_json()}


def _check(by: tuple[str, ...], useless: Mapping[str, object] | None) -> None:
    for name, value in (useless or {}).items():
        if value:
            raise InputError(f"{name} cannot be used with rankings and texts.", "Leave it out.")
    if odd := [name for name in by if name != "pair"]:
        raise InputError(f"--by {odd[0]} is not offered for rankings and texts.", "Use --by pair.")


def _agree(
    question: str,
    rows: pl.DataFrame,
    kind: str,
    by: tuple[str, ...],
    min_items: int,
    chosen: dict[str, Any],
    notes: list[str],
) -> dict[str, Any]:
    people = rows.filter(IS_HUMAN)
    if people["rater"].n_unique() < 2:
        raise InputError(f"{question} has answers by fewer than two people: agreement needs two.", "Give more files.")
    options: list[str] = []
    if kind == RANKING:
        ranks = _ranks(people)
        options = ranks["option"].unique().sort().to_list()
        distances, concordance = ranking_distances(ranks)
        several = people.group_by("item").len().filter(pl.col("len") > 1)["item"]
        if other := several.len() - comparable_items(ranks).height:
            notes = [*notes, OTHER_OPTIONS.format(n=other)]
    else:
        texts = people.select("item", "rater", text="answer").select(*TEXTS)
        distances, concordance = text_distances(texts), None
    if n := rows.filter(IS_SYSTEM)["rater"].n_unique():
        notes = [*notes, f"Left out, because they are systems: {n:,}."]
    try:
        figures = answer_agreement(distances, concordance=concordance, **chosen)
        pairs = answers_by_pair(distances, min_items=min_items, **chosen) if "pair" in by else None
    except StatsError as error:
        what, _, hint = str(error).rpartition(". ")
        raise InputError(f"{what}.", hint) from error
    kinds = "rankings" if kind == RANKING else "texts"
    return {
        "question": question,
        "labels": options,
        "scale": "nominal",
        "n_items": people["item"].n_unique(),
        "n_raters": people["rater"].n_unique(),
        "n_ratings": people.height,
        "answers": kinds,
        "coefficients": figures.to_dicts(),
        **({} if pairs is None else {"by_pair": pairs.to_dicts()}),
        "columns": None,
        "warnings": [*notes, *few_items_notes(kinds, figures.to_dicts())],
    }


def _ranks(people: pl.DataFrame) -> pl.DataFrame:
    rows = [
        (item, rater, option, rank)
        for item, rater, answer in people.select("item", "rater", "answer").rows()
        for option, rank in json.loads(answer)
    ]
    return pl.DataFrame(rows, schema=RANKS, orient="row", strict=False)
