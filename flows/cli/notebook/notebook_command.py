"""The command that writes a notebook."""

from pathlib import Path
from typing import Annotated

import typer

from flows.cli import options as opt
from flows.cli import terminal
from flows.cli.published_project import published
from tasks.errors import InputError

app = typer.Typer()


@app.command()
def notebook(
    question: Annotated[str | None, opt.question_option("The question shown. Default: the first.")] = None,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The notebook.")] = Path("kappaflow.ipynb"),
    project: opt.Folder = None,
    json: opt.Json = False,
) -> None:
    """Write a Jupyter notebook to edit. It opens the published results and draws the main figures.

    It needs duckdb, polars, pyarrow and altair, which kappaflow[pipeline] has, and JupyterLab or VS Code.

    [bold]Examples[/bold]

    \b
      kappaflow notebook
      kappaflow notebook --question tone --out tone.ipynb
    """
    from tasks.notebook.write_notebook import write_notebook
    from tasks.summary.other_answers import nothing_evaluated, refuse_published_answers
    from tasks.summary.published_views import evaluated_questions

    loaded = published(project)
    questions = evaluated_questions(loaded.snapshot)
    if not questions:
        raise nothing_evaluated(loaded.snapshot, "a notebook")
    if question is not None and question not in questions:
        refuse_published_answers(loaded.snapshot, question, "a notebook")
        raise InputError(f"There is no question {question!r}.", f"There are: {', '.join(map(repr, questions))[:300]}.")
    shown = question or questions[0]
    write_notebook(out, title=loaded.settings.project.name, snapshot=loaded.snapshot.resolve(), question=shown)
    if json:
        terminal.print_json({"file": str(out), "question": shown})
    else:
        terminal.line(f"wrote {out}")
