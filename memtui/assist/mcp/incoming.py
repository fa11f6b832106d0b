"""What a client sends: a line that is no message of the protocol is answered, where the SDK passes over it."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

if TYPE_CHECKING:
    from mcp.shared._stream_protocols import ReadStream, WriteStream

NOT_JSON = "This line is no JSON"
NO_MESSAGE = "This is no message of JSON-RPC 2.0"


class Incoming:
    """The messages of a client, as the SDK's own stream gives them."""

    def __init__(self, stream: ReadStream[SessionMessage | Exception], outgoing: WriteStream[SessionMessage]) -> None:
        self._stream = stream
        self._outgoing = outgoing

    @property
    def last_context(self) -> Any:
        """What the SDK keeps with the last message."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message; lines before it that are none are answered."""
        while isinstance(item := await self._stream.receive(), ValidationError):
            answer = _answer(item)
            if answer is not None:
                await self._outgoing.send(SessionMessage(answer))
        return item

    async def aclose(self) -> None:
        await self._stream.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _answer(error: ValidationError) -> types.JSONRPCError | None:
    """Return the answer to a line; None for an empty one."""
    problems = error.errors(include_url=False, include_context=False)
    if any(one["type"] == "json_invalid" for one in problems):
        if not str(problems[0]["input"]).strip():
            return None
        return _refused(None, types.PARSE_ERROR, NOT_JSON)
    request = next(
        (one["input"] for one in problems if isinstance(one["input"], dict) and "method" in one["input"]), {}
    )
    identifier = request.get("id")
    is_id = isinstance(identifier, str | int) and not isinstance(identifier, bool)
    return _refused(identifier if is_id else None, types.INVALID_REQUEST, NO_MESSAGE)


def _refused(identifier: str | int | None, code: int, message: str) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=identifier, error=types.ErrorData(code=code, message=message))
