#!/usr/bin/env python3
"""Writes the vocabulary of the speech model, a token a line: vocabulary.py LLAMA_TOKENIZER_JS RESULT"""

import base64
import re
import sys


def main():
    source, destination = sys.argv[1:]
    with open(source, encoding="utf-8") as module:
        encoded = re.search(r'^const llama_vocab_base64 = "([A-Za-z0-9+/=]+)"', module.read(), re.MULTILINE)
    if encoded is None:
        sys.exit(f"{source} contains no vocabulary")
    with open(destination, "wb") as result:
        result.write(base64.b64decode(encoded[1]))


if __name__ == "__main__":
    main()
