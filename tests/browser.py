"""Chromium without a window, controlled through a pipe with its DevTools protocol: real clicks and real keys."""

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

import pytest

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--remote-debugging-pipe",
]  # fmt: skip
KEYS = {
    "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35, "Tab": 9, "Enter": 13,
}  # fmt: skip
SECONDS = 300  # until a browser that says nothing counts as broken


@contextlib.contextmanager
def chromium():
    """A browser; the test is skipped where there is none."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no Chromium on this machine")
    (its_input, commands), (answers, its_output) = os.pipe(), os.pipe()

    def connect():  # the browser reads from descriptor 3 and writes to 4
        source, sink = os.dup(its_input), os.dup(its_output)
        os.dup2(source, 3)
        os.dup2(sink, 4)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={profile}"],
            preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(its_input)
        os.close(its_output)
        try:
            yield Browser(commands, answers)
        finally:
            process.terminate()
            process.wait(SECONDS)
            os.close(commands)
            os.close(answers)


class Browser:
    """One tab of a browser. ``problems`` collects what pages complain about: exceptions, dialogs and requests."""

    def __init__(self, commands, answers):
        self.commands, self.answers, self.rest, self.number = commands, answers, b"", 0
        self.session, self.problems, self.loaded = None, [], False
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        number = self._send(method, params)
        while True:
            answer = self._read()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return answer["result"]

    def _send(self, method, params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        return self.number

    def open(self, path, *, width=1200, height=900, dark=False):
        """Open a file, and wait until it has run."""
        media = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=media)
        self.loaded = False
        self.call("Page.navigate", url=path.as_uri())
        while not self.loaded:
            self._read()
        return self

    def run(self, code):
        """Evaluate JavaScript."""
        answer = self.call("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True, userGesture=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def text(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)}).textContent")

    def click(self, selector):
        """Click into the middle of an element with the mouse."""
        place = self.run(
            f"""(() => {{ const node = document.querySelector({json.dumps(selector)});
            node.scrollIntoView({{block: "center"}}); const box = node.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2]; }})()"""
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def focus(self, selector):
        self.run(f"document.querySelector({json.dumps(selector)}).focus()")

    def press(self, key):
        """Press a key with a name in KEYS."""
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            code = KEYS[key]
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **text)

    def write(self, selector, text):
        """Replace the text of an input as if it were typed."""
        self.focus(selector)
        self.run(f"document.querySelector({json.dumps(selector)}).select()")
        self.call("Input.insertText", text=text)

    def picture(self, path, *, width, height=None, **options):
        """Save a picture of the whole page."""
        height = height or self.run("Math.ceil(document.documentElement.scrollHeight)")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.run("new Promise(done => requestAnimationFrame(() => setTimeout(done, 300)))")
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", **options)["data"]))

    def _read(self):
        end = time.monotonic() + SECONDS
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.answers], [], [], max(end - time.monotonic(), 0))
            assert ready, "the browser does not answer"
            piece = os.read(self.answers, 1 << 20)
            assert piece, "the browser has ended"
            self.rest += piece
        message, _, self.rest = self.rest.partition(b"\0")
        answer = json.loads(message)
        method, params = answer.get("method"), answer.get("params", {})
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Page.javascriptDialogOpening":
            self.problems.append(("dialog", params["message"]))
            self._send("Page.handleJavaScriptDialog", {"accept": True})
        elif method == "Runtime.exceptionThrown":
            self.problems.append(("exception", params["exceptionDetails"]))
        elif method == "Log.entryAdded":
            self.problems.append(("log", params["entry"]["text"]))
        elif method == "Network.requestWillBeSent" and not params["request"]["url"].startswith(("file:", "about:")):
            self.problems.append(("request", params["request"]["url"]))
        return answer
