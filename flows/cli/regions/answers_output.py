"""Print the agreement on rankings and texts."""

from typing import Any

from flows.cli.terminal import heading, interval, note, print_notes, print_table
from tasks.counted_words import counted


def print_answers(result: dict[str, Any]) -> None:
    """Print the figures of one question, those of each pair of raters, and the warnings."""
    answers = counted(result["n_ratings"], result["answers"].removesuffix("s"))
    heading(
        f"{result['question']}: {answers}, {counted(result['n_items'], 'item')}, {counted(result['n_raters'], 'rater')}"
    )
    print_table([_row(row) for row in result["coefficients"]])
    rows = list(result["coefficients"])
    if "by_pair" in result:
        rows += result["by_pair"]
        pairs = [{name: row[name] for name in ("rater_a", "rater_b")} | _row(row) for row in result["by_pair"]]
        print_table(pairs, title="By pair")
    for text in dict.fromkeys(row["detail"] for row in rows if row["detail"]):
        note(text)
    for text in result["warnings"]:
        print_notes(text)


def _row(row: dict[str, Any]) -> dict[str, object]:
    return {
        "coefficient": row.get("name") or row["coefficient"],
        "estimate": row["estimate"],
        "interval": interval(row["low"], row["high"]),
        "items": row["n_items"],
        "why not": row["reason"],
    }
