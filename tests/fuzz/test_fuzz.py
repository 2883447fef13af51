"""Some hostile files for each format; `make fuzz` reads more of them and prints figures."""

import os
from pathlib import Path

import pytest

from tests.fuzz.cases import KINDS, READERS, make
from tests.fuzz.check import check

SEED = int(os.environ.get("FUZZ_SEED", "5"))
PER_FORMAT = -(-500 // len(READERS))


@pytest.mark.parametrize("format_", READERS)
def test_hostile_files_are_read_or_refused(format_: str, tmp_path: Path) -> None:
    for number in range(PER_FORMAT):
        check(make(format_, number, SEED), tmp_path)


def test_cases_are_the_same_for_the_same_seed_and_of_all_kinds() -> None:
    cases = [make("long", number, SEED) for number in range(60)]
    assert cases == [make("long", number, SEED) for number in range(60)]
    assert cases != [make("long", number, SEED + 1) for number in range(60)]
    assert all(any(f" {kind}" in case.name for case in cases) for kind in KINDS)
