from collections.abc import Iterator

import pytest

from tests.crash.worker import Worker, worker
from tests.shared import really_empty


@pytest.fixture(scope="session")
def child() -> Iterator[Worker]:
    """The process whose forks do the work."""
    with worker() as started:
        yield started


@pytest.fixture(scope="package", autouse=True)
def new_warehouses_are_empty() -> Iterator[None]:
    """A run is killed, and its disk is full, while it makes them, too."""
    with really_empty():
        yield
