// reels.mjs LINK prints a reel once it has ended; reels.mjs --receive PORT prints the reels of webhooks.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
const { REELS_SERVER, REELS_TOKEN, WEBHOOK_SECRET } = process.env;

async function call(method, path, body) {
  const headers = { Authorization: `Bearer ${REELS_TOKEN}` };
  const answer = await fetch(`${REELS_SERVER.replace(/\/+$/, "")}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return answer.json();
}

async function analyze(link) {
  let reel = await call("POST", "/reels/analyze", { url: link });
  while (["pending", "processing"].includes(reel.status)) reel = await call("GET", `/reels/${reel.id}?wait=60`);
  return reel;
}

function isAuthentic(secret, headers, body) { // body: the bytes as received
  const sent = headers["webhook-timestamp"];
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const expected = createHmac("sha256", key)
    .update(`${headers["webhook-id"]}.${sent}.`).update(body).digest();
  const signatures = (headers["webhook-signature"] ?? "").split(" ")
    .filter((text) => text.startsWith("v1,")).map((text) => Buffer.from(text.slice(3), "base64"));
  return Math.abs(Date.now() / 1000 - sent) < 300 && signatures.some((signature) =>
    signature.length === expected.length && timingSafeEqual(signature, expected));
}

const receive = (port) => createServer(async (request, answer) => {
  const body = Buffer.concat(await request.toArray());
  const accepted = isAuthentic(WEBHOOK_SECRET, request.headers, body);
  if (accepted) console.log(body.toString());
  answer.writeHead(accepted ? 204 : 401).end();
}).listen(port, "127.0.0.1");

const [link, port] = process.argv.slice(2);
if (link === "--receive" && port) receive(Number(port));
else if (link && !link.startsWith("-")) console.log(JSON.stringify(await analyze(link)));
else { console.error("node reels.mjs LINK | --receive PORT"); process.exitCode = 1; }
