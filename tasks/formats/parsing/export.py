"""Define what every reader takes and returns: options in, an Export of text frames out.

Readers use one file and no clock.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from schemas.rating_columns import METADATA, RATINGS
from tasks.errors import ReadError
from tasks.formats.columns.column_roles import ColumnChoice
from tasks.formats.columns.rater_in_name import file_names_rater
from tasks.formats.parsing.cells import nfc, tidy, tidy_labels
from tasks.formats.parsing.decompress import unpacked
from tasks.formats.parsing.distinct_texts import changed, distinct_of_each
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.limits import DEFAULTS, Limits, limited
from tasks.formats.weighted import same_columns

CANONICAL: dict[str, type[pl.DataType]] = {name: pl.Int64 if name == "row_number" else pl.String for name in RATINGS}
"""One row per answer as the file has it, all text, blank is null. `row_number` leads back to the file."""

PLACES, LABELS = "places", "labels"
REGIONS = (PLACES, LABELS)

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
    """How to read a file. Without options the reader finds out.

    `columns` maps a role (item, rater, label, question, time, rater_kind, system_version, score, duration, source_ref;
    for wide tables also raters, as `a|b|c`; for long ones n_items, skipped, labels as `a|b|c`) to a header of the file.
    `item` as `a|b` are columns that name the item together, `label` as `a|b` are questions side by side. The key
    `time_format` is the format of the times in a table (`%m/%d/%Y %H:%M`), `label_separator` what stands between the
    labels of a set (`|`), or `none`. Without `header` the columns of a table are
    numbered from 1. The question of a row is the one in the row, else `question`,
    else `fallback_question` (the inbox's subfolder), else the file's stem. `prefix` and a slash go before it. `systems`
    and `gold` name raters, but the kind in a row has priority. Names are kept in NFC, as those of the file are.
    `regions` says how spans and boxes count: by their places, or (`labels`) as each rater's set of labels of an item.
    Times without a zone are local times of `timezone`. None: they are UTC, and a note says so where it may matter.
    """

    format: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    header: bool = True
    question: str | None = None
    prefix: str | None = None
    fallback_question: str | None = None
    systems: frozenset[str] = frozenset()
    gold: frozenset[str] = frozenset()
    limits: Limits = DEFAULTS
    regions: str = PLACES
    timezone: str | None = None

    def __post_init__(self) -> None:
        for name in ("question", "prefix", "fallback_question"):
            if (text := getattr(self, name)) is not None:
                object.__setattr__(self, name, nfc(text))
        for name in ("systems", "gold"):
            object.__setattr__(self, name, frozenset(map(nfc, getattr(self, name))))

    def maps(self, *roles: str) -> bool:
        """Check whether the user maps one of these roles to a column."""
        return not self.columns.keys().isdisjoint(roles)

    @property
    def maps_table(self) -> bool:
        """Check whether the user maps rater or label. The file is then read as a table."""
        return self.maps("rater", "label", "raters")

    def kind_of(self, rater: pl.Expr, otherwise: pl.Expr) -> pl.Expr:
        """Return the kind that the options declare for each rater: gold, system, or `otherwise` where they are silent.

        >>> options = ReadOptions(systems=frozenset({"gpt"}), gold=frozenset({"expert"}))
        >>> names = pl.DataFrame({"rater": ["ann", "gpt", "expert", None]})
        >>> names.select(options.kind_of(pl.col("rater"), pl.lit("human"))).to_series().to_list()
        ['human', 'system', 'gold', 'human']
        """
        return (
            pl.when(rater.is_in(sorted(self.gold))).then(pl.lit("gold"))
            .when(rater.is_in(sorted(self.systems))).then(pl.lit("system"))
            .otherwise(otherwise)
        )  # fmt: skip


@dataclass(frozen=True)
class Export:
    """What a reader returns. Every row of the file is in `rows` (CANONICAL), in `rejects` (REJECTS) or in `n_skipped`.

    - rows: rows that stand for several items have a further column n_items (Int64), see tasks.formats.weighted.
    - ordered: the questions whose labels are steps of a scale, if the tool says so (stars).
    - columns: the columns of a table by role, None for a tool's format.
    - names_question: false if rows leave their question to the options or the file's name. read_parts sets it.
    """

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
        """Return what to tell the user: the columns, and the warnings."""
        return (*([str(self.columns)] if self.columns else []), *self.warnings)


@dataclass(frozen=True)
class Format:
    """A reader in the registry.

    - sniff: says from the beginning of a file whether it has this format.
    - general: true if the format takes any table. Detection asks it last.
    - rater_in_name: true if the file's name is always the rater. Equal bytes under two names are then two files.
    - parts: reads the file in parts, if it may be larger than the memory. The last part has the notes on the file.
    - roles: the roles of a column mapping that the reader uses; None if the reader itself names unused ones.
    """

    name: str
    describe: str
    extensions: tuple[str, ...]
    sniff: Callable[[FileLook, ReadOptions], bool]
    reader: Callable[[Path, ReadOptions], Export]
    general: bool = False
    rater_in_name: bool = False
    parts: Callable[[Path, ReadOptions], Iterator[Export]] | None = None
    roles: frozenset[str] | None = None

    def names_rater(self, columns: Mapping[str, str]) -> bool:
        """Check whether the file's name is the rater: in this format always, or by the mapping."""
        return self.rater_in_name or file_names_rater(columns)

    def read(self, path: str | Path, options: ReadOptions | None = None) -> Export:
        """Read one file. Bad rows become rejects; a file that cannot be read is a ReadError, never another error."""
        options = options or ReadOptions()
        with limited(options.limits), unpacked(Path(path)) as files:
            return self.read_files(files, options)

    def read_files(self, files: Sequence[Path], options: ReadOptions) -> Export:
        """Read plain files: one, or several that were packed together and are read as one."""
        exports = [self._read_file(file, options) for file in files]
        return exports[0] if len(exports) == 1 else together(files, exports)

    def read_parts(self, files: Sequence[Path], options: ReadOptions) -> Iterator[Export]:
        """Read the files one after the other, in parts if the format has them."""
        if self.parts is None or len(files) > 1:
            export = self.read_files(files, options)
            yield replace(export, warnings=(*self._unused_columns(options), *export.warnings))
            return
        with readable(self.name, files[0]):
            yield from self.parts(files[0], options)

    def _unused_columns(self, options: ReadOptions) -> list[str]:
        """Return a note on mapped columns without use. They are no error, because the source may also hold tables."""
        others = sorted(options.columns.keys() - self.roles) if self.roles is not None else []
        return (
            [f"Columns mapped to {', '.join(others)} do not concern files of the format {self.name}."] if others else []
        )

    def _read_file(self, path: Path, options: ReadOptions) -> Export:
        with readable(self.name, path):
            return self.reader(path, options)


@contextmanager
def readable(name: str, path: Path) -> Iterator[None]:
    """Turn what goes wrong in this context into an error of the file."""
    try:
        yield
    except (OSError, UnicodeError, RecursionError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as e:
        cause = str(e).strip().splitlines()[0] if str(e).strip() else type(e).__name__
        raise ReadError.of(
            path,
            f"cannot be read as {name}: {cause}",
            "The file is damaged or of another format: export it again, or name its format (`kappaflow formats`).",
        ) from e


def joined(exports: Sequence[Export]) -> Export:
    """Join the parts of one file. The first value counts if an item has metadata in several parts."""
    if len(exports) == 1:
        return exports[0]
    return replace(
        exports[-1],
        rows=pl.concat([part.rows for part in exports]),
        rejects=pl.concat([part.rejects for part in exports]),
        n_skipped=sum(part.n_skipped for part in exports),
        metadata=first_said([part.metadata for part in exports]),
        ordered=frozenset[str]().union(*(part.ordered for part in exports)),
        names_question=all(part.names_question for part in exports),
    )


def first_said(metadata: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return the metadata of several parts, of which each says a thing once."""
    together = pl.concat(metadata)
    if pl.concat([part["item"].unique() for part in metadata]).is_unique().all():
        return together
    return together.unique(["question", "item", "key"], keep="first", maintain_order=True)


def together(files: Sequence[Path], exports: Sequence[Export]) -> Export:
    """Join the exports of several files. Rejects and warnings name the file."""
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
        warnings=tuple(f"{file.name}: {note}" for file, texts in zip(files, notes, strict=True) for note in texts),
        columns=exports[0].columns if alike else None,
    )


def canonical(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a CANONICAL frame: the columns of `frame` with canonical names, tidied. The others are null."""
    texts = distinct_of_each(frame, [name for name in CANONICAL if name in frame.columns and name != "row_number"])
    columns = {name: changed(name, tidy_labels if name == "label" else tidy, each) for name, each in texts.items()}
    if "row_number" in frame.columns:
        columns["row_number"] = pl.col("row_number").cast(pl.Int64)
    return frame.select(columns.get(name, pl.lit(None, dtype)).alias(name) for name, dtype in CANONICAL.items())
