"""Find values given to the names of secrets, as in DB_PASSWORD=…, "apiKey": "…" and “the password is …”."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from memtui.text.secret_rules import (
    LEAST_DISTINCT,
    SHORTEST_RANDOM,
    Hit,
    ascii_shadow,
    change_count,
    is_common,
    is_identifier,
    is_mixed,
    is_placeholder,
    is_public,
    is_reference,
    looks_random,
    word_set,
)

_PASSWORDS = ("pass", "pwd")
_ENGLISH = (*_PASSWORDS, "password")
_SECRETS = ("secret", "token", "credential", "key", "auth", "salt")
_SPELLINGS = tuple(
    spelling for word in (*_PASSWORDS, *_SECRETS) for spelling in (word, word.upper(), word.capitalize())
)
_CLAVE = ("clave", "Clave")  # any key in Spanish, which is a password only beside the name of its user
_NO_PASS = ("BY", "COM", "TRES", "SUR", "OLD", "UNDER")  # BYPASS, COMPASS, OLDPWD
_AFTER_PASS = re.compile("word|wd|wort|phrase|code|(?<=de pass)e(?![a-z])", re.IGNORECASE)


@cache
def _owners(name: str) -> tuple[str, ...]:
    """Return the words of a set, each with every separator that may stand between it and "key"."""
    return tuple(word + sign for word in word_set(name) for sign in ("", "-", "_", ".", " "))


_OTHER_SCRIPT = re.compile("[\u0400-\u04ff\u3040-\ud7a3]")  # Cyrillic, kana, Chinese characters and Hangul


@cache
def _foreign_names(*, other_script: bool) -> tuple[str, ...]:
    """Return the names in other languages; of those in Latin letters what follows the first, which may be a capital."""
    words = word_set("foreign_names") | word_set("foreign_keys")
    names = [name for name in words if bool(_OTHER_SCRIPT.search(name)) == other_script]
    return tuple(name if other_script else ascii_shadow(name[1:]) for name in names)


_LONGEST_NAME = 64
_NAME_BACKWARDS = re.compile(r"[\w.\-]*")
_LONGEST_JUDGED = 200  # characters of a value, as in the two patterns below
_LONGEST_OWNER = 12
_LONGEST_BEFORE = 80  # characters before a name that tell of its user, or are its value
_AFTER = re.compile(
    r"(?i:s?(?:[-_]?(?:key|base|value|prod|production|dev|staging|live|old|new|primary|secondary|b64|base64|\d{1,3})){0,3})"
    r"(?![A-Za-z0-9])[\"'`*\])]{0,4}"
    r"(?:[ \t]{0,3}:[ \t]{0,3}[A-Za-z_](?:[\w.\[\] ]{0,40}?|[\w.\[\]| ]{0,40}?(?=[ ]{0,6}=))"  # a type annotation
    r"|[ ]string(?=[ ]=))?"
    r"(?:,?\s{1,20}[\"']?value[\"']?(?=[ \t]{0,3}[:=]))?"  # {"name": "DB_PASSWORD", "value": …}
    r"[ \t]{0,6}(?P<sign>[?.+|:]{0,3}=(?!=)>?|:(?!:)|\uff1a|>|,(?=[ \t]?[\"'])|-(?=[ ][\"'`])"
    r"|\([^()\n]{0,40}\)[^\"'`\n=;]{0,20}[{:]\s{1,20}return(?=[ ])"
    r"|(?:is|was|are|ist|lautet|est|es|[\u00e8\u00e9\u662f\u4e3a\u306f\ub294\uc740])(?:[ \t]+(?:now|set to|still))?"
    r"(?=[:\s\"'`]):?)"
    r"[*]{0,2}(?:[ \t]{0,6}\n\s{0,40}(?=\S{1,200}\s{1,40}</)|[ \t]{0,6})"
    r"(?:[\"']\\?(?=[\"']))?"  # a value in quotation marks of its own: "\\"…\\""
    r"(?:(?P<quote>[\"'`])(?P<quoted>[^\"'`\n]{1,200}?)\\?(?P=quote)|(?P<bare>[^\s\"'`,;<>]{1,200}))"
)
_FLAG_AFTER = re.compile(
    r"[ \t]{1,3}(?:(?P<quote>[\"'])(?P<quoted>[^\"'\n]{1,200})(?P=quote)|(?P<bare>[^\s\"'`,;<>-][^\s\"'`,;<>]{1,200}))"
)
# “the password for the staging host is …”, “Das Passwort für … ist …”; letters that are not ASCII are ?
_SAID_AFTER = re.compile(
    r"s?(?:[ \t]+(?:for|of|to|on|f\?r|zu[mr]?|vo[nm]|de[lrs]?|du|pour|d[ao]|al|от|для|к)"
    r"(?:[ \t]+[\w?.'-]{1,24}){1,10}?(?P<named>))?"
    r"(?:[ \t]+(?:is|ist|lautet|es|est|\?)(?:[ \t]+(?:now|jetzt|ahora))?|(?(named):|(?!)))[ \t:]{1,3}"
    r"[\"'`]?(?P<bare>[^\s\"'`,;<>]{8,200})",
    re.IGNORECASE,
)
# “log in as deploy with password …”, “Benutzer deploy, Kennwort …”
_WITH_BEFORE = re.compile(
    r"(?:(?:with|and|und|mit|y|con|et|avec|e|com|/)[ \t]+(?:the[ \t]+)?"
    r"|(?<![a-z])(?:user(?:name)?|benutzer(?:name)?|usu[a?]rio|utilisateur|utente|gebruiker):?[ ]{1,3}"
    r"[\"'`]?[\w.@+-]{1,40}[\"'`]?[ ]?[,;/|]?[ ]{1,3}(?:mot[ ]de[ ])?)$",
    re.IGNORECASE,
)
# “use … as password for …”
_AS_BEFORE = re.compile(
    r"(?:^|[\s(])[\"'`]?(?P<bare>[^\s\"'`<>(){}]{8,64})[\"'`]? (?:as|als|como|comme)(?: the)?(?: mot de)? $"
)
_AS_AFTER = re.compile(
    r"[.,;:)!]|\s{0,3}(?:\n|$)|\s(?:for|on|at|in|to|when|and|if|while|f\?r|auf|para|en|no|na|del|pour|sur)\s"
)
# Google's passwords for apps: “app password for quay@pier.test: abcd efgh ijkl mnop”
_GROUPED_AFTER = re.compile(
    r"(?:[^\n:=]{0,60}+[:=]|[ ](?:is|ist|est|es))[ ]{0,3}[\"'`]?([a-z]{4}(?:[ -][a-z]{4}){3})(?![\w -]{0,2}[a-z])"
)
_VOWEL, _SELDOM = re.compile("[aeiouy]"), re.compile("[jqxz]")
_JOINED_NAME = re.compile(r"[-_]|[a-z][A-Z]")
_VALUE_AFTER = re.compile(r"[ \t]+[\"'`]?(?P<bare>[^\s\"'`,;<>]{8,200})")
_SCHEME = re.compile(r"[A-Z][A-Za-z-]{3,20} [\w./+=~-]{20,}$")
_SIGN = re.compile(r"[!@#$%^&*?+=~]")
_PUNCTUATED, _UNUSUAL = re.compile(r"[\w!@#$%^&*()+=-]{40,100}"), re.compile(r"[!@#^*()]")
_FULL_STOP = re.compile("[\u3001\u3002\uff0c\uff1b\uff09\u300d]")  # and other ends of a value in Chinese or Japanese
_REST = re.compile(r"[^\s\"'`,;<>]*")
_HYPHENATED_WORDS = re.compile(r"[A-Za-z]+\d{0,4}(?:[-_./][A-Za-z0-9]{1,12})+")
_CHECKS = re.compile(r"[a-z_]+(?::[\w,.-]+)?(?:\|[a-z_]+(?::[\w,.-]+)?)+")  # required|min:12, of a form in Laravel
_BRACKETS = re.compile(r"[(){}\[\]]")
_BEFORE_ENV = re.compile(r"(?:^|\n)[ \t]*(?:[-*>$#][ \t]+)?`{0,3}(?:(?:export|set|setx|ENV|ARG|-e|--env)[ \t]+)?$")

_SHORTEST_ENV_PASSWORD, _SHORTEST_PASSWORD = 6, 8
_SHORTEST_ENV_SECRET, _SHORTEST_SECRET = 12, 16
_OBJECT_ID = 24  # hexadecimal digits of an id of MongoDB
# Names whose value is a secret even if it is a UUID
_STRICT_NAME = re.compile(
    r"api[-_ ]?(?:key|token|secret)$|[a-z0-9][-_ ]?secret$|(?:secret|private|access)[-_ ]?(?:access[-_ ]?)?key$"
    r"|(?:heroku|hubspot|snyk|kucoin|squarespace|sendbird|postmark|messagebird|opsgenie|onesignal|npm)"
)
# Long parts of hexadecimal digits, or groups of letters and digits as in a licence
_JOINED = re.compile(r"(?:\d{1,40}|[0-9a-f]{8,128})(?:[-.][0-9a-f]{20,128}){1,4}|[A-Z0-9]{5,8}(?:-[A-Z0-9]{5,8}){3,7}")
_GROUPS = re.compile(r"(?=.{28,50}$)[0-9a-f]{4,12}(?:-[0-9a-f]{4,12}){3,7}")  # nearly a UUID
_PREFIX = re.compile(r"^(?:(?:[a-z]{2,8}[-_]){1,2}(?=[0-9a-f]{8}-)|\d{5,24}-(?=[A-Za-z0-9]{20}))")
_OWNED = re.compile(r"[A-Za-z]{3}[-_. ]?(?:[Tt]oken|[Ss]ecret|TOKEN|SECRET)$")  # fooToken, "Postmark token: …"
_LEAST_CHANGE_COUNT, _LEAST_CHANGE_SHARE, _LEAST_WORDLESS_SHARE = 3, 0.25, 0.38


def find_assignments(text: str) -> Iterator[Hit]:
    """Yield the values that are assigned to names of secrets and look like one.

    In the form of an environment file (`DB_PASSWORD=hunter2xyz`) the value is checked less strictly than in prose,
    where a word without digits does not count.
    """
    plain = ascii_shadow(text)
    for name in (*_SPELLINGS, *_CLAVE, *_foreign_names(other_script=False)):
        yield from _assigned_to(plain, name)
    if _OTHER_SCRIPT.search(text):
        for name in _foreign_names(other_script=True):
            yield from _assigned_to(text, name)


def _assigned_to(text: str, name: str) -> Iterator[Hit]:
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        hit = _assignment(text, at, end)
        if hit:
            yield hit
            end = max(end, hit[2])  # the value may stand before the name
        at = text.find(name, end)


def _assignment(text: str, at: int, end: int) -> Hit | None:
    """Return the value assigned to the name whose last word stands at `at` to `end`."""
    word = "secret" if text[at:end] in word_set("foreign_keys") else text[at:end].lower()
    longer = _AFTER_PASS.match(text, end) if word == "pass" else None
    if longer:
        word, end = "password", longer.end()
    if not _ends_secret_name(text, at, word):
        return None
    start = _name_start(text, at)
    if word in _CLAVE:
        return _told(text, start, end, word)
    if word in _SECRETS:
        return _given(text, start, at, end, word)
    # What follows a name is its value before what stands before it: “set db1 as password: …”
    return _grouped(text, end) or _given(text, start, at, end, word) or _used_as(text, start, end)


def _given(text: str, start: int, at: int, end: int, word: str) -> Hit | None:
    """Return the value that is assigned to the name between `start` and `end`, or told of it."""
    found, env = _value_after(text, start, at, end)
    if not found:
        return _told(text, start, end, word)
    group = "bare" if found["bare"] else "quoted"
    value, begin = found[group], found.start(group)
    if group == "bare":
        value = _bare_value(value, is_in_query=text[start - 1 : start] in ("?", "&"))
    elif _SCHEME.match(value):  # "Token …", as in the header
        value = value.partition(" ")[2]
        begin = found.end(group) - len(value)
    is_secret = word in _SECRETS
    kind, plausible = ("secret", _is_assigned_secret) if is_secret else ("password", _is_assigned_password)
    name = text[start:end].lower()
    strict = _is_strict(text, start, end, word, env=env)
    if value.lower() in name or not plausible(value, env=env, quoted=group == "quoted", strict=strict):
        return None
    stop = begin + len(value)
    rest = _REST.match(text, stop) if len(found[group]) >= _LONGEST_JUDGED else None
    return (f"assigned-{kind}", begin, rest.end() if rest else stop)


def _told(text: str, start: int, end: int, word: str) -> Hit | None:
    """Return the value that a sentence tells of the name between two places, or that follows it without a sign."""
    is_secret, strict, least_odd = word in _SECRETS, False, 1
    found = None if word in _CLAVE else _SAID_AFTER.match(text, end)
    if not found:
        found = _VALUE_AFTER.match(text, end)
        if is_secret:
            if not _JOINED_NAME.search(text, start, end):
                return None
            strict = _is_strict(text, start, end, word, env=False)
        elif not _WITH_BEFORE.search(text[max(0, start - _LONGEST_BEFORE) : start]):
            if word in (*_ENGLISH, *_CLAVE):
                return None
            least_odd = 2
    if not found:
        return None
    value = _bare_value(found["bare"], is_in_query=False)
    odd = bool(_SIGN.search(value)) + (change_count(value) >= _LEAST_CHANGE_COUNT)
    plausible = _is_assigned_secret if is_secret else _is_assigned_password
    if odd < least_odd or not plausible(value, env=False, quoted=False, strict=strict):
        return None
    begin = found.start("bare")
    return (f"assigned-{'secret' if is_secret else 'password'}", begin, begin + len(value))


def _used_as(text: str, start: int, end: int) -> Hit | None:
    """Return the value that stands before the name of a password between two places: “use … as password”."""
    if not _AS_AFTER.match(text, end):
        return None
    begin = max(0, start - _LONGEST_BEFORE)
    found = _AS_BEFORE.search(text[begin:start])
    if not found or change_count(found["bare"]) < _LEAST_CHANGE_COUNT:
        return None
    if not _is_assigned_password(found["bare"], env=False, quoted=False):
        return None
    return ("assigned-password", begin + found.start("bare"), begin + found.end("bare"))


def _grouped(text: str, end: int) -> Hit | None:
    """Return the four groups of letters behind the name of a password, unless they are words.

    One that is none has no vowel or a letter that words seldom have.
    """
    found = _GROUPED_AFTER.match(text, end)
    groups = re.split("[ -]", found[1]) if found else ()
    if not found or not any(not _VOWEL.search(group) or _SELDOM.search(group) for group in groups):
        return None
    return ("assigned-password", *found.span(1))


def _bare_value(value: str, *, is_in_query: bool) -> str:
    """Return a value without quotes as far as it goes. `is_in_query`: whether it stands in the query of an address."""
    within = value.split("&", 1)[0] if is_in_query else value
    return _FULL_STOP.split(within, maxsplit=1)[0].rstrip(".,)]}\\|")


def _is_strict(text: str, start: int, end: int, word: str, *, env: bool) -> bool:
    """Return whether the value of a name is a secret even if it is a UUID."""
    name = text[start:end]
    if env and name.isupper() and "_" in name:  # RAILWAY_TOKEN
        return True
    owned = text[max(0, end - len(word) - _LONGEST_OWNER) : end]
    if word in ("token", "secret") and _OWNED.search(owned):
        return word == "secret" or not owned[: -len(word)].lower().endswith(_owners("request_tokens"))
    return bool(_STRICT_NAME.search(text[max(0, start - _LONGEST_OWNER) : end].lower()))


def _value_after(text: str, start: int, at: int, end: int) -> tuple[re.Match[str] | None, bool]:
    """Return what follows a name and gives it a value, and whether it is as in an environment or a command line."""
    found = _AFTER.match(text, end)
    if found and not (found["sign"] == ">" and not _is_element(text, start, found.end())):
        in_query = (
            text[start - 1 : start] in ("?", "&") and text[at : at + 1].lower() == "p"
        )  # a password in an address
        return found, found["sign"] == "=" and (in_query or _is_environment(text, start, at, found.start("sign")))
    return _FLAG_AFTER.match(text, end) if text.startswith("--", start) else None, True


def _is_element(text: str, start: int, end: int) -> bool:
    """Return whether what is named at `start` and ends at `end` is an XML element."""
    return text[start - 1 : start] == "<" and text[end : end + 42].lstrip().startswith("</")


def _ends_secret_name(text: str, at: int, word: str) -> bool:
    """Return whether a word may end the name of a secret: api_key and DB_PASS may, monkey and bypass may not."""
    if word == "key":
        return _ends_key_name(text, at)
    if word == "clave":
        return not text[at - 1 : at].isalpha()
    if word in ("auth", "salt"):
        before = text[at - 1 : at]
        return not before.isalpha() or (before.islower() and text[at].isupper())
    if word == "token":
        return not _is_harmless_token(text[max(0, at - _LONGEST_OWNER) : at])
    if word in _PASSWORDS and at:
        before = text[at - 1]
        if not before.isalpha() or (before.islower() and text[at].isupper()):
            return True
        return before.isupper() and text[at].isupper() and not text.endswith(_NO_PASS, 0, at)  # ACRPWD
    return True


def _is_harmless_token(before: str) -> bool:
    """Return whether what precedes "token" says that no one need keep it; a Statuspage token is no page token."""
    for word in (each for each in _owners("harmless_tokens") if before.lower().endswith(each)):
        rest = before[: -len(word)]
        inside = rest[-1:].isalpha() and rest[-1].islower() == before[-len(word)].islower()
        if not inside or len(rest) == 1 or not rest[-2:].isalpha() or _is_harmless_token(rest):
            return True
    return False


def _ends_key_name(text: str, at: int) -> bool:
    """Return whether "key" ends the name of a secret, as in api_key and stripeKey; a cacheKey or a mere key is none."""
    before = text[max(0, at - _LONGEST_OWNER) : at]
    lower = before.lower()
    if lower.endswith((*_owners("key_owners"), "?", "&")):  # ?key=… in a URL
        return True
    joined = before.endswith(("_", "-")) or (before[-1:].islower() and text[at].isupper())
    return joined and not lower.endswith(_owners("harmless_keys"))


def _name_start(text: str, at: int) -> int:
    name = _NAME_BACKWARDS.match(text[max(0, at - _LONGEST_NAME) : at][::-1])
    return at - name.end() if name else at


def _is_environment(text: str, start: int, at: int, sign: int) -> bool:
    """Return whether `NAME=` is in capitals or begins a line."""
    if text[sign - 1].isspace():
        return False
    if text[at].isupper() and text[start:at].upper() == text[start:at]:
        return True
    line = text.rfind("\n", max(0, start - 40), start)
    return bool(_BEFORE_ENV.match(text, line if line >= 0 else max(0, start - 40), start))


def _is_assigned_password(value: str, *, env: bool, quoted: bool, **_: bool) -> bool:
    if len(value) < (_SHORTEST_ENV_PASSWORD if env else _SHORTEST_PASSWORD):
        return False
    if not env and (not is_mixed(value) or _is_words(value)):
        return False
    return not _is_no_value(value, quoted=quoted)


def _is_words(value: str) -> bool:
    """Return whether a value is joined words, such as a path or a slug, none of which is made up by a machine."""
    parts = re.split("[-_./]", value)
    return bool(_HYPHENATED_WORDS.fullmatch(value)) and max(map(change_count, parts)) < _LEAST_CHANGE_COUNT


def _is_assigned_secret(value: str, *, env: bool, quoted: bool, strict: bool) -> bool:
    if len(value) < (_SHORTEST_ENV_SECRET if env else _SHORTEST_SECRET):
        return False
    if quoted and _is_punctuated(value):
        return not is_placeholder(value)
    if "=" in value.rstrip("=") or _is_no_value(value, quoted=quoted):
        return False
    if _JOINED.fullmatch(value) and is_mixed(value):
        return True
    return _is_key_like(value, _PREFIX.sub("", value), strict=strict)


def _is_punctuated(value: str) -> bool:
    """Return whether a value has the signs that the keys of Django have, and none of a pattern or an address."""
    return bool(_PUNCTUATED.fullmatch(value)) and is_mixed(value) and len(set(_UNUSUAL.findall(value))) > 1


def _is_key_like(value: str, bare: str, *, strict: bool) -> bool:
    """Return whether a value looks made up by a machine. `bare`: the value without the prefix of its issuer."""
    if _GROUPS.fullmatch(bare) or (is_identifier(bare) and len(bare) >= SHORTEST_RANDOM):
        return len(set(value)) >= LEAST_DISTINCT and (strict or ("-" not in value and len(value) != _OBJECT_ID))
    if _HYPHENATED_WORDS.fullmatch(bare) and change_count(bare) < len(bare) * _LEAST_WORDLESS_SHARE:
        return False
    if len(value) >= SHORTEST_RANDOM:
        return looks_random(bare) or value.endswith("=") or _is_mixed_case(value)
    return is_mixed(value) and change_count(value) >= _LEAST_CHANGE_COUNT


def _is_mixed_case(value: str) -> bool:
    """Return whether letters change case as often as random ones do."""
    return not value.islower() and change_count(value) >= len(value) * _LEAST_CHANGE_SHARE


def _is_no_value(value: str, *, quoted: bool) -> bool:
    """Return whether a value is a placeholder, a reference, code or prose."""
    if is_placeholder(value) or is_reference(value) or is_common(value) or is_public(value):
        return True
    if _CHECKS.fullmatch(value):
        return True
    return any(map(str.isspace, value)) if quoted else bool(_BRACKETS.search(value))
