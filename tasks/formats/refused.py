"""List the exports that are refused, because as plain tables they would give wrong votes."""

from collections.abc import Callable
from dataclasses import dataclass

from tasks.formats.parsing.file_look import FileLook
from tasks.formats.preferences import alpaca_eval, judge_games, pairwise_table
from tasks.formats.regions import brat_spans, coco_boxes, webanno_spans


@dataclass(frozen=True)
class RefusedFormat:
    """A format that is refused: how to detect it, why it is not read, and what to do instead."""

    sniff: Callable[[FileLook], bool]
    message: str
    hint: str


def _has(seen: FileLook, *keys: str) -> bool:
    return set(keys) <= {*seen.headers, *seen.shape}


def _is_argilla_1(seen: FileLook) -> bool:
    """Check for the records of Argilla 1: responses in one list, each with its status and the values of all questions.

    Argilla 2 has an object by question there.
    """
    if not _has(seen, "fields", "responses"):
        return False
    cells = [row[seen.headers.index("responses")] or "" for row in seen.sample]
    return seen.shape.get("responses") == "array" or any("status" in cell and "values" in cell for cell in cells)


def _is_manifest(seen: FileLook) -> bool:
    """Check for SageMaker's consolidated labels: NAME and NAME-metadata beside the source."""
    names = {*seen.headers, *seen.shape}
    return bool({"source-ref", "source"} & names) and any(f"{name}-metadata" in names for name in names)


def _is_preferences(seen: FileLook) -> bool:
    """Check for two models and which of them won."""
    games = judge_games.sniff_mt_bench(seen) or judge_games.sniff_arena_hard(seen)
    return games or pairwise_table.sniff(seen) or alpaca_eval.sniff(seen)


REFUSED: dict[str, RefusedFormat] = {
    "argilla_1": RefusedFormat(
        _is_argilla_1,
        "These are records of Argilla 1, each with a list of all responses. kappaflow does not read them.",
        "Write a table with a row per submitted response (`status`) and question: item from `external_id`, rater from "
        "`user_id`, question and label from `values`.",
    ),
    "argilla_nested": RefusedFormat(
        lambda seen: _has(seen, "responses", "suggestions"),
        "This is Argilla's nested JSON: it does not carry the status of the responses, so that drafts and discarded "
        "answers would count as votes.",
        "Export with flatten=True, which keeps the status: dataset.records(...).to_list(flatten=True).",
    ),
    "label_studio_webhook": RefusedFormat(
        lambda seen: _has(seen, "action", "project") and (_has(seen, "annotation") or _has(seen, "task")),
        "This is a message of Label Studio's webhook: it says that something changed, and does not hold the project.",
        "Export the project as JSON, or make a snapshot.",
    ),
    "label_studio_api": RefusedFormat(
        lambda seen: _has(seen, "result", "task", "project"),
        "These are annotations or predictions of Label Studio's API without their tasks.",
        "Export the project as JSON, make a snapshot, or save the answer of /api/tasks?fields=all.",
    ),
    "sagemaker_output": RefusedFormat(
        _is_manifest,
        "This is an output manifest of SageMaker Ground Truth: it holds one consolidated label per item and does "
        "not name the workers.",
        "Take the folder annotations/worker-response of the job's output: its files hold each worker's answer.",
    ),
    "preferences": RefusedFormat(
        _is_preferences,
        "This holds preferences: each row says which of two models won. They are not labels of items.",
        "`kappaflow prefer FILE` ranks the models, and projects take such files in. To read the winners as labels, map "
        "item, rater and label.",
    ),
    "coco": RefusedFormat(
        coco_boxes.sniff,
        "This holds boxes on images in COCO's JSON. They are not labels of items.",
        "`kappaflow agree` compares the boxes of several such files, one per rater, and projects take them in. "
        "Accuracy does not.",
    ),
    "spans": RefusedFormat(
        lambda seen: webanno_spans.sniff_path(seen.path) or brat_spans.sniff_path(seen.path),
        "This holds spans of one document that one person marked. They are not labels of items.",
        "`kappaflow agree` compares the spans of several such files. Projects take them in as one .zip of the folders, "
        "which name the raters (brat) or the documents (WebAnno TSV).",
    ),
}
