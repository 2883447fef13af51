"""Load the questions of a single file, each with its current ratings and its labels."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from schemas.rating_columns import IS_HUMAN
from tasks.counted_words import counted
from tasks.doubtful_raters import doubtful_raters, people_in
from tasks.errors import InputError, some
from tasks.evaluate.gold.unused_probabilities import probabilities_note
from tasks.evaluate.labels import LEAST_TEXTS, WORDS_OF_A_TEXT, QuestionLabels, labels_of_question, shown_labels
from tasks.formats import ReadOptions
from tasks.formats.columns.column_roles import TIME_FORMAT, ColumnChoice
from tasks.formats.parsing.export import PLACES
from tasks.formats.regions.read_regions import read_regions
from tasks.formats.regions.region_labels import OF_REGIONS, rejects_of_ratings
from tasks.formats.regions.span_export import SpanExport, marked_beside
from tasks.formats.weighted import N_ITEMS, check_patterns, in_words
from tasks.ingest.duplicates import RULES, ChosenRatings, DuplicateRule, choose_current, number_repeats, repeats_note
from tasks.ingest.validate import all_rejected, validate
from tasks.item_texts import item_texts
from tasks.look_alikes import item_note, look_alikes, note
from tasks.single_file.several_files import file_names, read_files

ITEMS_AS_QUESTIONS = " If they are what was rated, their column names the items: --columns item=COLUMN."
PREFER = "kappaflow prefer"


@dataclass(frozen=True)
class FileOptions:
    """Options for a single file. Without `question` or `all_questions`, the file must have one question.

    With `all_questions`, `questions` are those to take; empty for all.
    """

    reading: ReadOptions = field(default_factory=ReadOptions)
    question: str | None = None
    all_questions: bool = False
    labels: tuple[str, ...] | None = None
    scale: str = "nominal"
    weights: str | None = None
    taxonomy: str | None = None
    confidence: float = 0.95
    seed: int = 0
    duplicates: str = "latest"
    questions: tuple[str, ...] = ()


@dataclass(frozen=True)
class LoadedQuestion:
    """One question of a file.

    `ratings` are the current ones, with rater_kind, and with n_items if the items are rating patterns. `texts` has item
    and item_text, for the items that came with a text. `warnings` are sentences for the user.
    """

    question: str
    ratings: pl.DataFrame
    labels: QuestionLabels
    warnings: tuple[str, ...]
    texts: pl.DataFrame
    read_columns: ColumnChoice | None = None

    @property
    def columns(self) -> list[str]:
        """The columns of `ratings` that the figures depend on."""
        return [name for name in ("item", "rater", "label", N_ITEMS) if name in self.ratings.columns]


@dataclass(frozen=True)
class LoadedFile:
    """The questions of a file, the number of its rows, and how many of these were rejected."""

    questions: tuple[LoadedQuestion, ...]
    n_rows: int
    n_rejected: int


def load_file(
    path: Path | Sequence[Path], options: FileOptions, beside: SpanExport | None = None
) -> list[LoadedQuestion]:
    """Load each question that the options ask for. Raises as `load_counted` does."""
    return list(load_counted(path, options, beside).questions)


def refuse_misspelling(loaded: LoadedQuestion, systems: Sequence[str]) -> None:
    """Raise InputError if one of these systems is left out because it writes the labels in another way."""
    for system in systems:
        if system in loaded.labels.misspelling:
            own = loaded.labels.their_labels.get(system)
            raise InputError(
                f"The labels of '{system}'{f' ({shown_labels(own)})' if own else ''} are not those of the other raters"
                f" ({some(list(loaded.labels.names))}).",
                "Write them in the same way. If they are further labels, declare all with --labels.",
            )


def load_counted(path: Path | Sequence[Path], options: FileOptions, beside: SpanExport | None = None) -> LoadedFile:
    """Load each question that the options ask for, and count the rows of the file. Several files are read as one.

    The spans and boxes that the file has `beside` labels of whole items are no rejected rows; a note names them. They
    are read here if they are not given.
    Raises ReadError if the file is not an export. Raises InputError if the question is not in the file, if it must be
    named, and if rating patterns are not whole.
    """
    paths = [path] if isinstance(path, Path) else list(path)
    export = read_files(paths, options.reading, lambda question: options.labels)
    names = export.rows["question"].unique().drop_nulls().sort().to_list()
    if not names and (held := read_regions(paths, options.reading)) is not None:
        if options.question is not None and options.question not in held.questions:
            raise _no_question(options.question, held.questions, paths)
        what = "spans" if held.spans.height else "boxes"
        about = f"{file_names(paths)} holds {held.n_regions:,} marked {what}, and accuracy is not offered for {what}."
        hint = "`kappaflow agree FILE` compares them between raters. --regions labels takes their labels as ratings."
        raise InputError(about, hint)
    if not names and export.rejects["detail"].str.contains(PREFER, literal=True).any():
        about = f"{file_names(paths)} holds pairwise choices, which are not labels of items."
        raise InputError(about, f"`{PREFER} FILE` ranks the models by them.")
    if beside is None and options.reading.regions == PLACES and export.rejects["reason"].is_in(OF_REGIONS).any():
        beside = read_regions(paths, options.reading)
    wanted = _wanted(names, options, paths, () if beside is None else beside.questions)
    declared_labels: Mapping[str, Sequence[str]] = dict.fromkeys(wanted, options.labels) if options.labels else {}
    # The rules are those of the contract. Pandera would check them again, and its import takes half a second.
    checked = validate(export, labels=declared_labels, contract=False)
    if N_ITEMS in checked.ratings.columns:
        check_patterns(checked.ratings, checked.rejects.height, paths[0])
    if checked.ratings.is_empty() and checked.rejects.height:
        raise _nothing_left(checked.rejects, export.warnings, paths)
    chosen = chosen_ratings(checked.ratings, options.duplicates, systems=options.reading.systems)
    rejects, marked = checked.rejects, []
    if beside is not None:
        rejects = pl.concat([rejects_of_ratings(rejects, beside), beside.rejects], how="diagonal")
        marked = [marked_beside(beside)]
    lost = all_rejected(rejects, checked.ratings["rater"].unique()) if beside is None else []
    warnings = (
        *export.warnings,
        *probabilities_note(export.metadata),
        *marked,
        *rejected_by_reason(rejects),
        *lost,
        *about_ratings(chosen),
    )
    current = chosen.current
    _check_systems(current, options)
    loaded = []
    for name in wanted:
        of_question = current.filter(pl.col("question") == name)
        labels = labels_of_question(of_question, options.labels, options.scale, name, options.weights)
        ratings, of_labels = labels.keep_known(of_question)
        raters, items = note(look_alikes(ratings["rater"].unique()), "raters"), item_note(ratings["item"])
        repeated = repeats_note(ratings.filter(IS_HUMAN)["rater"].unique())
        notes = (*warnings, *(f"{name}: {text}" for text in (*of_labels, raters, items, *repeated) if text))
        texts = item_texts(export.metadata.filter(pl.col("question") == name))
        loaded.append(LoadedQuestion(name, ratings, labels, notes, texts, export.columns))
    n_refused = chosen.n_other if chosen.rule == "error" else 0
    return LoadedFile(tuple(loaded), checked.n_rows, rejects.height + n_refused)


def n_ratings(ratings: pl.DataFrame) -> int:
    """Count the ratings, which rating patterns stand for."""
    return int(ratings[N_ITEMS].sum()) if N_ITEMS in ratings.columns else ratings.height


def chosen_ratings(ratings: pl.DataFrame, rule: str, *, systems: Collection[str] = ()) -> ChosenRatings:
    """Apply a rule for duplicates to the ratings of a file, as `ingest` does with the rule of a question.

    Rating patterns have no duplicates. Raises InputError for a rule that does not exist.
    """
    if rule not in RULES:
        raise InputError(f"--duplicates {rule!r} is unknown.", f"Use one of {', '.join(RULES)}.")
    if N_ITEMS in ratings.columns:
        return ChosenRatings(ratings, rule)
    if rule == "repeats":
        repeated = DuplicateRule(rule, frozenset(systems))
        ratings = number_repeats(ratings, dict.fromkeys(ratings["question"].unique(), repeated))
    return choose_current(ratings, rule, now=datetime.now(UTC))


def items_as_questions(names: Sequence[str]) -> str:
    """Return a sentence if the questions are so many texts that they are perhaps what was rated.

    >>> items_as_questions(["tone", "length"]), items_as_questions([f"What is the capital of {n}?" for n in range(20)])
    ('', ' If they are what was rated, their column names the items: --columns item=COLUMN.')
    """
    n_long = sum(len(name.split()) >= WORDS_OF_A_TEXT for name in names)
    return ITEMS_AS_QUESTIONS if len(names) >= LEAST_TEXTS and 2 * n_long > len(names) else ""


def _wanted(names: list[str], options: FileOptions, paths: Sequence[Path], marked: Sequence[str]) -> list[str]:
    """Return the questions that the options ask for. marked: those of spans and boxes in the same file."""
    files = file_names(paths)
    holds = "holds" if len(paths) == 1 else "hold"
    if not names:
        raise InputError(f"{files} {holds} no rating.", f"See what is in it with `kappaflow inspect {paths[0]}`.")
    requested = options.questions if options.question is None else (options.question,)
    for name in requested:
        if name not in names:
            raise _no_question(name, [*names, *marked], paths)
    if options.question is None and len(names) > 1 and not options.all_questions:
        raise InputError(
            f"{files} {holds} {len(names)} questions: {', '.join(names)}.",
            "Name one with --question NAME, or ask for --all-questions." + items_as_questions(names),
        )
    return list(dict.fromkeys(requested)) or names


def _no_question(name: str, names: Sequence[str], paths: Sequence[Path]) -> InputError:
    has = "has" if len(paths) == 1 else "have"
    return InputError(f"{file_names(paths)} {has} no question '{name}'.", f"It has: {', '.join(names)}.")


def _nothing_left(rejects: pl.DataFrame, warnings: Sequence[str], paths: Sequence[Path]) -> InputError:
    """Return the error for a file whose rows were all rejected."""
    reasons = rejects["reason"].value_counts(sort=True)["reason"].to_list()
    if "bad_time" in reasons and (offers := [warning for warning in warnings if TIME_FORMAT in warning]):
        hint = offers[0]
    elif "unknown_label" in reasons:
        hint = "Compare the labels that you declared with those that `kappaflow inspect FILE` shows."
    else:
        hint = f"See why with `kappaflow inspect {paths[0]}`."
    return InputError(
        f"Every row of {file_names(paths)} was rejected ({rejects.height:,}): {', '.join(reasons)}.", hint
    )


def _check_systems(ratings: pl.DataFrame, options: FileOptions) -> None:
    raters = ratings["rater"].unique().sort().to_list()
    absent = sorted(options.reading.systems - set(raters))
    if absent:
        raise InputError(f"No rating of the file is by '{absent[0]}'.", f"Its raters: {some(raters)}.")


def rejected_by_reason(rejects: pl.DataFrame) -> list[str]:
    """Say how many rows were rejected for each reason, the most frequent first."""
    reasons = rejects.group_by("reason").len().sort("len", "reason", descending=[True, False])
    return [
        f"{counted(row['len'], 'row was', 'rows were')} rejected: {row['reason']}."
        for row in reasons.iter_rows(named=True)
    ]


def about_ratings(chosen: ChosenRatings) -> list[str]:
    """Say that the ratings are patterns, that people are named like models, or that some ratings do not count."""
    if N_ITEMS in chosen.current.columns:
        return [in_words(chosen.current)]
    notes = doubtful_raters(people_in(chosen.current))
    if chosen.n_other and chosen.rule == "error":
        notes.append(f"{counted(chosen.n_other, 'row was', 'rows were')} rejected: duplicate_rating.")
    elif chosen.n_other:
        later = "an earlier" if chosen.rule == "first" else "a later"
        superseded = counted(chosen.n_other, "rating was", "ratings were")
        notes.append(f"{superseded} superseded by {later} one of the same rater on the same item.")
    if chosen.n_repeated:
        notes.append(
            f"{counted(chosen.n_repeated, 'row repeats', 'rows repeat')} a rating of the same rater on the same item."
        )
    return notes
