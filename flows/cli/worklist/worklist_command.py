"""The command that writes items to adjudicate to a file, and takes their labels back."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli import options as opt
from flows.cli import terminal
from flows.cli.published_project import published
from tasks.errors import InputError

if TYPE_CHECKING:
    from flows.project_folder import Project

app = typer.Typer()
FILL_IN = " Have the column label filled in, then take it back with --answers."
NEXT_STEP = {
    "csv": FILL_IN,
    "xlsx": FILL_IN,
    "label-studio": " Import the tasks into a project of Label Studio that asks this question, then take its JSON"
    " export back with --answers.",
}  # by the format of the file
MAX_REJECTS = 20  # rejected rows on a terminal; --json has all


@app.command()
def worklist(
    question: Annotated[str, opt.question_option("The question.")],
    n: Annotated[int, typer.Option("--n", min=1, help="How many items.")] = 20,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the items to this file: .csv, .xlsx or .json.")
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="csv, xlsx or label-studio (tasks). Default: by the ending of the file's name.",
        ),
    ] = None,
    blind: Annotated[bool, typer.Option("--blind", help="Leave out the annotators' labels.")] = False,
    answers: Annotated[
        Path | None, typer.Option("--answers", metavar="FILE", help="Take the labels of a list back from this file.")
    ] = None,
    gold: Annotated[bool, typer.Option("--gold", help="With --answers: the labels are right answers.")] = False,
    rater: Annotated[
        str | None,
        typer.Option(
            "--rater",
            metavar="NAME",
            callback=opt.name_in_nfc,
            help="With --answers: the labels are ratings by this annotator.",
        ),
    ] = None,
    project: opt.Folder = None,
    json: opt.Json = False,
) -> None:
    """List the items whose label is most in doubt, to adjudicate them, and take the answers back.

    Each item comes with its text, the labels that annotators gave it, and who gave them.

    [bold]Examples[/bold]

    \b
      kappaflow worklist --question tone
      kappaflow worklist --question tone --n 10 --out worklist.xlsx
      kappaflow worklist --question tone --answers worklist.xlsx --gold
      kappaflow worklist --question tone --answers tasks.json --rater eve
    """
    if answers is None:
        if gold or rater:
            raise InputError("--gold and --rater go with --answers FILE.", "Add --answers, or leave them out.")
        if format is not None and out is None:
            raise InputError("--format goes with --out FILE.", "Add --out, or leave it out.")
        _write(published(project), question, n, out, format, blind, json)
        return
    if out is not None or blind:
        raise InputError("--answers excludes --out and --blind.", "Write the list first, then take its answers.")
    if gold == bool(rater):
        raise InputError("The command needs to know whose answers these are.", "Give either --gold or --rater NAME.")
    value = _take(published(project), question, answers, rater)
    if json:
        terminal.print_json(value)
    else:
        _print_taken(value)


def _write(
    project: "Project", question: str, n: int, out: Path | None, format: str | None, blind: bool, json: bool
) -> None:
    from tasks.worklist.write_worklist import read_worklist, worklist_format, write_worklist

    file_format = worklist_format(format, out) if out else None
    worklist = read_worklist(project.snapshot, question, n=n)
    if out and file_format:
        write_worklist(worklist, out, file_format, blind=blind)
    if json:
        terminal.print_json({**worklist.to_json(), "file": str(out) if out else None})
        return
    if out:
        terminal.line(f"wrote {out}")
    else:
        rows = worklist.items.drop("labels_given") if blind else worklist.items
        terminal.print_table(rows.to_dicts(), title=f"{question}: items to adjudicate")
    terminal.note(
        f"{worklist.items.height:,} of the {worklist.n_doubtful:,} items in doubt, those first whose label is worth"
        " most." + (NEXT_STEP[file_format] if file_format else ""),
        style="dim",
    )
    if left_out := worklist.left_out():
        terminal.note(left_out)


def _take(project: "Project", question: str, answers: Path, rater: str | None) -> dict[str, Any]:
    from datetime import UTC, datetime

    from flows.settings.task_inputs import ingest_rules, question_configs
    from tasks.formats.parsing.file_look import check_file
    from tasks.worklist.take_worklist import take_worklist
    from warehouse.publication.snapshot import publish

    check_file(answers)
    labels, aliases = question_configs(project).of(question).labels, ingest_rules(project).aliases
    now = datetime.now(UTC)
    outcome = take_worklist(project.warehouse, answers, question, rater, labels=labels, aliases=aliases, now=now)
    publish(project.warehouse, project.published, **project.publishing)  # the next list leaves the answered items out
    return outcome.to_json()


def _print_taken(value: dict[str, Any]) -> None:
    kind = "gold labels" if value["rater_kind"] == "gold" else "ratings"
    terminal.heading(
        f"{value['question']}: {value['n_ratings']:,} {kind} taken, {value['n_unchanged']:,} unchanged, "
        f"{value['n_unlabelled']:,} without a label yet, {value['n_rejected']:,} rejected"
    )
    terminal.print_table(value["rejected"][:MAX_REJECTS], title="Rejected rows")
    if value["n_rejected"] > MAX_REJECTS:
        terminal.note(f"These are the first {MAX_REJECTS} of {value['n_rejected']:,} rejected rows; --json has all.")
    for text in value["notes"]:
        terminal.note(text)
    if value["n_ratings"]:
        terminal.note("The next `kappaflow run` evaluates the question with them.", style="dim")
