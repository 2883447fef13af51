"""Connect to object stores, and turn their errors into messages for the user.

The file systems are from pyarrow, which kappaflow needs anyway. pyarrow has one interface for all three stores, and
finds credentials as the library of each vendor does.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from tasks.errors import SourceError, printable
from tasks.sources.object_store.address import SCHEMES
from tasks.sources.object_store.store_source import ObjectStore

CONNECT_SECONDS = 10.0
CREDENTIALS = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile (AWS_PROFILE), or the role of the machine",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS, or the account of the machine",
    "az": "AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or a login",
}
# The order matters: an error about credentials may also mention the network.
CAUSES = (
    (
        r"NO_SUCH_BUCKET|NoSuchBucket|bucket does not exist|ContainerNotFound|container does not exist",
        "does not exist: there is no {what} {bucket!r}.",
        "Correct the path, or make the {what}.",
    ),
    (
        r"ACCESS_DENIED|INVALID_ACCESS_KEY|SIGNATURE_DOES_NOT_MATCH|INVALID_SIGNATURE|EXPIRED_TOKEN|UNRECOGNIZED_CLIENT"
        r"|InvalidClientTokenId|PERMISSION_DENIED|UNAUTHENTICATED|Authenti|Authoriz|[Cc]redential|access token|\b403\b",
        "refuses access.",
        "Check the credentials in the environment ({credentials}), and what they allow.",
    ),
    (
        r"PermanentRedirect|PERMANENT_REDIRECT|another region|is located in",
        "lies in another region.",
        "Name it: `region` beside the path, or AWS_REGION.",
    ),
    (
        r"NETWORK_CONNECTION|curlCode|CURL error|resolve host|[Cc]onnect|[Tt]imed? ?out|TIMEOUT",
        "cannot be reached.",
        "Check the network and the endpoint. Nothing is lost: the next run looks again.",
    ),
)


def connect(store: ObjectStore) -> Any:
    """Return the pyarrow file system of a store. Raises SourceError if its settings are invalid."""
    with explained(store):
        return FILE_SYSTEMS[store.address.scheme](store.endpoint, store.region)


@contextmanager
def explained(store: ObjectStore) -> Iterator[None]:
    """Turn the errors of the store's library into a SourceError, except FileNotFoundError for a missing object."""
    from pyarrow import ArrowException

    try:
        yield
    except FileNotFoundError:
        raise
    except (OSError, ArrowException) as error:
        raise SourceError(*_sentences(store, str(error))) from None


def _sentences(store: ObjectStore, text: str) -> tuple[str, str]:
    names = {
        "what": SCHEMES[store.address.scheme],
        "bucket": store.address.bucket,
        "credentials": CREDENTIALS[store.address.scheme],
    }
    for pattern, what, hint in CAUSES:
        if re.search(pattern, text):
            return printable(f"{store.address} {what.format(**names)}"), hint.format(**names)
    first_line = text.splitlines()[0][:300] if text else "nothing"
    return printable(f"{store.address} failed: {first_line}"), "The next run looks again."


def _s3(endpoint: str | None, region: str | None) -> Any:
    # Imported here, because the import is slow and many projects have no object store.
    from pyarrow.fs import S3FileSystem

    # The library reads key, region and profile from the environment, but not the endpoint.
    endpoint = endpoint or os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    return S3FileSystem(endpoint_override=endpoint, region=region, connect_timeout=CONNECT_SECONDS)


def _gs(endpoint: str | None, region: str | None) -> Any:
    from pyarrow.fs import GcsFileSystem

    scheme, host = _split(endpoint or os.environ.get("STORAGE_EMULATOR_HOST"))
    # An emulator has no accounts. Without a time limit the library would retry for 15 minutes.
    return GcsFileSystem(
        anonymous=host is not None,
        endpoint_override=host,
        scheme=scheme,
        retry_time_limit=timedelta(seconds=3 * CONNECT_SECONDS),
    )


def _az(endpoint: str | None, region: str | None) -> Any:
    from pyarrow.fs import AzureFileSystem

    account = os.environ.get("AZURE_STORAGE_ACCOUNT")
    if not account:
        raise SourceError("There is no storage account for az://.", "Set AZURE_STORAGE_ACCOUNT in the environment.")
    scheme, host = _split(endpoint)
    return AzureFileSystem(
        account,
        account_key=os.environ.get("AZURE_STORAGE_KEY"),
        sas_token=os.environ.get("AZURE_STORAGE_SAS_TOKEN"),
        blob_storage_authority=host,
        dfs_storage_authority=host,
        blob_storage_scheme=scheme,
        dfs_storage_scheme=scheme,
    )


def _split(endpoint: str | None) -> tuple[str | None, str | None]:
    """Split an endpoint into scheme and host: 'http://localhost:9000' becomes ('http', 'localhost:9000')."""
    if not endpoint:
        return None, None
    scheme, separator, host = endpoint.partition("://")
    return (scheme, host) if separator else (None, endpoint)


FILE_SYSTEMS: dict[str, Callable[[str | None, str | None], Any]] = {"s3": _s3, "gs": _gs, "az": _az}
