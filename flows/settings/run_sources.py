"""Choose the sources that a run reads: those of the project, or the paths of the command line."""

from collections.abc import Sequence
from dataclasses import dataclass

from flows.project_folder import Project
from flows.settings import task_inputs
from tasks.sources.dataset import DatasetSource
from tasks.sources.folder import FolderSource
from tasks.sources.live_label_studio.live_source import LiveSource
from tasks.sources.object_store.store_source import ObjectStore


@dataclass(frozen=True)
class RunSources:
    """The sources that a run reads, by kind."""

    folders: Sequence[FolderSource] = ()
    stores: Sequence[ObjectStore] = ()
    live: Sequence[LiveSource] = ()
    datasets: Sequence[DatasetSource] = ()


def run_sources(project: Project, paths: Sequence[str] = ()) -> RunSources:
    """Return the sources of a project, or `paths` alone. Raises InputError for an address that cannot be read."""
    if paths:
        return RunSources(*task_inputs.sources_from_command_line(project, paths))
    return RunSources(
        task_inputs.folder_sources(project),
        task_inputs.object_stores(project),
        task_inputs.live_sources(project),
        task_inputs.dataset_sources(project),
    )
