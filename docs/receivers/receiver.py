"""
A receiver of Stillup's webhooks: prints each event whose signature is right, once. SIGNING_SECRET is
the webhook's signing secret, and PORT is where to listen, 8485 if nothing else is said.
"""

import base64
import hmac
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# No message of Stillup comes near it.
MOST_BYTES = 1024 * 1024


def signing_key(secret: str) -> bytes:
    """The key that a signing secret holds. Raises ValueError if there is none."""
    key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    if not key:
        raise ValueError("a signing secret is never empty")
    return key


def verify(key: bytes, headers, body: bytes) -> None:
    """
    Raises ValueError unless the message was signed with this key within five minutes of now. `headers`
    has a `get` that takes names in lower case.
    """
    message_id = headers.get("webhook-id")
    timestamp = headers.get("webhook-timestamp")
    signatures = headers.get("webhook-signature")
    if not (message_id and timestamp and signatures):
        raise ValueError("bad signature: a header is missing")
    if not timestamp.isdecimal():
        raise ValueError("bad signature: the timestamp is not a number")
    if abs(int(time.time()) - int(timestamp)) > 300:
        raise ValueError("bad signature: the message is too old or too new")
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = base64.b64encode(hmac.digest(key, signed, "sha256"))
    # Several while a secret is being replaced. One of them is enough.
    for entry in signatures.split(" "):
        version, _, signature = entry.partition(",")
        if version == "v1" and hmac.compare_digest(signature.encode(), expected):
            return
    raise ValueError("bad signature: none is by this secret")


class Receiver(BaseHTTPRequestHandler):
    # Seconds after which a silent sender is let go.
    timeout = 10

    key: bytes
    # A real receiver keeps these in its database, where they survive a restart: a unique column will do.
    seen: set[str] = set()
    lock = threading.Lock()

    def do_POST(self) -> None:
        length = self.headers.get("content-length", "")
        if not length.isdecimal() or int(length) > MOST_BYTES:
            return self.answer(413, "the body must have a length, of at most 1 MiB")
        body = self.rfile.read(int(length))
        try:
            verify(self.key, self.headers, body)
            self.take(self.headers["webhook-id"], json.loads(body))
        except ValueError as why:
            print("refused,", why, flush=True)
            return self.answer(400, str(why))
        self.answer(204)

    def take(self, message_id: str, event: object) -> None:
        """A real receiver puts the event into a queue here and answers at once: the work comes later."""
        with self.lock:
            is_repetition = message_id in self.seen
            self.seen.add(message_id)
        if not is_repetition:
            print("verified", json.dumps(event), flush=True)

    def answer(self, status: int, text: str = "") -> None:
        self.send_response(status)
        self.end_headers()
        if text:
            self.wfile.write(f"{text}\n".encode())

    def log_message(self, *_: object) -> None:
        """Says nothing of its own."""


def main() -> None:
    try:
        Receiver.key = signing_key(os.environ.get("SIGNING_SECRET", ""))
    except ValueError:
        sys.exit("SIGNING_SECRET must be a webhook's signing secret: whsec_ and base64.")
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT") or 8485)), Receiver)
    print(f"receiving on http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
