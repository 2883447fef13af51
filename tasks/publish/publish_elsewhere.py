"""Publish the tables of the snapshot to each target of the settings."""

import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from tasks.errors import KappaflowError
from tasks.publish.publication_state import has_folder, is_other_folder, read_publications, write_publications
from tasks.publish.publish_targets import (
    PostgresTarget,
    Publication,
    PublicationError,
    Target,
    address_of,
    in_vain,
    require_extras,
    with_remark_on_folder,
)
from warehouse.errors import WarehouseError

log = logging.getLogger("kappaflow")


def publish_elsewhere(targets: Sequence[Target], snapshot: Path, state_file: Path) -> list[Publication]:
    """Bring each target up to date with the snapshot, and return what became of each.

    A target that fails is a Publication that says so: nothing that happens elsewhere fails a run. It has what it had
    before, whole, and the next run tries again.
    """
    publications, former = [], read_publications(state_file)
    for target in targets:
        publication = _publish_to(target, snapshot)
        row = former.get(target.name)
        if publication.is_replacement and is_other_folder(row, state_file):
            publication = with_remark_on_folder(publication, target, is_recorded=has_folder(row))
        log.log(logging.INFO if publication.is_current else logging.WARNING, "%s", publication.note)
        publications.append(publication)
    try:
        by_name = {publication.target: publication for publication in publications}
        write_publications(state_file, by_name, snapshot, at=datetime.now(UTC).isoformat(timespec="seconds"))
    except OSError as error:
        log.warning("%s could not be written: %s", state_file, error.strerror)
    return publications


def _publish_to(target: Target, snapshot: Path) -> Publication:
    if isinstance(target, PostgresTarget) and not address_of(target):
        return in_vain(target, f"the environment variable {target.url_env} is not set.", status="unset")
    try:
        require_extras([target])
        if isinstance(target, PostgresTarget):
            from tasks.publish.postgres.write_postgres import write_postgres  # most projects do not need it

            return write_postgres(target, snapshot)
        from tasks.publish.parquet_folders import write_parquet_folder

        return write_parquet_folder(target, snapshot)
    except PublicationError as error:
        return in_vain(target, str(error))
    except (KappaflowError, WarehouseError) as error:
        return in_vain(target, f"{error} {error.hint}".strip())
    except Exception as error:  # of a library, whose text may hold an address: the evaluation is stored and stays so
        return in_vain(target, f"it ended with {type(error).__name__}.")
