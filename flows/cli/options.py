"""Options that several commands share, and the functions that parse them."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from flows.cli.command_hints import remember_project
from stats.defaults import SCALES
from tasks.errors import InputError
from tasks.formats.columns.column_roles import MAPPABLE
from tasks.formats.parsing.cells import nfc
from tasks.sources.object_store.address import SCHEMES


def check_local(file: Path | None) -> Path | None:
    """Check that a file is on this machine. An address of an object store lost a slash when it became a Path."""
    scheme, _, rest = str(file).partition(":/")
    if scheme in SCHEMES and rest:
        raise InputError(
            f"{scheme}://{rest} is in an object store, and this command reads files on this machine.",
            "Copy the file here. `kappaflow inspect` and `kappaflow ingest` take such an address.",
        )
    return file


def check_all_local(files: list[str]) -> list[str]:
    """Check that no file is in an object store."""
    for file in files:
        check_local(Path(file))
    return files


def name_in_nfc(name: str | None) -> str | None:
    """Return a name in NFC, the Unicode form that readers use for names in files, so that equal-looking names match."""
    return None if name is None else nfc(name)


def names_in_nfc(names: list[str] | None) -> list[str] | None:
    """Return the names of a repeated option in NFC, as `name_in_nfc` does."""
    return None if names is None else [nfc(name) for name in names]


def question_option(text: str) -> Any:
    """Return --question, which names one question. `text` is its help."""
    return typer.Option("--question", metavar="NAME", callback=name_in_nfc, help=text)


File = Annotated[
    Path,
    typer.Argument(
        help="An export: CSV, TSV, JSONL, Parquet or Label Studio JSON.", metavar="FILE", callback=check_local
    ),
]
Files = Annotated[
    list[str],
    typer.Argument(
        help="An export: CSV, TSV, JSONL, Parquet or Label Studio JSON. Several files, or a pattern, are one table: "
        "equal ids are the same item or rater. - is stdin.",
        metavar="FILE",
        callback=check_all_local,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON value and nothing else.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing if all goes well. Failures still go to stderr.")
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Print each step on stderr as it begins.")]
Folder = Annotated[
    Path | None,
    typer.Option(
        "--project",
        metavar="DIR",
        callback=remember_project,
        help="The project folder. Default: $KAPPAFLOW_HOME, else here or the nearest parent with a kappaflow.toml.",
    ),
]
OutFile = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Write to this file, and replace it if it exists. Default: stdout."),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format", metavar="NAME", help="How to read the file, if detection is wrong; see `kappaflow formats`."
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        metavar="ROLE=COLUMN,...",
        help="Which column has which role: item=...,rater=...,label=...,question=...,time=...",
    ),
]
PreferenceColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        metavar="ROLE=COLUMN,...",
        help="Which column has which role: model_a, model_b, winner, item, judge, position, rater_kind. "
        "model_a_wins, model_b_wins and tie name values of the winner.",
    ),
]
PreferenceFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="label_studio_pairwise, alpaca_eval, mt_bench_pair, arena_hard or pairwise_table.",
    ),
]
PreferenceNoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header",
        help="The first row of a table is data. Its columns are 1, 2, ...: --columns model_a=1,model_b=2,winner=3.",
    ),
]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header",
        help="The first row of a table is data. Its columns are 1, 2, ...: --columns rater=1,item=2,label=3.",
    ),
]
Regions = Annotated[
    str,
    typer.Option(
        "--regions",
        metavar="WHAT",
        help="How to compare spans and boxes: places, or labels (a rater's set of labels of an item is a rating).",
    ),
]
Question = Annotated[str | None, question_option("The question to evaluate, if the file holds several.")]
AllQuestions = Annotated[bool, typer.Option("--all-questions", help="Evaluate every question of the file.")]
Labels = Annotated[
    str | None,
    typer.Option(
        "--labels",
        metavar="A,B,C",
        callback=name_in_nfc,
        help="All labels of the question; on an ordered scale from lowest to highest.",
    ),
]
Scale = Annotated[str, typer.Option("--scale", metavar="NAME", help="nominal, ordinal, interval or ratio.")]
Duplicates = Annotated[
    str,
    typer.Option(
        "--duplicates",
        metavar="RULE",
        help="Which of several ratings by one rater on one item counts: latest, first, error (the second is rejected) "
        "or repeats (each counts).",
    ),
]
Confidence = Annotated[float, typer.Option("--confidence", min=0.5, max=0.9999, help="Confidence of the intervals.")]
Systems = Annotated[
    list[str] | None,
    typer.Option(
        "--system",
        metavar="NAME",
        callback=names_in_nfc,
        help="A system among the raters; repeat for several. It does not count as a human rater.",
    ),
]
Seed = Annotated[
    int, typer.Option("--seed", min=0, help="Seed of the random numbers. The same seed repeats the result.")
]

EXAMPLES = {True: "rater=user,label=answer", False: "model_a=left,model_b=right,winner=better"}
COMMA = re.compile(r",(?=[^,=]*=)")  # before a further ROLE=COLUMN; other commas belong to the name of a column


def options_given(context: typer.Context, names: Sequence[str]) -> list[str]:
    """Return those of the options that stand on the command line, also with the value of their default."""
    return [
        f"--{name.replace('_', '-')}"
        for name in names
        if (source := context.get_parameter_source(name)) is not None and source.name == "COMMANDLINE"
    ]


def parse_columns(texts: list[str] | None, roles: Sequence[str] = MAPPABLE) -> dict[str, str]:
    """Return 'item=doc,label=answer' as {'item': 'doc', 'label': 'answer'}. Raises InputError for anything else.

    >>> parse_columns(["item=doc,label=answer"]), parse_columns(["item=doc,label=tone (1,2)"])
    ({'item': 'doc', 'label': 'answer'}, {'item': 'doc', 'label': 'tone (1,2)'})
    """
    # A time format or separator may contain a comma, so an option that begins with it is not split.
    whole = ("time_format=", "label_separator=")
    pairs = [pair for text in texts or [] for pair in ([text] if text.startswith(whole) else COMMA.split(text))]
    columns: dict[str, str] = {}
    for pair in pairs:
        role, equals, column = (part.strip() for part in pair.partition("="))
        if not equals or role not in roles or not column.strip(",") or column[-1] == ",":
            raise InputError(
                f"--columns: {pair!r} is not ROLE=COLUMN.",
                f"Roles are {', '.join(roles)}; for example --columns item=doc_id,{EXAMPLES['label' in roles]}.",
            )
        if role in columns:
            raise InputError(f"--columns gives the role {role!r} to two columns.", "Give it to one.")
        if column in columns.values():
            raise InputError(f"--columns gives {column!r} two roles.", "Give each role its own column.")
        columns[role] = column
    return columns


def parse_labels(text: str | None) -> tuple[str, ...] | None:
    """Return 'low, mid,high' as ('low', 'mid', 'high'). A label with a comma needs double quotes.

    Raises InputError for an empty or repeated label.

    >>> parse_labels('low, "other, misc"')
    ('low', 'other, misc')
    """
    if text is None:
        return None
    import csv

    labels = tuple(label.strip() for label in next(csv.reader([text], skipinitialspace=True), []))
    if not labels or "" in labels or len(set(labels)) < len(labels):
        raise InputError(
            f"--labels {text!r} has an empty or a repeated label.", "Name each label once: --labels A,B,C."
        )
    return labels


def check_scale(scale: str) -> str:
    """Return the scale. Raises InputError if there is no such scale."""
    if scale not in SCALES:
        raise InputError(f"--scale {scale!r} is unknown.", f"Use one of {', '.join(SCALES)}.")
    return scale
