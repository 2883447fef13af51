"""A dry run of a reader: what a file holds, what would be rejected and why, and the settings to paste."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from schemas.rating_columns import RATINGS
from stats.numeric_labels import are_many_numbers
from tasks.evaluate.gold.unused_probabilities import probabilities_note
from tasks.evaluate.labels import POINTS_ON_A_SCALE, doubtful_labels
from tasks.evaluate.misspelt_labels import misspelt_note
from tasks.formats import FORMATS, Export, ReadOptions
from tasks.formats.answers.written_rankings import n_ranked_options
from tasks.formats.columns.column_roles import LABEL_SEPARATOR
from tasks.formats.parsing.export import PLACES
from tasks.formats.parsing.joined_labels import likely_sets
from tasks.formats.regions.read_regions import read_regions
from tasks.formats.weighted import N_ITEMS
from tasks.ingest.incoming_regions import BESIDE, is_taken, regions_beside_ratings, rejects_of_other_questions
from tasks.ingest.read_export import read_export
from tasks.ingest.validate import all_rejected, validate
from tasks.look_alikes import item_note, look_alikes, note
from tasks.single_file.inspect_answers import answers_in, answers_notes, answers_settings
from tasks.single_file.inspect_rejects import rejects_by_reason
from tasks.single_file.inspect_special import inspect_preferences, inspect_spans, preferences_in, spans_note
from tasks.single_file.load_file import about_ratings, chosen_ratings
from tasks.single_file.settings_lines import (
    LIKELY_SETS,
    MOST_LABELS,
    number_lines,
    ordered_labels,
    question_lines,
    source_lines,
    toml_text,
)
from tasks.sources.object_store.single_object import single_object
from tasks.sources.object_store.store_source import ObjectStore

FIRST_ROWS = 5
LIKELY_RANKINGS = "# The answers look like rankings. If they are labels, write labels = [...] instead."
NOT_INGESTED = "# Rating patterns are evaluated by agree and accuracy; they are not ingested.\n"


def inspect_file(
    path: str | Path,
    options: ReadOptions | None = None,
    labels: Mapping[str, Sequence[str]] | None = None,
    *,
    source: Mapping[str, str | None] | None = None,
) -> dict[str, object]:
    """Return the value of `inspect --json`: plain values, null where unknown.

    - format, n_ratings, n_skipped, n_rejected, n_regions, raters, questions, warnings, first_rows
    - columns: of a table, the columns that have a role, and those passed over
    - rejects: number and examples of each reason
    - toml: settings that read the file in the same way, from `source` (path, endpoint, region) or the inbox

    Errors: as tasks.ingest.read_export.
    """
    path, options = Path(path), options or ReadOptions()
    if (preferences := preferences_in(path, options)) is not None:
        return inspect_preferences(preferences, path, options)
    held = read_regions([path], options)
    as_places = options.regions == PLACES
    if held is not None and as_places and held.format not in FORMATS:
        return inspect_spans(held, path)
    export = read_export(path, options, (labels or {}).get)
    checked = validate(export, labels=labels or {}, contract=False)
    if beside := regions_beside_ratings(path, options, export, checked):
        checked = beside[0]  # a project takes in both
    questions = _questions(checked.ratings)
    if held is not None and as_places and checked.ratings.is_empty() and is_taken(path, held):
        others = rejects_of_other_questions(checked, held).select(held.rejects.columns)
        held = replace(held, rejects=pl.concat([others, held.rejects]))
        return inspect_spans(held, path, toml=_toml(path, export, options, questions, source or {}))
    weighted = N_ITEMS in checked.ratings.columns
    answers = answers_in(path, options)
    separator = "" if labels else _separator(export, options, checked.ratings)
    settings = answers_settings(answers, options.prefix)
    toml = _toml(path, export, options, questions, source or {}, settings, separator)
    return {
        "format": export.format,
        "n_ratings": checked.ratings.height,
        "n_skipped": checked.n_skipped,
        "n_rejected": checked.rejects.height,
        "raters": _raters(checked.ratings),
        "questions": [row | {"labels": row["labels"][:MOST_LABELS]} for row in questions],
        "warnings": [
            *export.warnings,
            *probabilities_note(export.metadata),
            *([spans_note(held, in_projects=held.format in BESIDE)] if held is not None and as_places else []),
            *answers_notes(answers),
            *_look_alikes(checked.ratings),
            *(all_rejected(checked.rejects, checked.ratings["rater"].unique()) if held is None else []),
            *about_ratings(chosen_ratings(checked.ratings, "latest")),
        ],
        "columns": None if export.columns is None else export.columns.to_json(),
        "n_regions": 0 if held is None else held.n_regions,
        "first_rows": _first_rows(checked.ratings),
        "rejects": rejects_by_reason(checked.rejects),
        "toml": NOT_INGESTED if weighted else toml,
    }


def inspect_object(store: ObjectStore, options: ReadOptions | None = None) -> dict[str, object]:
    """Return the same of the one object at the address of a store.

    Errors: also as tasks.sources.object_store.single_object.
    """
    with single_object(store) as (path, prefix):
        source = {"path": prefix, "endpoint": store.endpoint, "region": store.region}
        return inspect_file(path, options, source=source)


def _raters(ratings: pl.DataFrame) -> list[dict[str, object]]:
    counts = ratings.group_by("rater", "rater_kind").agg(pl.len().alias("n_ratings"))
    return counts.sort("rater_kind", "rater").select("rater", "rater_kind", "n_ratings").to_dicts()


def _look_alikes(ratings: pl.DataFrame) -> list[str]:
    """Name raters, items of a question and labels of a question that look alike, and labels for no answer."""
    raters = note(look_alikes(ratings["rater"].unique().cast(pl.String)))
    texts = [f"raters: {raters}"] if raters else []
    for (question,), rows in ratings.group_by("question", maintain_order=True):
        items = item_note(rows["item"])
        misspelt = misspelt_note(rows)
        labels = doubtful_labels(rows["label"].unique().cast(pl.String).sort().to_list())
        labels += [misspelt] if misspelt else []
        labels += [POINTS_ON_A_SCALE] if are_many_numbers(rows["label"].unique().to_list()) else []
        texts += [f"items of {question}: {items}"] if items else []
        texts += [f"labels of {question}: {' '.join(labels)}"] if labels else []
    return texts


def _separator(export: Export, options: ReadOptions, ratings: pl.DataFrame) -> str:
    """Return what stands between labels of a table that very likely are sets, without a setting that says so."""
    if export.columns is None or options.regions != PLACES or LABEL_SEPARATOR in options.columns:
        return ""
    return likely_sets(ratings["label"].cast(pl.String))[0]


def _questions(ratings: pl.DataFrame) -> list[dict[str, Any]]:
    counts = ratings.group_by("question").agg(
        pl.len().alias("n_ratings"),
        pl.col("rater").n_unique().alias("n_raters"),
        pl.col("item").n_unique().alias("n_items"),
        pl.col("label").unique().sort().alias("labels"),
    )
    question_rows = counts.sort("question").to_dicts()
    return [row | {"labels": ordered_labels(row["labels"])} for row in question_rows]


def _first_rows(ratings: pl.DataFrame) -> list[dict[str, object]]:
    """Return the first ratings as text, with times in ISO 8601."""
    rows = ratings.head(FIRST_ROWS).with_columns(pl.col("rated_at").dt.strftime("%Y-%m-%dT%H:%M:%S%.6fZ"))
    return rows.select(*RATINGS).to_dicts()


def _toml(
    path: Path,
    export: Export,
    options: ReadOptions,
    questions: Sequence[Mapping[str, Any]],
    place: Mapping[str, str | None],
    answers: Sequence[tuple[str, str]] = (),
    separator: str = "",
) -> str:
    """Write a [[source]] that reads such files in the same way, and the questions with their labels or `answers`.

    `separator` is that of labels that look like sets: the settings read them as sets.
    """
    columns = {**options.columns, **({LABEL_SEPARATOR: separator} if separator else {})}
    source = {
        "path": "inbox",
        **place,
        "pattern": f"**/*{path.suffix}",
        "prefix": options.prefix,
        "format": export.format if export.format in FORMATS else None,
        "regions": None if options.regions == PLACES else options.regions,
        "header": None if options.header else False,
        "columns": columns,
        "question": options.question,
        "systems": sorted(options.systems),
        "gold": sorted(options.gold),
    }
    lines = source_lines(source, [LIKELY_SETS] if separator else [])
    for question in questions:
        name = str(question["question"])
        if n_ranked_options(question["labels"]):
            lines += ["", f"[questions.{toml_text(name)}]", LIKELY_RANKINGS, 'answers = "ranking"']
            continue
        is_ordered = name in export.ordered
        if are_many_numbers(question["labels"]) and not is_ordered:
            lines += number_lines(name)
            continue
        lines += question_lines(name, question["labels"], separator)
        if is_ordered:
            lines.append('scale = "ordinal"')
    for name, kind in answers:
        lines += ["", f"[questions.{toml_text(name)}]", f"answers = {toml_text(kind)}"]
    return "\n".join(lines) + "\n"
