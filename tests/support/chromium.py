"""Headless Chromium for tests of pages, driven by chromedriver with the WebDriver protocol."""

import base64
import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def missing():
    """The programs that are needed and not there."""
    return [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]


class Browser:
    """A browser with one page; a context manager."""

    def __enter__(self):
        self._profile = tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True)
        self._driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        for line in self._driver.stdout:
            if "started successfully on port" in line:
                port = int(line.split("port")[1].strip(" .\n"))
                break
        else:
            raise RuntimeError("chromedriver has not started")
        options = {"args": [*FLAGS, f"--user-data-dir={self._profile.name}"]}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self._base = f"http://127.0.0.1:{port}/session"
        session = self._call("", {"capabilities": {"alwaysMatch": wanted}})
        self._base += "/" + session["sessionId"]
        return self

    def __exit__(self, *exception):
        try:
            self._call("", method="DELETE")
        finally:
            self._driver.terminate()
            self._driver.wait(10)
            self._driver.stdout.close()
            self._profile.cleanup()

    def _call(self, path, data=None, method=None):
        body = None if data is None else json.dumps(data).encode()
        request = urllib.request.Request(self._base + path, body, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def open(self, path):
        """Load a file; how many seconds that took."""
        start = time.monotonic()
        self._call("/url", {"url": Path(path).as_uri()})
        return time.monotonic() - start

    def run(self, script, *arguments):
        """What a script, which is the body of a function, returns."""
        return self._call("/execute/sync", {"script": script, "args": list(arguments)})

    def tools(self, command, **parameters):
        """A command of the DevTools."""
        return self._call("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def press(self, *keys):
        """Press keys, one after the other."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._call("/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def console(self):
        """What the page has written to the console since the last call, network errors included."""
        return self._call("/se/log", {"type": "browser"})

    def show(self, *, width=1280, height=900, dark=False):
        """Set the size of the page and its colours."""
        self.tools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.tools("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, path):
        """Save what is seen as a PNG file."""
        Path(path).write_bytes(base64.b64decode(self._call("/screenshot")))
