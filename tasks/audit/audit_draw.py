"""Draw a simple random sample of a question's items, and write it to a file for the person who will label it."""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
import polars as pl

from tasks.atomic_files import write_atomically
from tasks.errors import InputError
from tasks.item_texts import item_texts
from tasks.spreadsheet_text import without_formulas
from warehouse.audits import AuditSample, audit_population, audit_sample, audit_sample_items, store_sample
from warehouse.connect import connect
from warehouse.questions import item_metadata

FORMATS = ("csv", "label-studio")
CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"  # characters that control a terminal; a text has no use for them


@dataclass(frozen=True)
class DrawnAudit:
    """A sample and the file that it was written to. `repeated`: the same sample was drawn before."""

    question: str
    sample: AuditSample
    seed: int
    path: Path
    repeated: bool

    def to_json(self) -> dict[str, object]:
        """Return the JSON value of `kappaflow audit --out --json`."""
        return {
            "question": self.question,
            "audit_id": self.sample.audit_id,
            "seed": self.seed,
            "n": self.sample.n_items,
            "n_items": self.sample.n_population,
            "inclusion_probability": self.sample.n_items / self.sample.n_population,
            "file": str(self.path),
            "repeated": self.repeated,
        }


def draw_audit(db: Path, question: str, *, n: int, seed: int, out: Path, file_format: str, now: datetime) -> DrawnAudit:
    """Draw n items, store the sample with its seed and probabilities, and write the file.

    Items with gold and items of earlier samples are not drawn. All samples together are then a simple random sample of
    the items. The same question, n and seed give the same sample again: it is drawn only once.

    Raises InputError for an unknown format, a question without items to draw, and n above their number.
    """
    if file_format not in FORMATS:
        raise InputError(f"--format {file_format!r} is unknown.", f"Use one of {', '.join(FORMATS)}.")
    if not out.parent.is_dir():
        raise InputError(f"There is no folder {out.parent}.", "Make it, or name another file with --out.")
    audit_id = hashlib.sha256(json.dumps([question, n, seed]).encode()).hexdigest()[:16]
    with connect(db) as con:
        known = audit_sample(con, audit_id)
        if known is None:
            population = audit_population(con, question)
            _check_number(question, n, population)
            sample = AuditSample(audit_id, n, len(population))
            store_sample(con, sample, _sampled(population, n, seed), question=question, seed=seed, now=now)
        else:
            sample = known
        items, metadata = audit_sample_items(con, audit_id), item_metadata(con, question)
    rows = items.select("item").join(item_texts(metadata), on="item", how="left", maintain_order="left")
    write_atomically(out, _csv(rows) if file_format == "csv" else _label_studio(rows, question))
    return DrawnAudit(question, sample, seed, out, known is not None)


def _check_number(question: str, n: int, population: list[str]) -> None:
    if not population:
        raise InputError(
            f"The question {question!r} has no items that could be drawn.",
            "Items are drawn that have ratings and no gold yet; `kappaflow status` lists the questions.",
        )
    if n > len(population):
        raise InputError(f"{n} items are asked for, and {len(population)} can be drawn.", "Ask for fewer with --n.")


def _sampled(population: list[str], n: int, seed: int) -> pl.DataFrame:
    chosen = np.random.default_rng(seed).choice(len(population), n, replace=False)
    return pl.DataFrame({"item": [population[i] for i in chosen], "inclusion_probability": n / len(population)})


def _csv(rows: pl.DataFrame) -> str:
    """Return item, text and an empty label. A spreadsheet runs none of it."""
    item, text = (without_formulas(rows[name].fill_null("")) for name in ("item", "item_text"))
    return (
        pl.DataFrame([item, text.alias("text").str.replace_all(CONTROL, "\ufffd")])
        .with_columns(label=pl.lit(""))
        .write_csv()
    )


def _label_studio(rows: pl.DataFrame, question: str) -> str:
    """Return tasks for Label Studio's import. Its export keeps data.item, by which the answers come back."""
    tasks = [{"data": {"item": item, "text": text or "", "question": question}} for item, text in rows.iter_rows()]
    return json.dumps(tasks, ensure_ascii=False, indent=2) + "\n"
