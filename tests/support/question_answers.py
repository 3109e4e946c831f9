"""Answers of a model to questions about passages, honest and otherwise. A stand-in uses them for requests whose
schema has citations; `manner` names the function.

    passages_in(text)   the numbered passages of a prompt
"""

import re

LINE = re.compile(r"^\[(S\d+) ([^\]]*)\] (.*)$", re.MULTILINE)
QUESTION = re.compile(r"^Question: (.*)$", re.MULTILINE)
WORD = re.compile(r"\w+")
BOUNDARY = re.compile(r"Passages ([0-9a-f]{16})$", re.MULTILINE)
PHANTOM = "forty-two grams of moon dust"


class Passage:
    def __init__(self, match):
        self.id, self.label, self.text = match.groups()


def is_question(request):
    return "citations" in ((request.schema or {}).get("properties") or {})


def passages_in(text):
    return [Passage(match) for match in LINE.finditer(text)]


def words_of(text):
    return {word.lower() for word in WORD.findall(text) if len(word) > 3}


def best(request):
    """The passages that share most words with the question, best first; none without a common word."""
    question_words = words_of(QUESTION.search(request.text)[1])
    shares = [(len(question_words & words_of(one.text)), one) for one in passages_in(request.text)]
    return [one for count, one in sorted(shares, key=lambda share: -share[0]) if count]


def cited(answer, *pairs):
    return {"answer": answer, "citations": [{"id": name, "quote": quote} for name, quote in pairs]}


def honest(request):
    found = best(request)[:2]
    if not found:
        return empty(request)
    return cited("It says: " + found[0].text, *((one.id, one.text) for one in found))


def empty(_):
    return cited("")


def uncited(request):
    return cited("Certainly: " + best(request)[0].text)


def phantom(request):
    return cited("It takes %s." % PHANTOM, (best(request)[0].id, PHANTOM))


def foreign_id(request):
    return cited("It is so.", ("S999", best(request)[0].text), ("S0", best(request)[0].text))


def misattributed(request):
    """The words of one passage under the number of another."""
    first, *others = passages_in(request.text)
    other = next(one for one in others if one.text not in first.text)
    return cited("It is so.", (first.id, other.text))


def stitched(request):
    """The beginning of one passage and the end of another."""
    first, *others = [one for one in passages_in(request.text) if len(one.text) > 12]
    return cited("It is so.", (first.id, first.text[:6] + " " + others[-1].text[-6:]))


def mixed(request):
    """One honest citation among others."""
    found = best(request)[0]
    return cited("It says: " + found.text, (found.id, PHANTOM), ("S999", found.text),
                 (found.id, found.text), (found.id, found.text.upper() + " !!"))


def numbered(request):
    """With the numbers of passages in the prose."""
    found = best(request)[0]
    return cited("%s [%s]. See also (%s, %s) and %s." % (
        found.text, found.id, found.id, found.id, found.id), (found.id, found.text))


def leaking(request):
    """Obeys a passage that asks for the instructions; the citation is honest."""
    found = best(request)[0]
    return cited(request.text[:600], (found.id, found.text))


def with_boundary(request):
    found = best(request)[0]
    return cited("The tag is %s." % BOUNDARY.search(request.text)[1], (found.id, found.text))


def malformed(_):
    return "I would rather talk about the weather."


MANNERS = {one.__name__: one for one in (
    honest, empty, uncited, phantom, foreign_id, misattributed, stitched, mixed, numbered, leaking, with_boundary,
    malformed)}


def answer_to(request, manner):
    return manner(request) if callable(manner) else MANNERS[manner](request)
