"""Detect how a file writes pairwise preferences, and read it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from tasks.errors import InputError, ReadError
from tasks.formats.parsing.cells import nfc
from tasks.formats.parsing.decompress import unpacked
from tasks.formats.parsing.export import ReadOptions, readable
from tasks.formats.parsing.file_look import FileLook, look_at_file
from tasks.formats.parsing.limits import limited
from tasks.formats.preferences import alpaca_eval, judge_games, label_studio_pairwise, pairwise_table
from tasks.formats.preferences.preference_votes import PreferenceExport


@dataclass(frozen=True)
class PreferenceFormat:
    """A reader of preferences: how to detect its files, and what it reads, in a sentence."""

    sniff: Callable[[FileLook], bool]
    reader: Callable[[Path, ReadOptions], PreferenceExport]
    describe: str


PREFERENCE_FORMATS: dict[str, PreferenceFormat] = {
    "label_studio_pairwise": PreferenceFormat(
        label_studio_pairwise.sniff, label_studio_pairwise.read, "Pairwise choices in Label Studio's JSON."
    ),
    "alpaca_eval": PreferenceFormat(alpaca_eval.sniff, alpaca_eval.read, "AlpacaEval's annotations."),
    "mt_bench_pair": PreferenceFormat(
        judge_games.sniff_mt_bench, judge_games.read_mt_bench, "MT-Bench's judgments of pairs in both orders."
    ),
    "arena_hard": PreferenceFormat(
        judge_games.sniff_arena_hard, judge_games.read_arena_hard, "Arena-Hard's judgments in both orders."
    ),
    "pairwise_table": PreferenceFormat(
        pairwise_table.sniff, pairwise_table.read, "MT-Bench, Chatbot Arena, and any table of two models and a winner."
    ),
}


def read_preferences(path: str | Path, options: ReadOptions | None = None) -> PreferenceExport:
    """Read a file of preferences. Names are kept in NFC, and the raters of `options.systems` are systems.

    Errors: ReadError for a file that holds no preferences, InputError for a format that does not exist.
    """
    path, options = Path(path), options or ReadOptions()
    if options.format and options.format not in PREFERENCE_FORMATS:
        raise InputError(
            f"There is no format of preferences {options.format!r}.", f"They are {', '.join(PREFERENCE_FORMATS)}."
        )
    with limited(options.limits), unpacked(path) as files:
        if len(files) > 1:
            raise ReadError.of(path, f"holds {len(files)} files.", "Give one of them.")
        name = options.format or preference_format(files[0], options) or "pairwise_table"
        with readable(name, files[0]):
            export = PREFERENCE_FORMATS[name].reader(files[0], options)
    texts = [name for name, dtype in export.votes.schema.items() if dtype == pl.String and name != "outcome"]
    votes = export.votes.with_columns(pl.col(name).map_elements(nfc, pl.String) for name in texts)
    votes = votes.with_columns(rater_kind=options.kind_of(pl.col("rater"), pl.col("rater_kind")))
    return replace(export, votes=votes)


def preference_format(path: Path, options: ReadOptions) -> str | None:
    """Return the format of preferences that a plain file shows, if any."""
    seen = look_at_file(path, header=options.header)
    return next((name for name, reader in PREFERENCE_FORMATS.items() if reader.sniff(seen)), None)
