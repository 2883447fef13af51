"""What the servers of a project do to each other."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI

from flows.service.prefect_server import _start_one_at_a_time


def test_servers_of_one_project_start_one_after_the_other(tmp_path: Path) -> None:
    starting: list[int] = []
    most_at_once = 0

    def server() -> FastAPI:
        @asynccontextmanager
        async def lifespan(app: FastAPI) -> AsyncIterator[None]:
            nonlocal most_at_once
            starting.append(1)
            most_at_once = max(most_at_once, len(starting))
            await asyncio.sleep(0.01)
            starting.pop()
            yield

        app = FastAPI(lifespan=lifespan)
        _start_one_at_a_time(app, tmp_path / "home" / "starting.lock")
        return app

    async def serve(app: FastAPI, all_started: asyncio.Barrier) -> None:
        async with app.router.lifespan_context(app):
            await all_started.wait()  # a server that runs keeps no other from starting

    async def serve_five() -> None:
        all_started = asyncio.Barrier(5)
        await asyncio.wait_for(asyncio.gather(*(serve(server(), all_started) for _ in range(5))), 60)

    asyncio.run(serve_five())
    assert most_at_once == 1
