"""Object stores in kappaflow.toml: what is allowed, and that a key in the wrong place is refused and not printed."""

from pathlib import Path

import pytest

from flows.settings.task_inputs import COMMAND_LINE, folder_sources, object_stores, sources_from_command_line
from tasks.errors import InputError
from tests.flows.settings.toml import project, refused

SECRET = "0123456789abcdef"


def test_a_path_with_a_scheme_is_a_store(tmp_path: Path) -> None:
    result = project(
        tmp_path,
        '[[source]]\npath = "s3://labels/day/**/*.json"\nendpoint = "http://localhost:9000/"\nregion = "eu-west-1"\n'
        'done = "move"\n[[source]]\npath = "gs://labels"\npattern = "*.csv"\nprefix = "night"\n'
        '[[source]]\npath = "in"\n',
    )
    first, second = object_stores(result)
    assert (first.name, str(first.address), first.pattern) == (
        "s3://labels/day/**/*.json",
        "s3://labels/day",
        "**/*.json",
    )
    assert (first.endpoint, first.region, first.move_done) == ("http://localhost:9000", "eu-west-1", True)
    assert (second.name, str(second.address), second.pattern) == ("night", "gs://labels", "*.csv")
    assert first.home.is_relative_to(tmp_path), "copies lie in the project"
    assert [folder.name for folder in folder_sources(result)] == ["in"]


def test_what_is_named_is_read_as_the_first_source_of_its_kind(tmp_path: Path) -> None:
    result = project(
        tmp_path,
        '[[source]]\npath = "in"\nquestion = "tone"\nfull_export = true\n[[source]]\npath = "s3://labels"\n'
        'endpoint = "http://localhost:9000"\nquestion = "mood"\ndone = "move"\n',
    )
    (folder,), (store,) = sources_from_command_line(result, ["/data/a.csv", "s3://other/*.csv"])
    assert (folder.name, folder.options.question, folder.full_export) == (COMMAND_LINE, "tone", False)
    assert (store.name, store.options.question, store.move_done) == (COMMAND_LINE, "mood", False)
    assert (store.endpoint, store.pattern) == ("http://localhost:9000", "*.csv")
    with pytest.raises(InputError, match="names one bucket"):
        sources_from_command_line(result, ["s3://*/labels"])


def test_what_is_named_has_the_endpoint_of_its_bucket_or_its_vendor_and_no_other(tmp_path: Path) -> None:
    result = project(
        tmp_path,
        '[[source]]\npath = "gs://labels"\nendpoint = "http://localhost:1"\n'
        '[[source]]\npath = "s3://first"\nendpoint = "http://localhost:2"\nregion = "eu-west-1"\n'
        '[[source]]\npath = "s3://second/*.csv"\nendpoint = "http://localhost:3"\n',
    )
    _, there = sources_from_command_line(
        result, ["s3://other/a.csv", "s3://second/b.csv", "gs://more/*.csv", "az://c/d.csv"]
    )
    ends = ["http://localhost:2", "http://localhost:3", "http://localhost:1", None]
    assert [store.endpoint for store in there] == ends
    assert [store.region for store in there] == ["eu-west-1", None, None, None]


WRONG = {
    'path = "s3://"': "names one bucket",
    'path = "s3://*/labels"': "names one bucket",
    'path = "az:///labels"': "names one container",
    'path = "s3://labels//day"': "no empty part",
    'path = "s3://labels/../day"': "no empty part",
    'path = "https://labels.example.com/day"': "begins with s3://, gs://, az://",
    'path = "s3://labels/*.csv"\npattern = "*.json"': "not in both",
    'endpoint = "http://localhost:9000"': "a folder has no endpoint",
    'path = "s3://labels"\nurl = "https://x.org"': "has no url",
    'path = "s3://labels"\nendpoint = "localhost:9000"': "such as 'http://localhost:9000'",
    'path = "s3://labels"\nregion = "Ireland"': "region",
    f'path = "s3://ann:{SECRET}@labels/day"': "stand in the environment",
    f'path = "s3://labels"\nendpoint = "http://ann:{SECRET}@localhost:9000"': "without name or key",
    f'path = "s3://labels"\nsecret_key = "{SECRET}"': "set them in the environment",
    f'path = "s3://labels"\naws_access_key_id = "{SECRET}"': "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    f'path = "az://labels"\naccount_key = "{SECRET}"': "AZURE_STORAGE_KEY",
    f'path = "gs://labels"\ncredentials = "{SECRET}"': "GOOGLE_APPLICATION_CREDENTIALS",
}


@pytest.mark.parametrize(("text", "sentence"), WRONG.items())
def test_what_cannot_be_is_said_and_no_key_is_printed(tmp_path: Path, text: str, sentence: str) -> None:
    output, hint = refused(tmp_path, f"[[source]]\n{text}\n")
    assert sentence in output
    assert SECRET not in f"{output} {hint}"
