"""The settings in kappaflow.toml, with their defaults and what is allowed.

Every setting has a default, so an empty file works, and so does none. Labels and systems are then inferred, and the
output says so.
"""

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from flows.settings.mistakes import sentence_of, toml_hint
from flows.settings.monitoring import AlertSettings, MonitorSettings, RuleSettings
from flows.settings.nested_tables import nested_table
from flows.settings.notify import NotifySettings
from flows.settings.publish import PublishSettings
from flows.settings.sources import SourceSettings
from flows.settings.values import (
    CheckedCoefficient,
    Cron,
    InsidePath,
    Keys,
    Labels,
    Name,
    Rule,
    Scale,
    Scheduler,
    Seconds,
    Separator,
    SettingsTable,
    Share,
    Size,
    SparkMaster,
    Threshold,
    Timezone,
    Weights,
    no_common_names,
)
from tasks.errors import SettingsError
from tasks.formats.parsing.limits import DEFAULTS
from tasks.gate.gate_rules import GateRules, Judge, UnjudgedAs

FILE_NAME = "kappaflow.toml"
MIN_MEMORY = 512 * 1000**2  # bytes: Python, polars and DuckDB take a third of it before they do anything


class ProjectSettings(SettingsTable):
    """`[project]`."""

    name: str = "kappaflow"
    timezone: Timezone = "UTC"  # of all days


class WarehouseSettings(SettingsTable):
    """`[warehouse]`."""

    path: InsidePath = "warehouse.duckdb"


class QuestionCheckSettings(SettingsTable):
    """`[questions.NAME.check]`: the limits of `kappaflow check` for one question."""

    min_alpha: Threshold | None = None
    min_agreement: dict[CheckedCoefficient, Threshold] = {}
    min_accuracy: dict[Name, Share] = {}


class CheckSettings(QuestionCheckSettings):
    """`[check]`: the rules of `kappaflow check`; see tasks.gate."""

    no_open_alerts: bool = False
    max_rejected: Share | None = None
    judge: Judge = GateRules.judge
    unjudged: UnjudgedAs | None = None


class QuestionSettings(SettingsTable):
    """`[questions.NAME]`."""

    labels: Labels | None = None
    scale: Scale = "nominal"
    weights: Weights | None = None  # None: equal or not, and for alpha the metric of the scale
    taxonomy: Separator | None = None  # what stands between the parts of a path, if the labels are paths
    systems: list[Name] = []
    gold: list[Name] = []
    alert_below: Threshold | None = None
    duplicates: Rule = "latest"
    slices: Keys | None = None  # None: those of [evaluate]
    owner: Name | None = None  # None: that of [alerts]
    rules: RuleSettings | None = None  # None: those of [rules]
    check: QuestionCheckSettings | None = None
    answers: Literal["ranking", "text"] | None = None  # what the answers are, where they are not labels

    @model_validator(mode="after")
    def _answers_are_no_labels(self) -> "QuestionSettings":
        if self.answers is None:
            return self
        useless: dict[str, object] = {
            "labels": self.labels,
            "weights": self.weights,
            "taxonomy": self.taxonomy,
            "slices": self.slices,
        }
        if self.rules is not None:
            useless |= {"rules.new_label": self.rules.new_label, "rules.gold_score": self.rules.gold_score}
        if self.check is not None:
            useless |= {"check.min_alpha": self.check.min_alpha, "check.min_accuracy": self.check.min_accuracy}
        useless |= {"scale": self.scale != "nominal", "duplicates": self.duplicates != "latest"}
        for name, value in useless.items():
            if value:
                raise ValueError(f"{name} cannot be used with rankings and texts (answers): leave it out")
        return self

    @model_validator(mode="after")
    def _systems_are_not_gold(self) -> "QuestionSettings":
        no_common_names(self.systems, self.gold)
        return self

    @model_validator(mode="after")
    def _distinct_labels(self) -> "QuestionSettings":
        if self.labels is not None and len(set(self.labels)) < len(self.labels):
            raise ValueError("labels: each label is declared once")
        return self


class RaterSettings(SettingsTable):
    """`[raters]`."""

    aliases: dict[Name, Name] = {}  # a name in a file -> the name of the same person

    @model_validator(mode="after")
    def _one_step(self) -> "RaterSettings":
        for alias, rater in self.aliases.items():
            if not alias.strip() or not rater.strip():
                raise ValueError(
                    f"aliases: {alias!r} = {rater!r}: a name is blank, and a rating without a rater is rejected"
                )
            if alias == rater:
                raise ValueError(f"aliases: {alias!r} is the same name on both sides")
            if rater in self.aliases:
                raise ValueError(
                    f"aliases: {alias!r} leads to {rater!r}, which is an alias of {self.aliases[rater]!r}; "
                    "let both lead to the same name"
                )
        return self


class EvaluateSettings(SettingsTable):
    """`[evaluate]`."""

    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.95
    seed: Annotated[int, Field(ge=0)] = 0
    last_items: Annotated[int, Field(ge=0)] = 500  # size of the window of the items rated last; 0: no such window
    slices: Keys = []  # keys of the items' metadata; agreement and accuracy are computed for each value
    outer_error: Annotated[float, Field(ge=0, le=10)] = 0.3  # tau of the outer intervals
    consensus: Literal["mixture", "glad", "dawid_skene", "lehner"] = "mixture"  # how the label of an item is chosen


class ScheduleSettings(SettingsTable):
    """`[schedule]`."""

    every: Seconds = 3600  # used only without `cron`
    cron: Cron | None = None
    timezone: Timezone | None = None  # None: that of [project]

    @model_validator(mode="after")
    def _every_or_cron(self) -> "ScheduleSettings":
        if "every" in self.model_fields_set and self.cron is not None:
            raise ValueError("give either every or cron, not both")
        return self


class LimitSettings(SettingsTable):
    """The largest file that is read (see tasks.formats.parsing.limits), and the memory of a process."""

    memory: Annotated[Size, Field(ge=MIN_MEMORY)] | None = None  # None: see warehouse.memory_limit
    max_file_size: Size = DEFAULTS.max_file_size
    max_unpacked_size: Size = DEFAULTS.max_unpacked_size
    max_nesting: Annotated[int, Field(ge=1, le=300)] = (
        DEFAULTS.max_nesting
    )  # Python's JSON parser fails at some hundreds
    max_cell_length: Annotated[int, Field(ge=100)] = DEFAULTS.max_cell_length
    max_columns: Annotated[int, Field(ge=3)] = DEFAULTS.max_columns


class WorkerSettings(SettingsTable):
    """Where questions are computed; see flows.service.workers."""

    runner: Literal["threads", "dask"] = "threads"
    count: Annotated[int, Field(ge=1, le=1000)] = 1
    address: Scheduler | None = None

    @model_validator(mode="after")
    def _address_fits_runner(self) -> "WorkerSettings":
        if self.runner == "dask" and self.address is None:
            raise ValueError("runner = 'dask' needs the address of a scheduler, such as 'tcp://scheduler:8786'")
        if self.runner == "threads" and self.address is not None:
            raise ValueError("address is that of a Dask scheduler: set runner = 'dask', or leave it out")
        return self


class SparkSettings(SettingsTable):
    """Where datasets with engine = "spark" are counted. Passwords and all else stand in Spark's own configuration."""

    master: SparkMaster | None = None


def _as_list(value: object) -> object:
    """Return a single [source] or [notify] table as a list of one."""
    return [value] if isinstance(value, dict) else value


class Settings(SettingsTable):
    """All of kappaflow.toml."""

    project: ProjectSettings = ProjectSettings()
    warehouse: WarehouseSettings = WarehouseSettings()
    source: Annotated[list[SourceSettings], BeforeValidator(_as_list), Field(min_length=1)] = [SourceSettings()]
    questions: dict[Name, QuestionSettings] = {}
    raters: RaterSettings = RaterSettings()
    evaluate: EvaluateSettings = EvaluateSettings()
    alerts: AlertSettings = AlertSettings()
    rules: RuleSettings = RuleSettings()
    monitor: MonitorSettings = MonitorSettings()
    check: CheckSettings = CheckSettings()
    notify: Annotated[list[NotifySettings], BeforeValidator(_as_list)] = []
    schedule: ScheduleSettings = ScheduleSettings()
    limits: LimitSettings = LimitSettings()
    publish: PublishSettings = PublishSettings()
    workers: WorkerSettings = WorkerSettings()
    spark: SparkSettings = SparkSettings()


SECTIONS = {name: table for name, field in Settings.model_fields.items() if (table := nested_table(field.annotation))}


def load_settings(folder: Path) -> Settings:
    """Read the settings of a project folder. Without a kappaflow.toml, return the defaults.

    Raises SettingsError with the file, the setting, its value and what is allowed.
    """
    path = folder / FILE_NAME
    values: dict[str, Any] = {}
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        return Settings.model_validate(values)
    except ValidationError as error:
        raise SettingsError(
            f"{path}: {sentence_of(error.errors()[0], values, Settings)}",
            "Correct it there; `kappaflow help settings` lists every setting.",
        ) from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"{path} is not UTF-8 text, from line {line} on.", "Save it as UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not TOML: {error}.", toml_hint(str(error))) from None
    except OSError as error:
        # Not `exists`: from Python 3.14 on it says false of a file in a closed folder, too.
        if isinstance(error, FileNotFoundError | NotADirectoryError) and not path.is_symlink():
            return Settings()
        hint = "Write a file in its place." if path.is_dir() else "Check its permissions."
        raise SettingsError(f"{path} cannot be read: {error.strerror}.", hint) from None
