"""The bundled example is what its generator writes, so that nobody edits the one without the other."""

from pathlib import Path

from examples.generate import main

DEMO = Path(__file__).parents[1] / "examples" / "demo"


def test_the_example_is_what_the_generator_writes(tmp_path: Path) -> None:
    main(tmp_path)
    written = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    bundled = {path.relative_to(DEMO) for path in DEMO.rglob("*") if path.is_file() and path.name != "kappaflow.toml"}
    assert written == bundled
    for name in written:
        assert (tmp_path / name).read_bytes() == (DEMO / name).read_bytes(), name
