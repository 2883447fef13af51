"""Write the bundled example again: `python -m examples.generate [DIR]`. Synthetic, seeded, nobody's data.

A support team labels some twenty messages a day for twelve weeks: two questions, four annotators, two systems, one of
them better than every annotator. Each Friday brings the messages of the week, at first as a table, then from Label
Studio. From week 7 on annotator 3 gives a random intent in 40 % of the answers. From week 10 on the other system has a
new version, which is better. In each week the team lead labels some messages drawn at random: gold for the urgency.
The last Friday's export lies in `late/`. It repeats a week in which answers were corrected.
Beside it lie a spreadsheet, a crowd file with rows that must be rejected, and a file that is broken.
"""

import csv
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from stats.simulate import simulate_ratings

SEED = 2015
START = date(2026, 1, 5)  # a Monday
WEEKS, TABLE_WEEKS = 12, 4
DRIFTING, RANDOM_SHARE, DRIFT_START = "3", 0.40, START + timedelta(weeks=6)
VERSION_START = START + timedelta(weeks=9)
INTENTS = ("complaint", "question", "praise", "other")
URGENCIES = ("low", "medium", "high", "critical")
ANNOTATORS = {"1": 0.89, "2": 0.87, "3": 0.86, "4": 0.82}
JUDGE = {"judge-llm": 0.95}
RULES = {"1.8": 0.55, "2.0": 0.78}  # the version of keyword-rules, and how often it is right about the intent
GOLD = "team-lead"
MISSING, SKIPPED, AUDITED = 0.10, 0.02, 0.10
WORDS = {
    "complaint": ("My parcel arrived broken", "I was charged twice", "Nobody has answered me for a week"),
    "question": ("Where do I change my address", "Which plan includes exports", "Can I pause my subscription"),
    "praise": ("Thank you, that was quick", "The new search is wonderful", "Your colleague was very kind"),
    "other": ("Please see attachment", "Out of office until Monday", "Fwd: re: re: invoice"),
}
Answers = tuple[str, str]  # intent, urgency


@dataclass(frozen=True)
class Answered:
    """What an annotator did with a message: `answers` is None if it was skipped."""

    annotator: str
    answers: Answers | None
    at: datetime
    seconds: float


@dataclass(frozen=True)
class Message:
    """A message with all that was said about it. `gold` is None if the team lead did not draw it."""

    number: int
    at: datetime
    data: dict[str, str]
    truth: Answers
    people: tuple[Answered, ...]
    judge: Answers
    judge_score: float
    rules: Answers
    rules_version: str
    gold: str | None

    @property
    def week(self) -> int:
        """Return the number of the week, from 0."""
        return (self.at.date() - START).days // 7


def main(folder: Path = Path(__file__).parent / "demo") -> None:
    """Write all files of the example into a folder."""
    inbox, late = folder / "inbox", folder / "late"
    (inbox / "toxicity").mkdir(parents=True, exist_ok=True)
    late.mkdir(exist_ok=True)
    rng = np.random.default_rng(SEED)
    messages = simulated_messages(rng)
    _support(inbox, late, messages, rng)
    for version in RULES:
        _rules(inbox / f"keyword-rules_{version}.tsv", [one for one in messages if one.rules_version == version])
    _audit(inbox / f"audit_{_friday(WEEKS - 1)}.csv", messages)
    # Many pages show figures of these two: they keep the draws that they had.
    kept = np.random.Generator(np.random.PCG64(2015).advance(11223))
    _helpfulness(inbox / "helpfulness.csv", kept)
    _toxicity(inbox / "toxicity" / "crowd.csv", kept)


def _support(inbox: Path, late: Path, messages: Sequence[Message], rng: np.random.Generator) -> None:
    """Write a file for each week; the last one, with the week before it once more, comes late."""
    by_week = [[message for message in messages if message.week == week] for week in range(WEEKS)]
    for week, of_week in enumerate(by_week[:-1]):
        path = inbox / f"support_{_friday(week)}"
        if week < TABLE_WEEKS:
            _table(path.with_suffix(".csv"), of_week)
        else:
            _json(path.with_suffix(".json"), [_task(message) for message in of_week])
    again = _corrected([_task(message) for message in by_week[-2]], by_week[-2], rng)
    _json(late / f"support_{_friday(WEEKS - 1)}.json", [*again, *(_task(message) for message in by_week[-1])])
    # A download that broke off, a day before the whole one: the file is refused, the others go on.
    whole = json.dumps([_task(message) for message in by_week[TABLE_WEEKS][:3]])
    broken = inbox / f"support_{_friday(TABLE_WEEKS) - timedelta(days=1)}.json"
    broken.write_text(whole[: len(whole) // 2] + "\n")


def simulated_messages(rng: np.random.Generator) -> list[Message]:
    """Simulate all messages of the twelve weeks, in their order."""
    days = [START + timedelta(days=n) for n in range(7 * WEEKS) if n % 7 < 5]
    of_day = [day for day in days for _ in range(int(rng.integers(17, 24)))]
    n = len(of_day)
    intents = _answers(rng, n, INTENTS, RULES, base_rates=(0.4, 0.3, 0.1, 0.2))
    urgencies = _answers(
        rng, n, URGENCIES, dict.fromkeys(RULES, 0.5), base_rates=(0.45, 0.3, 0.17, 0.08), asymmetry=1.3
    )
    _let_drift(rng, intents, of_day)
    return [
        _message(rng, number, day, {who: (intents[who][number - 1], urgencies[who][number - 1]) for who in intents})
        for number, day in enumerate(of_day, start=1)
    ]


def _answers(
    rng: np.random.Generator, n: int, labels: Sequence[str], rules: dict[str, float], **how: Any
) -> dict[str, list[str]]:
    """Return the labels of all messages by each annotator, system and version, and the `truth`."""
    found = simulate_ratings(
        n_items=n, labels=labels, raters=ANNOTATORS, systems=JUDGE | rules, rng=rng, difficulty=0.06, **how
    )
    by_rater = {str(rater): rows for (rater,), rows in found.group_by("rater", maintain_order=True)}
    truth = by_rater[DRIFTING]["truth"].to_list()
    return {rater: rows["label"].to_list() for rater, rows in by_rater.items()} | {"truth": truth}


def _let_drift(rng: np.random.Generator, intents: dict[str, list[str]], of_day: Sequence[date]) -> None:
    for place, day in enumerate(of_day):
        if day >= DRIFT_START and rng.random() < RANDOM_SHARE:
            intents[DRIFTING][place] = str(rng.choice(INTENTS))


def _message(rng: np.random.Generator, number: int, day: date, answers: dict[str, Answers]) -> Message:
    at = datetime.combine(day, time(8), UTC) + timedelta(minutes=int(rng.integers(0, 300)))
    truth, version = answers["truth"], tuple(RULES)[day >= VERSION_START]
    people = []
    for annotator in ANNOTATORS:
        # The fourth annotator joined in the second week, and nobody rates everything.
        if not (annotator == "4" and day < START + timedelta(weeks=1)) and rng.random() >= MISSING:
            given = None if rng.random() < SKIPPED else answers[annotator]
            made = at + timedelta(minutes=int(rng.integers(5, 400)))
            people.append(Answered(annotator, given, made, round(float(rng.gamma(4, 5)), 1)))
    data = {
        "text": f"{rng.choice(WORDS[truth[0]])}. (ticket {90000 + number})",
        "channel": str(rng.choice(["email", "chat", "phone"])),
        "language": str(rng.choice(["en", "de"])),
    }
    score = round(float(rng.uniform(0.5, 1)), 3)
    gold = truth[1] if rng.random() < AUDITED else None
    return Message(number, at, data, truth, tuple(people), answers["judge-llm"], score, answers[version], version, gold)


def _friday(week: int) -> date:
    return START + timedelta(weeks=week, days=4)


def _table(path: Path, messages: Iterable[Message]) -> None:
    """Write a long table, as the team had before Label Studio: skipped messages are not in it."""
    rows = []
    for message in messages:
        said = [
            (one.annotator, "human", "", one.answers, one.at, f"{one.seconds}") for one in message.people if one.answers
        ]
        said.append(("judge-llm", "system", "judge-llm", message.judge, message.at, ""))
        for who, kind, version, answers, at, seconds in said:
            for question, label in zip(("intent", "urgency"), answers, strict=True):
                rows.append(
                    [
                        str(message.number),
                        question,
                        who,
                        label,
                        _iso(at),
                        seconds,
                        kind,
                        version,
                        *message.data.values(),
                    ]
                )
    header = "item question rater label rated_at duration rater_kind system_version text channel language"
    _csv(path, header.split(), rows)


def _task(message: Message) -> dict[str, Any]:
    """Return a task with annotations and predictions, as a Label Studio snapshot has them."""
    return {
        "id": message.number,
        "data": message.data,
        "annotations": [_annotation(message.number, one) for one in message.people],
        "predictions": [
            {
                "id": message.number * 10,
                "model_version": "judge-llm",
                "score": message.judge_score,
                "result": _result(message.judge),
                "created_at": _iso(message.at),
            }
        ],
    }


def _annotation(task: int, one: Answered) -> dict[str, Any]:
    return {
        "id": task * 10 + int(one.annotator),
        "completed_by": int(one.annotator),
        "result": _result(one.answers) if one.answers else [],
        "was_cancelled": one.answers is None,
        "updated_at": _iso(one.at),
        "lead_time": one.seconds,
    }


def _result(answers: Answers) -> list[dict[str, Any]]:
    return [
        {"from_name": name, "to_name": "text", "type": "choices", "value": {"choices": [label]}}
        for name, label in zip(("intent", "urgency"), answers, strict=True)
    ]


def _corrected(
    tasks: list[dict[str, Any]], messages: Sequence[Message], rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Return the same tasks a week later: nine wrong answers were corrected, nothing else changed."""
    wrong = [
        (place, number)
        for place, message in enumerate(messages)
        for number, one in enumerate(message.people)
        if one.answers not in (None, message.truth)
    ]
    for chosen in sorted(int(n) for n in rng.choice(len(wrong), 9, replace=False)):
        place, number = wrong[chosen]
        annotation = tasks[place]["annotations"][number]
        annotation["result"] = _result(messages[place].truth)
        annotation["updated_at"] = _iso(datetime.combine(_friday(WEEKS - 1), time(9, place % 60), UTC))
    return tasks


def _rules(path: Path, messages: Iterable[Message]) -> None:
    """Write the log of a system that names its version."""
    rows = [
        [str(message.number), question, "keyword-rules", "system", message.rules_version, label, _iso(message.at)]
        for message in messages
        for question, label in zip(("intent", "urgency"), message.rules, strict=True)
    ]
    _csv(
        path, ["item", "question", "rater", "rater_kind", "system_version", "label", "created_at"], rows, delimiter="\t"
    )


def _audit(path: Path, messages: Iterable[Message]) -> None:
    """Write the right answers: the urgency of the messages that the team lead drew."""
    rows = [
        [str(message.number), "urgency", GOLD, message.gold, _iso(message.at + timedelta(hours=9))]
        for message in messages
        if message.gold
    ]
    _csv(path, ["item", "question", "rater", "label", "rated_at"], rows)


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
    start = datetime.combine(_friday(10), time(8), UTC)
    rows = [
        [f"comment-{item}", rater, label, (start + timedelta(minutes=7 * n)).strftime("%Y-%m-%d %H:%M:%S")]
        for n, (item, rater, label) in enumerate(found.select("item", "rater", "label").iter_rows())
    ]
    rows[10][2] = "NSFW"  # a label that nobody declared
    rows[57][1] = ""  # nobody's judgment
    rows[101][3] = "yesterday"  # no time
    rows[150] = rows[150][:2]  # a row that breaks off
    rows[222][2] = ""  # no answer
    _csv(path, ["item_id", "worker_id", "label", "submitted_at"], rows)


def _csv(path: Path, header: list[str], rows: list[list[str]], delimiter: str = ",") -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows([header, *rows])


def _json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=None, separators=(",", ":")) + "\n", encoding="utf-8")


def _iso(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
