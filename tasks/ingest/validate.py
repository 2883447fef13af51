"""Validate the rows of an export: each becomes a typed rating or a reject with a reason, and the counts add up."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from schemas import ContractError
from schemas.rating_columns import (
    MAX_ID_LENGTH,
    MAX_LABEL_LENGTH,
    MAX_VALUE_LENGTH,
    RATER_KINDS,
    RATINGS,
    REJECT_KEYS,
    REJECTS,
)
from tasks.formats.columns.column_roles import listed
from tasks.formats.parsing.cells import labels_of_set, nfc, tidy_label
from tasks.formats.parsing.distinct_texts import distinct_of_each
from tasks.formats.parsing.export import Export
from tasks.formats.parsing.reject_rows import REASONS
from tasks.formats.parsing.timestamps import parse_times

# Numeric tools write these for a missing value, in upper or lower case. The words null, none and NA are valid labels,
# because annotators and LLM judges use them.
NOT_A_LABEL = ("nan", "-nan", "+nan")
OBJECT = r"""(?s)^\{\s*(["'][^"']*["']\s*:.*)?\}$"""  # as JSON or Python prints it
INFINITE = ("inf", "-inf", "Infinity", "-Infinity")
IDS = ("question", "item", "rater", "system_version", "source_ref")
TEXTS = (*IDS, "rater_kind", "label")
MAX_NAMED = 5  # raters in a note
NO_REJECTS = pl.DataFrame(schema={**REJECTS, **REJECT_KEYS})


@dataclass(frozen=True)
class ValidatedExport:
    """The ratings and rejects of an export.

    `ratings` is typed as schemas.ratings.Ratings, with n_items if the rows have it. `rejects` contains the rejects of
    the reader and of `validate`; its columns are REJECTS and REJECT_KEYS.

    n_rows = ratings.height + rejects.height + n_skipped, always.
    """

    ratings: pl.DataFrame
    rejects: pl.DataFrame
    n_rows: int
    n_skipped: int


@dataclass(frozen=True)
class RowRule:
    """A rule for rows. A row breaks it where `broken` is true; `column` has the wrong value."""

    reason: str
    column: str
    broken: pl.Expr


def validate(
    export: Export, *, labels: Mapping[str, Sequence[str]] | None = None, contract: bool = True
) -> ValidatedExport:
    """Cast the rows of an export and split them into ratings and rejects.

    `labels` are the declared labels by question; a question that is not in it accepts every label. A set of labels is a
    sorted JSON array, and each label in it must be declared. A row that breaks several rules is one reject: `reason`
    names the first rule, `detail` has a sentence for each.

    With `contract`, pandera checks the ratings as well (its import takes half a second). Use it for everything that
    enters the warehouse. A row that only pandera refuses has the reason `contract`.
    """
    typed = _typed(export.rows, labels or {})
    broken = _broken(typed)
    bad = broken.select(pl.any_horizontal(pl.all()).alias("bad"))["bad"]
    some_bad = bad.any()
    good = typed.filter(~bad) if some_bad else typed  # avoid a second copy of ten million rows
    ratings = good.select(*RATINGS, *({"n_items"} & set(typed.columns)))
    rejects = _rejects(export.rows.filter(bad), broken.filter(bad), labels or {}) if some_bad else NO_REJECTS
    if contract:
        ratings, refused = _keep_contract(ratings)
        rejects = pl.concat([rejects, refused])
    unread_rejects = export.rejects.with_columns(pl.lit(None, kind).alias(name) for name, kind in REJECT_KEYS.items())
    all_rejects = pl.concat([unread_rejects, rejects]).sort("row_number", nulls_last=True, maintain_order=True)
    n_rows = export.rows.height + export.rejects.height + export.n_skipped
    return ValidatedExport(ratings, all_rejects, n_rows, export.n_skipped)


def all_rejected(rejects: pl.DataFrame, raters: Collection[str]) -> list[str]:
    """Name the raters of the rejects who are not among `raters`, those of the ratings: no figure has them.

    >>> all_rejected(pl.DataFrame({"rater": ["ann", "bob", None]}), ["ann"])
    ["All rows of these raters were rejected, and none counts: 'bob'."]
    """
    lost = sorted(set(rejects["rater"].drop_nulls().unique()).difference(raters))
    return [f"All rows of these raters were rejected, and none counts: {listed(lost, MAX_NAMED)}."] if lost else []


def _typed(rows: pl.DataFrame, labels: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """Add typed columns for time and numbers, keep their texts as raw_*, and add whether the label is known."""
    raw = {name: f"raw_{name}" for name in ("rated_at", "score", "duration_s")}
    return rows.rename(raw).with_columns(
        parse_times(rows["rated_at"]).alias("rated_at"),
        pl.col("raw_score").cast(pl.Float64, strict=False).alias("score"),
        pl.col("raw_duration_s").cast(pl.Float64, strict=False).alias("duration_s"),
        _label_is_declared(rows, labels).alias("known"),
    )


def _broken(typed: pl.DataFrame) -> pl.DataFrame:
    """Return a boolean column per rule: which rows break it.

    A rule is tried on the distinct texts of its column first. If none breaks it, the rows need no check. This saves
    time on millions of rows.
    """
    texts = distinct_of_each(typed, TEXTS)
    kept = {number for name, column in texts.items() if column is not None for number in _kept_by_all(name, column)}
    return typed.with_columns(
        (pl.lit(False) if i in kept else rule.broken.fill_null(False)).alias(str(i)) for i, rule in enumerate(RULES)
    ).select(str(i) for i in range(len(RULES)))


def _kept_by_all(name: str, texts: pl.Series) -> list[int]:
    """Return the numbers of the rules on this column alone that none of its texts breaks."""
    rules = {i: rule.broken for i, rule in enumerate(RULES) if rule.column == name and OF_ONE_COLUMN[i]}
    any_broken = texts.to_frame().select(broken.any().alias(str(i)) for i, broken in rules.items()).row(0)
    return [i for i, is_broken in zip(rules, any_broken, strict=True) if not is_broken]


def _label_is_declared(rows: pl.DataFrame, labels: Mapping[str, Sequence[str]]) -> pl.Series:
    """Return for each row whether its label is declared. True if the question declares no labels."""
    if not labels:
        return pl.repeat(True, rows.height, dtype=pl.Boolean, eager=True)
    declared_labels = {nfc(question): {tidy_label(nfc(label)) for label in names} for question, names in labels.items()}
    pairs = rows.select("question", "label").unique()
    is_known = [
        question not in declared_labels or _is_declared(label, declared_labels[question])
        for question, label in pairs.rows()
    ]
    joined = rows.select("question", "label").join(
        pairs.with_columns(pl.Series("known", is_known, dtype=pl.Boolean)),
        on=["question", "label"],
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )
    return joined["known"]


def _is_declared(label: str | None, declared_labels: set[str | None]) -> bool:
    return label is None or label in declared_labels or declared_labels.issuperset(labels_of_set(label))


def _rules() -> list[RowRule]:
    """List the rules for rows in order: the first one that a row breaks is the reason of the reject."""
    label = pl.col("label")
    rules = [RowRule(f"missing_{name}", name, pl.col(name).is_null()) for name in ("question", "item", "rater")]
    rules.append(RowRule("missing_label", "label", label.is_null() | label.str.to_lowercase().is_in(NOT_A_LABEL)))
    for name in (*IDS, "label"):
        rules.append(RowRule("bad_encoding", name, pl.col(name).str.contains("\0", literal=True)))
    for name in IDS:
        rules.append(RowRule("id_too_long", name, pl.col(name).str.len_chars() > MAX_ID_LENGTH))
    rules.append(RowRule("object_label", "label", label.str.contains(OBJECT)))
    rules.append(RowRule("label_too_long", "label", label.str.len_chars() > MAX_LABEL_LENGTH))
    rules.append(RowRule("bad_number", "label", label.is_in(INFINITE)))
    rules.append(RowRule("unknown_label", "label", ~pl.col("known")))
    rules.append(RowRule("bad_rater_kind", "rater_kind", ~pl.col("rater_kind").is_in(RATER_KINDS).fill_null(False)))
    rules.append(RowRule("bad_time", "rated_at", pl.col("raw_rated_at").is_not_null() & pl.col("rated_at").is_null()))
    for name in ("score", "duration_s"):
        no_number = pl.col(f"raw_{name}").is_not_null() & ~pl.col(name).is_finite().fill_null(False)
        negative = pl.col(name) < 0 if name == "duration_s" else pl.lit(False)
        rules.append(RowRule("bad_number", name, no_number | negative))
    return rules


RULES = _rules()
OF_ONE_COLUMN = [{*rule.broken.meta.root_names()} == {rule.column} for rule in RULES]


def _rejects(rows: pl.DataFrame, broken: pl.DataFrame, labels: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """Make one reject per row. `broken` has a boolean column per rule.

    Rows that break the same rules share one sentence in memory: a large file may have millions of rejects.
    """
    findings, places = _findings(rows["question"], broken, labels)
    value = pl.coalesce(
        pl.when(pl.col("rule") == i).then(pl.col(RULES[i].column).str.slice(0, MAX_VALUE_LENGTH))
        for i in findings["rule"].unique(maintain_order=True)
    )
    return rows.with_columns(findings[places]).select(
        "row_number", "column_name", value.alias("value"), "reason", "detail", *REJECT_KEYS
    )


def _findings(
    questions: pl.Series, broken: pl.DataFrame, labels: Mapping[str, Sequence[str]]
) -> tuple[pl.DataFrame, pl.Series]:
    """Return what a reject says: rule, column_name, reason, detail; and its place for each row.

    It is there once for all rows of a question that break the same rules. The detail may name the question's labels.
    """
    broken_rules = [i for i in range(len(RULES)) if broken[str(i)].any()]
    which = pl.sum_horizontal(pl.col(str(i)).cast(pl.UInt64) * (1 << i) for i in broken_rules)
    number = questions.cast(pl.Categorical(pl.Categories.random())).to_physical().cast(pl.UInt64)
    # A blank question has the number 0, too, but breaks a rule that no other one breaks.
    keys = broken.select(which.alias("key"))["key"] + number.fill_null(0) * (1 << len(RULES))
    alike = broken.select(str(i) for i in broken_rules).with_columns(questions, key=keys).unique("key").sort("key")
    sentence = pl.concat_str(
        [pl.when(pl.col(str(i))).then(_sentence(RULES[i], labels)) for i in broken_rules],
        separator=" ",
        ignore_nulls=True,
    )
    first = pl.coalesce(pl.when(pl.col(str(i))).then(pl.lit(i)) for i in broken_rules)
    findings = alike.select(first.alias("rule"), sentence.alias("detail")).with_columns(
        pl.col("rule").replace_strict({i: RULES[i].column for i in broken_rules}).alias("column_name"),
        pl.col("rule").replace_strict({i: RULES[i].reason for i in broken_rules}).alias("reason"),
    )
    return findings, alike["key"].search_sorted(keys)


def _sentence(rule: RowRule, labels: Mapping[str, Sequence[str]]) -> pl.Expr:
    text = pl.lit(REASONS[rule.reason])
    if rule.reason == "unknown_label":
        declared_labels = {question: ", ".join(names)[:300] for question, names in labels.items()}
        names = pl.col("question").replace_strict(declared_labels, default="", return_dtype=pl.String)
        return pl.concat_str(text, pl.lit(" Declared are: "), names, pl.lit("."))
    if rule.reason in ("bad_number", "id_too_long"):
        return pl.concat_str(text, pl.lit(f" It stands in {rule.column}."))
    return text


def _keep_contract(ratings: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Split the ratings into those that pandera accepts and rejects for the others.

    There are no such rejects unless a rule in RULES is missing.
    """
    from schemas.contracts import breaches

    failures = breaches("ratings", ratings)
    if failures.is_empty():
        return ratings, NO_REJECTS
    if failures["index"].null_count():
        failure = failures.row(0, named=True)
        raise ContractError(f"Validated ratings break their contract: {failure['column']}, {failure['check']}.")
    first = failures.group_by("index").agg(pl.all().first()).sort("index")
    rejects = (
        ratings.with_row_index("index")
        .with_columns(pl.col("index").cast(first["index"].dtype))
        .join(first, on="index", how="inner", maintain_order="left")
    )
    kept = pl.Series(range(ratings.height)).is_in(first["index"].to_list()).not_()
    return ratings.filter(kept), rejects.select(
        "row_number",
        pl.col("column").alias("column_name"),
        pl.col("failure_case").str.slice(0, MAX_VALUE_LENGTH).alias("value"),
        pl.lit("contract").alias("reason"),
        pl.concat_str(pl.lit(REASONS["contract"] + " It fails "), pl.col("check"), pl.lit(".")).alias("detail"),
        *REJECT_KEYS,
    )
