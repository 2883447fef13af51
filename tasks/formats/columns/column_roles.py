"""Find the column for each role: by the user's mapping, else by the usual names of headers.

Headers are compared without case, spaces, underscores, hyphens and dots. If two columns could have a role, the one that
comes first in USUAL_NAMES gets it (ids before texts, exact words before vague ones). A warning names the other.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tasks.errors import ColumnsHint, InputError, ReadError

USUAL_NAMES: dict[str, tuple[str, ...]] = {
    "item": (
        "itemid", "item", "taskid", "task", "unitid", "unit", "exampleid", "example", "instanceid", "instance",
        "sampleid", "sample", "objectid", "object", "docid", "doc", "documentid", "document", "recordid", "record",
        "imageid", "image", "textid", "sentenceid", "tweetid", "hitid", "hit", "dataid", "questionid", "uid", "id",
    ),
    "rater": (
        "raterid", "rater", "annotatorid", "annotator", "workerid", "worker", "coderid", "coder", "labelerid",
        "labeler", "labellerid", "labeller", "judgeid", "judge", "assessorid", "assessor", "evaluatorid", "evaluator",
        "reviewerid", "reviewer", "userid", "user", "username", "participantid", "participant", "respondentid",
        "respondent", "contributorid", "contributor", "completedby",
    ),
    "label": (
        "label", "labels", "labelid", "annotation", "judgment", "judgement", "verdict", "vote", "choice", "rating",
        "answer", "category", "class", "classification", "response", "value", "grade", "stars", "result", "score",
    ),
    "question": ("question", "questionname", "attribute", "aspect", "criterion", "dimension", "fromname"),
    "time": (
        "ratedat", "timestamp", "time", "datetime", "updatedat", "submittedat", "submittime", "submissiontime",
        "annotatedat", "labeledat", "labelledat", "completedat", "date", "createdat",
    ),
    "rater_kind": ("raterkind", "ratertype", "annotatorkind", "annotatortype", "workertype", "judgetype"),
    "system_version": ("systemversion", "modelversion"),
    "score": ("score", "confidence", "probability", "prob"),
    "duration": ("durations", "duration", "leadtime", "worktimeinseconds", "seconds", "timespent", "elapsed"),
    "source_ref": ("sourceref", "annotationid", "ratingid", "assignmentid", "judgmentid"),
    "n_items": ("nitems",),
}  # fmt: skip
REQUIRED = ("item", "rater", "label")
ALIASES = {"rated_at": "time", "duration_s": "duration"}
TIME_FORMAT = "time_format"  # beside the roles: how the times are written
LABEL_SEPARATOR = "label_separator"  # the separator of the labels of a set in one cell, or `none`
LABELS, SKIPPED = "labels", "skipped"  # columns that are labels each; a column that marks rows as skipped
SPECIAL = ("raters", LABELS, SKIPPED, TIME_FORMAT, LABEL_SEPARATOR)  # not found by usual names
MAPPABLE = (*USUAL_NAMES, *SPECIAL)
INGESTED = tuple(role for role in MAPPABLE if role != "n_items")  # rows that stand for several items are not ratings
ALL = 10_000  # columns; a sentence is cut at its own length
AS_WIDE = "--format wide --columns "
HINT = ColumnsHint("Name the columns: ", {"item": "...", "rater": "...", "label": "..."})


@dataclass(frozen=True)
class ColumnRoles:
    """The columns by role. `index[role]` is the position of a column; `mapped` are the roles that the user gave."""

    index: Mapping[str, int]
    mapped: frozenset[str]
    warnings: tuple[str, ...] = ()
    label_separator: str | None = None

    @property
    def missing(self) -> tuple[str, ...]:
        """Return the required roles without a column."""
        return tuple(role for role in REQUIRED if role not in self.index)


@dataclass(frozen=True)
class ColumnChoice:
    """The columns of a table by role, and the columns without a role.

    passed_over: all columns without a role. metadata: those of them with one value per item, which a project keeps with
    the items.
    """

    headers: Mapping[str, tuple[str, ...]]
    passed_over: tuple[str, ...] = ()
    metadata: tuple[str, ...] = ()

    def __str__(self) -> str:
        roles = ", ".join(f"{role} {listed(headers, 20)}" for role, headers in self.headers.items())
        unused = [header for header in self.passed_over if header not in self.metadata]
        kept = f"; metadata of the items: {listed(self.metadata, 40)}" if self.metadata else ""
        nothing = "" if kept else "; no other columns"
        others = f"; not used: {listed(unused, 40)}" if unused else nothing
        return f"Columns used: {roles}{kept}{others}."

    def to_json(self) -> dict[str, object]:
        """Return plain values: {"taken": {"item": ["id"], ...}, "passed_over": ["text", ...], "metadata": ["text"]}."""
        return {
            "taken": {role: list(headers) for role, headers in self.headers.items()},
            "passed_over": [*self.passed_over],
            "metadata": [*self.metadata],
        }


def in_order(index: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return roles and places, in the order of USUAL_NAMES."""
    return [(role, index[role]) for role in USUAL_NAMES if role in index]


def assign_roles(
    headers: Sequence[str], columns: Mapping[str, str], file: str, *, roles: Sequence[str] = ()
) -> ColumnRoles:
    """Find the columns of the roles (all of them, or the ones given).

    Errors: InputError for a role that does not exist; ReadError for a mapped header that is not there, or where the
    choice is between two columns of one name.
    """
    wanted = {ALIASES.get(r, r): header for r, header in columns.items() if r not in SPECIAL}
    unknown = [role for role in wanted if role not in USUAL_NAMES]
    if unknown:
        raise InputError(f"Columns have no role {unknown[0]!r}.", f"The roles are {', '.join(MAPPABLE)}.")
    index = {role: find_header(headers, header, file, role) for role, header in wanted.items()}
    for role in roles or USUAL_NAMES:
        if role not in index:
            usual = _usual(headers, role, set(index.values()), file)
            if usual:
                index[role] = usual[0]
    warnings = (_rivals(headers, role, index, file) for role in REQUIRED if role in index and role not in wanted)
    texts = tuple(warning for warning in warnings if warning)
    return ColumnRoles(index, frozenset(wanted), texts, columns.get(LABEL_SEPARATOR))


def find_header(headers: Sequence[str], wanted: str, file: str, role: str) -> int:
    """Return the position of a header as the user wrote it, else of one that differs only in case and spaces."""
    exact = [i for i, header in enumerate(headers) if header == wanted.strip()]
    places = exact or [i for i, header in enumerate(headers) if plain(header) == plain(wanted)]
    if len(places) == 1:
        return places[0]
    problem = f"has {len(places)} columns" if places else "has no column"
    raise ReadError(
        f"{file} {problem} {wanted!r} (for {role}); its columns are {listed(headers, ALL)}.",
        ColumnsHint("Map the role to one of them: ", {role: "NAME"}, "."),
        file=file,
        column=wanted,
    )


def mapped_labels(headers: Sequence[str], columns: Mapping[str, str], file: str) -> list[str]:
    """Return the headers that the user maps to the label, as A|B, in the order of the user. Without them, none."""
    names = [name for name in columns.get("label", "").split("|") if name.strip()]
    return [headers[find_header(headers, name, file, "label")] for name in names]


def plain(header: str) -> str:
    """Reduce a header to what is compared.

    >>> plain(" Annotator-ID "), plain("taskId"), plain("Unnamed: 0")
    ('annotatorid', 'taskid', 'unnamed:0')
    """
    return re.sub(r"[\s_.\-]+", "", header).lower()


def listed(headers: Sequence[str], most: int = 15) -> str:
    """List headers for a sentence."""
    shown = ", ".join(repr(header[:40]) for header in headers[:most])
    return shown + (f" and {len(headers) - most} more" if len(headers) > most else "") or "none"


def _usual(headers: Sequence[str], role: str, used: set[int], file: str) -> list[int]:
    """Return the columns with a usual name of the role, the most exact first. An optional role in doubt has none."""
    names = USUAL_NAMES[role]
    matches = sorted((names.index(plain(h)), i) for i, h in enumerate(headers) if plain(h) in names and i not in used)
    if len(matches) > 1 and matches[0][0] == matches[1][0]:
        if role not in (*REQUIRED, "question", "n_items"):
            return []
        first, second = headers[matches[0][1]], headers[matches[1][1]]
        raise ReadError(
            f"{file} has two columns that could be the {role}: {first!r} and {second!r}.",
            ColumnsHint("Rename one of them, or map another: ", {role: "NAME"}, "."),
            file=file,
            column=first,
        )
    return [i for _, i in matches]


def _rivals(headers: Sequence[str], role: str, index: Mapping[str, int], file: str) -> str | None:
    """Return the sentence on other columns without a role that could have this role."""
    others = [i for i in _usual(headers, role, set(index.values()), file) if plain(headers[i]) != "id"]
    if not others:
        return None
    shown = listed([headers[i] for i in others])
    return f"The {role} is column {headers[index[role]]!r}, not {shown}; --columns {role}=NAME changes this."
