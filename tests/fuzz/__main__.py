"""`python -m tests.fuzz --cases N`: N hostile files over all formats; figures for each. `python -m tests.fuzz FORMAT N`
makes one of them again."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.cases import READERS, make
from tests.fuzz.check import Outcome, check

SEED = 5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("format", nargs="?", choices=[*READERS])
    parser.add_argument("number", nargs="?", type=int)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        if options.number is not None:
            print(check(make(options.format, options.number, options.seed), Path(name)))
            return 0
        formats = [options.format] if options.format else [*READERS]
        each = -(-options.cases // len(formats))
        print(f"seed {options.seed}, {each * len(formats):,} cases")
        print(
            f"{'format':34}{'cases':>7}{'read':>7}{'refused':>9}{'ratings':>9}{'rejects':>9}{'ms/case':>9}{'faults':>8}"
        )
        return min(1, sum(_of_format(format_, each, options.seed, Path(name)) for format_ in formats))


def _of_format(format_: str, cases: int, seed: int, folder: Path) -> int:
    started, outcomes, faults = time.perf_counter(), list[Outcome](), list[str]()
    for number in range(cases):
        try:
            outcomes.append(check(make(format_, number, seed), folder))
        except AssertionError as fault:
            faults.append(str(fault))
    n_read = sum(outcome.read for outcome in outcomes)
    ratings, rejects = (sum(getattr(outcome, name) for outcome in outcomes) for name in ("n_ratings", "n_rejects"))
    each = (time.perf_counter() - started) / cases * 1000
    print(
        f"{format_:34}{cases:7,}{n_read:7,}{len(outcomes) - n_read:9,}{ratings:9,}{rejects:9,}{each:9.1f}"
        f"{len(faults):8}"
    )
    for fault in faults[:20]:
        print(f"  {fault[:400]}")
    return len(faults)


if __name__ == "__main__":
    sys.exit(main())
