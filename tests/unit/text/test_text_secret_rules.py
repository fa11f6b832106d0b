"""Keys of known issuers are found by their shape. No sample is a real key: each is put together from random parts."""

from __future__ import annotations

import random
import string
from base64 import b64encode

import pytest

from memtui.text.secrets import find_secrets, redact

BASE62 = string.ascii_letters + string.digits
UPPER36 = string.ascii_uppercase + string.digits
LOWER36 = string.ascii_lowercase + string.digits
HEX = "0123456789abcdef"
DIGITS = string.digits
_dice = random.Random(20261128)


def made_up(length: int, alphabet: str = BASE62) -> str:
    """Return random characters, a digit and a letter among them where the alphabet has both."""
    while True:
        value = "".join(_dice.choices(alphabet, k=length))
        if alphabet == DIGITS or (value.strip(DIGITS) and value.strip(string.ascii_letters)):
            return value


def uuid() -> str:
    return "-".join(made_up(length, HEX) for length in (8, 4, 4, 4, 12))


SHAPES = [
    ("1password-key", "ops_" + "eyJ" + made_up(250)),
    ("adobe-secret", "p8e-" + made_up(32)),
    ("airtable-token", "pat" + made_up(14) + "." + made_up(64, HEX)),
    ("alibaba-key", "LT" + "AI" + made_up(20)),
    ("artifactory-token", "AK" + "Cp" + made_up(69)),
    ("atlassian-token", "ATA" + "TT3x" + made_up(180)),
    ("aws-access-key", "AB" + "IA" + made_up(16, UPPER36)),
    ("azure-client-secret", "a1B8" + "Q~" + made_up(34)),
    ("brevo-key", "xkey" + "sib-" + made_up(64, HEX) + "-" + made_up(16)),
    ("buildkite-token", "bk" + "ua_" + made_up(40, HEX)),
    ("circleci-token", "CCI" + "PAT_" + made_up(22) + "_" + made_up(40, HEX)),
    ("clickup-token", "pk" + "_" + made_up(8, DIGITS) + "_" + made_up(32, UPPER36)),
    ("clojars-token", "CLO" + "JARS_" + made_up(60, string.ascii_lowercase + DIGITS)),
    ("cloudflare-key", "v1" + ".0-" + made_up(24, HEX) + "-" + made_up(146, HEX)),
    ("contentful-token", "CF" + "PAT-" + made_up(43)),
    ("databricks-token", "da" + "pi" + made_up(32, HEX)),
    ("digitalocean-token", "dop" + "_v1_" + made_up(64, HEX)),
    ("discord-token", "MT" + made_up(24) + "." + made_up(6) + "." + made_up(38)),
    ("discord-webhook", made_up(18, DIGITS) + "/" + made_up(68)),
    ("docker-token", "dckr" + "_pat_" + made_up(27)),
    ("doppler-token", "dp" + ".pt." + made_up(43)),
    ("dropbox-token", "sl" + ".u." + made_up(140)),
    ("duffel-token", "duffel" + "_live_" + made_up(43)),
    ("dynatrace-token", "dt0" + "c01." + made_up(24, UPPER36) + "." + made_up(64, UPPER36)),
    ("easypost-key", "EZ" + "AK" + made_up(54)),
    ("facebook-token", "EA" + "A" + made_up(120)),
    ("figma-token", "fig" + "d_" + made_up(40)),
    ("flyio-token", "fo" + "1_" + made_up(43)),
    ("gitlab-token", "gl" + "rt-" + made_up(20)),
    ("google-access-token", "ya" + "29." + made_up(90)),
    ("google-oauth-secret", "GOC" + "SPX-" + made_up(28)),
    ("grafana-token", "gl" + "sa_" + made_up(32) + "_" + made_up(8, HEX)),
    ("groq-key", "gs" + "k_" + made_up(52)),
    ("harness-key", "pa" + "t." + made_up(22) + "." + made_up(24) + "." + made_up(20)),
    ("heroku-key", "HR" + "KU-AA" + made_up(58)),
    ("hubspot-token", "pat" + "-eu1-" + uuid()),
    ("langfuse-key", "sk" + "-lf-" + uuid()),
    ("langsmith-key", "lsv2" + "_pt_" + made_up(32, HEX) + "_" + made_up(10, HEX)),
    ("launchdarkly-key", "sd" + "k-" + uuid()),
    ("linear-key", "lin" + "_api_" + made_up(40)),
    ("mailchimp-key", made_up(32, HEX) + "-us" + "14"),
    ("mailgun-key", "ke" + "y-" + made_up(32, HEX)),
    ("mapbox-token", "sk." + "eyJ" + made_up(60) + "." + made_up(22)),
    ("maxmind-key", made_up(6) + "_" + made_up(29) + "_mmk"),
    ("new-relic-key", "NR" + "AK-" + made_up(27, UPPER36)),
    ("notion-token", "nt" + "n_" + made_up(11, DIGITS) + made_up(35)),
    ("nuget-key", "oy" + "2" + made_up(43, string.ascii_lowercase + DIGITS)),
    ("nvidia-key", "nv" + "api-" + made_up(64)),
    ("octopus-key", "AP" + "I-" + made_up(26, UPPER36)),
    ("openshift-token", "sha256" + "~" + made_up(43)),
    ("openrouter-key", "sk" + "-or-v1-" + made_up(64, HEX)),
    ("perplexity-key", "pp" + "lx-" + made_up(48)),
    ("planetscale-token", "pscale" + "_tkn_" + made_up(43)),
    ("postman-key", "PM" + "AK-" + made_up(24, HEX) + "-" + made_up(34, HEX)),
    ("prefect-key", "pn" + "u_" + made_up(36)),
    ("pulumi-token", "pu" + "l-" + made_up(40, HEX)),
    ("readme-token", "rd" + "me_" + made_up(70, string.ascii_lowercase + DIGITS)),
    ("replicate-token", "r" + "8_" + made_up(37)),
    ("resend-key", "r" + "e_" + made_up(8) + "_" + made_up(24)),
    ("rubygems-key", "rubygems" + "_" + made_up(48, HEX)),
    ("sentry-token", "sntry" + "u_" + made_up(64, HEX)),
    ("shippo-token", "shippo" + "_live_" + made_up(40, HEX)),
    ("shopify-token", "shp" + "at_" + made_up(32, HEX)),
    ("slack-token", "xo" + "xe.xo" + "xp-1-" + made_up(163, UPPER36)),
    ("sonar-token", "sq" + "u_" + made_up(40, HEX)),
    ("sourcegraph-token", "sg" + "p_" + made_up(40, HEX)),
    ("square-token", "sq0" + "atp-" + made_up(22)),
    ("stripe-webhook-secret", "wh" + "sec_" + made_up(32)),
    ("supabase-key", "sb" + "p_" + made_up(40, HEX)),
    ("tailscale-key", "ts" + "key-auth-" + made_up(17) + "-" + made_up(32)),
    ("terraform-token", made_up(14) + ".atl" + "asv1." + made_up(67)),
    ("typeform-token", "tf" + "p_" + made_up(44) + "_" + made_up(14)),
    ("vault-token", "hv" + "s." + made_up(95)),
    ("vercel-token", "vercel" + "_blob_rw_" + made_up(16) + "_" + made_up(30)),
    ("sourcegraph-token", "sg" + "p_" + made_up(16, HEX) + "_local_" + made_up(40, HEX)),
    ("hubspot-token", "pa" + "t-na1-" + "-".join(made_up(length, HEX) for length in (8, 4, 4, 4, 12)).upper()),
    ("contentful-token", "CF" + "PAT-" + made_up(64)),
    ("voiceflow-key", "VF." + "DM." + made_up(24, HEX) + "." + made_up(16)),
    ("xai-key", "xa" + "i-" + made_up(80)),
    ("akamai-token", "ak" + "ab-" + made_up(16, LOWER36) + "-" + made_up(16, LOWER36)),
    ("asana-token", "2/" + made_up(16, DIGITS) + "/" + made_up(16, DIGITS) + ":" + made_up(32, HEX)),
    ("astra-token", "Astra" + "CS:" + "aBcDeFgHjKmNpQrStUvWxYzA" + ":" + made_up(64, HEX)),
    ("aws-session-token", "IQoJb3" + "JpZ2lu" + made_up(200)),
    ("azure-key", made_up(76) + "AZ" + "DO" + made_up(4)),
    ("azure-key", made_up(52) + "JQQ" + "J99" + made_up(26)),
    ("azure-key", made_up(44) + "Az" + "Fu" + made_up(6)),
    ("confluent-key", "cf" + "lt" + made_up(60)),
    ("crates-token", "ci" + "o" + made_up(32)),
    ("cursor-key", "ke" + "y_" + made_up(64, HEX)),
    ("docker-config", b64encode(f'{{"auths":{{"ghcr.io":{{"auth":"{made_up(40)}"}}}}}}'.encode()).decode().rstrip("=")),
    ("e2b-key", "e2" + "b_" + made_up(40, HEX)),
    ("firebase-key", "AAAA" + made_up(7) + ":APA" + "91b" + made_up(134)),
    ("firecrawl-key", "fc" + "-" + made_up(32, HEX)),
    ("google-api-key", "AQ" + ".Ab" + made_up(50)),
    ("mongodb-key", "mdb" + "_sa_sk_" + made_up(40)),
    ("paypal-token", "access" + "_token$production$" + made_up(16, LOWER36) + "$" + made_up(32, HEX)),
    ("private-key", b64encode(f"-----BEGIN RSA PRIVATE {'KEY'}-----\n{made_up(200)}".encode()).decode().rstrip("=")),
    ("private-key", b64encode(f"-----BEGIN PRIVATE {'KEY'}-----\n{made_up(200)}".encode()).decode().rstrip("=")),
    ("slack-token", "xo" + "xd-" + made_up(100)),
    ("together-key", "tgp" + "_v1_" + made_up(20) + "-" + made_up(22)),
    ("xai-key", "xa" + "i-" + made_up(40) + "_" + made_up(40)),
    ("zhipu-key", made_up(32, HEX) + "." + made_up(16)),
    (
        "salesforce-session",
        "00" + "D" + made_up(12) + "!AQ" + "EAQ" + made_up(40) + "." + made_up(40) + "_" + made_up(9),
    ),
    (
        "cloudflare-tunnel-token",
        b64encode(f'{{"a":"{made_up(32, HEX)}","t":"{uuid()}","s":"{made_up(43)}"}}'.encode()).decode(),
    ),
    ("huggingface-token", "h" + "f_" + "qWzEarUtIoPasDoFgaHjKelZxiCvBo" + "NamE"),
]


@pytest.mark.parametrize(("rule", "secret"), SHAPES, ids=[f"{rule}-{at}" for at, (rule, _) in enumerate(SHAPES)])
def test_the_key_of_a_known_issuer_is_found_wherever_it_stands(rule: str, secret: str) -> None:
    before = "https://discord.com/api/webhooks/" if rule == "discord-webhook" else ""
    for text in (
        f"Use {before}{secret} for the deploy.",
        f'SERVICE_CREDENTIAL_NAME="{before}{secret}"',
        f"({before}{secret})",
    ):
        found = find_secrets(text)
        assert [one.rule for one in found] == [rule]
        assert secret not in redact(text, found)


def test_more_than_forty_five_issuers_are_known() -> None:
    assert len({rule for rule, _ in SHAPES}) > 45


BASIC = b64encode(b"kim:hunter2xyz").decode()
WRITTEN = [
    (f"curl -u '{made_up(80)}:{(long := made_up(80))}' https://api.acme.test", long),
    ("docker login quay.acme.test -u 'pier/ci' -p 'b7Kx{Qv2;nT<K'", "b7Kx{Qv2;nT<K"),
    (f"snyk auth {(number := uuid())}", number),
    ("~/.pgpass: db.pier.test:5432:*:reader:k7VxTq2mLz", "k7VxTq2mLz"),
    ("Wifi on the pier (SSID quay-guests): h3rring-Boat-27x", "h3rring-Boat-27x"),
    ("root:s3cretPw9@tcp(127.0.0.1:3306)/shop", "s3cretPw9"),
    ("https://kim:hunter2xyz@git.acme.test/shop.git", "hunter2xyz"),
    (f"https://{made_up(40)}@git.acme.test/shop.git", ""),
    ("Server=db;User Id=sa;Password=Hunter2xyz;", "Hunter2xyz"),
    ("curl -sS -u admin:hunter2xyz https://api.acme.test", "hunter2xyz"),
    ("sshpass -p 'hunter2xyz' ssh deploy@acme.test", "hunter2xyz"),
    ("mysql -u root -phunter2xyz shop", "hunter2xyz"),
    ("sqlcmd -S db -U sa -P hunter2xyz -Q 'select 1'", "hunter2xyz"),
    ("jdbc:mysql://db.acme.test/shop?user=kim&password=mellowharbour", "mellowharbour"),
    ("Login: admin / h2Unter4xyZ", "h2Unter4xyZ"),
    (f"wandb login {made_up(40, HEX)}", ""),
    ('network={ssid="quay" psk="hunter2xyz"}', "hunter2xyz"),
    (f"algoliasearch('{made_up(10, UPPER36)}', '{made_up(32, HEX)}')", ""),
    (f"GITEA_PAT: {made_up(52, string.ascii_lowercase + '234567')}", ""),
    (f"Authorization: Bearer {uuid()}", ""),
    (f"POST https://api.render.com/deploy/srv-{made_up(20)}?key={made_up(11)}", ""),
    (f"https://hooks.zapier.com/hooks/catch/{made_up(7, DIGITS)}/{made_up(7, LOWER36)}/", ""),
    (f"https://hook.eu2.make.com/{made_up(32, LOWER36)}", ""),
    (f"https://maker.ifttt.com/trigger/low_tide/with/key/{made_up(43)}", ""),
    (f"https://quay.azurewebsites.net/api/moor?code={made_up(54)}==", ""),
    (f"irc password oauth:{made_up(30, LOWER36)}", ""),
    (f"PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n{made_up(48)}", ""),
    ("docker login -u kim -p hunter2xyz registry.acme.test", "hunter2xyz"),
    ("machine api.acme.test login kim password hunter2xyz", "hunter2xyz"),
    (f"https://{made_up(32, HEX)}:{made_up(32, HEX)}@sentry.acme.test/2", ""),
    (f"Authorization: SSWS 00{made_up(40)}", ""),
    (f"Authorization: Basic {BASIC}", BASIC),
    (f"ASANA_PAT = 1/{made_up(16, DIGITS)}:{made_up(32, HEX)}", ""),
    (f"asana token: '0/{made_up(32, HEX)}'", ""),
    (f"mvn verify -Dsonar.login={made_up(40, HEX)}", ""),
    (f"Cookie: theme=dark; sid={made_up(32)}", ""),
    (f"PHPSESSID={made_up(26)}", ""),
    (f"?sv=2024&se=2026&sig={made_up(43)}%3D", ""),
    ("seed phrase: " + " ".join(["witch", "feed", "shame", "open"] * 3), ""),
    (f"PRIVATE_LABEL_AND_LONG_NAME={'gh' + 'p_'}{made_up(36)}", ""),
]


@pytest.mark.parametrize(("text", "secret"), WRITTEN)
def test_logins_cookies_and_signed_addresses_hold_secrets(text: str, secret: str) -> None:
    (finding,) = find_secrets(text)
    assert secret in text[finding.start : finding.end]
    assert len(text[finding.start : finding.end]) > 5


LOOK_ALIKES = [
    "docker login -u kim -p <your password> quay.acme.test",
    "docker login -u kim -p pier-<password>-7 quay.acme.test",
    "db.pier.test:5432:harbour:reader:reader",
    "ports: 127.0.0.1:5432:5432 and arn:aws:logs:*:*:log-group-12ab3c",
    "SSID quay-guests: WPA2-Enterprise3",
    "hf_getServingCellPriorityParametersForUnit",
    "after login " + uuid() + " the auth " + uuid() + " is kept",
    "postgres://payload:payload@localhost:5432/payload",
    f"SENTRY_DSN=https://{made_up(32, HEX)}@o123.ingest.sentry.io/456",
    "Basic principles of the design",
    "Authorization: Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9...",
    f"phc_{made_up(43)} is the public key of PostHog",
    f"pk_live_{made_up(24)}",
    "LLM_MODEL=qwen3-235b-a22b-instruct-2507",
    f'"id": "lc_run--{uuid()}"',
    f"openai-project: proj_{made_up(24)}",
    f"conversation_id: conv_{made_up(21)}",
    f"key: cache-stsb-bert-tiny-safetensors-{made_up(32, HEX)}",
    f"shop-0.1.0.dist-info/METADATA,sha256=d-{made_up(41)},147",
    "npm_config_registry_override_value2",
    "hf_servingcellpriorityparametersdescription",
    "s" + "k-" + "0" * 40,
    "xo" + "xb-test-token",
    "Login: users / groups",
    "Login: GET /index2.html",
    "Authorization: Bearer 123e4567-e89b-12d3-a456-426614174000",
    f"the password hash $2b$12${made_up(22)}.{made_up(30)}",
    f"certificate: {b64encode(b'-----BEGIN CERTIFICATE-----' + made_up(200).encode()).decode()}",
    "wandb login --relogin",
    "see https://docs.make.com/learn and algoliasearch(appId, apiKey)",
    "curl -u $USER:$PASSWORD https://api.acme.test",
    "curl -u user:password https://api.acme.test",
    "mysql -u root -p shop",
    "login form password reset",
    "Cookie: theme=dark; lang=de",
    "Set the session=production flag",
    "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    ".x{background:url(data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4)}",
]


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_what_only_looks_like_a_key_is_none(text: str) -> None:
    assert find_secrets(text) == []


PUBLISHED = [
    "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
    "client_id=s6BhdRkqt3&client_secret=7Fjfp0ZBr1KtDRbnfVdmIw",
    '"refresh_token":"tGzv3JOkF0XG5Qx2TlKWIA"',
    "otpauth://totp/Pier:kim@pier.test?secret=JBSWY3DPEHPK3PXP&issuer=Pier",
    "MINIO_ROOT_PASSWORD=minioadmin",
    "Bearer " + "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0." + made_up(43),
    "ANON_KEY=" + "eyJhbGciOiJub25lIn0.eyJpc3MiOiJzdXBhYmFzZS1kZW1vIiwicm9sZSI6ImFub24ifQ." + made_up(43),
]


@pytest.mark.parametrize("text", PUBLISHED)
def test_a_constant_that_a_specification_or_an_emulator_publishes_is_no_secret(text: str) -> None:
    assert find_secrets(text) == []


def test_a_pattern_of_a_persons_own_finds_published_constants_too() -> None:
    assert find_secrets("MINIO_ROOT_PASSWORD=minioadmin", [("mine", "minioadmin")])


def test_the_secret_behind_a_public_id_is_found_beside_it() -> None:
    for key in ("AC" + made_up(32, HEX), "LT" + "AI" + made_up(20)):
        secret = made_up(32, HEX)
        text = f"Client('{key}', '{secret}')"
        assert [text[found.start : found.end] for found in find_secrets(text)] == [key, secret]
