"""Parse addresses in object stores: s3://bucket/prefix, with or without a pattern at the end."""

import re
from dataclasses import dataclass

SCHEMES = {"s3": "bucket", "gs": "bucket", "az": "container"}  # scheme: what its vendor calls the first part of a path
GLOB = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class Address:
    """An address. `base` is the bucket and the prefix, `pattern` the glob after it, or None."""

    scheme: str
    base: str
    pattern: str | None = None

    @property
    def bucket(self) -> str:
        """The bucket."""
        return self.base.partition("/")[0]

    def __str__(self) -> str:
        return f"{self.scheme}://{self.base}"


def is_address(path: str) -> bool:
    """Check whether a path is an address in an object store.

    >>> is_address("s3://bucket/labels/*.json"), is_address("inbox")
    (True, False)
    """
    scheme, separator, _ = path.partition("://")
    return bool(separator) and scheme in SCHEMES


def parse(path: str) -> Address:
    """Parse an address. Raises ValueError with the rule that the address breaks.

    The message never contains the address, because a user may have put a secret key in it.

    >>> parse("s3://bucket/labels/**/*.json")
    Address(scheme='s3', base='bucket/labels', pattern='**/*.json')
    """
    scheme, _, rest = path.partition("://")
    segments = rest.rstrip("/").split("/")
    if "@" in segments[0] or ":" in segments[0]:
        raise ValueError(f"a {SCHEMES[scheme]} has a name only: keys and passwords stand in the environment")
    if not segments[0] or GLOB.search(segments[0]):
        raise ValueError(f"names one {SCHEMES[scheme]}, such as '{scheme}://{SCHEMES[scheme]}/labels/*.json'")
    if {"", ".", ".."} & set(segments):
        raise ValueError("has no empty part, '.' or '..' in it")
    plain = next((i for i, part in enumerate(segments) if GLOB.search(part)), len(segments))
    return Address(scheme, "/".join(segments[:plain]), "/".join(segments[plain:]) or None)
