"""Read votes on pairs of models for the warehouse: each row of the file is a vote, a reject or skipped."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from schemas.rating_columns import MAX_ID_LENGTH, MAX_VALUE_LENGTH, VOTES
from tasks.errors import InputError, ReadError
from tasks.formats import Export, ReadOptions
from tasks.formats.parsing.cells import nfc
from tasks.formats.parsing.decompress import stem, unpacked
from tasks.formats.parsing.export import canonical
from tasks.formats.parsing.limits import limited
from tasks.formats.parsing.reject_rows import REASONS
from tasks.formats.preferences.label_studio_pairwise import FIELDS
from tasks.formats.preferences.pairwise_table import ROLES
from tasks.formats.preferences.preference_votes import PreferenceExport
from tasks.formats.preferences.read_preferences import PREFERENCE_FORMATS, preference_format, read_preferences
from tasks.ingest.validate import ValidatedExport, validate

UNNAMED = (
    "The votes do not name the voters. They are numbered per item and pair, and votes of a later file on the same item "
    "and pair take their place."
)
FULL_EXPORT = "Votes on pairs of models cannot be a full export: nothing would be deleted."
FULL_EXPORT_HINT = "Read them from a source without full_export."
ONLY_VOTES = {"model_a", "model_b", "winner"}
FIELDS_OF: Mapping[str, tuple[str, ...]] = {"label_studio_pairwise": ("item", *FIELDS), "alpaca_eval": ()}


@dataclass(frozen=True)
class IncomingVotes:
    """The votes of a file.

    `checked.ratings` has a row per vote, with its rater and, in source_ref, its number in `pairs`. So the votes can be
    renamed like ratings. `pairs` has the other columns of VOTES.
    """

    export: Export
    checked: ValidatedExport
    pairs: pl.DataFrame

    def votes(self, renamed: ValidatedExport) -> pl.DataFrame:
        """Return the votes (columns: VOTES) with the raters of `renamed`."""
        raters = renamed.ratings.select(
            pl.col("source_ref").cast(pl.Int64).alias("number"), "question", "item", "rater", "rater_kind", "row_number"
        )
        joined = self.pairs.join(raters, on="number", how="inner", maintain_order="left")
        return joined.select(pl.col(name).cast(dtype) for name, dtype in VOTES.items())


def are_declared(options: ReadOptions) -> bool:
    """Check whether the settings of a source say that its files hold votes on pairs of models."""
    return options.format in PREFERENCE_FORMATS or (
        options.format is None and bool(ONLY_VOTES & options.columns.keys())
    )


def in_place_of_ratings(path: Path, options: ReadOptions) -> bool:
    """Check whether a file without ratings holds votes on pairs of models, and the settings do not deny it."""
    if options.format or options.maps_table or options.maps("labels"):
        return False
    return _format(path, options) is not None


def read_votes(path: Path, options: ReadOptions) -> IncomingVotes:
    """Read and validate a file of votes on pairs of models. Raises ReadError for a file that cannot be read as one."""
    name = options.format or _format(path, options) or "pairwise_table"
    roles = FIELDS_OF.get(name, ROLES)
    columns = {"judge" if role == "rater" else role: header for role, header in options.columns.items()}
    columns = {role: header for role, header in columns.items() if role in roles}
    try:
        export = read_preferences(path, replace(options, format=name, columns=columns))
    except InputError as error:
        raise ReadError(str(error), error.hint, file=str(path)) from error
    return _checked(_numbered(export, path, options), export, path, options)


def _format(path: Path, options: ReadOptions) -> str | None:
    """Return the format of preferences that a file shows, if any."""
    try:
        with limited(options.limits), unpacked(path) as files:
            return preference_format(files[0], options) if len(files) == 1 else None
    except ReadError:
        return None


def _numbered(export: PreferenceExport, path: Path, options: ReadOptions) -> pl.DataFrame:
    """Number the votes, name their question, and name nobody `vote #1`, `vote #2`, ... of an item and pair."""
    low, high = pl.min_horizontal("first", "second"), pl.max_horizontal("first", "second")
    question = pl.coalesce("question", pl.lit(options.question or nfc(options.fallback_question or stem(path))))
    has_item = export.columns is None or "item" in export.columns.headers
    own = pl.col("item") if has_item else pl.format("{}|{}", pl.lit(nfc(stem(path))), pl.col("item"))
    votes = export.votes.with_row_index("number").with_columns(
        pl.col("number").cast(pl.Int64),
        (pl.format("{}/{}", pl.lit(options.prefix), question) if options.prefix else question).alias("question"),
        own.alias("item"),
        (pl.col("cluster") if has_item else own).alias("cluster"),
        low.alias("model_a"),
        high.alias("model_b"),
        pl.when(pl.col("first") == low).then(pl.lit("model_a")).otherwise(pl.lit("model_b")).alias("shown_first"),
        _winner(low).alias("winner"),
    )
    nobody = pl.col("rater").is_null()
    place = pl.int_range(1, pl.len() + 1).over("question", "item", "model_a", "model_b", nobody)
    gold = pl.lit("gold")
    systems = pl.when(pl.col("rater").is_in(sorted(options.gold)).fill_null(value=False)).then(gold)
    return votes.with_columns(
        pl.when(nobody).then(pl.format("vote #{}", place)).otherwise("rater").alias("rater"),
        systems.otherwise("rater_kind").alias("rater_kind"),
    )


def _winner(low: pl.Expr) -> pl.Expr:
    """Return which model of the sorted pair won."""
    chosen = pl.when(pl.col("outcome") == "first").then("first").otherwise("second")
    winner = pl.when(chosen == low).then(pl.lit("model_a")).otherwise(pl.lit("model_b"))
    return pl.when(pl.col("outcome") == "tie").then(pl.lit("tie")).otherwise(winner)


RULES: tuple[tuple[str, Callable[[pl.Expr], pl.Expr]], ...] = (
    ("id_too_long", lambda text: text.str.len_chars() > MAX_ID_LENGTH),
    ("bad_encoding", lambda text: text.str.contains("\0", literal=True)),
)
"""What is wrong with the name of a model or cluster. `validate` checks the other columns."""


def _checked(votes: pl.DataFrame, export: PreferenceExport, path: Path, options: ReadOptions) -> IncomingVotes:
    bad, rejects = pl.lit(value=False), []
    for reason, is_wrong in RULES:
        for column in ("model_a", "model_b", "cluster"):
            wrong = votes.filter(is_wrong(pl.col(column)) & ~bad)
            rejects.append(_rejects(wrong, column, reason))
            bad = bad | is_wrong(pl.col(column))
    good = votes.filter(~bad)
    rows = canonical(good.with_columns(label="winner", source_ref=pl.col("number").cast(pl.String)))
    unnamed = [UNNAMED] if export.votes["rater"].null_count() else []
    read = Export(
        format=export.format,
        rows=rows,
        rejects=pl.concat([export.rejects, *rejects]),
        n_skipped=export.n_skipped,
        warnings=(*export.warnings, *unnamed),
        columns=export.columns,
        names_question=not export.votes["question"].null_count(),
    )
    checked = validate(read, contract=False)
    columns = {"number", *VOTES} - {"question", "item", "rater", "rater_kind", "row_number"}
    return IncomingVotes(replace(read, rows=rows.clear()), checked, good.select(sorted(columns)))


def _rejects(votes: pl.DataFrame, column: str, reason: str) -> pl.DataFrame:
    return votes.select(
        "row_number",
        pl.lit(column).alias("column_name"),
        pl.col(column).str.slice(0, MAX_VALUE_LENGTH).alias("value"),
        pl.lit(reason).alias("reason"),
        pl.lit(REASONS[reason]).alias("detail"),
    )
