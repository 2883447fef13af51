from collections.abc import Iterator

import pytest

from tests.tasks.notify.webhook import Webhook, webhook


@pytest.fixture
def receiver() -> Iterator[Webhook]:
    """A webhook receiver on this machine."""
    with webhook() as opened:
        yield opened
