"""The command `accuracy`: the accuracy of the systems of a file, without a project."""

import typer

from flows.cli import options as opt
from flows.cli import terminal
from flows.cli.files import accuracy_output as accuracies
from flows.cli.files import file_options as fo
from flows.cli.files.input_files import input_files
from flows.cli.runs.run_progress import run_progress
from tasks.formats import ReadOptions
from tasks.single_file.load_file import FileOptions

app = typer.Typer()


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
    """Estimate how accurate each system is from the raters alone, even if it is better than the raters.

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
