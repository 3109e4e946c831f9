"""The Files API: resumable uploads, the states of a file, expiry.

An upload is one session with its own address. The offset of each piece must equal the number of received bytes,
and all pieces but the last have a multiple of the granularity. A file is PROCESSING for some polls, then ACTIVE,
and is removed after 48 hours or a deletion.
"""

import base64
import datetime
import re
import secrets

from gemini_faults import Refusal, file_gone, invalid
from model_media import Blob
from model_server import Answer, json_answer

GRANULARITY = 8 << 20
FILE_BYTES_MAX = 2 << 30
LIFETIME = datetime.timedelta(hours=48)
NAME = re.compile("files/[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?")
MIME_TYPES = ("video/mp4 video/mpeg video/quicktime video/mov video/avi video/x-flv video/mpg "
              "video/webm video/wmv video/3gpp").split()
# Of a poll, or of the last piece of an upload.
FILE_FAULTS = (
    "state_missing",  # The answer contains no state.
    "stuck",          # This file stays PROCESSING forever.
    "failed",         # This file becomes FAILED.
    "not_final",      # All bytes have arrived, but the status is "active": a failed upload.
    "session_dead",   # An error with the status "final".
    "no_upload_url",  # The answer to the start contains no address.
    "lost_bytes",     # Only half of the piece is stored, as a query then reports.
)


class Session:
    """An upload in progress."""

    def __init__(self, file, size, mime_type):
        self.file, self.size, self.mime_type = file, size, mime_type
        self.blob = Blob()
        self.is_over = False


class GeminiFiles:
    """The part of the stand-in that stores files. `files`: existing ones, {name: File}; `deleted`: names of those
    that a client deleted; `polls_until_active`: number of polls that report PROCESSING."""

    def reset_files(self):
        self.files, self.sessions, self.deleted, self.blobs = {}, {}, [], {}
        self.polls_until_active = 1
        self.polls = {}
        self.states = {}
        self.age = datetime.timedelta()

    def now(self):
        return datetime.datetime.now(datetime.timezone.utc) + self.age

    def pass_time(self, **duration):
        """Simulates the passing of time: pass_time(hours=49)."""
        self.age += datetime.timedelta(**duration)

    def add_file(self, display_name, mime_type="video/mp4"):
        """Adds a file of an earlier run; returns its name."""
        file = self.new_file({"displayName": display_name}, mime_type)
        file["state"] = "ACTIVE"
        self.files[file["name"]] = file
        return file["name"]

    def new_file(self, given, mime_type):
        name = given.get("name") or "files/" + secrets.token_hex(6)
        now = self.now()

        def text(time):
            return time.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        file = {"name": name, "mimeType": mime_type, "createTime": text(now), "updateTime": text(now),
                "expirationTime": text(now + LIFETIME), "uri": "%s/v1beta/%s" % (self.url, name),
                "source": "UPLOADED"}
        if given.get("displayName"):
            file["displayName"] = given["displayName"]
        return file

    # Uploads.

    def start_upload(self, record, fault):
        head = record.headers
        command = head.get("X-Goog-Upload-Command", "")
        if head.get("X-Goog-Upload-Protocol", "") != "resumable" or command != "start":
            self.report_violation("an upload begins with protocol %s, command %r" % (
                head.get("X-Goog-Upload-Protocol"), command))
            raise invalid("Upload protocol must be resumable.")
        length = head.get("X-Goog-Upload-Header-Content-Length", "")
        mime_type = head.get("X-Goog-Upload-Header-Content-Type", "")
        if not length.isdigit() or int(length) == 0:
            self.report_violation("an upload begins without its length")
            raise invalid("X-Goog-Upload-Header-Content-Length is missing.")
        given = self.checked_file(record.json, length, mime_type)
        if int(length) > FILE_BYTES_MAX:
            raise invalid("File is too large.")
        session = secrets.token_urlsafe(24)
        file = self.new_file(given, mime_type)
        if file["name"] in self.files:
            raise Refusal(409, "ALREADY_EXISTS", "File %s already exists." % file["name"])
        self.sessions[session] = Session(file, int(length), mime_type)
        headers = {
            "X-Goog-Upload-URL": "%s/upload/v1beta/files?upload_id=%s&upload_protocol=resumable" % (
                self.url, session),
            "X-Goog-Upload-Status": "active", "X-Goog-Upload-Chunk-Granularity": str(GRANULARITY)}
        if fault == "no_upload_url":
            headers = {}
        return Answer(200, headers=headers)

    def checked_file(self, body, length, mime_type):
        """The `file` of a start request."""
        given = (body or {}).get("file", {})
        unknown = [key for key in body or {} if key != "file"] + [
            key for key in given
            if self.camel(key) not in ("name", "displayName", "mimeType", "sizeBytes")]
        if unknown:
            self.report_violation("an upload begins with unknown members: %s" % unknown)
            raise invalid("Invalid JSON payload received. Unknown name \"%s\"" % unknown[0])
        given = {self.camel(key): value for key, value in given.items()}
        if mime_type not in MIME_TYPES or given.get("mimeType", mime_type) != mime_type:
            self.report_violation("an upload begins with MIME type %r" % mime_type)
            raise invalid("Unsupported MIME type: %s" % mime_type)
        if str(given.get("sizeBytes", length)) != length:
            self.report_violation("an upload begins with two sizes")
        if "name" in given and not NAME.fullmatch(given["name"]):
            self.report_violation("no name of a file: %r" % given["name"])
            raise invalid("Invalid file name.")
        if len(given.get("displayName", "")) > 512:
            self.report_violation("a displayName of over 512 characters")
            raise invalid("displayName is too long.")
        return given

    def session_of(self, record):
        session = self.sessions.get(record.query.get("upload_id", ""))
        if session is None or record.query.get("upload_protocol") != "resumable":
            raise Refusal(410, "NOT_FOUND", "Upload session is gone.")
        return session

    def take_upload(self, record, fault):
        """The bytes are in record.data: a Blob, or None if there were none."""
        session, head = self.session_of(record), record.headers
        commands = [part.strip() for part in head.get("X-Goog-Upload-Command", "").split(",")]
        if fault == "session_dead":
            session.is_over = True
            return Answer(400, headers={"X-Goog-Upload-Status": "final"})
        if commands == ["query"]:
            return Answer(200, headers={
                "X-Goog-Upload-Status": "final" if session.is_over else "active",
                "X-Goog-Upload-Size-Received": str(session.blob.size)})
        if commands not in (["upload"], ["upload", "finalize"], ["finalize"]) or session.is_over:
            self.report_violation("upload command %s, session over: %s" % (commands, session.is_over))
            raise invalid("Invalid upload command.")
        self.append(record, session, "finalize" in commands, fault)
        if fault == "lost_bytes":
            raise Refusal(503, "UNAVAILABLE", "The upload was interrupted.")
        if "finalize" not in commands or fault == "not_final":
            return Answer(200, headers={"X-Goog-Upload-Status": "active"})
        return self.finish(session, fault)

    def append(self, record, session, is_last, fault):
        offset = record.headers.get("X-Goog-Upload-Offset", "")
        if offset != str(session.blob.size):
            self.report_violation("an upload continues at %r; %d bytes are here" % (offset, session.blob.size))
            raise invalid("Invalid upload offset.")
        total = session.blob.size + record.size
        if total > session.size or (is_last and total != session.size):
            self.report_violation("%d bytes were announced, %d came" % (session.size, total))
            raise invalid("The size does not match the announced one.")
        if not is_last and record.size % GRANULARITY:
            self.report_violation("a piece of %d bytes, no multiple of the granularity" % record.size)
            raise invalid("The piece is no multiple of the granularity.")
        kept = record.size // 2 if fault == "lost_bytes" else record.size
        at = 0
        while at < kept:
            piece = record.data.read(at, min(1 << 20, kept - at))
            session.blob.write(piece)
            at += len(piece)

    def finish(self, session, fault):
        session.is_over = True
        file = session.file
        blob = session.blob.look()
        if blob.kind != "mp4":
            self.report_violation("the file that was uploaded is no mp4")
        file.update(sizeBytes=str(blob.size),
                    sha256Hash=base64.b64encode(blob.hash.digest()).decode())
        with self.lock:
            self.files[file["name"]] = file
            self.blobs[file["name"]] = blob
            self.polls[file["name"]] = 0
            file["state"] = "PROCESSING" if self.polls_until_active else "ACTIVE"
            if fault in ("stuck", "failed"):
                self.states[file["name"]] = fault
        if not self.keep_bodies:
            blob.drop()
        return self.file_answer({"file": self.shown(file, fault)}, final=True)

    def file_answer(self, value, final=False):
        answer = json_answer(200, value)
        if final:
            answer.headers["X-Goog-Upload-Status"] = "final"
        return answer

    def shown(self, file, fault):
        shown = dict(file)
        if shown["state"] == "ACTIVE" and file["name"] in self.blobs:
            shown["videoMetadata"] = {"videoDuration": "%gs" % (self.blobs[file["name"]].seconds or 0)}
        if shown["state"] == "FAILED":
            shown["error"] = {"code": 3, "message": "The video could not be processed."}
        if fault == "state_missing":
            del shown["state"]
        return shown

    # Files.

    def file_named(self, name):
        with self.lock:
            file = self.files.get(name)
        expiry = file and datetime.datetime.fromisoformat(file["expirationTime"])
        if file is None or expiry <= self.now():
            raise file_gone(name.partition("/")[2])
        return file

    def poll(self, name, fault):
        file = self.file_named(name)
        with self.lock:
            if fault in ("stuck", "failed"):
                self.states[name] = fault
            self.polls[name] = self.polls.get(name, 0) + 1
            is_due = self.polls[name] > self.polls_until_active
            if file["state"] == "PROCESSING" and is_due and self.states.get(name) != "stuck":
                file["state"] = "FAILED" if self.states.get(name) == "failed" else "ACTIVE"
            return self.file_answer(self.shown(file, fault))

    def delete(self, name):
        self.file_named(name)
        with self.lock:
            del self.files[name]
            self.deleted.append(name)
        return json_answer(200, {})

    def list_files(self, query):
        size = min(100, max(1, int(query.get("pageSize", 10) or 10)))
        start = int(query.get("pageToken") or 0)
        with self.lock:
            names = sorted(self.files)[start:]
            files = [self.shown(self.files[name], None) for name in names[:size]]
        answer = {"files": files} if files else {}
        if len(names) > size:
            answer["nextPageToken"] = str(start + size)
        return json_answer(200, answer)

    def used_file(self, uri):
        """The bytes of a fileUri, which must be ACTIVE."""
        name = "files/" + uri.rpartition("/files/")[2]
        if not uri.startswith(self.url + "/v1beta/files/"):
            self.report_violation("a fileUri that this server never gave: %r" % uri)
            raise invalid("Invalid file URI.")
        file = self.file_named(name)
        if file["state"] != "ACTIVE":
            self.report_violation("file %s is used while it is %s" % (name, file["state"]))
            raise Refusal(400, "FAILED_PRECONDITION", "The File %s is not in an ACTIVE state and "
                          "usage is not allowed." % name.partition("/")[2])
        return file, self.blobs.get(name)
