"""Studies to simulate: the figures of the source paper or a design of the user, and their runs."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from stats.accuracy import ESTIMATORS
from stats.simulate import FIGURES, PRINTED_KAPPA, SimulationSetting, simulate
from tasks.counted_words import counted
from tasks.errors import InputError

MAX_ITEMS, MAX_RATERS, MAX_LABELS, MAX_ASYMMETRY = 1_000_000, 50, 50, 100.0
ALWAYS = "lehner"  # every other method is compared with it


@dataclass(frozen=True)
class Study:
    """One setting with its name. `figure` is its number in the paper, or None for a design of the user."""

    name: str
    setting: SimulationSetting
    figure: int | None = None

    @property
    def printed_kappa(self) -> float | None:
        """Return the mean kappa that the paper prints for the figure."""
        return None if self.figure is None else PRINTED_KAPPA[self.figure]


def paper_studies(figures: Sequence[int] | None = None) -> list[Study]:
    """Return the figures of Lehner (2015), or all 14, in ascending order and each once.

    Raises InputError for an unknown figure or an empty list.

    >>> [study.name for study in paper_studies([9, 2])]
    ['Figure 2', 'Figure 9']
    """
    wanted = sorted(set(FIGURES if figures is None else figures))
    if unknown := [figure for figure in wanted if figure not in FIGURES]:
        raise InputError(
            f"There is no figure {unknown[0]}.", f"The paper has figures {min(FIGURES)} to {max(FIGURES)}."
        )
    if not wanted:
        raise InputError("There are no figures.", "Give one or more, such as 3, or all.")
    return [Study(f"Figure {figure}", FIGURES[figure], figure) for figure in wanted]


def own_study(setting: SimulationSetting) -> Study:
    """Return a study of the user's design. Raises InputError if it is too large; `simulate` checks the rest.

    >>> own_study(SimulationSetting(300, (0.6, 0.7), (0.9,), n_labels=4)).name
    'Your design'
    """
    for unit, value, limit in (
        ("items", setting.n_items, MAX_ITEMS),
        ("raters", len(setting.raters), MAX_RATERS),
        ("labels", setting.n_labels, MAX_LABELS),
    ):
        if value > limit:
            raise InputError(
                f"A simulated study has at most {limit:,} {unit}, found {value:,}.", "Simulate a smaller one."
            )
    if not 1 / MAX_ASYMMETRY <= setting.asymmetry <= MAX_ASYMMETRY:
        raise InputError(
            f"Asymmetry lies between {1 / MAX_ASYMMETRY:g} and {MAX_ASYMMETRY:g}, found {setting.asymmetry:g}.",
            "Give 1 for errors spread evenly, 2 where the next label is twice as likely as the one after it.",
        )
    if len(set(setting.systems)) < len(setting.systems):
        raise InputError(
            "Two systems have the same accuracy.", "Give each accuracy once: systems differ only in accuracy."
        )
    return Study("Your design", setting)


def chosen_methods(names: Sequence[str]) -> tuple[str, ...]:
    """Return the estimators of a list, each once, in the order of ESTIMATORS. `lehner` is always among them.

    The name 'all' stands for all estimators. Raises InputError for an unknown name.

    >>> chosen_methods(["one_coin", "average"])
    ('average', 'lehner', 'one_coin')
    """
    if unknown := [name for name in names if name != "all" and name not in ESTIMATORS]:
        raise InputError(f"There is no method {unknown[0]!r}.", f"Choose from all, {', '.join(ESTIMATORS)}.")
    return tuple(name for name in ESTIMATORS if name == ALWAYS or "all" in names or name in names)


def run_studies(
    studies: Sequence[Study],
    *,
    runs: int,
    seed: int,
    methods: Sequence[str],
    confidence: float | None = None,
    progress: Callable[[Study, int], None] = lambda *_: None,
) -> pl.DataFrame:
    """Return the frames of `stats.simulate.simulate` for all studies, with the column `figure` before the others.

    `figure` is null for a design of the user. Every study begins from the seed, so its runs do not depend on the other
    studies. `progress` is called with a study and the number of (run, system) that were just done.
    """
    frames = []
    for study in studies:
        frame = simulate(
            study.setting,
            runs=runs,
            seed=seed,
            methods=methods,
            confidence=confidence,
            progress=lambda n_runs, study=study: progress(study, n_runs),  # type: ignore[misc]
        )
        frames.append(frame.select(pl.lit(study.figure, pl.Int64).alias("figure"), pl.all()))
    return pl.concat(frames)


def in_words(setting: SimulationSetting) -> str:
    """Return the setting as one sentence without a full stop.

    >>> in_words(FIGURES[10])
    '200 items; raters right in 0.5, 0.6 and 0.7; 5 labels in an order; an error one step further off is 2 times rarer; each error is between 0 and 2 times as likely as on average; easy and difficult items move every accuracy by 0.2'
    """  # noqa: E501
    s, raters = setting, [f"{accuracy:g}" for accuracy in setting.raters]
    same = len(set(raters)) == 1
    texts = [
        counted(s.n_items, "item"),
        f"{len(raters)} raters right in {raters[0]}"
        if same
        else f"raters right in {', '.join(raters[:-1])} and {raters[-1]}",
        f"{s.n_labels} labels{' in an order' if s.ordered else ''}",
    ]
    if s.asymmetry != 1:
        texts.append(f"an error one step further off is {s.asymmetry:g} times rarer")
    if s.error_range:
        low, high = 1 - s.error_range, 1 + s.error_range
        texts.append(f"each error is between {low:g} and {high:g} times as likely as on average")
    if s.difficulty or s.system_difficulty:
        texts.append(f"easy and difficult items move every accuracy by {s.difficulty:g}")
    if s.system_difficulty is not None and not math.isclose(s.system_difficulty, s.difficulty):
        texts[-1] += f" (of systems by {s.system_difficulty:g})"
    return "; ".join(texts if len(texts) > 3 else [*texts, "errors fall evenly"])
