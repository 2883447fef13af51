"""From text to typed ratings: every row becomes a rating or a reject with its reason, and they add up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from tasks.formats.base import Export
from tasks.formats.cells import labels_of_set, tidy_label
from tasks.formats.distinct import distinct
from tasks.formats.reasons import REASONS
from tasks.formats.rejects import REJECTS, VALUE_LENGTH
from tasks.formats.times import parse_times

ID_LENGTH = 1_000
LABEL_LENGTH = 4_000
RATER_KINDS = ("human", "system", "gold")
# What numeric tools write for no value, in any case. Words (null, none, NA) are labels: annotators and judges use them.
NOT_A_LABEL = ("nan", "-nan", "+nan")
INFINITE = ("inf", "-inf", "Infinity", "-Infinity")
IDS = ("question", "item", "rater", "system_version", "source_ref")
TEXTS = (*IDS, "rater_kind", "label")
RATINGS: dict[str, pl.DataType] = {
    "question": pl.String(),
    "item": pl.String(),
    "rater": pl.String(),
    "rater_kind": pl.String(),
    "system_version": pl.String(),
    "label": pl.String(),
    "rated_at": pl.Datetime("us", "UTC"),
    "score": pl.Float64(),
    "duration_s": pl.Float64(),
    "source_ref": pl.String(),
    "row_number": pl.Int64(),
}
"""The columns of accepted ratings. What makes a row acceptable is RULES here and schemas.ratings.Ratings there."""
OF_REJECTS = dict.fromkeys(("question", "item", "rater"), pl.String)
"""What a rejected row is about, as far as it could be read: null in the reader's rejects."""


@dataclass(frozen=True)
class Validated:
    """What became of an export. `ratings` is typed (schemas.ratings.Ratings; and n_items, if the rows have it),
    `rejects` has the reader's and ours: REJECTS and OF_REJECTS.

    n_rows = ratings.height + rejects.height + n_skipped, always.
    """

    ratings: pl.DataFrame
    rejects: pl.DataFrame
    n_rows: int
    n_skipped: int


@dataclass(frozen=True)
class Rule:
    """A row breaks the rule where `broken` holds; `column` is where the value at fault stands."""

    reason: str
    column: str
    broken: pl.Expr


def validate(export: Export, *, labels: Mapping[str, Sequence[str]] | None = None, contract: bool = True) -> Validated:
    """Cast the rows of an export and part them into ratings and rejects.

    `labels` are the declared labels of questions, any others' are free; a set of labels is a sorted JSON array, and
    each of its labels must be declared. A row that breaks several rules is one reject: `reason` is the first, `detail`
    has a sentence for each. With `contract` the ratings go through pandera as well (half a second to import), as
    everything should that enters the warehouse; what only pandera refuses is rejected as `contract`.
    """
    typed = _typed(export.rows, labels or {})
    broken = _broken(typed)
    bad = broken.select(pl.any_horizontal(pl.all()).alias("bad"))["bad"]
    good = typed.filter(~bad) if bad.any() else typed  # no second copy of ten million rows
    ratings = good.select(*RATINGS, *({"n_items"} & set(typed.columns)))
    rejects = _rejects(export.rows.filter(bad), broken.filter(bad), labels or {})
    if contract:
        ratings, refused = _keep_contract(ratings)
        rejects = pl.concat([rejects, refused])
    unread = export.rejects.with_columns(pl.lit(None, kind).alias(name) for name, kind in OF_REJECTS.items())
    everything = pl.concat([unread, rejects]).sort("row_number", nulls_last=True, maintain_order=True)
    n_rows = export.rows.height + export.rejects.height + export.n_skipped
    return Validated(ratings, everything, n_rows, export.n_skipped)


def _typed(rows: pl.DataFrame, labels: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """The rows with typed columns beside the texts (raw_) of time and numbers, and whether the label is known."""
    raw = {name: f"raw_{name}" for name in ("rated_at", "score", "duration_s")}
    return rows.rename(raw).with_columns(
        parse_times(rows["rated_at"]).alias("rated_at"),
        pl.col("raw_score").cast(pl.Float64, strict=False).alias("score"),
        pl.col("raw_duration_s").cast(pl.Float64, strict=False).alias("duration_s"),
        _known(rows, labels).alias("known"),
    )


def _broken(typed: pl.DataFrame) -> pl.DataFrame:
    """Side by side, which rows break each rule. A rule that no distinct text of its column breaks is not asked of ten
    million rows."""
    texts = {name: distinct(typed, name) for name in TEXTS}
    rules = {str(i): _asked(rule, texts.get(rule.column)).alias(str(i)) for i, rule in enumerate(RULES)}
    return typed.with_columns(rules.values()).select(list(rules))


def _asked(rule: Rule, texts: pl.Series | None) -> pl.Expr:
    alone = {*rule.broken.meta.root_names()} == {rule.column}
    if alone and texts is not None and not texts.to_frame().select(rule.broken.any()).item():
        return pl.lit(False)
    return rule.broken.fill_null(False)


def _known(rows: pl.DataFrame, labels: Mapping[str, Sequence[str]]) -> pl.Series:
    """Whether the label of each row is declared, or its question has no declared labels."""
    if not labels:
        return pl.repeat(True, rows.height, dtype=pl.Boolean, eager=True)
    declared = {question: {tidy_label(label) for label in names} for question, names in labels.items()}
    pairs = rows.select("question", "label").unique()
    known = [question not in declared or _is_declared(label, declared[question]) for question, label in pairs.rows()]
    joined = rows.select("question", "label").join(
        pairs.with_columns(pl.Series("known", known, dtype=pl.Boolean)),
        on=["question", "label"],
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )
    return joined["known"]


def _is_declared(label: str | None, declared: set[str | None]) -> bool:
    return label is None or label in declared or declared.issuperset(labels_of_set(label))


def _rules() -> list[Rule]:
    """Every way in which a row is no rating; the first that is broken names the reason."""
    label = pl.col("label")
    rules = [Rule(f"missing_{name}", name, pl.col(name).is_null()) for name in ("question", "item", "rater")]
    rules.append(Rule("missing_label", "label", label.is_null() | label.str.to_lowercase().is_in(NOT_A_LABEL)))
    for name in (*IDS, "label"):
        rules.append(Rule("bad_encoding", name, pl.col(name).str.contains("\0", literal=True)))
    for name in IDS:
        rules.append(Rule("id_too_long", name, pl.col(name).str.len_chars() > ID_LENGTH))
    rules.append(Rule("label_too_long", "label", label.str.len_chars() > LABEL_LENGTH))
    rules.append(Rule("bad_number", "label", label.is_in(INFINITE)))
    rules.append(Rule("unknown_label", "label", ~pl.col("known")))
    rules.append(Rule("bad_rater_kind", "rater_kind", ~pl.col("rater_kind").is_in(RATER_KINDS).fill_null(False)))
    rules.append(Rule("bad_time", "rated_at", pl.col("raw_rated_at").is_not_null() & pl.col("rated_at").is_null()))
    for name in ("score", "duration_s"):
        no_number = pl.col(f"raw_{name}").is_not_null() & ~pl.col(name).is_finite().fill_null(False)
        negative = pl.col(name) < 0 if name == "duration_s" else pl.lit(False)
        rules.append(Rule("bad_number", name, no_number | negative))
    return rules


RULES = _rules()


def _rejects(rows: pl.DataFrame, broken: pl.DataFrame, labels: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """One reject per row: `broken` says side by side which rules the row breaks."""
    first = pl.coalesce(pl.when(pl.col(str(i))).then(pl.lit(i)) for i in range(len(RULES)))
    which = broken.select(first.alias("rule"))["rule"]
    beside = rows.with_columns(broken)
    sentence = pl.concat_str(
        [pl.when(pl.col(str(i))).then(_sentence(rule, labels)) for i, rule in enumerate(RULES)],
        separator=" ",
        ignore_nulls=True,
    )
    value = pl.coalesce(
        pl.when(pl.col("rule") == i).then(pl.col(rule.column).str.slice(0, VALUE_LENGTH))
        for i, rule in enumerate(RULES)
    )
    names = {i: rule.column for i, rule in enumerate(RULES)}
    codes = {i: rule.reason for i, rule in enumerate(RULES)}
    return beside.with_columns(which).select(
        "row_number",
        pl.col("rule").replace_strict(names, return_dtype=pl.String).alias("column_name"),
        value.alias("value"),
        pl.col("rule").replace_strict(codes, return_dtype=pl.String).alias("reason"),
        sentence.alias("detail"),
        *OF_REJECTS,
    )


def _sentence(rule: Rule, labels: Mapping[str, Sequence[str]]) -> pl.Expr:
    text = pl.lit(REASONS[rule.reason])
    if rule.reason == "unknown_label":
        declared = {question: ", ".join(names)[:300] for question, names in labels.items()}
        names = pl.col("question").replace_strict(declared, default="", return_dtype=pl.String)
        return pl.concat_str(text, pl.lit(" Declared are: "), names, pl.lit("."))
    if rule.reason in ("bad_number", "id_too_long"):
        return pl.concat_str(text, pl.lit(f" It stands in {rule.column}."))
    return text


def _keep_contract(ratings: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The ratings that pandera accepts too, and rejects for the others: none, unless a rule above is missing."""
    from schemas import ContractError, breaches

    found = breaches("ratings", ratings)
    if found.is_empty():
        return ratings, pl.DataFrame(schema={**REJECTS, **OF_REJECTS})
    if found["index"].null_count():
        whole = found.row(0, named=True)
        raise ContractError(f"Validated ratings break their contract: {whole['column']}, {whole['check']}.")
    first = found.group_by("index").agg(pl.all().first()).sort("index")
    rejects = (
        ratings.with_row_index("index")
        .with_columns(pl.col("index").cast(first["index"].dtype))
        .join(first, on="index", how="inner", maintain_order="left")
    )
    kept = pl.Series(range(ratings.height)).is_in(first["index"].to_list()).not_()
    return ratings.filter(kept), rejects.select(
        "row_number",
        pl.col("column").alias("column_name"),
        pl.col("failure_case").str.slice(0, VALUE_LENGTH).alias("value"),
        pl.lit("contract").alias("reason"),
        pl.concat_str(pl.lit(REASONS["contract"] + " It fails "), pl.col("check"), pl.lit(".")).alias("detail"),
        *OF_REJECTS,
    )
