"""kappaflow.toml: what a project may say about its sources, questions, schedule and alerts.

Everything has a default, so an empty file (or none) works: labels and systems are then inferred, and
the output says so.
"""

import re
import tomllib
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import available_timezones

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from tasks.errors import SettingsError
from tasks.formats import FORMATS
from tasks.formats.limits import DEFAULTS
from tasks.formats.roles import INGESTED
from tasks.stores.address import SCHEMES as STORES
from tasks.stores.address import is_address
from tasks.stores.address import parse as parse_address

FILE_NAME = "kappaflow.toml"
NOT_LIVE = {"path", "pattern", "format", "full_export", "done", "endpoint", "region"}
ONLY_LIVE = {"url", "project", "token_env", "page_size"}
ONLY_STORES = {"endpoint", "region"}
SECRET = {"token_env", "url", "path", "endpoint"}  # where a token may stand by mistake: it is not printed
KEYS = re.compile(r"key|secret|session|passw|credential|account|sas_")  # of an object store
NO_KEYS = (
    "keys and passwords of an object store do not stand in kappaflow.toml; set them in the environment, as its vendor "
    "names them (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, GOOGLE_APPLICATION_CREDENTIALS, AZURE_STORAGE_KEY)"
)
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def parse_seconds(value: str | int) -> int:
    """'15s', '30m', '6h', '1d' or a number of seconds, as seconds.

    >>> parse_seconds("30m"), parse_seconds("15")
    (1800, 15)
    """
    found = re.fullmatch(r"([1-9]\d{0,6})\s*([smhd]?)", str(value).strip())
    if not found:
        raise SettingsError(f"{value!r} is no length of time.", "Use a number of seconds, or 30s, 15m, 6h, 1d.")
    return int(found[1]) * SECONDS[found[2] or "s"]


def _seconds(value: object) -> object:
    try:
        return parse_seconds(value) if isinstance(value, str) else value
    except SettingsError as error:
        raise ValueError(error.hint) from None


def _size(value: object) -> object:
    """'4 GiB', '500 MB' or a number of bytes, as bytes."""
    if not isinstance(value, str):
        return value
    found = re.fullmatch(r"(\d{1,6}) ?([KMGT])(i?)B", value.strip(), re.IGNORECASE)
    if not found:
        raise ValueError('a size is a number of bytes, or text such as "500 MB" or "4 GiB"')
    return int(found[1]) * (1024 if found[3] else 1000) ** ("KMGT".index(found[2].upper()) + 1)


def _as_list(value: object) -> object:
    """One [source] table is a list of one."""
    return [value] if isinstance(value, dict) else value


def _inside(value: str) -> str:
    """A path of the project stays inside the project folder."""
    if Path(value).is_absolute() or ".." in Path(value).parts:
        raise ValueError("is a path inside the project folder, without '..'")
    return value


def _as_numbers(value: object) -> object:
    """One project is a list of one."""
    return [value] if isinstance(value, int) else value


def _endpoint(value: str) -> str:
    if not re.fullmatch(r"https?://[^\s/@?#]+/?", value):
        raise ValueError("is the address of an object store, such as 'http://localhost:9000', without name or key")
    return value.rstrip("/")


def _url(value: str) -> str:
    if not re.fullmatch(r"https?://[^\s/@?#]+(/[^\s@?#]*)?", value):
        raise ValueError("is the address of Label Studio, such as 'https://label.example.com', without name or token")
    return value.rstrip("/")


def _path(value: str) -> str:
    """A path on this machine as it is; the address of an object store once it is known to be one."""
    if is_address(value):
        parse_address(value)
    elif "://" in value:
        raise ValueError(f"is a folder, a file, or begins with {'://, '.join(STORES)}://")
    return value


def _variable(value: str) -> str:
    if not re.fullmatch(r"[A-Z_][A-Z0-9_]*", value):
        raise ValueError("is the name of an environment variable in capitals, such as 'LABEL_STUDIO_API_KEY'")
    return value


def _scheduler(value: str) -> str:
    if not re.fullmatch(r"(tcp|tls|ws|wss)://[^\s/@]+:\d{1,5}", value):
        raise ValueError("is the address of a Dask scheduler, such as 'tcp://scheduler:8786'")
    return value


def _role(value: str) -> str:
    if value not in INGESTED:
        raise ValueError(f"a column's role is one of {', '.join(INGESTED)}")
    return value


def _format(value: str) -> str:
    if value not in FORMATS:
        raise ValueError(f"is one of {', '.join(FORMATS)}")
    return value


def _coefficient(value: str) -> str:
    from stats.agreement import COEFFICIENTS  # here: most commands need no mathematics

    if value not in COEFFICIENTS:
        raise ValueError(f"is one of {', '.join(COEFFICIENTS)}")
    return value


def parse_cron(line: str) -> str:
    """The cron line, once it is known to be one. Raises SettingsError."""
    from cronsim import CronSim, CronSimError

    try:
        CronSim(line, datetime(2000, 1, 1))
    except CronSimError as error:
        raise SettingsError(
            f"{line!r} is no cron line: {error}.", 'Use five fields: "0 6 * * *" is daily at six.'
        ) from None
    return line


def _cron(value: str) -> str:
    try:
        return parse_cron(value)
    except SettingsError as error:
        raise ValueError(f"{error} {error.hint}") from None


def _key(value: str) -> str:
    if not value or "=" in value:
        raise ValueError("is the name of a property of the items, such as 'language', without '='")
    return value


def _distinct(value: list[str]) -> list[str]:
    if len(set(value)) < len(value):
        raise ValueError("each property is named once")
    return value


def _timezone(value: str) -> str:
    if value not in available_timezones():
        raise ValueError("is the name of a time zone, such as 'UTC' or 'Europe/Berlin'")
    return value


Seconds = Annotated[int, BeforeValidator(_seconds), Field(ge=1)]
Size = Annotated[int, BeforeValidator(_size), Field(ge=1)]
InsidePath = Annotated[str, Field(min_length=1), AfterValidator(_inside)]
Scale = Literal["nominal", "ordinal", "interval", "ratio"]
Rule = Literal["latest", "first", "error", "repeats"]
Role = Annotated[str, AfterValidator(_role)]
Labels = Annotated[list[str], Field(min_length=1)]
Keys = Annotated[list[Annotated[str, AfterValidator(_key)]], AfterValidator(_distinct)]


class Part(BaseModel):
    """A misspelt key is an error, not a setting that is silently ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ProjectSettings(Part):
    name: str = "kappaflow"


class WarehouseSettings(Part):
    path: InsidePath = "warehouse.duckdb"


class Source(Part):
    """Where exports arrive: a folder or one file (`path` may lie outside the project folder), a part of an object store
    (`path` is its address), or a Label Studio that is asked for what changed."""

    type: Literal["folder", "label_studio"] = "folder"
    path: Annotated[str, AfterValidator(_path)] = "inbox"
    pattern: str = "**/*"
    prefix: str | None = None  # put before each question of this source, so that two projects never merge
    format: Annotated[str, AfterValidator(_format)] | None = None
    question: str | None = None
    columns: dict[Role, str] = {}
    systems: list[str] = []
    gold: list[str] = []
    full_export: bool = False  # each file holds all there is: what it lacks is deleted
    done: Literal["leave", "move"] = "leave"  # files whose batch is stored: moved to done/ in the source
    endpoint: Annotated[str, AfterValidator(_endpoint)] | None = None  # of an object store that is not the vendor's
    region: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")] | None = None
    url: Annotated[str, AfterValidator(_url)] | None = None
    project: Annotated[list[Annotated[int, Field(ge=1)]], BeforeValidator(_as_numbers), Field(min_length=1)] | None = (
        None
    )
    token_env: Annotated[str, AfterValidator(_variable)] = "LABEL_STUDIO_API_KEY"  # the name, never the token itself
    page_size: Annotated[int, Field(ge=1, le=10_000)] = 200

    @model_validator(mode="after")
    def _fits_its_type(self) -> "Source":
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


class AlertSettings(Part):
    """Opened when the coefficient over all ratings of a question falls below the threshold."""

    coefficient: Annotated[str, AfterValidator(_coefficient)] = "krippendorff_alpha"
    below: Annotated[float, Field(ge=-1, le=1)] | None = None


class Question(Part):
    labels: Labels | None = None
    scale: Scale = "nominal"
    systems: list[str] = []
    gold: list[str] = []
    alert_below: Annotated[float, Field(ge=-1, le=1)] | None = None
    duplicates: Rule = "latest"
    slices: Keys | None = None  # those of [evaluate] where it is not given

    @model_validator(mode="after")
    def _distinct_labels(self) -> "Question":
        if self.labels is not None and len(set(self.labels)) < len(self.labels):
            raise ValueError("labels: each label is declared once")
        return self


class EvaluateSettings(Part):
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.95
    seed: Annotated[int, Field(ge=0)] = 0
    last_items: Annotated[int, Field(ge=0)] = 500  # the window of the items rated last; 0 is none
    slices: Keys = []  # keys of the items' metadata: agreement and accuracy for each value


class Schedule(Part):
    every: Seconds | None = None
    cron: Annotated[str, AfterValidator(_cron)] | None = None
    timezone: Annotated[str, AfterValidator(_timezone)] = "UTC"

    @model_validator(mode="after")
    def _one_of_them(self) -> "Schedule":
        if self.every is not None and self.cron is not None:
            raise ValueError("give either every or cron, not both")
        return self


class LimitSettings(Part):
    """What a file may hold at most; see tasks.formats.limits."""

    max_file_size: Size = DEFAULTS.max_file_size
    max_unpacked_size: Size = DEFAULTS.max_unpacked_size
    max_nesting: Annotated[int, Field(ge=1, le=300)] = DEFAULTS.max_nesting  # Python's parser stops at some hundreds
    max_cell_length: Annotated[int, Field(ge=100)] = DEFAULTS.max_cell_length
    max_columns: Annotated[int, Field(ge=3)] = DEFAULTS.max_columns


class PublishSettings(Part):
    """What is published besides snapshot.duckdb."""

    parquet: bool = False
    keep: Annotated[int, Field(ge=0, le=1000)] = 0  # former snapshots, named by their time


class WorkerSettings(Part):
    """Where questions are computed; see flows.workers."""

    runner: Literal["threads", "dask"] = "threads"
    count: Annotated[int, Field(ge=1, le=1000)] = 1
    address: Annotated[str, AfterValidator(_scheduler)] | None = None

    @model_validator(mode="after")
    def _fits_its_runner(self) -> "WorkerSettings":
        if self.runner == "dask" and self.address is None:
            raise ValueError("runner = 'dask' needs the address of a scheduler, such as 'tcp://scheduler:8786'")
        if self.runner == "threads" and self.address is not None:
            raise ValueError("address is that of a Dask scheduler: set runner = 'dask', or leave it out")
        return self


class Settings(Part):
    project: ProjectSettings = ProjectSettings()
    warehouse: WarehouseSettings = WarehouseSettings()
    source: Annotated[list[Source], BeforeValidator(_as_list), Field(min_length=1)] = [Source()]
    questions: dict[str, Question] = {}
    evaluate: EvaluateSettings = EvaluateSettings()
    alerts: AlertSettings = AlertSettings()
    schedule: Schedule = Schedule()
    limits: LimitSettings = LimitSettings()
    publish: PublishSettings = PublishSettings()
    workers: WorkerSettings = WorkerSettings()


SECTIONS: dict[str, type[Part]] = {
    "project": ProjectSettings,
    "warehouse": WarehouseSettings,
    "source": Source,
    "questions": Question,
    "evaluate": EvaluateSettings,
    "alerts": AlertSettings,
    "schedule": Schedule,
    "limits": LimitSettings,
    "publish": PublishSettings,
    "workers": WorkerSettings,
}


def load(folder: Path) -> Settings:
    """The settings of a project folder; without a kappaflow.toml, the defaults.

    Raises SettingsError that names the file, the place in it, the value found and what is allowed.
    """
    path = folder / FILE_NAME
    if not path.exists():
        return Settings()
    try:
        return Settings.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        raise SettingsError(
            f"{path}: {_sentence(error)}",
            "Correct it there; docs/reference/settings.md lists every setting.",
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"{path} is not TOML: {error}.", 'Text values stand in quotes: scale = "nominal".'
        ) from None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.", "Check its permissions.") from None


def _sentence(error: ValidationError) -> str:
    """The first mistake as 'place: what is wrong', with what is allowed where that is a list."""
    first = error.errors()[0]
    place = ".".join(str(step) for step in first["loc"])
    if first["type"] == "extra_forbidden" and place.startswith("source") and KEYS.search(place.lower()):
        return f"{place}: {NO_KEYS}."
    if first["type"] == "extra_forbidden":
        return f"{place} is not a setting; {_allowed(first['loc'])}."
    message = first["msg"].removeprefix("Value error, ")
    if SECRET & set(first["loc"]):
        return f"{place}: {message}."
    return (
        f"{place} = {first['input']!r}: {message}." if not isinstance(first["input"], dict) else f"{place}: {message}."
    )


def _allowed(place: tuple[int | str, ...]) -> str:
    """The keys that could have stood at this place."""
    section = SECTIONS[str(place[0])] if len(place) > 1 else Settings
    return "allowed are " + ", ".join(section.model_fields)
