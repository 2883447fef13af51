"""What every reader takes and gives: options in, an Export of text frames out. Readers are pure: one file, no clock."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from schemas.rating_columns import METADATA, RATINGS
from tasks.errors import ReadError
from tasks.formats.columns.column_roles import ColumnChoice
from tasks.formats.parsing.cells import nfc, tidy, tidy_labels
from tasks.formats.parsing.decompress import unpacked
from tasks.formats.parsing.distinct_texts import changed
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.limits import DEFAULTS, Limits, limited
from tasks.formats.weighted import same_columns

CANONICAL: dict[str, type[pl.DataType]] = {name: pl.Int64 if name == "row_number" else pl.String for name in RATINGS}
"""One row per answer as the file has it, all text, blank is null. `row_number` leads back to the file."""

KINDS_AS_WRITTEN = {
    "human": "human",
    "annotator": "human",
    "person": "human",
    "system": "system",
    "model": "system",
    "llm": "system",
    "ai": "system",
    "machine": "system",
    "code": "system",
    "gold": "gold",
}
"""What files write for the kind of a rater, in lower case, and what it means."""


@dataclass(frozen=True)
class ReadOptions:
    """How to read a file; the empty options mean: find out.

    `columns` maps a role (item, rater, label, question, time, rater_kind, system_version, score, duration,
    source_ref; for wide tables also raters, as `a|b|c`; for long ones n_items) to a header of the file; `time_format`
    among them is no header but how the times of a table are written (`%m/%d/%Y %H:%M`). The question of
    a row is its own, else `question`, else `fallback_question` (the inbox's subfolder), else the file's stem; `prefix`
    and a slash go before it. `systems` and `gold` name raters; a row that says itself what its rater is keeps its word.
    Names are kept in NFC, as those of the file are.
    """

    format: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    question: str | None = None
    prefix: str | None = None
    fallback_question: str | None = None
    systems: frozenset[str] = frozenset()
    gold: frozenset[str] = frozenset()
    limits: Limits = DEFAULTS

    def __post_init__(self) -> None:
        for name in ("question", "prefix", "fallback_question"):
            if (text := getattr(self, name)) is not None:
                object.__setattr__(self, name, nfc(text))
        for name in ("systems", "gold"):
            object.__setattr__(self, name, frozenset(map(nfc, getattr(self, name))))


@dataclass(frozen=True)
class Export:
    """What a reader found: every row of the file is in `rows` (CANONICAL), in `rejects` (REJECTS) or in `n_skipped`.
    Rows that stand for several items have a further column n_items (Int64), see tasks.formats.weighted.
    `ordered` are the questions whose labels are steps of a scale, where the tool says so (stars). `columns` says which
    columns of a table were taken as what; None where the format is a tool's. `names_question` is False where rows leave
    their question to the options or the file's name; read_parts finds that out."""

    format: str
    rows: pl.DataFrame
    rejects: pl.DataFrame
    n_skipped: int = 0
    metadata: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=METADATA))
    warnings: tuple[str, ...] = ()
    ordered: frozenset[str] = frozenset()
    columns: ColumnChoice | None = None
    names_question: bool = True

    @property
    def notes(self) -> tuple[str, ...]:
        """What to tell the user of the reading: the columns, and the warnings."""
        return (*([str(self.columns)] if self.columns else []), *self.warnings)


@dataclass(frozen=True)
class Format:
    """A reader in the registry. `sniff` answers from a look at the file's beginning whether the file is its own;
    a `general` format takes any table, so detection asks it last; `rater_in_name` where the file's name says who rated,
    so that equal bytes under two names are two files. `parts` reads the same in parts, where a file may be larger than
    the memory: what the reader says of the whole file stands in the last one. `roles` are those of a column mapping
    that the reader uses; None where it says itself what it does not use."""

    name: str
    describe: str
    extensions: tuple[str, ...]
    sniff: Callable[[FileLook, ReadOptions], bool]
    reader: Callable[[Path, ReadOptions], Export]
    general: bool = False
    rater_in_name: bool = False
    parts: Callable[[Path, ReadOptions], Iterator[Export]] | None = None
    roles: frozenset[str] | None = None

    def read(self, path: str | Path, options: ReadOptions | None = None) -> Export:
        """Read one file. Bad rows become rejects; a file that cannot be read is a ReadError, never another error."""
        options = options or ReadOptions()
        with limited(options.limits), unpacked(Path(path)) as files:
            return self.read_files(files, options)

    def read_files(self, files: Sequence[Path], options: ReadOptions) -> Export:
        """The same for plain files: one, or several that were packed together and are read as one."""
        exports = [self._read_file(file, options) for file in files]
        return exports[0] if len(exports) == 1 else _together(files, exports)

    def read_parts(self, files: Sequence[Path], options: ReadOptions) -> Iterator[Export]:
        """The same one after the other, as far as the format has parts."""
        if self.parts is None or len(files) > 1:
            export = self.read_files(files, options)
            yield replace(export, warnings=(*self._unused_columns(options), *export.warnings))
            return
        with _readable(self.name, files[0]):
            yield from self.parts(files[0], options)

    def _unused_columns(self, options: ReadOptions) -> list[str]:
        """A source may hold tables too, for which the mapping is meant; so it is no error."""
        others = sorted(options.columns.keys() - self.roles) if self.roles is not None else []
        return (
            [f"Columns mapped to {', '.join(others)} do not concern files of the format {self.name}."] if others else []
        )

    def _read_file(self, path: Path, options: ReadOptions) -> Export:
        with _readable(self.name, path):
            return self.reader(path, options)


@contextmanager
def _readable(name: str, path: Path) -> Iterator[None]:
    """What goes wrong in here is an error of the file."""
    try:
        yield
    except (OSError, UnicodeError, RecursionError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as e:
        cause = str(e).strip().splitlines()[0] if str(e).strip() else type(e).__name__
        raise ReadError(
            f"{path.name} cannot be read as {name}: {cause}",
            "The file is damaged or of another format: export it again, or name its format (`kappaflow formats`).",
            file=str(path),
        ) from e


def joined(parts: Sequence[Export]) -> Export:
    """The parts of one file as one. The first value counts where an item has metadata in several parts."""
    if len(parts) == 1:
        return parts[0]
    return replace(
        parts[-1],
        rows=pl.concat([part.rows for part in parts]),
        rejects=pl.concat([part.rejects for part in parts]),
        n_skipped=sum(part.n_skipped for part in parts),
        metadata=first_said([part.metadata for part in parts]),
        ordered=frozenset[str]().union(*(part.ordered for part in parts)),
        names_question=all(part.names_question for part in parts),
    )


def first_said(metadata: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The metadata of several parts, of which each says a thing once."""
    together = pl.concat(metadata)
    if pl.concat([part["item"].unique() for part in metadata]).is_unique().all():
        return together
    return together.unique(["question", "item", "key"], keep="first", maintain_order=True)


def _together(files: Sequence[Path], exports: Sequence[Export]) -> Export:
    """One export of several files; rejects and warnings name the file."""
    same_columns(files, [export.rows for export in exports])
    rejects = [
        export.rejects.with_columns(pl.concat_str(pl.lit(f"{file.name}: "), pl.col("detail")).alias("detail"))
        for file, export in zip(files, exports, strict=True)
    ]
    metadata = pl.concat([export.metadata for export in exports])
    alike = all(export.columns == exports[0].columns for export in exports)
    notes = [export.warnings if alike else export.notes for export in exports]
    return Export(
        format=exports[0].format,
        rows=pl.concat([export.rows for export in exports]),
        rejects=pl.concat(rejects),
        ordered=frozenset[str]().union(*(export.ordered for export in exports)),
        n_skipped=sum(export.n_skipped for export in exports),
        metadata=metadata.unique(["question", "item", "key"], keep="first", maintain_order=True),
        warnings=tuple(f"{file.name}: {note}" for file, said in zip(files, notes, strict=True) for note in said),
        columns=exports[0].columns if alike else None,
    )


def canonical(frame: pl.DataFrame) -> pl.DataFrame:
    """A CANONICAL frame from the columns of `frame` that have canonical names, tidied; the others are null."""
    return frame.select(_canonical_column(frame, name, dtype) for name, dtype in CANONICAL.items())


def _canonical_column(frame: pl.DataFrame, name: str, dtype: type[pl.DataType]) -> pl.Expr:
    if name not in frame.columns:
        return pl.lit(None, dtype=dtype).alias(name)
    if name == "row_number":
        return pl.col(name).cast(pl.Int64)
    return changed(frame, name, tidy_labels if name == "label" else tidy).alias(name)
