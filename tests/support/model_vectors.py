"""Predictable vectors of texts: texts that share words are near each other, and the same text always has the same
vector."""

import base64
import hashlib
import math
import re
import struct


def vector_of(text, dimensions, is_unit=True):
    """Each word adds to a few dimensions. Without `is_unit`, the length is 0.7, like shortened vectors of some
    models."""
    values = [0.0] * dimensions
    for word in re.findall(r"\w+", text.lower()) or [text]:
        digest = hashlib.sha256(word.encode()).digest()
        for at in range(0, 16, 4):
            number, = struct.unpack_from("<I", digest, at)
            values[number % dimensions] += 1.0 if digest[at + 16] & 1 else -1.0
    length = math.sqrt(sum(value * value for value in values)) or 1.0
    scale = 1.0 if is_unit else 0.7
    return [scale * value / length for value in values]


def as_base64(values):
    """Little-endian float32."""
    return base64.b64encode(struct.pack("<%df" % len(values), *values)).decode()
