"""The command that tests estimators on simulated studies, where the truth is known."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli import options as opt
from tasks.errors import InputError

if TYPE_CHECKING:
    from flows.simulation import Study

app = typer.Typer()

OWN_DESIGN = "--items, --raters, --systems and --n-labels"


FigureOption = Annotated[
    str | None,
    typer.Option("--figure", metavar="N", help="Figures 1 to 14 of Lehner (2015): 3, or 2,5,9, or all."),
]
RunsOption = Annotated[
    int, typer.Option("--runs", min=1, max=10_000, help="Number of simulated studies of each setting.")
]
MethodOption = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        metavar="NAME",
        help="An estimator to try, or all; repeat for several. lehner is always included.",
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="DIR", help="Write a page with charts, all runs, and a table of errors to this folder."
    ),
]
ItemsOption = Annotated[int | None, typer.Option("--items", min=1, help="Own design: number of items of a study.")]
RatersOption = Annotated[
    str | None,
    typer.Option("--raters", metavar="A,B,...", help="Own design: accuracy of each rater, e.g. .6,.6,.7."),
]
SystemsOption = Annotated[
    str | None,
    typer.Option("--systems", metavar="A,B,...", help="Own design: accuracies of the systems, e.g. .7,.9."),
]
NLabelsOption = Annotated[int | None, typer.Option("--n-labels", min=2, max=50, help="Own design: number of labels.")]
AsymmetryOption = Annotated[
    float | None,
    typer.Option(
        "--asymmetry",
        help="Own design: how many times rarer an error is with each step between the labels; 1 if not given.",
    ),
]
ErrorRangeOption = Annotated[
    float | None,
    typer.Option(
        "--error-range",
        help="Own design: how unevenly errors are spread over the labels, from 0 to 1; 0 if not given.",
    ),
]
DifficultyOption = Annotated[
    float | None,
    typer.Option(
        "--difficulty", help="Own design: how much easy items add to every accuracy, and difficult items take away."
    ),
]
OrderedOption = Annotated[
    bool | None,
    typer.Option(
        "--ordered/--nominal",
        help="Own design: the labels have an order, and the methods use it. Default: --nominal, no order.",
    ),
]
IntervalsOption = Annotated[
    bool,
    typer.Option("--intervals", help="Also measure how often each method's interval holds the truth. This is slow."),
]


@app.command()
def simulate(
    figure: FigureOption = None,
    runs: RunsOption = 50,
    method: MethodOption = None,
    out: OutOption = None,
    items: ItemsOption = None,
    raters: RatersOption = None,
    systems: SystemsOption = None,
    n_labels: NLabelsOption = None,
    asymmetry: AsymmetryOption = None,
    error_range: ErrorRangeOption = None,
    difficulty: DifficultyOption = None,
    ordered: OrderedOption = None,
    intervals: IntervalsOption = False,
    confidence: opt.Confidence = 0.90,
    seed: opt.Seed = 0,
    json: opt.Json = False,
) -> None:
    """Test how near the estimates come to the truth, in the experiments of Lehner (2015) or in your own design.

    [bold]Examples[/bold]

    \b
      kappaflow simulate --figure all --out simulation
      kappaflow simulate --figure 3 --method average
      kappaflow simulate --items 300 --raters .6,.6,.7 --systems .7,.9 --n-labels 4 --nominal --method all
    """  # fmt: skip
    own = {
        "items": items, "raters": raters, "systems": systems, "n_labels": n_labels, "asymmetry": asymmetry,
        "error_range": error_range, "difficulty": difficulty, "ordered": ordered,
    }  # fmt: skip
    design: dict[str, object] = {name: value for name, value in own.items() if value is not None}
    from flows import simulation
    from flows.cli.planning.simulate_output import print_simulation, progress_bar
    from flows.cli.terminal import print_json

    studies = _studies(figure, design)
    methods = simulation.chosen_methods(method or [])
    level = confidence if intervals else None
    if out is not None:
        simulation.check_folder(out)
    with progress_bar(studies, runs) as progress:
        frame = simulation.run_studies(
            studies, runs=runs, seed=seed, methods=methods, confidence=level, progress=progress
        )
    files = [] if out is None else simulation.write_folder(out, frame, studies, seed=seed, confidence=level)
    if json:
        print_json(simulation.as_json(frame, studies, methods, files))
    else:
        print_simulation(frame, studies, methods, files, level)


def _studies(figure: str | None, design: dict[str, object]) -> "list[Study]":
    from flows.simulation import own_study, paper_studies
    from stats.simulate import SimulationSetting

    if figure is not None:
        if design:
            raise InputError(
                f"--figure and --{next(iter(design)).replace('_', '-')} exclude each other.",
                "Give only one.",
            )
        return paper_studies(_figures(figure))
    missing = [name for name in ("items", "raters", "systems", "n_labels") if name not in design]
    if missing:
        raise InputError(
            f"There is nothing to simulate: {', '.join('--' + name.replace('_', '-') for name in missing)} not given."
            if design
            else "There is nothing to simulate: neither --figure nor a design of your own is given.",
            f"Give --figure all, or {OWN_DESIGN}.",
        )
    values = {**design, "ordered": design.get("ordered", False)}
    values |= {name: _accuracies(f"--{name}", str(design[name])) for name in ("raters", "systems")}
    return [own_study(SimulationSetting(n_items=values.pop("items"), **values))]  # type: ignore[arg-type]


def _figures(text: str) -> list[int] | None:
    """Return '2,5,9' as [2, 5, 9], and 'all' as None. Raises InputError for anything else.

    >>> _figures("2, 5"), _figures("all")
    ([2, 5], None)
    """
    if text.strip().lower() == "all":
        return None
    numbers = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) < 9 for part in numbers):
        raise InputError(
            f"--figure {text!r} is not a list of figures.", "Give one, such as 3, several, such as 2,5,9, or all."
        )
    return [int(part) for part in numbers]


def _accuracies(option: str, text: str) -> tuple[float, ...]:
    """Return '.6,.7' as (0.6, 0.7). Raises InputError for anything else.

    >>> _accuracies("--raters", ".6, .7")
    (0.6, 0.7)
    """
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise InputError(
            f"{option} {text!r} is not a list of accuracies.", "Give numbers between 0 and 1, such as .6,.6,.7."
        ) from None
