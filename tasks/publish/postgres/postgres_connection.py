"""Connect to Postgres, and turn its errors into sentences that hold nothing of the URL or of the data."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tasks.errors import printable
from tasks.publish.publish_targets import PostgresTarget, PublicationError, address_of

# Each can be set otherwise in the URL.
OPTIONS = {"connect_timeout": "10", "tcp_user_timeout": "60000", "application_name": "kappaflow"}
# The order matters. Before a session exists, libpq gives no error code, only these texts.
REFUSED = (
    (r"password authentication failed|no password supplied|role .* does not exist|no pg_hba.conf entry",
     "the server refuses the user or the password. Check the URL in {variable}."),
    (r"database .* does not exist", "the server has no such database. Make it, or correct the URL in {variable}."),
    (r"SSL|certificate", "no TLS connection could be made. Check sslmode in the URL in {variable}."),
    (r"", "the server cannot be reached. Check that it runs, and the URL in {variable}."),
)  # fmt: skip
HINTS = {
    "InsufficientPrivilege": "The user needs the right to create in the database, or in the schema if it exists.",
    "DependentObjectsStillExist": "Drop in Postgres what depends on the table, which is made again with other columns.",
    "LockNotAvailable": "Another program has locked the table in Postgres.",
    "DiskFull": "Make room on the disk of Postgres.",
}


@contextmanager
def connection(target: PostgresTarget) -> Iterator[Any]:
    """Open a connection, in a transaction that is committed at the end of the block and rolled back on an error.

    Raises PublicationError for each error of Postgres.
    """
    import psycopg

    try:
        options = psycopg.conninfo.conninfo_to_dict(address_of(target))
    except psycopg.Error:  # its text has the URL
        raise PublicationError(
            f"the variable {target.url_env} holds no Postgres URL, such as postgresql://USER:PASSWORD@HOST/DATABASE."
        ) from None
    try:
        opened = psycopg.connect(**{**OPTIONS, **options})
    except psycopg.Error as error:
        sentence = next(sentence for cause, sentence in REFUSED if re.search(cause, str(error)))
        raise PublicationError(sentence.format(variable=target.url_env)) from None
    try:
        with opened:
            yield opened
    except psycopg.Error as error:
        raise PublicationError(_sentence(error)) from None


def _sentence(error: Any) -> str:
    """Return the first line of the error. Only its further lines, the details, may hold data."""
    what = error.diag.message_primary
    if not what:
        return "the connection broke."
    hint = HINTS.get(type(error).__name__)
    return printable(f"Postgres said: {what[:1].upper()}{what[1:].rstrip('.')}.") + (f" {hint}" if hint else "")
