"""Secrets are found by what they look like, and ordinary text is left in peace."""

from __future__ import annotations

import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.errors import ConfigError
from memtui.text.secret_rules import entropy, looks_random
from memtui.text.secrets import find_secrets, redact

BASE62 = string.ascii_letters + string.digits
BASE36 = string.ascii_lowercase + string.digits
HEX = "0123456789abcdef"
_dice = random.Random(20260131)


def made_up(length: int, alphabet: str = BASE62) -> str:
    """Return random characters with letters and digits; nothing here is a real secret."""
    while True:
        value = "".join(_dice.choices(alphabet, k=length))
        if value.strip(string.digits) and value.strip(string.ascii_letters):
            return value


KEY_BLOCK = f"-----BEGIN RSA {'PRIVATE'} KEY-----\n{made_up(64)}\n{made_up(40)}\n-----END RSA {'PRIVATE'} KEY-----"

KNOWN = [
    ("aws-access-key", "AK" + "IA" + "Q3EGTPZ7WLNX5VBR"),
    ("aws-access-key", "AS" + "IA" + "Q3EGTPZ7WLNX5VBR"),
    ("github-token", "gh" + "p_" + made_up(36)),
    ("github-token", "gh" + "o_" + made_up(36)),
    ("github-token", "gh" + "s_" + made_up(36)),
    ("github-token", "github" + "_pat_" + made_up(22) + "_" + made_up(59)),
    ("gitlab-token", "gl" + "pat-" + made_up(20)),
    ("slack-token", "xo" + "xb-1234567890-1234567890-" + made_up(24)),
    ("slack-webhook", "T0" + made_up(8) + "/B0" + made_up(8) + "/" + made_up(24)),
    ("stripe-key", "sk" + "_live_" + made_up(24)),
    ("stripe-key", "rk" + "_live_" + made_up(24)),
    ("google-api-key", "AI" + "za" + made_up(35)),
    ("openai-key", "s" + "k-" + made_up(48)),
    ("openai-key", "s" + "k-proj-" + made_up(60)),
    ("anthropic-key", "s" + "k-ant-api03-" + made_up(90)),
    ("npm-token", "np" + "m_" + made_up(36)),
    ("pypi-token", "py" + "pi-" + made_up(100)),
    ("huggingface-token", "h" + "f_" + made_up(34)),
    ("sendgrid-key", "S" + "G." + made_up(22) + "." + made_up(43)),
    ("twilio-key", "S" + "K" + made_up(32, HEX)),
    ("json-web-token", "ey" + "J" + made_up(24) + ".ey" + "J" + made_up(40) + "." + made_up(43)),
    ("private-key", KEY_BLOCK),
    ("prefixed-key", "m0" + "-" + made_up(40)),
    ("prefixed-key", "hsk" + "-" + made_up(32)),
    ("prefixed-key", "brv" + "_" + made_up(32)),
    ("prefixed-key", "brv" + "_" + made_up(32, HEX)),
]


@pytest.mark.parametrize(("rule", "secret"), KNOWN)
def test_a_secret_is_found_by_its_shape(rule: str, secret: str) -> None:
    prefix = "https://hooks." + "slack.com/services/" if rule == "slack-webhook" else ""
    text = f"The deploy job reads {prefix}{secret} from the vault."
    (finding,) = find_secrets(text)
    assert (finding.rule, finding.severity) == (rule, "secret")
    assert text[finding.start : finding.end] == secret
    assert redact(text, [finding]) == f"The deploy job reads {prefix}[secret: {rule}] from the vault."


ASSIGNED = [
    ("DB_PASSWORD=hunter2xyz", "hunter2xyz"),
    ('export DB_PASSWORD="hunter2xyz"', "hunter2xyz"),
    ("MYSQL_ROOT_PASSWORD=swordfish", "swordfish"),
    ("DB_PASS=swordfish9", "swordfish9"),
    ("password: hunter2xyz", "hunter2xyz"),
    ('"password": "hunter2xyz",', "hunter2xyz"),
    ('password: str = "hunter2xyz"', "hunter2xyz"),
    ('dbPassword = "tr0ub4dor&3"', "tr0ub4dor&3"),
    ("**Password:** hunter2xyz", "hunter2xyz"),
    ("<password>hunter2xyz</password>", "hunter2xyz"),
    ("mysql -u root --password hunter2xyz", "hunter2xyz"),
    ("postgres://app:hunter2xyz@db.internal:5432/app", "hunter2xyz"),
    ("redis://:s3cr3tpw9x@cache:6379/0", "s3cr3tpw9x"),
    ("- `API_TOKEN=abc123def456`", "abc123def456"),
    ("SECRET_KEY_BASE=" + "0f1e2d3c" * 8, "0f1e2d3c" * 8),
    ("apiKey: '" + "4f9a0c2b" * 4 + "'", "4f9a0c2b" * 4),
    ("?access_token=Zk7Xhs9Qw2Er5Ty8Ui1O&page=2", "Zk7Xhs9Qw2Er5Ty8Ui1O"),
    ("AWS_SECRET_ACCESS_KEY=" + "Ab3/dE5+gH7j" * 3 + "Kl9m", "Ab3/dE5+gH7j" * 3 + "Kl9m"),
    ("The api key is Zk7Xhs9Qw2Er5Ty8Ui1O, ask Kim.", "Zk7Xhs9Qw2Er5Ty8Ui1O"),
    ("Authorization: Bearer Zk7Xhs9Qw2Er5Ty8Ui1O", "Zk7Xhs9Qw2Er5Ty8Ui1O"),
]


@pytest.mark.parametrize(("text", "secret"), ASSIGNED)
def test_a_secret_is_found_by_what_it_is_given_to(text: str, secret: str) -> None:
    (finding,) = find_secrets(text)
    assert text[finding.start : finding.end] == secret
    assert find_secrets(redact(text, [finding])) == []


HARMLESS = [
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b is the key commit",
    "token 550e8400-e29b-41d4-a716-446655440000 of the request",
    "sha256:" + made_up(64, HEX),
    f'"integrity": "sha512-{made_up(86)}=="',
    f"golang.org/x/oauth2 token h1:{made_up(43)}=",
    f"![logo](data:image/png;base64,{made_up(4000)})",
    f"registry.example.com/web:frontend-{made_up(40, HEX)}",
    f"toolu_01{made_up(22)} and msg_01{made_up(22)} are ids, no keys",
    f"see the key document at https://docs.example.com/d/1{made_up(40)}/edit",
    f"public key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{made_up(43)}",
    f'password_hash = "$2b$12${made_up(53)}"',
    "The password must have at least 12 characters.",
    "password: argon2id",
    "password: string;",
    "password: at-least-12-characters",
    "token: oauth2",
    "secret: k8s-secret-name-1",
    "max_tokens=128000, tokens: 4096",
    "CACHE_KEY=user:12345:profile",
    "PASSWORD_FILE=/run/secrets/db1password",
    "PWD=/home/dev2/project1",
    "pass: 12 tests1, bypass=true123456",
    "API_KEY=<your-key>",
    "API_KEY=xxxxxxxxxxxxxxxxxxxxxxxx",
    "PASSWORD=changeme",
    "PASSWORD=example-password-1",
    "TOKEN=${TOKEN1}",
    "DB_PASSWORD=${DB_PASSWORD:-postgres1}",
    "token: ${{ secrets.DEPLOY_TOKEN_1 }}",
    "const token = process.env.TOKEN_X1",
    "token = settings.API_TOKEN2",
    "password=get_password1()",
    'if token == "abc123def456ghi789":',
    "postgres://user:password@localhost/db",
    "postgresql://postgres:postgres@db/app",
    "http://localhost:8788/path?to=@me",
    "Authorization: Bearer <token>",
    "s" + "k-fading-circle-loader-animation2",
    "gh" + "p_" + "x" * 36,
    f"-----BEGIN RSA {'PRIVATE'} KEY----- must never be committed",
    f"-----BEGIN PUBLIC KEY-----\n{made_up(64)}\n-----END PUBLIC KEY-----",
    "getUserAccountBillingAddressByIdOrThrow2 holds the key",
    "DB_PASSWORD=[secret: assigned-password]",
    "AKIA is the prefix of access keys, eyJ of tokens, sk- of keys",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_hashes_ids_placeholders_and_words_are_no_secrets(text: str) -> None:
    assert find_secrets(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "AK" + "IAIOSFODNN7" + "EXAMPLE",
        "wJalrXUtn" + "FEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
        "AWS_SECRET_ACCESS_KEY=wJalrXUtn" + "FEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
    ],
)
def test_the_keys_of_the_aws_documentation_are_examples(text: str) -> None:
    (finding,) = find_secrets(text)
    assert (finding.rule, finding.severity) == ("aws-documentation-key", "example")


def test_a_real_key_beside_an_example_stays_a_secret() -> None:
    text = "AK" + "IAIOSFODNN7" + "EXAMPLE and " + "AK" + "IA" + "Q3EGTPZ7WLNX5VBR"
    assert [finding.severity for finding in find_secrets(text)] == ["example", "secret"]


def test_several_secrets_come_in_order_and_all_go() -> None:
    token = "gh" + "p_" + made_up(36)
    text = f"DB_PASSWORD=hunter2xyz\nuse {token}\n{KEY_BLOCK}\nend"
    findings = find_secrets(text)
    assert [finding.rule for finding in findings] == ["assigned-password", "github-token", "private-key"]
    assert redact(text, findings[::-1]) == (
        "DB_PASSWORD=[secret: assigned-password]\nuse [secret: github-token]\n[secret: private-key]\nend"
    )


def test_overlapping_findings_become_one_that_covers_both() -> None:
    token = "gh" + "p_" + made_up(36)
    (finding,) = find_secrets(f'GITHUB_TOKEN="{token}"')
    assert finding.rule == "github-token"
    text = f"xx {token} yy"
    (finding,) = find_secrets(text, [("mine", "xx gh")])
    assert (finding.rule, text[finding.start : finding.end]) == ("mine", f"xx {token}")


def test_a_key_block_without_its_end_is_covered_to_the_last_line_of_the_key() -> None:
    text = KEY_BLOCK.rsplit("\n", 1)[0] + "\n\nNotes follow here."
    assert redact(text, find_secrets(text)) == "[secret: private-key]\n\nNotes follow here."


def test_a_person_adds_patterns() -> None:
    text = "badge corp-12345 and corp-99999"
    findings = find_secrets(text, [("badge", r"corp-(\d{5})")])
    assert [text[finding.start : finding.end] for finding in findings] == ["12345", "99999"]
    assert find_secrets("nothing", [("empty", "x*")]) == []


def test_a_pattern_that_is_none_is_named() -> None:
    with pytest.raises(ConfigError, match="badge") as caught:
        find_secrets("text", [("badge", "corp-[")])
    assert caught.value.remedy


def test_positions_hold_in_text_beyond_ascii() -> None:
    text = "Schlüssel für die Küche 日本語 😀: DB_PASSWORD=hunter2xyz — fertig"
    (finding,) = find_secrets(text)
    assert text[finding.start : finding.end] == "hunter2xyz"


def test_entropy_and_randomness() -> None:
    assert entropy("") == entropy("aaaa") == 0
    assert entropy("abcd") == 2
    assert looks_random("Zk7Xhs9Qw2Er5Ty8Ui1O")
    assert not looks_random("getUserAccountBillingAddressById2")
    assert not looks_random("release-2026-01-31-final-candidate")


@given(st.text(max_size=200), st.sampled_from([secret for _, secret in KNOWN]), st.text(max_size=50))
def test_no_surrounding_hides_a_known_secret(before: str, secret: str, after: str) -> None:
    if "hooks" in secret or secret.startswith("T0"):
        secret = "https://hooks." + "slack.com/services/" + secret
    text = f"{before}\n{secret}\n{after}"
    findings = find_secrets(text)
    assert secret[-12:] not in redact(text, findings)


@given(st.text(st.sampled_from("password=:\"' \ntoken_KEY1aBsk-xX/@<>{}.é"), max_size=120))
def test_findings_lie_in_order_inside_the_text(text: str) -> None:
    end = 0
    for finding in find_secrets(text):
        assert end <= finding.start < finding.end <= len(text)
        end = finding.end
