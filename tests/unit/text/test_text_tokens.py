"""What a search finds: the terms of texts and queries."""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.errors import UsageError
from memtui.text import tokens
from memtui.text.stemming import stem
from memtui.text.tables import compile_lines, read_table, read_words
from memtui.text.token_count import ESTIMATE, EXACT_ENCODINGS, get_counter
from memtui.text.tokens import EXTENSIONS, LONGEST_TERM, STOP_WORDS, index_terms, query_terms, term_counts, term_id


def finds(query: str, text: str) -> bool:
    return bool(set(query_terms(query)) & set(index_terms(text)))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("paymentId", ["paymentid", "payment", "id"]),
        ("payment_id", ["paymentid", "payment", "id"]),
        ("payment-id", ["paymentid", "payment", "id"]),
        ("PAYMENT_ID", ["paymentid", "payment", "id"]),
        ("HTTPServer2", ["httpserver2", "http", "server2", "server"]),
        ("userIDs", ["userid", "user", "id"]),
        ("is_not_null", ["isnotnul", "null"]),
        ("__init__", ["__init__", "init"]),
        ("src/auth/session.ts", ["src/auth/session.ts", "src", "auth", "session.ts", "session"]),
        (r"src\auth", ["src/auth", "src", "auth"]),
        ("config.js", ["config.js", "config"]),
        ("archive.tar.gz", ["archive.tar.gz", "archiv"]),
        ("server.log", ["server.log", "server", "log"]),
        ("C++ c# .NET", ["c++", "c#", ".net", "net"]),
        ("c go r", ["c", "go", "r"]),
        ("8788 5432", ["8788", "5432"]),
        ("3.11", ["3.11"]),
        ("v3.11.4", ["3.11.4", "3.11"]),
        ("1.2.3-beta", ["1.2.3", "1.2", "beta"]),
        ("127.0.0.1:5432", ["127.0.0.1", "5432"]),
        ("2026-01-31", ["2026-01-31", "2026", "01", "31"]),
        ("500ms port8788", ["500ms", "500", "port8788", "port", "8788"]),
        ("k8s s3", ["k8s", "s3"]),
        ("UTF-8", ["utf8", "utf"]),
        ("the project's memories", ["project", "memori"]),
        ("don't can’t", []),
        ("Straße", ["strass"]),
        ("ｆｕｌｌ－ｗｉｄｔｈ", ["full", "width"]),
        ("𝐛𝐨𝐥𝐝", ["bold"]),
        ("soft\u00adhyphen zero\u200bwidth", ["softhyphen", "zerowidth"]),
        ("Настройка сервера", ["настройка", "сервера"]),
    ],
)
def test_the_terms_of_a_text(text: str, terms: list[str]) -> None:
    assert index_terms(text) == terms


def test_inflected_words_find_each_other() -> None:
    assert finds("configuring connections", "the connection is configured")


def test_an_identifier_is_found_by_its_parts_and_in_every_spelling() -> None:
    assert finds("parseJson", "parseJsonEntries")
    assert finds("payment", "see paymentId")
    assert set(query_terms("payment_id")) == set(query_terms("paymentId"))


def test_an_identifier_glued_to_chinese_is_found() -> None:
    assert finds("itgc", "重跑gen-itgc后50条")
    assert finds("重跑", "重跑gen-itgc后50条")


def test_the_extension_of_a_file_matches_nothing() -> None:
    assert not finds("fix config.js", "gmail-filters.js drops labels")
    assert not finds("js client", "see config.js")
    assert finds("gmail filters", "gmail-filters.js drops labels")
    assert "js" in index_terms("the JS client")


@pytest.mark.parametrize("extension", ["py", "ts", "md", "go"])
def test_an_extension_alone_is_no_word(extension: str) -> None:
    assert extension in EXTENSIONS
    assert index_terms(f".{extension}") == [f".{extension}"]


def test_chinese_gives_pairs_and_japanese_and_thai_too() -> None:
    assert query_terms("缓存策略") == ["缓存", "存策", "策略"]
    assert query_terms("テスト") == ["テス", "スト"]
    assert query_terms("ﾃｽﾄ") == ["テス", "スト"]
    assert finds("ทดสอบ", "กรุณาทดสอบก่อน")


def test_one_han_character_is_found_inside_a_word() -> None:
    assert finds("存", "缓存策略")


def test_stop_words_go_but_a_query_of_them_stays() -> None:
    assert query_terms("what is the port of the replica") == ["port", "replica"]
    assert query_terms("to be or not to be") == ["to", "be", "or", "not"]
    assert finds("to be or not", "To be or not to be")


def test_there_are_about_three_hundred_stop_words_and_none_names_a_technology() -> None:
    assert 280 <= len(STOP_WORDS) <= 340
    assert not STOP_WORDS & {"go", "make", "set", "get", "id", "use", "test", "c", "r", "node", "none", "null", "new"}


def test_a_query_names_each_term_once() -> None:
    assert query_terms("cache the Cache and caching") == ["cach"]


def test_text_without_words_gives_nothing() -> None:
    assert index_terms("") == index_terms(" \n—…!? 😀") == []
    assert query_terms("") == []
    assert term_counts("...") == {}


def test_the_number_of_a_term_is_the_same_everywhere() -> None:
    assert term_id("payment") == -5987730585588165560
    assert -(2**63) <= term_id("缓存") < 2**63
    assert term_id("\ud800") == term_id("\ud800")


@given(st.text(max_size=300))
def test_counts_agree_with_the_list_and_terms_are_short(text: str) -> None:
    terms = index_terms(text)
    assert term_counts(text) == Counter(terms)
    assert all(0 < len(term) <= LONGEST_TERM for term in terms)


@given(st.text(st.sampled_from("aB1_-./\\'’+#é重のก \u0301ｆ"), max_size=60))
def test_whatever_is_indexed_can_be_asked_for(text: str) -> None:
    asked = query_terms(text)
    assert len(asked) == len(set(asked))
    assert bool(asked) == bool(index_terms(text))
    assert set(asked) <= set(index_terms(text))


@pytest.mark.parametrize(
    "unit",
    ["a", "aB", "a.", "a-", "a'", "é-", "重", "ุ่", "e\u0315\u0300", "я", "a+", "1.", ".", " ", "x/y_z"],
)
def test_no_term_of_a_long_line_is_longer_than_a_term_may_be(unit: str) -> None:
    text = unit * (20_000 // len(unit))
    counts = term_counts(text)
    assert all(len(term) <= LONGEST_TERM for term in counts)


def test_random_data_floods_no_index() -> None:
    noise = "/".join(random.Random(1).choices("abcXYZ019", k=500_000))
    assert len(term_counts(noise)) < 3_000


def test_typographic_signs_cut_a_text_as_the_patterns_of_all_scripts_do() -> None:
    chance = random.Random(3)
    signs = [chr(code) for code in tokens._separators()]
    for _ in range(3_000):
        text = "".join(chance.choice(signs if chance.random() < 0.3 else "aZ09_.-/\\'+# \n") for _ in range(9))
        assert tokens._raw_tokens(text) == tokens._any_token().findall(text)
    assert index_terms("the cart’s “price” — €3 × 2 … done") == index_terms("the cart’s price 3 2 done")


# Counts on which three independent tokenizers agree.
KNOWN = {
    "": (0, 0),
    "Never commit secrets to the repository.\n": (7, 7),
    "def parse(line: str) -> list[str]:\n    return line.split()\n": (15, 15),
    '{"id": "a1", "tokens": [1, 22, 333]}': (19, 19),
    "如果需要重新运行测试，请先清空缓存。": (11, 14),
    "✅ done 👩‍👩‍👧 ⚠️": (13, 19),
    "a <|endoftext|> b <|im_start|>": (15, 13),
}
SAMPLES = (
    "Always run the linter before you push; CI takes nine minutes and fails on warnings.",
    "    for (const id of paymentIds) { await queue.push({ id, retries: 3 }); }\n" * 3,
    '{"kind": "decision", "title": "Use DuckDB", "tags": ["storage", "sql"], "importance": 4}',
    "# Rules\n\n- Use `uv run pytest -q`\n- Port 8788 is the replica\n\n## Why\n\nFlaky tests cost us two days.\n",
    "如果需要重新运行测试，请先清空缓存，然后执行下面的命令。",
    "設定ファイルを変更する前に必ずテストを実行してください。",
    "Перед изменением конфигурации запустите тесты.",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
)


@pytest.mark.parametrize("text", KNOWN)
def test_the_exact_count_of_each_encoding(text: str) -> None:
    assert tuple(get_counter(encoding).count(text) for encoding in ("o200k_base", "cl100k_base")) == KNOWN[text]


def test_a_lone_surrogate_counts_as_the_replacement_character() -> None:
    assert get_counter().count("a\ud800b") == get_counter().count("a\ufffdb")


@pytest.mark.parametrize("text", SAMPLES)
@pytest.mark.parametrize("encoding", EXACT_ENCODINGS)
def test_the_estimate_is_on_the_safe_side(text: str, encoding: str) -> None:
    assert get_counter(ESTIMATE).count(text) >= get_counter(encoding).count(text)


@pytest.mark.parametrize("text", SAMPLES[:4])
def test_the_estimate_wastes_less_than_half_of_a_budget(text: str) -> None:
    assert get_counter(ESTIMATE).count(text) <= 1.6 * get_counter().count(text)


def test_a_counter_says_what_it_is() -> None:
    assert (get_counter().encoding, get_counter().exact) == ("o200k_base", True)
    assert (get_counter(ESTIMATE).encoding, get_counter(ESTIMATE).exact) == (ESTIMATE, False)
    assert get_counter("cl100k_base") is get_counter("cl100k_base")


def test_an_unknown_encoding_is_told_the_known_ones() -> None:
    with pytest.raises(UsageError, match="o200k_base, cl100k_base, estimate"):
        get_counter("claude")


def test_without_the_package_the_estimate_steps_in(monkeypatch: pytest.MonkeyPatch) -> None:
    get_counter.cache_clear()
    monkeypatch.setitem(sys.modules, "rs_bpe.bpe", None)
    assert not get_counter("o200k_base").exact
    get_counter.cache_clear()


@given(st.text(max_size=200))
def test_any_text_can_be_counted(text: str) -> None:
    assert (get_counter().count(text) > 0) == bool(text)
    assert get_counter(ESTIMATE).count(text) >= 0


# What the published algorithm (Snowball 3.1) gives, one word or more for each of its rules.
EXPECTED = """
running:run ran:ran memories:memori memory:memori configuration:configur configured:configur dying:die
tying:tie hopping:hop hoping:hope agreed:agre feed:feed proceed:proceed succeed:succeed ties:tie cries:cri
gas:gas kiwis:kiwi caress:caress caresses:caress conditional:condit rational:ration valence:valenc
digitizer:digit conformably:conform radically:radic differently:differ vilely:vile analogously:analog
vietnamization:vietnam predication:predic operator:oper feudalism:feudal decisiveness:decis
callousness:callous formality:formal sensitivity:sensit sensibility:sensibl triplicate:triplic
formative:format formalize:formal electricity:electr electrical:electr hopeful:hope goodness:good
revival:reviv allowance:allow inference:infer airliner:airlin gyroscopic:gyroscop adjustable:adjust
defensible:defens irritant:irrit replacement:replac adjustment:adjust dependent:depend adoption:adopt
communism:communism activate:activ effective:effect cease:ceas controller:control skies:sky news:news
early:earli evening:evening inning:inning yesterday:yesterday enjoy:enjoy syzygy:syzygi by:by cry:cri
fluently:fluentli singly:singl geology:geolog psychologist:psycholog generate:generat generic:generic
universe:univers universal:universal organization:organiz organic:organic paste:paste pasted:paste
lateral:lateral international:internat emergency:emergenc ogling:ogl egged:egg added:add off:off yes:yes
bus:bus us:us
"""


@pytest.mark.parametrize("pair", EXPECTED.split())
def test_a_word_has_the_stem_of_the_published_algorithm(pair: str) -> None:
    word, expected = pair.split(":")
    assert stem(word) == expected


@given(st.text("aeiouybcdflnrstgz", max_size=20))
def test_any_word_has_a_stem_that_is_hardly_longer(word: str) -> None:
    result = stem(word)
    assert len(result) <= len(word) + 1
    assert result.isalpha() or not word
    assert result.islower() or not word


def test_a_table_beside_a_module_is_parsed_once(tmp_path: Path) -> None:
    module, table = tmp_path / "module.py", tmp_path / "words.toml"
    table.write_text('words = "one two"\n')
    assert read_table(str(module), "words.toml")["words"].split() == ["one", "two"]
    table.unlink()
    assert read_table(str(module), "words.toml")["words"].split() == ["one", "two"]


def test_a_pattern_over_several_lines_is_one_pattern() -> None:
    assert compile_lines("\none |\ntwo words\n").fullmatch("TWO WORDS")


def test_comments_are_no_words(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("# Not these\none two\nthree\n")
    assert read_words(str(tmp_path / "module.py"), "words.txt") == {"one", "two", "three"}
