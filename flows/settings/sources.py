"""The [source] tables of kappaflow.toml: where ratings come from."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from flows.settings.values import (
    Endpoint,
    Format,
    Pattern,
    Projects,
    Region,
    Role,
    Seconds,
    SettingsTable,
    SourcePath,
    Timezone,
    Url,
    Variable,
    no_common_names,
)
from tasks.formats.columns.column_roles import ALIASES, LABEL_SEPARATOR, TIME_FORMAT
from tasks.sources.dataset import GLOB, READ_ROLES, TABLE
from tasks.sources.live_label_studio.live_source import PATIENCE, LiveSource
from tasks.sources.object_store.address import is_address
from tasks.sources.object_store.address import parse as parse_address

NOT_LIVE = {"path", "pattern", "format", "header", "regions", "timezone", "full_export", "done", "endpoint", "region"}
ONLY_LIVE = {"url", "project", "token_env", "page_size", "patience"}
ONLY_STORES = {"endpoint", "region"}
ONLY_DATASETS = {"engine", "keep"}
NOT_OF_DATASETS = {"format", "header", "regions", "timezone", "full_export", "done"} | ONLY_LIVE
NOT_OF_FOLDERS = ONLY_LIVE | ONLY_DATASETS
UNKNOWN_KEYS = {"folder": NOT_OF_FOLDERS, "label_studio": NOT_LIVE | ONLY_DATASETS, "dataset": NOT_OF_DATASETS}
ROLES = (*READ_ROLES, TIME_FORMAT, LABEL_SEPARATOR)
DATASET_ROLES = {*ROLES, *ALIASES}


class SourceSettings(SettingsTable):
    """Where exports come from: a folder, a file, an object store (`path` is its address) or a live Label Studio.

    Or a dataset, whose ratings stay in its Parquet files, its Delta table, or a table of Spark (`path` is
    "table:NAME"): the warehouse stores what `keep` says.

    A folder or file may be outside the project folder.
    """

    type: Literal["folder", "label_studio", "dataset"] = "folder"
    path: SourcePath = "inbox"
    pattern: Pattern = "**/*"
    prefix: str | None = None  # goes before the name of each question, so that questions of two sources never merge
    format: Format | None = None
    question: str | None = None
    columns: dict[Role, str] = {}
    header: bool = True  # false: the first row of a table is data, and its columns are numbered from 1
    regions: Literal["places", "labels"] = "places"  # "labels": each rater's set of labels of an item is a rating
    timezone: Timezone | None = None  # of times without a zone; None: they are UTC
    systems: list[str] = []
    gold: list[str] = []
    full_export: bool = False  # each file has all ratings: a rating that it lacks is deleted
    done: Literal["leave", "move"] = "leave"  # "move": a file that was stored goes to done/ in the source
    endpoint: Endpoint | None = None  # of an object store that is not the vendor's own
    region: Region | None = None
    engine: Literal["duckdb", "spark"] = "duckdb"  # counts the ratings of a dataset
    keep: Literal["patterns"] = "patterns"  # what the warehouse stores of a dataset
    url: Url | None = None
    project: Projects | None = None
    token_env: Variable = LiveSource.token_env  # the name of the variable, never the token itself
    page_size: Annotated[int, Field(ge=1, le=10_000)] = LiveSource.page_size
    patience: Seconds = PATIENCE  # seconds in which a request that fails is repeated

    @model_validator(mode="after")
    def _keys_fit_type(self) -> "SourceSettings":
        unknown = sorted(self.model_fields_set & UNKNOWN_KEYS[self.type])
        if unknown:
            raise ValueError(f"a source of type {self.type!r} has no {', '.join(unknown)}")
        no_common_names(self.systems, self.gold)
        if self.type == "folder":
            self._check_path(has_pattern=is_address(self.path) and bool(parse_address(self.path).pattern))
        if self.type == "dataset":
            self._check_dataset()
        if self.type == "label_studio" and (self.url is None or self.project is None):
            raise ValueError("a source of type 'label_studio' needs url and project")
        if self.type == "label_studio" and (others := sorted(self.columns.keys() - {"item"})):
            raise ValueError(f"columns: Label Studio's tasks have an item to map, no {', '.join(others)}")
        return self

    def _check_dataset(self) -> None:
        if "path" not in self.model_fields_set:
            raise ValueError("a source of type 'dataset' needs path, the folder of its Parquet files")
        if self.path.startswith(TABLE) and self.engine != "spark":
            raise ValueError('a table of Spark is counted with engine = "spark"; DuckDB reads folders and files')
        if self.path == TABLE:
            raise ValueError("a table of Spark has a name: table:DATABASE.NAME")
        self._check_path(has_pattern=bool(set(GLOB) & set(self.path)))
        others = sorted(self.columns.keys() - DATASET_ROLES)
        if others:
            raise ValueError(f"columns: a dataset has no {', '.join(others)}; the roles are {', '.join(ROLES)}")

    def _check_path(self, *, has_pattern: bool) -> None:
        unknown = sorted(self.model_fields_set & ONLY_STORES)
        if unknown and not is_address(self.path):
            raise ValueError(f"a folder has no {', '.join(unknown)}: the path of an object store begins with s3://")
        if has_pattern and "pattern" in self.model_fields_set:
            raise ValueError("give the pattern at the end of path or in pattern, not in both")
