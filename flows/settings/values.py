"""The types of the values in kappaflow.toml: how each value is read, and the error for a wrong one.

The command line uses `parse_seconds` and `parse_cron` too. The errors are ends of sentences, because pydantic and
`load_settings` put the name of the setting before them.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from math import isnan
from pathlib import Path
from typing import Annotated, Literal, get_args
from zoneinfo import available_timezones

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator

from tasks.errors import SettingsError
from tasks.formats import FORMATS
from tasks.formats.columns.column_roles import INGESTED
from tasks.formats.parsing.cells import nfc
from tasks.formats.preferences.pairwise_table import ROLES as VOTE_ROLES
from tasks.formats.preferences.read_preferences import PREFERENCE_FORMATS
from tasks.gate.gate_rules import parse_share
from tasks.region_coefficients import NAMES
from tasks.sources.object_store.address import SCHEMES as STORES
from tasks.sources.object_store.address import is_address
from tasks.sources.object_store.address import parse as parse_address

MAX_NUMBER = 2**53  # the warehouse stores whole numbers of 64 bits; settings need no more than a float holds
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class SettingsTable(BaseModel):
    """A table of kappaflow.toml. A misspelt key is an error and not ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @field_validator("*", mode="before")
    @classmethod
    def _storable(cls, value: object, info: ValidationInfo) -> object:
        """Refuse values that pydantic accepts and nothing can use: true as a number, too large numbers, and NUL."""
        types = {*_members(cls.model_fields[str(info.field_name)].annotation)}
        if any(isinstance(t, type) and issubclass(t, BaseModel) for t in types):
            return value  # its own keys are checked
        if isinstance(value, bool) and {int, float} & types and not {bool, False} & types:
            raise ValueError("is a number, not true or false")
        for leaf in _leaves(value):
            if isinstance(leaf, float) and isnan(leaf):
                raise ValueError("is no number")
            if isinstance(leaf, int | float) and abs(leaf) > MAX_NUMBER:
                raise ValueError("holds a number that is too large")
            if isinstance(leaf, str) and "\0" in leaf:
                raise ValueError("holds a NUL character")
        return value


def _members(annotation: object) -> Iterator[object]:
    members = get_args(annotation)
    if not members:
        yield annotation
    for member in members:
        yield from _members(member)


def _leaves(value: object) -> Iterator[object]:
    """Yield the values in lists and tables, and the keys of tables."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from _leaves(member)
    elif isinstance(value, list):
        for member in value:
            yield from _leaves(member)
    else:
        yield value


def parse_seconds(value: str | int) -> int:
    """Return '15s', '30m', '6h', '1d' or a number of seconds as seconds. Raises SettingsError for anything else.

    >>> parse_seconds("30m"), parse_seconds("15")
    (1800, 15)
    """
    match = re.fullmatch(r"([1-9]\d{0,6})\s*([smhd]?)", str(value).strip())
    if not match:
        raise SettingsError(f"{value!r} is not a length of time.", "Use a number of seconds, or 30s, 15m, 6h, 1d.")
    return int(match[1]) * SECONDS[match[2] or "s"]


def format_seconds(seconds: int) -> str:
    """Return a number of seconds in the largest unit that leaves no remainder.

    >>> format_seconds(3600), format_seconds(90)
    ('1h', '90s')
    """
    unit = next(unit for unit in reversed(SECONDS) if seconds % SECONDS[unit] == 0)
    return f"{seconds // SECONDS[unit]}{unit}"


def format_size(n_bytes: int) -> str:
    """Return a number of bytes in the largest binary unit that leaves no remainder.

    >>> format_size(4 << 30), format_size(1000)
    ('4 GiB', '1000 B')
    """
    power = max(power for power in range(5) if n_bytes % 1024**power == 0)
    return f"{n_bytes // 1024**power} {['B', 'KiB', 'MiB', 'GiB', 'TiB'][power]}"


def parse_cron(line: str) -> str:
    """Check a cron line and return it. Raises SettingsError if it is not valid."""
    from cronsim import CronSim, CronSimError

    try:
        if len(line.split()) != 5:  # a sixth one would be seconds: to CronSim the first field, to Prefect the last
            raise CronSimError("Wrong number of fields")
        if re.search(r"\dL|LW", line):  # CronSim knows them, Prefect does not
            raise CronSimError("L stands alone, for the last day of a month")
        CronSim(line, datetime(2000, 1, 1))
    except CronSimError as error:
        raise SettingsError(
            f"{line!r} is not a cron line: {error}.", 'Use five fields: "0 6 * * *" is daily at six.'
        ) from None
    return line


def _seconds(value: object) -> object:
    try:
        return parse_seconds(value) if isinstance(value, str) else value
    except SettingsError as error:
        raise ValueError(error.hint) from None


def _false(value: object) -> object:
    """Accept only false. To a literal 0 equals it, and a limit of 0 would switch a rule off."""
    if value is not False:
        raise ValueError("is a limit, or false for no such rule")
    return value


def _days(value: int) -> int:
    """Check a limit that is compared with a number of days."""
    if value < SECONDS["d"]:
        raise ValueError("is a time of 1d or more, because days are compared, not hours")
    return value


def no_common_names(systems: Sequence[str], gold: Sequence[str]) -> None:
    """Refuse a rater that is both a system and gold: it would be judged by its own answers."""
    for name in systems:
        if name in gold:
            raise ValueError(f"{name!r} is in systems and in gold; a rater is one of them")


def _size(value: object) -> object:
    """Return '4 GiB', '500 MB' or a number of bytes as bytes."""
    if not isinstance(value, str):
        return value
    match = re.fullmatch(r"(\d{1,6}) ?([KMGT])(i?)B", value.strip(), re.IGNORECASE)
    if not match:
        raise ValueError('a size is a number of bytes, or text such as "500 MB" or "4 GiB"')
    return int(match[1]) * (1024 if match[3] else 1000) ** ("KMGT".index(match[2].upper()) + 1)


def _inside(value: str) -> str:
    """Check that a path stays inside the project folder."""
    if Path(value).is_absolute() or ".." in Path(value).parts:
        raise ValueError("is a path inside the project folder, without '..'")
    return value


def _path(value: str) -> str:
    """Check the address of an object store. A path on this machine is returned as it is."""
    if not value.strip():
        raise ValueError("is a folder, a file or an address; write '.' for the project folder")
    if is_address(value):
        parse_address(value)
    elif "://" in value:
        raise ValueError(f"is a folder, a file, or begins with {'://, '.join(STORES)}://")
    return value


def _pattern(value: str) -> str:
    if not value.strip():
        raise ValueError("is a glob such as '**/*.csv'; leave it out for all files")
    return value


def _endpoint(value: str) -> str:
    if not re.fullmatch(r"https?://[^\s/@?#]+/?", value):
        raise ValueError("is the address of an object store, such as 'http://localhost:9000', without name or key")
    return value.rstrip("/")


def _url(value: str) -> str:
    if not re.fullmatch(r"https?://[^\s/@?#]+(/[^\s@?#]*)?", value):
        raise ValueError("is the address of Label Studio, such as 'https://label.example.com', without name or token")
    return value.rstrip("/")


def _as_numbers(value: object) -> object:
    """Return a single project number as a list of one."""
    return [value] if isinstance(value, int) else value


def _variable(value: str) -> str:
    if not re.fullmatch(r"[A-Z_][A-Z0-9_]*", value):
        raise ValueError("is the name of an environment variable in capitals, such as 'LABEL_STUDIO_API_KEY'")
    return value


def _format(value: str) -> str:
    if value not in (formats := (*FORMATS, *PREFERENCE_FORMATS)):
        raise ValueError(f"is one of {', '.join(formats)}")
    return value


def _role(value: str) -> str:
    if value not in (roles := tuple(dict.fromkeys((*INGESTED, *VOTE_ROLES)))):
        raise ValueError(f"a column's role is one of {', '.join(roles)}")
    return value


def _key(value: str) -> str:
    if not value or "=" in value:
        raise ValueError("is the name of a property of the items, such as 'language', without '='")
    return value


def _distinct(value: list[str]) -> list[str]:
    if len(set(value)) < len(value):
        raise ValueError("each property is named once")
    return value


def _label(value: str) -> str:
    """Return a label without blanks around it, as the readers do."""
    if not value.strip():
        raise ValueError("is no label: an empty cell is a missing answer; leave it out")
    return value.strip()


def _coefficient(value: str) -> str:
    from stats.agreement import COEFFICIENTS  # imported here, because most commands do not need it

    if value not in COEFFICIENTS:
        raise ValueError(f"is one of {', '.join(COEFFICIENTS)}")
    return value


def _checked_coefficient(value: str) -> str:
    return value if value in NAMES else _coefficient(value)


def _weights(value: str) -> str:
    from stats.agreement.weights import WEIGHTS  # imported here, because most commands do not need it

    if value not in WEIGHTS:
        raise ValueError(f"is one of {', '.join(WEIGHTS)}")
    return value


def _kind(value: str) -> str:
    """Check that a kind of alert, or a pattern, names a kind that there is. A misspelt kind would tell nobody."""
    from tasks.monitor.alert_kinds import KINDS, is_known_kind

    if not is_known_kind(value):
        raise ValueError(
            f"is a kind of alert, or a pattern such as 'rater*' that accepts one; kinds are {', '.join(KINDS)}"
        )
    return value


def _exact_kind(value: str) -> str:
    from tasks.monitor.alert_kinds import KINDS

    if value not in KINDS:
        raise ValueError(f"is a kind of alert: {', '.join(KINDS)}")
    return value


def _share(value: object) -> object:
    """Return '2%' or '0.02' as 0.02. A number is returned as it is."""
    return parse_share(value) if isinstance(value, str) else value


def _cron(value: str) -> str:
    try:
        return parse_cron(value)
    except SettingsError as error:
        raise ValueError(f"{error} {error.hint}") from None


NOT_ZONES = {"Factory", "localtime"}  # names in the folder of time zones that mean none, or that of the machine


def _timezone(value: str) -> str:
    if value not in available_timezones() - NOT_ZONES:
        raise ValueError("is no known time zone; write a name such as 'UTC' or 'Europe/Berlin'")
    return value


def _scheduler(value: str) -> str:
    if not re.fullmatch(r"(tcp|tls|ws|wss)://[^\s/@]+:\d{1,5}", value):
        raise ValueError("is the address of a Dask scheduler, such as 'tcp://scheduler:8786'")
    return value


def _spark_master(value: str) -> str:
    if not re.fullmatch(r"spark://[^\s/@]+:\d{1,5}(,[^\s/@]+:\d{1,5})*|local(\[(\d+|\*)\])?|yarn|k8s://[^\s@]+", value):
        raise ValueError("is the address of a Spark cluster, such as 'spark://host:7077', 'yarn' or 'local[4]'")
    return value


Seconds = Annotated[int, BeforeValidator(_seconds), Field(ge=1)]
Days = Annotated[Seconds, AfterValidator(_days)]  # a length of time, in seconds
Size = Annotated[int, BeforeValidator(_size), Field(ge=1)]
InsidePath = Annotated[str, Field(min_length=1), AfterValidator(_inside)]
SourcePath = Annotated[str, AfterValidator(_path)]
Pattern = Annotated[str, AfterValidator(_pattern)]
Endpoint = Annotated[str, AfterValidator(_endpoint)]
Region = Annotated[str, Field(pattern=r"^[a-z0-9-]+$")]
Url = Annotated[str, AfterValidator(_url)]
Projects = Annotated[list[Annotated[int, Field(ge=1)]], BeforeValidator(_as_numbers), Field(min_length=1)]
Variable = Annotated[str, AfterValidator(_variable)]
Format = Annotated[str, AfterValidator(_format)]
Role = Annotated[str, AfterValidator(_role)]
Scale = Literal["nominal", "ordinal", "interval", "ratio"]
Weights = Annotated[str, AfterValidator(_weights)]
Separator = Annotated[str, Field(min_length=1, max_length=10)]
Rule = Literal["latest", "first", "error", "repeats"]
Name = Annotated[str, AfterValidator(nfc)]  # of a question, rater or label, in the Unicode form that the readers use
Labels = Annotated[list[Annotated[Name, AfterValidator(_label)]], Field(min_length=1)]
Keys = Annotated[list[Annotated[Name, AfterValidator(_key)]], AfterValidator(_distinct)]
Coefficient = Annotated[str, AfterValidator(_coefficient)]
CheckedCoefficient = Annotated[str, AfterValidator(_checked_coefficient)]
Kind = Annotated[str, AfterValidator(_kind)]  # of alerts, or a pattern
ExactKind = Annotated[str, AfterValidator(_exact_kind)]
ChartCoefficient = Literal["fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "percent_agreement"]
Off = Annotated[Literal[False], BeforeValidator(_false)]  # a rule that is switched off
Threshold = Annotated[float, Field(ge=-1, le=1)]  # of a coefficient
Share = Annotated[float, BeforeValidator(_share), Field(ge=0, le=1)]
Cron = Annotated[str, AfterValidator(_cron)]
Timezone = Annotated[str, AfterValidator(_timezone)]
Scheduler = Annotated[str, AfterValidator(_scheduler)]
SparkMaster = Annotated[str, AfterValidator(_spark_master)]
