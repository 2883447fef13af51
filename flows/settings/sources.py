"""The [source] tables of kappaflow.toml: where ratings come from."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, model_validator

from flows.settings.values import STRICT, Endpoint, Format, Projects, Region, Role, Seconds, SourcePath, Url, Variable
from tasks.sources.object_store.address import is_address
from tasks.sources.object_store.address import parse as parse_address

NOT_LIVE = {"path", "pattern", "format", "full_export", "done", "endpoint", "region"}
ONLY_LIVE = {"url", "project", "token_env", "page_size", "patience"}
ONLY_STORES = {"endpoint", "region"}


class SourceSettings(BaseModel):
    """Where exports arrive: a folder or one file (`path` may lie outside the project folder), a part of an object store
    (`path` is its address), or a Label Studio that is asked for what changed."""

    model_config = STRICT

    type: Literal["folder", "label_studio"] = "folder"
    path: SourcePath = "inbox"
    pattern: str = "**/*"
    prefix: str | None = None  # put before each question of this source, so that two projects never merge
    format: Format | None = None
    question: str | None = None
    columns: dict[Role, str] = {}
    systems: list[str] = []
    gold: list[str] = []
    full_export: bool = False  # each file holds all there is: what it lacks is deleted
    done: Literal["leave", "move"] = "leave"  # files whose batch is stored: moved to done/ in the source
    endpoint: Endpoint | None = None  # of an object store that is not the vendor's
    region: Region | None = None
    url: Url | None = None
    project: Projects | None = None
    token_env: Variable = "LABEL_STUDIO_API_KEY"  # the name, never the token itself
    page_size: Annotated[int, Field(ge=1, le=10_000)] = 200
    patience: Seconds = 120  # for so long a request that fails is sent again

    @model_validator(mode="after")
    def _fits_its_type(self) -> "SourceSettings":
        wrong = sorted(self.model_fields_set & (NOT_LIVE if self.type == "label_studio" else ONLY_LIVE))
        if wrong:
            raise ValueError(f"a source of type {self.type!r} has no {', '.join(wrong)}")
        if self.type == "folder":
            self._fits_its_path()
        if self.type == "label_studio" and (self.url is None or self.project is None):
            raise ValueError("a source of type 'label_studio' needs url and project")
        if self.type == "label_studio" and (others := sorted(self.columns.keys() - {"item"})):
            raise ValueError(f"columns: Label Studio's tasks have an item to map, no {', '.join(others)}")
        return self

    def _fits_its_path(self) -> None:
        wrong = sorted(self.model_fields_set & ONLY_STORES)
        if wrong and not is_address(self.path):
            raise ValueError(f"a folder has no {', '.join(wrong)}: the path of an object store begins with s3://")
        if is_address(self.path) and parse_address(self.path).pattern and "pattern" in self.model_fields_set:
            raise ValueError("the pattern stands at the end of path or in pattern, not in both")
