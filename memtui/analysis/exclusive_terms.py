"""Terms of which a project uses only one: tools of one class, and words with an opposite."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

_TOOLS = """
npm yarn pnpm bun
pip poetry uv pipenv conda pdm hatch
jest vitest mocha ava jasmine
pytest unittest nose
cypress playwright selenium puppeteer webdriverio
black yapf autopep8 ruff
prettier biome dprint
eslint oxlint tslint biome
flake8 pylint ruff
mypy pyright pyre
postgres mysql mariadb sqlite mongodb cockroachdb dynamodb oracle
redis memcached valkey
rabbitmq kafka sqs nats pulsar activemq
webpack vite rollup esbuild parcel turbopack
github_actions gitlab_ci circleci jenkins travis buildkite teamcity drone
kubernetes nomad ecs swarm mesos
docker podman
terraform pulumi cloudformation cdk opentofu
gradle maven bazel ant
nx turborepo lerna
axios fetch ky got superagent
requests httpx aiohttp urllib3
winston pino bunyan
loguru structlog
moment dayjs luxon date-fns
redux zustand mobx recoil jotai
prisma drizzle typeorm sequelize knex
sqlalchemy peewee tortoise
react vue svelte angular solidjs
django flask fastapi pyramid
express fastify koa hono nestjs
tailwind bootstrap
rest graphql grpc soap
jwt cookies
nvm fnm volta asdf mise
nginx caddy apache traefik haproxy
aws gcp azure
vercel netlify heroku
sentry bugsnag rollbar
prometheus datadog newrelic
elasticsearch opensearch meilisearch typesense solr
bash zsh fish powershell
apt brew yum dnf pacman
argparse click typer
celery rq dramatiq huey
unicorn puma gunicorn uvicorn hypercorn
"""
"""One class of tools a line; of each a project uses one for a given purpose. `_` joins the words of one name."""

_VALUES = """
yaml json toml xml ini protobuf csv
markdown restructuredtext asciidoc
rebase squash merge_commit
tabs spaces
camelcase snake_case kebab-case pascalcase
uuid ulid nanoid auto-increment serial
utc local_time
main master trunk
single double
soft hard
sync async
synchronous asynchronous
before after
first last
up down
above below
inside outside
minimum maximum
increase decrease
enable disable
allow deny
allow forbid
accept reject
include exclude
true false
public private
internal external
mutable immutable
optional required
optional mandatory
manual automatic
manually automatically
eager lazy
local remote
ascending descending
left right
client server
stateless stateful
relative absolute
named default
strict loose
upper lower
uppercase lowercase
"""
"""Values of which one excludes the other, and words with their opposites."""


def classes_of(name: str) -> frozenset[int]:
    """Return the numbers of the classes that a name belongs to."""
    return _table().get(name, _NONE)


_NONE: frozenset[int] = frozenset()


@cache
def _table() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, line in enumerate((_TOOLS + _VALUES).split("\n")):
        for name in line.split():
            found.setdefault(name, set()).add(number)
    return {name: frozenset(numbers) for name, numbers in found.items()}


def is_tool(name: str) -> bool:
    """Return whether a name is that of a tool rather than a value."""
    return any(number < _TOOLS.count("\n") for number in classes_of(name))


def rivals(ones: Iterable[str], others: Iterable[str]) -> tuple[str, str] | None:
    """Return the first pair of names of which a project has one or the other."""
    rest = sorted(others)
    for one in sorted(ones):
        known = classes_of(one)
        for other in rest if known else ():
            if one != other and known & classes_of(other):
                return one, other
    return None


NAMES_OF_TWO = tuple(
    sorted(name.replace("_", " ") for name in (_TOOLS + _VALUES).split() if "_" in name and name != "snake_case")
)
"""Names of two words, as they are written."""
