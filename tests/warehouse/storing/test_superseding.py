"""The superseding rule of store_batch against a plain Python model of it, on random sequences of batches."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from warehouse.batches import BatchCounts
from warehouse.maintenance.integrity import run_checks
from warehouse.migrate import migrate

Con = duckdb.DuckDBPyConnection
START = datetime(2026, 1, 1, tzinfo=UTC)
Row = tuple[str, str, int | None, str | None]  # item, label, rated_at in hours, system_version


@dataclass
class Version:
    label: str
    rated_at: datetime | None
    system_version: str | None
    arrived: datetime
    order: int

    @property
    def place(self) -> tuple[datetime, datetime, int]:
        given_at = self.rated_at or self.arrived
        return min(given_at, self.arrived), given_at, self.order

    @property
    def is_far_ahead(self) -> bool:
        return self.rated_at is not None and self.rated_at > self.arrived + timedelta(days=1)

    @property
    def is_plausible(self) -> bool:
        return self.rated_at is not None and not self.is_far_ahead

    def says(self, other: "Version") -> bool:
        return (self.label, self.system_version) == (other.label, other.system_version)


@dataclass
class Model:
    """The rule as words have it, one rating at a time."""

    current: dict[str, Version] = field(default_factory=dict)
    versions: dict[str, list[Version]] = field(default_factory=dict)

    def store(self, rows: list[Row], now: datetime, order: Iterator[int]) -> int:
        incoming: dict[str, list[Version]] = {}
        for item, label, hours, system_version in rows:
            rated_at = None if hours is None else START + timedelta(hours=hours)
            incoming.setdefault(item, []).append(Version(label, rated_at, system_version, now, next(order)))
        return sum(self._rate(item, versions) for item, versions in incoming.items())

    def _rate(self, item: str, incoming: list[Version]) -> int:
        known = self.versions.setdefault(item, [])
        fresh: list[Version] = []
        for version in incoming:
            earlier = [*known, *fresh]
            dated_repeat = version.rated_at is not None and any(
                version.says(other) and version.rated_at == other.rated_at for other in earlier
            )
            if not dated_repeat:
                fresh.append(version)
        latest = [self.current[item]] if item in self.current else []
        before, kept = None, []
        for version in sorted(latest + fresh, key=lambda version: version.place):
            if version in fresh and version.rated_at is None and before is not None and version.says(before):
                continue
            before = version
            kept.append(version)
        if kept:
            plausible = [version for version in kept if version.is_plausible]
            wrong = [v for v in kept if v.is_far_ahead and plausible and v.says(plausible[-1])]
            self.current[item] = next(version for version in reversed(kept) if version not in wrong)
        new = [version for version in kept if version not in latest]
        known.extend(new)
        return len(new)


@pytest.fixture(scope="module")
def shared() -> Iterator[Con]:
    """One warehouse in memory for all examples, each of which has a question of its own."""
    con = duckdb.connect()
    con.execute("set timezone = 'UTC'")
    migrate(con)
    yield con
    con.close()


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["i", "j"]),
        st.sampled_from(["A", "B"]),
        st.sampled_from([None, None, 1, 2, 3, 30, 99]),
        st.sampled_from([None, None, "v1"]),
    ),
    max_size=7,
)
numbers = count(1)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=st.lists(ROWS, min_size=1, max_size=4))
def test_the_rule_equals_its_model(shared: Con, store: Callable[..., BatchCounts], batches: list[list[Row]]) -> None:
    model, order, question = Model(), count(), f"q{next(numbers)}"
    for number, rows in enumerate(batches):
        start = shared.execute("select coalesce(max(ingested_at), $start) from batches", {"start": START}).fetchall()[
            0
        ][0]
        now = max(start + timedelta(seconds=1), START + timedelta(hours=24))
        as_rows = [
            {
                "question": question,
                "item": item,
                "rater": "ann",
                "label": label,
                "rated_at": None if hours is None else START + timedelta(hours=hours),
                "system_version": system_version,
            }
            for item, label, hours, system_version in rows
        ]
        counts = store(shared, f"{question}/{number}", as_rows, at=now)
        n_new = model.store(rows, now, order)
        assert (counts.n_ratings, counts.n_unchanged) == (n_new, len(rows) - n_new)
    table = shared.execute(
        "select item, label, rated_at, system_version from current_ratings where question = $q", {"q": question}
    ).fetchall()
    assert sorted(table, key=str) == sorted(
        ((item, v.label, v.rated_at, v.system_version) for item, v in model.current.items()), key=str
    )
    stored = shared.execute("select item, label, rated_at from ratings where question = $q", {"q": question}).fetchall()
    assert sorted(stored, key=str) == sorted(
        ((item, v.label, v.rated_at) for item, versions in model.versions.items() for v in versions), key=str
    )


def test_the_examples_left_a_sound_warehouse(shared: Con) -> None:
    assert not {name for name, rows in run_checks(shared).items() if rows.height}
