"""Commands on a single file, without a project: agree, accuracy, inspect, formats."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli import options as opt
from flows.cli import terminal
from flows.cli.files import accuracy_output as accuracies
from flows.cli.files import agreement_output
from flows.cli.files import file_options as fo
from flows.cli.files.input_files import input_files
from flows.cli.runs.run_progress import run_progress
from tasks.formats import FORMATS, ReadOptions
from tasks.single_file.load_file import FileOptions

if TYPE_CHECKING:
    from tasks.sources.object_store.store_source import ObjectStore

app = typer.Typer()


@app.command()
def agree(
    file: opt.Files,
    format: opt.Format = None,
    columns: opt.Columns = None,
    no_header: opt.NoHeader = False,
    regions: opt.Regions = ReadOptions.regions,
    question: opt.Question = None,
    all_questions: opt.AllQuestions = False,
    labels: opt.Labels = None,
    scale: opt.Scale = FileOptions.scale,
    weights: fo.Weights = None,
    taxonomy: fo.Taxonomy = None,
    coefficients: fo.Coefficients = None,
    interval: fo.Interval = "t",
    replicates: fo.Replicates = 1000,
    population: fo.Population = None,
    by: fo.By = None,
    min_items: fo.MinItems = 1,
    system: opt.Systems = None,
    against: fo.Against = None,
    benchmark: fo.Benchmark = None,
    answers: fo.Answers = None,
    duplicates: opt.Duplicates = FileOptions.duplicates,
    confidence: opt.Confidence = FileOptions.confidence,
    seed: opt.Seed = FileOptions.seed,
    json: opt.Json = False,
) -> None:
    """Measure how far the raters of a file agree, by every coefficient, with intervals.

    [bold]Examples[/bold]

    \b
      kappaflow agree labels.csv
      kappaflow agree labels.csv --labels low,mid,high --scale ordinal
      kappaflow agree export.json --question sentiment --json
      kappaflow agree sheet.csv --columns item=doc,rater=coder,label=code
      kappaflow agree labels.csv --system gpt --by label --by pair
      kappaflow agree labels.csv --interval bca --benchmark landis_koch
      kappaflow agree anna.csv ben.xlsx "more/*.json"
      kappaflow agree sheet.csv --columns label=transcript --answers text
      kappaflow agree spans.json --regions labels --weights masi --by label
      cat labels.csv | kappaflow agree -
    """
    from tasks.single_file.agree_file import AgreementDetail
    from tasks.single_file.agree_file import agree as agree_file

    options = FileOptions(
        fo.read_options(format, columns, system, no_header=no_header, regions=regions),
        question=question,
        all_questions=all_questions,
        labels=opt.parse_labels(labels),
        scale=opt.check_scale(scale),
        weights=weights,
        taxonomy=taxonomy or None,
        confidence=confidence,
        seed=seed,
        duplicates=duplicates,
    )
    detail = AgreementDetail(
        coefficients=None if coefficients is None else tuple(name.strip() for name in coefficients.split(",")),
        interval_method=interval,
        replicates=replicates,
        population=population,
        by=tuple(dict.fromkeys(by or ())),
        against=tuple(against or ()),
        benchmark=benchmark,
        min_items=min_items,
        answers=answers,
    )
    with run_progress(quiet=json, step="reading"), input_files(file) as files:
        results = agree_file(list(files.values()), options, detail)
    if json:
        terminal.print_json(results if all_questions else results[0])
    else:
        agreement_output.print_agreement(results)


@app.command()
def accuracy(
    file: opt.Files,
    system: opt.Systems = None,
    gold: fo.Gold = None,
    format: opt.Format = None,
    columns: opt.Columns = None,
    no_header: opt.NoHeader = False,
    regions: opt.Regions = ReadOptions.regions,
    question: opt.Question = None,
    all_questions: opt.AllQuestions = False,
    labels: opt.Labels = None,
    scale: opt.Scale = FileOptions.scale,
    method: fo.Methods = None,
    by: fo.AccuracyBy = None,
    consensus: fo.Consensus = "mixture",
    rates: fo.Rates = False,
    duplicates: opt.Duplicates = FileOptions.duplicates,
    confidence: opt.Confidence = FileOptions.confidence,
    seed: opt.Seed = FileOptions.seed,
    json: opt.Json = False,
) -> None:
    """Estimate how accurate each system is from the raters alone, even if it is better than they are.

    Also check what the estimate assumes, and compare the systems with each other and with the raters.

    [bold]Examples[/bold]

    \b
      kappaflow accuracy labels.csv --system gpt
      kappaflow accuracy labels.csv --system gpt --system rules --labels yes,no,unclear
      kappaflow accuracy stars.csv --system judge --labels 1,2,3,4,5 --scale ordinal
      kappaflow accuracy labels.csv --system gpt --method average --method dawid_skene
      kappaflow accuracy labels.csv --system gpt --by label --by item
      kappaflow accuracy labels.csv --system judge --gold audited.csv --rates
      kappaflow accuracy export.json --question tone --gold audited.csv --json
    """
    from tasks.single_file.accuracy_file import AccuracyDetail
    from tasks.single_file.accuracy_file import estimate as estimate_file

    options = FileOptions(
        fo.read_options(format, columns, system, no_header=no_header, regions=regions),
        question=question,
        all_questions=all_questions,
        labels=opt.parse_labels(labels),
        scale=opt.check_scale(scale),
        confidence=confidence,
        seed=seed,
        duplicates=duplicates,
    )
    methods = None if method is None else tuple(method)
    detail = AccuracyDetail(methods=methods, by=tuple(dict.fromkeys(by or ())), rates=rates, consensus=consensus)
    with run_progress(quiet=json, step="reading"), input_files(file) as files:
        results = estimate_file(list(files.values()), options, gold=gold, detail=detail)
    if json:
        terminal.print_json(results if all_questions else results[0])
    else:
        accuracies.print_accuracy(results)


@app.command()
def inspect(
    file: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="Exports, shown one by one. Addresses in an object store work, too: s3://bucket/labels/monday.json.",
        ),
    ],
    format: opt.Format = None,
    columns: opt.Columns = None,
    no_header: opt.NoHeader = False,
    regions: opt.Regions = ReadOptions.regions,
    system: opt.Systems = None,
    dataset: Annotated[
        bool,
        typer.Option(
            "--dataset",
            help="FILE is a dataset: a folder of Parquet files, a pattern, a Delta table, or one of these in an object "
            "store. Its ratings are not read.",
        ),
    ] = False,
    json: opt.Json = False,
) -> None:
    """Show what is in a file: format, questions, raters, labels, rows that would be rejected. Stores nothing.

    [bold]Examples[/bold]

    \b
      kappaflow inspect export.json
      kappaflow inspect sheet.csv --columns item=doc,rater=coder,label=code
      kappaflow inspect "exports/*.csv"
      kappaflow inspect s3://bucket/labels/monday.json
      kappaflow inspect --dataset ratings
    """
    options = fo.read_options(format, columns, system, no_header=no_header, regions=regions)
    if dataset:
        _inspect_datasets(file, options, json)
        return
    from tasks.single_file.inspect_file import inspect_file, inspect_object
    from tasks.sources.object_store.address import is_address

    local = [name for name in file if not is_address(name)]
    with run_progress(quiet=json, step="reading"), input_files(local) as files:
        inspections = [{"file": name, **inspect_file(path, options)} for name, path in files.items()]
    for address in filter(is_address, file):
        inspections.append({"file": address, **inspect_object(_object_store(address), options)})
    if json:
        terminal.print_json(inspections if len(inspections) > 1 else inspections[0])
        return
    for inspection in inspections:
        agreement_output.print_inspection(inspection, several=len(inspections) > 1)


def _inspect_datasets(paths: list[str], options: ReadOptions, json: bool) -> None:
    from tasks.single_file.inspect_dataset import inspect_dataset
    from tasks.sources.dataset import PATTERN, DatasetSource
    from tasks.sources.object_store.address import is_address

    inspections = []
    for path in paths:
        source = DatasetSource(path, Path(path), options=options)
        if is_address(path):
            store = _object_store(path)
            pattern = store.address.pattern
            store = replace(store, pattern=pattern or PATTERN)
            source = replace(source, path=Path(store.address.base, pattern or ""), store=store)
        with run_progress(quiet=json, step="reading"):
            inspections.append({"file": path, **inspect_dataset(source)})
    if json:
        terminal.print_json(inspections if len(inspections) > 1 else inspections[0])
        return
    for inspection in inspections:
        agreement_output.print_dataset(inspection)


@app.command()
def formats(json: opt.Json = False) -> None:
    """List the export formats that can be read.

    [bold]Example[/bold]

    \b
      kappaflow formats
    """
    rows = [
        {"format": name, "files": " ".join(reader.extensions), "what": reader.describe}
        for name, reader in FORMATS.items()
    ]
    if json:
        terminal.print_json(rows)
    else:
        terminal.print_table(rows)


def _object_store(address: str) -> "ObjectStore":
    """Return the object store at an address.

    Endpoint and region are those of the current project, if there is one. Credentials are in the environment.
    """
    from flows.project_folder import find_project
    from flows.settings import task_inputs

    return task_inputs.sources_from_command_line(find_project(), [address])[1][0]
