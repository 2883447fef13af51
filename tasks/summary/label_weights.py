"""Tell whether a figure of agreement weighs near misses."""

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.summary.finite import finite

ORDERED = ("ordinal", "interval", "ratio")


def is_plain(weights: str | None) -> bool:
    """Check that a row has no weights. The weights 'metric' of alpha on a scale do not count as weights."""
    return weights in (None, "", "identity", "unweighted", "metric")


def chosen_weights(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the name of the weights that the user chose, by which figures of a question go; None without any.

    >>> chosen_weights([{"weights": "metric"}, {"weights": "identity"}, {"weights": "linear"}])
    'linear'
    """
    return next((str(row["weights"]) for row in rows if not is_plain(row.get("weights"))), None)


def scale_sentence(rows: Sequence[Mapping[str, Any]]) -> str:
    """Say which coefficients of a question go by its scale, where others stand beside them that do not; else ''.

    With two labels a miss is neither near nor far.

    >>> alpha = {"coefficient": "krippendorff_alpha", "weights": "metric", "scale": "ordinal", "estimate": 0.7}
    >>> kappa = {"coefficient": "fleiss_kappa", "weights": "identity", "scale": "ordinal", "estimate": 0.3}
    >>> scale_sentence([alpha, kappa])[:43]
    "Krippendorff's alpha goes by the ordinal sc"
    >>> scale_sentence([alpha])
    ''
    """
    shown = [row for row in rows if finite(row["estimate"]) is not None and row.get("scale") in ORDERED]
    if any(row.get("n_labels") == 2 for row in shown):
        return ""
    names = {str(row.get("coefficient") or row["name"]): row for row in shown}
    icc = [name for name in names if name.startswith("icc")]
    others = [name for name, row in names.items() if row.get("weights") == "identity" and name not in icc]
    alpha = names.get("krippendorff_alpha")
    if alpha is None or alpha.get("weights") != "metric" or not others:
        return ""
    by_scale = "Krippendorff's alpha and the ICCs go" if icc else "Krippendorff's alpha goes"
    return (
        f"{by_scale} by the {alpha['scale']} scale. To the other coefficients a near miss is as bad as a far one, "
        "unless you give them weights."
    )
