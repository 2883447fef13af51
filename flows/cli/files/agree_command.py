"""The command `agree`: the agreement of the raters of a file, without a project."""

import typer

from flows.cli import options as opt
from flows.cli import terminal
from flows.cli.files import agreement_output
from flows.cli.files import file_options as fo
from flows.cli.files.input_files import input_files
from flows.cli.runs.run_progress import run_progress
from stats.defaults import REPLICATES
from tasks.formats import ReadOptions
from tasks.single_file.load_file import FileOptions

app = typer.Typer()


@app.command()
def agree(
    context: typer.Context,
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
    replicates: fo.Replicates = REPLICATES,
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
    from tasks.single_file import agree_file

    fo.refuse_without_effect(context, interval, by or (), taxonomy)
    options = FileOptions(
        fo.read_options(format, columns, system, no_header=no_header, regions=regions),
        question=question,
        all_questions=all_questions,
        labels=opt.parse_labels(labels),
        scale=opt.check_scale(scale),
        weights=weights,
        taxonomy=taxonomy,
        confidence=confidence,
        seed=seed,
        duplicates=duplicates,
    )
    detail = agree_file.AgreementDetail(
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
        results = agree_file.agree(list(files.values()), options, detail)
    if json:
        terminal.print_json(results if all_questions else results[0])
    else:
        agreement_output.print_agreement(results)
