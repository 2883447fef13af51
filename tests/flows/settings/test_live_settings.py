"""A live source in kappaflow.toml: what is allowed, and that a token in the wrong place is not printed."""

from pathlib import Path

import pytest

from flows.settings.task_inputs import folder_sources, live_sources
from tests.flows.settings.toml import project, refused

SECRET = "0123456789abcdef0123456789abcdef01234567"
LIVE = '[[source]]\ntype = "label_studio"\nurl = "https://label.example.com/"\nproject = [3, 7]\n'


def test_each_project_is_a_source_of_its_own(tmp_path: Path) -> None:
    result = project(tmp_path, LIVE + 'prefix = "day"\ncolumns = { item = "ticket" }\n[[source]]\npath = "inbox"\n')
    first, second = live_sources(result)
    assert (first.name, first.url, first.project, second.project) == ("day", "https://label.example.com", 3, 7)
    assert (first.token_env, first.page_size) == ("LABEL_STUDIO_API_KEY", 200)
    assert first.options.columns == {"item": "ticket"}
    assert first.stream != second.stream
    assert [folder.name for folder in folder_sources(result)] == ["inbox"]
    assert live_sources(project(tmp_path, "")) == []


WRONG = {
    'type = "label_studio"': "needs url and project",
    'type = "label_studio"\nurl = "https://x.org"': "needs url and project",
    'url = "https://x.org"': "a source of type 'folder' has no url",
    'page_size = 5\ntoken_env = "A"': "has no page_size, token_env",
    'type = "label_studio"\nurl = "https://x.org"\nproject = 1\nformat = "long"\npath = "a"': "has no format, path",
    'type = "label_studio"\nurl = "https://x.org"\nproject = 1\ncolumns = { rater = "a" }': "no rater",
    'type = "label_studio"\nurl = "x.org"\nproject = 1': "is the address of Label Studio",
    'type = "label_studio"\nurl = "https://x.org"\nproject = []': "project",
    'type = "label_studio"\nurl = "https://x.org"\nproject = 0': "project",
    'type = "label_studio"\nurl = "https://x.org"\nproject = "seven"': "project",
    'type = "label_studio"\nurl = "https://x.org"\nproject = 1\npage_size = 0': "page_size",
    f'type = "label_studio"\nurl = "https://ann:{SECRET}@x.org"\nproject = 1': "without name or token",
    f'type = "label_studio"\nurl = "https://x.org/?token={SECRET}"\nproject = 1': "without name or token",
    f'type = "label_studio"\nurl = "https://x.org"\nproject = 1\ntoken_env = "{SECRET}"': "environment variable",
    f'type = "label_studio"\nurl = "https://x.org"\nproject = 1\ntoken = "{SECRET}"': "token is not a setting",
}


@pytest.mark.parametrize(("text", "sentence"), WRONG.items())
def test_what_cannot_be_is_said_and_no_token_is_printed(tmp_path: Path, text: str, sentence: str) -> None:
    output, hint = refused(tmp_path, f"[[source]]\n{text}\n")
    assert sentence in output
    assert SECRET not in f"{output} {hint}"
