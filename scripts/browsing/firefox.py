"""Headless Firefox, driven with Marionette. https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html"""

import base64, json, os, pathlib, re, signal, socket, subprocess, tempfile, time

# https://www.w3.org/TR/webdriver2/#keyboard-actions
KEYS = {
    "Tab": "\ue004",
    "Enter": "\ue007",
    "Shift": "\ue008",
    "Escape": "\ue00c",
    "Space": " ",
    "End": "\ue010",
    "Home": "\ue011",
    "ArrowLeft": "\ue012",
    "ArrowRight": "\ue014",
}
PREFERENCES = {
    "marionette.port": 0,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "browser.startup.homepage_override.mstone": "ignore",
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.normandy.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "extensions.update.enabled": False,
    "app.update.enabled": False,
    "browser.safebrowsing.downloads.remote.enabled": False,
    "services.settings.server": "data:,",
    "network.proxy.type": 1,
    "network.proxy.allow_hijacking_localhost": True,
    "dom.w3c_touch_events.enabled": 1,
    # what a page writes to its console appears in the standard output
    "devtools.console.stdout.content": True,
    "devtools.console.stdout.chrome": False,
    "accessibility.tabfocus": 7,
    "ui.prefersReducedMotion": 0,
}
# Lists what pages request, and cancels it. The browser's own requests have the system's principal.
OBSERVER = """
window.requestsOfPages = [];
Services.obs.addObserver({ observe(channel) {
  channel.QueryInterface(Ci.nsIHttpChannel);
  if (channel.loadInfo.triggeringPrincipal?.isSystemPrincipal) return;
  window.requestsOfPages.push(channel.URI.spec);
  channel.cancel(Cr.NS_ERROR_ABORT);
} }, "http-on-modify-request");
"""
# Removes and returns the messages about pages.
MESSAGES = """
const messages = Services.console.getMessageArray().filter(message => {
  try { return /^file:/.test(message.QueryInterface(Ci.nsIScriptError).sourceName); }
  catch { return false; }
}).map(message => message.category + ": " + message.errorMessage);
Services.console.reset();
return messages;
"""


class Firefox:
    name = "Firefox"
    hasTouch = True

    def __init__(self, proxy):
        """Starts the browser. Everything that is not a file must go to the proxy, which refuses it."""
        self.profile = tempfile.TemporaryDirectory(prefix="smilepile-firefox.")
        folder = pathlib.Path(self.profile.name)
        settings = PREFERENCES | {f"network.proxy.{kind}": "127.0.0.1" for kind in ("http", "ssl")}
        settings |= {f"network.proxy.{kind}_port": proxy for kind in ("http", "ssl")}
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in settings.items()]
        (folder / "user.js").write_text("\n".join(lines))
        self.log = open(folder / "log", "w")
        self.lines = open(folder / "log")
        self.process = subprocess.Popen(
            [
                "firefox-esr",
                "--headless",
                "--marionette",
                "--remote-allow-system-access",
                "--no-remote",
                "--profile",
                folder,
            ],
            stdout=self.log,
            stderr=self.log,
            start_new_session=True,
            env=os.environ | {"HOME": str(folder), "MOZ_HEADLESS_WIDTH": "1400", "MOZ_HEADLESS_HEIGHT": "1000"},
        )
        self.number, self.buffer, self.touched = 0, b"", False
        self.connect(folder / "MarionetteActivePort")
        self.messages, self.requests, self.dialogs = [], [], []
        session = self.call("WebDriver:NewSession", capabilities={})["capabilities"]
        self.version = f"Firefox/{session['browserVersion']}"
        self.chrome(OBSERVER)
        self.is_script_off = False

    def connect(self, file):
        for _ in range(600):
            if file.exists() and file.read_text().strip():
                break
            if self.process.poll() is not None:
                raise RuntimeError(f"Firefox ended: {self.lines.read()[-2000:]}")
            time.sleep(0.1)
        self.socket = socket.create_connection(("127.0.0.1", int(file.read_text())), timeout=120)
        self.receive()

    # MARK: Protocol

    def receive(self):
        """Returns the next message: its length, a colon, and JSON."""
        while b":" not in self.buffer:
            self.fill()
        length, self.buffer = self.buffer.split(b":", 1)
        while len(self.buffer) < int(length):
            self.fill()
        message, self.buffer = self.buffer[: int(length)], self.buffer[int(length) :]
        return json.loads(message)

    def fill(self):
        data = self.socket.recv(1 << 20)
        if not data:
            raise EOFError("Firefox ended")
        self.buffer += data

    def call(self, name, **parameters):
        self.number += 1
        message = json.dumps([0, self.number, name, parameters]).encode()
        self.socket.sendall(b"%d:%b" % (len(message), message))
        _, _, error, result = self.receive()
        if error and error["error"] == "unexpected alert open":
            # Marionette closed the dialog instead
            self.dialogs.append(error["message"])
            return self.call(name, **parameters)
        if error:
            raise RuntimeError(f"{name}: {error['error']}: {error['message']}")
        return result

    def chrome(self, script):
        """Runs JavaScript with the privileges of the browser."""
        self.call("Marionette:SetContext", value="chrome")
        try:
            return self.call("WebDriver:ExecuteScript", script=script, args=[], newSandbox=False)["value"]
        finally:
            self.call("Marionette:SetContext", value="content")

    def set_preference(self, name, value):
        kind = {bool: "Bool", int: "Int"}[type(value)]
        self.chrome(f"Services.prefs.set{kind}Pref({json.dumps(name)}, {json.dumps(value)})")

    # MARK: Pages

    def new_page(self):
        """Closes the page, and opens an empty one."""
        old = self.call("WebDriver:GetWindowHandle")["value"]
        new = self.call("WebDriver:NewWindow", type="tab")["handle"]
        self.call("WebDriver:SwitchToWindow", handle=old)
        self.call("WebDriver:CloseWindow")
        self.call("WebDriver:SwitchToWindow", handle=new)

    def open(self, path):
        self.call("WebDriver:Navigate", url=pathlib.Path(path).as_uri())
        self.collect()

    def collect(self):
        # a dialog that opens meanwhile ends a script without a result
        self.messages += self.chrome(MESSAGES) or []
        self.requests += self.chrome("return window.requestsOfPages.splice(0)") or []
        # the browser itself reports that its loader of remote settings reaches nothing
        self.messages += re.findall(r"^console\.\w+: (?!RSLoader).*", self.lines.read(), re.M)

    def evaluate(self, expression):
        """Returns the value of an expression of JavaScript, or of the promise that it returns."""
        result = self.call("WebDriver:ExecuteScript", script=f"return ({expression})", args=[])["value"]
        return result

    def press(self, *keys):
        for key in keys:
            actions = []
            for part in key.split("+"):
                actions.append({"type": "keyDown", "value": KEYS[part]})
            actions += [{"type": "keyUp", "value": action["value"]} for action in reversed(actions)]
            self.call("WebDriver:PerformActions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def swipe(self, start, end):
        def move(point, duration):
            return {"type": "pointerMove", "x": point[0], "y": point[1], "duration": duration}

        self.pointer(
            "touch",
            move(start, 0),
            {"type": "pointerDown", "button": 0},
            move(end, 100),
            {"type": "pointerUp", "button": 0},
        )

    def click(self, x, y):
        self.pointer(
            "mouse",
            {"type": "pointerMove", "x": x, "y": y, "duration": 0},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        )

    def pointer(self, kind, *actions):
        source = {"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": actions}
        self.call("WebDriver:PerformActions", actions=[source])

    # MARK: Settings

    def set_media(self, scheme="light", forced=False, reduced=False):
        self.set_preference("layout.css.prefers-color-scheme.content-override", 0 if scheme == "dark" else 1)
        self.set_preference("browser.display.document_color_use", 2 if forced else 1)
        self.set_preference("ui.prefersReducedMotion", int(reduced))

    def set_size(self, width, height):
        """Changes the size of the page. A window has at least 450 pixels, a page may have less."""
        self.chrome(f"""
          const style = gBrowser.selectedBrowser.style;
          style.minWidth = style.maxWidth = "{width}px"; style.minHeight = style.maxHeight = "{height}px";
        """)
        self.evaluate("new Promise(end => requestAnimationFrame(() => requestAnimationFrame(() => end(0))))")

    def set_script(self, enabled):
        self.is_script_off = not enabled
        self.chrome(f"gBrowser.selectedBrowser.browsingContext.allowJavascript = {json.dumps(enabled)}")

    # MARK: Results

    def memory(self):
        """Returns the memory of the process of the page, in MB."""
        processes = self.chrome(
            "return ChromeUtils.requestProcInfo().then(info => info.children.map("
            "process => [process.pid, process.windows.length]))"
        )
        peaks = [
            re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{process}/status").read_text())
            for process, windows in processes
            if windows
        ]
        return max(int(peak[1]) for peak in peaks) / 1024

    def screenshot(self, full=True):
        """Returns a picture of the page as PNG."""
        return base64.b64decode(self.call("WebDriver:TakeScreenshot", full=full, hash=False)["value"])

    def close(self):
        try:
            self.call("Marionette:Quit", flags=["eForceQuit"])
            self.process.wait(10)
        except (OSError, EOFError, RuntimeError, subprocess.TimeoutExpired):
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.socket.close(), self.log.close(), self.lines.close()
        self.profile.cleanup()
