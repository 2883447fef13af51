"""Name the annotators of spans, boxes, rankings and texts who contradict the others, or agree less with them."""

from collections import Counter
from typing import Any

import polars as pl

NAMES_OF_PAIRS = {
    "f1_exact": "F1 (exact)",
    "f1_iou50": "F1 (IoU .5)",
    "spearman": "Spearman's rho",
    "text_similarity": "similarity of characters",
}
"""The coefficient by which pairs are compared: of spans, of boxes, of rankings, of texts."""
MIN_REGIONS = 20  # marks of a pair: with fewer, one item decides about F1 and its interval
LEAST_SHARE = 0.95  # of the items, that each pair did both: else a rater of difficult items would seem to agree less
LEAST_DIFFERENCE = 0.1  # between the mean of a rater with the others and that of the others
Row = dict[str, Any]


def region_rater_sentences(regions: pl.DataFrame) -> dict[str, list[str]]:
    """Return sentences on single annotators of each question that has any: who contradicts the others, or is apart.

    `regions` are rows of `latest_region_agreement`. Nobody is named for pairs with fewer than 20 items, or for F1 with
    fewer than 20 marks.
    """
    if regions.is_empty():
        return {}
    from stats.agreement.breakdowns.contradictions import MIN_ITEMS  # `run` with nothing due has no such pairs

    pairs = regions.filter(
        pl.col("rater_a").is_not_null(), pl.col("label").is_null(), pl.col("coefficient").is_in(list(NAMES_OF_PAIRS)),
        pl.col("low").is_not_null(), pl.col("n_items") >= MIN_ITEMS,
        ~pl.col("coefficient").str.starts_with("f1") | (pl.col("n_regions") >= MIN_REGIONS),
    ).sort("question", "rater_a", "rater_b")  # fmt: skip
    overall = regions.filter(pl.col("rater_a").is_null(), pl.col("label").is_null())
    n_items = dict(overall.group_by("question").agg(pl.col("n_items").max()).rows())
    by_question = {str(name): rows.to_dicts() for (name,), rows in pairs.group_by("question", maintain_order=True)}
    sentences = {name: _reversed(rows) or _apart(rows, n_items.get(name, 0)) for name, rows in by_question.items()}
    return {name: several for name, several in sentences.items() if several}


def _reversed(rows: list[Row]) -> list[str]:
    """Say who puts options in the opposite order: Spearman's rho is judged as kappa is, which is 0 by chance, too."""
    from stats.agreement.breakdowns.contradictions import COEFFICIENT, contradictions  # as in the function above

    rankings = [row | {"coefficient": COEFFICIENT} for row in rows if row["coefficient"] == "spearman"]
    sentences = []
    for each in contradictions(rankings):
        rho = f"Spearman's rho {each.kappa:.2f} [{each.low:.2f}, {each.high:.2f}]"
        if each.among_others is None:
            who = " and ".join(each.raters)
            sentences.append(f"{who} contradict each other ({rho}). Perhaps one of them took the order upside down.")
        else:
            others = f"that of the others among themselves is {each.among_others:.2f}"
            sentences.append(
                f"{each.raters[0]} contradicts the others ({rho}; {others}). Perhaps the order was taken upside down."
            )
    return sentences


def _apart(rows: list[Row], n_items: int) -> list[str]:
    """Name the one rater whose pairs all agree less, by whole intervals, than each pair of the others.

    n_items: all items that two did or more. Each pair must have done most of them.
    """
    if min(row["n_items"] for row in rows) < LEAST_SHARE * n_items:
        return []
    n_pairs = Counter(row[key] for row in rows for key in ("rater_a", "rater_b"))
    for rater in sorted(n_pairs):
        own = [row for row in rows if rater in (row["rater_a"], row["rater_b"])]
        others = [row for row in rows if rater not in (row["rater_a"], row["rater_b"])]
        if len(own) < 2 or not others or max(row["high"] for row in own) >= min(row["low"] for row in others):
            continue
        with_others, among = _mean(own), _mean(others)
        if among - with_others >= LEAST_DIFFERENCE:
            name = NAMES_OF_PAIRS[rows[0]["coefficient"]]
            return [
                f"{rater} agrees less with the others ({name} {with_others:.2f}) than they with each other"
                f" ({among:.2f})."
            ]
    return []


def _mean(rows: list[Row]) -> float:
    return float(sum(row["estimate"] * row["n_items"] for row in rows) / sum(row["n_items"] for row in rows))
