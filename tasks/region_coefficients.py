"""Name the coefficients of spans, boxes, rankings and texts: what is compared in place of labels."""

NAMES = {
    "f1_exact": "F1, exact",
    "f1_partial": "F1, overlap",
    "character_alpha": "alpha of characters",
    "unitised_alpha": "unitised alpha",
    "f1_iou50": "F1, IoU .5",
    "f1_iou75": "F1, IoU .75",
    "mean_iou": "mean IoU",
    "kendall_w": "Kendall's W",
    "spearman": "Spearman's rho, mean of pairs",
    "kendall_tau": "Kendall's tau-b, mean of pairs",
    "text_similarity": "similarity of characters",
    "word_similarity": "similarity of words",
    "exact_match": "equal texts",
}
OF_BOXES = frozenset({"f1_iou50", "f1_iou75", "mean_iou"})
OF_RANKINGS = frozenset({"kendall_w", "spearman", "kendall_tau"})
OF_TEXTS = frozenset({"text_similarity", "word_similarity", "exact_match"})
HEADLINES = ("f1_exact", "f1_iou50", "kendall_w", "text_similarity")
"""The coefficient that stands for a question: of spans, of boxes, of rankings, of texts."""


def what_is_compared(coefficient: str) -> str:
    """Return what a coefficient is of.

    >>> [what_is_compared(name) for name in HEADLINES]
    ['spans', 'boxes', 'rankings', 'texts']
    """
    kinds = {"boxes": OF_BOXES, "rankings": OF_RANKINGS, "texts": OF_TEXTS}
    return next((kind for kind, names in kinds.items() if coefficient in names), "spans")


def in_a_sentence(coefficient: str) -> str | None:
    """Return the name of a coefficient as a sentence has it; None for one of labels.

    >>> [in_a_sentence(name) for name in ("f1_exact", "kendall_w", "gwet_ac1")]
    ['F1 (exact)', "Kendall's W", None]
    """
    name, _, more = NAMES.get(coefficient, "").partition(", ")
    return (f"{name} ({more})" if more else name) or None
