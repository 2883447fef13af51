"""How the tests are spread over two workers."""

import pytest


def test_tests_that_need_the_server_run_in_one_worker(request: pytest.FixtureRequest, prefect_server: str) -> None:
    """Else each worker starts a Prefect server, and makes the demo's project, of its own."""
    in_groups = bool(request.config.getoption("loadgroup", False))
    assert request.node.nodeid.endswith("@prefect") == in_groups
