"""The command that forgets a rater."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli import options as opt
from flows.cli import terminal
from flows.cli.published_project import with_warehouse
from tasks.errors import InputError

if TYPE_CHECKING:
    from flows.project_folder import Project

app = typer.Typer()


@app.command("forget-rater")
def forget_rater(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The rater's name.", callback=opt.name_in_nfc)],
    pseudonym: Annotated[
        str | None,
        typer.Option(
            "--as", metavar="PSEUDONYM", help="The new name. Default: a random one.", callback=opt.name_in_nfc
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would be changed.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    project: opt.Folder = None,
    json: opt.Json = False,
) -> None:
    """Replace the name of a rater by a pseudonym everywhere in the warehouse, the snapshot and the report.

    The ratings stay, and so do all figures. If a later file has the name, kappaflow reads it as the pseudonym. The
    command says where the name may still be, such as in the exports themselves.

    [bold]Examples[/bold]

    \b
      kappaflow forget-rater ann --dry-run
      kappaflow forget-rater ann
      kappaflow forget-rater ann --yes --json
    """
    from flows.cli.raters import forget_output as show
    from tasks.raters.forget_rater import forget_rater as forget
    from tasks.raters.forget_rater import plan_forgetting

    loaded_project = with_warehouse(project)
    aliases = loaded_project.settings.raters.aliases
    plan = plan_forgetting(loaded_project.warehouse, name, aliases)
    _must_not_be_set(loaded_project, plan.names, plan.pseudonym)
    if dry_run:
        if json:
            terminal.print_json(show.plan_as_json(plan, loaded_project))
        else:
            show.print_plan(plan, loaded_project)
        return
    if not yes:
        if json or not sys.stdin.isatty():
            raise InputError(
                "This cannot be undone: nobody can find the name afterwards.",
                "Give --yes to go on, or --dry-run to look.",
            )
        show.print_plan(plan, loaded_project)
        typer.confirm("This cannot be undone: nobody can find the name afterwards. Go on?", abort=True)
    result = forget(loaded_project.warehouse, loaded_project.published, name, aliases, pseudonym=pseudonym)
    _publish(loaded_project)
    if json:
        terminal.print_json(show.result_as_json(result, loaded_project))
    else:
        show.print_result(result, loaded_project)


def _must_not_be_set(project: "Project", names: tuple[str, ...], pseudonym: str | None) -> None:
    """Refuse a rater whom the settings name: under another name, an expert would count as an annotator."""
    from flows.settings.task_inputs import setting_names

    for setting in setting_names(project):
        if setting.kind == "rater" and setting.name in names and not setting.place.startswith("[raters]"):
            new = pseudonym or "a pseudonym of your choice"
            raise InputError(
                f"kappaflow.toml names {setting.name!r}: {setting.place}.",
                f"Write {new} there instead, and give the same name with --as PSEUDONYM.",
            )


def _publish(project: "Project") -> None:
    """Publish the snapshot again and write the report again, where they exist."""
    from flows.project_folder import CODE_VERSION
    from tasks.report.write_report import write_report
    from warehouse.publication.snapshot import publish

    if project.snapshot.exists():
        parquet = (project.published / "parquet").is_dir()
        publish(project.warehouse, project.published, **{**project.publishing, "parquet": parquet, "keep": 0})
        if project.report.exists():
            title = project.settings.project.name
            write_report(project.snapshot, project.report, title=title, code_version=CODE_VERSION)
