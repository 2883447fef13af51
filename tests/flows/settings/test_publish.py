"""[[publish.target]] in kappaflow.toml: what is allowed, and that a password in the wrong place is not printed."""

from pathlib import Path

import pytest

from flows.settings.target_inputs import publish_targets
from flows.settings.template import settings_template
from tasks.publish.publish_targets import ParquetTarget, PostgresTarget
from tests.flows.settings.toml import project, refused

SECRET = "hunter2"
POSTGRES = '[[publish.target]]\ntype = "postgres"\n'
PARQUET = '[[publish.target]]\ntype = "parquet"\n'


def test_targets_are_in_their_order(tmp_path: Path) -> None:
    result = project(
        tmp_path,
        f'[publish]\nkeep = 3\n{POSTGRES}url_env = "BI"\nschema = "Team A"\ntables = "latest_*"\n'
        f'{PARQUET}path = "s3://bucket/team/"\nendpoint = "http://localhost:9000/"\nkeep = 0\n',
    )
    first, second = publish_targets(result)
    assert first == PostgresTarget("BI", "Team A", ("latest_*",))
    assert isinstance(second, ParquetTarget)
    assert (second.name, second.keep, second.tables) == ("s3://bucket/team", 0, ())
    assert second.store.endpoint == "http://localhost:9000"
    assert result.publishing == {"parquet": False, "keep": 3}


def test_one_target_needs_no_list_and_the_template_shows_it(tmp_path: Path) -> None:
    result = project(tmp_path, '[publish.target]\ntype = "postgres"\n')
    assert publish_targets(result) == [PostgresTarget("KAPPAFLOW_POSTGRES_URL", "kappaflow")]
    assert "# [[publish.target]]" in settings_template()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[publish.target]]\n", "publish.target.type: is required"),
        ('[[publish.target]]\ntype = "mysql"\n', "'postgres' or 'parquet'"),
        (PARQUET, "needs path, such as 's3://bucket/kappaflow'"),
        (f'{PARQUET}path = "/data"\n', "begins with s3://, gs://, az://"),
        (f'{PARQUET}path = "s3://bucket/*.parquet"\n', "is a prefix"),
        (f'{PARQUET}path = "s3://b"\nschema = "x"\n', "a target of type 'parquet' has no schema"),
        (f'{POSTGRES}path = "s3://b"\n', "a target of type 'postgres' has no path"),
        (f'{POSTGRES}schema = ""\n', "is the name of a schema"),
        (f'{POSTGRES}schema = "{"x" * 64}"\n', "is the name of a schema"),
        (f"{POSTGRES}{POSTGRES}", "each schema and each path is written once"),
        (f"{POSTGRES}view = 1\n", "allowed are type, url_env, schema, path, endpoint, region, keep, tables"),
        (f'{POSTGRES}url_env = "postgresql://u:{SECRET}@h/d"\n', "is the name of an environment variable"),
        (f'{POSTGRES}url = "postgresql://u:{SECRET}@h/d"\n', "takes no addresses with passwords"),
        (f'{POSTGRES}password = "{SECRET}"\n', "takes no addresses with passwords"),
        (f'{PARQUET}path = "s3://u:{SECRET}@bucket/x"\n', "keys and passwords stand in the environment"),
        (f'{PARQUET}path = "s3://b"\naws_secret_access_key = "{SECRET}"\n', "and no keys"),
    ],
)
def test_what_is_not_allowed_is_told_in_a_sentence(tmp_path: Path, text: str, message: str) -> None:
    error = " ".join(refused(tmp_path, text))
    assert message in error
    assert SECRET not in error
