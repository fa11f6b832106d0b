"""The headings that a text needs before it to be understood by itself ("CLI parser: custom parsers are supported")."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memtui.analysis.grammar import capital
from memtui.analysis.imperative import is_imperative
from memtui.analysis.title_context import goes_on
from memtui.analysis.title_headings import subject_of, topic_of
from memtui.analysis.title_reference import means_others
from memtui.analysis.title_words import (
    has_sense,
    is_document,
    is_dropped,
    is_file_name,
    is_manner,
    lacks_measured,
    lacks_subject,
    matches,
    says_the_same,
    undecorated,
)
from memtui.capture.prose import (
    EDGES,
    announces,
    first_label,
    first_paragraph,
    is_dependent,
    is_statement,
    is_stored_list,
    is_strong,
    orders,
    pattern,
    words_in,
)
from memtui.text.inline import literal_tags, plain_text
from memtui.text.words import CJK

SEPARATOR = " > "

_LONGEST = 80
_LONGEST_SENTENCE = 240
_LONGEST_BOTH = 120  # A heading says nothing without the one it means
_BRIEF_WORDS = 3  # A heading this short is preceded by the one above it
_SHORT_WORDS = 12  # A rule this short says little of what it holds for
_FEW_WORDS = 8
_LABELLED_WORDS = 30
_LOOKED_AT_CHARS = 240
_DEEP = 3  # Headings this deep are about a part of the project
_CONDITION_WORDS = 5  # A condition this short is preceded by the heading above it
_CONDITION_SHARE = 0.75
_TWO_WORDS = 2
_BELOW_DOCUMENT = 2  # Headings above a text of a chapter of its document
_BEHIND_NOUN = re.compile(r"\s+(?:for|of|in|on|with|to|from|at|by|and|that|which)\s|\s*[(:,—–&/]")
_TERM_WORDS = 4  # A heading this short may be the term that the text below it defines
_NAMED_LOW = re.compile(r"_+[^\W_]")  # `__init__` or `_parts/`, which emphasize nothing
_DEFINITION = re.compile(r"(?:an?|eine?|une?|una|uma?)\s+[^\W\d]", re.IGNORECASE)
_STRUCTURE = re.compile(r"\s*(?:[-*+]\s|\d{1,9}[.)]\s|\||`{3}|~{3}|[<>#])")
_OWN_WORD = re.compile(r"[\w-]{3,}")
_ASKS = re.compile(
    r"(?:why|how|what|when|where|which|who|is|are|does|do|can|should|warum|wie|wann|wozu|pourquoi|comment|quand|por qué"
    r"|cómo|cuándo|por que|como|quando)\s|为什么|為什麼|如何|なぜ|.*[?？]$",
    re.IGNORECASE,
)
_DENIES = re.compile(r"(?:not|no|kein\w*|nicht|pas|sin|não|sem)\s", re.IGNORECASE)
_INNER_PATH = re.compile(r"[`(](?:\./)?(?:src|lib|tests?|benches|examples|app|pkg|internal|include)/")
_BELOW_FOLDER = re.compile(r"[^\s>]{1,60} > ")
_BELOW_FILE = re.compile(r"[^\s>]{1,120}\.\w{1,12}: ?")
_ANY_FILE = re.compile(r"[\w-]\.[a-z]{1,6}\b|\b[\w-]+/[\w-]+")
_TAG_END = re.compile(r"<[\w/:-]+>$")
_CODE = re.compile(r"`[^`]*`")
_LETTERS = re.compile(r"[^\W\d_]{2}")


def lead_of(path: Sequence[str]) -> str:
    """Return the headings that say what the texts below them are about, at most two; empty if none does.

    The outermost one names the document, and only what is a property of something needs that before its own heading.
    """
    names = [_name(heading) for heading in path]
    lasting = bool(names) and (is_property(names[-1]) or _is_open(names[-1]))
    told = _telling(names, lasting=lasting)
    if not told or len(names[told[-1]]) > _LONGEST:
        return ""
    last = names[told[-1]]
    if not lasting and words_in(last) > _BRIEF_WORDS:
        return last
    above = next((names[at] for at in reversed(told[:-1]) if at or lasting), "")
    return _both_headings(above, last, _LONGEST_BOTH if lasting else _LONGEST)


def _telling(names: Sequence[str], *, lasting: bool) -> list[int]:
    """Return the positions of the headings that say something; with the last one if the texts are nothing without."""
    told = [at for at, name in enumerate(names) if name and not _says_nothing(name, outermost=at == 0)]
    if lasting and len(names) - 1 not in told:
        told.append(len(names) - 1)
    return told


def _both_headings(above: str, last: str, most: int) -> str:
    """Return a heading below the one above it; alone where there is no room, or where that one leaves out its items."""
    both = f"{above}{SEPARATOR}{last}"
    return both if above and not pattern("left_out_heading").match(above) and len(both) <= most else last


def _is_open(name: str) -> bool:
    """Return whether a heading means what a heading above it names, or says when something holds."""
    brief = words_in(name) <= _CONDITION_WORDS and bool(pattern("condition_heading").search(name))
    return brief or matches("headings", "referring", name)


def _name(heading: str) -> str:
    bare = plain_text(literal_tags(heading))
    if not _TAG_END.search(bare):
        bare = bare.strip(" *~`>#")
        bare = bare if _NAMED_LOW.match(bare) else bare.strip(EDGES)
    return undecorated(bare)[0].rstrip(" :：*.")


def _says_nothing(name: str, *, outermost: bool) -> bool:
    if outermost and not has_sense(name) and (is_file_name(name) or is_document(name)):
        return True
    return matches("headings", "generic", name) or is_dropped(name)


def is_property(heading: str) -> bool:
    """Return whether a heading names what the items below it are: purposes, features, values of an option."""
    return bool(pattern("property_heading").match(heading))


def context_lead(
    text: str, path: Sequence[str], title: str, *, document: str = "", folder: str = "", file: str = ""
) -> str:
    """Return the headings that a text needs before it, empty if it stands by itself, or if its title names them.

    Args:
        text: the text.
        path: the headings above it, outermost first.
        title: its title.
        document: the title of a document that is about a part of the project.
        folder: the folder of such a document, which names that part where the title does not.
        file: the name of the file, which a text may mean as "this file".
    """
    if path and is_stored_list(_name(path[-1])):
        return ""  # an assistant wrote each item to stand by itself
    lead = _lead_within(text, path, title)
    is_place = bool(path) and _means_place(text, path)
    subject = topic_of(_name(document)) or (folder if is_place else "")
    if meant := _meant_above(text, path, lead, file):
        return _lead_below(meant, lead, _LONGEST_BOTH)
    if not subject or _names_any_of(lead if is_place else f"{lead} {text}", subject):
        return lead
    if is_place:
        return _lead_below(subject, lead, _LONGEST_BOTH)
    if _names_any_of(title, subject) and not _needs_subject(text):
        return lead
    return _lead_below(subject, lead or _unnamed_lead(text, path, document), _LONGEST)


def _meant_above(text: str, path: Sequence[str], lead: str, file: str) -> str:
    """Return what a text means without naming it: the outermost heading if that gives it its sense, or its file."""
    outermost = _name(path[0]) if path else ""
    if path and has_sense(outermost) and not lead.startswith(outermost):
        return outermost
    return file if file and _means_file(text, lead) else ""


def _unnamed_lead(text: str, path: Sequence[str], document: str) -> str:
    """Return the headings right above a text; empty if it names them, or if they are the title of its document."""
    lead = lead_of(path)
    if lead in {"", _name(document)} or _names(plain_text(text), lead.rpartition(SEPARATOR)[2]):
        return ""
    return lead


def _lead_below(subject: str, lead: str, most: int) -> str:
    """Return headings below a subject, the longest for which there is room; as they are if there is for none."""
    return next((one for one in _leads_below(subject, lead) if len(one) <= most), lead)


def _leads_below(subject: str, lead: str) -> tuple[str, ...]:
    last = lead.rpartition(SEPARATOR)[2]
    both = f"{subject}{SEPARATOR}{last}"
    if not lead or last.startswith(subject):
        return (lead or subject,)
    return (both,) if lead.startswith(subject) else (f"{subject}{SEPARATOR}{lead}", both)


def _names_any_of(words: str, subject: str) -> bool:
    """Return whether words name what a title is about, by any of its own words."""
    own = [word for word in _OWN_WORD.findall(subject) if not matches("headings", "instructions", word)]
    return any(re.search(rf"\b{re.escape(word)}\b", words, re.IGNORECASE) for word in own or [subject])


def _needs_subject(text: str) -> bool:
    """Return whether a text is about the part of the project that its file is about, without naming it."""
    first = first_paragraph(text)
    plain = plain_text(first).strip(EDGES)
    is_short = words_in(plain) <= _SHORT_WORDS or bool(_DENIES.match(plain))
    return (
        is_short
        or announces(first)
        or bool(_STRUCTURE.match(text) or _INNER_PATH.search(text))
        or _names_nothing(text, first, plain)
    )


def _lead_within(text: str, path: Sequence[str], title: str) -> str:
    lead = lead_of(path) or _long_heading(text, path)
    if is_manner(plain_text(first_paragraph(text)[:_LOOKED_AT_CHARS]).strip(EDGES), lead):
        return ""
    if path and _means_place(text, path):
        outermost = _name(path[0])
        return lead or ("" if is_file_name(outermost) or len(outermost) > _LONGEST else outermost)
    if not lead or _needs(text, path, lead) or _refers(text, path, lead):
        return lead
    heading = lead.rpartition(SEPARATOR)[2]
    if matches("headings", "section", lead):
        return ""
    says = (text, _without_headings(title, path) if _is_slight(text) else title)
    return "" if any(_names(plain_text(words), heading) for words in says) else _below_document(lead, path)


def _is_slight(text: str) -> bool:
    """Return whether a text is little but code or names, so that it needs its place more than a statement does."""
    first = first_paragraph(text)
    said = plain_text(_CODE.sub(" ", first)).strip(EDGES)
    if len(text) > _LOOKED_AT_CHARS or words_in(said) > _SHORT_WORDS:
        return False
    return not (is_strong(first) or is_imperative(said) or pattern("verb").search(said) or CJK.search(said))


def _without_headings(title: str, path: Sequence[str]) -> str:
    """Return a title without the headings before it."""
    names = {_name(heading).casefold() for heading in path}
    names |= {name.partition(" (")[0] for name in names}
    while (parts := title.partition(": "))[1] and parts[0].casefold() in names:
        title = parts[2]
    return title


def _long_heading(text: str, path: Sequence[str]) -> str:
    """Return a heading as long as a sentence above a list, table or code, which is nothing without it."""
    last = _name(path[-1]) if path else ""
    return last if _LONGEST < len(last) <= _LONGEST_SENTENCE and _STRUCTURE.match(text) else ""


def _means_place(text: str, path: Sequence[str]) -> bool:
    """Return whether a text speaks of the place that its file is about: "this layer", or below "How it connects"."""
    if pattern("deictic").search(plain_text(text[:_LOOKED_AT_CHARS])):
        return True
    return len(path) == _BELOW_DOCUMENT and matches("headings", "referring", _name(path[-1]))


def _means_file(text: str, lead: str) -> bool:
    """Return whether "this file" in a text is the one that it stands in: it names no other before that."""
    opening = first_paragraph(text)[:_LOOKED_AT_CHARS]
    meant = None if "```" in opening else pattern("this_file").search(opening)
    return meant is not None and not _ANY_FILE.search(f"{lead} {opening[: meant.start()]}")


def _refers(text: str, path: Sequence[str], lead: str) -> bool:
    """Return whether a text means what only a heading names: "the repair", or "these suites" at its beginning.

    What stands below a heading that says when it holds means that, too.
    """
    heading = lead.rpartition(SEPARATOR)[2]
    opening = plain_text(first_paragraph(text)[:_LOOKED_AT_CHARS]).strip(EDGES)
    if heading.casefold() in plain_text(text).casefold():
        return False
    if matches("headings", "referring", _name(path[-1])):
        return SEPARATOR in lead
    if pattern("condition_heading").search(_name(path[-1])):
        return not says_the_same(opening, _name(path[-1]), share=_CONDITION_SHARE)
    return bool(pattern("refers").search(opening)) or _takes_up(opening, heading)


def _takes_up(opening: str, heading: str) -> bool:
    """Return whether words take up the last noun of a heading of several words: "the repair" of "Codex repair"."""
    own = _OWN_WORD.findall(_BEHIND_NOUN.split(heading, maxsplit=1)[0])
    if len(own) < _TWO_WORDS or not own[-1].isascii():
        return False
    noun = rf"\b(?:the|this|these|that|those)\s+{re.escape(own[-1].rstrip('s'))}(?:e?s)?\b"
    return re.search(noun, opening, re.IGNORECASE) is not None


def _names(words: str, heading: str) -> bool:
    return heading.casefold() in words.casefold() or says_the_same(words, heading)


def _below_document(lead: str, path: Sequence[str]) -> str:
    """Return a brief heading below the document's title, if that names a subject; else the heading as it is."""
    document = _name(path[0])
    both = f"{document}{SEPARATOR}{lead}"
    is_brief = words_in(lead) <= _BRIEF_WORDS and not lead.startswith(document)
    return lead if not is_brief or _says_nothing(document, outermost=True) or len(both) > _LONGEST else both


def _answers(heading: str, plain: str) -> bool:
    """Return whether a text answers what its heading asks, as in "Two reasons. …", and does not repeat it."""
    return bool(_ASKS.match(heading)) and pattern("answers").match(plain) is not None


def _needs(text: str, path: Sequence[str], lead: str) -> bool:
    first = first_paragraph(text)
    plain = plain_text(first).strip(EDGES)
    if _STRUCTURE.match(text) or goes_on(plain) or _is_below(path[-1], plain) or _hangs(text, plain):
        return True
    if _begins_low(first, plain) and plain.partition(" ")[0].casefold() not in lead.casefold():
        return True
    heading = lead.rpartition(SEPARATOR)[2]
    if lacks_measured(plain, heading) or means_others(plain.partition(". ")[0]):
        return True
    told = _behind_label(text, plain, heading)
    words = words_in(plain)
    if says_the_same(told, heading, share=_CONDITION_SHARE if words <= _FEW_WORDS else 0.5):
        return False
    if len(path) >= _DEEP and words <= _SHORT_WORDS and _may_order(plain):
        return True
    return _is_labelled(text, words) or _names_nothing(text, first, plain)


def _is_labelled(text: str, words: int) -> bool:
    return words <= _LABELLED_WORDS and _LETTERS.search(first_label(text)[1:]) is not None


def _may_order(plain: str) -> bool:
    return is_imperative(plain) or CJK.search(plain) is not None


def _is_below(heading: str, plain: str) -> bool:
    """Return whether a text answers its heading, or is said of what that names."""
    return _answers(_name(heading), plain) or _is_said_of(heading, plain)


def _begins_low(first: str, plain: str) -> bool:
    """Return whether a text begins in lower case, unless with code, which is written as it is."""
    return plain[:1].islower() and not first.lstrip("*_ ").startswith("`")


def _is_said_of(heading: str, plain: str) -> bool:
    """Return whether a text is a property of what its heading names, the meaning of that, or stands in its tag."""
    if is_property(undecorated(heading)[0]) or (_TAG_END.match(heading) and heading not in plain):
        return True
    return bool(_DEFINITION.match(plain)) and words_in(_name(heading)) <= _TERM_WORDS


def _behind_label(text: str, plain: str, heading: str) -> str:
    """Return a text without the label that it begins with, unless that is what its heading says."""
    label = plain_text(first_label(text)).strip(EDGES + ":：")
    return plain.removeprefix(label) if len(label) > 1 and not says_the_same(label, heading, share=1) else plain


def _hangs(text: str, plain: str) -> bool:
    """Return whether a text lacks its subject, or refers to what stood before it."""
    return lacks_subject(plain) or pattern("subjectless").match(plain) is not None or is_dependent(text)


def _names_nothing(text: str, first: str, plain: str) -> bool:
    """Return whether a text lacks a subject or a verb, or refers to one before it."""
    if _begins_low(first, plain) or _hangs(text, plain):
        return True
    if is_imperative(plain):
        return False
    return not is_statement(text) or not (is_strong(first) or pattern("verb").search(plain) or CJK.search(plain))


def is_of_texts(document: str) -> bool:
    """Return whether a document is about texts that people write, so that a rule of it may seem to be about code."""
    return matches("headings", "of_texts", _name(document)) or matches("headings", "of_documents", _name(document))


def with_lead(text: str, lead: str) -> str:
    """Return a text with the headings that it needs before it."""
    if not lead:
        return text
    colon = "：" if CJK.match(lead[-1]) else ":"
    if _STRUCTURE.match(text):
        return f"{lead}{colon}\n\n{text}"
    if goes_on(text.lstrip()):
        colon = ""
    return f"{lead}{colon}{'' if colon == '：' else ' '}{text.lstrip()}"


def _leads(text: str, lead: str) -> bool:
    if not lead or not text.startswith(lead):
        return False
    rest = text[len(lead) :]
    return rest.startswith((":", "：")) or (rest.startswith(" ") and goes_on(rest[1:]))


def without_lead(text: str, path: Sequence[str]) -> str:
    """Return a text without the headings that `with_lead` put before it."""
    lead = next((lead for lead in possible_leads(path) if _leads(text, lead)), "")
    below_folder = None if lead else _BELOW_FOLDER.match(text)
    if not lead and (below_file := _BELOW_FILE.match(text)) and pattern("this_file").search(text):
        return text[below_file.end() :].lstrip("\n")
    if below_folder and any(_leads(text[below_folder.end() :], one) for one in possible_leads(path)):
        return without_lead(text[below_folder.end() :], path)
    if not lead:
        return text
    rest = text[len(lead) + 1 :]
    return rest.lstrip("\n") if rest.startswith("\n\n") else rest.removeprefix(" ")


def possible_leads(path: Sequence[str]) -> Iterator[str]:
    """Yield what `context_lead` may return for texts below headings, whatever they and their file are about."""
    for start in range(len(path)):
        lead = lead_of(path[start:])
        yield from filter(None, (_below_document(lead, path[start:]), lead, _name(path[start])))
        for subject in filter(None, dict.fromkeys((subject_of(_name(path[start])), _name(path[start])))):
            yield from (*_leads_below(subject, lead), subject)


def without_place(title: str, path: Sequence[str], project: str) -> str:
    """Return a title without what says only where it stands: its project, or the list of an assistant's memories.

    Every memory of the project would begin with the same word. What is no rule may speak of it, and keeps it: `Ledger:
    Moves money between accounts`.
    """
    for number, heading in enumerate(path):
        name = _name(heading)
        rest = title.removeprefix(f"{name}: ")
        is_rule = words_in(rest) >= _BRIEF_WORDS and (orders(rest) or is_strong(rest))
        is_place = is_stored_list(name) or (number == 0 and is_rule and _bare(name) == _bare(project))
        if is_place and rest != title:
            return without_place(capital(rest), path[number + 1 :], project)
    return title


def _bare(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))
