"""Say where each LLM-evaluation tool keeps the item, the question, the rater and the label."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tasks.formats.parsing.cells import cell_text
from tasks.formats.parsing.json_fields import known_text, mapping, text

Flat = Mapping[str, Any]
"""A record whose keys are plain: lower case, without spaces, underscores and dots."""


@dataclass(frozen=True)
class Preset:
    """Where a tool keeps its data.

    `marks` are keys (plain) that identify its records; `rater` returns kind and name.
    """

    marks: frozenset[str]
    item: Callable[[Flat], str | None]
    question: tuple[str, ...]
    rater: Callable[[Flat], tuple[str, str | None]]
    label: Callable[[Flat], str | None]
    times: tuple[str, ...]
    score: Callable[[Flat], object]


def _langfuse_rater(flat: Flat) -> tuple[str, str | None]:
    source = known_text(flat.get("source"))
    if source == "annotation":
        return "human", text(flat.get("authoruserid"))
    return ("judge" if source == "eval" else "code"), None


def _langfuse_label(flat: Flat) -> str | None:
    """Return the text of a category, else the number.

    The number of a category is 0 if no configuration sets it. Versions of the API write one answer as `True`, 1 or
    true.
    """
    label = text(flat.get("stringvalue")) or text(flat.get("value"))
    if label and known_text(flat.get("datatype")) == "boolean":
        return {"1": "true", "0": "false"}.get(label, label.lower())
    return label


def _langsmith_rater(flat: Flat) -> tuple[str, str | None]:
    source = mapping(flat.get("feedbacksource"))
    kind = known_text(source.get("type"))
    about = mapping(source.get("metadata"))
    if kind == "model":
        return "judge", text(about.get("model")) or text(about.get("name"))
    return ("human", text(source.get("user_id"))) if kind == "app" else ("code", text(about.get("name")))


def _langsmith_label(flat: Flat) -> str | None:
    value = flat.get("value")
    return cell_text(value if text(value) is not None else flat.get("score"))


def _phoenix_rater(flat: Flat) -> tuple[str, str | None]:
    kind, name = known_text(flat.get("annotatorkind")), text(flat.get("identifier"))
    if kind == "human":
        return "human", text(flat.get("userid")) or text(flat.get("username")) or name
    return ("judge" if kind == "llm" else "code"), name


def _phoenix_label(flat: Flat) -> str | None:
    result = mapping(flat.get("result"))
    for value in (result.get("label"), flat.get("label"), flat.get("resultlabel"), _phoenix_score(flat)):
        if text(value) is not None:
            return cell_text(value)
    return None


def _phoenix_score(flat: Flat) -> object:
    result = mapping(flat.get("result"))
    return next((v for v in (result.get("score"), flat.get("score"), flat.get("resultscore")) if v is not None), None)


def _joined(*names: str) -> Callable[[Flat], str | None]:
    def item(flat: Flat) -> str | None:
        texts = [part for part in (text(flat.get(name)) for name in names) if part]
        return "/".join(texts) or None

    return item


PRESETS: dict[str, Preset] = {
    "Langfuse": Preset(
        marks=frozenset({"traceid", "name", "source", "value"}),
        item=lambda flat: _joined("traceid", "observationid")(flat) or text(flat.get("sessionid")),
        question=("name",),
        rater=_langfuse_rater,
        label=_langfuse_label,
        times=("updatedat", "timestamp", "createdat"),
        score=lambda flat: None,
    ),
    "LangSmith": Preset(
        marks=frozenset({"runid", "key", "feedbacksource"}),
        item=_joined("runid"),
        question=("key",),
        rater=_langsmith_rater,
        label=_langsmith_label,
        times=("modifiedat", "createdat"),
        score=lambda flat: None,
    ),
    "Phoenix": Preset(
        marks=frozenset({"spanid", "annotatorkind"}),
        item=_joined("spanid"),
        question=("annotationname", "name"),
        rater=_phoenix_rater,
        label=_phoenix_label,
        times=("updatedat", "createdat"),
        score=_phoenix_score,
    ),
}
