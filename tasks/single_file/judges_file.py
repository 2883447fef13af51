"""Measure judges that answered several times, from a single file."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from schemas.rating_columns import IS_GOLD, IS_SYSTEM
from stats.agreement.repeats.anchor_drift import anchor_drift
from stats.agreement.repeats.repeat_reliability import repeat_reliability
from tasks.errors import InputError, RepeatedItemError, some
from tasks.evaluate.gold.gold_inclusion import gold_origin
from tasks.evaluate.labels import declared_or_inferred
from tasks.evaluate.systems import numbers_in
from tasks.formats import ReadOptions
from tasks.formats.columns.column_roles import plain
from tasks.formats.columns.item_choice import ONE_COUNTS
from tasks.formats.parsing.decompress import stem
from tasks.formats.parsing.export import Export
from tasks.formats.parsing.file_look import look_at_file
from tasks.ingest.read_export import read_export
from tasks.ingest.validate import validate
from tasks.single_file.gold_file import read_gold
from tasks.single_file.judged_parts import check_repeats, runs_note
from tasks.single_file.load_file import FileOptions, items_as_questions, rejected_by_reason

REPEAT = r" #\d+$"  # how the repeats of a rater are named: tasks.ingest.duplicates


@dataclass(frozen=True)
class JudgesOfFile:
    """The figures of one question's judges."""

    question: str
    labels: tuple[str, ...]
    scale: str
    judges: pl.DataFrame
    drift: pl.DataFrame
    warnings: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON value of `kappaflow judges --json`."""
        return {
            "question": self.question,
            "labels": list(self.labels),
            "scale": self.scale,
            "judges": self.judges.to_dicts(),
            "drift": self.drift.to_dicts(),
            "warnings": list(self.warnings),
        }


def judges_of_file(path: Path, options: FileOptions, gold: Path | None = None) -> JudgesOfFile:
    """Measure the judges of a file: the raters of `options.reading.systems`, else those marked as systems, else all.

    Every row is an answer: rows of one judge for one item are its repeats, and so are raters named 'NAME #2'. A judge
    with several versions is one judge per version, and the versions are compared in the order of their names.

    Raises ReadError and InputError as `tasks.single_file.load_file.load_counted`, and InputError for gold that has
    nothing to do with the answers.
    """
    export = _read(path, replace(_with_item(path, options.reading), fallback_question=stem(path)))
    if "item" not in options.reading.columns:
        check_repeats(path, export, options.reading)
    names = export.rows["question"].unique().drop_nulls().sort().to_list()
    question = _question(names, options, path)
    declared_labels = {question: options.labels} if options.labels else {}
    checked = validate(export, labels=declared_labels, contract=False)
    of_question = checked.ratings.filter(pl.col("question") == question, ~IS_GOLD)
    rows = of_question.with_columns(rater=pl.col("rater").cast(pl.String).str.replace(REPEAT, ""))
    answers, versions = _by_judge(_chosen(rows, options))
    labels = declared_or_inferred(rows["label"], options.labels, options.scale, question)
    label_names = list(labels.names)
    truth = None if gold is None else _gold(gold, options, answers, label_names)
    drifts = [
        anchor_drift(answers, versions=each, labels=label_names, confidence=options.confidence) for each in versions
    ]
    judges = repeat_reliability(
        answers, labels=label_names, scale=options.scale, gold=truth, confidence=options.confidence
    )
    origin = pl.when(pl.col("n_gold") > 0).then(pl.lit(gold_origin(truth), pl.String))
    return JudgesOfFile(
        question,
        tuple(label_names),
        options.scale,
        judges.with_columns(origin.alias("gold_origin")),
        pl.concat(drifts) if drifts else pl.DataFrame(),
        (
            *_notes(export.warnings, checked.rejects, question),
            *([f"{question}: {labels.note}"] if labels.note else []),
            *runs_note(answers["judge"].unique().cast(pl.String)),
            *_without_interval(judges),
        ),
    )


def _notes(of_reader: Sequence[str], rejects: pl.DataFrame, question: str) -> list[str]:
    """Return what the reader said, but not that one answer of several counts, and how many rows were rejected."""
    of_question = rejects.filter(pl.col("question").is_null() | (pl.col("question") == question))
    return [*(note for note in of_reader if not note.startswith(ONE_COUNTS)), *rejected_by_reason(of_question)]


def _without_interval(judges: pl.DataFrame) -> list[str]:
    """Say of which judges the worth of their answers has no interval."""
    names = judges.filter(pl.col("effective_committee").is_not_null() & pl.col("effective_low").is_null())["judge"]
    if names.is_empty():
        return []
    return [
        f"{', '.join(names)}: what the answers are worth has no interval, because the wrong answers to gold items are "
        "too few or too alike. Do not rely on it."
    ]


def _gold(path: Path, options: FileOptions, answers: pl.DataFrame, labels: list[str]) -> pl.DataFrame:
    """Read the right labels. Raises InputError if none is of an answered item, or for a label that no judge has.

    Without this a wrong file would leave the figures that need gold empty, and nobody would know why.
    """
    gold = read_gold(path, options.reading)
    if gold.filter(pl.col("item").is_in(answers["item"].unique().implode())).is_empty():
        raise InputError(
            f"None of the gold items ({gold.height:,}) is among the items that were answered.",
            "Check that both files use the same item ids.",
        )
    if unknown := sorted(set(gold["label"]) - set(labels)):
        raise InputError(
            f"Gold holds the label {unknown[0]!r}, which is not among {some(labels)}.",
            "Add it to --labels, or correct it.",
        )
    return gold


def _read(path: Path, reading: ReadOptions) -> Export:
    """Read the answers. If a judge answers most items several times and the item is an id, these are its repeats."""
    try:
        return read_export(path, reading)
    except RepeatedItemError as error:
        if not plain(error.item).endswith("id"):  # a task or a topic may hold many items
            raise
        return read_export(path, replace(reading, columns={**reading.columns, "item": error.item}))


def _with_item(path: Path, reading: ReadOptions) -> ReadOptions:
    """Take a column named item for the item. Unasked, a reader refuses a table of which most rows repeat others."""
    look = look_at_file(path)
    is_table = look.kind in ("text", "excel", "parquet", "jsonl")
    names = [header for header in look.headers if header.strip().lower() == "item"]
    if not is_table or len(names) != 1 or "item" in reading.columns:
        return reading
    return replace(reading, columns={**reading.columns, "item": names[0]})


def _question(names: list[str], options: FileOptions, path: Path) -> str:
    if options.question is None and len(names) == 1:
        return names[0]
    if options.question in names:
        return str(options.question)
    if not names:
        raise InputError(f"{path.name} holds no answer.", f"See what is in it with `kappaflow inspect {path}`.")
    hint = "Name one of them with --question NAME." + items_as_questions(names)
    raise InputError(f"{path.name} holds the questions {some(names)}.", hint)


def _chosen(rows: pl.DataFrame, options: FileOptions) -> pl.DataFrame:
    wanted = {name for name in options.reading.systems if name}
    if absent := sorted(wanted - set(rows["rater"])):
        raise InputError(f"No answer is by {absent[0]!r}.", f"The raters are {some(sorted(set(rows['rater'])))}.")
    if wanted:
        return rows.filter(pl.col("rater").is_in(sorted(wanted)))
    marked = rows.filter(IS_SYSTEM)
    return marked if marked.height else rows


def _by_judge(rows: pl.DataFrame) -> tuple[pl.DataFrame, list[list[str]]]:
    """Return the answers with the judge's name, and the names of the versions of each judge with several."""
    several = rows.group_by("rater").agg(pl.col("system_version").drop_nulls().unique().alias("versions"))
    versions = {
        str(rater): sorted(map(str, judge_versions), key=numbers_in)
        for rater, judge_versions in several.sort("rater").iter_rows()
        if len(judge_versions) > 1
    }
    name = pl.when(pl.col("rater").is_in(list(versions)) & pl.col("system_version").is_not_null())
    judge = name.then(pl.format("{} {}", "rater", "system_version")).otherwise(pl.col("rater"))
    answers = rows.select("item", judge.alias("judge"), pl.col("label").cast(pl.String))
    return answers, [[f"{rater} {version}" for version in judge_versions] for rater, judge_versions in versions.items()]
