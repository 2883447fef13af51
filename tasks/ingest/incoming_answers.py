"""Read rankings and texts for the warehouse: the answers of questions with `answers` in the settings."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from schemas.rating_columns import MAX_VALUE_LENGTH, RATINGS, REGION_WORK
from tasks.errors import ReadError
from tasks.formats import Export, ReadOptions
from tasks.formats.answers.answer_export import RANKING, TEXT, AnswerExport
from tasks.formats.answers.read_answers import read_answers
from tasks.formats.answers.written_rankings import parse_ranking
from tasks.formats.parsing.export import canonical
from tasks.formats.parsing.timestamps import local_as_utc
from tasks.ingest.incoming_regions import IncomingRegions
from tasks.ingest.validate import ValidatedExport, validate

NO_RANKING = "The answer is not a ranking, such as A > B = C."
OF_TOOLS = ("unsupported_control", "per_region", "empty_answer")
"""Why the readers of ratings reject the rankings and texts of tools."""


def with_answers(
    path: Path,
    options: ReadOptions,
    answers: Mapping[str, str],
    export: Export,
    checked: ValidatedExport,
    regions: IncomingRegions | None,
) -> tuple[ValidatedExport, IncomingRegions] | None:
    """Take the rankings and texts of a file out of its ratings and rejects. None if it has no question of `answers`.

    `answers`: question -> ranking or text. `regions` are the spans and boxes of the file, if any; what is returned has
    them, too.
    """
    if not answers:
        return None
    tables = []
    held = _held(path, options, answers)
    if held is not None and (of_questions := _questions_with_answers(held, options, answers)):
        of_tool = _of_tool(held, options, of_questions)
        tables.append(of_tool)
        checked = _without_answers(checked, of_tool[0], sorted(of_questions))
    if checked.ratings.height:
        tables.insert(0, _of_table(checked, answers))
    tables = [(rows, rejects) for rows, rejects in tables if rows.height + rejects.height]
    if not tables:
        return None
    rows = (
        pl.concat([rows for rows, _ in tables]).with_row_index("number").with_columns(pl.col("number").cast(pl.Int64))
    )
    own = checked.ratings if regions is None or regions.beside_ratings else checked.ratings.clear()
    own = own.filter(~pl.col("question").cast(pl.String).is_in(list(answers)))
    rejects = pl.concat([checked.rejects, *(rejects for _, rejects in tables)])
    rejects = rejects.sort("row_number", nulls_last=True, maintain_order=True)
    incoming = _joined(_incoming(export, rows, checked.rejects.clear()), regions)
    n_rows = own.height + incoming.checked.ratings.height + rejects.height + checked.n_skipped
    return ValidatedExport(own, rejects, n_rows, checked.n_skipped), incoming


def _without_answers(checked: ValidatedExport, rows: pl.DataFrame, names: Sequence[str]) -> ValidatedExport:
    """Leave out what the reader of ratings made of the tool's answers: rejects, and labels (`rows` are the answers)."""
    again = (pl.col("reason").is_in(OF_TOOLS) & pl.col("column_name").is_in(names)).fill_null(value=False)
    places = [pl.col(name).cast(rows.schema[name]) for name in ("question", "item", "rater", "row_number")]
    ratings = checked.ratings.join(rows, left_on=places, right_on=places, how="anti", maintain_order="left")
    return replace(checked, ratings=ratings, rejects=checked.rejects.filter(~again))


ANSWERS = {**RATINGS, "regions": pl.String()}
"""The answers, as ratings with their work as JSON."""
AnswersAndRejects = tuple[pl.DataFrame, pl.DataFrame]


def _of_table(checked: ValidatedExport, answers: Mapping[str, str]) -> AnswersAndRejects:
    """Return the answers (ANSWERS) among the labels of a table, and rejects for those that are not rankings."""
    question = pl.col("question").cast(pl.String)
    rows = checked.ratings.filter(question.is_in(list(answers)))
    rows = rows.select(pl.col(name).cast(dtype) for name, dtype in RATINGS.items())
    written = [_written(answers[name], label) for name, label in rows.select("question", "label").rows()]
    rows = rows.with_columns(regions=pl.Series(written, dtype=pl.String))
    return rows.drop_nulls("regions"), _no_rankings(rows.filter(pl.col("regions").is_null()), checked.rejects)


def _written(kind: str, label: str) -> str | None:
    if kind == TEXT:
        return _json({TEXT: label})
    ranking = parse_ranking(label)
    return None if ranking is None else _ranking(ranking)


def _ranking(ranking: str) -> str:
    """Write a JSON array of [option, rank] so that equal rankings are equal texts."""
    return _json({RANKING: sorted(json.loads(ranking), key=lambda option: (option[1], option[0]))})


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _no_rankings(rows: pl.DataFrame, like: pl.DataFrame) -> pl.DataFrame:
    reasons = {"column_name": pl.lit("label"), "reason": pl.lit("bad_record"), "detail": pl.lit(NO_RANKING)}
    made = rows.with_columns(value=pl.col("label").str.slice(0, MAX_VALUE_LENGTH), **reasons)
    return made.select(
        (pl.col(name) if name in made.columns else pl.lit(None)).cast(dtype).alias(name)
        for name, dtype in like.schema.items()
    )


def _held(path: Path, options: ReadOptions, answers: Mapping[str, str]) -> AnswerExport | None:
    prefix = f"{options.prefix}/" if options.prefix else ""
    rankings = [name.removeprefix(prefix) for name, kind in answers.items() if kind == RANKING]
    try:
        return read_answers([path], options, rankings)
    except ReadError:
        return None


def _questions_with_answers(held: AnswerExport, options: ReadOptions, answers: Mapping[str, str]) -> dict[str, str]:
    """Return the questions of a tool's file that are declared, and as what its reader reads them: name -> kind."""
    kinds = dict(held.rows.select("question", "kind").unique().rows())
    full = {name: f"{options.prefix}/{name}" if options.prefix else name for name in kinds}
    return {name: kind for name, kind in kinds.items() if answers.get(full[name]) == kind}


def _of_tool(held: AnswerExport, options: ReadOptions, of_questions: Mapping[str, str]) -> AnswersAndRejects:
    rows = held.rows.filter(pl.col("question").is_in(list(of_questions)))
    rows = rows.with_columns(local_as_utc(rows["rated_at"], options.timezone))
    written = [
        _ranking(answer) if kind == RANKING else _json({TEXT: answer})
        for kind, answer in rows.select("kind", "answer").rows()
    ]
    name = pl.format("{}/{}", pl.lit(options.prefix), "question") if options.prefix else pl.col("question")
    places = pl.int_range(pl.len()).cast(pl.String)
    rows = rows.with_columns(name.alias("question"), regions=pl.Series(written, dtype=pl.String), place=places)
    read = Export(
        format=held.format,
        rows=canonical(rows.with_columns(label=pl.lit("answer"), source_ref=pl.col("place"))),
        rejects=held.rejects.filter(pl.col("column_name").is_in([*of_questions, "item", "rater"])),
    )
    checked = validate(read, contract=False)
    works = rows.select(pl.col("place"), pl.col("regions"), pl.col("source_ref").alias("ref"))
    joined = checked.ratings.join(works, left_on="source_ref", right_on="place", how="left", maintain_order="left")
    renamed = joined.with_columns(source_ref="ref").select(pl.col(name).cast(dtype) for name, dtype in ANSWERS.items())
    return renamed, checked.rejects


def _incoming(export: Export, rows: pl.DataFrame, no_rejects: pl.DataFrame) -> IncomingRegions:
    """Return the answers as marked items, a rater's latest one last. Of those without a time the last one counts."""
    rows = rows.sort("rated_at", nulls_last=False, maintain_order=True)
    ratings = rows.with_columns(source_ref=pl.col("number").cast(pl.String)).select(*RATINGS)
    region_work = rows.select(
        "number", "regions", "source_ref",
        n_spans=pl.lit(0, pl.Int32), n_boxes=pl.lit(0, pl.Int32), text_length=pl.lit(None, REGION_WORK["text_length"]),
    )  # fmt: skip
    nothing = ValidatedExport(ratings, no_rejects, ratings.height, 0)
    return IncomingRegions(replace(export, rows=export.rows.clear()), nothing, region_work, beside_ratings=True)


def _joined(answers: IncomingRegions, regions: IncomingRegions | None) -> IncomingRegions:
    """Return spans and boxes and the answers together, numbered one after the other."""
    if regions is None:
        return answers
    first = regions.region_work["number"].max()
    offset = (int(first) if isinstance(first, int) else -1) + 1
    number = pl.col("number") + offset
    source_ref = (pl.col("source_ref").cast(pl.Int64) + offset).cast(pl.String)
    ratings = pl.concat(
        [regions.checked.ratings, answers.checked.ratings.with_columns(source_ref)], how="vertical_relaxed"
    )
    region_work = pl.concat(
        [regions.region_work.select(answers.region_work.columns), answers.region_work.with_columns(number)],
        how="vertical_relaxed",
    )
    return replace(
        regions, checked=replace(regions.checked, ratings=ratings), region_work=region_work, beside_ratings=True
    )
