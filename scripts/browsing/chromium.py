"""Headless Chromium, driven over pipes. https://chromedevtools.github.io/devtools-protocol/"""

import base64, json, os, pathlib, re, select, signal, subprocess, tempfile, time

# name: (DevTools key code, text)
KEYS = {
    "Tab": (9, ""),
    "Enter": (13, "\r"),
    "Escape": (27, ""),
    "Space": (32, " "),
    "End": (35, ""),
    "Home": (36, ""),
    "ArrowLeft": (37, ""),
    "ArrowRight": (39, ""),
}
# how long a reply may take
SECONDS = 120
# the error of a command that leads to another page
PAGE_WAS_LEFT = "Inspected target navigated or closed"


class Chromium:
    name = "Chromium"
    hasTouch = True

    def __init__(self, proxy):
        """Starts the browser. Everything that is not a file must go to the proxy, which refuses it."""
        self.profile = tempfile.TemporaryDirectory(prefix="smilepile-chromium.")
        commands, replies = os.pipe(), os.pipe()

        def connect():
            # the protocol uses the descriptors 3 and 4
            high = os.dup(commands[0]), os.dup(replies[1])
            os.dup2(high[0], 3), os.dup2(high[1], 4)

        options = [
            "--headless=new",
            "--remote-debugging-pipe",
            f"--user-data-dir={self.profile.name}",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-extensions",
            "--no-first-run",
            "--no-default-browser-check",
            "--hide-scrollbars",
            f"--proxy-server=127.0.0.1:{proxy}",
            "--proxy-bypass-list=<-loopback>",
        ]
        # the sandbox needs privileges that containers lack, and this script made the pages
        options.append("--no-sandbox")
        self.log = open(pathlib.Path(self.profile.name) / "log", "w+")
        self.process = subprocess.Popen(
            ["chromium", *options],
            preexec_fn=connect,
            pass_fds=(3, 4),
            stdout=self.log,
            stderr=self.log,
            start_new_session=True,
        )
        os.close(commands[0]), os.close(replies[1])
        self.output, self.input = os.fdopen(commands[1], "wb"), os.fdopen(replies[0], "rb")
        self.buffer, self.number, self.session = b"", 0, None
        self.messages, self.requests, self.files, self.dialogs, self.loads = [], [], [], [], 0
        self.version = self.call("Browser.getVersion")["product"]
        self.new_page()

    # MARK: Protocol

    def send(self, method, parameters, session):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        self.output.write(json.dumps(message).encode() + b"\0")
        self.output.flush()
        return self.number

    def receive(self):
        """Returns the next message, after it was counted if it is an event."""
        while b"\0" not in self.buffer:
            isReady = select.select([self.input], [], [], SECONDS)[0]
            data = os.read(self.input.fileno(), 1 << 20) if isReady else b""
            if not data:
                self.log.seek(0)
                raise EOFError(f"Chromium {'ended' if isReady else 'does not reply'}: {self.log.read()[-2000:]}")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(message)
        if "method" in message and message.get("sessionId") == self.session:
            self.count(message["method"], message["params"])
        return message

    def call(self, method, **parameters):
        """Returns the result of a command; an empty one if the page was left before the reply, for example by Back."""
        number = self.send(method, parameters, self.session)
        while True:
            message = self.receive()
            if message.get("id") == number:
                error = message.get("error")
                if error and error["message"] == PAGE_WAS_LEFT:
                    return {}
                if error:
                    raise RuntimeError(f"{method}: {error}")
                return message["result"]

    def count(self, method, event):
        if method == "Page.loadEventFired":
            self.loads += 1
        elif method == "Log.entryAdded":
            self.messages.append(f"{event['entry']['level']}: {event['entry']['text']}")
        elif method == "Runtime.consoleAPICalled":
            self.messages.append(f"console.{event['type']}")
        elif method == "Runtime.exceptionThrown":
            details = event["exceptionDetails"]
            self.messages.append(f"exception: {details.get('exception', {}).get('description', details['text'])}")
        elif method == "Page.javascriptDialogOpening":
            self.dialogs.append(event["message"])
            self.send("Page.handleJavaScriptDialog", {"accept": False}, self.session)
        elif method == "Network.requestWillBeSent":
            url = event["request"]["url"]
            # an image in the document itself is no request
            if not url.startswith("data:"):
                (self.files if url.startswith("file:") else self.requests).append(url)
        elif method == "Network.loadingFailed" and not event.get("canceled"):
            self.messages.append(f"failed: {event['errorText']}")

    # MARK: Pages

    def new_page(self):
        """Closes the page, waits up to ten seconds for the end of its process, and opens an empty one in a new process."""
        old, self.session = self.session, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        if old:
            former, end = self.renderers(), time.monotonic() + 10
            self.call("Target.closeTarget", targetId=self.target)
            while former <= self.renderers() and time.monotonic() < end:
                time.sleep(0.01)
        self.target = target
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Network", "Log", "Runtime":
            self.call(f"{domain}.enable")

    def open(self, path):
        loads = self.loads
        self.call("Page.navigate", url=pathlib.Path(path).as_uri())
        self.wait_for_load(loads)

    def wait_for_load(self, loads):
        while self.loads == loads:
            self.receive()
        # two frames, in which images that became visible are requested
        if not self.is_script_off:
            self.evaluate("new Promise(end => requestAnimationFrame(() => requestAnimationFrame(() => end(0))))")

    is_script_off = False

    def evaluate(self, expression):
        """Returns the value of an expression of JavaScript, or of the promise that it returns; None if that leaves the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{result['exceptionDetails']} in {expression[:200]}")
        return result.get("result", {}).get("value")

    def press(self, *keys):
        for key in keys:
            shift = key.startswith("Shift+")
            name = key.removeprefix("Shift+")
            code, text = KEYS[name]
            event = {
                "key": " " if name == "Space" else name,
                "code": name,
                "windowsVirtualKeyCode": code,
                "modifiers": 8 if shift else 0,
            }
            self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **event)
            self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def swipe(self, start, end):
        self.call("Emulation.setTouchEmulationEnabled", enabled=True)
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": start[0], "y": start[1]}])
        for step in range(1, 5):
            x, y = (start[i] + (end[i] - start[i]) * step / 4 for i in (0, 1))
            self.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.call("Emulation.setTouchEmulationEnabled", enabled=False)

    def click(self, x, y):
        for kind in "mousePressed", "mouseReleased":
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    # MARK: Settings

    def set_media(self, scheme="light", forced=False, reduced=False):
        features = {
            "prefers-color-scheme": scheme,
            "forced-colors": "active" if forced else "none",
            "prefers-reduced-motion": "reduce" if reduced else "no-preference",
        }
        self.call(
            "Emulation.setEmulatedMedia", features=[{"name": key, "value": value} for key, value in features.items()]
        )

    def set_size(self, width, height):
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )

    def set_script(self, enabled):
        self.is_script_off = not enabled
        self.call("Emulation.setScriptExecutionDisabled", value=not enabled)

    # MARK: Results

    def memory(self):
        """Returns the most memory that the process of the page had, in MB."""
        session, self.session = self.session, None
        processes = self.renderers()
        self.session = session
        peaks = [
            re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{process}/status").read_text()) for process in processes
        ]
        return max(int(peak[1]) for peak in peaks) / 1024

    def renderers(self):
        """Returns the IDs of the processes that show pages. No page is attached."""
        processes = self.call("SystemInfo.getProcessInfo")["processInfo"]
        return {process["id"] for process in processes if process["type"] == "renderer"}

    def screenshot(self, full=True):
        """Returns a picture of the page as PNG."""
        # without this, Chromium scales the page while it takes the picture
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", captureBeyondViewport=full)["data"])

    def close(self):
        try:
            self.session = None
            self.send("Browser.close", {}, None)
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.output.close(), self.input.close(), self.log.close()
        self.profile.cleanup()
