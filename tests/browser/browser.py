"""A real headless Chromium, driven through its debugging protocol over a pipe.

Expressions are evaluated in the page; waits are for a condition, with a time limit. Console messages, violations
of the security policy and network requests of the page are recorded.
"""

import base64
import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

from service_support import die_with_us

ANSWER_SECONDS_MAX = 60  # Start of a browser on a busy machine.


class Browser:
    """One browser with one page."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="reelsd-browser-")
        self.number = 0
        self.unread = b""
        self.session = None
        # Events of the page, in order.
        self.complaints = []
        self.requested = []
        self._start()
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(domain + ".enable")

    def _start(self):
        # The browser reads commands from descriptor 3 and writes answers to 4.
        commands_out, self.commands = os.pipe()
        self.answers, answers_in = os.pipe()
        command = ["chromium", "--headless=new", "--remote-debugging-pipe", "--disable-gpu",
                   "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
                   "--disable-component-update", "--disable-sync", "--hide-scrollbars",
                   f"--user-data-dir={self.folder}/profile",
                   # It shows our own pages only, and root and most containers have no sandbox.
                   "--no-sandbox"]
        with open(os.path.join(self.folder, "log"), "wb") as log:
            self.process = subprocess.Popen(
                ["bash", "-c", f'exec "$@" 3<&{commands_out} 4>&{answers_in}', "bash", *command],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=die_with_us,
                start_new_session=True, pass_fds=(commands_out, answers_in),
                env={**os.environ, "HOME": self.folder})
        os.close(commands_out)
        os.close(answers_in)

    # The protocol: JSON messages that end with a NUL.

    def _call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        give_up = time.monotonic() + ANSWER_SECONDS_MAX
        while True:
            answer = self._receive(give_up)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
            self._note(answer)

    def _receive(self, give_up):
        while b"\0" not in self.unread:
            ready, _, _ = select.select([self.answers], [], [], max(0, give_up - time.monotonic()))
            if not ready:
                raise AssertionError(f"the browser did not answer; its log:\n{self._log()}")
            piece = os.read(self.answers, 1 << 20)
            if not piece:
                raise AssertionError(f"the browser is gone; its log:\n{self._log()}")
            self.unread += piece
        message, self.unread = self.unread.split(b"\0", 1)
        return json.loads(message)

    def _log(self):
        with open(os.path.join(self.folder, "log"), encoding="utf-8", errors="replace") as log:
            return log.read()[-3000:]

    def _note(self, event):
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Log.entryAdded":
            entry = parameters["entry"]
            self.complaints.append(f"{entry['source']} {entry['level']}: {entry['text']}")
        elif method == "Runtime.consoleAPICalled":
            texts = [str(one.get("value", one.get("description"))) for one in parameters["args"]]
            self.complaints.append(f"console {parameters['type']}: {' '.join(texts)}")
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(f"exception: {parameters['exceptionDetails']}")
        elif method == "Network.requestWillBeSent":
            self.requested.append(parameters["request"]["url"])

    # The page

    def resize(self, width, height):
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                   deviceScaleFactor=1, mobile=width < 600)

    def open(self, url):
        self._call("Page.navigate", url=url)
        self.wait_for("document.readyState === 'complete'")

    def value(self, expression):
        """The expression's value in the page."""
        got = self._call("Runtime.evaluate", expression=expression, returnByValue=True,
                         awaitPromise=True)
        if "exceptionDetails" in got:
            raise AssertionError(f"{expression}: {got['exceptionDetails']}")
        return got["result"].get("value")

    def wait_for(self, expression, seconds=ANSWER_SECONDS_MAX):
        """The expression's first true value."""
        give_up = time.monotonic() + seconds
        while True:
            value = self.value(expression)
            if value:
                return value
            if time.monotonic() > give_up:
                raise AssertionError(f"waited {seconds} s for {expression}")
            time.sleep(0.05)

    def click(self, selector):
        """Clicks the first matching element, as a user would: once it exists."""
        self.wait_for(f"document.querySelector({json.dumps(selector)}) !== null")
        self.value(f"document.querySelector({json.dumps(selector)}).click()")

    def type(self, selector, text):
        """Focuses the element and types."""
        self.wait_for(f"document.querySelector({json.dumps(selector)}) !== null")
        self.value(f"document.querySelector({json.dumps(selector)}).focus()")
        self._call("Input.insertText", text=text)

    def text(self, selector):
        self.wait_for(f"document.querySelector({json.dumps(selector)}) !== null")
        return self.value(f"document.querySelector({json.dumps(selector)}).textContent")

    def screenshot(self, path):
        """The visible page as a PNG, for developers; no test needs it."""
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        shutil.rmtree(self.folder, ignore_errors=True)
