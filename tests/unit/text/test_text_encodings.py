"""Texts that are not UTF-8 are read as what they are, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.text import sanitize
from memtui.text.sanitize import decode
from memtui.text.tables import read_table

RULES = {
    "潮位表每六小时更新一次，不要使用缓存的数据。\n": ["gbk", "gb18030", "utf-16-le", "utf-16-be"],
    "# 部署\n\n- 星期五不要部署，除非值班人員在場。\n": ["big5"],
    "# 丸め\n\n- 金額は最後に一度だけ四捨五入する。\n": ["shift_jis", "euc_jp"],
    "- 요금은 마지막 단계에서만 반올림한다.\n": ["euc_kr"],
    "# Größen\n\n- Gebühren werden nie vor dem Abschluss gerundet.\n": ["cp1252", "latin-1", "mac_roman", "cp850"],
    "- N’arrondissez jamais un droit de quai avant la clôture.\n": ["cp1252"],
    "- Don’t round a fee before the end — it adds up.\n": ["cp1252", "mac_roman"],
    "- No redondee nunca la tarifa antes del cierre del año.\n": ["latin-1"],
    "- Não arredonde a tarifa antes do fim do mês.\n": ["latin-1"],
    "- Nie zaokrąglaj opłaty przed końcem dnia.\n": ["cp1250", "iso8859_2"],
    "- Nikdy nezaokrouhluj poplatek před koncem dne.\n": ["cp1250"],
    "- Ücreti gün bitmeden önce asla yuvarlama.\n": ["cp1254"],
    "- Никогда не округляйте сбор до конца дня.\n": ["cp1251", "koi8-r", "cp866"],
    "- Never round a fee before the end of the day.\n": ["utf-16-le", "utf-16-be", "utf-16", "utf-32"],
}


@pytest.mark.parametrize(("text", "encoding"), [(text, name) for text, names in RULES.items() for name in names])
def test_a_rule_is_read_alike_in_every_encoding_of_its_language(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text
    assert decode(text.replace("\n", "\r\n").encode(encoding)).text == text


@pytest.mark.parametrize("raw", [b"\xd1and\xfa\n", bytes(range(128, 256)) * 4, b"\x9f\xe0\x8a\n", b"x\xff\n"])
def test_what_can_be_anything_is_nothing(raw: bytes) -> None:
    decoded = decode(raw)
    assert (decoded.encoding, bool(decoded.replaced)) == ("", True)


def test_one_broken_line_does_not_make_a_utf_8_text_something_else() -> None:
    decoded = decode("- Liegegebühr\n".encode() * 3 + b"- Geb\xfchr\n")
    assert (decoded.encoding, decoded.replaced) == ("utf-8", 1)


@given(st.text(min_size=1))
def test_utf_8_is_never_taken_for_anything_else(text: str) -> None:
    raw = text.encode("utf-8", "replace")
    if not raw.startswith((b"\xff", b"\xfe", b"\xef\xbb\xbf")) and b"\0" not in raw:
        assert decode(raw).text == raw.decode().replace("\r\n", "\n").replace("\r", "\n")


@given(st.sampled_from([*RULES]), st.integers(0, 60))
def test_no_reading_loses_a_byte_unnoticed(text: str, cut: int) -> None:
    raw = text.encode(RULES[text][0])[cut:]
    decoded = decode(raw)
    if decoded.encoding and not decoded.replaced:
        assert "\ufffd" not in decoded.text


ALPHABETS = [
    (language, encoding)
    for language in read_table(sanitize.__file__, "encodings.toml")["alphabets"]
    for encoding in language["encodings"]
]


@pytest.mark.parametrize(
    ("language", "encoding"), ALPHABETS, ids=lambda one: one if isinstance(one, str) else one["language"]
)
def test_a_word_with_any_letter_of_a_language_is_read_right_or_not_at_all(
    language: dict[str, str], encoding: str
) -> None:
    some, letters = " ".join(language["words"].split()[:6]), language["letters"]
    word = "tr{}t" if some.isascii() else "{}"
    texts = [f"{some} {word.format(letter)} {some}\n" for letter in letters if _fits(letter, encoding)]
    read = [(text, decode(text.encode(encoding))) for text in texts if _fits(text, encoding)]
    assert [text for text, decoded in read if decoded.encoding and decoded.text != text] == []
    usual = encoding == language["encodings"][0]
    assert sum(decoded.text == text for text, decoded in read) >= (0.7 if usual else 0.3) * len(read)


def _fits(text: str, encoding: str) -> bool:
    try:
        return bool(text.encode(encoding))
    except UnicodeEncodeError:
        return False
