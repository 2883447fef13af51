"""Flow: take in the export files that are not in the warehouse yet, then publish."""

from prefect import flow

from flows.work import Done, ingest_sources, recorded


@flow(name="ingest")
def ingest(folder: str | None = None, paths: list[str] | None = None, retry_rejects: bool = False) -> Done:
    """Sweep the sources of the project in `folder`, or the files and folders in `paths`, and store what is new; with
    `retry_rejects` read again what had rejected rows."""
    return recorded(
        "ingest", folder, lambda project: Done(files=ingest_sources(project, paths or [], retry_rejects=retry_rejects))
    )
