"""From settings to the plain values that tasks take: tasks know nothing of kappaflow.toml."""

from pathlib import Path

from flows.project import Project
from flows.settings import Question, Source
from tasks.duplicates import Duplicates
from tasks.evaluate import Declared
from tasks.formats import ReadOptions
from tasks.formats.limits import Limits
from tasks.live.source import LiveSource
from tasks.questions import Declarations
from tasks.sweep import Folder


def folders(project: Project) -> list[Folder]:
    """The folders among the sources of a project, in the order of kappaflow.toml."""
    return [_folder(project, source) for source in project.settings.source if source.type == "folder"]


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
        )
        for source in project.settings.source
        if source.url is not None
        for number in source.project or []
    ]


def declared_labels(project: Project) -> dict[str, tuple[str, ...]]:
    """The labels of each question that declares them."""
    return {name: tuple(question.labels) for name, question in project.settings.questions.items() if question.labels}


def duplicates(project: Project) -> dict[str, Duplicates]:
    """The rule of each question that has another than the usual one, with its systems and gold raters."""
    questions = project.settings.questions
    return {
        name: Duplicates(question.duplicates, frozenset(question.systems) | frozenset(question.gold))
        for name, question in questions.items()
        if question.duplicates != "latest"
    }


def declarations(project: Project) -> Declarations:
    """What the settings say of the questions that they name, and of those that they do not."""
    named = {name: _declared(project, question) for name, question in project.settings.questions.items()}
    return Declarations(named, _declared(project, Question()))


def _folder(project: Project, source: Source) -> Folder:
    path = project.folder / Path(source.path).expanduser()  # an absolute path stays as it is
    name, options = source.prefix or source.path, _options(project, source)
    return Folder(name, path, source.pattern, options, source.full_export, source.done == "move")


def _options(project: Project, source: Source) -> ReadOptions:
    return ReadOptions(
        format=source.format,
        columns=source.columns,
        question=source.question,
        prefix=source.prefix,
        systems=frozenset(source.systems),
        gold=frozenset(source.gold),
        limits=Limits(**project.settings.limits.model_dump()),
    )


def _declared(project: Project, question: Question) -> Declared:
    alerts = project.settings.alerts
    return Declared(
        labels=tuple(question.labels) if question.labels else None,
        scale=question.scale,
        systems=frozenset(question.systems),
        gold=frozenset(question.gold),
        alert_below=alerts.below if question.alert_below is None else question.alert_below,
    )
