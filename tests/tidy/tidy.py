#!/usr/bin/env python3
"""Checks the style rules that no compiler checks. Prints a line for each breach; exits with 1 if there is one.

    tidy.py rules ROOT     includes between layers, banned names, lengths, dead files, headers
    tidy.py format ROOT    clang-format over every C++ file
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import layers
import source_text

FILE_LINES_MAX = 600
FUNCTION_LINES_MAX = 70
COLUMNS_MAX = 100
LAST_MIGRATION_WITH_FUNCTIONS = 40

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)

SQL_FUNCTION = re.compile(r"^CREATE (?:OR REPLACE )?FUNCTION (\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Source:
    path: PurePosixPath  # From the root.
    text: str

    @property
    def is_header(self) -> bool:
        return self.path.suffix == ".hpp"

    @property
    def is_product(self) -> bool:
        return self.path.parts[0] in ("src", "include")

    def includes(self) -> Iterator[tuple[int, bool, str]]:
        """Line, whether in quotes, and name of each include."""
        for found in INCLUDE.finditer(self.text):
            line = self.text.count("\n", 0, found.start()) + 1
            yield line, found.group(1) == '"', found.group(2)


def sources_under(root: Path) -> list[Source]:
    paths = [path for folder in ("include", "src", "tests")
             for path in (root / folder).rglob("*.?pp") if path.suffix in (".hpp", ".cpp")]
    return [Source(PurePosixPath(path.relative_to(root).as_posix()),
                   path.read_text(encoding="utf-8")) for path in sorted(paths)]


def resolved(folder: PurePosixPath, name: str) -> PurePosixPath:
    """The path of a quoted include, from the folder of the including file."""
    parts = list(folder.parts)
    for part in PurePosixPath(name).parts:
        if part != "..":
            parts.append(part)
        elif parts:
            parts.pop()
    return PurePosixPath(*parts)


# --- Includes between layers -----------------------------------------------------------------------

def include_breaches(source: Source) -> Iterator[str]:
    user = layers.layer_of(source.path)
    if user is None:
        return
    for line, quoted, name in source.includes():
        where = f"{source.path}:{line}"
        if quoted:
            if source.path.parts[0] == "include":
                yield f"{where}: a public header includes in angle brackets: \"{name}\""
            elif layers.layer_of(resolved(source.path.parent, name)) != user:
                yield f"{where}: \"{name}\" is outside {user}"
            elif user == "domain" and name.startswith("../"):
                yield f"{where}: \"{name}\" is private to another folder of domain"
            continue
        if name.startswith("reelsd/"):
            used = PurePosixPath("include") / name
            used_layer = layers.layer_of(used)
            if used_layer is None:
                yield f"{where}: <{name}> is in no layer"
                continue
            objection = layers.layer_objection(user, used_layer)
            objection = objection or layers.domain_objection(source.path, used)
        else:
            objection = layers.foreign_objection(user, name)
        if objection:
            yield f"{where}: {objection}"


# --- Banned names --------------------------------------------------------------------------------

@dataclass(frozen=True)
class Ban:
    pattern: re.Pattern[str]
    why: str
    in_tests: bool
    allowed_under: tuple[str, ...] = ()


# Earlier names of things that have standard terms: docs/contributing.md, "Style".
PRIVATE_TERMS = (
    "clerk keeper asides lanes tie untie bear_failure stumbles admission_desk completion_board "
    "completion_watch job_watch change_feed claim_ahead hand_back handed_back postponed "
    "postponement trust_loop is_trusted rivals turn_away farewell client_places no_more peers "
    "peer_word welcome_newcomers upkeep part_from_bot impatience send_beside run_beside "
    "schema_standing outgrown kept_lines service_notice worthless_alone twice_said dispelled "
    "ruling pacer stand_still lexicon_draft dialogue word_judge imprint showiness shown_pictures "
    "joining stop_bell leavers throw_dice fence answer_complaint heard_word told_events "
    "session_gate circuit_standing "
).split()

BANS = [
    Ban(re.compile(rf"\b(?:{'|'.join(PRIVATE_TERMS)})_?\b"), "use the standard term", True),
    Ban(re.compile(r"\bdetached\b"), "every spawn goes through a task_group", False),
    Ban(re.compile(r"\b(sleep_for|sleep_until|usleep|nanosleep)\s*\("), "wait for an event", True),
    Ban(re.compile(r"\bstd::(cout|cerr|clog)\b"), "log through a logger", False,
        ("src/cli", "src/app", "src/media/child")),
    Ban(re.compile(r"\bresult<bool>"), "what holds false is true as a bool: name both ends", True),
    Ban(re.compile(r"\bdb::query\b"), "SQL belongs into domain", False, ("src/domain", "src/db")),
    Ban(re.compile(r"\b(s?rand)\s*\("), "take a seeded engine or random bytes", True),
    Ban(re.compile(r"\bstd::(minstd_rand|mt19937)\w*"), "take random_between or random_bits",
        False, ("src/base", "src/http", "src/media/sound")),
    # A unique_ptr may take ownership at once: make_unique cannot call a private constructor.
    Ban(re.compile(r"^(?!.*\bunique_ptr\b).*(?<!operator )\bnew\s+[A-Za-z_(:]"),
        "a bare new: let a container or make_unique own it", True),
]
# Names without a meaning. In a scope of a few lines they are clear anyway. Matches a name after a type, as a
# structured binding, or alone in a lambda's capture.
EMPTY_NAME = re.compile(
    r"(?P<before>[\w>\]][&*]*[ \t]+[&*]*|[&*][ \t]*|(?<![\w)\]])\[[\w, ]*)"
    r"\b(?P<name>one|made|told|said|wanted)(?=\s*[=;{,:)\]])")
KEYWORD = re.compile(r"\b(?:return|co_return|co_yield|co_await|else|case|throw|not)\s*$")
EMPTY_NAME_LINES_MAX = 3
# Matches even as the second of several tables: "FROM chosen, job".
TABLE_USE = {table: re.compile(rf"\b(?:FROM|JOIN|UPDATE|INTO|USING)\s+(?:ONLY\s+)?(?:\w+(?:\s+AS\s+\w+)?,\s*)*{table}\b")
             for table in layers.TABLE_OWNERS}
LEFTOVER = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
USING = re.compile(r"\busing\s+namespace\s+(?!std::(?:[a-z]+::)*\w*literals\b)")


def name_breaches(source: Source) -> Iterator[str]:
    code = source_text.without_literals(source.text)
    for ban in BANS:
        if not (source.is_product or ban.in_tests):
            continue
        if any(str(source.path).startswith(folder + "/") for folder in ban.allowed_under):
            continue
        for number, line in enumerate(code.splitlines(), 1):
            if not line.lstrip().startswith("#") and (found := ban.pattern.search(line)):
                yield f"{source.path}:{number}: {found.group(0).strip()[:40]} is banned: {ban.why}"
    for number, line in enumerate(source.text.splitlines(), 1):
        if LEFTOVER.search(line):
            yield f"{source.path}:{number}: a leftover: {line.strip()[:60]}"
    if source.is_header:
        for number, line in enumerate(code.splitlines(), 1):
            if USING.search(line):
                yield f"{source.path}:{number}: using namespace in a header"
        if not re.search(r"^#pragma once$", source.text, re.MULTILINE):
            yield f"{source.path}: no #pragma once"


def scope_end(code: str, declared: int) -> int:
    """The end of the scope of a name that is declared at this place: of a block, or of a statement and its body."""
    depth = {"(": 0, "[": 0, "{": 0}
    closers = {")": "(", "]": "[", "}": "{"}
    left_head = False
    for place in range(declared, len(code)):
        sign = code[place]
        if sign in depth:
            depth[sign] += 1
        elif sign in closers:
            depth[closers[sign]] -= 1
            if sign == "}" and depth["{"] < 0:
                return place
            if sign == "}" and left_head and depth["{"] == 0:
                return place
            if sign != "}" and depth[closers[sign]] < 0:
                depth[closers[sign]] = 0
                left_head = left_head or sign == ")"  # It is a parameter, or declared in the head of a loop.
        elif sign == ";" and left_head and not any(depth.values()):
            return place
    return len(code)


def empty_name_breaches(source: Source) -> Iterator[str]:
    code = source_text.without_literals(source.text)
    for found in EMPTY_NAME.finditer(code):
        start = found.start("name")
        if KEYWORD.search(code[max(0, start - 20):start]):
            continue
        # "a * one" and "a & one" are expressions; "type& one" has no blank before the sign.
        if re.search(r"(?:\s|[(,=])[&*]+\s*$", code[max(0, start - 20):start]):
            continue
        lines = 1 + code.count("\n", start, scope_end(code, found.end("name")))
        if lines > EMPTY_NAME_LINES_MAX:
            yield (f"{source.path}:{code.count(chr(10), 0, start) + 1}: \"{found.group('name')}\" says nothing of "
                   f"what it names, over {lines} lines")


def table_breaches(source: Source) -> Iterator[str]:
    if not source.is_product:
        return
    for table, owner in layers.TABLE_OWNERS.items():
        if str(source.path).startswith(owner + "/"):
            continue
        for found in TABLE_USE[table].finditer(source.text):
            line = source.text.count("\n", 0, found.start()) + 1
            yield f"{source.path}:{line}: SQL on the table {table} belongs into {owner}"


# --- Lengths -------------------------------------------------------------------------------------

def length_breaches(source: Source) -> Iterator[str]:
    lines = source.text.splitlines()
    if len(lines) > FILE_LINES_MAX:
        yield f"{source.path}: {len(lines)} lines, at most {FILE_LINES_MAX}"
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS_MAX:
            yield f"{source.path}:{number}: {len(line)} columns, at most {COLUMNS_MAX}"
    if not source.is_product:
        return  # A table of cases may have any length.
    for function in source_text.functions_of(source.text):
        if function.lines > FUNCTION_LINES_MAX:
            yield (f"{source.path}:{function.first_line}: a function of {function.lines} lines, "
                   f"at most {FUNCTION_LINES_MAX}")


def sql_function_breaches(name: str, text: str) -> Iterator[str]:
    lines = len(text.splitlines())
    if lines > FUNCTION_LINES_MAX:
        yield f"{name}: {lines} lines, at most {FUNCTION_LINES_MAX}"
    for function in SQL_FUNCTION.findall(text):
        if re.sub(r"_before_\d{4}$", "", PurePosixPath(name).stem) != function:
            yield f"{name}: {function}() has a separate file"


def migration_breaches(name: str, text: str) -> Iterator[str]:
    """Numbered migrations define no functions, except those that are older than the folder."""
    if int(PurePosixPath(name).name[:4]) > LAST_MIGRATION_WITH_FUNCTIONS and SQL_FUNCTION.search(text):
        yield f"{name}: a function is a file of migrations/functions/"


def sql_breaches(root: Path) -> Iterator[str]:
    for path in sorted((root / "migrations" / "functions").glob("*.sql")):
        yield from sql_function_breaches(str(path.relative_to(root)), path.read_text(encoding="utf-8"))
    for path in sorted((root / "migrations").glob("*.sql")):
        yield from migration_breaches(str(path.relative_to(root)), path.read_text(encoding="utf-8"))


# --- Dead files ----------------------------------------------------------------------------------

def is_built(path: PurePosixPath, lists: dict[PurePosixPath, str]) -> bool:
    """Whether a CMakeLists.txt names it: by its path from there, or elsewhere with its folder."""
    def names(text: str, name: str) -> bool:
        return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", text) is not None

    return any(
        names(lists.get(folder, ""), str(path.relative_to(folder))) for folder in path.parents
    ) or any(names(text, "/".join(path.parts[-2:])) for text in lists.values())


def dead_files(sources: list[Source], lists: dict[PurePosixPath, str]) -> Iterator[str]:
    included = {name for source in sources for _, _, name in source.includes()}
    tails = {PurePosixPath(name).name for name in included}
    for source in sources:
        if not source.is_header:
            if not is_built(source.path, lists):
                yield f"{source.path}: no CMakeLists.txt builds it"
        elif source.path.parts[0] == "include":
            if "/".join(source.path.parts[1:]) not in included:
                yield f"{source.path}: nobody includes it"
        elif source.path.name not in tails:
            yield f"{source.path}: nobody includes it"


def cmake_lists(root: Path) -> dict[PurePosixPath, str]:
    found = [root / "CMakeLists.txt"]
    for folder in ("src", "tests"):
        found += sorted((root / folder).rglob("CMakeLists.txt"))
    return {PurePosixPath(path.parent.relative_to(root).as_posix()):
            path.read_text(encoding="utf-8") for path in found if path.exists()}


def rule_breaches(sources: list[Source], lists: dict[PurePosixPath, str]) -> Iterator[str]:
    for source in sources:
        yield from include_breaches(source)
        yield from name_breaches(source)
        yield from empty_name_breaches(source)
        yield from table_breaches(source)
        yield from length_breaches(source)
    yield from dead_files(sources, lists)


def format_breaches(root: Path, sources: list[Source]) -> Iterator[str]:
    paths = [str(source.path) for source in sources]
    if not paths:
        return
    run = subprocess.run(["clang-format", "--dry-run", *paths], cwd=root, text=True,
                         capture_output=True, check=False)
    if run.returncode != 0:
        yield run.stderr.strip() or f"clang-format ended with {run.returncode}"
    elsewise = re.findall(r"^([^\s:]+):\d+:\d+: warning:", run.stderr, re.MULTILINE)
    for path in dict.fromkeys(elsewise):
        yield f"{path}: {elsewise.count(path)} places that clang-format would change"


def main(arguments: list[str]) -> int:
    if len(arguments) != 3 or arguments[1] not in ("rules", "format"):
        print(__doc__, file=sys.stderr)
        return 2
    root = Path(arguments[2])
    sources = sources_under(root)
    breaches = list([*rule_breaches(sources, cmake_lists(root)), *sql_breaches(root)]
                    if arguments[1] == "rules" else format_breaches(root, sources))
    for breach in breaches:
        print(breach)
    print(f"{len(sources)} files, {len(breaches)} breaches")
    return 1 if breaches or not sources else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
