"""A server made with fastmcp, over HTTP on a port that the system chooses, which it prints.

With the argument `legacy` it refuses what is newer than the handshake, as servers did that did not know of it yet.
"""

import socket
import sys

import uvicorn
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server.dependencies import get_http_headers
from pydantic import BaseModel
from starlette.middleware import Middleware
from starlette.responses import JSONResponse

server = FastMCP("interop")


class Sum(BaseModel):
    sum: int


@server.tool(annotations={"readOnlyHint": True})
def add(a: int, b: int) -> Sum:
    """Adds two numbers."""
    return Sum(sum=a + b)


@server.tool(annotations={"readOnlyHint": True})
def fail(why: str) -> str:
    """Fails, and says why."""
    raise ToolError(f"it failed, since {why}")


@server.tool(annotations={"readOnlyHint": True})
def era() -> str:
    """Says which revision the client speaks."""
    return get_http_headers(include={"mcp-protocol-version"}).get("mcp-protocol-version", "unsaid")


@server.tool(annotations={"readOnlyHint": True})
async def slow(steps: int, context: Context) -> str:
    """Reports its progress."""
    for step in range(steps):
        await context.report_progress(step + 1, steps)
    return f"{steps} steps"


class Legacy:
    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        headers = dict(scope.get("headers", []))
        if headers.get(b"mcp-protocol-version") == b"2026-07-28":
            answer = JSONResponse(
                {
                    "jsonrpc": "2.0",
                    "id": None,
                    "error": {"code": -32000, "message": "Bad Request: Unsupported protocol version"},
                },
                status_code=400,
            )
            await answer(scope, receive, send)
        else:
            await self.app(scope, receive, send)


app = server.http_app(path="/mcp", middleware=[Middleware(Legacy)] if "legacy" in sys.argv else [])
listener = socket.create_server(("127.0.0.1", 0))
print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
