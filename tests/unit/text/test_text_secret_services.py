"""A value of the shape of a key is a secret where it is given to the name of the service that issues it."""

from __future__ import annotations

import pytest

from memtui.text.secrets import find_secrets

MIXED = "q7Vd2Lx9Tz" + "4Rm8Kp1Wn6Jc3H"
HEX32 = "9c41f0d7b2e85a63" + "07de4b19c8f2a56d"
HEX40 = HEX32 + "4ab07e91"
HEX64 = HEX32 + "e5d7039a1f4c86b2" + "73e9d05b4a18fc62"
UUID = "5d0c7a1e-94b3-4f28" + "-a6d1-07e3b9c5f842"

GIVEN = [
    ("mixpanel: " + MIXED, MIXED),
    ("clockify '" + MIXED + "'", MIXED),
    ('brandfetchToken := "' + MIXED + '"', MIXED),
    ('scraping_bee = "' + MIXED + '"', MIXED),
    ("Our New Relic one is on the wiki, Better Stack " + MIXED, MIXED),
    ("const weatherStack = '" + HEX32 + "'", HEX32),
    ("cloudsmith: " + HEX40, HEX40),
    ("virustotal = " + HEX64, HEX64),
    ("The Datadog key is " + HEX32 + ", ask before you rotate it.", HEX32),
    ('new PostmarkClient("' + UUID + '")', UUID),
    ("opsgenie: " + UUID, UUID),
    ("curl https://api.opsgenie.test/v2/alerts?key=" + UUID, UUID),
    ("Request to the harbour API\nUsing key=" + HEX40, HEX40),
    ("auth_type: header\nharbourmaster: " + MIXED, MIXED),
    ("harbourmaster: " + MIXED + " / pilot@pier.test", MIXED),
    ("  harbourmaster '" + MIXED + "'", MIXED),
    ("rootly" + "_" + HEX64, "rootly" + "_" + HEX64),
    ("deepgram-token " + HEX40, HEX40),
    ("PagerDuty integration key " + HEX32, HEX32),
    ("moonclerk accesskey " + HEX32, HEX32),
    ("The Mavenlink key: " + HEX64, HEX64),
    ("insightly_key = " + UUID, UUID),
    ("zenscrape secret " + UUID, UUID),
    ("harbour_secret_access_key = " + UUID, UUID),
    ("<secret>{AQAA " + HEX40 + "}</secret>", HEX40),
]


@pytest.mark.parametrize(("text", "secret"), GIVEN)
def test_a_key_beside_the_name_of_its_service_is_found(text: str, secret: str) -> None:
    assert [text[found.start : found.end] for found in find_secrets(text)] == [secret]


HARMLESS = [
    "pagerduty-integration | " + HEX40,
    "mixpanel commit: " + HEX40,
    "cloudsmith revision = " + HEX40,
    "cloudsmith sha256: " + HEX64,
    "virustotal checksum is " + HEX64,
    "datadog dashboard id: " + HEX32,
    "Datadog trace " + HEX32,
    "opsgenie run id: " + UUID,
    "opsgenie etag = " + UUID,
    "example for mixpanel: " + MIXED,
    "github: " + HEX40,
    "docker: " + HEX64,
    '"resolved": "github:PierOS/pierpkgs/' + HEX40 + '"',
    "notion: " + HEX32,
    "harbourmaster: " + MIXED,
    "harbourmaster: " + HEX40,
    "harbourmaster key " + HEX40,
    "deepgram api " + HEX40,
    "github token " + HEX40,
    "notion key: " + UUID,
    "insightly_key_id = " + UUID,
    "harbourmaster = " + UUID,
    "key: " + UUID,
    "groq: 'pelican-v3p1x-405b4k2-harbour'",
    "assert '" + MIXED + "'",
    "goes to harbour '" + MIXED + "'",
    '"authenticator": {"kind": "any"},\n"challenge": "' + MIXED + '"',
    "Using key=" + HEX40,
    "mixpanel: pk_live_" + HEX32,
    "mixpanel: " + "0" * 32,
    "SPEC CHECKSUMS:\n  Mixpanel: " + HEX40 + "\n",
    "  Amplitude: " + HEX40 + "\n  Bugsnag: " + HEX40[::-1] + "\n  Zlib: " + HEX40[4:] + "aaaa\n",
    '"mixpanel.min.js": "' + HEX32 + '"',
    "https://mixpanel.test/" + MIXED,
]


@pytest.mark.parametrize("text", HARMLESS)
def test_hashes_ids_and_values_of_strangers_are_none(text: str) -> None:
    assert find_secrets(text) == []
