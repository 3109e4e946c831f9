"""A speech model that knows only the words of the sample reel.

Loading the installed dictionary and language model, and decoding with them, takes most of the time of a short
analysis. The acoustic model is the installed one.
"""

import math
import os
import re
from collections import Counter

INSTALLED = "/usr/share/pocketsphinx/model/en-us"
MAKE_SAMPLE = os.path.join(os.path.dirname(__file__), "..", "..", "scripts", "make-sample")
SEEN_SHARE = 0.5  # The probability that a word is followed as in one of the sentences.


def sentences():
    """What the sample reel says."""
    with open(MAKE_SAMPLE, encoding="utf-8") as script:
        spoken = re.findall(r'^say \w+ "([^"]+)"$', script.read(), re.MULTILINE)
    return [re.sub(r"[^a-z ]", "", sentence.lower()).split() for sentence in spoken]


def language_model(spoken):
    """Single words and pairs with their probabilities, in ARPA format."""
    marked = [["<s>", *words, "</s>"] for words in spoken]
    words = Counter(word for sentence in marked for word in sentence)
    pairs = Counter(pair for sentence in marked for pair in zip(sentence, sentence[1:]))
    total = sum(words.values()) - words["<s>"]
    lines = ["\\data\\", f"ngram 1={len(words)}", f"ngram 2={len(pairs)}", "", "\\1-grams:"]
    for word, count in sorted(words.items()):
        share = -99 if word == "<s>" else math.log10(count / total)
        lines.append(f"{share:.4f}\t{word}\t{math.log10(1 - SEEN_SHARE):.4f}")
    lines += ["", "\\2-grams:"]
    for (first, second), count in sorted(pairs.items()):
        lines.append(f"{math.log10(SEEN_SHARE * count / words[first]):.4f}\t{first} {second}")
    return "\n".join([*lines, "", "\\end\\", ""])


def write_to(folder):
    """Writes the model's files into an existing folder, with the names of the installed ones."""
    spoken = sentences()
    words = {word for sentence in spoken for word in sentence}
    os.symlink(os.path.join(INSTALLED, "en-us"), os.path.join(folder, "en-us"))
    with open(os.path.join(folder, "en-us.lm.bin"), "w", encoding="utf-8") as file:
        file.write(language_model(spoken))
    with open(os.path.join(INSTALLED, "cmudict-en-us.dict"), encoding="utf-8") as known, \
            open(os.path.join(folder, "cmudict-en-us.dict"), "w", encoding="utf-8") as file:
        file.writelines(line for line in known if line.split("(", 1)[0].split(" ", 1)[0] in words)
