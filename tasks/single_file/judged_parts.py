"""Ask whether rows of one judge for one item are repeats, if a column says that they are about different answers."""

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from tasks.errors import ColumnsHint, ReadError
from tasks.formats import ReadOptions
from tasks.formats.columns.column_roles import listed
from tasks.formats.columns.header_words import RATERS, tokens
from tasks.formats.parsing.cells import tidy_label
from tasks.formats.parsing.decompress import unpacked
from tasks.formats.parsing.export import Export
from tasks.formats.parsing.file_look import look_at_file
from tasks.formats.parsing.tools.record_votes import read_records

JUDGED = {"model", "system", "generator", "candidate", "turn", "aspect", "criterion", "dimension", "metric"}
OF_JUDGE = RATERS | {"prompt", "reward"}
RUN = re.compile(r"^(.*?)[\W_]*(?:run|seed|repeat|rep|trial|epoch|sample|try|attempt)s?[\W_]*\d+\W*$", re.IGNORECASE)
RUNS = (
    "{names} are perhaps answers of one judge, {judge!r}. Each counts as a judge here. If they are repeats, name the "
    "columns or raters {judge!r}, {second!r} and so on."
)


def check_repeats(path: Path, export: Export, reading: ReadOptions) -> None:
    """Raise ReadError if what was judged differs between the rows of one judge for one item: a model, or a turn."""
    roles = export.columns.headers if export.columns else {}
    if export.columns is None or len(roles.get("item", ())) != 1 or len(roles.get("rater", ())) != 1:
        return
    varying = [name for name in export.columns.passed_over if name not in export.columns.metadata]
    names = [name for name in varying if JUDGED & set(tokens(name)) and not OF_JUDGE & set(tokens(name))]
    if differing := _differing(path, reading, (roles["item"][0], roles["rater"][0]), names):
        item, shown = roles["item"][0], listed(differing, 5)
        raise ReadError(
            f"{path.name} has several answers of one judge to one item, and they differ in {shown}: they may be about "
            "different things.",
            ColumnsHint(
                f"If {shown} {'is' if len(differing) == 1 else 'are'} part of the item: ",
                {"item": "|".join((item, *differing))},
                ". If the answers are repeats: ",
                {"item": item},
                ".",
            ),
            file=str(path),
            column=differing[0],
        )


def runs_note(raters: Iterable[str]) -> list[str]:
    """Return a sentence if raters have the name of one judge, with the number of a run.

    >>> runs_note(["gpt run 1", "gpt run 2"])[0][:59], runs_note(["human_1", "human_2"])
    ("'gpt run 1', 'gpt run 2' are perhaps answers of one judge, ", [])
    """
    runs: dict[str, list[str]] = {}
    for rater in sorted(raters):
        if (match := RUN.match(rater)) and match[1]:
            runs.setdefault(match[1], []).append(rater)
    judges = [(judge, names) for judge, names in runs.items() if len(names) > 1]
    return [RUNS.format(names=listed(names, 5), judge=judge, second=f"{judge} #2") for judge, names in judges[:1]]


def _differing(path: Path, reading: ReadOptions, keys: tuple[str, str], names: list[str]) -> list[str]:
    """Return those of the columns that have several values in the rows of some item and rater."""
    values: dict[tuple[str | None, ...], set[str | None]] = defaultdict(set)
    if names:
        with unpacked(path) as files:
            for file in files:
                for _, record in read_records(file, look_at_file(file, header=reading.header)).rows:
                    key = tuple(tidy_label(record.get(name)) for name in keys)
                    for name in names:
                        values[*key, name].add(tidy_label(record.get(name)))
    return [name for name in names if any(len(cells) > 1 for key, cells in values.items() if key[-1] == name)]
