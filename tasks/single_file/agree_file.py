"""Compute the agreement in a single file, without a project."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from schemas.rating_columns import IS_HUMAN, IS_SYSTEM
from stats.agreement import (
    COEFFICIENTS,
    against_group,
    agreement,
    by_item,
    by_label,
    by_rater,
    pairwise,
    paradox,
)
from stats.agreement.breakdowns.contradictions import COEFFICIENT, MAX_RATERS, MIN_ITEMS, contradictions
from stats.agreement.breakdowns.pairs_by_scale import pairs_by_scale
from stats.agreement.inference.benchmark_scales import benchmark_of
from stats.counts import CountedRatings, count_ratings, long_patterns
from stats.defaults import REPLICATES
from stats.ratings import count_items
from tasks.errors import InputError
from tasks.evaluate.label_groups import label_groups
from tasks.formats.answers.answer_export import KINDS, RANKING, AnswerExport
from tasks.formats.answers.read_answers import read_answers
from tasks.formats.parsing.export import PLACES
from tasks.formats.regions.read_regions import read_regions
from tasks.formats.regions.span_export import MARKED, SpanExport
from tasks.question_result import LEFT_OUT
from tasks.single_file.load_file import FileOptions, LoadedQuestion, load_file, n_ratings, refuse_misspelling

step_log = logging.getLogger("kappaflow.steps")
Rows = list[dict[str, Any]]
Settings = dict[str, Any]
LITTLE = 0.2  # kappa of two raters; where none is lower, nobody gives nearly always the same label
MUCH = 0.9  # kappa of two raters; where none is higher, nobody has the labels of another one


@dataclass(frozen=True)
class AgreementDetail:
    """What to compute besides the coefficients, and how to compute their errors."""

    coefficients: tuple[str, ...] | None = None
    interval_method: str = "t"
    replicates: int = REPLICATES
    population: int | None = None
    by: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    benchmark: str | None = None
    min_items: int = 1
    answers: str | None = None


def agree(
    path: Path | Sequence[Path], options: FileOptions, detail: AgreementDetail | None = None
) -> list[dict[str, object]]:
    """Compute every coefficient for each question of a file, or of several as one, in the shape of `agree --json`.

    Raises ReadError if the file is not an export, InputError if a question, rater or breakdown does not exist.
    """
    detail = detail or AgreementDetail()
    for name in detail.by:
        if name not in BREAKDOWNS:
            raise InputError(f"--by {name!r} is unknown.", f"Use one of {', '.join(BREAKDOWNS)}; repeat for several.")
    paths = [path] if isinstance(path, Path) else list(path)
    held = read_regions(paths, options.reading) if options.reading.regions == PLACES else None
    others = _agree_on_regions(held, options, detail) or _agree_on_answers(paths, options, detail)
    if others is not None:
        return others
    questions = load_file(path, options, held)
    _check_raters(questions)
    results = []
    for number, loaded in enumerate(questions, start=1):
        step_log.debug("agreement %d/%d %s", number, len(questions), loaded.question)
        results.append(_agree(loaded, options, detail))
    return results


def _agree_on_regions(
    held: SpanExport | None, options: FileOptions, detail: AgreementDetail
) -> list[dict[str, object]] | None:
    """Compute the agreement on spans or boxes. None if the files hold none, or if the user asks for something else."""
    if held is None or detail.answers is not None or not _is_wanted(held, options):
        return None
    from tasks.single_file.agree_regions import agree_on_regions

    return agree_on_regions(held, options, useless=_useless(options, detail), **_chosen(detail))


def _agree_on_answers(
    paths: Sequence[Path], options: FileOptions, detail: AgreementDetail
) -> list[dict[str, object]] | None:
    """Compute the agreement on rankings or texts, as the tool's file or else the user says.

    None if the files hold neither, or if the user asks for labels.
    """
    if detail.answers is not None and detail.answers not in KINDS:
        raise InputError(f"--answers {detail.answers!r} is unknown.", f"Use {' or '.join(KINDS)}.")
    rankings = None if options.question is None else (options.question,)
    held = read_answers(paths, options.reading, rankings if detail.answers == RANKING else ())
    if held is None and detail.answers is None:
        return None
    from tasks.single_file.agree_answers import agree_on_answers, agree_on_labels_as

    useless = _useless(options, detail)
    if held is not None and _is_wanted(held, options):
        return agree_on_answers(held, options, detail.answers, useless=useless, **_chosen(detail))
    if detail.answers is None:
        return None
    return [
        agree_on_labels_as(loaded, detail.answers, options, useless=useless, **_chosen(detail))
        for loaded in load_file(paths, replace(options, weights=None))
    ]


def _is_wanted(held: SpanExport | AnswerExport, options: FileOptions) -> bool:
    """Check whether the user names a question of this work, or the files hold nothing else."""
    return options.question in held.questions if options.question is not None else not held.has_labels


def _chosen(detail: AgreementDetail) -> Settings:
    return {"coefficients": detail.coefficients, "by": detail.by, "min_items": detail.min_items}


def _useless(options: FileOptions, detail: AgreementDetail) -> dict[str, object]:
    """Return the options that only labels have a use for, null where not given."""
    return {
        "--weights": options.weights,
        "--scale": options.scale != "nominal",
        "--taxonomy": options.taxonomy,
        "--labels": options.labels,
        "--interval": detail.interval_method not in ("t", "jackknife"),
        "--population": detail.population,
        "--against-group": detail.against,
        "--benchmark": detail.benchmark,
    }


def _agree(loaded: LoadedQuestion, options: FileOptions, detail: AgreementDetail) -> dict[str, object]:
    human = loaded.ratings.filter(IS_HUMAN).select(loaded.columns)
    groups = label_groups(loaded.labels.names, options.taxonomy)
    labels: Settings = {"labels": loaded.labels.names, "scale": options.scale, "weights": options.weights}
    errors: Settings = {
        "confidence": options.confidence,
        "interval_method": detail.interval_method,
        "replicates": detail.replicates,
        "seed": options.seed,
        "population": detail.population,
    }
    counted = count_ratings(human, labels=loaded.labels.names)
    figures = agreement(counted, coefficients=detail.coefficients, **labels, **errors)
    return {
        "question": loaded.question,
        "labels": list(loaded.labels.names),
        "scale": options.scale,
        "n_items": count_items(human),
        "n_raters": human["rater"].n_unique(),
        "n_ratings": n_ratings(human),
        "coefficients": figures.to_dicts(),
        "prevalence": paradox(counted, labels=loaded.labels.names).to_dicts()[0],
        **_benchmark(figures, detail),
        **_against(loaded, human, detail, {**labels, **errors}),
        **{f"by_{name}": _breakdown(name, human, detail, labels, errors, groups) for name in detail.by},
        "columns": None if loaded.read_columns is None else loaded.read_columns.to_json(),
        "warnings": [*loaded.warnings, *_raters_apart(loaded.question, counted, labels)],
    }


def _raters_apart(question: str, counted: CountedRatings, labels: Settings) -> list[str]:
    """Name the raters who contradict the others, who give nearly always the same label, or that of another rater.

    Nobody is named where there are more raters than anyone looks at.
    """
    if len(counted.raters) > MAX_RATERS:
        return []
    pairs = pairs_by_scale(counted, min_items=MIN_ITEMS, **labels).to_dicts()
    sentences = [contradiction.sentence for contradiction in contradictions(pairs)]
    kappas = [row["estimate"] or 0.0 for row in pairs if row["coefficient"] == COEFFICIENT]
    if kappas and (min(kappas) < LITTLE or min(kappas) < MUCH <= max(kappas)):
        from stats.accuracy.raters.left_out import left_out_raters  # slow to load, seldom needed

        humans = long_patterns(counted, labels=labels["labels"], raters=counted.raters)
        sentences += left_out_raters(humans, counted.raters).warnings()
    return [f"{question}: {sentence}" for sentence in sentences]


def _check_raters(questions: Sequence[LoadedQuestion]) -> None:
    """Raise InputError if no question has ratings by two raters, so that there is nothing to compare."""
    kinds = [loaded.ratings.select("rater", "rater_kind").unique() for loaded in questions]
    if any((raters["rater_kind"] != "gold").sum() > 1 and "human" in raters["rater_kind"] for raters in kinds):
        return
    people = kinds[0].filter(IS_HUMAN)["rater"].to_list()
    if not people and "system" in kinds[0]["rater_kind"]:
        raise InputError(
            f"{questions[0].question} has systems only, and agreement needs a human rater.",
            "Name with --system only those that are systems, or leave it out to compare all raters. If the file itself "
            "marks them, `kappaflow judges FILE` compares them.",
        )
    who = f"one rater, {people[0]!r}" if people else "no human rater"
    notes = questions[0].warnings
    hints = [
        *(f"{text} `kappaflow inspect FILE` shows them." for text in notes if "rejected" in text),
        *(
            f"{text} Save each sheet as a file of its own, and give them all."
            for text in notes
            if text.startswith("Of the workbook")
        ),
        *(text for text in notes if text.startswith(MARKED)),
        *(text for text in notes if f"{LEFT_OUT} " in text),
        "Give the files of the other raters too, or name the column of the raters: --columns rater=COLUMN.",
    ]
    raise InputError(f"{questions[0].question} has {who}: agreement needs two.", hints[0])


def _breakdown(
    name: str,
    human: pl.DataFrame,
    detail: AgreementDetail,
    labels: Settings,
    errors: Settings,
    groups: Mapping[str, frozenset[str]] | None,
) -> Rows:
    """Return a breakdown. By label, a set of labels counts as each of its members."""
    if name != "label" or groups is None:
        return BREAKDOWNS[name](human, detail, labels, errors)
    chosen = detail.coefficients or ("fleiss_kappa",)
    return by_label(human, labels=labels["labels"], coefficients=chosen, groups=groups, **errors).to_dicts()


def _by_label(human: pl.DataFrame, detail: AgreementDetail, labels: Settings, errors: Settings) -> Rows:
    chosen = detail.coefficients or ("fleiss_kappa",)
    return by_label(human, labels=labels["labels"], coefficients=chosen, **errors).to_dicts()


def _by_rater(human: pl.DataFrame, detail: AgreementDetail, labels: Settings, errors: Settings) -> Rows:
    return by_rater(human, **labels).to_dicts()


def _by_item(human: pl.DataFrame, detail: AgreementDetail, labels: Settings, errors: Settings) -> Rows:
    return by_item(human, **labels).to_dicts()


def _by_pair(human: pl.DataFrame, detail: AgreementDetail, labels: Settings, errors: Settings) -> Rows:
    chosen = detail.coefficients or ("cohen_kappa",)
    return pairwise(human, coefficients=chosen, min_items=detail.min_items, **labels, **errors).to_dicts()


BREAKDOWNS: dict[str, Callable[[pl.DataFrame, AgreementDetail, Settings, Settings], Rows]] = {
    "label": _by_label,
    "rater": _by_rater,
    "item": _by_item,
    "pair": _by_pair,
}


def _benchmark(figures: pl.DataFrame, detail: AgreementDetail) -> dict[str, Rows]:
    """Return the level of each coefficient on a benchmark scale. Shares such as percent agreement have no level."""
    if detail.benchmark is None:
        return {}
    levels = [
        {"name": row["name"], **level}
        for row in figures.filter(pl.col("estimate").is_not_null()).to_dicts()
        if COEFFICIENTS[row["name"]].lower_limit != 0
        for level in benchmark_of(row, scale=detail.benchmark).to_dicts()
    ]
    return {"benchmark": levels}


def _against(
    loaded: LoadedQuestion, human: pl.DataFrame, detail: AgreementDetail, settings: Settings
) -> dict[str, Rows]:
    """Compare each system with the group of all human raters, and each rater of --against-group with the others."""
    raters = human["rater"].unique().sort().to_list()
    systems = loaded.ratings.filter(IS_SYSTEM)["rater"].unique().sort().to_list()
    refuse_misspelling(loaded, detail.against)
    for name in detail.against:
        if name not in (*raters, *systems):
            raise InputError(f"No rating of {loaded.question} is by {name!r}.", f"Its raters: {', '.join(raters)}.")
    names = list(dict.fromkeys((*systems, *detail.against)))
    if not names:
        return {}
    rows: Rows = []
    for name in names:
        of_system = loaded.ratings.filter(pl.col("rater") == name).select(loaded.columns)
        group = human.filter(pl.col("rater") != name)
        rows += against_group(pl.concat([group, of_system]), system=name, **settings).to_dicts()
    return {"against_group": rows}
