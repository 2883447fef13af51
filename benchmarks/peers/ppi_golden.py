"""Print tests/data/golden/ppi.toml: prediction-powered means by the package ppi-python.

make bench-peers
.peers/ppi/bin/python benchmarks/peers/ppi_golden.py > tests/data/golden/ppi.toml
"""

from importlib import import_module
from importlib.metadata import version
from statistics import NormalDist

import numpy as np

HEAD = """\
# The prediction-powered mean with power tuning (PPI++), by ppi_mean_pointestimate and ppi_mean_ci (alpha = .05) of the
# package ppi-python {version} (made by benchmarks/peers/ppi_golden.py).
# cells: gold items that have the label and are predicted to have it, that have it and are not, that do not have it and
# are, and neither. rest: items without gold, and how many of them are predicted to have it. weights: of the gold items,
# in the order of the cells."""
CASES = {
    "usual": ((14, 3, 2, 31), (220, 130)),
    "twenty": ((3, 1, 2, 14), (480, 95)),
    "rare": ((1, 1, 0, 18), (900, 40)),
    "no_better": ((4, 6, 5, 5), (200, 100)),
    "worse_than_chance": ((2, 8, 7, 3), (200, 120)),
    "many_gold": ((70, 8, 12, 110), (50, 22)),
    "all_agree": ((6, 0, 0, 14), (300, 80)),
    "weighted": ((7, 2, 3, 8), (180, 85)),
}


def main() -> None:
    """Print the file."""
    print(HEAD.format(version=version("ppi-python")))
    rng = np.random.default_rng(5)
    for name, (cells, rest) in CASES.items():
        weights = rng.choice([0.5, 1.0, 2.0, 4.0], sum(cells)) if name == "weighted" else None
        print("\n" + "\n".join(_lines(name, cells, rest, weights)))


def _lines(name: str, cells: tuple[int, ...], rest: tuple[int, int], weights: np.ndarray | None) -> list[str]:
    peer = import_module("ppi_py")
    Y, F = np.repeat([1.0, 1, 0, 0], cells), np.repeat([1.0, 0, 1, 0], cells)
    U = np.repeat([1.0, 0], [rest[1], rest[0] - rest[1]])
    options = {} if weights is None else {"w": weights}
    estimate = float(np.squeeze(peer.ppi_mean_pointestimate(Y, F, U, **options)))
    low, high = (float(limit[0]) for limit in peer.ppi_mean_ci(Y, F, U, alpha=0.05, **options))
    lines = [f"[{name}]", f"cells = {list(cells)}", f"rest = {list(rest)}"]
    if weights is not None:
        lines.append(f"weights = {weights.tolist()}")
    figures = {"estimate": estimate, "se": (high - low) / 2 / NormalDist().inv_cdf(0.975), "low": low, "high": high}
    return [*lines, *(f"{key} = {value:.10f}" for key, value in figures.items())]


if __name__ == "__main__":
    main()
