"""python -m tests.verdicts --sets 2000: random questions, of which no verdict may contradict the figures beside it."""

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor

from stats.accuracy.fitting import bootstrap
from tests.verdicts.check import contradictions
from tests.verdicts.sets import random_set

# of intervals that no verdict is made from: they only take time here
bootstrap.REPLICATES = 20


def _of_seed(seed: int) -> tuple[int, int, list[str]]:
    given = random_set(seed)
    return seed, given.ratings.filter(rater_kind="gold").height, contradictions(given)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0, help="of the first set; the others follow")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    began, n_bad, n_gold = time.perf_counter(), 0, 0
    with ProcessPoolExecutor(options.workers) as pool:
        for seed, gold, result in pool.map(_of_seed, range(options.seed, options.seed + options.sets), chunksize=10):
            n_bad, n_gold = n_bad + bool(result), n_gold + (gold > 1)
            if (seed - options.seed + 1) % 100 == 0:
                print(f"{seed - options.seed + 1:,} sets done", file=sys.stderr, flush=True)
            for text in result:
                print(f"set {seed}: {text}", flush=True)
    seconds = time.perf_counter() - began
    print(f"{options.sets:,} sets, {n_gold:,} of them with two gold items or more, in {seconds:.0f} s:"
          f" contradictions in {n_bad}.")  # fmt: skip
    sys.exit(1 if n_bad else 0)


if __name__ == "__main__":
    main()
