"""The queries that count annotators know which rater is the further reading of another."""

import re
from pathlib import Path

import duckdb

import warehouse
from tasks.ingest.duplicates import FURTHER_READING


def test_all_queries_tell_further_readings_as_those_who_name_them() -> None:
    """A view calls no macro, so the expression stands in several files: it is the same in all, and that of Python."""
    texts = [file.read_text() for file in Path(*warehouse.__path__).rglob("*.sql")]
    pattern = r"regexp_extract\(\S*rater, '([^']*#[^']*)', 1\)"
    expressions = [expression for text in texts for expression in re.findall(pattern, text)]
    assert (len(expressions), len(set(expressions))) == (4, 1)
    assert sum("#[0-9]" in text for text in texts) == 4
    names = ["ann", "ann #2", "ann #2 #3", "a\nb #12", "ann #", "ann#2", " #2", "ann #x"]
    ((annotators,),) = duckdb.execute(
        "select list_transform($names::varchar[], lambda n: regexp_extract(n, $expression, 1))",
        {"names": names, "expression": expressions[0]},
    ).fetchall()
    assert annotators == [match[1] if (match := FURTHER_READING.fullmatch(name)) else "" for name in names]
