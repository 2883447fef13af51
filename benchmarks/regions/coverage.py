"""How often the 95 % intervals of spans, boxes, rankings and texts hold the true value, by number of items.

    python -m benchmarks.regions.coverage               # some minutes
    python -m benchmarks.regions.coverage --sets 50

Three raters do each item; they get .7 or .93 of it right, on some items more and on others less. The true value is the
figure of 6,000 items. `defined` is the share of the sets in which the figure has an interval.
"""

import argparse
from random import Random

import polars as pl

from benchmarks.regions.worlds import WORLDS, World, care_of_item

CARES = ((0.7, 0.15), (0.93, 0.08))  # the share that raters get right: its mean over items, and its spread
N_ITEMS = (8, 25, 60)
N_TRUTH = 6000


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=400, help="of each kind, care and number of items")
    options = parser.parse_args()
    with pl.Config(tbl_rows=-1, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True, float_precision=3):
        print(measure(options.sets))


def measure(sets: int, n_truth: int = N_TRUTH, sizes: tuple[int, ...] = N_ITEMS) -> pl.DataFrame:
    """Return one row per kind of work, care, coefficient and number of items: truth, held and defined, in [0, 1]."""
    rows = []
    for world in WORLDS:
        for care, spread in CARES:
            truth = {name: figure[0] for name, figure in _figures(world, Random(99), n_truth, care, spread).items()}
            for n_items in sizes:
                drawn = [_figures(world, Random(1000 * n_items + k), n_items, care, spread) for k in range(sets)]
                for name, value in truth.items():
                    ends = [(figures[name][1], figures[name][2]) for figures in drawn]
                    held = [low <= value <= high for low, high in ends if low is not None]
                    rows.append(
                        (world.name, care, name, n_items, value, sum(held) / max(len(held), 1), len(held) / sets)
                    )
    names = ["work", "care", "coefficient", "n_items", "truth", "held", "defined"]
    return pl.DataFrame(rows, schema=names, orient="row")


def _figures(
    world: World, rng: Random, n_items: int, care: float, spread: float
) -> dict[str, tuple[float | None, float | None, float | None]]:
    rows = [row for item in range(n_items) for row in world.draw(rng, str(item), care_of_item(rng, care, spread))]
    return world.figures(rows, n_items)


if __name__ == "__main__":
    main()
