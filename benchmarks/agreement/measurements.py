"""Agreement as it is timed, and the floor: `python -m benchmarks.agreement.measurements NAME FILE` runs one once.

The imports stand in the functions, so that the floor pays for polars alone.
"""

from collections.abc import Callable

from benchmarks.child import Work, report


def floor(path: str) -> Work:
    """The least that any program that counts labels per item must do."""
    import polars as pl

    return lambda: {"rows": pl.scan_parquet(path).group_by("item", "label").len().collect().height}


def from_scan(path: str, coefficients: str = "all", method: str = "t") -> Work:
    """`agreement` on the lazy file."""
    import polars as pl

    return _agreement(lambda: pl.scan_parquet(path), coefficients, method)


def from_read(path: str, coefficients: str = "all", method: str = "t") -> Work:
    """`agreement` on the file read whole, reading included."""
    import polars as pl

    return _agreement(lambda: pl.read_parquet(path), coefficients, method)


def in_memory(path: str, coefficients: str = "all", method: str = "t") -> Work:
    """`agreement` on a frame that is there already."""
    import polars as pl

    ratings = pl.read_parquet(path)
    return _agreement(lambda: ratings, coefficients, method)


def _agreement(ratings: Callable[[], object], coefficients: str, method: str) -> Work:
    from benchmarks.ratings import LABELS
    from stats.agreement import agreement

    chosen = None if coefficients == "all" else coefficients.split(",")

    def work() -> dict[str, float]:
        figures = agreement(ratings(), labels=LABELS, coefficients=chosen, interval_method=method, replicates=1000)
        return dict(figures.drop_nulls("estimate").select("name", "estimate").rows())

    return work


WORKS: dict[str, Callable[..., Work]] = {
    "floor": floor,
    "scan": from_scan,
    "read": from_read,
    "memory": in_memory,
}

if __name__ == "__main__":
    report(WORKS)
