"""Apply new aliases of raters to the ratings that are stored already."""

import logging
from pathlib import Path

from tasks.counted_words import counted
from tasks.ingest.ingest_rules import IngestRules
from warehouse.connect import connect
from warehouse.raters.rater_aliases import RenamedRatings, rename_stored

log = logging.getLogger("kappaflow")


def apply_aliases(db: Path, rules: IngestRules) -> list[str]:
    """Rename ratings that are stored under an alias, and return a sentence for each question where there were some.

    The settings name an alias long after its ratings were stored, or before. Either way one person has them.
    """
    if not rules.aliases:
        return []
    duplicates = {question: rule.rule for question, rule in rules.duplicates.items()}
    with connect(db) as con:
        renamed = rename_stored(con, rules.aliases, duplicates)
    notes = [_sentence(question) for question in renamed]
    for note in notes:
        log.info(note)
    return notes


def _sentence(renamed: RenamedRatings) -> str:
    twice = ""
    if renamed.n_items_twice:
        items = counted(renamed.n_items_twice, "item")
        twice = f" Two names of one rater had rated {items}: the rule for duplicates decided."
    ratings = counted(renamed.n_ratings, "stored rating")
    return f"{renamed.question}: {ratings} went to the rater whose alias had given them.{twice}"
