"""Names of the data in messages."""

from tasks.errors import some


def test_names_in_a_message_cannot_turn_it_round() -> None:
    assert some(["a", "b\u202ec"]) == r"a, 'b\u202ec'"
    assert some([str(i) for i in range(12)]).endswith("9 and 2 more")
