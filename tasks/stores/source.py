"""What there is to say of a source in an object store: where it is, and how its files are read."""

from dataclasses import dataclass, field
from pathlib import Path

from tasks.formats import ReadOptions
from tasks.stores.address import Address


@dataclass(frozen=True)
class Store:
    """A source in an object store, as tasks.sweep.Folder is one on this machine. `home` is a folder of the project for
    copies while they are read, and for what is known of the objects. Credentials are no part of it: they come from the
    environment."""

    name: str
    address: Address
    home: Path
    pattern: str = "**/*"
    options: ReadOptions = field(default_factory=ReadOptions)
    full_export: bool = False
    move_done: bool = False
    endpoint: str | None = None
    region: str | None = None
