from collections.abc import Iterator

import pytest

from tests.crash.worker import Worker, worker


@pytest.fixture(scope="session")
def child() -> Iterator[Worker]:
    """The process whose forks do the work."""
    with worker() as started:
        yield started
