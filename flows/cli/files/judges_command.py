"""The command on judges that answered several times."""

from pathlib import Path
from typing import Annotated, Any

import typer

from flows.cli import options as opt
from flows.cli import terminal
from flows.cli.files.accuracy_output import rests_on
from flows.cli.files.file_options import read_options
from tasks.single_file.load_file import FileOptions

app = typer.Typer()
NOMINAL_FIGURES = (
    "Reliability and its parts go by the scale. Flip rate, drift and worth do not: two labels are equal or differ."
)


@app.command()
def judges(
    file: opt.File,
    system: opt.Systems = None,
    gold: Annotated[
        Path | None, typer.Option("--gold", metavar="FILE", help="Right answers: a table with item and label.")
    ] = None,
    format: opt.Format = None,
    columns: opt.Columns = None,
    question: opt.Question = None,
    labels: opt.Labels = None,
    scale: opt.Scale = FileOptions.scale,
    confidence: opt.Confidence = FileOptions.confidence,
    json: opt.Json = False,
) -> None:
    """Measure judges that were asked several times: how often they change their mind, and how versions drift.

    Every row of the file is an answer. Rows of one judge for one item are its repeats.

    [bold]Examples[/bold]

    \b
      kappaflow judges answers.csv --system gpt
      kappaflow judges answers.csv --system gpt --gold audited.csv --json
      kappaflow judges scores.csv --scale interval
      kappaflow judges log.json --columns rater=epoch
    """
    from tasks.single_file.judges_file import judges_of_file

    reading = read_options(format, columns, system)
    options = FileOptions(
        reading,
        question=question,
        labels=opt.parse_labels(labels),
        scale=opt.check_scale(scale),
        confidence=confidence,
    )
    result = judges_of_file(file, options, gold).to_json()
    if json:
        terminal.print_json(result)
        return
    terminal.heading(f"{result['question']}: {', '.join(result['labels'])} ({result['scale']})")
    terminal.print_table(
        [_judge_row(row) for row in _printed_rows(result["judges"])], title="Judges asked several times"
    )
    terminal.print_table(
        [_drift_row(row) for row in result["drift"]], title="Versions, on the items that both answered"
    )
    if origins := {row["gold_origin"] for row in result["judges"] if row["effective_committee"] is not None}:
        terminal.note(f"What answers are worth is {rests_on(True, origins)}.")
    if result["scale"] != "nominal":
        terminal.note(NOMINAL_FIGURES)
    for text in dict.fromkeys(row["detail"] for row in (*result["judges"], *result["drift"]) if row["detail"]):
        terminal.note(text)
    for text in result["warnings"]:
        terminal.print_notes(text)


def _printed_rows(judges: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows to print. If no judge was asked twice, this is only the row of all judges together."""
    from stats.agreement.repeats.repeat_reliability import ALL_JUDGES

    together = [row for row in judges if row["judge"] == ALL_JUDGES]
    return together if together and all(row["reason"] for row in judges) else judges


def _judge_row(row: dict[str, Any]) -> dict[str, object]:
    return {
        "judge": row["judge"],
        "items": row["n_items"],
        "flip rate": row["flip_rate"],
        "interval": terminal.interval(row["flip_low"], row["flip_high"]),
        "reliability": row["reliability"],
        "its interval": terminal.interval(row["reliability_low"], row["reliability_high"]),
        "item": row["item_share"],
        "judge part": row["judge_share"],
        "repeats": row["repeat_share"],
        "answers an item": row["committee"],
        "worth": row["effective_committee"],
        "interval of worth": terminal.interval(row["effective_low"], row["effective_high"]),
        "gold": row["n_gold"] or None,
        "why not": row["reason"],
    }


def _drift_row(row: dict[str, Any]) -> dict[str, object]:
    return {
        "versions": f"{row['version_a']} -> {row['version_b']}",
        "anchors": row["n_anchors"],
        "changed": row["changed"],
        "by flips": row["expected"],
        "drift": row["drift"],
        "interval": terminal.interval(row["low"], row["high"]),
        "p": terminal.p_value(row["p_value"]),
        "found from": row["smallest_drift"],
        "label": row["label"],
        "shift": row["shift"],
        "its interval": terminal.interval(row["shift_low"], row["shift_high"]),
        "why not": row["reason"],
    }
