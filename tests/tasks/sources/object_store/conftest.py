"""A real S3 server of its own process (moto), and buckets in it."""

import itertools
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config

from tests.conftest import free_port, wait_until_it_answers

KEYS = {"AWS_ACCESS_KEY_ID": "somebody", "AWS_SECRET_ACCESS_KEY": "some secret", "AWS_REGION": "us-east-1"}
names = (f"bucket-{n}" for n in itertools.count(1))


@dataclass(frozen=True)
class Bucket:
    """A bucket of the server; `client` is boto3's."""

    name: str
    endpoint: str
    client: Any
    log: Path

    def put(self, key: str, text: str | bytes) -> None:
        self.client.put_object(Bucket=self.name, Key=key, Body=text)

    def keys(self) -> list[str]:
        """The keys of what is no empty marker of a folder."""
        listed = self.client.list_objects_v2(Bucket=self.name).get("Contents", [])
        return sorted(result["Key"] for result in listed if not result["Key"].endswith("/"))

    def n_fetched(self) -> int:
        """How many requests for the content of objects the server has had."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return sum(f"GET /{self.name}/" in line for line in lines)


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The server's address and its log."""
    port, log = free_port(), tmp_path_factory.mktemp("s3") / "server.log"
    endpoint = f"http://127.0.0.1:{port}"
    with log.open("wb") as out:
        server = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], stdout=out, stderr=out
        )
        try:
            wait_until_it_answers(f"{endpoint}/moto-api/", 60)
            yield endpoint, log
        finally:
            server.terminate()
            server.wait(20)


@pytest.fixture
def bucket(s3: tuple[str, Path], monkeypatch: pytest.MonkeyPatch) -> Bucket:
    """An empty bucket, and an environment with keys for it."""
    for name, value in {**KEYS, "AWS_ENDPOINT_URL": s3[0], "AWS_EC2_METADATA_DISABLED": "true"}.items():
        monkeypatch.setenv(name, value)
    client = boto3.client("s3", endpoint_url=s3[0], config=Config(s3={"addressing_style": "path"}))
    made = Bucket(next(names), s3[0], client, s3[1])
    client.create_bucket(Bucket=made.name)
    return made


@pytest.fixture
def denied(bucket: Bucket) -> Iterator[None]:
    """The server checks the keys, and knows none, as long as this lasts."""
    _check_keys(bucket.endpoint, "0")
    yield
    _check_keys(bucket.endpoint, "inf")


def _check_keys(endpoint: str, from_request: str) -> None:
    headers = {"Content-Type": "application/octet-stream"}
    request = urllib.request.Request(f"{endpoint}/moto-api/reset-auth", from_request.encode(), headers, method="POST")
    with urllib.request.urlopen(request, timeout=10):
        pass
