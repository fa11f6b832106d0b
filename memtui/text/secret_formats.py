"""Secrets that are known by their shape: the issuers' prefixes, key blocks, addresses with a password."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Literal, NamedTuple

from memtui.text.secret_values import is_common, is_mixed, is_placeholder, is_reference, looks_random

EXAMPLE_RULE = "aws-documentation-key"

Hit = tuple[str, int, int]
"""Rule, start and end of a value."""


def _no_placeholder(value: str) -> bool:
    return not is_placeholder(value)


def _no_words(value: str) -> bool:
    """Return whether a token of a loosely shaped format is one: sk-fading-circle-loader is a style sheet's."""
    longest = max(re.split("[-_.]", value), key=len)
    return not is_placeholder(value) and is_mixed(value) and (len(longest) >= 16 or looks_random(value))  # noqa: PLR2004 - no word has 16 letters and digits


def _is_password(value: str) -> bool:
    return len(value) > 3 and not (is_placeholder(value) or is_reference(value) or is_common(value))  # noqa: PLR2004 - a1b2


class _Format(NamedTuple):
    """One shape.

    Attributes:
        hints: fixed texts one of which every such secret holds; they are searched first, which is fast.
        pattern: matched where the hint begins; group 1, if any, is the secret, else all of it. It is compiled
            when a hint is found for the first time.
        before: characters that must not stand before it. They hold those of the pattern's unbounded parts,
            so that no text is scanned twice.
        accept: judges the secret.
    """

    rule: str
    hints: str
    pattern: str
    before: Literal["word", "alnum", "none"] = "word"
    accept: Callable[[str], bool] = _no_placeholder


_END = r"(?![A-Za-z0-9])"

_FORMATS = (
    _Format("aws-access-key", "AKIA ASIA", rf"A[KS]IA[A-Z0-9]{{16}}{_END}", "alnum"),
    _Format("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"gh[pousr]_[A-Za-z0-9]{{30,255}}{_END}"),
    _Format("github-token", "github_pat_", rf"github_pat_[A-Za-z0-9_]{{22,255}}{_END}"),
    _Format("gitlab-token", "glpat- gldt- glrt- glptt- glcbt- glsoat-", r"gl[a-z]{2,4}-[A-Za-z0-9_\-]{20,300}"),
    _Format("slack-token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe-", r"xox[a-z]-[A-Za-z0-9-]{10,250}"),
    _Format("slack-token", "xapp-", r"xapp-\d-[A-Za-z0-9-]{10,250}"),
    _Format("slack-webhook", "hooks.slack.com/", r"hooks\.slack\.com/services/(T\w{4,20}/B\w{4,20}/\w{16,40})"),
    _Format("stripe-key", "sk_live_ rk_live_ sk_test_ rk_test_", rf"[sr]k_(?:live|test)_[A-Za-z0-9]{{10,250}}{_END}"),
    _Format("stripe-webhook-secret", "whsec_", r"whsec_[A-Za-z0-9+/]{24,100}"),
    _Format("google-api-key", "AIza", r"AIza[A-Za-z0-9_\-]{35}(?![A-Za-z0-9_\-])"),
    _Format("google-oauth-secret", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_\-]{20,60}"),
    _Format("google-access-token", "ya29.", r"ya29\.[A-Za-z0-9_\-]{20,2000}"),
    _Format("anthropic-key", "sk-ant-", r"sk-ant-[A-Za-z0-9_\-]{16,250}"),
    _Format("openai-key", "sk-", r"sk-[A-Za-z0-9_\-]{20,250}", accept=_no_words),
    _Format("npm-token", "npm_", rf"npm_[A-Za-z0-9]{{30,60}}{_END}"),
    _Format("pypi-token", "pypi-", r"pypi-[A-Za-z0-9_\-]{32,400}", accept=_no_words),
    _Format("huggingface-token", "hf_", rf"hf_[A-Za-z0-9]{{30,60}}{_END}"),
    _Format("sendgrid-key", "SG.", r"SG\.[A-Za-z0-9_\-]{16,40}\.[A-Za-z0-9_\-]{16,80}"),
    _Format("twilio-key", "SK AC", rf"(?:SK|AC)[0-9a-f]{{32}}{_END}"),
    _Format("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", rf"do[por]_v1_[a-f0-9]{{64}}{_END}"),
    _Format("databricks-token", "dapi", rf"dapi[a-f0-9]{{32}}(?:-\d)?{_END}"),
    _Format("vault-token", "hvs. hvb.", r"hv[sb]\.[A-Za-z0-9_\-]{24,300}"),
    _Format("shopify-token", "shpat_ shpss_ shpca_ shppa_", rf"shp[a-z]{{2}}_[a-fA-F0-9]{{32}}{_END}"),
    _Format("telegram-token", ":AA", rf":(AA[A-Za-z0-9_\-]{{33}}){_END}", "none", looks_random),
    _Format("age-key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    _Format(
        "json-web-token", "eyJ",
        r"eyJ[A-Za-z0-9_\-]{8,4000}\.eyJ[A-Za-z0-9_\-]{8,8000}\.[A-Za-z0-9_\-]{8,2000}",
    ),
    _Format(
        "url-password", "://",
        r"://[^\s:/?#@\"'`<>|]{0,100}:([^\s/?#@\"'`<>|]{1,200})@[\w\[]", "none", _is_password,
    ),
    _Format("bearer-token", "earer", r"earer[ ]{1,3}([A-Za-z0-9._~+/\-]{20,2000}=*)", "none", looks_random),
    _Format("basic-credentials", "Basic", r"Basic[ ]{1,3}([A-Za-z0-9+/]{16,400}={0,2})", "word", looks_random),
)  # fmt: skip

_KEY_BLOCK = re.compile(r"-----BEGIN (?:[A-Z0-9]{2,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_LINES = re.compile(r"(?:(?:\s|\\[nr]|[\"',])*[A-Za-z0-9+/=]{16,})+")
_KEY_BODY = re.compile(r"[A-Za-z0-9+/]{12}")
_LONGEST_KEY = 16_384
_AWS_EXAMPLE = re.compile(r"[A-Za-z0-9+/]{30,36}EXAMPLEKEY(?![A-Za-z0-9])")


def find_formats(text: str) -> Iterator[Hit]:
    """Yield every secret of a known shape, and the keys of AWS's documentation as `aws-documentation-key`."""
    for shape in _FORMATS:
        for hint in shape.hints.split():
            yield from _find_format(text, shape, hint)
    yield from _find_key_blocks(text)
    if "EXAMPLEKEY" in text:
        yield from ((EXAMPLE_RULE, *match.span()) for match in _AWS_EXAMPLE.finditer(text))


def _find_format(text: str, shape: _Format, hint: str) -> Iterator[Hit]:
    at = text.find(hint)
    while at >= 0:
        match = None if _is_inside(text, at, shape.before) else _compile(shape.pattern).match(text, at)
        resume = at + len(hint)
        if match:
            group = match.re.groups
            secret = match.group(group)
            if shape.rule == "aws-access-key" and secret.endswith("EXAMPLE"):
                yield (EXAMPLE_RULE, *match.span())
            elif shape.accept(secret):
                yield (shape.rule, *match.span(group))
            resume = match.end()
        at = text.find(hint, resume)


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _is_inside(text: str, at: int, before: str) -> bool:
    """Return whether what begins here is the rest of a longer word."""
    if before == "none" or at == 0:
        return False
    return text[at - 1].isalnum() or (before == "word" and text[at - 1] in "_-")


def _find_key_blocks(text: str) -> Iterator[Hit]:
    if "PRIVATE KEY" not in text:
        return
    for match in _KEY_BLOCK.finditer(text):
        stop = text.find("-----END", match.end(), match.end() + _LONGEST_KEY)
        if stop < 0:
            lines = _KEY_LINES.match(text, match.end(), match.end() + _LONGEST_KEY)
            end = stop = lines.end() if lines else match.end()
        else:
            tail = text.find("-----", stop + 8, stop + 80)
            end = tail + 5 if tail >= 0 else stop
        body = text[match.end() : stop]
        if _KEY_BODY.search(body) and not is_placeholder(body[:200].strip()):
            yield ("private-key", match.start(), end)
