"""The consensus labels of crowd-kit, run by its own environment:

    python -m benchmarks.peers.crowdkit_consensus RATINGS.parquet OUT.parquet

RATINGS has task, worker and label. OUT gets method, task, label and probability (null where a method has none).
"""

import sys
from collections.abc import Callable
from typing import Any


def methods() -> dict[str, Callable[[], Any]]:
    """Every method for nominal labels that needs no gold, with its own defaults. KOS is one for two labels."""
    from crowdkit.aggregation import (
        GLAD,
        KOS,
        MACE,
        MMSR,
        DawidSkene,
        MajorityVote,
        OneCoinDawidSkene,
        Wawa,
        ZeroBasedSkill,
    )

    classes = (MajorityVote, Wawa, ZeroBasedSkill, DawidSkene, OneCoinDawidSkene, GLAD, MACE, MMSR, KOS)
    return {method.__name__: method for method in classes}


def main() -> None:
    import pandas as pd

    source, out = sys.argv[1:]
    ratings = pd.read_parquet(source)
    frames = []
    for name, make in methods().items():
        if name == "KOS" and ratings["label"].nunique() > 2:
            continue
        model = make()
        if hasattr(model, "fit_predict_proba"):
            wide = model.fit_predict_proba(ratings)
            long = wide.rename_axis(index="task", columns="label").stack().rename("probability").reset_index()
        else:
            labels = model.fit_predict(ratings)
            long = pd.DataFrame({"task": labels.index, "label": labels.to_numpy(), "probability": None})
        frames.append(long.assign(method=name).astype({"probability": "float64"}))
        print(name, flush=True)
    pd.concat(frames)[["method", "task", "label", "probability"]].to_parquet(out)


if __name__ == "__main__":
    main()
