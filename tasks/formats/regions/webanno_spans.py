"""Read WebAnno TSV 3, the export of INCEpTION: one document of one rater, a row per token.

INCEpTION exports a folder per document with a file per rater: the folder is the item, the file's name the rater. A
feature of a span layer is a question. A row such as `1-3.1` is a part of the token above it. `*` is a span without a
value; `[1]` joins tokens to one span; a bar separates spans that share tokens.
"""

import re
from pathlib import Path

from tasks.formats.parsing.cells import tidy_label
from tasks.formats.parsing.export import ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.text_encoding import utf8_bytes
from tasks.formats.regions.span_export import SpanExport, Spans

MARK = "#FORMAT=WebAnno TSV 3"
TOKEN = re.compile(r"\d+-\d+(?:\.\d+)?\t(\d+)-(\d+)\t")
VALUE = re.compile(r"(?P<label>.*?)(?:\[(?P<id>\d+)\])?$")
UNVALUED = "*"
BEFORE, CURATOR = "INITIAL_CAS", "CURATION_USER"
UNTOUCHED = f"Documents as they were before anybody annotated them ({BEFORE}), counted as skipped: {{n}}."
CURATED = f"Documents of the curator ({CURATOR}), who is gold and in no figure: {{n}}."


def sniff_path(path: Path) -> bool:
    """Check for the first line."""
    with path.open("rb") as file:
        return file.read(200).decode("utf-8", "replace").removeprefix("\ufeff").startswith(MARK)


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check the file itself (`sniff_path`)."""
    return sniff_path(seen.path)


def read(path: Path, options: ReadOptions) -> SpanExport:
    """Read one document of one rater."""
    data = utf8_bytes(path)
    rater, item = path.stem, path.resolve().parent.name
    lines = data.decode("utf-8", "replace").split("\n")
    columns = _columns(lines)
    spans = Spans()
    if rater == BEFORE:
        spans.skip(UNTOUCHED)
        return spans.export("webanno")
    spans.notes[CURATED] += rater == CURATOR
    for question in filter(None, dict.fromkeys(columns)):
        spans.start(1, question, item, rater, "gold" if rater == CURATOR else "human")
    open_spans: dict[tuple[str, str, str], tuple[int, int, int]] = {}
    for row, line in enumerate(lines, start=1):
        token = TOKEN.match(line)
        if not token:
            continue
        start, end = int(token[1]), int(token[2])
        spans.lengths[item] = max(end, spans.lengths.get(item, 0))
        for question, cell in zip(columns, line.rstrip("\r").split("\t")[3:], strict=False):
            for value in re.split(r"(?<!\\)\|", cell) if question and cell not in ("", "_") else []:
                match = VALUE.match(value)
                label = tidy_label(match["label"].replace("\\", "")) if match else None
                label = UNVALUED if label is None else label
                if match and match["id"]:
                    key = (question, match["id"], label)
                    first = open_spans.get(key, (row, start, end))
                    open_spans[key] = (first[0], min(first[1], start), max(first[2], end))
                else:
                    spans.add(row, (question, item, rater), start, end, label)
    for (question, _, label), (row, start, end) in open_spans.items():
        spans.add(row, (question, item, rater), start, end, label)
    note = f"The rater is {rater!r}, the file's name; the item is {item!r}, the folder."
    spans.notes = +spans.notes
    return spans.export("webanno", warnings=[note])


def _columns(lines: list[str]) -> list[str]:
    """Return the question of each column after the token: LAYER.FEATURE, without the layer's package."""
    columns = []
    for line in lines:
        if line.startswith("#T_"):
            kind, _, names = line.rstrip("\r").partition("=")
            layer, *features = names.split("|")
            layer = layer.rpartition(".")[2]
            questions = [f"{layer}.{feature}" for feature in features] or [layer]
            columns += questions if kind == "#T_SP" else [""] * max(len(features), 1)
    return columns
