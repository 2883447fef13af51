"""Say what is counted: a dataset, its files by their arrival, and the rules."""

from dataclasses import dataclass

import polars as pl

from tasks.ingest.datasets.count_rules import CountRules
from tasks.sources.dataset import DatasetSource
from warehouse.datasets.counting import DatasetCounts
from warehouse.datasets.stored import CountedGroup
from warehouse.raters.forgotten_names import ForgottenNames


@dataclass(frozen=True)
class CountJob:
    """A dataset that is counted.

    `groups` are its files by batch, and `files` all of them, both in the order of their arrival. If `whole`, all items
    are counted, else those that the last group rates.
    """

    source: DatasetSource
    rules: CountRules
    groups: tuple[CountedGroup, ...]
    files: pl.DataFrame
    forgotten: ForgottenNames
    whole: bool

    @property
    def new(self) -> pl.DataFrame:
        """Return the files of the last group, which are the new ones unless the whole dataset is counted."""
        return self.files.filter(pl.col("file_name").is_in(self.groups[-1].files["file_name"].implode()))

    @property
    def first_new_row(self) -> int:
        """Return the number of the first row of the last group. Rows of all files are numbered from 1."""
        return int(self.files["n_rows"].sum()) - int(self.groups[-1].files["n_rows"].sum()) + 1


@dataclass(frozen=True)
class CountOutcome:
    """What a count found: the counts of the counted items, and of the same items without the new files.

    `before` is None if the whole dataset was counted. `rejects` are rejected rows (columns: warehouse.datasets.stored
    FILE_REJECTS), `ranges` the lowest and the highest item of each file, `notes` are for the user.
    """

    after: DatasetCounts
    before: DatasetCounts | None
    rejects: pl.DataFrame
    ranges: pl.DataFrame
    notes: tuple[str, ...] = ()
