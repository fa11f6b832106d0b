"""A value is a secret by the name it is given to, in configurations, code, prose and other languages."""

from __future__ import annotations

import pytest

from memtui.text.secrets import find_secrets

KEY = "Zk7Xhs9Qw2" + "Er5Ty8Ui1O"
UUID = "7b31c986-c2b8-46e9-87b3-b562f497961c"

GIVEN = [
    ("Das Passwort für die Hafendatenbank ist Kran7Boje!x", "Kran7Boje!x"),
    ("La contraseña de la base de datos es Grua7Boya!x", "Grua7Boya!x"),
    ("La contraseña del servidor: Grua7Boya!x", "Grua7Boya!x"),
    ("Le mot de passe est Grue7Bouee!x", "Grue7Bouee!x"),
    ("비밀번호는 Kran7Boje!x 입니다", "Kran7Boje!x"),
    ("use user pilot and password Kran7Boje!x", "Kran7Boje!x"),
    ("The password for the crane on pier 4 is Kran7Boje!x now.", "Kran7Boje!x"),
    ("- name: DB_PASSWORD\n  value: hunter2xyz", "hunter2xyz"),
    ('{"name": "API_TOKEN", "value": "' + KEY + '"}', KEY),
    ('System.setProperty("DB_PASSWORD", "hunter2xyz")', "hunter2xyz"),
    ("os.environ['API_TOKEN'] = '" + KEY + "'", KEY),
    ("buildConfigField 'String', 'API_KEY', '\"" + KEY + "\"'", KEY),
    ('buildConfigField "String", "API_KEY", "\\"' + KEY + '\\""', KEY),
    ("harbour_access_key: " + UUID, UUID),
    ("apiToken ?= " + KEY, KEY),
    ("<apiToken>\n    " + KEY + "\n</apiToken>", KEY),
    ("stripeKey: '" + KEY + "'", KEY),
    ("HEROKU_API_KEY=" + UUID, UUID),
    ("client_secret: " + UUID, UUID),
    ("RAILWAY_TOKEN=" + UUID, UUID),
    ("harbour token = '" + UUID + "'", UUID),
    ("ledgerToken: " + UUID, UUID),
    ("statuspage token: '" + "9f" * 16 + "07c1a3e5'", "9f" * 16 + "07c1a3e5"),
    ('api_key = "pier-' + UUID + '"', "pier-" + UUID),
    ('api_key = "4512093-' + KEY + '"', "4512093-" + KEY),
    ('api_key = "' + "3b" * 10 + "d07f4c19-" + "a9" * 10 + 'e5"', "3b" * 10 + "d07f4c19-" + "a9" * 10 + "e5"),
    ("harbour_secret: 8a1c-90de-47bf-d3e2-06f5-b7a9c4e1", "8a1c-90de-47bf-d3e2-06f5-b7a9c4e1"),
    ("harbour token = 'kT3xQ7_a7wLp-M4zRn2'", "kT3xQ7_a7wLp-M4zRn2"),
    ("harbourAuth := " + KEY, KEY),
    ("license_key: K7QWM-2XTRB-9PLZD-H4VNC", "K7QWM-2XTRB-9PLZD-H4VNC"),
    ('const harbourKey string = "' + KEY + '"', KEY),
    ('harbour_auth_token: "X-Authorization ' + KEY + '"', KEY),
    ('func harbourToken() string { return "' + KEY + '" }', KEY),
    ('ledgerSecret := "' + UUID + '"', UUID),
    ("https://api.acme.test/v1/user?key=" + KEY, KEY),
    ("The admin password is hunter2xyz.", "hunter2xyz"),
    ("The api token was `" + KEY + "` until May", KEY),
    ("Passwort: Sommer2024!x", "Sommer2024!x"),
    ("Das Kennwort lautet Wolke77blau", "Wolke77blau"),
    ("contraseña: Perro2024Azul", "Perro2024Azul"),
    ("密码：`Zx9Kp2mq`", "Zx9Kp2mq"),
    ("数据库密码是 Zx9Kp2mq", "Zx9Kp2mq"),
    ("パスワード：Kaze8842mori", "Kaze8842mori"),
    ("пароль: Zima2023snow", "Zima2023snow"),
    ("비밀번호: gamza8812x", "gamza8812x"),
    ("senha: Casa9911verde", "Casa9911verde"),
    ("Benutzer kranfahrer, Kennwort Ebbe4Flut9x", "Ebbe4Flut9x"),
    ("Kennwort Eb4$kLut92", "Eb4$kLut92"),
    ("usuario grumete, clave mArea4482x.", "mArea4482x"),
    ("La contraseña del usuario grumete en el servidor del muelle norte es Mar3a*Alta61.", "Mar3a*Alta61"),
    ("港のパスワードは Shio_7k2Nam です。", "Shio_7k2Nam"),
    ("アクセスキー：" + KEY + "。次", KEY),
    ("APIキー：" + KEY + "。次", KEY),
    ("Use k1ngfisher62Buoy as password for the tide gauge.", "k1ngfisher62Buoy"),
    ("Set db01Main2 as password: Mar3a*Alta61", "Mar3a*Alta61"),
    ("X-Harbour-API-Key " + KEY, KEY),
    ("HarbourKeySecret " + KEY + ", HarbourKeyId 7", KEY),
    ("App password for quay@pier.test: qvtz wnob lkcr zema", "qvtz wnob lkcr zema"),
    (
        "SECRET_KEY = 'w7#k=q2m!x_&z9=p^t4b(v6n=j8)r-y3+c5h*d1s0f_g2u%'",
        "w7#k=q2m!x_&z9=p^t4b(v6n=j8)r-y3+c5h*d1s0f_g2u%",
    ),
    (
        'harbour_key = "a3' + "9f04c1d7" * 3 + '7be5d0.Qx7vTz2Lm9Kp4Wn8"',
        "a3" + "9f04c1d7" * 3 + "7be5d0.Qx7vTz2Lm9Kp4Wn8",
    ),
    ("secret_key = /Ab3xdE5+gH7jK9mN/qR2tV4wY6zB8cF+hJ1Lk", "/Ab3xdE5+gH7jK9mN/qR2tV4wY6zB8cF+hJ1Lk"),
]


@pytest.mark.parametrize(("text", "secret"), GIVEN)
def test_a_value_given_to_the_name_of_a_secret_is_found(text: str, secret: str) -> None:
    (finding,) = find_secrets(text)
    assert text[finding.start : finding.end] == secret


LOOK_ALIKES = [
    "APIキー: Kumo2024 の台帳を見る",
    "アクセスキー: Kumo2024 の台帳を見る",
    "The password hash for users is argon2id.",
    "Das Budget passe 36K€ an 80K€/Monat an.",
    "Le débit passe de 36kbit à 100kbit2.",
    "The token for the header is documented in RFC6750.",
    "Sign in with password authentication2 or a key.",
    "The password of a user is required.",
    "token: " + UUID,
    "clientRequestToken: " + UUID,
    "next_page_token: " + UUID,
    "nextpagetoken: " + KEY,
    "dynamic_key: add-" + UUID,
    "cacheKey: '" + KEY + "'",
    'nextPageToken: "' + KEY + '"',
    '<meta name="csrf-token" content="' + KEY + '">',
    "publicKeyToken='6595b64144ccf1df'",
    "CLICKHOUSE_PASSWORD=clickhouse",
    "POSTGRES_PASSWORD=mysecretpassword",
    "NEO4J_PASSWORD=neo4j_password",
    "DB_PASSWORD=yourpassword1",
    "postgres://app:<password>@host:6379/0",
    'sed -e "s/AWS_SECRET_ACCESS_KEY=.*/AWS_SECRET_ACCESS_KEY=x/g"',
    'PWD="\\${PROJECT_DIR}/app1"',
    "Password=Lösenord",
    "The password is base64-encoded2",
    "Das Passwort ist lang genug",
    "密码是必填项",
    "API_KEY=" + "a" * 32,
    "password: required|min:12|confirmed",
    "'password' => 'required|string|min:8'",
    "Use PBKDF2WithHmacSHA256 as password hash.",
    "Use SHA256Digest as password",
    "The user table, password column2Hash",
    "App password: must have four word",
    "app password: with four more like these",
    "secret = '^[a-z0-9]+@[A-Z]{2}$'",
    "secret_key = /srv/Harbour2/Cranes3/Keys4/private",
    "token = settings.HARBOUR_V2.token_name",
    "The SGX enclave Gramine1x2Y holds it; la clave primaria2X3y también.",
    "APIキーは 1Password。ログに書かない",
    "X-API-Key headers_v2 are checked",
    "AC" + "9c41f0d7" * 3,
]


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_public_names_placeholders_and_prose_hold_none(text: str) -> None:
    assert find_secrets(text) == []
