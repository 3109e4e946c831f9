#!/usr/bin/env python3
"""Writes the samples of the API reference.

    samples.py docs/openapi.yaml samples.json

writes {operationId: [{"lang", "label", "source", "example", "contentType"}]}, which the viewer adds to the document as
`x-codeSamples`. Each sample is a whole program: it needs only curl, Python 3 or Node.js 18, and runs as it is pasted.
"""

import json
import pathlib
import sys
import urllib.parse

import yaml

SERVER = "http://127.0.0.1:8080"  # As in src/api/documents/viewer/guides.js.
TOKEN = "YOUR_SECRET_TOKEN"
FILE = "clip.mp4"
LINE_LENGTH_MAX = 72
# Where a response that is not text is stored.
FILE_NAMES = {"thumbnail": "thumbnail.jpg", "{n}": "frame.jpg", "video": "video.mp4"}
WORDS = {True: "True", False: "False", None: "None"}  # Of Python.


class Reader:
    """The operations of a document."""

    def __init__(self, document):
        self.document = document

    def resolve(self, node):
        while "$ref" in node:
            target = self.document
            for step in node["$ref"].removeprefix("#/").split("/"):
                target = target[step]
            node = target
        return node

    def operations(self):
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                if method != "parameters":
                    parameters = [self.resolve(parameter)
                                  for parameter in [*item.get("parameters", []), *operation.get("parameters", [])]]
                    yield path, method, operation, parameters

    def example(self, parameter):
        """The value of a parameter in samples; None if it is optional and unusual."""
        return parameter.get("example", self.resolve(parameter["schema"]).get("example") if parameter.get("required") else None)

    def url(self, path, parameters):
        query = []
        for parameter in parameters:
            value = self.example(parameter)
            if parameter["in"] == "path":
                path = path.replace("{" + parameter["name"] + "}", urllib.parse.quote(str(value)))
            elif parameter["in"] == "query" and value is not None:
                query.append((parameter["name"], value))
        return SERVER + path + ("?" + urllib.parse.urlencode(query, quote_via=urllib.parse.quote) if query else "")

    def bodies(self, operation):
        """Yields (content type, name of the example, body); a name is "" where there is only one."""
        content = self.resolve(operation.get("requestBody", {})).get("content", {})
        if not content:
            yield None, None, None
        for kind, media in content.items():
            if "examples" in media:
                for name, example in media["examples"].items():
                    yield kind, name, self.resolve(example)["value"]
            else:
                yield kind, "", media.get("example")

    def response_kind(self, operation):
        """json, text, stream, file, or none without a body."""
        answers = [self.resolve(answer) for status, answer in operation["responses"].items() if status < "300"]
        kinds = [kind for answer in answers for kind in answer.get("content", {})]
        if not kinds:
            return "none"
        if kinds[0] == "text/event-stream":
            return "stream"
        is_text = kinds[0].startswith("text/") or kinds[0].endswith(("yaml", "ndjson", "x-subrip"))
        return "json" if kinds[0] == "application/json" else "text" if is_text else "file"


class Request:
    """One request: `kind` is the content type of its body, `answers` that of the response."""

    def __init__(self, reader, path, method, operation, parameters, kind, body):
        self.method = method.upper()
        self.kind = kind
        self.body = body
        self.answers = reader.response_kind(operation)
        self.file_name = next((name for part, name in FILE_NAMES.items() if path.endswith(part)), None)
        self.url = reader.url(path, parameters)
        if kind == "application/octet-stream":
            self.url += "?filename=" + FILE
        self.headers = {} if operation.get("security") == [] else {"Authorization": f"Bearer {TOKEN}"}
        if kind == "application/octet-stream":  # A body of any other type is read as JSON.
            self.headers["Content-Type"] = kind


def name_of(member, language):
    return member if language == "javascript" and member.isidentifier() else json.dumps(member)


def one_line(value, language):
    """A value of JSON in "json", "python" or "javascript"."""
    if isinstance(value, list):
        return "[" + ", ".join(one_line(item, language) for item in value) + "]"
    if isinstance(value, dict):
        space = " " if language == "javascript" else ""
        members = (f"{name_of(name, language)}: {one_line(item, language)}" for name, item in value.items())
        return "{" + space + ", ".join(members) + space + "}"
    is_word = language == "python" and (value is None or isinstance(value, bool))
    return WORDS[value] if is_word else json.dumps(value, ensure_ascii=False)


def literal(value, language, indent=0, used=0):
    """As one_line(), in several lines unless it fits behind `used` characters."""
    line = one_line(value, language)
    if not isinstance(value, (dict, list)) or indent + used + len(line) <= LINE_LENGTH_MAX:
        return line
    inner = indent + (4 if language == "python" else 2)
    if isinstance(value, list):
        parts = [literal(item, language, inner) for item in value]
    else:
        names = {name: name_of(name, language) + ": " for name in value}
        parts = [names[name] + literal(item, language, inner, len(names[name])) for name, item in value.items()]
    end = "" if language == "json" else ","
    return line[0] + "\n" + ",\n".join(" " * inner + part for part in parts) + f"{end}\n{' ' * indent}{line[-1]}"


def quoted(text):
    """An argument of the shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def curl(request):
    is_plain = not set(request.url) & set("?&*[]{}")
    parts = ["curl " + (request.url if is_plain else f'"{request.url}"')]
    sends_post = request.kind in ("application/json", "multipart/form-data")  # curl then chooses POST.
    if request.method != ("POST" if sends_post else "GET"):
        parts[0] = f"curl -X {request.method} " + parts[0].removeprefix("curl ")
    parts += [f'-H "{name}: {value}"' for name, value in request.headers.items()]
    if request.kind == "application/json":
        parts.append("-d " + quoted(literal(request.body, "json")))
    elif request.kind == "multipart/form-data":
        parts.append(f"-F video=@{FILE}")
    elif request.kind:
        parts.append(f"-T {FILE}")
    if request.answers == "stream":
        parts[0] = parts[0].replace("curl ", "curl -N ", 1)
    if request.answers == "file":
        parts[0] = parts[0].replace("curl ", "curl -f ", 1)
        parts.append(f"-o {request.file_name}")
    return " \\\n  ".join(parts)


PYTHON_FORM = f'''boundary = uuid.uuid4().hex
head = (
    f"--{{boundary}}\\r\\n"
    'Content-Disposition: form-data; name="video"; filename="{FILE}"\\r\\n\\r\\n'
)
body = (
    head.encode()
    + pathlib.Path("{FILE}").read_bytes()
    + f"\\r\\n--{{boundary}}--\\r\\n".encode()
)
'''


def python(request):
    imports, setup, arguments = {"urllib.request"}, "", [json.dumps(request.url)]
    if request.method != ("POST" if request.kind else "GET"):
        arguments.append(f'method="{request.method}"')
    headers = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in request.headers.items()]
    if request.kind == "multipart/form-data":
        headers.append('"Content-Type": f"multipart/form-data; boundary={boundary}"')
        imports |= {"pathlib", "uuid"}
        setup = PYTHON_FORM + "\n"
        arguments.append("data=body")
    elif request.kind == "application/json":
        imports.add("json")
        setup = f"body = {literal(request.body, 'python', 0, 7)}\n\n"
        arguments.append("data=json.dumps(body).encode()")
    elif request.kind:
        imports.add("pathlib")
        arguments.append(f'data=pathlib.Path("{FILE}").read_bytes()')
    if len(headers) > 1:
        arguments.append("headers={\n        " + ",\n        ".join(headers) + ",\n    }")
    elif headers:
        arguments.append("headers={" + headers[0] + "}")
    answer = {
        "json": "    print(json.load(answer))", "text": "    print(answer.read().decode())",
        "stream": '    for line in answer:\n        print(line.decode(), end="")', "none": "    print(answer.status)",
        "file": f'    pathlib.Path("{request.file_name}").write_bytes(answer.read())'}[request.answers]
    imports |= {"json": {"json"}, "file": {"pathlib"}}.get(request.answers, set())
    return ("".join(f"import {name}\n" for name in sorted(imports)) + "\n" + setup
            + "request = urllib.request.Request(\n    " + ",\n    ".join(arguments) + ",\n)\n"
            + "with urllib.request.urlopen(request) as answer:\n" + answer)


def javascript(request):
    setup, options = [], []
    if request.method != "GET":
        options.append(f'method: "{request.method}"')
    if request.headers:
        options.append("headers: " + literal(request.headers, "javascript", 4, 9))
    if request.kind == "application/json":
        setup.append(f"const body = {literal(request.body, 'javascript', 2, 13)};")
        options.append("body: JSON.stringify(body)")
    elif request.kind:
        setup += ['const { readFile } = await import("node:fs/promises");', f'const video = await readFile("{FILE}");']
        options.append("body: " + ("form" if request.kind == "multipart/form-data" else "video"))
    if request.kind == "multipart/form-data":
        setup += ["const form = new FormData();", f'form.append("video", new Blob([video]), "{FILE}");']
    call = f"const answer = await fetch({json.dumps(request.url)}"
    call += (", {" + "".join(f"\n    {option}," for option in options) + "\n  }" if options else "") + ");"
    answer = {
        "json": ["console.log(await answer.json());"], "text": ["console.log(await answer.text());"],
        "stream": ["for await (const part of answer.body) process.stdout.write(part);"],
        "none": ["console.log(answer.status);"],
        "file": ['const { writeFile } = await import("node:fs/promises");',
                 f'await writeFile("{request.file_name}", Buffer.from(await answer.arrayBuffer()));']}[request.answers]
    lines = [*setup, call, "if (!answer.ok) throw new Error(await answer.text());", *answer]
    return "async function main() {\n" + "".join(f"  {line}\n" for line in lines) + "}\n\nmain();"


LANGUAGES = [("shell", "curl", curl), ("python", "Python", python), ("javascript", "JavaScript", javascript)]


def samples_of(document):
    reader = Reader(document)
    samples = {}
    for path, method, operation, parameters in reader.operations():
        listed = samples[operation["operationId"]] = []
        for lang, label, write in LANGUAGES:
            for kind, example, body in reader.bodies(operation):
                source = write(Request(reader, path, method, operation, parameters, kind, body))
                choice = {"example": example, "contentType": kind} if kind else {}
                listed.append({"lang": lang, "label": label, "source": source, **choice})
    return samples


def main():
    source, target = map(pathlib.Path, sys.argv[1:])
    document = yaml.safe_load(source.read_text(encoding="utf-8"))
    target.write_text(json.dumps(samples_of(document), ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
