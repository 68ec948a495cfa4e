"""Drives a headless Chromium by its DevTools protocol, over two pipes."""

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import time

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
#: A browser that has not answered by then never will: on a machine with 30 times more
#: work than processors, axe needs a minute for one page.
SECONDS = 240

#: What waits until a condition holds: it is asked before each picture.
WAIT = """new Promise((done, fail) => {
  const end = performance.now() + %d;
  const look = () => {
    let value;
    try { value = (%s); } catch (error) { value = null; }
    if (value) done(value instanceof Node ? true : value);
    else if (performance.now() > end) fail(new Error("it never came: " + %s));
    else setTimeout(look, 20);
  };
  look();
})"""

#: What waits until nothing moves an element any more, such as a part of the page above
#: it that comes later, nor covers it; the middle of its first line.
STAND_STILL = """new Promise(done => {
  let last = "";
  const look = () => {
    const element = document.querySelector(%s);
    element.scrollIntoView({block: "center"});
    const line = element.getClientRects()[0];
    const place = [line.x + line.width / 2, line.y + line.height / 2];
    const hit = element.contains(document.elementFromPoint(...place));
    if (hit && last === place.join() && !document.querySelector("[aria-busy=true]"))
      done(place);
    else setTimeout(look, 20);
    last = place.join();
  };
  look();
})"""


class Browser:
    """A browser with one page."""

    def __init__(self, folder):
        command, replies = os.pipe(), os.pipe()
        words = [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--remote-debugging-pipe",
            f"--user-data-dir={folder}",
            "about:blank",
        ]
        # The browser reads from descriptor 3 and writes to 4.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (command[0], replies[1])]

        def take_ends():
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self._process = subprocess.Popen(
            words,
            preexec_fn=take_ends,
            pass_fds=(3, 4),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (command[0], replies[1], *ends):
            os.close(end)
        self._out, self._in = command[1], replies[0]
        self._last, self._rest, self._session = 0, b"", None
        self.errors = []
        target = self._first_page()
        found = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = found["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def _first_page(self):
        """Return the page that the browser shows; only that is drawn."""
        while True:
            for each in self.call("Target.getTargets")["targetInfos"]:
                if each["type"] == "page":
                    return each["targetId"]

    def close(self):
        for descriptor in (self._out, self._in):
            os.close(descriptor)
        self._process.kill()
        self._process.wait()

    def call(self, method, **parameters):
        """Call a method, and return its result."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + SECONDS
        while True:
            reply = self._receive(end)
            if reply.get("id") == self._last:
                assert "error" not in reply, reply["error"]
                return reply["result"]
            self._note(reply)

    def _receive(self, end):
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], end - time.monotonic())
            assert ready, "the browser does not answer"
            more = os.read(self._in, 1 << 20)
            assert more, "the browser has ended"
            self._rest += more
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)

    def _note(self, event):
        """Keep what the page complains about."""
        said = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.errors.append(said["exceptionDetails"]["text"])
        entry = said.get("entry", {})
        if event.get("method") == "Log.entryAdded" and entry["level"] == "error":
            self.errors.append(entry["text"])

    def resize(self, width, height=900):
        """Make the window so wide, in pixels of CSS."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def prefer(self, scheme, media=""):
        """Prefer "light" or "dark"; for the media "print", as if it were printed."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)

    def open(self, url):
        """Open a page, and wait until it is complete."""
        self.prefer("light")
        self.resize(1440)
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=url)
        self.wait("location.href !== 'about:blank'")
        self.wait("document.readyState === 'complete'")

    def run(self, expression):
        """Evaluate an expression in the page, and return its value."""
        result = self.call(
            "Runtime.evaluate",
            expression=expression,
            awaitPromise=True,
            returnByValue=True,
        )
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait(self, condition):
        """Wait until an expression is true, and return its value."""
        for tries in range(3):
            with contextlib.suppress(AssertionError):
                return self.run(
                    WAIT % (1000 * SECONDS // 3, condition, json.dumps(condition))
                )
            assert tries < 2, condition
        return None

    def click(self, selector):
        """Click the first line of the first such element, once it stands still."""
        place = self.run(STAND_STILL % json.dumps(selector))
        for kind in ("mousePressed", "mouseReleased"):
            self.call(
                "Input.dispatchMouseEvent",
                type=kind,
                x=place[0],
                y=place[1],
                button="left",
                clickCount=1,
            )

    def type(self, selector, text):
        """Type into a field."""
        self.run(f"document.querySelector({json.dumps(selector)}).focus()")
        self.call("Input.insertText", text=text)

    def press(self, key, text=None):
        """Press a key, such as ArrowDown or Enter."""
        codes = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38}
        codes.update({"ArrowRight": 39, "ArrowDown": 40, "/": 191})
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if text and kind == "keyDown" else {}
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                windowsVirtualKeyCode=codes[key],
                **more,
            )

    def picture(self, path):
        """Save a picture of what is seen."""
        data = self.call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))
