"""Compute all figures of a question in its windows; agreement and labels in those that changed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl

from stats.trends.label_trends import frequent_pairs
from tasks.evaluate.evaluation_options import EvaluationOptions
from tasks.evaluate.labels import QuestionLabels
from tasks.evaluate.patterns import QuestionPatterns, WindowPatterns
from tasks.evaluate.question_config import QuestionConfig
from tasks.evaluate.question_inputs import QuestionInputs
from tasks.fingerprint import fingerprint
from tasks.monitor.windows.agreement_windows import agreement_rows, human_patterns
from tasks.monitor.windows.label_windows import NO_ROWS, label_rows
from tasks.monitor.windows.people_in_windows import people_in_windows
from tasks.monitor.windows.quality_windows import NO_QUALITY, code_patterns, known_raters, quality_rows
from tasks.monitor.windows.rate_windows import NO_RATES, RATES, RateOptions, rate_rows
from tasks.monitor.windows.unchanged_windows import changed_windows, digested_windows
from tasks.monitor.windows.window_spans import ItemWindows, WindowSettings, item_windows

NO_WINDOWS: Mapping[str, pl.DataFrame] = {**NO_ROWS, **NO_QUALITY, **NO_RATES}


@dataclass(frozen=True)
class WindowTables:
    """Rows of each table by its name: `agreement`, and the tables of windows.

    digests: of each window, with is_kept where its stored rows stay (`digested_windows`). None: no rows stay.
    """

    tables: Mapping[str, pl.DataFrame]
    digests: pl.DataFrame | None = None


def window_tables(
    question: str, inputs: QuestionInputs, config: QuestionConfig, options: EvaluationOptions
) -> WindowTables:
    """Compute the rows of all windows that changed.

    They follow from the patterns and their numbers of items by day, batch and among the last items. So they do not
    depend on the order in which ratings came. Agreement and labels of a window are computed where its digest is not
    that in `inputs.digests`. The quality of raters and systems also depends on the last evaluation, so that all its
    windows are computed. Without `inputs.accuracies` it is left out.
    """
    inputs = _numbered(inputs)
    human, names, labels = human_patterns(question, inputs.patterns.frame, config)
    spans = item_windows(inputs.windows, WindowSettings.of(options))
    of_people = _people_rows(human, names, labels, spans, inputs.digests, config, options)
    if inputs.accuracies is None:
        return of_people
    quality = _quality_rows(inputs, labels, spans, inputs.accuracies, config, options)
    return WindowTables({**of_people.tables, **quality}, of_people.digests)


def _numbered(inputs: QuestionInputs) -> QuestionInputs:
    """Name the patterns by numbers, because joins and sorts of texts take twice the time."""
    number, windows, inclusion = pl.col("item").cast(pl.UInt32), inputs.windows, inputs.inclusion
    frame, names = (part.with_columns(number) for part in (inputs.patterns.frame, inputs.patterns.names))
    days, batches, last = (part.with_columns(number) for part in (windows.days, windows.batches, windows.last))
    return replace(
        inputs,
        patterns=QuestionPatterns(frame, names),
        windows=WindowPatterns(days, batches, last),
        inclusion=None if inclusion is None else inclusion.with_columns(pl.col("pattern").cast(pl.UInt32)),
    )


def _people_rows(
    human: pl.DataFrame, names: pl.DataFrame, labels: QuestionLabels, spans: ItemWindows,
    stored: pl.DataFrame | None, config: QuestionConfig, options: EvaluationOptions,
) -> WindowTables:  # fmt: skip
    """Compute agreement and labels in the windows that changed."""
    if human.is_empty():
        return WindowTables(dict(NO_ROWS))
    settings = WindowSettings.of(options)
    people = people_in_windows(human, names, labels.names, spans)
    pairs = frequent_pairs(people.patterns)
    depends = (config, options, list(labels.names))
    followed = [(labels.names[a], labels.names[b]) for a, b in zip(*pairs, strict=True)]
    hashes = {"agreement": fingerprint(*depends), "labels": fingerprint(*depends, followed)}
    digested = digested_windows(people, tuple(labels.names), spans, hashes, stored)
    tables: dict[str, pl.DataFrame] = {}
    some, counted = _people_of(human, names, changed := changed_windows(spans, digested, "agreement"))
    agreement = agreement_rows(some, counted, labels, changed, config, options.confidence, settings)
    if agreement.height:
        tables["agreement"] = agreement
    if (changed := changed_windows(spans, digested, "labels")) is not spans:
        some, counted = _people_of(human, names, changed)
        people = people_in_windows(some, counted, labels.names, changed)
    tables |= label_rows(
        people, labels.names, changed, confidence=options.confidence, settings=settings, pairs=pairs
    )  # fmt: skip
    return WindowTables(tables, digested.drop("window"))


def _people_of(human: pl.DataFrame, names: pl.DataFrame, windows: ItemWindows) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the human patterns in these windows, and their names."""
    inside = names.join(windows.counts.select(source="item").unique(), on="source", how="semi")
    return human.join(inside, on="item", how="semi", maintain_order="left"), inside


def _quality_rows(
    inputs: QuestionInputs, labels: QuestionLabels, spans: ItemWindows, accuracies: pl.DataFrame,
    config: QuestionConfig, options: EvaluationOptions,
) -> dict[str, pl.DataFrame]:  # fmt: skip
    """Compute the quality of raters and systems, and label rates, in all windows."""
    settings = WindowSettings.of(options)
    label_patterns, _ = labels.keep_known(inputs.patterns.frame)
    coded = code_patterns(label_patterns, labels.names, spans)
    if coded is None:
        return {**NO_QUALITY, **NO_RATES}
    # Without people nothing is known of quality in windows, but of label rates.
    anchored_raters = known_raters(coded, accuracies, options.confidence) if coded.raters else None
    quality: dict[str, pl.DataFrame] = {}
    if anchored_raters is not None:
        quality = quality_rows(
            coded, spans, accuracies, anchored_raters, confidence=options.confidence, settings=settings
        )
    rates = inputs.rates if inputs.rates is not None else pl.DataFrame(schema=RATES)
    of_labels = rate_rows(
        label_patterns, coded, labels.names, spans, None if anchored_raters is None else anchored_raters[1], rates,
        options=RateOptions(options.confidence, config.outer_error), settings=settings,
        inclusion=inputs.inclusion,
    )  # fmt: skip
    return {**NO_QUALITY, **quality, **of_labels}
