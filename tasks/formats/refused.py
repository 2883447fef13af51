"""Exports that are known and refused, because reading them as plain tables would give wrong votes."""

from collections.abc import Callable
from dataclasses import dataclass

from tasks.formats.peek import Peek
from tasks.formats.roles import USUAL_NAMES, plain


@dataclass(frozen=True)
class Refusal:
    """What the file is and why it is not read; and the way out."""

    sniff: Callable[[Peek], bool]
    message: str
    hint: str


def _has(seen: Peek, *keys: str) -> bool:
    return set(keys) <= {*seen.headers, *seen.shape}


def _usual_rater(seen: Peek) -> bool:
    return any(plain(header) in USUAL_NAMES["rater"] for header in seen.headers)


REFUSED: dict[str, Refusal] = {
    "argilla_nested": Refusal(
        lambda seen: _has(seen, "responses", "suggestions"),
        "This is Argilla's nested JSON: it does not carry the status of the responses, so that drafts and discarded "
        "answers would count as votes.",
        "Export with dataset.records(...).to_list(flatten=True), and write item, rater, label of the submitted "
        "responses as CSV.",
    ),
    "argilla_flattened": Refusal(
        lambda seen: any(key.endswith(".responses.users") for key in (*seen.headers, *seen.shape)),
        "This is Argilla's flattened export (flatten=True), which this version does not read yet.",
        "Write item, rater, label of the submitted responses as CSV.",
    ),
    "doccano": Refusal(
        lambda seen: {"id", "label", "Comments"} <= {*seen.headers} and not _usual_rater(seen),
        "This looks like an export of doccano: its rows name nobody who labelled.",
        "Export with 'share annotations' off, which gives one file per user, and join the files to one table with "
        "columns item,rater,label.",
    ),
    "label_studio_min": Refusal(
        lambda seen: _has(seen, "annotation_id", "annotator", "lead_time"),
        "This is Label Studio's CSV or JSON_MIN: it has lost the skips and the predictions, and has a column per "
        "question.",
        "Export the project as JSON; or read one question of it: --columns label=QUESTION.",
    ),
}
