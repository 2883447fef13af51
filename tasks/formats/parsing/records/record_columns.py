"""Make a table of text from JSON records, a portion at a time: as objects they take many times the memory."""

from pathlib import Path

import polars as pl

from tasks.errors import ReadError
from tasks.formats.parsing.cells import cell_text
from tasks.formats.parsing.limits import check_columns

PORTION = 50_000  # records that are held as objects
CELLS = 50_000_000  # of a table that JSON makes; below that many its shape does not matter
SPARSE = 20  # cells of a table per value from which it is far larger than its file


class RecordColumns:
    """The records that were added, as columns c0, c1, ... of text with their numbers, see TextTable.

    `headers` are the keys of all records, in the order in which they came, each with the number of its column.
    `empty_lists` are the numbers of the columns that have a list without an element.
    """

    def __init__(self, path: Path) -> None:
        self.headers: dict[str, int] = {}
        self.empty_lists: set[int] = set()
        self._path = path
        self._records: list[tuple[int, dict[str, object]]] = []
        self._portions: list[pl.DataFrame] = []
        self._n_records = 0
        self._n_values = 0

    def add(self, n: int, record: dict[str, object]) -> None:
        """Add a record. Raises ReadError if the records have too many keys, or far more than each has values."""
        self._records.append((n, record))
        if len(self._records) == PORTION:
            self._end_portion()

    def frame(self) -> pl.DataFrame:
        """Return the whole table, in one piece. Raises ReadError as `add` does."""
        self._end_portion()
        return pl.concat(self._portions, how="diagonal", rechunk=True).select(
            *(f"c{i}" for i in self.headers.values()), "row_number"
        )

    def _end_portion(self) -> None:
        """Make the records that are held as objects a part of the table."""
        for _, record in self._records:
            if not record.keys() <= self.headers.keys():
                self._add_headers(record)
        self._n_records += len(self._records)
        self._n_values += sum(len(record) for _, record in self._records)
        self._check_size()
        columns = {f"c{i}": self._column(key, i) for key, i in self.headers.items()}
        numbers = pl.Series([n for n, _ in self._records], dtype=pl.Int64)
        self._portions.append(pl.DataFrame(columns | {"row_number": numbers}))
        self._records = []

    def _add_headers(self, record: dict[str, object]) -> None:
        for key in record:
            self.headers.setdefault(key, len(self.headers))
        check_columns(self._path, len(self.headers))

    def _check_size(self) -> None:
        n_cells = len(self.headers) * self._n_records
        if n_cells > CELLS and n_cells > SPARSE * self._n_values:
            raise ReadError(
                f"The {self._n_records:,} records of {self._path.name} have {len(self.headers):,} keys, most of them "
                "in few records.",
                "A table has the same keys in each record: export it in another form.",
                file=str(self._path),
            )

    def _column(self, key: str, i: int) -> pl.Series:
        """Return the values of a key as text."""
        values = [record.get(key) for _, record in self._records]
        try:
            return pl.Series(values, dtype=pl.String)  # most columns are text throughout
        except TypeError:
            if [] in values:
                self.empty_lists.add(i)
            return pl.Series(map(cell_text, values), dtype=pl.String)
