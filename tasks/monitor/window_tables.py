"""Compute all figures of a question in all its windows."""

from collections.abc import Mapping

import polars as pl

from tasks.evaluate.agreement import QuestionConfig
from tasks.evaluate.evaluation_options import EvaluationOptions
from tasks.evaluate.patterns import WindowPatterns
from tasks.monitor.label_windows import NO_ROWS, label_rows
from tasks.monitor.window_spans import WindowSettings, item_windows
from tasks.monitor.windows import agreement_rows, human_patterns

NO_WINDOWS: Mapping[str, pl.DataFrame] = {**NO_ROWS}


def window_tables(
    question: str,
    patterns: pl.DataFrame,
    windows: WindowPatterns,
    config: QuestionConfig,
    options: EvaluationOptions,
) -> dict[str, pl.DataFrame]:
    """Return the rows of each table by its name: `agreement`, and the tables of windows.

    All windows are computed from the patterns and their numbers of items by day, batch and among the last items. So
    they do not depend on what earlier runs stored.
    """
    settings = WindowSettings.of(options)
    human, names, labels = human_patterns(question, patterns, config)
    spans = item_windows(windows, settings)
    agreement = agreement_rows(human, names, labels, spans, config.scale, options.confidence, settings)
    of_labels = label_rows(human, names, labels.names, spans, confidence=options.confidence, settings=settings)
    return {**({"agreement": agreement} if agreement.height else {}), **of_labels}
