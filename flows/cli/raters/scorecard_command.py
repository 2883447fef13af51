"""The command that shows the scorecards of raters and systems."""

from typing import Annotated

import typer

from flows.cli import options as opt
from flows.cli import terminal
from flows.cli.command_hints import project_option
from flows.cli.published_project import published

app = typer.Typer()


@app.command()
def scorecard(
    rater: Annotated[
        str | None, typer.Argument(metavar="[RATER]", help="Only of this rater.", callback=opt.name_in_nfc)
    ] = None,
    question: Annotated[str | None, opt.question_option("Only in this question.")] = None,
    systems: Annotated[
        bool, typer.Option("--systems", help="Show systems instead of people. RATER is then a system.")
    ] = False,
    project: opt.Folder = None,
    json: opt.Json = False,
) -> None:
    """Show how each annotator compares with the others on the same items.

    Agreement, accuracy by the models and by gold, severity, speed, edits, screen for copying, and open alerts. With
    RATER also the labels that the rater gives more or less often than the others. With --systems: the accuracy of each
    system, over all items and on the latest ones, its agreement with people, and open alerts.

    [bold]Examples[/bold]

    \b
      kappaflow scorecard
      kappaflow scorecard ann
      kappaflow scorecard ann --question tone --json
      kappaflow scorecard --systems
    """
    from flows.cli.raters import scorecard_output as show
    from tasks.raters.scorecard import read_scorecards, read_system_scorecards

    loaded_project = published(project)
    place = project_option(loaded_project.folder)
    if systems:
        rows = read_system_scorecards(loaded_project.snapshot, system=rater, question=question)
        terminal.print_json({"systems": rows.to_dicts()}) if json else show.print_systems(rows, place)
        return
    cards = read_scorecards(loaded_project.snapshot, rater=rater, question=question)
    if json:
        terminal.print_json(show.as_json(cards))
    elif rater is None:
        show.print_overview(cards, place)
    else:
        show.print_cards(cards)
