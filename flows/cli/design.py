"""Commands that plan a study: plan (how many ratings), simulate (how well would the estimate do)."""

from dataclasses import asdict
from typing import Annotated

import typer

from flows.cli import options as opt
from flows.render import output

app = typer.Typer()


@app.command()
def plan(
    n_labels: Annotated[int, typer.Option("--n-labels", min=2, max=50, help="Labels of the question.")],
    n_raters: Annotated[int, typer.Option("--n-raters", min=2, max=20, help="Raters per item.")],
    kappa: Annotated[float, typer.Option("--kappa", help="Agreement expected, between 0 and 1.")],
    half_width: Annotated[float, typer.Option("--half-width", help="Of the interval you want, e.g. 0.05.")],
    confidence: opt.Confidence = 0.90,
    system_accuracy: Annotated[float, typer.Option("--system-accuracy", help="Accuracy that you expect.")] = 0.9,
    json: opt.Json = False,
) -> None:
    """How many items need ratings before a system's accuracy is known to within a half-width.

    [bold]Example[/bold]

    \b
      kappaflow plan --n-labels 5 --n-raters 3 --kappa 0.3 --half-width 0.1
    """
    from stats.accuracy import plan as make_plan

    found = asdict(
        make_plan(
            n_labels=n_labels,
            n_raters=n_raters,
            kappa=kappa,
            half_width=half_width,
            confidence=confidence,
            system_accuracy=system_accuracy,
        )
    )
    if json:
        output.print_json(found)
    else:
        warnings = found.pop("warnings")
        output.print_table([{"what": name.replace("_", " "), "value": value} for name, value in found.items()])
        for text in warnings:
            output.note(text)


@app.command()
def simulate(
    figure: Annotated[int, typer.Option("--figure", help="Figure 1 to 14 of Lehner (2015).")],
    runs: Annotated[int, typer.Option("--runs", min=1, max=10_000, help="Simulated studies.")] = 50,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method", metavar="NAME", help="An estimator to try; repeat for several. lehner is always included."
        ),
    ] = None,
    seed: opt.Seed = 0,
    json: opt.Json = False,
) -> None:
    """How near the estimates come to the truth, in the source paper's experiments.

    [bold]Example[/bold]

    \b
      kappaflow simulate --figure 3 --runs 50
    """
    from tasks.experiment import experiment

    found = experiment(figure, runs=runs, seed=seed, methods=method or [])
    if json:
        output.print_json(found)
    else:
        output.heading(f"Figure {figure}: {runs} runs, mean kappa {output.cell(found['kappa'])}")
        output.print_table(found["systems"])
