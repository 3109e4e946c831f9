"""The log lines of the daemon, as its sources contain them."""

import re
from dataclasses import dataclass, field
from pathlib import Path

CALL = re.compile(r"(?:\.|->)(info|warning|error)\(")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
KEY = re.compile(r'\{\s*"([a-z_-]+)"\s*,')
# The client and the media child write no log.
WITHOUT_LOG = ("src/cli", "src/media/child")


@dataclass
class Line:
    level: str
    message: str
    fields: set[str] = field(default_factory=set)
    # The texts of the files that write it: some build their fields in advance.
    sources: list[str] = field(default_factory=list)


def argument_end(text: str, at: int) -> int:
    """The end of the argument that begins at `at`: a comma, or the closing bracket of the call."""
    depth, in_text = 0, False
    while True:
        letter = text[at]
        if in_text:
            at += letter == "\\"
            in_text = letter != '"'
        elif letter == '"':
            in_text = True
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            if depth == 0:
                return at
            depth -= 1
        elif letter == "," and depth == 0:
            return at
        at += 1


def messages_in(argument: str) -> list[str]:
    """One message, or two that a condition chooses from; adjacent literals are one text."""
    if "?" in LITERAL.sub("", argument):
        parts = re.split(r"\?|:(?!:)", argument)[1:]
        return [text for text in ("".join(LITERAL.findall(part)) for part in parts) if text]
    text = "".join(LITERAL.findall(argument))
    return [text] if text and not LITERAL.sub("", argument).strip() else []


def log_lines(root: Path) -> dict[str, Line]:
    """Log lines by message."""
    found: dict[str, Line] = {}
    for path in sorted((root / "src").rglob("*.[ch]pp")):
        if path.relative_to(root).as_posix().startswith(WITHOUT_LOG):
            continue
        text = path.read_text(encoding="utf-8")
        for call in CALL.finditer(text):
            end = argument_end(text, call.end())
            fields = set()
            if text[end] == ",":
                fields = set(KEY.findall(text[end + 1:argument_end(text, end + 1)]))
            for message in messages_in(text[call.end():end]):
                line = found.setdefault(message, Line(call[1], message))
                line.fields |= fields
                line.sources.append(text)
    return found
