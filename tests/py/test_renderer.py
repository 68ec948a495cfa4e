"""The process survives any failure of the renderer, and an error tells the cause."""

import argparse
import ast
import asyncio.locks
import os
import re
import shutil
import signal
import threading
from pathlib import Path

import pytest
from builds import FREE_THREADED

import leakgraph

pytestmark = pytest.mark.ends

REAL = Path(leakgraph.__file__).with_name("leakgraph-render")


@pytest.fixture
def pretend(tmp_path, monkeypatch):
    """Let a shell script draw: pretend("exit 3"); {real} is the true renderer."""

    def write(text):
        script = tmp_path / "renderer"
        script.write_text("#!/bin/sh\n" + text.replace("{real}", str(REAL)))
        script.chmod(0o755)
        monkeypatch.setenv("LEAKGRAPH_RENDERER", str(script))

    return write


@pytest.fixture
def drawing():
    return leakgraph.show_refs({"losses": [object(), object()]})


@pytest.mark.parametrize(
    "subject",
    [argparse._AttributeHolder, ast.AST, asyncio.locks._ContextManagerMixin],
    ids=lambda subject: subject.__name__,
)
@pytest.mark.once
def test_classes_that_ended_the_process(subject, tmp_path):
    leakgraph.show_backrefs(subject, tmp_path / "x.svg")
    leakgraph.show_backrefs(subject, tmp_path / "y.png", max_depth=4, max_nodes=600)
    assert "<svg" in (tmp_path / "x.svg").read_text(encoding="utf-8")


def test_graphviz_is_never_loaded(drawing, tmp_path):
    drawing.save(tmp_path / "x.svg")
    maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    assert "libgvc" not in maps and "libcgraph" not in maps


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("exit 3", "exit code 3"),
        ("kill -KILL $$", "signal 9 "),
        ("cat >/dev/null; kill -SEGV $$", "signal 11 "),
        ("echo this is no picture", "answers nonsense"),
        ("exit 127", "install Graphviz"),
    ],
)
def test_failures_are_one_sentence_and_a_tree(pretend, tmp_path, script, words):
    pretend(script)
    path = tmp_path / "x.svg"
    with pytest.raises(leakgraph.PictureError, match=words) as caught:
        leakgraph.show_refs({"losses": [object()]}, path)
    assert "['losses']" in caught.value.text
    assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == ["renderer"]


def test_missing_renderer(monkeypatch, drawing, tmp_path):
    monkeypatch.setenv("LEAKGRAPH_RENDERER", "/nowhere/renderer")
    with pytest.raises(leakgraph.PictureError, match="/nowhere/renderer does not") as e:
        drawing.save(tmp_path / "x.svg")
    assert e.value.text == drawing.text
    drawing.save(tmp_path / "x.dot")


@pytest.mark.once
def test_hanging_renderer(pretend, drawing, tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKGRAPH_RENDER_SECONDS", "1")
    pretend("exec sleep 1000")
    with pytest.raises(leakgraph.PictureError, match="longer than 1 s"):
        drawing.save(tmp_path / "x.svg")


def test_too_little_memory(drawing, tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKGRAPH_RENDER_MEBIBYTES", "30")
    with pytest.raises(leakgraph.PictureError):
        drawing.save(tmp_path / "x.png")
    assert os.listdir(tmp_path) == []


# Either process may run out of memory, and neither ends the other.
LITTLE_ROOM = """
import re, resource, sys
import leakgraph

drawing = leakgraph.show_refs({"losses": [object() for _ in range(50)]})
with open("/proc/self/status") as status:
    size = int(re.search(r"VmSize:\\s+(\\d+)", status.read())[1]) << 10
answers = []
for room in (1, 5, 10, 20, 30, 40, 50, 60):
    most = size + (room << 20)
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
    try:
        drawing.save("x.png")
        answers.append("picture")
    except (leakgraph.PictureError, MemoryError) as error:
        answers.append(f"{type(error).__name__}: {error}, limit {most >> 20}")
    resource.setrlimit(resource.RLIMIT_AS, [resource.RLIM_INFINITY] * 2)
print(*answers, sep="\\n")
"""


@pytest.mark.once
def test_little_address_space(python):
    done = python("-c", LITTLE_ROOM)
    assert (done.code, done.err) == (0, "")
    answers = done.out.splitlines()
    assert len(answers) == 8
    failed = [text for text in answers if text.startswith("PictureError: the renderer")]
    # A free-threaded interpreter reserves more than the renderer takes.
    assert failed or FREE_THREADED
    for text in failed:
        limit = text.rpartition(" ")[2]
        assert f"with {limit} MiB of" in text
        assert "raise the limit on virtual memory (ulimit -v)" in text


def test_ctrl_c_ends_a_drawing(pretend, drawing, tmp_path):
    pretend("kill -INT $PPID; exec sleep 1000")
    with pytest.raises(KeyboardInterrupt):
        drawing.save(tmp_path / "x.svg")
    with pytest.raises(KeyboardInterrupt):
        drawing._repr_svg_()
    assert os.listdir(tmp_path) == ["renderer"]


def test_a_callback_ends_a_drawing(pretend, tmp_path):
    def stop(phase, done):
        if phase == "drawing":
            raise LookupError(phase)

    pretend("exec sleep 1000")
    with pytest.raises(LookupError, match="drawing"):
        leakgraph.show_refs([[]], tmp_path / "x.svg", progress=stop)


# The tests may have children, but their forked child has none.
def test_children_of_the_program_stay_its_own(pretend, drawing, tmp_path):
    def draw_and_wait():
        drawing.save(tmp_path / "x.svg")
        pretend("kill -KILL $$")
        with pytest.raises(leakgraph.PictureError):
            drawing.save(tmp_path / "x.svg")
        with pytest.raises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)

    child = os.fork()
    if child == 0:
        try:
            draw_and_wait()
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def test_program_that_ignores_its_children(drawing, tmp_path):
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        drawing.save(tmp_path / "x.svg")
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_threads_and_a_forked_child(drawing, tmp_path):
    failures = []

    def draw(number):
        try:
            for suffix in ("svg", "png"):
                drawing.save(tmp_path / f"{number}.{suffix}")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=draw, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    child = os.fork()
    if child == 0:
        try:
            drawing.save(tmp_path / "child.svg")
        except BaseException:
            os._exit(1)
        os._exit(0)
    for thread in threads:
        thread.join()
    assert os.waitpid(child, 0)[1] == 0
    assert not failures and len(os.listdir(tmp_path)) == 13


def test_notebook_shows_the_tree_and_the_sentence(pretend, drawing):
    shown = drawing._repr_html_()
    assert "data:image/svg+xml" in shown and "<svg" in drawing._repr_svg_()
    pretend("exit 3")
    assert drawing._repr_html_() == shown and "<svg" in drawing._repr_svg_()
    undrawn = leakgraph.show_refs({"losses": [object(), object()]})
    shown = undrawn._repr_html_()
    assert "losses" in shown and "exit code 3" in shown
    assert undrawn._repr_svg_() is None and undrawn._repr_png_() is None
    other = leakgraph.show_refs([[]], format="pdf")
    assert other._repr_html_() is None and other._repr_svg_() is None


@pytest.mark.libraries
def test_notebook_kernel(pretend):
    import nbclient
    import nbformat

    pretend("exit 3")
    cells = [
        "import leakgraph\nkept = {'losses': [1.5, 2.5]}",
        "leakgraph.show_refs(kept)",
        "leakgraph.why(kept['losses'])",
        "leakgraph.show_refs(kept, 'x.svg')",
    ]
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in cells]
    )
    nbclient.NotebookClient(notebook, timeout=120, allow_errors=True).execute()
    drawn, why, saved = (cell.outputs[-1] for cell in notebook.cells[1:])
    for output in (drawn, why):
        assert "image/svg+xml" not in output.data
        assert "losses" in output.data["text/html"]
        assert "exit code 3" in output.data["text/html"]
    assert saved.ename == "PictureError" and "exit code 3" in saved.evalue


# A wheel contains fonts for a machine that has none.
@pytest.mark.once
def test_the_fonts_beside_the_renderer(drawing, tmp_path, monkeypatch):
    fonts = Path("/usr/share/fonts/truetype/dejavu")
    wide, narrow = fonts / "DejaVuSansMono.ttf", fonts / "DejaVuSans.ttf"
    if not (wide.exists() and narrow.exists()):
        pytest.skip("needs Debian's fonts-dejavu-core")
    monkeypatch.delenv("FONTCONFIG_FILE", raising=False)

    def width(font):
        beside = tmp_path / font.stem / "leakgraph-render.libs"
        (beside / "fonts").mkdir(parents=True)
        shutil.copy(font, beside / "fonts")
        (beside / "fonts.conf").write_text(
            '<fontconfig><dir prefix="cwd">fonts</dir>'
            f"<cachedir>{tmp_path}</cachedir></fontconfig>"
        )
        renderer = beside.with_suffix("")
        shutil.copy(REAL, renderer)
        monkeypatch.setenv("LEAKGRAPH_RENDERER", str(renderer))
        drawing.save(tmp_path / f"{font.stem}.svg")
        svg = (tmp_path / f"{font.stem}.svg").read_text(encoding="utf-8")
        return float(re.search(r'<svg width="([\d.]+)pt"', svg)[1])

    assert width(wide) > 1.1 * width(narrow)
