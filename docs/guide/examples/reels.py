"""reels.py LINK prints a reel once it has ended; reels.py --receive PORT prints the reels of webhooks."""
import base64, hmac, json, os, sys, time, urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

def call(method, path, body=None):
    request = urllib.request.Request(
        os.environ["REELS_SERVER"] + "/api/v1" + path, body and json.dumps(body).encode(), method=method,
        headers={"Authorization": "Bearer " + os.environ["REELS_TOKEN"]})
    return json.load(urllib.request.urlopen(request, timeout=90))

def analyze(link):
    reel = call("POST", "/reels/analyze", {"url": link})
    while reel["status"] in ("pending", "processing"):
        reel = call("GET", f"/reels/{reel['id']}?wait=60")
    return reel

def is_authentic(secret, headers, body):
    # body: the bytes as received
    name = headers.get("webhook-id")
    sent = headers.get("webhook-timestamp", "0")
    if abs(time.time() - int(sent)) >= 300:
        return False
    key = base64.b64decode(
        secret.removeprefix("whsec_"))
    signed = f"{name}.{sent}.".encode() + body
    digest = hmac.digest(key, signed, "sha256")
    right = b"v1," + base64.b64encode(digest)
    found = headers.get("webhook-signature", "")
    return any(
        hmac.compare_digest(right, one.encode())
        for one in found.split())

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        accepted = is_authentic(os.environ["WEBHOOK_SECRET"], self.headers, body)
        if accepted: print(body.decode(), flush=True)
        self.send_response(204 if accepted else 401)
        self.end_headers()

if sys.argv[1] == "--receive":
    HTTPServer(("127.0.0.1", int(sys.argv[2])), Receiver).serve_forever()
print(json.dumps(analyze(sys.argv[1])))
