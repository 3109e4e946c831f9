"""Helpers for the tests of the models' stand-ins: small generated media files, and requests as a client sends
them."""

import base64
import http.client
import json
import struct
import unittest
import urllib.parse

from gemini_stand_in import GeminiStandIn

SCHEMA = {
    "type": "object", "additionalProperties": False, "required": ["time", "name", "list", "kind"],
    "properties": {
        "time": {"type": "string", "description": "MM:SS"}, "name": {"type": ["string", "null"]},
        "list": {"type": "array", "items": {"type": "integer"}},
        "kind": {"type": "string", "enum": ["one", "two"]}}}
GOOD = {"time": "00:00", "name": "a name", "list": [1], "kind": "one"}


def box(kind, content):
    return struct.pack(">I4s", 8 + len(content), kind) + content


def mp4(seconds=3, has_sound=True, padding=1000):
    """The metadata boxes of a file; the movie's header is at the end, as recorders write it."""
    header = box(b"mvhd", struct.pack(">IIIII", 0, 0, 0, 600, round(600 * seconds)) + bytes(80))
    sound = box(b"trak", box(b"hdlr", bytes(8) + b"soun" + bytes(12))) if has_sound else b""
    return (box(b"ftyp", b"isom\0\0\2\0isomiso2") + box(b"mdat", b"\xa5" * padding) +
            box(b"moov", header + sound))


def wav(seconds=1, rate=16000):
    data = bytes(2 * rate * seconds)
    return (b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " +
            struct.pack("<IHHIIHH", 16, 1, 1, rate, 2 * rate, 2, 16) + b"data" +
            struct.pack("<I", len(data)) + data)


def jpeg(width=432, height=768):
    return (b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(10) + b"\xff\xc0\x00\x0b\x08" +
            struct.pack(">HH", height, width) + b"\1\1\x11\0" + bytes(20) + b"\xff\xd9")


def text64(data):
    return base64.b64encode(data).decode()


class Answer:
    def __init__(self, response, size):
        self.status, self.headers = response.status, response.headers
        self.body = response.read(size)

    def json(self):
        return json.loads(self.body)


class StandInTest(unittest.TestCase):
    def started(self, stand_in):
        stand_in.start()
        self.addCleanup(stand_in.stop)
        return stand_in

    def send(self, server, method, path, value=None, headers=None, seconds=30, read=None,
             **fields):
        """One request; `value` is bytes, or is sent as JSON. Fields with None are omitted."""
        headers = {**self.head(server), **(headers or {})}
        headers.update({name.replace("_", "-"): text for name, text in fields.items()})
        if value is not None and not isinstance(value, bytes):
            value = json.dumps(value).encode()
            headers.setdefault("Content-Type", "application/json")
        port = urllib.parse.urlsplit(server.url).port
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
        self.addCleanup(connection.close)
        connection.request(method, path, value,
                           {name: text for name, text in headers.items() if text is not None})
        answer = Answer(connection.getresponse(), read)
        connection.close()
        return answer

    def assertViolation(self, server, words):
        self.assertTrue([one for one in server.violations if words in one], (words, server.violations))
        server.violations.clear()


class GeminiTest(StandInTest):
    def setUp(self):
        self.gemini = self.started(GeminiStandIn(key="the-key"))

    @staticmethod
    def head(_):
        return {"x-goog-api-key": "the-key"}

    @staticmethod
    def body(video=None, config=None, **more):
        part = {"inlineData": {"mimeType": "video/mp4", "data": text64(video or mp4())},
                "videoMetadata": {"fps": 1}}
        return {
            "systemInstruction": {"parts": [{"text": "r" * 40}]},
            "contents": [{"role": "user", "parts": [part, {"text": "t" * 40}]}],
            "generationConfig": {
                "responseMimeType": "application/json", "responseJsonSchema": SCHEMA,
                "mediaResolution": "MEDIA_RESOLUTION_HIGH", "maxOutputTokens": 16384,
                "thinkingConfig": {"thinkingLevel": "LOW"}, **(config or {})},
            "safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "OFF"}],
            "store": False, **more}

    def generate(self, body=None, model="gemini-3.8-flash", verb="generateContent", **fields):
        return self.send(self.gemini, "POST", "/v1beta/models/%s:%s" % (model, verb),
                         body or self.body(), **fields)

    @staticmethod
    def text_of(answer):
        parts = answer.json()["candidates"][0]["content"].get("parts", [])
        return "".join(part["text"] for part in parts if not part.get("thought"))

    def start_upload(self, size, **fields):
        fields = {
            "X_Goog_Upload_Protocol": "resumable", "X_Goog_Upload_Command": "start",
            "X_Goog_Upload_Header_Content_Length": str(size),
            "X_Goog_Upload_Header_Content_Type": "video/mp4", **fields}
        return self.send(self.gemini, "POST", "/upload/v1beta/files",
                         {"file": {"displayName": "reel"}}, **fields)

    def upload(self, url, data=b"", offset=0, command="upload, finalize"):
        return self.send(self.gemini, "POST", url[len(self.gemini.url):], data, x_goog_api_key=None,
                         X_Goog_Upload_Offset=str(offset), X_Goog_Upload_Command=command)

    def uploaded(self, data=None):
        data = data or mp4()
        url = self.start_upload(len(data)).headers["X-Goog-Upload-URL"]
        return self.upload(url, data).json()["file"]

    def poll(self, name):
        return self.send(self.gemini, "GET", "/v1beta/" + name)
