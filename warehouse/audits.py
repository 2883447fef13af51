"""Store samples of items that are drawn to be labelled as gold, and read them."""

from dataclasses import dataclass
from datetime import datetime

import duckdb
import polars as pl

from warehouse import sql
from warehouse.errors import duckdb_errors


@dataclass(frozen=True)
class AuditSample:
    """A sample: how many items were drawn from how many."""

    audit_id: str
    n_items: int
    n_population: int
    stratify_by: str | None = None


@dataclass(frozen=True)
class GoldOrigin:
    """How many items have gold, and how many of them were drawn for an audit."""

    n_gold: int
    n_drawn: int


def audit_population(con: duckdb.DuckDBPyConnection, question: str) -> list[str]:
    """List the items of a question that can be drawn, sorted: rated, without gold, and in no earlier sample."""
    with duckdb_errors(f"list the items of {question}"):
        return [str(item) for (item,) in sql.rows(con, "audits/population", question=question)]


def audit_sample(con: duckdb.DuckDBPyConnection, audit_id: str) -> AuditSample | None:
    """Return a sample that was drawn before, else None."""
    with duckdb_errors("read the sample"):
        rows = sql.frame(con, "audits/sample", audit_id=audit_id).to_dicts()
    return AuditSample(**rows[0]) if rows else None


def audit_sample_items(con: duckdb.DuckDBPyConnection, audit_id: str) -> pl.DataFrame:
    """Read the items of a sample in the order in which they were drawn: item, inclusion_probability."""
    return sql.read(con, "audits/items", "read the items of the sample", audit_id=audit_id)


def drawn_items(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """Read all items that were drawn for a question: item, audit_id, inclusion_probability."""
    return sql.read(con, "audits/drawn", f"read the audits of {question}", question=question)


def questions_of_same_samples(con: duckdb.DuckDBPyConnection, question: str) -> list[str]:
    """List the other questions for which the same items were drawn at once, if they have a label in common."""
    with duckdb_errors(f"read the audits of {question}"):
        return [str(other) for (other,) in sql.rows(con, "audits/same_samples", question=question)]


def gold_origin(con: duckdb.DuckDBPyConnection, question: str) -> GoldOrigin:
    """Count the gold items of a question, and those that were drawn for an audit."""
    with duckdb_errors(f"count the gold items of {question}"):
        return GoldOrigin(**sql.frame(con, "audits/gold_origin", question=question).row(0, named=True))


def audit_designs(con: duckdb.DuckDBPyConnection, question: str) -> set[str | None]:
    """Return the keys by which the samples of a question were stratified. None stands for a random sample."""
    with duckdb_errors(f"read the audits of {question}"):
        return {None if key is None else str(key) for (key,) in sql.rows(con, "audits/designs", question=question)}


def strata_of_items(con: duckdb.DuckDBPyConnection, question: str, key: str) -> pl.DataFrame:
    """Read the value of a key of the metadata: item, stratum."""
    return sql.read(con, "audits/strata_of_items", f"read the strata of {question}", question=question, key=key)


def audit_strata(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """Read what the samples of a question were drawn from: audit_id, stratum, n_items, n_population, drawn_at."""
    return sql.read(con, "audits/strata", f"read the audits of {question}", question=question)


def drawn_patterns(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """Read the drawn items of a question: item, audit_id, stratum, first_at, pattern_id, has_gold."""
    return sql.read(con, "audits/drawn_patterns", f"read the audits of {question}", question=question)


def other_gold(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """Read the items with gold that no audit drew: item, first_at, gold_at, stratum, pattern_id, has_gold.

    Empty for a question without audits.
    """
    return sql.read(con, "audits/other_gold", f"read the gold of {question}", question=question)


def count_worklist_gold(con: duckdb.DuckDBPyConnection, question: str) -> int:
    """Count the items of a question whose gold a worklist brought, without those that an audit drew."""
    with duckdb_errors(f"count the gold items of {question}"):
        return int(str(sql.value(con, "audits/worklist_gold", question=question)))


def has_probabilities(con: duckdb.DuckDBPyConnection, question: str) -> bool:
    """Check whether the exports say with which probability items of a question were drawn."""
    with duckdb_errors(f"look for the probabilities of {question}"):
        return bool(sql.value(con, "audits/has_probabilities", question=question))


def labels_in_force(con: duckdb.DuckDBPyConnection, question: str) -> tuple[str, ...]:
    """List the labels that the question has in force."""
    with duckdb_errors(f"list the labels of {question}"):
        return tuple(str(label) for (label,) in sql.rows(con, "audits/labels", question=question))


def store_sample(
    con: duckdb.DuckDBPyConnection, sample: AuditSample, items: pl.DataFrame, *, question: str, seed: int, now: datetime
) -> None:
    """Store a sample in one transaction.

    items: item, inclusion_probability, stratum (null for a random sample), n_population of the stratum, in the order in
    which they were drawn.
    """
    row = pl.DataFrame(
        {
            "audit_id": [sample.audit_id], "question": [question], "seed": [seed],
            "design": ["random" if sample.stratify_by is None else "stratified"], "stratify_by": [sample.stratify_by],
            "n_items": [sample.n_items], "n_population": [sample.n_population], "drawn_at": [now],
        }
    )  # fmt: skip
    numbered = items.select(
        pl.lit(sample.audit_id).alias("audit_id"),
        pl.lit(question).alias("question"),
        "item",
        pl.int_range(1, pl.len() + 1).alias("place"),
        "inclusion_probability",
        "stratum",
    )
    strata = items.drop_nulls("stratum").group_by("stratum", "n_population").agg(n_items=pl.len().cast(pl.Int64))
    strata = strata.sort("stratum").select(
        pl.lit(sample.audit_id).alias("audit_id"), pl.lit(question).alias("question"), "stratum", "n_items",
        "n_population",
    )  # fmt: skip
    with duckdb_errors("store the sample"), sql.transaction(con):
        sql.append(con, "audits", row)
        sql.append(con, "audit_items", numbered)
        sql.append(con, "audit_strata", strata)
