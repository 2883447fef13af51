"""Warehouses with names that are read otherwise today: the doctor names them, and a whole export mends them."""

import json
import os
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tasks.formats import ReadOptions
from tasks.ingest.file_result import FileResult
from tasks.ingest.ingest_files import ingest
from tasks.sources.folder import FolderSource, find_files
from tests.tasks.inbox import NOW
from warehouse.batches import METADATA, RATINGS, REJECTS, Batch, store_batch
from warehouse.connect import connect
from warehouse.maintenance.doctor import Finding, examine
from warehouse.migrate import migrate

NFC = "Café"
NFD = unicodedata.normalize("NFD", NFC)
DATASET = "presto_annotation"


class Project:
    def __init__(self, folder: Path) -> None:
        self.folder, self.inbox, self.db = folder, folder / "inbox" / "tone", folder / "warehouse.duckdb"
        self.inbox.mkdir(parents=True)
        with connect(self.db) as con:
            migrate(con)

    def store(self, number: int, reader: str, ratings: Sequence[dict[str, Any]]) -> None:
        """A batch as an older kappaflow has read it."""
        full = [
            dict.fromkeys(RATINGS) | {"question": "tone", "rater_kind": "human", "row_number": n} | rating
            for n, rating in enumerate(ratings, start=1)
        ]
        batch = Batch(
            batch_id=f"old {number}", source="inbox", file_name=f"{number}.jsonl", sha256=f"{number}", reader=reader,
            status="stored", n_rows=len(full), n_skipped=0, started_at=NOW,
        )  # fmt: skip
        frames = pl.DataFrame(full, schema=dict(RATINGS)), pl.DataFrame(schema=dict(REJECTS))
        with connect(self.db) as con:
            store_batch(con, batch, *frames, pl.DataFrame(schema=dict(METADATA)), now=NOW)

    def ingest(self, name: str, text: str) -> FileResult:
        (self.inbox / name).write_text(text, encoding="utf-8")
        os.utime(self.inbox / name)
        folder = FolderSource("inbox", self.folder / "inbox", options=ReadOptions(), full_export=True)
        (result,) = ingest(self.db, find_files([folder]).readable)
        return result

    def findings(self) -> list[Finding]:
        result = examine(self.db, self.db, [])
        return [outcome for outcome in result if not outcome.ok and outcome.where == "warehouse"]

    def ratings(self) -> list[tuple[str, str, str]]:
        with connect(self.db, read_only=True) as con:
            return con.execute("select item, rater, label from current_ratings order by all").fetchall()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.mark.field_trial(13)
def test_one_person_with_two_names_is_named_and_mended(project: Project) -> None:
    long = f"{DATASET}-mireia"
    project.store(1, "prodigy", [{"item": i, "rater": long, "label": "good"} for i in "12"])
    project.store(2, "prodigy", [{"item": i, "rater": r, "label": "good"} for i in "123" for r in ("mireia", "jan")])
    (finding,) = project.findings()
    assert (finding.check, finding.n_rows) == ("raters of Prodigy with two names", 1)
    assert finding.rows == ({"question": "tone", "name": long, "also_named": "mireia"},)
    assert "full_export = true" in finding.to_do
    records = [
        {
            "_input_hash": int(i),
            "_task_hash": 1,
            "answer": "accept",
            "accept": ["good"],
            "_session_id": f"{DATASET}-{r}",
        }
        for i in "1234"
        for r in ("mireia", "jan")
    ]
    result = project.ingest("all.jsonl", "".join(json.dumps(record) + "\n" for record in records))
    assert (result.counts.n_deleted, result.counts.n_ratings, result.counts.n_unchanged) == (2, 2, 6)
    assert {rater for _, rater, _ in project.ratings()} == {"jan", "mireia"}
    assert project.findings() == []
    with connect(project.db, read_only=True) as con:
        kept = con.execute("select count(*) from ratings where rater = ?", [long]).fetchall()
    assert kept == [(2,)]


@pytest.mark.field_trial(13)
def test_two_raters_in_one_file_are_two_people(project: Project) -> None:
    project.store(1, "prodigy", [{"item": "1", "rater": rater, "label": "good"} for rater in ("rose-ann", "ann")])
    project.store(2, "long", [{"item": "1", "rater": "set-ann", "label": "good"}])
    assert project.findings() == []


@pytest.mark.field_trial(26)
def test_names_that_look_the_same_are_named_and_mended(project: Project) -> None:
    project.store(1, "long", [{"item": NFD, "rater": "ann", "label": NFD}, {"item": "é", "rater": "ann", "label": "x"}])
    project.store(2, "long", [{"item": NFC, "rater": "ben", "label": NFC}])
    (finding,) = project.findings()
    assert finding.check == "names not in NFC"
    assert finding.rows == (
        {"kind": "item", "name": NFD, "is_there_twice": True},
        {"kind": "label", "name": NFD, "is_there_twice": True},
    )
    result = project.ingest("all.csv", f"item,rater,label\n{NFD},ann,{NFD}\n{NFC},ben,{NFC}\né,ann,x\n")
    assert result.counts.n_deleted == 1
    assert sorted(project.ratings()) == sorted([(NFC, "ann", NFC), (NFC, "ben", NFC), ("é", "ann", "x")])
    assert project.findings() == []
