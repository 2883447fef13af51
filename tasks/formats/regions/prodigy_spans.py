"""Read the spans in Prodigy's JSON lines: `spans` with start, end and label. Accepted examples were done."""

from pathlib import Path

from tasks.formats import prodigy
from tasks.formats.parsing.cells import cell_text, tidy_label
from tasks.formats.parsing.export import ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import known_text, mentions, text
from tasks.formats.parsing.tools.record_votes import each, read_records
from tasks.formats.regions.span_export import SpanExport, Spans

QUESTION = "spans"
NOT_ACCEPTED = "Examples that were rejected or ignored, counted as skipped: {n}."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for Prodigy's marks and spans."""
    return prodigy.sniff(seen, options) and mentions(seen, "spans")


def read(path: Path, options: ReadOptions) -> SpanExport:
    """Read all examples. Errors: ReadError where two people would get one name."""
    records = read_records(path)
    spans, sessions = Spans(), set[str]()
    for row, record in each(records):
        session = prodigy.session_of(record)
        if session:
            sessions.add(session)
        spans.has_labels |= isinstance(record.get("accept"), list)
        if known_text(record.get("answer")) != "accept":
            spans.skip(NOT_ACCEPTED)
            continue
        item, rater = text(record.get("_input_hash")), prodigy.rater_of(session, path.stem)
        if spans.start(row, QUESTION, item, rater, rated_at=cell_text(record.get("_timestamp"))):
            spans.text(item, record.get("text"))
            marked = record.get("spans")
            for entry in marked if isinstance(marked, list) else []:
                place = entry if isinstance(entry, dict) else {}
                label = tidy_label(place.get("label"))
                spans.add(row, (QUESTION, str(item), str(rater)), place.get("start"), place.get("end"), label)
    prodigy.refuse_namesakes(path, sessions)
    return spans.export("prodigy", records.rejects, [*records.warnings, *prodigy.name_notes(sessions, path.stem)])
