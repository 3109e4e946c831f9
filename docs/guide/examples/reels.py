"""reels.py LINK prints a reel once it has ended; reels.py --receive PORT prints the reels of webhooks."""
import base64, hashlib, hmac, json, os, sys, time, urllib.error, urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

def call(method, path, body=None):
    request = urllib.request.Request(
        os.environ["REELS_SERVER"].rstrip("/") + "/api/v1" + path, body and json.dumps(body).encode(), method=method,
        headers={"Authorization": "Bearer " + os.environ["REELS_TOKEN"]})
    try: return json.load(urllib.request.urlopen(request, timeout=90))
    except urllib.error.HTTPError as refusal: sys.exit(f"{refusal.code}: {refusal.read().decode()}")

def analyze(link):
    reel = call("POST", "/reels/analyze", {"url": link})
    while reel["status"] in ("pending", "processing"):
        reel = call("GET", f"/reels/{reel['id']}?wait=60")
    return reel

def is_authentic(secret, headers, body):  # body: the bytes as received
    sent = headers.get("webhook-timestamp", "")
    signed = f"{headers.get('webhook-id')}.{sent}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, signed, hashlib.sha256)
    expected = b"v1," + base64.b64encode(digest)
    signatures = headers.get("webhook-signature", "").encode().split()
    return sent.isdecimal() and abs(time.time() - float(sent)) < 300 and any(
        hmac.compare_digest(expected, signature) for signature in signatures)

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        accepted = is_authentic(os.environ["WEBHOOK_SECRET"], self.headers, body)
        if accepted: print(body.decode(), flush=True)
        self.send_response(204 if accepted else 401)
        self.end_headers()

if len(sys.argv) == 3 and sys.argv[1] == "--receive":
    HTTPServer(("127.0.0.1", int(sys.argv[2])), Receiver).serve_forever()
if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
    sys.exit(__doc__)
print(json.dumps(analyze(sys.argv[1])))
