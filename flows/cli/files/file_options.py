"""Options of the commands on one file, and how they say that it is read."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from flows.cli import options as opt
from tasks.errors import InputError
from tasks.formats import ReadOptions
from tasks.formats.columns.column_roles import MAPPABLE
from tasks.formats.parsing.export import REGIONS

BOOTSTRAPS = ("percentile", "bca")
Weights = Annotated[
    str | None,
    typer.Option(
        "--weights",
        metavar="NAME",
        help="identity, linear, quadratic, ordinal, radical, ratio, circular, bipolar; jaccard or masi for sets.",
    ),
]
Taxonomy = Annotated[
    str | None,
    typer.Option(
        "--taxonomy",
        metavar="TEXT",
        help="The separator in labels that are paths, such as /. --by label then shows subtrees, too.",
    ),
]
Coefficients = Annotated[
    str | None,
    typer.Option("--coefficients", metavar="A,B", help="Compute only these, for example fleiss_kappa,gwet_ac1."),
]
Interval = Annotated[
    str,
    typer.Option(
        "--interval", metavar="NAME", help="Method of the intervals: t, normal, jackknife, percentile or bca."
    ),
]
Replicates = Annotated[
    int,
    typer.Option("--replicates", min=100, max=1_000_000, help="Bootstrap samples, for --interval percentile or bca."),
]
Population = Annotated[
    int | None,
    typer.Option("--population", min=1, help="Number of items from which the items of the file were sampled."),
]
By = Annotated[
    list[str] | None,
    typer.Option("--by", metavar="WHAT", help="Show breakdowns too: label, rater, item or pair; repeat for several."),
]
MinItems = Annotated[
    int, typer.Option("--min-items", min=1, help="With --by pair: leave out pairs of raters with fewer common items.")
]
Against = Annotated[
    list[str] | None,
    typer.Option(
        "--against-group",
        metavar="NAME",
        callback=opt.names_in_nfc,
        help="A rater to compare with all others; repeat for several. Systems are always compared.",
    ),
]
Benchmark = Annotated[
    str | None,
    typer.Option(
        "--benchmark",
        metavar="NAME",
        help="Show the level on a scale: landis_koch, altman, fleiss, cicchetti_sparrow or regier.",
    ),
]

Answers = Annotated[
    str | None,
    typer.Option(
        "--answers",
        metavar="KIND",
        help="For answers that are not labels: ranking (A > B = C) or text. Detected in Label Studio's JSON; rankings "
        "also in Argilla's records.",
    ),
]
Consensus = Annotated[
    str,
    typer.Option(
        "--consensus",
        metavar="NAME",
        help="How --by item finds the probable labels: mixture, glad, dawid_skene or lehner.",
    ),
]
AccuracyBy = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="WHAT",
        help="Show breakdowns too: label (precision and recall) or item (what to rate next).",
    ),
]
Gold = Annotated[
    Path | None,
    typer.Option(
        "--gold", metavar="FILE", help="Items with known right answers: a table with an item and a label column."
    ),
]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        metavar="NAME",
        help="An estimator; repeat for several. Default: all but dawid_skene and difficulty.",
    ),
]
Rates = Annotated[
    bool,
    typer.Option(
        "--rates", help="Show which share of the items has each label, corrected with --gold or by the raters."
    ),
]


def refuse_without_effect(context: typer.Context, interval: str, by: Sequence[str], taxonomy: str | None) -> None:
    """Raise InputError for an option of `agree` that would do nothing beside the others."""
    if interval not in BOOTSTRAPS and opt.options_given(context, ["replicates"]):
        raise InputError("--replicates goes with --interval percentile or bca.", "Add one of them, or leave it out.")
    if "pair" not in by and opt.options_given(context, ["min_items"]):
        raise InputError("--min-items goes with --by pair.", "Add it, or leave --min-items out.")
    if taxonomy == "":
        raise InputError("--taxonomy '' names no separator.", "Name what stands between the parts, such as /.")
    if taxonomy is not None and "label" not in by:
        raise InputError("--taxonomy goes with --by label.", "Add it, or leave --taxonomy out.")


def read_options(
    format: str | None,
    columns: list[str] | None,
    system: list[str] | None,
    *,
    no_header: bool = False,
    regions: str = ReadOptions.regions,
    roles: Sequence[str] = MAPPABLE,
) -> ReadOptions:
    """Return how to read the file. Raises InputError for an unknown role of a column, or kind of regions."""
    if regions not in REGIONS:
        raise InputError(f"--regions {regions!r} is unknown.", f"Use {' or '.join(REGIONS)}.")
    return ReadOptions(
        format=format,
        columns=opt.parse_columns(columns, roles),
        header=not no_header,
        systems=frozenset(system or []),
        regions=regions,
    )
