"""Question: {"server": {"command": [...]} | {"url": "..."}, "call": [name, arguments]}.
Answer: {client: {"protocol", "tools", "text", "error", "asked"}}.

Goes to a server with clients that know nothing of it: the official SDK by the handshake of 2025-11-25 and older, and
without one by 2026-07-28, and fastmcp. Every schema of a tool has to be valid draft 2020-12. `error` is true where the
call's result says so; `asked` holds what the server wanted to know of the user, who accepts with the first choice of
each list.
"""

import asyncio
import json
import sys
import warnings

warnings.filterwarnings("ignore")

import fastmcp  # noqa: E402: it warns while it is imported
import jsonschema  # noqa: E402
import mcp  # noqa: E402
from fastmcp.client.transports import StdioTransport  # noqa: E402
from mcp.types import ElicitResult  # noqa: E402

question = json.load(sys.stdin)
name, arguments = question["call"]


def names(tools):
    for tool in tools:
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        if tool.output_schema is not None:
            jsonschema.Draft202012Validator.check_schema(tool.output_schema)
    return sorted(tool.name for tool in tools)


def text(content):
    return "".join(block.text for block in content if block.type == "text")


def first(member):
    """The first that a list offers, in any of the ways in which a form can have one."""
    options = member.get("enum") or [option["const"] for option in member.get("oneOf", [])]
    return options[0] if options else None


async def official(mode):
    asked = []

    async def accept(_context, params):
        asked.append(params.message)
        form = params.requested_schema["properties"]
        chosen = {key: first(member) for key, member in form.items() if first(member) is not None}
        return ElicitResult(action="accept", content=chosen)

    server = question["server"].get("url")
    if server is None:
        command, *args = question["server"]["command"]
        server = mcp.StdioServerParameters(command=command, args=args)
    async with mcp.Client(server, mode=mode, elicitation_callback=accept) as client:
        tools, cursor = [], None
        while True:
            page = await client.list_tools(cursor=cursor)
            tools += page.tools
            cursor = page.next_cursor
            if cursor is None:
                break
        result = await client.call_tool(name, arguments)
        return {
            "protocol": client.protocol_version,
            "tools": names(tools),
            "text": text(result.content),
            "error": bool(result.is_error),
            "asked": asked,
        }


async def fast():
    server = question["server"].get("url")
    if server is None:
        command, *args = question["server"]["command"]
        server = StdioTransport(command=command, args=args)
    async with fastmcp.Client(server) as client:
        tools = await client.list_tools()
        try:
            result = await client.call_tool(name, arguments, raise_on_error=False)
        except mcp.MCPError as error:
            return {"tools": names(tools), "text": str(error), "error": True}
        return {"tools": names(tools), "text": text(result.content), "error": bool(result.is_error)}


async def main():
    return {"legacy": await official("legacy"), "modern": await official("2026-07-28"), "fastmcp": await fast()}


json.dump(asyncio.run(main()), sys.stdout)
