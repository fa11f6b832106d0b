"""What a client sends, and what is asked of the person behind it, in both eras of the protocol."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.message import SessionMessage
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from memtui.errors import RefusedError
from memtui.text.sanitize import without_surrogates

if TYPE_CHECKING:
    from mcp.shared._stream_protocols import ReadStream, WriteStream


ANSWER_SECONDS = 600.0  # How long a person may take to answer

_NO_PERSON = (
    "Ask the person to decide in memtui: `memtui inbox accept|reject ID`, `memtui verify|retire ID`, or the app."
)
_FORM: types.ElicitRequestedSchema = {
    "type": "object",
    "properties": {"confirm": {"type": "boolean", "title": "Do it", "default": False}},
    "required": ["confirm"],
}


class Deferred(Exception):  # noqa: N818 - no error: the call goes on once a person has answered
    """A call that a person must confirm first. `question`: what the client is to ask before it calls again."""

    def __init__(self, question: types.InputRequiredResult) -> None:
        self.question = question
        super().__init__()


@dataclass(slots=True)
class Confirming:
    """Asks, and knows the answers to its own questions from others."""

    _key: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    async def confirm(
        self,
        context: ServerRequestContext[Any, Any],
        params: types.CallToolRequestParams,
        arguments: Mapping[str, Any],
        question: str,
    ) -> None:
        """Return once the person behind a call has confirmed it.

        Raises:
            RefusedError: the client cannot ask, or the person did not confirm.
            Deferred: the client is to ask, and to call again with the answer.
        """
        if not _can_ask(context.session.client_capabilities):
            raise RefusedError(
                "This client cannot ask a person to confirm", where=arguments["action"], remedy=_NO_PERSON
            )
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            answer = self._answered(params, arguments, question)
        else:
            answer = await _asked(context, question)
        if answer.action != "accept" or (answer.content or {}).get("confirm") is not True:
            raise RefusedError("The person did not confirm", where=arguments["action"], remedy="Leave it as it is.")

    def _answered(
        self, params: types.CallToolRequestParams, arguments: Mapping[str, Any], question: str
    ) -> types.ElicitResult:
        seal = self._seal(arguments, question)
        answer = (params.input_responses or {}).get("confirm")
        if answer is None:
            request = types.ElicitRequest(
                params=types.ElicitRequestFormParams(message=question, requested_schema=_FORM)
            )
            raise Deferred(types.InputRequiredResult(input_requests={"confirm": request}, request_state=seal))
        if not isinstance(answer, types.ElicitResult) or not hmac.compare_digest(
            (params.request_state or "").encode(), seal.encode()
        ):
            raise RefusedError("This confirms another question", where=arguments["id"], remedy="Call again.")
        return answer

    def _seal(self, arguments: Mapping[str, Any], question: str) -> str:
        """Return what ties an answer to this very question, in this process."""
        text = json.dumps([dict(sorted(arguments.items())), question]).encode()
        return hmac.new(self._key, text, hashlib.sha256).hexdigest()


def _can_ask(abilities: types.ClientCapabilities | None) -> bool:
    """Return whether a client shows forms: it says so, or names no form of asking at all."""
    if abilities is None or abilities.elicitation is None:
        return False
    return abilities.elicitation.form is not None or abilities.elicitation.url is None


async def _asked(context: ServerRequestContext[Any, Any], question: str) -> types.ElicitResult:
    try:
        with anyio.fail_after(ANSWER_SECONDS):
            return await context.session.elicit_form(question, _FORM, context.request_id)
    except TimeoutError:
        return types.ElicitResult(action="cancel")


NOT_JSON = "Not valid JSON"
NO_MESSAGE = "Not a JSON-RPC 2.0 message"


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
            if (message := _without_halves(item)) is not None:
                return SessionMessage(message)
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


def _without_halves(error: ValidationError) -> types.JSONRPCMessage | None:
    """Return the message of a line that was refused for half of a character in it; None for any other line.

    JavaScript writes such halves where a client cut a text within an emoji.
    """
    line = error.errors(include_url=False, include_context=False)[0]["input"]
    if not isinstance(line, str) or "\\ud" not in line.lower():
        return None
    try:
        whole = without_surrogates(json.dumps(json.loads(line), ensure_ascii=False))
        return types.jsonrpc_message_adapter.validate_json(whole, by_name=False)
    except (ValueError, RecursionError):
        return None


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
