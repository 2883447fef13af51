"""The benchmark of low slices draws what it says, and counts what was named."""

from dataclasses import replace

from benchmarks.accuracy.slices import WORLDS, World, named_slices, table_row

LOW = World("low", 1, (400, 400), (0.5, 0.95), gold=100)


def test_a_planted_slice_is_named() -> None:
    assert named_slices(LOW, 1) == {"0"}
    assert named_slices(replace(LOW, right=(0.95, 0.95)), 1) == set()


def test_a_row_tells_right_names_from_wrong_ones() -> None:
    assert table_row(LOW, [{"0"}, {"0", "1"}, set(), {"0"}]) == "| low | 400 | 100 | 4 | .25 | .75 |"
    even = replace(LOW, right=(0.9, 0.9), items=(30, 300), gold=0)
    assert table_row(even, [{"0"}, set()]) == "| low | 30, 300 | 0 | 2 | .50 |  |"


def test_each_world_has_a_size_and_an_accuracy_for_each_slice() -> None:
    assert all(len(world.items) == len(world.right) for world in WORLDS)
