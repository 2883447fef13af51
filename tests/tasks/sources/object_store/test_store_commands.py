"""The installed command with a source in a bucket of a real S3 server."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

DAY = "item,rater,label\n" + "".join(f"{i},{r},{'yes' if i % 3 else 'no'}\n" for i in range(9) for r in ("a", "b"))


def test_a_bucket_is_swept_and_one_that_is_not_there_fails_the_run_and_stops_nothing(
    bucket: Any, tmp_path: Path, kappaflow: Any, kappaflow_json: Callable[..., Any], prefect_server: str
) -> None:
    bucket.put("labels/tone/monday.csv", DAY)
    bucket.put("elsewhere/mood.csv", DAY.replace("yes", "maybe"))
    project = tmp_path / "project"
    project.mkdir()
    gone = '[[source]]\npath = "s3://no-such-bucket/*.csv"\n'
    there = f'[[source]]\npath = "s3://{bucket.name}/labels/**/*.csv"\n'
    (project / "kappaflow.toml").write_text(gone + there)
    result = kappaflow("run", "--json", "--project", project, code=1, PREFECT_API_URL=prefect_server)
    assert "there is no bucket 'no-such-bucket'" in result.stdout
    assert "Traceback" not in result.stderr
    query = """
        select question, estimate from latest_agreement
        where coefficient = 'fleiss_kappa' and scope = 'humans' and period = 'all'
    """
    results = kappaflow_json("sql", query, "--project", project)
    assert results == [{"question": "tone", "estimate": 1.0}]

    (project / "kappaflow.toml").write_text(there)
    url = f"s3://{bucket.name}/elsewhere/*.csv"
    named = kappaflow_json("ingest", url, "--project", project, PREFECT_API_URL=prefect_server)
    assert [(file["file_name"], file["n_ratings"]) for file in named["files"]] == [("mood.csv", 18)]
    assert kappaflow_json("ingest", "--project", project, PREFECT_API_URL=prefect_server)["files"] == []
    assert not list((project / ".kappaflow" / "objects").glob("fetch-*"))
