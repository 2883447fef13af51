"""Turn the settings of a project into the arguments of tasks, which know nothing of kappaflow.toml."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from flows.project_folder import CODE_VERSION, Project
from flows.settings.model import QuestionCheckSettings, QuestionSettings
from flows.settings.rule_limits import own_rules, rule_limits
from flows.settings.sources import SourceSettings
from tasks.errors import InputError
from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.pending_questions import kinds_of_raters
from tasks.evaluate.question_config import QuestionConfig
from tasks.formats import ReadOptions
from tasks.formats.parsing.limits import Limits
from tasks.gate.gate_rules import FigureLimits, GateRules
from tasks.glossary import COEFFICIENTS
from tasks.ingest.batch_identity import Readings, readings_of
from tasks.ingest.datasets.count_rules import CountRules
from tasks.ingest.duplicates import DuplicateRule
from tasks.ingest.ingest_rules import IngestRules
from tasks.monitor.act_on_alerts import start_of
from tasks.monitor.monitor_config import MonitorConfig
from tasks.monitor.monitoring_configs import AlertConfig, MonitoringConfigs, QuestionMonitoring
from tasks.notify.message_context import MessageContext
from tasks.setting_names import SettingName, question_place
from tasks.sources.dataset import PATTERN, TABLE, DatasetSource
from tasks.sources.folder import FolderSource
from tasks.sources.live_label_studio.live_source import LiveSource
from tasks.sources.object_store.address import is_address, parse
from tasks.sources.object_store.store_source import ObjectStore
from warehouse.alerting.alert_mutes import AlertMute
from warehouse.alerting.messages import MessageRoute

COMMAND_LINE = "command line"  # name of the source of files that are given on the command line


def folder_sources(project: Project) -> list[FolderSource]:
    """Return the folders among the sources of a project, in the order of kappaflow.toml."""
    files = [source for source in project.settings.source if source.type == "folder"]
    return [_folder(project, source) for source in files if not is_address(source.path)]


def object_stores(project: Project) -> list[ObjectStore]:
    """Return the object stores among the sources of a project, in the order of kappaflow.toml."""
    return [
        _store(project, source)
        for source in project.settings.source
        if source.type == "folder" and is_address(source.path)
    ]


def dataset_sources(project: Project) -> list[DatasetSource]:
    """Return the datasets among the sources of a project, in the order of kappaflow.toml."""
    return [_dataset(project, source) for source in project.settings.source if source.type == "dataset"]


def count_rules(project: Project) -> CountRules:
    """Return what decides how the ratings of datasets count."""
    options = evaluation_options(project)
    kinds = kinds_of_raters(question_configs(project))
    questions = project.settings.questions.values()
    slices = {*project.settings.evaluate.slices}.union(*(question.slices or [] for question in questions))
    return CountRules(ingest_rules(project), kinds, options.timezone, options.last_items, tuple(sorted(slices)))


def sources_from_command_line(project: Project, paths: Sequence[str]) -> tuple[list[FolderSource], list[ObjectStore]]:
    """Return the folders and object stores for the paths of a command line.

    Files and folders are read like the first source of files. Addresses are read like the first source in the same
    bucket, else like the first in a store of the same vendor, else like the first source of files. They never count as
    full exports: nobody expects that a file on the command line deletes ratings.
    """
    files = [source for source in project.settings.source if source.type == "folder"] or [SourceSettings()]
    folder = replace(_folder(project, files[0]), name=COMMAND_LINE, full_export=False, move_done=False)
    stores = [_store(project, _most_similar(files, path), path) for path in paths if is_address(path)]
    return (
        [replace(folder, path=Path(path)) for path in paths if not is_address(path)],
        [replace(store, name=COMMAND_LINE, full_export=False, move_done=False) for store in stores],
    )


def readings(project: Project) -> Readings:
    """Return the read options of each source of files, by the source's name in `batches`.

    A file on the command line may be read with the options of any source.
    """
    files = [source for source in project.settings.source if source.type == "folder"] or [SourceSettings()]
    options = [(source.prefix or source.path, _options(project, source)) for source in files]
    return readings_of([*options, *((COMMAND_LINE, read_options) for _, read_options in options)])


def live_sources(project: Project) -> list[LiveSource]:
    """Return the live projects of Label Studio among the sources, in the order of kappaflow.toml."""
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
    """Return what the settings say of the questions whose ratings come in.

    A rule for duplicates has the systems and gold raters of its question.
    """
    questions = project.settings.questions
    labels = {name: tuple(question.labels) for name, question in questions.items() if question.labels}
    duplicates = {
        name: DuplicateRule(question.duplicates, _raters(project, [*question.systems, *question.gold]))
        for name, question in questions.items()
        if question.duplicates != DuplicateRule().rule
    }
    answers = {name: question.answers for name, question in questions.items() if question.answers is not None}
    aliases, timezone = project.settings.raters.aliases, project.settings.project.timezone
    return IngestRules(labels, duplicates, aliases, answers, timezone)


def question_configs(project: Project) -> QuestionConfigs:
    """Return the settings of each question in kappaflow.toml, and the default for all others."""
    configs = {name: _question_config(project, question) for name, question in project.settings.questions.items()}
    return QuestionConfigs(configs, _question_config(project, QuestionSettings()))


def evaluation_options(project: Project) -> EvaluationOptions:
    """Return the options that hold for all questions."""
    settings = project.settings
    return EvaluationOptions(
        confidence=settings.evaluate.confidence,
        seed=settings.evaluate.seed,
        alert_coefficient=settings.alerts.coefficient,
        code_version=CODE_VERSION,
        last_items=settings.evaluate.last_items,
        windows=tuple(settings.monitor.windows),
        rolling_days=settings.monitor.rolling_days,
        window_items=settings.monitor.window_items,
        timezone=settings.project.timezone,
    )


def monitoring_configs(project: Project) -> MonitoringConfigs:
    """Return the settings of the charts and alerts of each question, and the default for all others."""
    settings = project.settings
    values = settings.monitor.model_dump(exclude={"windows", "rolling_days", "window_items"})
    batches = tuple(values.pop("reference_batches"))
    charts = MonitorConfig(**values, reference_batches=batches, code_version=CODE_VERSION)

    def of(question: QuestionSettings) -> QuestionMonitoring:
        alerts = AlertConfig(settings.alerts.severity, question.owner or settings.alerts.owner)
        config = _question_config(project, question)
        return QuestionMonitoring(config, charts, alerts, rule_limits(settings, question), own_rules(question))

    questions = {name: of(question) for name, question in settings.questions.items()}
    return MonitoringConfigs(questions, of(QuestionSettings()))


def gate_rules(project: Project) -> GateRules:
    """Return the rules of `kappaflow check` in kappaflow.toml."""
    check = project.settings.check
    return GateRules(
        limits=_figure_limits(check),
        by_question={
            name: _figure_limits(question.check)
            for name, question in project.settings.questions.items()
            if question.check is not None
        },
        no_open_alerts=check.no_open_alerts,
        max_rejected=check.max_rejected,
        judge=check.judge,
        unjudged=check.unjudged,
    )


def message_routes(project: Project) -> tuple[MessageRoute, ...]:
    """Return which channel is told of which alerts, in the order of kappaflow.toml."""
    return tuple(
        MessageRoute(
            channel=notify.url_env,
            questions=tuple(notify.questions),
            kinds=tuple(notify.kinds),
            severities=notify.severities,
            owners=tuple(notify.owners),
            events=tuple(notify.events),
            reminder_days=notify.reminder_days,
        )
        for notify in project.settings.notify
    )


def alert_mutes(project: Project) -> tuple[AlertMute, ...]:
    """Return which alerts the settings mute, and until when."""
    settings = project.settings
    return tuple(
        AlertMute(start_of(mute.until, settings.project.timezone), mute.question, mute.kind, mute.subject)
        for mute in settings.alerts.mute
    )


def message_context(project: Project) -> MessageContext:
    """Return what messages say of the project."""
    settings = project.settings
    return MessageContext(
        name=settings.project.name,
        folder=project.folder,
        report=project.report,
        snapshot=project.snapshot,
        timezone=settings.project.timezone,
        coefficient=COEFFICIENTS[settings.monitor.coefficient][0],
        false_alarms_per_year=settings.monitor.false_alarms_per_year,
    )


def setting_names(project: Project) -> list[SettingName]:
    """Return the names in kappaflow.toml that the data should have: questions, systems, gold raters, metadata keys."""
    settings = project.settings
    names: list[SettingName] = []
    for name, question in settings.questions.items():
        place = question_place(name)
        names.append(SettingName(place, name, "question"))
        names += [SettingName(f"{place} systems", rater, "rater", name) for rater in question.systems]
        names += [SettingName(f"{place} gold", rater, "rater", name) for rater in question.gold]
        names += [SettingName(f"{place} slices", key, "metadata", name) for key in question.slices or []]
        limits = question.check.min_accuracy if question.check else {}
        names += [SettingName(f"{place} check.min_accuracy", rater, "rater", name) for rater in limits]
    for notify in settings.notify:
        exact = [name for name in notify.questions if not re.search(r"[*?\[]", name)]  # a pattern need not match yet
        names += [SettingName(f"[[notify]] {notify.url_env}, questions", name, "question") for name in exact]
    for source in settings.source:
        place = f"[[source]] {source.prefix or source.url or source.path},"
        origin = source.prefix or source.path if source.type == "folder" else None
        names += [SettingName(f"{place} systems", name, "rater", None, origin, "system") for name in source.systems]
        names += [SettingName(f"{place} gold", name, "rater", None, origin, "gold") for name in source.gold]
    names += [SettingName("[check] min_accuracy", rater, "rater") for rater in settings.check.min_accuracy]
    raters = dict.fromkeys(settings.raters.aliases.values())
    names += [SettingName("[raters] aliases", rater, "rater") for rater in raters]
    names += [SettingName("[raters] aliases", alias, "alias") for alias in settings.raters.aliases]
    names = [replace(name, name=_rater(project, name.name)) if name.kind == "rater" else name for name in names]
    return names + [SettingName("[evaluate] slices", key, "metadata") for key in settings.evaluate.slices]


def _folder(project: Project, source: SourceSettings) -> FolderSource:
    path = project.folder / Path(source.path).expanduser()  # joining keeps an absolute path as it is
    name, options = source.prefix or source.path, _options(project, source)
    return FolderSource(name, path, source.pattern, options, source.full_export, source.done == "move")


def _dataset(project: Project, source: SourceSettings) -> DatasetSource:
    pattern = source.pattern if "pattern" in source.model_fields_set else PATTERN
    name, options, master = source.prefix or source.path, _options(project, source), project.settings.spark.master
    common = DatasetSource(name, Path(source.path), pattern, options, engine=source.engine, master=master)
    if source.path.startswith(TABLE):
        return replace(common, table=source.path.removeprefix(TABLE))
    if not is_address(source.path):
        return replace(common, path=project.folder / Path(source.path).expanduser())
    address = parse(source.path)
    store = replace(_store(project, source), pattern=address.pattern or pattern)
    return replace(common, path=Path(address.base, address.pattern or ""), store=store)


def _most_similar(files: Sequence[SourceSettings], path: str) -> SourceSettings:
    """Return the first source in the same bucket, else the first with the same scheme, else the first."""

    def distance(source: SourceSettings) -> int:
        segments, wanted = source.path.split("/"), path.split("/")
        return 0 if segments[:3] == wanted[:3] else 1 if is_address(source.path) and segments[0] == wanted[0] else 2

    return min(files, key=distance)


def _store(project: Project, source: SourceSettings, path: str | None = None) -> ObjectStore:
    try:
        address = parse(path or source.path)
    except ValueError as error:  # only from the command line: the settings were checked before
        raise InputError(f"The address of an object store {error}.", "Name it as s3://bucket/labels/*.json.") from None
    same_vendor = address.scheme == source.path.partition("://")[0]
    return ObjectStore(
        name=source.prefix or source.path,
        address=address,
        home=project.objects,
        pattern=address.pattern or (SourceSettings().pattern if path else source.pattern),
        options=_options(project, source),
        full_export=source.full_export,
        move_done=source.done == "move",
        endpoint=source.endpoint if same_vendor else None,
        region=source.region if same_vendor else None,
    )


def _options(project: Project, source: SourceSettings) -> ReadOptions:
    return ReadOptions(
        format=source.format,
        columns=source.columns,
        header=source.header,
        question=source.question,
        prefix=source.prefix,
        systems=frozenset(source.systems) | _raters(project, source.systems),
        gold=frozenset(source.gold) | _raters(project, source.gold),
        limits=Limits(**project.settings.limits.model_dump(exclude={"memory"})),
        regions=source.regions,
        timezone=source.timezone,
    )


def _rater(project: Project, name: str) -> str:
    """Return the name of the rater with this name or alias."""
    return project.settings.raters.aliases.get(name, name)


def _raters(project: Project, names: Sequence[str]) -> frozenset[str]:
    return frozenset(_rater(project, name) for name in names)


def _figure_limits(check: QuestionCheckSettings) -> FigureLimits:
    return FigureLimits(check.min_alpha, check.min_agreement, check.min_accuracy)


def _question_config(project: Project, question: QuestionSettings) -> QuestionConfig:
    alerts = project.settings.alerts
    return QuestionConfig(
        labels=tuple(question.labels) if question.labels else None,
        scale=question.scale,
        weights=question.weights,
        taxonomy=question.taxonomy,
        systems=_raters(project, question.systems),
        gold=_raters(project, question.gold),
        alert_below=alerts.below if question.alert_below is None else question.alert_below,
        slices=tuple(project.settings.evaluate.slices if question.slices is None else question.slices),
        outer_error=project.settings.evaluate.outer_error,
        consensus=project.settings.evaluate.consensus,
    )
