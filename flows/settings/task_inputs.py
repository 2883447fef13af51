"""From settings to the plain values that tasks take: tasks know nothing of kappaflow.toml."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from flows.project_folder import Project
from flows.settings.model import QuestionSettings
from flows.settings.sources import SourceSettings
from tasks.errors import InputError
from tasks.evaluate.agreement import QuestionConfig
from tasks.formats import ReadOptions
from tasks.formats.parsing.limits import Limits
from tasks.ingest.batch_identity import Readings, readings_of
from tasks.ingest.duplicates import DuplicateRule
from tasks.ingest.ingest_rules import IngestRules
from tasks.question_runs import QuestionConfigs
from tasks.setting_names import SettingName, question_place
from tasks.sources.folder import FolderSource
from tasks.sources.live_label_studio.live_source import LiveSource
from tasks.sources.object_store.address import is_address, parse
from tasks.sources.object_store.store_source import ObjectStore

COMMAND_LINE = "command line"  # the source of what is named there


def folder_sources(project: Project) -> list[FolderSource]:
    """The folders among the sources of a project, in the order of kappaflow.toml."""
    files = [source for source in project.settings.source if source.type == "folder"]
    return [_folder(project, source) for source in files if not is_address(source.path)]


def object_stores(project: Project) -> list[ObjectStore]:
    """The object stores among the sources of a project, in the order of kappaflow.toml."""
    return [_store(project, source) for source in project.settings.source if is_address(source.path)]


def sources_from_command_line(project: Project, paths: Sequence[str]) -> tuple[list[FolderSource], list[ObjectStore]]:
    """What was named on the command line: files and folders are read as the first source of files is, addresses as the
    first source in the same bucket, else in a store of the same kind, if there is one. They are no full exports,
    whatever the source sends: nobody expects what is named to delete.
    """
    files = [source for source in project.settings.source if source.type == "folder"] or [SourceSettings()]
    folder = replace(_folder(project, files[0]), name=COMMAND_LINE, full_export=False, move_done=False)
    there = [_store(project, _nearest(files, path), path) for path in paths if is_address(path)]
    return (
        [replace(folder, path=Path(path)) for path in paths if not is_address(path)],
        [replace(store, name=COMMAND_LINE, full_export=False, move_done=False) for store in there],
    )


def readings(project: Project) -> Readings:
    """What each source of files takes from them, by the name that its batches have; what is named on the command line
    may be read as any of them."""
    files = [source for source in project.settings.source if source.type == "folder"] or [SourceSettings()]
    options = [(source.prefix or source.path, _options(project, source)) for source in files]
    return readings_of([*options, *((COMMAND_LINE, each) for _, each in options)])


def live_sources(project: Project) -> list[LiveSource]:
    """The projects of Label Studio among the sources, in the order of kappaflow.toml."""
    return [
        LiveSource(
            source.prefix or source.url,
            source.url,
            number,
            source.token_env,
            source.page_size,
            _options(project, source),
            source.patience,
        )
        for source in project.settings.source
        if source.url is not None
        for number in source.project or []
    ]


def ingest_rules(project: Project) -> IngestRules:
    """The labels of each question that declares them, and the rule for duplicates of each that has another than the
    usual one, with its systems and gold raters."""
    questions = project.settings.questions
    labels = {name: tuple(question.labels) for name, question in questions.items() if question.labels}
    duplicates = {
        name: DuplicateRule(question.duplicates, frozenset(question.systems) | frozenset(question.gold))
        for name, question in questions.items()
        if question.duplicates != "latest"
    }
    return IngestRules(labels, duplicates)


def question_configs(project: Project) -> QuestionConfigs:
    """What the settings say of the questions that they name, and of those that they do not."""
    named = {name: _declared(project, question) for name, question in project.settings.questions.items()}
    return QuestionConfigs(named, _declared(project, QuestionSettings()))


def setting_names(project: Project) -> list[SettingName]:
    """The names in kappaflow.toml that data should have: questions, systems, gold raters, keys of metadata."""
    settings, found = project.settings, []
    for name, question in settings.questions.items():
        place = question_place(name)
        found.append(SettingName(place, name, "question"))
        found += [SettingName(f"{place} systems", rater, "rater", name) for rater in question.systems]
        found += [SettingName(f"{place} gold", rater, "rater", name) for rater in question.gold]
        found += [SettingName(f"{place} slices", key, "metadata", name) for key in question.slices or []]
    for source in settings.source:
        place = f"[[source]] {source.prefix or source.url or source.path},"
        found += [SettingName(f"{place} systems", rater, "rater") for rater in source.systems]
        found += [SettingName(f"{place} gold", rater, "rater") for rater in source.gold]
    return found + [SettingName("[evaluate] slices", key, "metadata") for key in settings.evaluate.slices]


def _folder(project: Project, source: SourceSettings) -> FolderSource:
    path = project.folder / Path(source.path).expanduser()  # an absolute path stays as it is
    name, options = source.prefix or source.path, _options(project, source)
    return FolderSource(name, path, source.pattern, options, source.full_export, source.done == "move")


def _nearest(files: Sequence[SourceSettings], path: str) -> SourceSettings:
    """The source of the same bucket, else of the same scheme, else the first."""

    def distance(source: SourceSettings) -> int:
        here, there = source.path.split("/"), path.split("/")
        return 0 if here[:3] == there[:3] else 1 if is_address(source.path) and here[0] == there[0] else 2

    return min(files, key=distance)


def _store(project: Project, source: SourceSettings, path: str | None = None) -> ObjectStore:
    try:
        address = parse(path or source.path)
    except ValueError as error:  # only of what was named: the settings are checked
        raise InputError(f"The address of an object store {error}.", "Name it as s3://bucket/labels/*.json.") from None
    same = address.scheme == source.path.partition("://")[0]  # the endpoint of one vendor is no other's
    return ObjectStore(
        name=source.prefix or source.path,
        address=address,
        home=project.objects,
        pattern=address.pattern or (SourceSettings().pattern if path else source.pattern),
        options=_options(project, source),
        full_export=source.full_export,
        move_done=source.done == "move",
        endpoint=source.endpoint if same else None,
        region=source.region if same else None,
    )


def _options(project: Project, source: SourceSettings) -> ReadOptions:
    return ReadOptions(
        format=source.format,
        columns=source.columns,
        question=source.question,
        prefix=source.prefix,
        systems=frozenset(source.systems),
        gold=frozenset(source.gold),
        limits=Limits(**project.settings.limits.model_dump()),
    )


def _declared(project: Project, question: QuestionSettings) -> QuestionConfig:
    alerts = project.settings.alerts
    return QuestionConfig(
        labels=tuple(question.labels) if question.labels else None,
        scale=question.scale,
        systems=frozenset(question.systems),
        gold=frozenset(question.gold),
        alert_below=alerts.below if question.alert_below is None else question.alert_below,
        slices=tuple(project.settings.evaluate.slices if question.slices is None else question.slices),
    )
