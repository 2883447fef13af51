"""The targets of `[[publish.target]]`, and what became of one."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from importlib.util import find_spec

from tasks.counted_words import counted
from tasks.errors import InputError, printable
from tasks.sources.object_store.store_source import ObjectStore


@dataclass(frozen=True)
class PostgresTarget:
    """A schema of a Postgres database. `url_env` names the environment variable with its URL, which is stored nowhere.

    `tables` are the names of tables and views, or patterns; none means all.
    """

    url_env: str
    schema: str
    tables: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name in messages."""
        return f"Postgres ({self.url_env}), schema {self.schema}"

    @property
    def place(self) -> str:
        """The setting that says where it writes."""
        return "schema"


@dataclass(frozen=True)
class ParquetTarget:
    """A prefix of an object store. `keep`: how many former publications stay. `tables`: as in PostgresTarget."""

    store: ObjectStore
    keep: int
    tables: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name in messages."""
        return str(self.store.address)

    @property
    def place(self) -> str:
        """The setting that says where it writes."""
        return "path"


Target = PostgresTarget | ParquetTarget


@dataclass(frozen=True)
class Publication:
    """What became of a target in a run.

    - status: written; unchanged (it has the same tables); failed; unset (the environment variable is not set)
    - n_tables: tables there now. n_changed, n_rows: tables that were sent, and their rows.
    - is_replacement: an earlier publication was there when it was written.
    - error: why nothing was written. remarks: sentences about what was written differently.
    """

    target: str
    status: str
    n_tables: int = 0
    n_changed: int = 0
    n_rows: int = 0
    error: str | None = None
    remarks: tuple[str, ...] = ()
    is_replacement: bool = False

    @property
    def is_current(self) -> bool:
        """Return whether the target has what the snapshot has."""
        return self.status in ("written", "unchanged")

    @property
    def note(self) -> str:
        """Return what happened, for the notes of the run."""
        if self.status == "unchanged":
            return f"{self.target} is up to date."
        if self.status == "written":
            tables = f"{self.n_changed} of {counted(self.n_tables, 'table')}"
            sent = f"Published to {self.target}: {counted(self.n_rows, 'row')} in {tables}"
            return " ".join([f"{sent}; the others are unchanged." if self.n_changed < self.n_tables else f"{sent}.",
                             *self.remarks])  # fmt: skip
        again = "" if "next run" in str(self.error) else " The next run tries again."
        return f"Nothing was published to {self.target}: {self.error}{again}"

    def to_json(self) -> dict[str, object]:
        """Return the publication as JSON types."""
        return {**vars(self), "remarks": list(self.remarks)}


class PublicationError(Exception):
    """A target that could not be written. The text is one or two sentences, without anything secret."""


def chosen_names(names: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """Return the names that a pattern accepts; all without patterns. Raises PublicationError for a pattern in vain.

    >>> chosen_names(["latest_agreement", "ratings", "runs"], ["latest_*", "runs"])
    ['latest_agreement', 'runs']
    """
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise PublicationError(
                f"there is no table or view {pattern!r}. Correct `tables`; `kappaflow export` lists the names."
            )
    return [name for name in names if not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)]


def remarks_on_copies(unknown_runs: Sequence[str], target: Target) -> tuple[str, ...]:
    """Return a sentence if runs that this warehouse does not have wrote to the target: a copy has the project's id."""
    if not unknown_runs:
        return ()
    run = printable(unknown_runs[0][:40])
    what = f"A run that this project does not have ({run}) had written there."
    return (f"{what} If a backup was restored since, that is why. {_advice_on_copies(target)}",)


def with_remark_on_folder(publication: Publication, target: Target, *, is_recorded: bool) -> Publication:
    """Return the publication with a sentence that the project folder is another one than the one that published before.

    A copy has all runs of the original: until the original runs again, only its folder shows that there are two.
    `is_recorded`: the folder has a record of the earlier publications. It has none if `.kappaflow` was not copied.
    """
    advice = _advice_on_copies(target)
    if any(remark.endswith(advice) for remark in publication.remarks):
        return publication
    if is_recorded:
        what = "This project folder was copied or moved since it last published there."
    else:
        what = "This replaced a publication of which this project folder has no record."
    return replace(publication, remarks=(*publication.remarks, f"{what} {advice}"))


def _advice_on_copies(target: Target) -> str:
    return f"If a copy of this project publishes, too, name another `{target.place}` in one of them."


def require_extras(targets: Sequence[Target]) -> None:
    """Raise InputError if a target needs a package that is not installed."""
    if any(isinstance(target, PostgresTarget) for target in targets) and find_spec("psycopg") is None:
        raise InputError(
            "[[publish.target]] type = 'postgres' needs the package psycopg, which is not installed.",
            "Run pip install 'kappaflow[pipeline,postgres]', or in a checkout pip install '.[pipeline,postgres]'.",
        )


def address_of(target: PostgresTarget) -> str:
    """Return the URL in the target's environment variable, or an empty text."""
    return os.environ.get(target.url_env, "").strip()


def in_vain(target: Target, error: str, *, status: str = "failed") -> Publication:
    """Return the publication of a target that nothing was written to."""
    return replace(Publication(target.name, status), error=error)
