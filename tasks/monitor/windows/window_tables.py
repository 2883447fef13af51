"""Compute all figures of a question in all its windows."""

from collections.abc import Mapping

import polars as pl

from tasks.evaluate.evaluation_options import EvaluationOptions
from tasks.evaluate.question_config import QuestionConfig
from tasks.evaluate.question_inputs import QuestionInputs
from tasks.monitor.windows.agreement_windows import agreement_rows, human_patterns
from tasks.monitor.windows.label_windows import NO_ROWS, label_rows
from tasks.monitor.windows.quality_windows import NO_QUALITY, code_patterns, quality_rows
from tasks.monitor.windows.rate_windows import NO_RATES, RATES, RateOptions, rate_rows
from tasks.monitor.windows.window_spans import WindowSettings, item_windows

NO_WINDOWS: Mapping[str, pl.DataFrame] = {**NO_ROWS, **NO_QUALITY, **NO_RATES}


def window_tables(
    question: str, inputs: QuestionInputs, config: QuestionConfig, options: EvaluationOptions
) -> dict[str, pl.DataFrame]:
    """Return the rows of each table by its name: `agreement`, and the tables of windows.

    All windows are computed from the patterns and their numbers of items by day, batch and among the last items. So
    they do not depend on what earlier runs stored. The quality of raters and systems also depends on the last
    evaluation. Without `inputs.accuracies` it is left out.
    """
    settings, patterns = WindowSettings.of(options), inputs.patterns.frame
    human, names, labels = human_patterns(question, patterns, config)
    spans = item_windows(inputs.windows, settings)
    agreement = agreement_rows(human, names, labels, spans, config, options.confidence, settings)
    tables = {"agreement": agreement} if agreement.height else {}
    tables |= label_rows(human, names, labels.names, spans, confidence=options.confidence, settings=settings)
    if inputs.accuracies is not None:
        known, _ = labels.known(patterns)
        coded, last = code_patterns(known, labels.names, spans), inputs.accuracies
        if coded is None:
            return tables | dict(NO_QUALITY) | dict(NO_RATES)
        people = bool(coded.raters)  # without people nothing is known of quality in windows, but of label rates
        quality = quality_rows(coded, spans, last, confidence=options.confidence, settings=settings) if people else {}
        tables |= {**NO_QUALITY, **quality}
        rates = inputs.rates if inputs.rates is not None else pl.DataFrame(schema=RATES)
        tables |= rate_rows(
            known, coded, labels.names, spans, {"accuracies": last, "rates": rates},
            options=RateOptions(options.confidence, config.outer_error), settings=settings,
            inclusion=inputs.inclusion,
        )  # fmt: skip
    return tables
