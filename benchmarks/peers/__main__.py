"""What is timed of the peers: `python -m benchmarks.peers NAME FILE.npy`, run by the peer's own environment.

Each takes the input that it is made for, built before the clock starts from the wide matrix (n, 5) of labels 1..5,
NaN = none, that `benchmarks.ratings` wrote (crowd-kit from the long Parquet file). Found figures carry kappaflow's
names of the coefficients.
"""

from collections.abc import Callable
from pathlib import Path

from benchmarks.child import Work, report


def irrcac(path: str) -> Work:
    """All five functions of irrCAC on raw ratings, with standard error and interval, from its data frame."""
    import numpy as np
    import pandas as pd
    from irrCAC.raw import CAC

    wide = pd.DataFrame(np.load(path).astype(float))

    def work() -> dict[str, float]:
        raw = CAC(wide, digits=12)
        results = {
            "brennan_prediger": raw.bp(),
            "fleiss_kappa": raw.fleiss(),
            "conger_kappa": raw.conger(),
            "krippendorff_alpha": raw.krippendorff(),
            "gwet_ac1": raw.gwet(),
        }
        return {name: float(result["est"]["coefficient_value"]) for name, result in results.items()}

    return work


def krippendorff(path: str) -> Work:
    """Nominal alpha, from its raters x items matrix."""
    import numpy as np
    from krippendorff import alpha

    raters = np.load(path).astype(float).T.copy()
    return lambda: {"krippendorff_alpha": float(alpha(reliability_data=raters, level_of_measurement="nominal"))}


def statsmodels(path: str) -> Work:
    """Fleiss' kappa, from an items x raters matrix without gaps, which it would count as a label."""
    import numpy as np
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    wide = np.load(path).astype(int)
    return lambda: {"fleiss_kappa": float(fleiss_kappa(aggregate_raters(wide)[0]))}


def nltk(path: str) -> Work:
    """Nominal alpha, from its list of (rater, item, label)."""
    import numpy as np
    from nltk.metrics.agreement import AnnotationTask

    wide = np.load(path)
    triples = [
        (f"rater-{rater}", f"item-{item:08}", f"label-{label:.0f}")
        for item, row in enumerate(wide.tolist())
        for rater, label in enumerate(row)
        if label == label  # a gap is NaN
    ]
    return lambda: {"krippendorff_alpha": float(AnnotationTask(data=triples).alpha())}


def crowdkit(path: str, systems: str, out: str) -> Work:
    """Dawid-Skene of the raters who are not systems, from its data frame, at most 100 iterations to its own tolerance
    of 1e-5; the labels by item go to `out`."""
    import pandas as pd
    from crowdkit.aggregation import DawidSkene

    long = pd.read_parquet(path).rename(columns={"item": "task", "rater": "worker"})
    humans = long[~long["worker"].isin(systems.split(","))]
    model = DawidSkene(n_iter=100, tol=1e-5)

    def work() -> Callable[[], dict[str, float]]:
        labels = model.fit_predict(humans)

        def figures() -> dict[str, float]:
            Path(out).write_text("\n".join(labels.sort_index()), encoding="utf-8")
            return {"iterations": len(model.loss_history_)}

        return figures

    return work


if __name__ == "__main__":
    peers = {"irrcac": irrcac, "krippendorff": krippendorff, "statsmodels": statsmodels, "nltk": nltk}
    report({**peers, "crowdkit": crowdkit})
