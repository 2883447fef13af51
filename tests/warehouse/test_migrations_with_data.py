"""A warehouse of every earlier version, filled as that version would have, comes to the newest with all that it held.

A new migration that adds a table, or changes what a row must have, gets its line in DATA.
"""

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest

from tests.warehouse.conftest import PATTERN_TABLES
from warehouse import migrate as module
from warehouse import sql
from warehouse.batches import BatchCounts
from warehouse.connect import connect
from warehouse.maintenance.integrity import run_checks
from warehouse.migrate import current_version, migrate, migrations, view_order
from warehouse.patterns import rebuild

Con = duckdb.DuckDBPyConnection
Table = tuple[str, str]
TIME = "'2026-02-01 10:00:00+00'"
# Version -> what a user of it has in the tables that it brought: one question, two items, two raters; one rating was
# edited, one row refused, one system answered.
DATA = {
    1: f"""
        insert into internal.questions values (1, 'tone', 1);
        insert into internal.items values (1, 1, 'i1'), (2, 1, 'i2');
        insert into internal.raters values (1, 'ann'), (2, 'bot');
        insert into internal.labels values (1, 'kind'), (2, 'rude');
        insert into internal.batches values (1, 'b1');
        insert into internal.batch_questions values (1, 1, 4, 0);
        insert into internal.item_metadata values (1, 'language', 'de');
        insert into internal.ratings (rating_id, question_id, item_id, rater_id, rater_kind, system_version, label_id,
            rated_at, score, duration_s, batch_no, row_number, source_ref, ingested_at, superseded_at, deleted_at)
        values (1, 1, 1, 1, 'human', null, 1, {TIME}, null, 2.5, 1, 1, 'a1', {TIME}, {TIME}, null),
            (2, 1, 1, 1, 'human', null, 2, {TIME}, null, 3.5, 1, 2, 'a2', {TIME}, null, null),
            (3, 1, 2, 1, 'human', null, 2, null, null, null, 1, 3, null, {TIME}, null, null),
            (4, 1, 2, 2, 'system', 'v1', 2, null, 0.75, null, 1, 4, null, {TIME}, null, null);
    """,
    2: f"""
        insert into batches (batch_id, source, file_name, sha256, reader, status, attempt, settings_hash, n_rows,
            n_ratings, n_unchanged, n_skipped, n_rejected, started_at, ingested_at)
        values ('b1', 'inbox', 'tone.csv', 'f00', 'long', 'stored', 1, 's', 6, 4, 0, 1, 1, {TIME}, {TIME});
        insert into rejected_rows (batch_id, file_name, row_number, column_name, value, reason, detail, attempt,
            rejected_at)
        values ('b1', 'tone.csv', 5, 'label', 'kin', 'label_unknown', 'Is no label.', 1, {TIME});
    """,
    3: f"""
        insert into runs (run_id, kind, question, status, code_version, settings, settings_hash, seed, input_revision,
            n_ratings, started_at, ended_at)
        values ('r1', 'evaluate', 'tone', 'succeeded', '0.1', '[]', 's', 0, 1, 3, {TIME}, {TIME});
    """,
    4: """
        insert into agreement (run_id, question, scope, period, coefficient, scale, estimate, low, high, n_ratings)
        values ('r1', 'tone', 'humans', 'all', 'krippendorff_alpha', 'nominal', 0.5, 0.25, 0.75, 2);
    """,
    5: """
        insert into pairwise_agreement (run_id, question, rater_a, rater_b, coefficient, estimate, n_items)
        values ('r1', 'tone', 'ann', 'bot', 'percent_agreement', 1, 1);
        insert into rater_quality (run_id, question, rater, rater_kind, n_ratings, accuracy)
        values ('r1', 'tone', 'ann', 'human', 2, 0.875);
    """,
    6: """
        insert into system_accuracy (run_id, question, system, system_version, method, accuracy, n_items, warnings)
        values ('r1', 'tone', 'bot', 'v1', 'average', 0.75, 1, ['too few']);
        insert into accuracy_bins (run_id, question, system, bin_low, bin_high, n_items, agreement, estimate)
        values ('r1', 'tone', 'bot', 0.5, 1, 1, 1, 0.75);
        insert into assumption_checks (run_id, question, name, statistic, p_value, effect)
        values ('r1', 'tone', 'raters', 1.5, 0.25, 0.125);
    """,
    7: f"""
        insert into alerts (alert_id, question, kind, severity, opened_at, evidence)
        values ('a1', 'tone', 'low_agreement', 'critical', {TIME}, 'alpha 0.5');
    """,
    8: "insert into internal.declared_kinds values (1, 2, 'system');",
    9: """
        insert into system_differences (run_id, question, system_a, system_b, difference, n_items)
        values ('r1', 'tone', 'bot', 'bot2', 0.25, 1);
        insert into systems_against_raters (run_id, question, system, compared_with, accuracy)
        values ('r1', 'tone', 'bot', 'average', 0.75);
        insert into annotator_tests (run_id, question, system, winning_rate, passes)
        values ('r1', 'tone', 'bot', 0.5, true);
        insert into label_quality (run_id, question, rater, label, precision, recall)
        values ('r1', 'tone', 'bot', 'rude', 0.75, 0.5);
    """,
    10: f"insert into internal.arrivals values (1, {TIME});",
    11: f"""
        insert into internal.live_cursors (stream, cursor_at) values ('s', {TIME});
        insert into internal.live_tasks (stream, task, state, n_predictions) values ('s', '7', 'f00', 1);
        insert into internal.live_answers (stream, task, question, item, source_ref)
        values ('s', '7', 'tone', 'i1', 'a2');
    """,
    12: f"""
        insert into internal.patterns values (1, 1, md5_number('1 human 2')),
            (2, 1, xor(md5_number('1 human 2'), md5_number('2 system 2')));
        update internal.pattern_numbers set last_number = 2;
        insert into internal.pattern_ratings values (1, 1, 'human', 2), (2, 1, 'human', 2), (2, 2, 'system', 2);
        insert into internal.item_patterns values (1, 1, 1, {TIME}), (2, 1, 2, {TIME});
        insert into internal.pattern_counts values (1, '2026-02-01', 1, 1), (1, '2026-02-01', 2, 1);
        insert into internal.batch_patterns values (1, 1, 1, 1), (1, 1, 2, 1);
        insert into internal.batch_windows values (1, 1, {TIME}, {TIME});
        insert into internal.version_counts values (1, 2, 'v1', 1);
        insert into internal.pattern_consensus (run_id, question_id, pattern_id, label, probability, entropy, n_ratings)
        values ('r1', 1, 2, 'rude', 0.875, 0.5, 2);
    """,
    20: """
        insert into internal.version_day_counts values (1, '2026-02-01', 2, 2, 'v1', 1);
        insert into internal.duration_counts values (1, '2026-02-01', 1, 3.5, 1);
        insert into internal.rater_day_counts
        values (1, '2026-02-01', 1, 'human', 2), (1, '2026-02-01', 2, 'system', 1);
        insert into internal.changed_days values (1, '2026-02-01', 1);
    """,
    21: f"""
        insert into internal.chart_states (question_id, revision, charted_until, settings, n_accepted, sections)
        values (1, 1, '2026-02-01', '[]', 0, '{{}}');
        insert into internal.chart_sums values (1, 'main', 'agreement', null, null, '2026-02-01', 2, 1000000);
        insert into internal.version_sums values (1, 'main', 'bot', 'v1', '2026-02-01', 1, 1000000, 0.5, 0.25);
        insert into internal.chart_points
        values (1, 'agreement', null, null, '2026-02-01', 2, 0.5, 0.25, 0.75, 0, 1000, true);
        insert into missing_charts values ('tone', 'rater', 'ann', 'too_few_items', 'Too few.');
        insert into version_comparisons
            (question, system, old_version, version, first_day, decided_on, n_before, n_after)
        values ('tone', 'bot', 'v1', 'v2', '2026-02-01', '2026-02-01', 1, 1);
        insert into accepted_changes values ('tone', 'rater', 'ann', '2026-02-01', {TIME}, 'eve', 'a1');
        insert into messages (message_id, incident_id, question, event, alert_ids, channel, written_at, n_attempts)
        values ('m1', 'a1', 'tone', 'opened', ['a1'], 'KAPPAFLOW_NOTIFY_URL', {TIME}, 0);
    """,
    23: """
        insert into label_rates (run_id, question, scope, system, label, method, estimate)
        values ('r1', 'tone', 'all', 'bot', 'rude', 'ppi', 0.5);
        insert into label_rate_differences (run_id, question, system, version_a, version_b, label, method, difference)
        values ('r1', 'tone', 'bot', 'v1', 'v2', 'rude', 'ppi', 0.25);
    """,
    26: f"""
        insert into label_windows (run_id, question, period, period_start, period_end, label, n_items, n_ratings, share,
            low, high, confidence, too_few)
        values ('r1', 'tone', 'batch', {TIME}, {TIME}, 'rude', 2, 1, 0.5, 0.25, 0.75, 0.95, true);
        insert into label_confusion_windows (run_id, question, period, label_a, label_b, n_items, n_pairs, share, low,
            high, confidence, too_few)
        values ('r1', 'tone', 'last_n', 'kind', 'rude', 2, 1, 0.5, 0.25, 0.75, 0.95, true);
    """,
    27: f"""
        insert into audits (audit_id, question, seed, design, n_items, n_population, drawn_at)
        values ('u1', 'tone', 1, 'random', 1, 2, {TIME});
        insert into audit_items (audit_id, question, item, place, inclusion_probability)
        values ('u1', 'tone', 'i1', 1, 0.5);
    """,
    28: f"insert into internal.forgotten_raters values ('f00', 'rater-1a2b3c4d', 1, {TIME});",
    29: """
        insert into rater_scorecards (run_id, question, rater, n_ratings, n_items, confidence, n_gold)
        values ('r1', 'tone', 'ann', 2, 1, 0.95, 0);
        insert into rater_bias (run_id, question, rater, label, n_items, confidence)
        values ('r1', 'tone', 'ann', 'rude', 1, 0.95);
    """,
    31: """
        insert into rater_windows (run_id, question, period, rater, n_items, n_shared, accuracy, confidence, too_few)
        values ('r1', 'tone', 'last_n', 'ann', 2, 1, 0.5, 0.95, true);
        insert into system_windows (run_id, question, period, system, n_items, n_shared, accuracy, confidence, too_few)
        values ('r1', 'tone', 'last_n', 'bot', 2, 1, 0.5, 0.95, true);
    """,
    32: f"""
        insert into batches (batch_id, source, file_name, sha256, reader, status, attempt, settings_hash, n_rows,
            n_ratings, n_unchanged, n_skipped, n_rejected, started_at, ingested_at)
        values ('v1', 'inbox', 'votes.csv', 'f01', 'pairwise_table', 'stored', 1, 's', 1, 1, 0, 0, 0, {TIME}, {TIME});
        insert into internal.batches values (2, 'v1');
        insert into internal.arrivals values (2, {TIME});
        insert into internal.preferences
        values (1, 1, 'i1', 'i1', 'm1', 'm2', 'model_a', 'tie', 1, 'human', 2, 1, {TIME}, null);
        insert into model_strengths (run_id, question, model, confidence, n_votes, n_wins, n_losses, n_ties, votes_of,
            interval_method)
        values ('r1', 'tone', 'm1', 0.95, 1, 0, 0, 1, 'people', 'information');
        insert into preference_figures (run_id, question, figure, confidence)
        values ('r1', 'tone', 'first_wins', 0.95);
    """,
    33: """
        insert into label_rate_windows (run_id, question, period, system, label, method, estimate, n_items, n_gold,
                                        confidence, too_few)
        values ('r1', 'tone', 'last_n', 'bot', 'kind', 'raw', 0.5, 2, 0, 0.95, true);
    """,
    34: """
        insert into audit_strata (audit_id, question, stratum, n_items, n_population)
        values ('a1', 'tone', 'de', 1, 2);
    """,
    35: """
        insert into internal.day_item_counts values (1, '2026-02-01', 2);
        insert into internal.label_counts values (1, 2, 3);
        update internal.chart_states set detector = '{}';
    """,
    36: f"""
        insert into batches (batch_id, source, file_name, sha256, reader, status, attempt, settings_hash, n_rows,
            n_ratings, n_unchanged, n_skipped, n_rejected, started_at, ingested_at)
        values ('w1', 'inbox', 'spans.json', 'f02', 'label_studio', 'stored', 1, 's', 1, 1, 0, 0, 0, {TIME}, {TIME});
        insert into internal.batches values (3, 'w1');
        insert into internal.arrivals values (3, {TIME});
        insert into internal.region_work (work_id, question_id, item, rater_id, rater_kind, regions, n_spans, n_boxes,
            text_length, batch_no, ingested_at, withdrawn_at)
        values (1, 1, 'i1', 1, 'human', '[[0,4,"PER"]]', 1, 0, 20, 3, {TIME}, null);
        insert into region_agreement (run_id, question, coefficient, estimate, low, high, confidence, interval_method,
            n_items, n_raters, n_regions)
        values ('r1', 'tone', 'f1_exact', 0.5, 0.4, 0.6, 0.95, 'jackknife', 2, 2, 3);
    """,
    37: """
        insert into region_windows (run_id, question, period, coefficient, estimate, low, high, confidence,
            interval_method, n_items, n_raters, n_regions, too_few)
        values ('r1', 'tone', 'last_n', 'f1_exact', 0.5, 0.4, 0.6, 0.95, 'jackknife', 2, 2, 3, true);
    """,
    38: """
        insert into internal.datasets values ('ratings', 's');
        insert into internal.questions values (90, 'counted', 0);
        insert into internal.dataset_files (source, file_name, size, modified_ns, footer, n_rows, batch_no)
        values ('ratings', 'a.parquet', 4, 1, 'f00', 2, 1);
        insert into internal.dataset_questions values (90, 'ratings');
        insert into internal.dataset_last_items values (90, 'i1', 1, 1, '2026-02-01 10:00:00+00');
    """,
    39: """
        update system_accuracy set gold_origin = 'drawn';
        update rater_quality set gold_origin = 'unknown';
        insert into shared_errors (run_id, question, correlation, confidence, n_effective, n_items)
        values ('r1', 'tone', 0.25, 0.95, 1.5, 2);
    """,
    40: "update internal.region_work set source_ref = 'annotation:1'",
    41: "insert into item_distances values ('r1', 'tone', 'i1', 'ann', 'ben', 'PER', 'f1_exact', 2, 3)",
    42: f"""
        insert into internal.window_digests
        values ('tone', 'labels', 'batch', {TIME}, {TIME}, 'b1', 'f00', 'r1');
    """,
    43: """
        insert into internal.dataset_unreadable values ('ratings', 'b.parquet', 4, 1, 'no complete Parquet file');
        insert into internal.dataset_versions values ('ratings', 3, '2026-02-01 10:00:00+00');
        update internal.dataset_files set first_item = 'i1', last_item = 'i2';
    """,
    44: "insert into internal.slice_counts values (1, 'language', 'de', 1, 1)",
}
# First version -> the last one, and what was in a table that the next one took away.
FORMER = {
    (5, 11): """
        insert into item_consensus (run_id, question, item, label, probability, entropy, n_ratings)
        values ('r1', 'tone', 'i2', 'rude', 0.875, 0.5, 2);
    """,
}


def tables(con: Con) -> list[Table]:
    result = con.sql("select schema_name, table_name from duckdb_tables() where table_name <> 'ledger' order by all")
    return [(schema, name) for schema, name in result.fetchall()]


def content(con: Con, shape: dict[Table, list[str]]) -> dict[Table, list[str]]:
    """The rows of each table in the columns that it had."""
    return {
        (schema, name): sorted(map(repr, con.execute(f"select {', '.join(columns)} from {schema}.{name}").fetchall()))
        for (schema, name), columns in shape.items()
    }


def fill(con: Con, version: int) -> None:
    """What kappaflow of that version leaves beside its tables: such of today's views as bind to it, and its data."""
    for name in view_order():
        try:
            con.execute(sql.texts("views")[name].partition("comment on")[0])
        except duckdb.Error:
            continue
    module._note(con, "views", None, "views", "those of then")
    for number in range(1, version + 1):
        con.execute(DATA.get(number, ""))
    for (first, last), rows in FORMER.items():
        if first <= version <= last:
            con.execute(rows)


def versions(first: int = 1, last: int = len(migrations())) -> list[Any]:
    """The versions to try. Tests of one version run in one worker, which makes its files once."""
    return [pytest.param(version, marks=pytest.mark.xdist_group(f"version {version}"))
            for version in range(first, last + 1)]  # fmt: skip


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """A warehouse with the migrations up to a version: a copy of the one before, and one more."""
    folder = tmp_path_factory.mktemp("empty")

    @cache
    def empty(version: int) -> Path:
        path = folder / f"{version}.duckdb"
        if version:
            shutil.copyfile(empty(version - 1), path)
        with connect(path) as con:
            if version:
                module._apply(con, migrations()[version - 1])
            else:
                module._ledger(con)
        return path

    return empty


@pytest.fixture(scope="module")
def filled(empty: Callable[[int], Path], tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """A warehouse of a version with its data."""
    folder = tmp_path_factory.mktemp("filled")

    @cache
    def filled(version: int) -> Path:
        path = shutil.copyfile(empty(version), folder / f"{version}.duckdb")
        with connect(path) as con:
            fill(con, version)
        return path

    return filled


class Migrated(NamedTuple):
    """A warehouse of a version after it was brought to the newest one, and the names of what that took."""

    path: Path
    names: list[str]


@pytest.fixture(scope="module")
def migrated(filled: Callable[[int], Path], tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Migrated]:
    folder = tmp_path_factory.mktemp("migrated")

    @cache
    def migrated(version: int) -> Migrated:
        path = shutil.copyfile(filled(version), folder / f"{version}.duckdb")
        with connect(path) as con:
            return Migrated(path, migrate(con))

    return migrated


@pytest.mark.parametrize("version", versions())
def test_a_warehouse_of_an_earlier_version_keeps_all_it_has(
    path: Path,
    store: Callable[..., BatchCounts],
    filled: Callable[[int], Path],
    migrated: Callable[[int], Migrated],
    version: int,
) -> None:
    with connect(filled(version), read_only=True) as con:
        shape = {(schema, name): con.table(f"{schema}.{name}").columns for schema, name in tables(con)}
        before = content(con, shape)
        assert all(before.values()), "each table of that version has a row: see DATA"
    assert migrated(version).names == [*(each.name for each in migrations()[version:]), "views"]
    shutil.copyfile(migrated(version).path, path)
    with connect(path) as con:
        assert current_version(con) == len(migrations())
        assert content(con, shape) == before
        assert migrate(con) == []
        for name in view_order():
            con.execute(f"from {name}").fetchall()
        if version >= 2:  # version 1 has no public batches, so its ratings had none
            assert {name for name, rows in run_checks(con).items() if rows.height} == set()
    with connect(path) as con:
        rows = [{"question": "tone", "item": item, "rater": "eve", "label": "kind"} for item in ("i2", "i3")]
        assert store(con, "b2", rows).n_ratings == 2
        assert con.execute("select item, rater, label from current_ratings order by all").fetchall() == [
            ("i1", "ann", "rude"), ("i2", "ann", "rude"), ("i2", "bot", "rude"), ("i2", "eve", "kind"),
            ("i3", "eve", "kind"),
        ]  # fmt: skip


@pytest.mark.field_trial(16)
def test_truth_values_get_their_one_spelling_where_the_warehouse_has_one(
    path: Path, filled: Callable[[int], Path]
) -> None:
    shutil.copyfile(filled(13), path)
    with connect(path) as con:
        con.execute("insert into internal.labels values (3, 'TRUE'), (4, 'False'), (5, 'false'), (6, 'untrue')")
        migrate(con)
        assert con.sql("select label from internal.labels order by label_id").fetchall() == [
            ("kind",), ("rude",), ("true",), ("False",), ("false",), ("untrue",),
        ]  # fmt: skip


@pytest.mark.parametrize("version", versions(2, 9))
def test_arrivals_are_those_of_the_batches_that_were_there(migrated: Callable[[int], Migrated], version: int) -> None:
    with connect(migrated(version).path, read_only=True) as con:
        assert con.sql("select batch_no, arrived_at::varchar from internal.arrivals").fetchall() == [
            (1, "2026-02-01 10:00:00+00")
        ]


@pytest.mark.parametrize("version", versions())
def test_the_patterns_are_those_of_the_ratings_that_were_there(
    path: Path, migrated: Callable[[int], Migrated], version: int
) -> None:
    shutil.copyfile(migrated(version).path, path)
    with connect(path) as con:
        kept = {name: con.table(f"internal.{name}").order("all").fetchall() for name in PATTERN_TABLES}
        assert all(kept.values())
        rebuild(con)
        assert {name: con.table(f"internal.{name}").order("all").fetchall() for name in PATTERN_TABLES} == kept


@pytest.mark.parametrize("version", versions(5, 11))
def test_the_consensus_of_a_question_that_changed_since_is_left_to_the_next_run(
    path: Path, filled: Callable[[int], Path], version: int
) -> None:
    shutil.copyfile(filled(version), path)
    with connect(path) as con:
        con.execute("update internal.questions set revision = 2")
        migrate(con)
        assert con.table("item_consensus").fetchall() == []


@pytest.mark.parametrize("version", versions(6))
def test_the_views_show_what_was_there(migrated: Callable[[int], Migrated], version: int) -> None:
    with connect(migrated(version).path, read_only=True) as con:
        rows = con.sql("select estimate, low, high, n_ratings from latest_agreement").fetchall()
        assert rows == [(0.5, 0.25, 0.75, 2)]
        assert con.sql("select system, accuracy, scope from latest_system_accuracy").fetchall() == [
            ("bot", 0.75, "all")
        ]
        assert con.sql("select rater, accuracy from rater_leaderboard where rater = 'ann'").fetchall() == [
            ("ann", 0.875)
        ]
        assert con.sql("select value from item_metadata").fetchall() == [("de",)]
        assert con.sql("select reason from current_rejected_rows").fetchall() == [("label_unknown",)]
