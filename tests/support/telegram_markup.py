"""Texts as the Bot API reads them: its HTML, and the length of a text."""

import html
import re

TAGS = {"b", "strong", "i", "em", "u", "ins", "s", "strike", "del", "code", "pre", "a", "blockquote",
        "tg-spoiler", "span"}
TEXT_MAX = 4096
ENTITIES_MAX = 100
_PIECE = re.compile(r"<(/?)([a-zA-Z-]+)((?:\s[^<>]*)?)>|([<>])|(&[^;\s]{0,8};?)|([^<>&]+)", re.DOTALL)
_REFERENCE = re.compile(r"&(?:lt|gt|amp|quot|#[0-9]+|#x[0-9a-fA-F]+);")


class MarkupError(Exception):
    """The server's error for a text that it cannot parse."""


def units(text):
    """As the Bot API counts: UTF-16 code units."""
    return len(text.encode("utf-16-le")) // 2


def parse(source):
    """`(text, entities)` of a message in HTML; an entity is `(tag, attributes, text)`."""
    text, entities, stack = [], [], []
    for piece in _PIECE.finditer(source):
        closing, tag, attributes, loose, reference, plain = piece.groups()
        if loose:
            raise MarkupError(f"can't parse entities: unescaped {loose!r}")
        if plain:
            text.append(plain)
        elif reference:
            if not _REFERENCE.fullmatch(reference):
                raise MarkupError(f"can't parse entities: {reference!r} is no escape")
            text.append(html.unescape(reference))
        elif closing:
            if not stack or stack[-1][0] != tag.lower():
                raise MarkupError(f"can't parse entities: unexpected end tag {tag!r}")
            name, given, begin = stack.pop()
            entities.append((name, given, "".join(text[begin:])))
        else:
            if tag.lower() not in TAGS:
                raise MarkupError(f"can't parse entities: unsupported start tag \"{tag}\"")
            stack.append((tag.lower(), attributes_of(tag.lower(), attributes), len(text)))
    if stack:
        raise MarkupError(f"can't parse entities: can't find end tag of {stack[-1][0]!r}")
    return "".join(text), entities


def attributes_of(tag, source):
    source = source.strip()
    if not source:
        return {}
    if tag == "blockquote" and source == "expandable":
        return {"expandable": True}
    found = re.fullmatch(r'(href|class)="([^"]*)"', source)
    if not found:
        raise MarkupError(f"can't parse entities: attributes {source!r}")
    return {found.group(1): html.unescape(found.group(2))}
