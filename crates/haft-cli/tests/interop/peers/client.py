"""Lists and calls the tools of an MCP server with a client that others wrote; says what it saw as JSON.

Standard input is {"client": "mcp" | "fastmcp", "mode": …, "command": […] | "url": …, "headers": {…}, "calls": [{"name", "arguments"}]};
`mode` is that of both clients: "legacy" (the handshake), "auto", or a revision without sessions.
"""

import asyncio
import contextlib
import json
import sys


async def main(wanted):
    async with connect(wanted) as client:
        print(json.dumps(await use(client, wanted)))


@contextlib.asynccontextmanager
async def connect(wanted):
    if wanted["client"] == "fastmcp":
        from fastmcp import Client
        from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

        if "command" in wanted:
            program, *arguments = wanted["command"]
            transport = StdioTransport(program, arguments, keep_alive=False)
        else:
            transport = StreamableHttpTransport(wanted["url"], headers=wanted.get("headers"))
        async with Client(transport, mode=wanted["mode"]) as client:
            yield client
    else:
        import httpx2
        from mcp import Client, StdioServerParameters
        from mcp.client.streamable_http import streamable_http_client

        if "command" in wanted:
            program, *arguments = wanted["command"]
            transport = StdioServerParameters(command=program, args=arguments)
            async with Client(transport, mode=wanted["mode"]) as client:
                yield client
        else:
            async with httpx2.AsyncClient(headers=wanted.get("headers")) as http:
                transport = streamable_http_client(wanted["url"], http_client=http)
                async with Client(transport, mode=wanted["mode"]) as client:
                    yield client


async def use(client, wanted):
    listed = await client.list_tools()
    tools = listed if isinstance(listed, list) else listed.tools
    answers = []
    for call in wanted["calls"]:
        try:
            invoke = getattr(client, "call_tool_mcp", client.call_tool)
            result = await invoke(call["name"], call["arguments"])
            answers.append(result.model_dump(mode="json", by_alias=True, exclude_none=True))
        except Exception as error:  # the answer was an error of the protocol, or one that the client found
            answers.append({"raised": str(error)})
    return {
        "era": client.protocol_version,
        "tools": [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools],
        "answers": answers,
    }


asyncio.run(asyncio.wait_for(main(json.load(sys.stdin)), timeout=90))
