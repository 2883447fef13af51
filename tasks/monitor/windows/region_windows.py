"""Compute the agreement on spans, boxes, rankings and texts in windows of time, of batches, and of the last items."""

import polars as pl

from stats.item_distances import distance_windows
from stats.regions.region_windows import WINDOW_SCHEMA, MarkedTexts, region_windows
from tasks.evaluate.evaluation_options import EvaluationOptions
from tasks.evaluate.patterns import WindowPatterns
from tasks.evaluate.question_config import QuestionConfig
from tasks.evaluate.regions.answer_figures import IS_ANSWER, peoples_answers
from tasks.evaluate.regions.region_figures import MAX_TEXTS, marked_work_of, people_of
from tasks.monitor.windows.label_windows import MAX_LABELS, in_windows
from tasks.monitor.windows.window_spans import WindowSettings, item_windows


def region_rows(region_work: pl.DataFrame, config: QuestionConfig, options: EvaluationOptions) -> pl.DataFrame:
    """Compute the rows of the table `region_windows` from the work that counts (`warehouse.questions.region_work_of`).

    The day of an item is that of its latest work by a person: when it was done, or else when it arrived. Windows
    without an item that two people did have no row, nor have labels that are not used there. Of a question with more
    than MAX_LABELS labels all together are followed; the alphas of more than MAX_TEXTS texts are not computed.
    """
    settings, people = WindowSettings.of(options), people_of(region_work, config)
    windows = item_windows(_windows_of_work(people, options), settings)
    members = windows.counts.join(windows.members, on="unit").select("window", "item")
    is_answer = people.select(IS_ANSWER.any()).item()
    find = _answers_in_windows if is_answer else _regions_in_windows
    rows = find(people, members, options.confidence).rename({"name": "coefficient"}).drop("confidence", "n_ratings")
    return in_windows(rows, windows, options.confidence, settings)


def _answers_in_windows(people: pl.DataFrame, members: pl.DataFrame, confidence: float) -> pl.DataFrame:
    answers = peoples_answers(people.filter(IS_ANSWER))
    if len(answers.kinds) > 1 or people.select((~IS_ANSWER).any()).item():
        return pl.DataFrame(schema=WINDOW_SCHEMA)
    return distance_windows(answers.item_distances(), members, confidence=confidence)


def _regions_in_windows(people: pl.DataFrame, members: pl.DataFrame, confidence: float) -> pl.DataFrame:
    marked = marked_work_of(people)
    rows = pl.DataFrame(schema=WINDOW_SCHEMA)
    if marked.assignments["rater"].n_unique() > 1 and not marked.has_both:
        texts = MarkedTexts(marked.spans, marked.assignments, marked.lengths)
        n_labels = len({*marked.spans["label"], *marked.boxes["label"]})
        rows = region_windows(
            marked.matches(),
            marked.assignments,
            members,
            texts=None if marked.boxes.height or marked.n_items > MAX_TEXTS else texts,
            labels=n_labels <= MAX_LABELS,
            confidence=confidence,
        )
    return rows


def _windows_of_work(people: pl.DataFrame, options: EvaluationOptions) -> WindowPatterns:
    """Count each item by the day of its latest work, by the batches of its work, and among the last items."""
    n_items = pl.lit(1, pl.Int64).alias("n_items")
    latest = people.group_by("item").agg(at=pl.col("worked_at").max())
    day = pl.col("at").dt.convert_time_zone(options.timezone).dt.date().alias("day")
    times = people.group_by("batch_id").agg(first_at=pl.col("worked_at").min(), last_at=pl.col("worked_at").max())
    of_batch = people.select("batch_id", "item").unique().join(times, on="batch_id")
    last = latest.sort("at", "item", descending=True).head(options.last_items)
    return WindowPatterns(
        latest.select(day, "item", n_items),
        of_batch.select("batch_id", "first_at", "last_at", "item", n_items),
        last.select("item", n_items),
    )
