"""What is timed of accuracy: `python -m benchmarks.accuracy.measurements NAME FILE SYSTEMS ...` does one of WORKS once.

SYSTEMS are the systems' names with commas between. Labels are those in the file, found before the clock starts.
"""

from collections.abc import Callable
from pathlib import Path

from benchmarks.agreement.measurements import floor
from benchmarks.child import Figures, Work, report


def average(path: str, systems: str, way: str) -> Work:
    """`average` with its interval for each system; way is file (read within the time) or frame (in memory)."""
    import polars as pl

    from stats.accuracy import accuracy

    frame, names = pl.read_parquet(path) if way == "frame" else None, systems.split(",")
    labels = pl.scan_parquet(path).select(pl.col("label").unique().sort()).collect()["label"].to_list()

    def work() -> Figures:
        ratings = pl.read_parquet(path) if frame is None else frame
        estimates = accuracy(ratings, systems=names, labels=labels, methods=["average"])
        return {system: high - low for system, low, high in estimates.select("system", "low", "high").rows()}

    return work


def dawid_skene(path: str, systems: str, out: str) -> Work:
    """Consensus labels of the raters who are no systems, from a frame of text in memory; they go to `out`."""
    import polars as pl

    from stats.accuracy import consensus

    humans = pl.read_parquet(path).filter(~pl.col("rater").is_in(systems.split(",")))
    labels = humans["label"].unique().sort().to_list()

    def work() -> Callable[[], Figures]:
        labels_of_items = consensus(humans, labels=labels, method="dawid_skene")

        def figures() -> Figures:
            Path(out).write_text("\n".join(labels_of_items["label"]), encoding="utf-8")
            return {"items": labels_of_items.height}

        return figures

    return work


WORKS: dict[str, Callable[..., Work]] = {"floor": floor, "average": average, "dawid_skene": dawid_skene}

if __name__ == "__main__":
    report(WORKS)
