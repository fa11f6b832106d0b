"""Ask the person behind a client before a decision is carried out, in both eras of the protocol."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from memtui.errors import RefusedError

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
