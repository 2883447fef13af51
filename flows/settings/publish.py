"""The [publish] table of kappaflow.toml, and its targets: where the tables of the snapshot are published too."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from flows.settings.values import Endpoint, Name, Region, SettingsTable, Variable
from tasks.sources.object_store.address import SCHEMES, is_address
from tasks.sources.object_store.address import parse as parse_address

POSTGRES = {"url_env", "schema"}
PARQUET = {"path", "endpoint", "region", "keep"}


def _as_list(value: object) -> object:
    """Return a single text or [publish.target] table as a list of one."""
    return [value] if isinstance(value, dict | str) else value


def _store_path(value: str) -> str:
    if not is_address(value):
        raise ValueError(f"is the address of an object store and begins with {'://, '.join(SCHEMES)}://")
    if parse_address(value).pattern:
        raise ValueError("is a prefix, such as 's3://bucket/kappaflow', without *, ? or [")
    return value


def _schema(value: str) -> str:
    if not 0 < len(value.encode()) <= 63 or "\0" in value or value.startswith("pg_"):
        raise ValueError("is the name of a schema: 1 to 63 bytes, and not pg_...")
    return value


class TargetSettings(SettingsTable):
    """A Postgres schema, or a prefix of an object store, that gets the tables of the snapshot after each run."""

    type: Literal["postgres", "parquet"]
    url_env: Variable = "KAPPAFLOW_POSTGRES_URL"  # the name of the variable with a Postgres URL, never the URL itself
    schema_: Annotated[str, AfterValidator(_schema), Field(alias="schema")] = "kappaflow"
    path: Annotated[str, AfterValidator(_store_path)] | None = None
    endpoint: Endpoint | None = None
    region: Region | None = None
    keep: Annotated[int, Field(ge=0, le=1000)] = 1  # former folders that stay, for readers that began before
    tables: Annotated[list[Name], BeforeValidator(_as_list)] = []  # names or patterns; none means all

    @model_validator(mode="after")
    def _keys_fit_type(self) -> "TargetSettings":
        keys = {name.rstrip("_") for name in self.model_fields_set}
        unknown = sorted(keys & (PARQUET if self.type == "postgres" else POSTGRES))
        if unknown:
            raise ValueError(f"a target of type {self.type!r} has no {', '.join(unknown)}")
        if self.type == "parquet" and self.path is None:
            raise ValueError("a target of type 'parquet' needs path, such as 's3://bucket/kappaflow'")
        return self


class PublishSettings(SettingsTable):
    """What is published besides snapshot.duckdb."""

    parquet: bool = False
    keep: Annotated[int, Field(ge=0, le=1000)] = 0  # number of older snapshots, which have their time in the name
    target: Annotated[list[TargetSettings], BeforeValidator(_as_list)] = []

    @model_validator(mode="after")
    def _distinct_targets(self) -> "PublishSettings":
        places = [(target.type, target.path or (target.url_env, target.schema_)) for target in self.target]
        if len(set(places)) < len(places):
            raise ValueError("target: each schema and each path is written once")
        return self
