"""From settings to the plain values that tasks take: tasks know nothing of kappaflow.toml."""

from pathlib import Path

from flows.project import Project
from flows.settings import Question, Source
from tasks.evaluate import Declared
from tasks.formats import ReadOptions
from tasks.questions import Declarations
from tasks.sweep import Folder


def folders(project: Project) -> list[Folder]:
    """The sources of a project, in the order of kappaflow.toml."""
    return [_folder(project.folder, source) for source in project.settings.source]


def declared_labels(project: Project) -> dict[str, tuple[str, ...]]:
    """The labels of each question that declares them."""
    return {name: tuple(question.labels) for name, question in project.settings.questions.items() if question.labels}


def declarations(project: Project) -> Declarations:
    """What the settings say of the questions that they name, and of those that they do not."""
    named = {name: _declared(project, question) for name, question in project.settings.questions.items()}
    return Declarations(named, _declared(project, Question()))


def _folder(base: Path, source: Source) -> Folder:
    path = base / Path(source.path).expanduser()  # an absolute path stays as it is
    options = ReadOptions(
        format=source.format,
        columns=source.columns,
        question=source.question,
        prefix=source.prefix,
        systems=frozenset(source.systems),
        gold=frozenset(source.gold),
    )
    return Folder(source.prefix or source.path, path, source.pattern, options)


def _declared(project: Project, question: Question) -> Declared:
    alerts = project.settings.alerts
    return Declared(
        labels=tuple(question.labels) if question.labels else None,
        scale=question.scale,
        systems=frozenset(question.systems),
        gold=frozenset(question.gold),
        alert_below=alerts.below if question.alert_below is None else question.alert_below,
    )
