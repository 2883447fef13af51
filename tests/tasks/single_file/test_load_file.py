"""What a single file says of its ratings."""

from pathlib import Path

from tasks.formats import ReadOptions
from tasks.single_file.load_file import FileOptions, load_file


def test_further_readings_that_count_as_raters_are_told(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("item,rater,label\n" + "".join(f"{i},ann,a\n{i},ann,b\n{i},ben,a\n" for i in range(4)))
    for rule, is_told in (("repeats", True), ("latest", False)):
        (question,) = load_file(file, FileOptions(ReadOptions(), duplicates=rule))
        told = [text for text in question.warnings if "3 raters are 2 annotators: further readings (ann #2)" in text]
        assert bool(told) == is_told
