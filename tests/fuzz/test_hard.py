"""Files made to cost far more than they weigh; each is read or refused within the limits of the fuzz."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.formats import ReadOptions
from tests.fuzz.cases import Case, deep, zipped
from tests.fuzz.check import check

HEADER = "item,rater,label\n"
WIDE = ",".join(f"c{n}" for n in range(10**6))
HARD: dict[str, tuple[Callable[[], str | bytes], bool]] = {
    "a cell of 10 MB": (lambda: f'{HEADER}1,"{"x" * (10 << 20)}",a\n2,w,b\n', True),
    "a label of 9 MB": (lambda: f"{HEADER}1,w,{'x' * (9 << 20)}\n2,w,b\n", True),
    "200 levels": (
        lambda: f'{{"item":1,"rater":"w","label":"a"}}\n{{"item":2,"rater":"w","label":{deep(200)}}}\n',
        True,
    ),
    "900 levels": (lambda: f'[{{"item":1,"rater":"w","label":{deep(900)}}}]', False),
    "100,000 levels": (lambda: f'[{{"item":1,"rater":"w","label":{deep(100_000)}}}]', False),
    "a million columns": (lambda: f"{WIDE}\n{WIDE}\n", False),
    "a million commas": (lambda: HEADER + "," * 10**6, True),
    "a million quotes": (lambda: HEADER + '"' * 10**6, True),
    "quotes that do not close": (lambda: HEADER + 'a,"b,c\n' * 30_000, False),
    "a million blank lines": (lambda: f"{HEADER}1,w,a\n" + "\n" * 10**6, True),
    "nothing but NUL": (lambda: f"{HEADER}1,w,a\n".encode() + b"\0" * 10**6, True),
    "20 MB of white space in a list": (lambda: "[" + " " * (20 << 20) + "]", False),
    "a number of a million digits": (lambda: f'[{{"item":{"9" * 10**6},"rater":"w","label":"a"}}]', False),
    "a string that does not end": (lambda: '[{"item":"' + "\\\\" * (5 << 20), False),
    "keys of its own in each record": (
        lambda: "".join(json.dumps({"item": n, f"a{n}": 1, f"b{n}": 1}) + "\n" for n in range(20_000)),
        False,
    ),
    "one key many times": (lambda: '{"item":1,"rater":"w",' + '"label":"a",' * 10**5 + '"label":"b"}\n' * 2, False),
    "a bomb of line ends": (lambda: gzip.compress(HEADER.encode() + b"\n" * (100 << 20), 9), False),
    "a bomb in a zip": (lambda: zipped(("a.csv", HEADER.encode() + b"x" * (80 << 20))), False),
    "a hundred files": (lambda: zipped(*((f"{n}.csv", b"item,rater,label\n") for n in range(100))), True),
}


@pytest.mark.parametrize("name", HARD)
def test_a_file_that_costs_more_than_it_weighs(name: str, tmp_path: Path) -> None:
    make, is_read = HARD[name]
    content = make()
    data = content if isinstance(content, bytes) else content.encode()
    assert check(Case(name, "file.csv", data, ReadOptions()), tmp_path).read == is_read
