"""Write the bundled example again: `python -m examples.generate [DIR]`. Synthetic, seeded, nobody's data.

A support team labels messages in Label Studio: two questions, four annotators, two systems, one of them better than
every annotator. Three weeks later a full export comes with what was edited and what is new; the annotators had begun to
disagree. Beside it lie a spreadsheet, a crowd file with rows that must be rejected, and a file that is broken.
"""

import csv
import json
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from stats.simulate import simulate_ratings

SEED = 2015
START = datetime(2026, 9, 28, 8, 0, tzinfo=UTC)
EARLY, LATE = 220, 110  # tasks of the first export, and those that only the second has
INTENTS = ("complaint", "question", "praise", "other")
URGENCIES = ("low", "medium", "high", "critical")
ANNOTATORS = {"1": 0.78, "2": 0.74, "3": 0.70, "4": 0.64}
SYSTEMS = {"judge-llm": 0.92, "keyword-rules": 0.50}
WORDS = {
    "complaint": ("My parcel arrived broken", "I was charged twice", "Nobody has answered me for a week"),
    "question": ("Where do I change my address", "Which plan includes exports", "Can I pause my subscription"),
    "praise": ("Thank you, that was quick", "The new search is wonderful", "Your colleague was very kind"),
    "other": ("Please see attachment", "Out of office until Monday", "Fwd: re: re: invoice"),
}


def main(folder: Path = Path(__file__).parent / "demo") -> None:
    rng = np.random.default_rng(SEED)
    (folder / "inbox" / "toxicity").mkdir(parents=True, exist_ok=True)
    (folder / "late").mkdir(exist_ok=True)
    early, late = _tasks(rng, 0, EARLY, loss=0.0), _tasks(rng, EARLY, LATE, loss=0.14)
    _json(folder / "inbox" / "support_2026-10-12.json", early)
    _json(folder / "late" / "support_2026-11-02.json", [*_edited(rng, early), *late])
    _helpfulness(folder / "inbox" / "helpfulness.csv", rng)
    _toxicity(folder / "inbox" / "toxicity" / "crowd.csv", rng)
    # A download that broke off: the file is refused, the others go on.
    whole = json.dumps(early[:3])
    (folder / "inbox" / "support_2026-10-05.json").write_text(whole[: len(whole) // 2] + "\n")


def _tasks(rng: np.random.Generator, first: int, n: int, *, loss: float) -> list[dict[str, Any]]:
    """Tasks with annotations and predictions, as a Label Studio snapshot has them; `loss` of the people's accuracy."""
    intent = _answers(rng, n, INTENTS, loss, base_rates=(0.4, 0.3, 0.1, 0.2))
    urgency = _answers(rng, n, URGENCIES, loss, base_rates=(0.45, 0.3, 0.17, 0.08), asymmetry=1.3)
    truths = dict(intent.select("item", "truth").unique().iter_rows())
    answers = {
        (item, rater): (one, other)
        for (item, rater, one), other in zip(
            intent.select("item", "rater", "label").iter_rows(), urgency["label"], strict=True
        )
    }
    return [
        _task(
            rng,
            first + number,
            truths[str(number)],
            {rater: answers[str(number), rater] for rater in (*ANNOTATORS, *SYSTEMS)},
        )
        for number in range(1, n + 1)
    ]


def _answers(rng: np.random.Generator, n: int, labels: Sequence[str], loss: float, **how: Any) -> pl.DataFrame:
    raters = {name: accuracy - loss for name, accuracy in ANNOTATORS.items()}
    return simulate_ratings(n_items=n, labels=labels, raters=raters, systems=SYSTEMS, rng=rng, difficulty=0.06, **how)


def _task(rng: np.random.Generator, number: int, truth: str, answers: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    day = (number - 1) // 16  # sixteen messages a day, weekends too
    created = START + timedelta(days=day, minutes=int(rng.integers(0, 300)))
    annotations = [
        _annotation(rng, number, annotator, answers[annotator], created)
        for annotator in ANNOTATORS
        # The fourth annotator joined in the second week, and nobody rates everything.
        if not (annotator == "4" and day < 7) and rng.random() > 0.12
    ]
    return {
        "id": number,
        "data": {
            "text": f"{rng.choice(WORDS[truth])}. (ticket {90000 + number})",
            "channel": str(rng.choice(["email", "chat", "phone"])),
            "language": str(rng.choice(["en", "de"])),
        },
        "annotations": annotations,
        "predictions": [
            {
                "id": number * 10 + place,
                "model_version": system,
                "score": round(float(rng.uniform(0.5, 1)), 3),
                "result": _result(*answers[system]),
                "created_at": _iso(created),
            }
            for place, system in enumerate(SYSTEMS)
        ],
        "created_at": _iso(created - timedelta(hours=1)),
        "updated_at": _iso(created + timedelta(hours=8)),
        "project": 7,
    }


def _annotation(
    rng: np.random.Generator, task: int, annotator: str, answers: tuple[str, str], created: datetime
) -> dict[str, Any]:
    skipped = bool(rng.random() < 0.03)
    made = created + timedelta(minutes=int(rng.integers(5, 400)))
    return {
        "id": task * 10 + int(annotator),
        "completed_by": int(annotator),
        "task": task,
        "result": [] if skipped else _result(*answers),
        "was_cancelled": skipped,
        "ground_truth": False,
        "created_at": _iso(made),
        "updated_at": _iso(made),
        "lead_time": round(float(rng.gamma(4, 5)), 2),
    }


def _result(intent: str, urgency: str) -> list[dict[str, Any]]:
    return [
        {"from_name": name, "to_name": "text", "type": "choices", "value": {"choices": [label]}}
        for name, label in (("intent", intent), ("urgency", urgency))
    ]


def _edited(rng: np.random.Generator, tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same tasks three weeks later: nine annotations were corrected, nothing else changed."""
    copy: list[dict[str, Any]] = json.loads(json.dumps(tasks))
    for number in sorted(int(n) for n in rng.choice(len(copy), 9, replace=False)):
        annotation = next((one for one in copy[number]["annotations"] if not one["was_cancelled"]), None)
        if annotation:
            annotation["result"] = _result(str(rng.choice(INTENTS)), str(rng.choice(URGENCIES)))
            annotation["updated_at"] = _iso(START + timedelta(days=22, minutes=number))
    return copy


def _helpfulness(path: Path, rng: np.random.Generator) -> None:
    """A spreadsheet: one column per coder and one for the judge, blanks where nobody answered."""
    found = simulate_ratings(
        n_items=80,
        labels=("helpful", "partly", "unhelpful"),
        rng=rng,
        raters={"anna": 0.85, "ben": 0.8, "chiara": 0.75},
        systems={"gpt_judge": 0.83},
    )
    wide = found.pivot("rater", index="item", values="label", maintain_order=True)
    rows = [[f"answer-{row[0]}", *(cell if rng.random() > 0.08 else "" for cell in row[1:])] for row in wide.rows()]
    _csv(path, ["item_id", *wide.columns[1:]], rows)


def _toxicity(path: Path, rng: np.random.Generator) -> None:
    """A crowd file, one row per judgment, with every kind of row that must be rejected."""
    found = simulate_ratings(
        n_items=60,
        labels=("ok", "rude", "toxic"),
        rng=rng,
        base_rates=(0.7, 0.2, 0.1),
        raters={f"worker_{n}": 0.7 + 0.04 * n for n in range(1, 6)},
        systems={},
    )
    rows = [
        [f"comment-{item}", rater, label, (START + timedelta(minutes=7 * n)).strftime("%Y-%m-%d %H:%M:%S")]
        for n, (item, rater, label) in enumerate(found.select("item", "rater", "label").iter_rows())
    ]
    rows[10][2] = "NSFW"  # a label that nobody declared
    rows[57][1] = ""  # nobody's judgment
    rows[101][3] = "yesterday"  # no time
    rows[150] = rows[150][:2]  # a row that breaks off
    rows[222][2] = ""  # no answer
    _csv(path, ["item_id", "worker_id", "label", "submitted_at"], rows)


def _csv(path: Path, header: list[str], rows: list[list[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def _json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=None, separators=(",", ":")) + "\n", encoding="utf-8")


def _iso(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
