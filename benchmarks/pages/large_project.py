"""Make a project of many questions and many raters: `python -m benchmarks.pages.large_project FOLDER`.

It shows how the report and the live pages look and how long they take where lists are long. The ratings are simulated:
raters who are right in .55 to .95, two systems, gold for some questions, twelve weeks, names of every length, and on
one question a rater who gets worse. The same seed makes the same files.
"""

import argparse
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl

LABEL_SETS = (
    ("yes", "no"),
    ("low", "medium", "high"),
    ("complaint", "question", "praise", "other"),
    ("contains_personally_identifiable_information", "does_not_contain_it", "cannot_be_decided_from_the_text_alone"),
)
TOPICS = ("tone", "toxicity", "factual_consistency_with_the_retrieved_source_documents", "intent", "helpfulness")
SYSTEMS = {"judge-large-2026-05-01": 0.9, "keyword_rules": 0.65}
START = datetime(2026, 1, 5)
DAYS = 84
RATINGS_PER_ITEM = 4
GOLD_EVERY, N_GOLD = 5, 60
WORSE_FROM = 56  # the day from which one rater of the first question guesses


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the project's settings and one file a question."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder that does not exist yet")
    parser.add_argument("--questions", type=int, default=30)
    parser.add_argument("--raters", type=int, default=200)
    parser.add_argument("--items", type=int, default=400, help="of each question")
    chosen = parser.parse_args(arguments)
    make_project(chosen.folder, chosen.questions, chosen.raters, chosen.items)


def make_project(folder: Path, n_questions: int = 30, n_raters: int = 200, n_items: int = 400) -> None:
    """Write kappaflow.toml and the inbox of a project into a new folder."""
    (folder / "inbox").mkdir(parents=True)
    rng = np.random.default_rng(17)
    settings = ['[project]\nname = "Many questions, many annotators"\n\n[[source]]\npath = "inbox"\n']
    for number in range(n_questions):
        name, labels = f"{TOPICS[number % len(TOPICS)]}_{number + 1:02}", LABEL_SETS[number % len(LABEL_SETS)]
        ratings = _ratings(rng, labels, n_raters, n_items, worse=number == 0)
        gold = number % GOLD_EVERY == 0
        ratings.filter(pl.lit(gold) | (pl.col("rater") != "expert")).write_csv(folder / "inbox" / f"{name}.csv")
        settings.append(_settings(name, labels, gold=gold))
    (folder / "kappaflow.toml").write_text("\n".join(settings), encoding="utf-8")


def _settings(name: str, labels: tuple[str, ...], *, gold: bool) -> str:
    lines = [f"[questions.{name}]", f"labels = [{', '.join(f'{label!r}' for label in labels)}]"]
    lines.append(f"systems = [{', '.join(f'{system!r}' for system in SYSTEMS)}]")
    return "\n".join([*lines, *(['gold = ["expert"]'] if gold else []), ""])


def _ratings(
    rng: np.random.Generator, labels: tuple[str, ...], n_raters: int, n_items: int, *, worse: bool
) -> pl.DataFrame:
    """Return the ratings of one question: item, rater, label, time."""
    k = len(labels)
    truth = rng.choice(k, size=n_items, p=rng.dirichlet(np.full(k, 4.0)))
    skill, day = rng.uniform(0.55, 0.95, n_raters), np.sort(rng.integers(0, DAYS, n_items))
    names = np.array([f"annotator_{number + 1:03}" for number in range(n_raters)])
    rows: list[tuple[str, str, str, datetime]] = []
    for item in range(n_items):
        when = START + timedelta(days=int(day[item]), minutes=int(rng.integers(480, 1020)))
        chosen = rng.choice(n_raters, RATINGS_PER_ITEM, replace=False)
        if worse:
            chosen[0] = 0  # the rater who gets worse sees every item
        answers = {names[rater]: 0.2 if worse and rater == 0 and day[item] >= WORSE_FROM else skill[rater]
                   for rater in chosen}  # fmt: skip
        answers |= SYSTEMS | ({"expert": 1.0} if item % (n_items // N_GOLD) == 0 else {})
        for rater, right in answers.items():
            wrong = rng.integers(0, k - 1)
            label = truth[item] if rng.random() < right else wrong + (wrong >= truth[item])
            rows.append((f"item-{item:04}", str(rater), labels[label], when))
    return pl.DataFrame(rows, schema=["item", "rater", "label", "created_at"], orient="row")


if __name__ == "__main__":
    main()
