"""The pictures: each that is listed is there and small, and shows what it says."""

import re
import struct
from pathlib import Path

import pytest

from docs.browser import INSTALLED, MISSING, Picture, find_browser, open_page
from docs.screenshots import IMAGES, MAX_BYTES, PICTURES

PAGE = """<!doctype html><title>x</title><style>@media (prefers-color-scheme: dark) { p { color: red } }
@media print { p { display: none } }</style><p>text</p>"""


@pytest.mark.parametrize(("name", "picture"), [(name, picture) for name, _, _, picture in PICTURES])
def test_a_picture_is_there_with_its_size(name: str, picture: Picture) -> None:
    image = (IMAGES / f"{name}.png").read_bytes()
    assert len(image) < MAX_BYTES
    assert struct.unpack(">II", image[16:24]) == (picture.width, picture.height)


def test_no_picture_is_left_over() -> None:
    assert {path.stem for path in IMAGES.glob("*.png")} == {name for name, *_ in PICTURES}


def test_pages_use_some_of_them_and_name_no_other() -> None:
    root = IMAGES.parents[1]
    texts = [path.read_text(encoding="utf-8") for path in (root / "README.md", *root.glob("docs/**/*.md"))]
    used = {name for text in texts for name in re.findall(r"images/([\w-]+)\.png", text)}
    assert used
    assert used <= {name for name, *_ in PICTURES}


def test_the_browser_on_path_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_browser() == (str(INSTALLED) if INSTALLED.is_file() else None)
    (tmp_path / "google-chrome").write_text("#!/bin/sh\n")
    (tmp_path / "google-chrome").chmod(0o755)
    assert find_browser() == str(tmp_path / "google-chrome")


@pytest.mark.skipif(find_browser() is None, reason=MISSING)
def test_dark_and_print_are_taken_as_such(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    with open_page(str(find_browser())) as page:
        url = (tmp_path / "page.html").as_uri()
        images = [page.take(url, Picture(200, 100, dark=dark, media=media))
                  for dark, media in ((False, "screen"), (True, "screen"), (False, "print"))]  # fmt: skip
    assert len(set(images)) == 3
