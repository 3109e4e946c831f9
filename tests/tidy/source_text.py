"""A minimal reader of C++ sources: comments and literals are blanked, and functions are found by their braces."""

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<raw>R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
  | (?P<string>"(?:\\.|[^"\\\n])*")
  | (?P<character>(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+')
    """,
    re.VERBOSE | re.DOTALL,
)


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def without_literals(text: str) -> str:
    """The same lines and columns, with comments and literals blanked."""
    def replace(match: re.Match[str]) -> str:
        found = match.group(0)
        if match.lastgroup == "comment" or match.group("comment"):
            return _blank(found)
        return found[0] + _blank(found[1:-1]) + found[-1]
    return _TOKEN.sub(replace, text)


def without_directives(code: str) -> str:
    """Blanks preprocessor lines, with their continuations."""
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda found: _blank(found.group(0)), code,
                  flags=re.MULTILINE)


@dataclass(frozen=True)
class Function:
    first_line: int  # From 1: the first line of its declaration.
    lines: int


_SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")
# The text before a function's brace: its parameters, and what may follow them.
_FUNCTION = re.compile(
    r"\)\s*(?:const|noexcept(?:\s*\([^()]*\))?|override|final|mutable|&&?|"
    r"->\s*[\w:<>,&*\s\[\]]+|\s)*(?::[^:].*)?$", re.DOTALL)


# Removed, because a declaration might be misread: "class" of a template's parameters, "=" of operator==.
_DISTRACTION = re.compile(r"template\s*<[^<>]*(?:<[^<>]*>[^<>]*)*>|operator\s*[^\s\w(]+(?=\s*\()")


def _opens_function(head: str) -> bool:
    if not _FUNCTION.search(head):
        return False
    head = _DISTRACTION.sub("", head)
    before_parameters = head[:head.find("(")]
    return not _SCOPE.search(before_parameters) and "=" not in before_parameters


def functions_of(text: str) -> list[Function]:
    """Functions and their lengths, from the declaration's first line to the closing brace. Lambdas and local types
    inside a function count as part of it."""
    code = without_directives(without_literals(text))
    found: list[Function] = []
    depth = 0
    open_at: tuple[int, int] | None = None  # Line and depth of the current function.
    head_from = 0
    for at, character in enumerate(code):
        if character == "{":
            head = code[head_from:at]
            if open_at is None and _opens_function(head):
                begin = head_from + len(head) - len(head.lstrip())
                open_at = (code.count("\n", 0, begin) + 1, depth)
            depth += 1
        elif character == "}":
            depth -= 1
            if open_at is not None and depth == open_at[1]:
                last = code.count("\n", 0, at) + 1
                found.append(Function(open_at[0], last - open_at[0] + 1))
                open_at = None
        if character in "{};" and open_at is None:
            head_from = at + 1
    return found
