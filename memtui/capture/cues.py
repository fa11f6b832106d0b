"""Words that speak for a kind of memory, in texts and in headings, with their weights.

Words are looked up in a dictionary rather than matched by patterns: compiling those took longer than all the
rest of a `memtui add`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

_WORD = re.compile(r"[\w']+")


@dataclass(frozen=True, slots=True, eq=False)
class Cue:
    """Words that speak for one kind.

    Attributes:
        kind: the kind they speak for.
        weight: how strongly; 3 is nearly certain, 1 a hint.
        words: words parted by white space; `_` parts the words of a phrase, and `fix/es/ed` stands for the word
            with each ending.
        cjk: words of scripts without spaces; they are found anywhere.
    """

    kind: str
    weight: float
    words: str
    cjk: str = ""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A cue found in a text: its number in the table, the words and where they stand."""

    cue: int
    words: str
    position: int


TEXT_CUES = (
    Cue(
        "constraint",
        3.2,
        """never must always must_not mustn't do_not don't under_no_circumstances at_all_costs not_allowed forbidden
        prohibited disallowed mandatory only_ever nothing_may no_one_may""",
        "禁止 绝不 必须 必須 不得 不要 务必 始终 絶対に 必ず してはいけない しないで 절대 반드시",
    ),
    Cue("constraint", 2.0, "cannot can't may_not shall critical required"),
    Cue("constraint", 1.8, "avoid"),
    Cue("constraint", 1.0, "only unless no_longer exactly_once at_most at_least"),
    Cue(
        "convention",
        3.0,
        """convention/s naming snake_case snakecase camel_case camelcase pascal_case pascalcase kebab_case code_style
        style_guide coding_standard/s style""",
        "命名 规范 風格 风格 規約 スタイル 네이밍 컨벤션",
    ),
    Cue(
        "convention",
        1.5,
        """prefer/s/red indent/ed/ation format/ted/ting line_length docstring/s type_hint/s annotation/s
        commit_message/s conventional_commits import_order quotes spaces tabs trailing_comma/s pull_request/s
        code_review favor favour suffix/ed prefix/ed prettier named_export/s file_name/s lowercase lower_case
        uppercase upper_case readable concise imperative_mood""",
        "格式 缩进 优先 なるべく インデント",
    ),
    Cue("convention", 1.0, "before_making before_opening before_editing before_committing after_editing when_writing"),
    Cue(
        "tooling",
        1.8,
        """npm npx pnpm yarn bun pip uv uvx poetry cargo `make makefile docker docker_compose kubectl terraform gradle
        mvn pytest jest vitest eslint ruff mypy tox nox brew apt go_build go_test go_run mcp github_action/s
        git_hook/s pre_commit""",
    ),
    Cue(
        "tooling",
        0.9,
        """run/s running build install/s/ed command/s script/s cli ci cd dev_server port env_var/s
        environment_variable/s deploy/s/ed lint/er/ing api_key/s api_token/s dashboard/s runbook/s""",
        "命令 构建 安装 脚本 运行 コマンド ビルド 実行",
    ),
    Cue(
        "architecture",
        2.0,
        """architecture data_flow dataflow entry_point/s monorepo microservice/s bounded_context/s event_bus
        message_queue subsystem/s domain_model state_machine layers_are""",
        "架构 架構 分层 数据流 アーキテクチャ 構成 レイヤー",
    ),
    Cue(
        "architecture",
        0.8,
        """live/s_in live/s_under depend/s_on talk/s_to responsible_for owns holds handles consist/s_of service/s
        layer/s module/s component/s pipeline schema database table/s endpoint/s directory directories folder/s
        adapter/s handler/s backend frontend route/s go_through goes_through polls publishes subscribes""",
        "目录 服务 数据库 接口 模块",
    ),
    Cue(
        "decision",
        3.0,
        """decided decision we_chose we_picked we_opted we_switched we_migrated we_moved we_went_with we_settled_on
        we_rejected chose chosen opted_for adr trade_off/s tradeoff/s alternative/s_considered""",
        "决定 決定 选择了 选用 决策 採用 결정",
    ),
    Cue(
        "decision",
        1.2,
        "instead_of rather_than in_favor_of in_favour_of over_the_alternative rationale rejected",
        "而不是 代わりに",
    ),
    Cue(
        "bug-pattern",
        3.0,
        """bug/s bugfix regression/s root_cause race race_condition/s deadlock/s/ed memory_leak/s off_by_one
        postmortem post_mortem flaky flakiness stacktrace stack_trace double_charge/d double_count/ed double_free
        double_submit/s/ted double_sold""",
        "修复 崩溃 竞态 根因 缺陷 バグ 不具合 障害 버그",
    ),
    Cue(
        "bug-pattern",
        1.5,
        """fix/es/ed crash/es/ed broke/n symptom/s workaround gotcha/s pitfall/s fail/s/ed failure incident outage
        hang/s hung corrupt/s/ed/ion leak/s/ed silently wrong_result/s traceback valueerror typeerror keyerror
        runtimeerror nullpointerexception exception""",
        "报错 失败 错误 エラー 失敗",
    ),
    Cue(
        "note",
        2.5,
        """currently in_progress wip todo/s for_now temporary temporarily this_week this_sprint this_month next_step/s
        next_up blocked_on blocked_by pending as_of work_in_progress not_yet until_monday until_tuesday
        until_wednesday until_thursday until_friday until_next""",
        "目前 进行中 待办 暂时 現在 作業中 진행",
    ),
    Cue(
        "lesson",
        2.0,
        """learned learnt lesson/s turn/s_out turned_out discovered realised realized beware watch_out keep_in_mind
        remember note_that in_practice we_found surprising/ly""",
        "教训 经验 注意 学んだ 教訓 교훈",
    ),
)

HEADING_CUES = (
    Cue(
        "constraint",
        3.0,
        """constraint/s hard_rule/s critical must never always do_not don't don'ts dont's forbidden security safety
        non_negotiable/s golden_rule/s guardrail/s guard_rail/s boundaries""",
        "约束 限制 禁止 制約",
    ),
    Cue(
        "convention",
        3.5,
        """convention/s style naming format/ting code_quality standards best_practices preference/s commit/s
        pull_request/s pr/s code_review/s review/s import/s typing strict_mode comments documentation tone""",
        "规范 风格 命名 規約",
    ),
    Cue("convention", 2.0, "rule/s guidelines patterns principles practices", "规则 ルール"),
    Cue(
        "tooling",
        3.5,
        """command/s build/ing setup set_up install/ation/ing script/s tool/s tooling environment running run
        getting_started quickstart quick_start tech_stack technology_stack stack ci deploy/ment/ing dependencies
        mcp docker lint/ing cheatsheet cheat_sheet release/s releasing version/s""",
        "命令 构建 安装 环境 启动 依赖 コマンド ビルド セットアップ",
    ),
    Cue("tooling", 2.0, "test/s/ing debug/ging workflow/s", "测试"),
    Cue("tooling", 1.5, "development migration/s"),
    Cue(
        "architecture",
        3.5,
        """architecture layout overview component/s module/s data_flow dataflow data_model directory directories
        layer/s system_pattern/s how_it_works codebase code_base key_files core_concept/s project_context packages
        flow/s""",
        "架构 架構 结构 目录 概述 概览 アーキテクチャ 構成",
    ),
    Cue("architecture", 2.5, "structure design organisation organization about project", "设计 設計"),
    Cue("decision", 4.0, "decision/s adr/s why rationale trade_off/s tradeoff/s design_choices", "决策 决定 決定"),
    Cue(
        "bug-pattern",
        3.0,
        """bug/s gotcha/s pitfall/s known_issue/s issues troubleshooting common_error/s common_mistake/s
        common_problem/s post_mortem/s postmortem/s incident/s regression/s caveat/s known_limitation/s""",
        "问题 故障 踩坑 トラブル 既知の問題",
    ),
    Cue(
        "note",
        3.5,
        """current currently status progress todo/s next_step/s roadmap active_context in_progress work_in_progress
        session backlog open_question/s future planned upcoming""",
        "进度 状态 待办 進捗 現状",
    ),
    Cue(
        "lesson",
        3.0,
        "lesson/s lesson/s_learned lesson/s_learnt learning/s insight/s retrospective/s experience",
        "教训 经验 教訓 学び",
    ),
)

VERBS = frozenset(
    """never always do don't avoid prefer use keep make ensure check follow call return name put place write add run
    test no only all every each any wrap pass store log handle validate mark treat leave let set read create update
    include document commit import export throw raise catch limit respect remember favor favour stick try consider
    minimise minimize maximise maximize optimise optimize implement define declare group order sort format split
    extract reuse inject mock cover squash rebase explain ask verify confirm address choose think begin start stop
    review refactor replace remove delete move expose reject accept assume compute send round preserve understand
    resolve surface structure suffix prefix separate build generate apply enable disable fetch load parse escape
    sanitise sanitize cache bump pin tag link hold convert count enqueue type register assign wait unsubscribe report
    stay work push pull""".split()  # noqa: SIM905 - a list would take a page
)
"""First words of sentences that tell what to do."""

NOUNS = frozenset(
    """call return name place run test pass store log handle mark set document commit import export catch limit group
    order sort format split extract mock cover address start stop review move send round surface structure suffix
    prefix build fetch load escape cache bump pin tag link hold count type register wait report work push pull all any
    each every only no""".split()  # noqa: SIM905 - a list would take a page
)
"""Those of the verbs that a noun may begin with as well: "Build tool: make"."""

HINTS: dict[str, str] = {
    "feedback": "constraint",
    "project": "decision",
    "user": "convention",
    "reference": "tooling",
    "adr": "decision",
    "anti-pattern": "constraint",
    "bugfix": "bug-pattern",
    "bug": "bug-pattern",
    "problem-solution": "bug-pattern",
    "post-mortem": "bug-pattern",
    "postmortem": "bug-pattern",
    "gotcha": "bug-pattern",
    "activecontext": "note",
    "progress": "note",
    "session": "note",
    "summary": "note",
    "systempatterns": "architecture",
    "productcontext": "architecture",
    "projectbrief": "architecture",
    "design": "architecture",
    "how-it-works": "architecture",
    "techcontext": "tooling",
    "tech": "tooling",
    "mcp": "tooling",
    "lessons": "lesson",
    "discovery": "lesson",
    "pattern": "lesson",
    "conventions": "convention",
    "style": "convention",
    "preference": "convention",
    "trade-off": "decision",
    "why-it-exists": "decision",
}
"""The kind that a source's own word for a memory stands for, the word in lower case."""

FIRM_HINTS = frozenset({"adr", "decision", "activecontext", "progress", "bugfix", "post-mortem", "postmortem"})
"""Words that no cue in the text outweighs."""


def sightings(text: str, cues: tuple[Cue, ...]) -> Iterator[Sighting]:
    """Yield every cue found in a text, whole words in any letter case."""
    phrases, cjk = _tables(cues)
    lower = text.lower().replace("\u2019", "'")
    words = [(match[0], match.start()) for match in _WORD.finditer(lower)]
    for number, (word, position) in enumerate(words):
        for phrase, cue in phrases.get(word, ()):
            following = words[number + 1 : number + len(phrase)]
            if len(phrase) == 1 or tuple(next_word for next_word, _ in following) == phrase[1:]:
                yield Sighting(cue, " ".join(phrase), position)
        if position and word == "make" and lower[position - 1] == "`":
            yield from (Sighting(cue, word, position) for _, cue in phrases.get("`make", ()))
    if not text.isascii():
        for word, cue in cjk:
            if (position := text.find(word)) >= 0:
                yield Sighting(cue, word, position)


_Phrases = dict[str, list[tuple[tuple[str, ...], int]]]


@cache
def _tables(cues: tuple[Cue, ...]) -> tuple[_Phrases, tuple[tuple[str, int], ...]]:
    """Return the phrases by their first word, and the CJK words, each with its cue's number."""
    phrases: _Phrases = {}
    cjk: list[tuple[str, int]] = []
    for number, cue in enumerate(cues):
        for written in cue.words.split():
            for phrase in _forms(written):
                phrases.setdefault(phrase[0], []).append((phrase, number))
        cjk.extend((word, number) for word in cue.cjk.split())
    return phrases, tuple(cjk)


def _forms(written: str) -> list[tuple[str, ...]]:
    """Return the phrases that `word/ending_word` stands for."""
    forms: list[tuple[str, ...]] = [()]
    for part in written.split("_"):
        stem, *endings = part.split("/")
        variants = [stem, *(stem + ending for ending in endings)]
        forms = [(*form, variant) for form in forms for variant in variants]
    return forms
