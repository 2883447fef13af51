"""DuckDB's errors as sentences, and which of them may pass."""

import duckdb
import pytest

from flows.prefect_tasks import can_pass
from warehouse.errors import TornReadError, WarehouseBusyError, WarehouseError, duckdb_errors


def raised(message: str) -> WarehouseError:
    with pytest.raises(WarehouseError) as caught, duckdb_errors("store batch b4"):
        raise duckdb.IOException(message)
    return caught.value


def test_a_torn_read_may_pass_and_says_what_to_do_if_not() -> None:
    error = raised('IO Error: Could not read enough bytes from file "w.duckdb": attempted to read 262144 bytes')
    assert type(error) is TornReadError
    assert isinstance(error, WarehouseBusyError)
    assert str(error).startswith("The warehouse could not store batch b4: IO Error: Could not read enough bytes")
    assert "kappaflow doctor" in error.hint


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("IO Error: No space left on device", "The disk is full: the warehouse could not store batch b4."),
        (
            "Binder Error: no such column\n\nLINE 1",
            "The warehouse could not store batch b4: Binder Error: no such column",
        ),
    ],
)
def test_other_errors_do_not_pass(message: str, sentence: str) -> None:
    error = raised(message)
    assert type(error) is WarehouseError
    assert str(error) == sentence


def test_a_task_is_tried_again_after_what_may_pass() -> None:
    from prefect.states import Failed

    def passes(error: Exception) -> bool:
        return can_pass(None, None, Failed(data=error))  # type: ignore[arg-type]

    assert passes(TornReadError("torn"))
    assert not passes(WarehouseError("damaged"))
