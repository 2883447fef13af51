"""Datasets in kappaflow.toml: what is allowed, and one sentence for what is not."""

from pathlib import Path

import pytest

from flows.settings.task_inputs import count_rules, dataset_sources, folder_sources, object_stores
from tests.flows.settings.toml import project, refused

DATASET = '[[source]]\ntype = "dataset"\npath = "ratings"\n'


def test_a_dataset_is_no_folder(tmp_path: Path) -> None:
    result = project(
        tmp_path,
        f'{DATASET}engine = "duckdb"\nkeep = "patterns"\nquestion = "tone"\nsystems = ["gpt"]\n'
        'columns = { item = "task", time = "at" }\n'
        '[[source]]\ntype = "dataset"\npath = "/data/day=*/*.parquet"\nprefix = "night"\n'
        '[questions.tone]\nlabels = ["no", "yes"]\ngold = ["expert"]\nslices = ["language"]\n'
        '[evaluate]\nslices = ["channel"]\n',
    )
    first, second = dataset_sources(result)
    assert (first.name, first.base, first.glob, first.question) == (
        "ratings", tmp_path / "ratings", "**/*.parquet", "tone",
    )  # fmt: skip
    assert (second.name, second.base, second.glob, second.question) == (
        "night",
        Path("/data"),
        "day=*/*.parquet",
        "data",
    )
    assert first.options.columns == {"item": "task", "time": "at"}
    assert folder_sources(result) == []
    assert object_stores(result) == []
    rules = count_rules(result)
    assert rules.ingest.labels == {"tone": ("no", "yes")}
    assert rules.slices == ("channel", "language")
    assert rules.kinds.rows() == [("tone", "expert", "gold")]


def test_a_dataset_in_a_store_and_one_in_a_table_of_spark(tmp_path: Path) -> None:
    result = project(
        tmp_path,
        '[[source]]\ntype = "dataset"\npath = "s3://bucket/labels/day=*/*.parquet"\nendpoint = "http://localhost:9000"\n'
        '[[source]]\ntype = "dataset"\npath = "table:labels.ratings"\nengine = "spark"\n'
        '[spark]\nmaster = "spark://host:7077"\n',
    )
    store, table = dataset_sources(result)
    assert store.store is not None
    assert (str(store.store.address), store.store.pattern, store.store.endpoint) == (
        "s3://bucket/labels", "day=*/*.parquet", "http://localhost:9000",
    )  # fmt: skip
    assert (store.place, store.question, store.engine) == (
        "s3://bucket/labels/day=*/*.parquet", "labels", "duckdb",
    )  # fmt: skip
    assert (table.table, table.place, table.question) == ("labels.ratings", "table:labels.ratings", "ratings")
    assert (table.engine, table.master) == ("spark", "spark://host:7077")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (f'{DATASET}engine = "snowflake"', "'duckdb'"),
        ('[[source]]\ntype = "dataset"\npath = "table:labels.ratings"', 'is counted with engine = "spark"'),
        ('[[source]]\ntype = "dataset"\npath = "table:"\nengine = "spark"', "has a name: table:DATABASE.NAME"),
        (f'{DATASET}region = "eu"', "a folder has no region"),
        (f'{DATASET}[spark]\nmaster = "spark://me:secret@host:7077"', "is the address of a Spark cluster"),
        (f'{DATASET}keep = "ratings"', "'patterns'"),
        ('[[source]]\ntype = "dataset"', "needs path"),
        ('[[source]]\ntype = "dataset"\npath = "s3://key:secret@bucket/ratings"', "has a name only"),
        (f"{DATASET}full_export = true", "a source of type 'dataset' has no full_export"),
        (f'{DATASET}columns = {{ raters = "a|b" }}', "a dataset has no raters"),
        ('[[source]]\npath = "in"\nengine = "duckdb"', "a source of type 'folder' has no engine"),
        ('[[source]]\ntype = "dataset"\npath = "in/*.parquet"\npattern = "*"', "not in both"),
    ],
)
def test_what_a_dataset_cannot_be_is_said_in_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    assert sentence in " ".join(refused(tmp_path, text))
