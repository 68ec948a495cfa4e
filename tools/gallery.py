"""Makes the gallery of the web site from the demo: `gallery.py FOLDER`.

Writes FOLDER/gallery.md and what it shows, FOLDER/gallery/: the report, a page of the
explorer, pictures, the cells of a notebook, and answers in a terminal. None of it is in
git. tools/site_hooks.py adds the page to the site.
"""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

import leakgraph

ROOT = Path(__file__).resolve().parent.parent
#: The styles of a terminal's colours.
STYLES = {"1": "font-weight:bold", "36": "color:#0a7a83", "33": "color:#b35900"}
SEQUENCE = re.compile(r"\x1b\[(\d+)m")

PAGE = """\
# Gallery

Everything here is about the process of `make demo`: a training loop that keeps its
losses, and a plotting loop that keeps its figures. `make docs` makes it anew.

## In a terminal

`leakgraph SNAPSHOT` says what is wrong, what is big, and what to ask next:

{overview}

`leakgraph diff` says what grows from snapshot to snapshot:

{growth}

## The report

`leakgraph report` writes [one page](gallery/report.html) with what to do first, what
grows, a map of the memory, and all tables. It needs no network:

{report}

## The explorer

`leakgraph view` has a page for each object. This one is of the trainer, and its links
lead nowhere here:

{explorer}

## Pictures

`leakgraph render demo.lgs type:__main__.Trainer --why -o why.svg` draws what keeps an
object alive:

![What keeps the trainer alive](gallery/why.svg)

`leakgraph render --diff epoch-1.lgs epoch-3.lgs demo.lgs -o growth.svg` draws what
grows:

![What grows from epoch to epoch](gallery/growth.svg)

## A notebook

Answers are tables that sort and filter, and pictures:

{notebook}
"""


def ask(*words: str, **env: str) -> str:
    """Return what the command prints."""
    return subprocess.run(
        ["leakgraph", *words],
        check=True,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, **env},
    ).stdout


def terminal(*words: str) -> str:
    """Return an answer as a terminal of 92 columns shows it, as HTML."""
    shown = html.escape(ask("--color", "always", *words, COLUMNS="92"), quote=False)
    shown = SEQUENCE.sub(
        lambda found: (
            "</span>" if found[1] == "0" else f'<span style="{STYLES[found[1]]}">'
        ),
        shown,
    )
    line = html.escape(" ".join(words), quote=False)
    return f"<pre><b>$ leakgraph {line}</b>\n\n{shown}</pre>\n"


def fetch(address: str) -> bytes:
    """Return a page of the explorer, once it is made."""
    while True:
        with urllib.request.urlopen(address) as page:
            if page.status == 200:
                return bytes(page.read())
            time.sleep(int(page.headers["Refresh"]))


def explore(snapshot: Path, selector: str, into: Path) -> None:
    """Save the page of the explorer about an object, without its scripts."""
    command = ["leakgraph", "view", str(snapshot), "--no-browser"]
    into.mkdir(exist_ok=True)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            address = server.stdout.readline().strip()
            asked = urllib.parse.quote(selector)
            for name, place in {
                "object.html": f"search?q={asked}",
                "page.css": "page.css",
                "icon.svg": "icon.svg",
            }.items():
                (into / name).write_bytes(fetch(address + place))
        finally:
            server.terminate()


def cells(snapshot: leakgraph.Snapshot) -> str:
    """Return what a notebook shows of some answers."""
    trainer = "type:__main__.Trainer"
    answers = [
        ("snapshot.findings()", snapshot.findings()._repr_html_()),
        ("snapshot.top(5)", snapshot.top(5)._repr_html_()),
        (f"snapshot.why({trainer!r})", snapshot.why(trainer)._repr_html_()),
    ]
    shown = ['<!doctype html><meta charset="utf-8"><title>Notebook</title>']
    for number, (code, answer) in enumerate(answers, 1):
        code = html.escape(code)
        shown.append(f"<pre>In&nbsp;[{number}]: <b>{code}</b></pre>{answer}")
    return "".join(shown)


def frame(name: str, title: str, height: int) -> str:
    """Return what shows a page within the page."""
    style = f"width:100%;height:{height}em;border:1px solid #8888"
    return (
        f'<iframe src="gallery/{name}" title="{title}" loading="lazy"'
        f' style="{style}"></iframe>'
    )


def main(folder: Path) -> None:
    """Run the demo, ask about it, and write the page."""
    into = folder / "gallery"
    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        demo = [sys.executable, "examples/demo.py", made]
        subprocess.run(demo, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        os.chdir(made)
        files = ["epoch-1.lgs", "epoch-3.lgs", "demo.lgs"]
        trainer = "type:__main__.Trainer"
        ask("report", *files, "--steps", "1,3,4", "-o", str(into / "report.html"))
        ask("render", "--diff", *files, "-o", str(into / "growth.svg"))
        ask("render", "demo.lgs", trainer, "--why", "-o", str(into / "why.svg"))
        explore(Path("demo.lgs"), trainer, into / "view")
        with leakgraph.load("demo.lgs") as snapshot:
            (into / "notebook.html").write_text(cells(snapshot), encoding="utf-8")
        page = PAGE.format(
            overview=terminal("demo.lgs"),
            growth=terminal("diff", *files, "--steps", "1,3,4"),
            report=frame("report.html", "The report", 45),
            explorer=frame("view/object.html", "The page of an object", 40),
            notebook=frame("notebook.html", "Cells of a notebook", 45),
        )
    (folder / "gallery.md").write_text(page, encoding="utf-8")
    print(f"wrote {folder / 'gallery.md'}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
