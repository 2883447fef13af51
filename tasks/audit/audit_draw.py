"""Draw a simple random sample of a question's items, and write it to a file for the person who will label it."""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
import polars as pl

from tasks.atomic_files import check_out, write_atomically
from tasks.counted_words import counted
from tasks.errors import InputError
from tasks.evaluate.dataset_questions import refuse_dataset
from tasks.export.table_files import without_formulas
from tasks.item_texts import item_texts
from tasks.summary.other_answers import refuse_other_answers
from tasks.worklist.answers_file import check_not_filled_in
from warehouse.audits import (
    AuditSample,
    audit_designs,
    audit_population,
    audit_sample,
    audit_sample_items,
    store_sample,
    strata_of_items,
)
from warehouse.connect import connect
from warehouse.questions import item_metadata

LEAST_OF_STRATUM = 2
FORMATS = ("csv", "label-studio")
MAX_SEED = 2**63 - 1  # more cannot be stored
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
            "inclusion_probability": None
            if self.sample.stratify_by
            else self.sample.n_items / self.sample.n_population,
            "stratify_by": self.sample.stratify_by,
            "file": str(self.path),
            "repeated": self.repeated,
        }


def draw_audit(
    db: Path, question: str, *, n: int, seed: int, out: Path, file_format: str, now: datetime,
    stratify_by: str | None = None,
) -> DrawnAudit:  # fmt: skip
    """Draw n items, store the sample with its seed and probabilities, and write the file.

    With `stratify_by`, a key of the items' metadata, as many items are drawn of each of its values as there are, and an
    item counts later by its probability. All samples of a question are drawn in the same way, so that the probability
    of each item to be in any of them is known.

    Items with gold and items of earlier samples are not drawn. All samples together are then a simple random sample of
    the items. The same question, n and seed give the same sample again: it is drawn only once.

    Raises InputError for an unknown format, a question without items to draw, n above their number, and a file that
    somebody filled in.
    """
    if file_format not in FORMATS:
        raise InputError(f"--format {file_format!r} is unknown.", f"Use one of {', '.join(FORMATS)}.")
    if seed > MAX_SEED:
        raise InputError(f"--seed is {MAX_SEED} or less, found {seed}.", "Give a smaller one.")
    check_out(out)
    check_not_filled_in(out)
    key = [question, n, seed] if stratify_by is None else [question, n, seed, stratify_by]
    audit_id = hashlib.sha256(json.dumps(key).encode()).hexdigest()[:16]
    with connect(db) as con:
        drawn_before = audit_sample(con, audit_id)
        if drawn_before is None:
            refuse_dataset(con, question, "the warehouse does not have its items, and cannot draw from them")
            population = audit_population(con, question)
            if not population:
                refuse_other_answers(con, question, "an audit")
            _check_number(question, n, population)
            _check_design(question, audit_designs(con, question), stratify_by)
            sample = AuditSample(audit_id, n, len(population), stratify_by)
            strata = None if stratify_by is None else strata_of_items(con, question, stratify_by)
            drawn = _sampled(population, n, seed) if strata is None else _stratified(population, strata, n, seed)
            store_sample(con, sample, drawn, question=question, seed=seed, now=now)
        else:
            sample = drawn_before
        items, metadata = audit_sample_items(con, audit_id), item_metadata(con, question)
    rows = items.select("item").join(item_texts(metadata), on="item", how="left", maintain_order="left")
    write_atomically(out, _csv(rows) if file_format == "csv" else _label_studio(rows, question))
    return DrawnAudit(question, sample, seed, out, drawn_before is not None)


def _check_number(question: str, n: int, population: list[str]) -> None:
    if not population:
        raise InputError(
            f"The question {question!r} has no items that could be drawn.",
            "Only items with ratings and without gold can be drawn. Check the question with `kappaflow status`.",
        )
    if n > len(population):
        raise InputError(f"{n} items are asked for, and {len(population)} can be drawn.", "Ask for fewer with --n.")


def _sampled(population: list[str], n: int, seed: int) -> pl.DataFrame:
    chosen = np.random.default_rng(seed).choice(len(population), n, replace=False)
    return pl.DataFrame(
        {"item": [population[i] for i in chosen], "inclusion_probability": n / len(population),
         "stratum": None, "n_population": len(population)},
        schema_overrides={"stratum": pl.String, "n_population": pl.Int64},
    )  # fmt: skip


def _check_design(question: str, designs: set[str | None], stratify_by: str | None) -> None:
    other = next((design for design in sorted(designs, key=str) if design != stratify_by), stratify_by)
    if other == stratify_by:
        return
    raise InputError(
        f"Earlier items of {question!r} were drawn {'at random' if other is None else f'by {other!r}'}.",
        f"Draw these in the same way: {'without --stratify' if other is None else f'--stratify {other}'}.",
    )


def _stratified(population: list[str], strata: pl.DataFrame, n: int, seed: int) -> pl.DataFrame:
    """Draw as many items of each stratum as there are; what a small stratum lacks goes to the others.

    Raises InputError where no item has a value, and for fewer than two items of a stratum.
    """
    if strata.is_empty():
        raise InputError("No item has this property.", "Name a key of the items' metadata with --stratify.")
    items = pl.DataFrame({"item": population}).join(strata, on="item", how="left", maintain_order="left")
    items = items.with_columns(pl.col("stratum").fill_null(""))
    sizes = dict(sorted(items.group_by("stratum").len().iter_rows()))
    if n < LEAST_OF_STRATUM * len(sizes):
        raise InputError(
            f"{counted(n, 'item is', 'items are')} too few for {len(sizes)} strata: each needs {LEAST_OF_STRATUM}"
            " or more.",
            "Ask for more with --n, or draw at random.",
        )
    rng, samples = np.random.default_rng(seed), []
    for stratum, size in _shared_out(n, sizes).items():
        of_stratum = items.filter(stratum=stratum)["item"]
        chosen = rng.choice(len(of_stratum), size, replace=False)
        samples.append(
            pl.DataFrame({"item": of_stratum.gather(chosen)}).with_columns(
                inclusion_probability=pl.lit(size / len(of_stratum)),
                stratum=pl.lit(stratum),
                n_population=pl.lit(len(of_stratum), pl.Int64),
            )
        )
    drawn = pl.concat(samples)
    return drawn[rng.permutation(drawn.height)]


def _shared_out(n: int, sizes: dict[str, int]) -> dict[str, int]:
    """Return how many items to draw of each stratum: equally many, at most as many as it has.

    >>> _shared_out(10, {"de": 2, "en": 100, "fr": 100})
    {'de': 2, 'en': 4, 'fr': 4}
    """
    left, n_of = n, {}
    by_size = sorted(sizes, key=lambda stratum: (sizes[stratum], stratum))
    for place, stratum in enumerate(by_size):
        n_of[stratum] = min(sizes[stratum], left // (len(by_size) - place))
        left -= n_of[stratum]
    return {stratum: n_of[stratum] for stratum in sizes}


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
