"""A headless Chromium driven over the DevTools protocol, on the pipes that Chromium reads and writes itself."""

import base64
import fcntl
import json
import os
import queue
import subprocess
import threading
import time


class BrowserError(Exception):
    """The browser refused something, or did not answer in time."""


class Browser:
    """One Chromium with a profile of its own."""

    def __init__(self, folder, program="chromium", rules="", film=None, allows_camera=True):
        """`film` is played as a camera, which pages may use without a question, or are refused."""
        self.folder = folder
        to_read, self.to_write = os.pipe()
        self.from_read, from_write = os.pipe()

        def place():
            # The ends may have these very numbers already.
            ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (to_read, from_write)]
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        arguments = [
            program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--mute-audio",
            "--disable-extensions", "--disable-default-apps", "--hide-scrollbars", "--lang=en-US", "--no-pings",
            "--disable-features=MediaRouter,OptimizationHints,Translate,AutofillServerCommunication",
            "--js-flags=--expose-gc", f"--user-data-dir={folder}",
        ]
        if film:
            arguments += ["--use-fake-device-for-media-stream", f"--use-file-for-fake-video-capture={film}"]
            arguments += ["--use-fake-ui-for-media-stream"] if allows_camera else []
        if rules:
            arguments.append(f"--host-resolver-rules={rules}")
        self.process = subprocess.Popen(
            arguments + ["about:blank"], preexec_fn=place, close_fds=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.lock = threading.Lock()
        self.number = 0
        self.answers = {}
        self.sessions = {}
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        if not allows_camera:
            self.call("Browser.setPermission", {"permission": {"name": "camera"}, "setting": "denied"})

    def _read(self):
        rest = b""
        while True:
            try:
                data = os.read(self.from_read, 1 << 20)
            except OSError:
                return
            if not data:
                return
            parts = (rest + data).split(b"\0") if b"\0" in data else None
            if parts is None:
                rest += data
                continue
            rest = parts.pop()
            for part in parts:
                message = json.loads(part)
                if "id" in message:
                    waiting = self.answers.pop(message["id"], None)
                    if waiting:
                        waiting.put(message)
                else:
                    page = self.sessions.get(message.get("sessionId"))
                    if page:
                        page.take(message["method"], message["params"])

    def call(self, method, params=None, session=None, seconds=30):
        with self.lock:
            self.number += 1
            message = {"id": self.number, "method": method, "params": params or {}}
            if session:
                message["sessionId"] = session
            waiting = queue.Queue()
            self.answers[self.number] = waiting
            data = json.dumps(message).encode() + b"\0"
            while data:
                data = data[os.write(self.to_write, data):]
        try:
            answer = waiting.get(timeout=seconds)
        except queue.Empty:
            raise BrowserError(f"{method} was not answered in {seconds} s") from None
        if "error" in answer:
            raise BrowserError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def page(self, context=None):
        """A new page; in a profile of its own with a context."""
        params = {"url": "about:blank"}
        if context:
            params["browserContextId"] = context
        target = self.call("Target.createTarget", params)["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        return Page(self, target, session)

    def context(self):
        return self.call("Target.createBrowserContext")["browserContextId"]

    def close(self):
        try:
            self.call("Browser.close", seconds=5)
        except BrowserError:
            self.process.kill()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        for descriptor in (self.to_write, self.from_read):
            os.close(descriptor)


class Page:
    """One page, with all that it requested and complained about."""

    def __init__(self, browser, target, session):
        self.browser = browser
        self.target = target
        self.session = session
        self.requests = []
        self.complaints = []
        browser.sessions[session] = self
        for domain in ("Page", "Network", "Runtime", "Log", "DOM", "Accessibility"):
            self.call(f"{domain}.enable")

    def call(self, method, params=None, seconds=30):
        return self.browser.call(method, params, self.session, seconds)

    def take(self, method, params):
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Network.webSocketCreated":
            self.requests.append(params["url"])
        elif method == "Log.entryAdded":
            entry = params["entry"]
            self.complaints.append(f"{entry['level']}: {entry['text']}")
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.complaints.append("exception: " + details.get("exception", {}).get("description", details["text"]))
        elif method == "Page.javascriptDialogOpening":
            self.complaints.append("dialog: " + params["message"])
            threading.Thread(
                target=lambda: self.call("Page.handleJavaScriptDialog", {"accept": True}), daemon=True).start()

    def go(self, address):
        result = self.call("Page.navigate", {"url": address})
        if result.get("errorText"):
            return result["errorText"]
        self.until("document.readyState === 'complete'")
        return None

    def value(self, expression, seconds=30):
        result = self.call(
            "Runtime.evaluate",
            {"expression": expression, "returnByValue": True, "awaitPromise": True}, seconds)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def until(self, expression, seconds=20):
        end = time.time() + seconds
        while time.time() < end:
            found = self.value(expression)
            if found:
                return found
            time.sleep(0.02)
        raise BrowserError(f"in {seconds} s this did not become true: {expression}")

    def size(self, width, height, scale=1, scheme=None):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False})
        if scheme:
            self.call(
                "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def picture(self, path, whole=True):
        params = {"format": "png", "captureBeyondViewport": whole}
        if whole:
            box = self.call("Page.getLayoutMetrics")["cssContentSize"]
            params["clip"] = {
                "x": 0, "y": 0, "width": box["width"], "height": min(box["height"], 6000), "scale": 1}
        data = self.call("Page.captureScreenshot", params)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    KEYS = {
        "Enter": (13, "\r"), "Tab": (9, ""), "Escape": (27, ""), " ": (32, " "), "F2": (113, ""), "F8": (119, ""),
        "F9": (120, ""), "ArrowDown": (40, ""), "ArrowUp": (38, ""), "Home": (36, ""),
    }

    def key(self, name, shift=False):
        code, text = self.KEYS[name]
        params = {"key": name, "code": "Space" if name == " " else name, "windowsVirtualKeyCode": code,
                  "modifiers": 8 if shift else 0}
        if text:
            params["text"] = text
        self.call("Input.dispatchKeyEvent", {"type": "keyDown" if text else "rawKeyDown", **params})
        self.call("Input.dispatchKeyEvent", {"type": "keyUp", **params})

    def write(self, text):
        """Types a text as a keyboard scanner does: a key for each character."""
        for character in text:
            self.call("Input.dispatchKeyEvent", {"type": "keyDown", "text": character, "key": character})
            self.call("Input.dispatchKeyEvent", {"type": "keyUp", "key": character})

    def tab_to(self, identifier, most=60, shift=False):
        """Moves the focus by Tab alone to an element; how many steps it took."""
        for step in range(most):
            if self.value(f"document.activeElement?.id === {json.dumps(identifier)}"):
                return step
            self.key("Tab", shift)
        raise BrowserError(f"Tab does not lead to {identifier}")

    def close(self):
        self.browser.call("Target.closeTarget", {"targetId": self.target})
        self.browser.sessions.pop(self.session, None)
