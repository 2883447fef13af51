"""Read whole views of the published snapshot, for the report, the command line and the Prefect artifact."""

from pathlib import Path

import polars as pl

from warehouse.connect import connect
from warehouse.publication.page_queries import page_rows
from warehouse.questions import item_agreement, queue_heads, read_table, weekly_windows

QUEUE = 20  # items shown for each question
WEEKS = 8  # shown for each question


def read_views(snapshot: Path, *names: str) -> dict[str, pl.DataFrame]:
    """Read each named table or view as a frame."""
    with connect(snapshot, read_only=True) as con:
        return {name: read_table(con, name) for name in names}


def read_queue(snapshot: Path) -> pl.DataFrame:
    """Read the first items of each question's disagreement_queue. n_doubtful is the length of the whole queue."""
    with connect(snapshot, read_only=True) as con:
        return queue_heads(con, QUEUE)


def queue_questions(snapshot: Path) -> set[str]:
    """Return the questions that have items in their disagreement_queue."""
    return set(read_queue(snapshot)["question"])


def evaluated_questions(snapshot: Path) -> list[str]:
    """Return the questions that have figures of agreement, sorted by name."""
    return sorted(set(read_views(snapshot, "latest_agreement")["latest_agreement"]["question"]))


def read_item_agreement(snapshot: Path) -> pl.DataFrame:
    """Read how many items of each question have so large a share of pairs that agree, in tenths."""
    with connect(snapshot, read_only=True) as con:
        return item_agreement(con)


def read_weeks(snapshot: Path) -> pl.DataFrame:
    """Read the figures of systems, raters and labels in the last weeks of each question."""
    with connect(snapshot, read_only=True) as con:
        return weekly_windows(con, WEEKS)


def read_version_weeks(snapshot: Path) -> pl.DataFrame:
    """Read the accuracy by week of the systems that have had more than one version."""
    with connect(snapshot, read_only=True) as con:
        return page_rows(con, "version_weeks", {"question": None, "system": None})


def read_failed_evaluations(snapshot: Path) -> pl.DataFrame:
    """Read the questions whose last evaluation failed, and why."""
    with connect(snapshot, read_only=True) as con:
        return page_rows(con, "failed_evaluations", {"question": None})


def read_evaluation_notes(snapshot: Path) -> pl.DataFrame:
    """Read what the last successful evaluation of each question noted."""
    with connect(snapshot, read_only=True) as con:
        return page_rows(con, "evaluation_notes", {"question": None})


def read_low_pairs(snapshot: Path) -> pl.DataFrame:
    """Read the pairs of annotators of the questions in which two annotators surely agree little."""
    with connect(snapshot, read_only=True) as con:
        return page_rows(con, "low_pairs", {"question": None})


def read_most_confused_pairs(snapshot: Path) -> pl.DataFrame:
    """Read which two labels people confuse most, of the questions whose agreement is low for sure."""
    with connect(snapshot, read_only=True) as con:
        return page_rows(con, "most_confused_pairs", {"question": None})


def of_all_raters(regions: pl.DataFrame) -> pl.DataFrame:
    """Keep the rows of `latest_region_agreement` over all raters and labels."""
    return regions.filter(pl.col("rater_a").is_null(), pl.col("label").is_null())


def overall(agreement: pl.DataFrame) -> pl.DataFrame:
    """Keep the rows of `latest_agreement` that cover all ratings of the human raters."""
    return agreement.filter((pl.col("period") == "all") & (pl.col("scope") == "humans"))
