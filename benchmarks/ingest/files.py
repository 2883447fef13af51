"""Files for the ingest benchmark, in a process of its own: `python -m benchmarks.ingest.files FOLDER NAME`.

NAME is ratings-N.csv, ratings-N.parquet (N ratings, about, of `benchmarks.ratings`) or tasks-N.json: an export of Label
Studio of about N megabytes, two annotations a task, one choice and one rating each; all texts and times differ.
"""

import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl

from benchmarks.ratings import LABELS, MISSING, write_dense

START = datetime(2026, 1, 5, tzinfo=UTC)
TEXT = "The parcel came two days late, and nobody answered the telephone when I called to ask where it was. "


def main(folder: Path, name: str) -> None:
    kind, size = Path(name).stem.split("-")
    if kind == "tasks":
        _label_studio(folder / name, int(size) * 1_000_000)
        return
    table = f"ratings-{size}"
    write_dense(folder, table, round(int(size) / 5 / (1 - MISSING)), MISSING)
    (folder / f"{table}.npy").unlink()
    if name.endswith(".csv"):
        pl.scan_parquet(folder / f"{table}.parquet").sink_csv(folder / name)


def _label_studio(path: Path, n_bytes: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        written = file.write("[")
        number = 0
        while written < n_bytes:
            number += 1
            written += file.write(("," if number > 1 else "") + json.dumps(_task(number)))
        file.write("]")


def _task(number: int) -> dict[str, object]:
    annotations = [_annotation(2 * number + by, by, LABELS[(number + by * (number % 3)) % 5]) for by in (1, 2)]
    text = f"{number}. {TEXT * (1 + number % 3)}"
    about = {"text": text, "channel": ("mail", "chat")[number % 2], "order": f"A-{number:08}"}
    return {"id": number, "annotations": annotations, "predictions": [], "drafts": [], "data": about, "meta": {}}


def _annotation(number: int, by: int, label: str) -> dict[str, object]:
    choice = {"from_name": "topic", "to_name": "text", "type": "choices", "value": {"choices": [label]}}
    stars = {"from_name": "stars", "to_name": "text", "type": "rating", "value": {"rating": number % 5 + 1}}
    created = START + timedelta(seconds=1.25 * number)
    updated = created + timedelta(seconds=5 + number % 7919 / 1000)
    return {
        "id": number,
        "completed_by": by,
        "result": [choice | {"id": f"c{number}"}, stars | {"id": f"s{number}"}],
        "was_cancelled": False,
        "ground_truth": False,
        "created_at": f"{created:%Y-%m-%dT%H:%M:%S.%fZ}",
        "updated_at": f"{updated:%Y-%m-%dT%H:%M:%S.%fZ}",
        "lead_time": (updated - created).total_seconds(),
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
