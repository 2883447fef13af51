"""Turn [[publish.target]] into the arguments of tasks. Not in task_inputs, which loads what evaluates."""

from flows.project_folder import Project
from tasks.publish.publish_targets import ParquetTarget, PostgresTarget, Target
from tasks.sources.object_store.address import parse
from tasks.sources.object_store.store_source import ObjectStore


def publish_targets(project: Project) -> list[Target]:
    """Return where the tables of the snapshot are published too, in the order of kappaflow.toml."""
    return [
        ParquetTarget(
            ObjectStore(
                target.path, parse(target.path), project.objects, endpoint=target.endpoint, region=target.region
            ),
            target.keep,
            tuple(target.tables),
        )
        if target.path is not None
        else PostgresTarget(target.url_env, target.schema_, tuple(target.tables))
        for target in project.settings.publish.target
    ]
