"""People that are named like models: said unless somebody declared them as systems."""

from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from tasks.formats import ReadOptions
from tasks.setting_names import models_among_people
from tasks.single_file.inspect_file import inspect_file
from warehouse.batches import METADATA, RATINGS, REJECTS, Batch, store_batch
from warehouse.connect import connect
from warehouse.migrate import migrate

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ROWS = "item,rater,label\n" + "".join(f"{i},{who},{'ab'[i % 2]}\n" for i in range(4) for who in ("eva", "gpt-4o"))
SENTENCE = "Named like models, but counted as people: 'gpt-4o'."


def warnings(tmp_path: Path, content: str, systems: frozenset[str] = frozenset()) -> str:
    path = tmp_path / "file.csv"
    path.write_text(content, encoding="utf-8")
    return " ".join(inspect_file(path, ReadOptions(systems=systems))["warnings"])  # type: ignore[arg-type]


def test_a_model_that_nobody_declared_is_said(tmp_path: Path) -> None:
    assert SENTENCE in warnings(tmp_path, ROWS)
    assert SENTENCE in warnings(tmp_path, "id,eva,ben,gpt-4o\n1,x,x,y\n2,y,y,x\n3,x,y,x\n")


def test_a_declared_system_is_not(tmp_path: Path) -> None:
    assert "Named like" not in warnings(tmp_path, ROWS, frozenset({"gpt-4o"}))


def test_a_project_names_people_and_no_systems(db: Path) -> None:
    rows = [
        {"question": "q", "item": "i", "rater": rater, "rater_kind": kind, "label": "A", "row_number": n}
        for n, (rater, kind) in enumerate([("eva", "human"), ("gpt-4o", "human"), ("claude-3", "system")])
    ]
    batch = Batch(batch_id="b", source="crowd", file_name="f", sha256="s", reader="long", status="stored",
                  n_rows=len(rows), n_skipped=0, started_at=NOW)  # fmt: skip
    ratings = pl.DataFrame([dict.fromkeys(RATINGS) | row for row in rows], schema=dict(RATINGS))
    with connect(db) as con:
        migrate(con)
        store_batch(
            con, batch, ratings, pl.DataFrame(schema=dict(REJECTS)), pl.DataFrame(schema=dict(METADATA)), now=NOW
        )
    (sentence,) = models_among_people(db)
    assert sentence.startswith(SENTENCE)
    assert sentence.endswith('systems = ["NAME"] under the question in kappaflow.toml.')


def test_a_rater_named_like_nobody_is_said(tmp_path: Path) -> None:
    assert "Counted as one person: 'N/A'." in warnings(tmp_path, ROWS.replace("eva", "N/A"))
