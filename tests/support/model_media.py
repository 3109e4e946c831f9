"""Bodies of requests to a model. Long strings are removed from the JSON while it arrives and written to a spooled
file, so that a video of 40 MB is never in memory as text. The bytes themselves show what was sent: an mp4 and its
duration, a JPEG and its size, a WAV and its rate."""

import binascii
import hashlib
import json
import re
import struct
import tempfile

LONG_STRING = 64 << 10
SPOOLED_IN_MEMORY = 1 << 20
MARK = "\0long:"
END_OF_STRING = re.compile(rb'["\\]')


class Blob:
    """Bytes of a request: `size`, `sha256` (hex), `kind` (mp4, jpeg, wav, mp3 or None), `seconds`, `has_sound`,
    `width`, `height`; `prefix` is the text before them in a data URI, `problem` an error in the base64."""

    def __init__(self):
        self.file = tempfile.SpooledTemporaryFile(max_size=SPOOLED_IN_MEMORY)
        self.hash = hashlib.sha256()
        self.size = 0
        self.prefix = ""
        self.problem = None
        self.kind = self.seconds = self.width = self.height = None
        self.rate = self.channels = None
        self.has_sound = False

    @classmethod
    def of(cls, value):
        """A string of a request, long or short, decoded."""
        if isinstance(value, Blob):
            return value
        reader = LongString()
        reader.feed(value.encode())
        return reader.end()

    def write(self, data):
        self.file.write(data)
        self.hash.update(data)
        self.size += len(data)

    def read(self, offset, size):
        self.file.seek(offset)
        data = self.file.read(size)
        self.file.seek(0, 2)
        return data

    def look(self):
        """Detects the kind of media."""
        head = self.read(0, 64)
        if head[4:8] == b"ftyp":
            self.kind = "mp4"
            self.seconds, self.has_sound = mp4_facts(self)
        elif head[:3] == b"\xff\xd8\xff":
            self.kind = "jpeg"
            self.width, self.height = jpeg_size(self.read(0, self.size))
        elif head[:4] == b"RIFF" and head[8:12] == b"WAVE":
            self.kind = "wav"
            self.channels, self.rate, bytes_per_second = struct.unpack("<HII", head[22:32])
            self.seconds = max(0, self.size - 44) / max(1, bytes_per_second)
        elif head[:3] == b"ID3" or (head[:1] == b"\xff" and len(head) > 1 and head[1] & 0xE0 == 0xE0):
            self.kind = "mp3"
        return self

    @property
    def sha256(self):
        return self.hash.hexdigest()

    def drop(self):
        """Discards the bytes; the properties remain."""
        self.file.close()

    def __del__(self):
        self.drop()

    def __repr__(self):
        return "<%d bytes, %s>" % (self.size, self.kind)


def boxes(blob, start, end):
    """(type, start of its content, its end) of each box of an mp4."""
    while start + 8 <= end:
        size, kind = struct.unpack(">I4s", blob.read(start, 8))
        content = start + 8
        if size == 1:
            size, = struct.unpack(">Q", blob.read(content, 8))
            content += 8
        stop = end if size == 0 else start + size
        if stop <= start or stop > end:
            return
        yield kind, content, stop
        start = stop


def mp4_facts(blob):
    """(seconds, whether there is sound) by the movie's header and tracks; (None, False) without them."""
    seconds, has_sound = None, False
    for kind, start, end in boxes(blob, 0, blob.size):
        if kind != b"moov":
            continue
        movie = blob.read(start, end - start)
        at = movie.find(b"mvhd") + 4
        if at >= 4:
            layout, skipped = (">IQ", 20) if movie[at] == 1 else (">II", 12)
            scale, length = struct.unpack_from(layout, movie, at + skipped)
            seconds = length / scale if scale else None
        # A handler: version and flags, a zero, then the kind of the track.
        has_sound = re.search(rb"hdlr.{8}soun", movie, re.DOTALL) is not None
    return seconds, has_sound


def jpeg_size(data):
    """(width, height), or (None, None)."""
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        marker, size = data[at + 1], struct.unpack_from(">H", data, at + 2)[0]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        at += 2 + size
    return None, None


class LongString:
    """Decodes base64, possibly in a data URI, piece by piece."""

    def __init__(self):
        self.blob = Blob()
        self.rest = b""
        self.begun = self.padded = self.escaped = False

    def feed(self, piece):
        if self.escaped:  # JSON may write / as \/; nothing else in base64 needs an escape.
            self.escaped = False
            if piece[:1] != b"/":
                self.blob.problem = "an escape in base64"
        elif piece == b"\\":
            self.escaped = True
            return
        if not self.begun:
            self.begun = True
            if piece.startswith(b"data:") and b"," in piece[:200]:
                prefix, piece = piece.split(b",", 1)
                self.blob.prefix = prefix.decode("ascii", "replace") + ","
        self.decode(self.rest + piece)

    def decode(self, text):
        whole = len(text) // 4 * 4
        part, self.rest = text[:whole], text[whole:]
        if self.padded and text:
            self.blob.problem = "base64 continues after its padding"
        self.padded = part.endswith(b"=")
        try:
            self.blob.write(binascii.a2b_base64(part, strict_mode=True))
        except binascii.Error as why:
            self.blob.problem = self.blob.problem or "no standard base64: %s" % why

    def end(self):
        if self.rest:
            self.blob.problem = self.blob.problem or "base64 without its padding"
        return self.blob.look()


class JsonBody:
    """A JSON text that arrives in pieces."""

    def __init__(self):
        self.out = bytearray()
        self.string = bytearray()
        self.long = None
        self.blobs = []
        self.is_in_string = self.escaped = False
        self.duplicates = []

    def feed(self, data):
        at = 0
        while at < len(data):
            if not self.is_in_string:
                quote = data.find(b'"', at)
                stop = len(data) if quote < 0 else quote + 1
                self.out += data[at:stop]
                self.is_in_string = quote >= 0
                at = stop
            elif self.escaped:
                self.add(data[at:at + 1])
                self.escaped = False
                at += 1
            else:
                found = END_OF_STRING.search(data, at)
                stop = found.start() if found else len(data)
                self.add(data[at:stop])
                if found and found[0] == b'"':
                    self.end_string()
                elif found:
                    self.add(b"\\")
                    self.escaped = True
                at = stop + 1

    def add(self, piece):
        if not piece:
            return
        if self.long:
            self.long.feed(piece)
            return
        self.string += piece
        if len(self.string) > LONG_STRING:
            self.long = LongString()
            whole = bytes(self.string)
            self.string.clear()
            for part in re.split(rb"(\\)", whole):
                if part:
                    self.long.feed(part)

    def end_string(self):
        if self.long:
            self.out += b"\\u0000long:%d" % len(self.blobs)
            self.blobs.append(self.long.end())
            self.long = None
        self.out += self.string + b'"'
        self.string.clear()
        self.is_in_string = False

    def value(self):
        """The JSON value, with a Blob instead of each long string. Raises ValueError."""
        return self.with_blobs(json.loads(self.out.decode(), object_pairs_hook=self.one_object))

    def one_object(self, pairs):
        members = dict(pairs)
        if len(members) != len(pairs):
            self.duplicates += [key for key, _ in pairs]
        return members

    def with_blobs(self, value):
        if isinstance(value, dict):
            return {key: self.with_blobs(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.with_blobs(inner) for inner in value]
        if isinstance(value, str) and value.startswith(MARK):
            return self.blobs[int(value[len(MARK):])]
        return value
