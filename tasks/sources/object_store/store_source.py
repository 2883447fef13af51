"""Define a source in an object store: its address, and the options to read its files."""

from dataclasses import dataclass, field
from pathlib import Path

from tasks.formats import ReadOptions
from tasks.sources.object_store.address import Address


@dataclass(frozen=True)
class ObjectStore:
    """A source in an object store; the counterpart of tasks.sources.folder.FolderSource.

    `home` is a folder of the project for temporary copies and for the hashes of known objects. Credentials are not
    stored here: they come from the environment.
    """

    name: str
    address: Address
    home: Path
    pattern: str = "**/*"
    options: ReadOptions = field(default_factory=ReadOptions)
    full_export: bool = False
    move_done: bool = False
    endpoint: str | None = None
    region: str | None = None
