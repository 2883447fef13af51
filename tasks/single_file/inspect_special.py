"""Describe files that hold no ratings, but preferences or spans, in the shape of `inspect --json`."""

from pathlib import Path

import polars as pl

from tasks.counted_words import counted
from tasks.errors import ReadError
from tasks.formats import ReadOptions
from tasks.formats.columns.column_roles import MAPPABLE
from tasks.formats.parsing.decompress import unpacked
from tasks.formats.parsing.limits import limited
from tasks.formats.preferences.pairwise_table import ROLES
from tasks.formats.preferences.preference_votes import PreferenceExport
from tasks.formats.preferences.read_preferences import PREFERENCE_FORMATS, preference_format, read_preferences
from tasks.formats.regions.span_export import SpanExport, marked_beside, what_is_marked
from tasks.ingest.incoming_regions import is_taken
from tasks.single_file.inspect_rejects import rejects_by_reason
from tasks.single_file.settings_lines import source_lines

NOT_RATINGS = PREFERENCE_FORMATS.keys() - {"label_studio_pairwise"}  # formats whose files hold nothing else
PREFER = (
    "# `kappaflow run` takes the votes in, `kappaflow prefer FILE` shows them. Of settings they need one only:\n"
    "# which voters are systems. The others count as people.\n"
    "# [questions.NAME]\n"
    '# systems = ["gpt"]\n'
)
AGREE = "# `kappaflow agree FILE` evaluates these spans. Projects take in a .zip of the folders.\n"
IN_PROJECTS = "# Spans and boxes need no settings: `kappaflow run` takes them in.\n"


def preferences_in(path: Path, options: ReadOptions) -> PreferenceExport | None:
    """Return the preferences of a file that holds nothing else, unless the user maps rater and label."""
    if options.maps_table or options.maps("labels") or options.format:
        return None
    try:
        with limited(options.limits), unpacked(path) as files:
            name = preference_format(files[0], options) if len(files) == 1 else None
    except ReadError:
        return None  # the reader of ratings says what is wrong
    are_mapped = bool(options.columns.keys() & {*ROLES} - {*MAPPABLE})
    return read_preferences(path, options) if are_mapped or name in NOT_RATINGS else None


def inspect_preferences(export: PreferenceExport, path: Path, options: ReadOptions) -> dict[str, object]:
    """Return what `inspect --json` prints of preferences: n_ratings are the votes."""
    votes = export.votes
    models = sorted({*votes["first"], *votes["second"]})
    shown = votes.head(5).select("item", "rater", "rater_kind", "first", "second", "outcome", "row_number")
    size = f"{counted(export.n_comparisons, 'comparison')} of {counted(len(models), 'model')}"
    about = f"Preferences on {size}: `kappaflow prefer` ranks the models."
    return {
        "format": export.format,
        "n_ratings": votes.height,
        "n_skipped": export.n_skipped,
        "n_rejected": export.rejects.height,
        "n_comparisons": export.n_comparisons,
        "n_regions": 0,
        "raters": _raters(votes),
        "questions": [],
        "models": models,
        "warnings": [about, *export.warnings],
        "columns": None if export.columns is None else export.columns.to_json(),
        "first_rows": shown.to_dicts(),
        "rejects": rejects_by_reason(export.rejects),
        "toml": PREFER + (_source(path, options) if options.columns else ""),
    }


def _source(path: Path, options: ReadOptions) -> str:
    """Write a [[source]] with the columns that the user mapped."""
    source = {
        "path": "inbox",
        "pattern": f"**/*{path.suffix}",
        "header": None if options.header else False,
        "columns": options.columns,
        "systems": sorted(options.systems),
    }
    return "\n".join(source_lines(source)) + "\n"


def inspect_spans(held: SpanExport, path: Path, toml: str = "") -> dict[str, object]:
    """Return what `inspect --json` prints of a file of spans: n_ratings is 0, because spans are not ratings.

    `toml`: the lines of a source that reads such files.
    """
    return {
        "format": held.format,
        "n_ratings": 0,
        "n_skipped": held.n_skipped,
        "n_rejected": held.rejects.height,
        "n_regions": held.n_regions,
        "raters": _raters(held.assignments),
        "questions": [],
        "warnings": [*held.warnings, spans_note(held, in_projects=is_taken(path, held))],
        "columns": None,
        "first_rows": [],
        "rejects": rejects_by_reason(held.rejects),
        "toml": toml or (IN_PROJECTS if is_taken(path, held) else AGREE),
    }


def spans_note(held: SpanExport, *, in_projects: bool) -> str:
    """Return the sentence on the spans of a file, and whether projects take them in."""
    if held.has_labels:
        more = " Projects do, too." if in_projects else ""
        return marked_beside(held) + more
    compares = "`kappaflow agree FILE` and projects compare" if in_projects else "`kappaflow agree FILE` compares"
    return f"{what_is_marked(held)} {compares} them between raters."


def _raters(rows: pl.DataFrame) -> list[dict[str, object]]:
    counts = rows.drop_nulls("rater").group_by("rater", "rater_kind").agg(pl.len().alias("n_ratings"))
    return counts.sort("rater_kind", "rater").to_dicts()
