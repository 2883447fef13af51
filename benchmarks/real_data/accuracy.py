"""How good the estimates are on real ratings with gold labels: each system in turn is estimated with gold hidden, and
compared with the share of its answers that gold says are right.

    python -m benchmarks.real_data.accuracy LABELS.csv GOLD.csv        # one set: printed
    python -m benchmarks.real_data.accuracy FOLDER --out PAGE.md       # each subfolder with a labels.csv and a gold.csv

labels.csv has item, rater and label, gold.csv item and label, under any names that the readers know. The systems are
the raters named with --systems, and all others are the human raters; by default every rater with enough gold items
is the system once, and all others are its raters.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.real_data import consensus_beside_gold
from benchmarks.real_data.accuracy_page import SETS, page, printed
from benchmarks.real_data.outer_intervals import SIMULATED, simulated
from benchmarks.real_data.real_sets import LEAST_ITEMS, MOST_SYSTEMS, SEED, Choice, RealSet
from stats.accuracy import ESTIMATORS, accuracy, prepared, summary
from stats.accuracy.estimators.average import AVERAGE
from tasks.single_file.gold_file import read_gold
from tasks.single_file.load_file import FileOptions, load_file

CONFIDENCE = 0.9
ROOT = Path(__file__).parents[2]
SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "set": pl.String,
    "system": pl.String,
    "method": pl.String,
    "estimate": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "outer_low": pl.Float64,
    "outer_high": pl.Float64,
    "outer_variance": pl.Float64,
    "spread_low": pl.Float64,
    "spread_high": pl.Float64,
    "gold_accuracy": pl.Float64,
    "n_gold": pl.Int64,
    "kappa": pl.Float64,
    "rater_accuracy": pl.Float64,
    "warnings": pl.List(pl.String),
}


def main() -> None:
    options = _arguments()
    choice = Choice(options.least_items, options.most_systems, options.seed)
    sets = [_read(labels, gold, name, options) for labels, gold, name in _pairs(options)]
    frames = []
    for real_set in sets:
        frames.append(study(real_set, choice))
        print(f"{real_set.name}: {frames[-1]['system'].n_unique()} systems", flush=True)
    rows = pl.concat(frames)
    if options.rows:
        rows.write_parquet(options.rows)
    if options.out:
        consensus = consensus_beside_gold.study(sets, _crowdkit(options.peers_folder))
        options.out.write_text(page(rows, sets, choice, simulated(options.simulated), consensus), encoding="utf-8")
    else:
        print(printed(rows))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, help="LABELS.csv GOLD.csv, or folders")
    parser.add_argument("--name", help="name of a single set")
    parser.add_argument("--systems", default="", help="comma-separated raters that are the systems")
    parser.add_argument("--labels", default="", help="comma-separated labels, in order")
    parser.add_argument("--scale", default="nominal", choices=["nominal", "ordinal", "interval", "ratio"])
    parser.add_argument("--least-items", type=int, default=LEAST_ITEMS, help="gold items that a system needs")
    parser.add_argument("--most-systems", type=int, default=MOST_SYSTEMS, help="more are drawn from at random")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--out", type=Path, help="write the page there")
    parser.add_argument("--simulated", type=int, default=SIMULATED, help="simulated sets of each setting")
    parser.add_argument("--rows", type=Path, help="a Parquet file for every estimate")
    parser.add_argument("--peers-folder", type=Path, default=ROOT / ".peers", help="where crowd-kit's environment is")
    return parser.parse_args()


def _crowdkit(folder: Path) -> Path | None:
    """The Python of crowd-kit's environment (`make bench-peers`), None where it is not installed."""
    peer = folder / "crowdkit"
    return peer / "bin" / "python" if (peer / "stamp").exists() else None


def _pairs(options: argparse.Namespace) -> Iterator[tuple[Path, Path, str]]:
    """Labels, gold and name of each set."""
    files = [path for path in options.paths if path.is_file()]
    if len(files) % 2 or len(files) + sum(path.is_dir() for path in options.paths) < len(options.paths):
        raise SystemExit("Every LABELS.csv needs its GOLD.csv, and a folder must exist. Check the paths.")
    for labels, gold in zip(files[::2], files[1::2], strict=True):
        yield labels, gold, options.name or labels.parent.name or labels.stem
    for folder in (path for path in options.paths if path.is_dir()):
        for labels in sorted([*folder.glob("labels.csv"), *folder.glob("*/labels.csv")]):
            yield labels, labels.with_name("gold.csv"), labels.parent.name


def read_sets(folder: Path) -> list[RealSet]:
    """Read the sets of a folder, each a subfolder with a labels.csv and a gold.csv."""
    options = argparse.Namespace(paths=[folder], name=None, labels="", scale="nominal", systems="")
    return [_read(labels, gold, name, options) for labels, gold, name in _pairs(options)]


def _read(labels: Path, gold: Path, name: str, options: argparse.Namespace) -> RealSet:
    """What the files hold, by the readers of the application."""
    described = SETS.get(name)
    label_names = tuple(options.labels.split(",")) if options.labels else None
    (loaded,) = load_file(labels, FileOptions(labels=label_names, scale=options.scale))
    systems = tuple(options.systems.split(",")) if options.systems else described.systems if described else ()
    answers = read_gold(gold).rename({"label": "gold"})
    ratings = loaded.ratings.select("item", "rater", "label")
    return RealSet(
        described.title if described else name, ratings, answers, loaded.labels.names, options.scale, systems
    )


def study(real_set: RealSet, choice: Choice, methods: Sequence[str] = tuple(ESTIMATORS)) -> pl.DataFrame:
    """One row per system and method: the estimate with its interval, and the accuracy by gold on the same items."""
    rows = [row for system in systems_of(real_set, choice) for row in _estimates(real_set, system, methods)]
    return pl.DataFrame(rows, schema=SCHEMA)


def systems_of(real_set: RealSet, choice: Choice) -> list[str]:
    """The systems of a set, sorted by name."""
    if real_set.systems:
        return sorted(real_set.systems)
    judged = (
        real_set.ratings.join(real_set.gold, on="item")
        .group_by("rater")
        .len()
        .filter(pl.col("len") >= choice.least_items)
    )
    names = judged["rater"].sort().to_list()
    drawn = random.Random(choice.seed).sample(names, min(choice.most_systems, len(names)))
    return sorted(drawn)


def _estimates(real_set: RealSet, system: str, methods: Sequence[str]) -> Iterator[dict[str, Any]]:
    others = [name for name in real_set.systems if name != system]
    ratings = real_set.ratings.filter(~pl.col("rater").is_in(others))
    humans = ratings.filter(pl.col("rater") != system)
    whole = summary(humans, labels=real_set.labels)
    judged = _judged(ratings, humans, real_set.gold, system)
    shared: dict[str, Any] = {
        "set": real_set.name,
        "gold_accuracy": judged["right"].mean(),
        "n_gold": judged.height,
        "kappa": whole.kappa,
        "rater_accuracy": whole.rater_accuracy,
    }
    subset: dict[str, Any] = {"systems": [system], "labels": real_set.labels, "scale": real_set.scale}
    once = prepared(ratings, **subset)
    estimates = accuracy(once, **subset, methods=methods, confidence=CONFIDENCE)
    variance = AVERAGE.fit(once.patterns(system, by_rater=True)).outer_variance
    shared["outer_variance"] = None if variance is None else variance()
    for row in estimates.rename({"accuracy": "estimate"}).iter_rows(named=True):
        yield {name: (row | shared).get(name) for name in SCHEMA}


def _judged(ratings: pl.DataFrame, humans: pl.DataFrame, gold: pl.DataFrame, system: str) -> pl.DataFrame:
    """The system's answers on items that have gold and that somebody else rated."""
    own = ratings.filter(pl.col("rater") == system).join(humans.select("item").unique(), on="item", how="semi")
    return own.join(gold, on="item").select(right=(pl.col("label") == pl.col("gold")).cast(pl.Float64))


if __name__ == "__main__":
    main()
