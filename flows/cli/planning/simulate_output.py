"""Print simulated studies, and a progress bar while they run."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import polars as pl
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from flows.cli.terminal import cell, heading, line, note, print_table
from flows.simulation import Study, closeness, overall, per_study
from tasks.counted_words import counted

OVERALL = {
    "method": "method", "rmse": "off by (rmse)", "ratio_to_lehner": "of lehner's", "bias": "bias",
    "within_0_1": "within .1", "rmse_in_sample": "off by, run's items", "coverage": "coverage", "mean_width": "width",
}  # fmt: skip
SYSTEMS = {
    "system_accuracy": "system", "expected_accuracy": "expected", "method": "method", "mean_estimate": "mean",
    "bias": "bias", "rmse": "off by (rmse)", "within_0_1": "within .1", "coverage": "coverage", "mean_width": "width",
}  # fmt: skip


@contextmanager
def progress_bar(studies: Sequence[Study], runs: int) -> Iterator[Callable[[Study, int], None]]:
    """Show a progress bar on stderr, if that is a terminal. Yield the function that moves it on."""
    terminal = Console(stderr=True)
    columns = (
        TextColumn("{task.description:10}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=terminal, transient=True, disable=not terminal.is_terminal) as bar:
        total = sum(len(study.setting.systems) * runs for study in studies)
        task = bar.add_task(studies[0].name, total=total)
        yield lambda study, n_runs: bar.update(task, advance=n_runs, description=study.name)


def print_simulation(
    frame: pl.DataFrame,
    studies: Sequence[Study],
    methods: Sequence[str],
    files: Sequence[Path],
    confidence: float | None,
) -> None:
    """Print one study by system and method, or several by study, then all methods, and the paths of the files."""
    runs = frame["run"].n_unique()
    if len(studies) == 1:
        kappa = closeness(frame, studies)["kappa"][0]
        printed = studies[0].printed_kappa
        in_paper = "" if printed is None else f" (printed {printed:.3f})"
        heading(f"{studies[0].name}: {counted(runs, 'run')}, mean kappa {cell(kappa)}{in_paper}")
        print_table(closeness(frame, studies).to_dicts(), headers=SYSTEMS)
    else:
        size = f"{counted(len(studies), 'figure')}, {counted(runs, 'run')} each"
        heading(f"{size}; a method's column says how far off it is (rmse)")
        names = {"study": "setting", "kappa": "kappa", "printed_kappa": "printed"} | {name: name for name in methods}
        print_table(per_study(frame, studies), headers=names)
    total = overall(frame, methods)
    print_table(total.to_dicts(), title="Overall", headers=OVERALL)
    if confidence is not None:
        note(f"Coverage is of the expected accuracy by intervals of a nominal {confidence:.4g}.", style="dim")
    undefined = total.filter(pl.col("n_undefined") > 0)
    for method, n in undefined.select("method", "n_undefined").iter_rows():
        note(f"Left out: {counted(n, 'case')} in which {method} gave no estimate.", style="dim")
    for path in files:
        line(f"wrote {path}")
