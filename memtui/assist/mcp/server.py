"""The server on stdio, in both eras of the protocol. Nothing but `memtui mcp` imports this: the SDK takes 0.7 s."""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit
from urllib.request import url2pathname

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from memtui import __version__
from memtui.assist.mcp.confirming import Confirming, Deferred, Incoming
from memtui.assist.mcp.tools import INSTRUCTIONS, Tool, checked, tools_for
from memtui.errors import MemtuiError
from memtui.text.sanitize import tame

if TYPE_CHECKING:
    from memtui.assist.mcp.changing import Changing
    from memtui.assist.mcp.place import Place
    from memtui.assist.mcp.seeing import Answer, Seeing

AT_ONCE = 4  # Calls of one client that are worked on at a time
ROOTS_SECONDS = 2.0  # How long a client may take to name its roots
LONGEST_SESSION = 200
PAYLOAD, MEMORY = "memtui://payload/", "memtui://memory/"

_Context = ServerRequestContext[Any, Any]
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Client:
    """Who calls, and in which session: the client's own where it names one, as Codex does, else this process."""

    name: str
    session: str


@dataclass(slots=True)
class MemoryServer:
    """One process that serves one client."""

    open_place: Callable[[], Place]  # called once: what it imports is not waited for before the handshake
    tools: tuple[Tool, ...]
    agent: str | None = None  # the name that was given on the command line; else the client's own
    _place: Place | None = None
    _opening: threading.Lock = field(default_factory=threading.Lock)
    _session: str = field(default_factory=lambda: f"mcp-{uuid.uuid4().hex}")
    _confirming: Confirming = field(default_factory=Confirming)
    _limiter: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(AT_ONCE))
    _rooting: anyio.Lock = field(default_factory=anyio.Lock)
    _has_roots: bool = False
    _writing: threading.Lock = field(default_factory=threading.Lock)
    _seeing: dict[tuple[str, str], Seeing] = field(default_factory=dict)

    @property
    def place(self) -> Place:
        """Where this server works."""
        with self._opening:
            if self._place is None:
                self._place = self.open_place()
            return self._place

    def protocol(self) -> Server[Any]:
        """Return the server as the SDK runs it."""
        return Server(
            "memtui",
            version=__version__,
            title="memtui",
            instructions=INSTRUCTIONS,
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            on_list_resources=self.list_resources,
            on_list_resource_templates=self.list_templates,
            on_read_resource=self.read_resource,
        )

    # -- tools ------------------------------------------------------------------------------------

    async def list_tools(
        self, _context: _Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        # The first call follows soon.
        threading.Thread(target=_load, name="load", daemon=True).start()
        return types.ListToolsResult(tools=[_shown(tool) for tool in self.tools])

    async def call_tool(
        self, context: _Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Answer a call; whatever goes wrong in it is a result that the model can read."""
        tool = next((one for one in self.tools if one.name == params.name), None)
        if tool is None:
            raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown tool: {tame(params.name, 60)}")
        try:
            arguments = checked(tool, params.arguments or {})
            await self._find_roots(context)
            client = self._client(context)
            if tool.name == "memory_decide":
                asked = await self._worked(lambda: self._changed_by(client).question(arguments))
                await self._confirming.confirm(context, params, arguments, asked)
            answer, text = await self._worked(lambda: self._answer(tool, arguments, client))
        except Deferred as deferred:
            return deferred.question
        except Exception as error:  # noqa: BLE001 - an assistant goes on working whatever fails here
            return _failed(error)
        return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=answer)

    def _answer(self, tool: Tool, arguments: Mapping[str, Any], client: _Client) -> tuple[Answer, str]:
        """Return what a tool answers, as a structure and as text."""
        from memtui.assist.mcp.tools import text_of

        answer = self._acted(tool, arguments, client)
        return answer, text_of(tool.name, answer)

    def _acted(self, tool: Tool, arguments: Mapping[str, Any], client: _Client) -> Answer:
        from memtui.assist.mcp.checking import check

        seeing = self._seen_by(client)
        if tool.read_only and tool.name != "memory_inbox":
            reads: dict[str, Callable[[Mapping[str, Any]], Answer]] = {
                "memory_context": seeing.context,
                "memory_search": seeing.search,
                "memory_get": seeing.get,
                "memory_check": lambda given: check(seeing, given),
            }
            return reads[tool.name](arguments)
        changing = self._changed_by(client)
        acts: dict[str, Callable[[Mapping[str, Any]], Answer]] = {
            "memory_propose": changing.propose,
            "memory_feedback": changing.feedback,
            "memory_inbox": changing.inbox,
            "memory_decide": changing.decide,
        }
        with self._writing:  # calls that came together are written one after another, in their order of arrival
            return acts[tool.name](arguments)

    async def _worked(self, work: Callable[[], Any]) -> Any:
        """Run work on a thread, a few at a time: the connection goes on reading."""
        return await anyio.to_thread.run_sync(work, limiter=self._limiter)

    # -- the client -------------------------------------------------------------------------------

    def _client(self, context: _Context) -> _Client:
        params, session = context.session.client_params, (context.meta or {}).get("sessionId")
        is_named = isinstance(session, str) and 0 < len(session) <= LONGEST_SESSION
        return _Client(
            params.client_info.name if params is not None else "", str(session) if is_named else self._session
        )

    def _seen_by(self, client: _Client) -> Seeing:
        from memtui.assist.mcp.place import agent_named
        from memtui.assist.mcp.seeing import Seeing
        from memtui.assist.sessions import Session

        key = client.name, client.session
        if key not in self._seeing:
            session = Session(self.place.vault.path, client.session, agent_named(client.name).name)
            self._seeing[key] = Seeing(self.place, session, client.name)
        return self._seeing[key]

    def _changed_by(self, client: _Client) -> Changing:
        from memtui.assist.mcp.changing import Changing
        from memtui.assist.mcp.place import agent_named

        return Changing(self.place, self._seen_by(client), agent_named(self.agent or client.name))

    async def _find_roots(self, context: _Context) -> None:
        """Work in the first folder that the client names, found once; in the working directory where it names none."""
        async with self._rooting:  # calls that come together all wait for it
            if self._has_roots:
                return
            self._has_roots = True
            abilities = context.session.client_capabilities
            is_modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
            if is_modern or abilities is None or abilities.roots is None:
                return
            with contextlib.suppress(MCPError, TimeoutError, ValueError):
                with anyio.fail_after(ROOTS_SECONDS):
                    listed = await context.session.send_request(types.ListRootsRequest(), types.ListRootsResult)
                folders = [folder for root in listed.roots if (folder := _folder_of(str(root.uri))) is not None]
                place = await self._worked(lambda: self.place)
                if folders and not any(place.folder.is_relative_to(folder) for folder in folders):
                    place.folder = folders[0]

    # -- resources --------------------------------------------------------------------------------

    async def list_resources(
        self, context: _Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        await self._find_roots(context)
        try:
            client = self._client(context)
            project = await self._worked(lambda: self._seen_by(client).project())
        except (MemtuiError, OSError):
            project = None  # a call of a tool says what is wrong
        payload = types.Resource(
            uri=f"{PAYLOAD}{quote(project or '', safe='')}",
            name=f"Standing payload of {tame(project or '', 60)}",
            description="What every task in this project should know.",
            mime_type="text/markdown",
        )
        return types.ListResourcesResult(resources=[payload] if project else [])

    async def list_templates(
        self, _context: _Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        memory = types.ResourceTemplate(
            uri_template=f"{MEMORY}{{id}}", name="A memory", description="One memory.", mime_type="text/markdown"
        )
        return types.ListResourceTemplatesResult(resource_templates=[memory])

    async def read_resource(
        self, context: _Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        await self._find_roots(context)
        client = self._client(context)
        try:
            text = await self._worked(lambda: _read(self._seen_by(client), uri))
        except (MemtuiError, OSError) as error:
            from memtui.assist.mcp.tools import error_text

            raise MCPError(code=types.INVALID_PARAMS, message=error_text(error)) from None
        if text is None:
            raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown resource: {tame(uri, 80)}")
        content = types.TextResourceContents(uri=uri, mime_type="text/markdown", text=text)
        return types.ReadResourceResult(contents=[content])


def _load() -> None:
    """Import what calls need."""
    import memtui.assist.mcp.changing
    import memtui.assist.mcp.checking  # noqa: F401


def _read(seeing: Seeing, uri: str) -> str | None:
    if uri.startswith(PAYLOAD):
        return seeing.standing(unquote(uri.removeprefix(PAYLOAD)))
    if not uri.startswith(MEMORY):
        return None
    from memtui.assist.mcp.tools import text_of

    answer = seeing.get({"ids": [uri.removeprefix(MEMORY)]})
    return text_of("memory_get", answer) if answer["memories"] else None


def _shown(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=types.ToolAnnotations(
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent,
            open_world_hint=False,
        ),
        _meta=dict(tool.meta) or None,
    )


def _failed(error: Exception) -> types.CallToolResult:
    from memtui.assist.mcp.tools import error_text

    if not isinstance(error, MemtuiError):
        _log.error("a call failed", exc_info=error)
    return types.CallToolResult(content=[types.TextContent(text=error_text(error))], is_error=True)


def _folder_of(uri: str) -> Path | None:
    """Return the folder of a `file:` URI, None for another or one that is not there."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in {"", "localhost"}:
        return None
    folder = Path(url2pathname(parts.path))
    try:
        return folder if folder.is_absolute() and folder.is_dir() else None
    except (OSError, ValueError):
        return None


def serve(open_place: Callable[[], Place], profile: str, agent: str | None = None) -> None:
    """Serve one client on stdin and stdout until it goes away.

    `agent`: its name for the journal; by default what the client calls itself.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.ERROR)

    async def run() -> None:
        protocol = MemoryServer(open_place, tools_for(profile), agent).protocol()
        async with stdio_server() as (incoming, outgoing):
            await protocol.run(Incoming(incoming, outgoing), outgoing, protocol.create_initialization_options())

    anyio.run(run)
