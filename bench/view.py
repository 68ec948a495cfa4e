"""Times the pages of `leakgraph view`, each as a browser would wait for it.

    python bench/view.py [--objects 10000000] [--ordered] [--snapshot RUN.lgs]

Prints a Markdown table with one row for each page: the seconds by the clock and of the
server's processor until the first reply and, if that reply only reports progress, until
the page itself. Without --snapshot, it captures a heap of records first.
"""

from __future__ import annotations

import argparse
import http.client
import os
import re
import shutil
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote, urlsplit

import heap
from capture import in_new_process

import leakgraph

#: What users may ask, apart from the objects that the tables link to.
PAGES = (
    "",
    "table?of=top",
    "table?of=types",
    "table?of=waste",
    "table?of=findings",
    "table?of=cycles",
    "table?of=threads",
    "table?of=tensors",
    "table?of=top&group=type",
    "table?of=top&group=module&limit=50",
    "table?of=top&mine=1&limit=100",
    "table?of=types&by=count&limit=7",
    "table?of=types&module=heap*",
    "table?of=cycles&kind=held&limit=10",
    f"search?q={quote('type:heap.*')}",
    f"search?q={quote('type:float')}&first=500",
    f"paths?q={quote('type:heap.Point')}",
    f"complete?q={quote('type:he')}",
)


class Server:
    """A server, and a client that asks it."""

    def __init__(self, path: Path) -> None:
        command = shutil.which("leakgraph")
        assert command is not None
        started = time.perf_counter()
        self._process = subprocess.Popen(
            [command, "view", path, "--no-browser"], stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        parts = urlsplit(self._process.stdout.readline().strip())
        self.start = time.perf_counter() - started
        self._path = parts.path
        self._client = http.client.HTTPConnection("127.0.0.1", parts.port)

    def cpu(self) -> float:
        """Count the seconds that the server's threads ran."""
        text = Path(f"/proc/{self._process.pid}/stat").read_text()
        fields = text.rpartition(")")[2].split()
        ticks: int = os.sysconf("SC_CLK_TCK")
        return (int(fields[11]) + int(fields[12])) / ticks

    def resident(self) -> int:
        """Read the most bytes of memory that the server has had so far."""
        text = Path(f"/proc/{self._process.pid}/status").read_text()
        found = re.search(r"VmHWM:\s+(\d+)", text)
        assert found is not None
        return int(found[1]) * 1024

    def ask(self, page: str) -> tuple[int, str, str]:
        """Fetch a page: its status, its redirection and its text."""
        self._client.close()
        self._client.request("GET", self._path + page)
        reply = self._client.getresponse()
        location = reply.getheader("Location") or ""
        return reply.status, location, reply.read().decode()

    def settle(self) -> float:
        """Wait until the server is idle; return the seconds that it worked."""
        begin = before = self.cpu()
        while True:
            time.sleep(1)
            now = self.cpu()
            if now - before < 0.02:
                return now - begin
            before = now

    def end(self) -> None:
        """End the server."""
        self._process.terminate()
        self._process.wait()


def measure(server: Server, page: str) -> None:
    """Print the row of a page."""
    cpu, begin = server.cpu(), time.perf_counter()
    status, _, text = server.ask(page)
    first = time.perf_counter() - begin
    while status == 202:
        time.sleep(0.01)
        status, _, text = server.ask(page)
    whole = time.perf_counter() - begin
    print(
        f"| `{page or '(first)'}` | {status} | {len(text) >> 10} KiB "
        f"| {1000 * first:.0f} ms | {1000 * whole:.0f} ms "
        f"| {server.cpu() - cpu:.2f} s |",
        flush=True,
    )


def pages_of(server: Server) -> list[str]:
    """Pages about the objects that retain the most, and about a leaf."""
    nodes = re.findall(r"object\?node=(\d+)", server.ask("table?of=top")[2])
    biggest = list(dict.fromkeys(nodes))[:1]
    found = re.findall(r"object\?node=(\d+)", server.ask("search?q=type%3Afloat")[2])
    pages = []
    for node in [*biggest, *found[:1]]:
        pages += [
            f"object?node={node}",
            f"object?node={node}&owned=50",
            f"object?node={node}&out=500000",
            f"why?node={node}",
            f"picture?node={node}&of=references",
            f"what-if?cut={quote(f'*->#{node}')}",
        ]
    return [*pages, f"what-if?cut={quote('heap.Record.__dict__')}"]


def serve(path: Path) -> None:
    """Ask for all pages of a snapshot."""
    server = Server(path)
    print(f"start: {server.start:.1f} s by the clock", flush=True)
    print(f"then: {server.settle():.1f} s of the processor until all is prepared")
    print("\n| page | status | size | first reply | page | processor |")
    print("| --- | --- | --- | --- | --- | --- |")
    try:
        for page in [*PAGES, *pages_of(server)]:
            measure(server, page)
        print(f"\n{server.resident() >> 20} MiB at the peak")
    finally:
        server.end()


def write(objects: int, shuffled: bool, path: str) -> None:
    """Capture a heap of so many objects."""
    kept = heap.records(objects, shuffled=shuffled)
    leakgraph.save_snapshot(path)
    del kept


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=10_000_000)
    parser.add_argument("--ordered", action="store_true")
    parser.add_argument("--snapshot", type=Path)
    options = parser.parse_args()
    if options.snapshot is not None:
        serve(options.snapshot)
        return
    with TemporaryDirectory() as folder:
        path = Path(folder, "large.lgs")
        in_new_process(write, options.objects, not options.ordered, str(path))
        serve(path)


if __name__ == "__main__":
    main()
