"""Calls while the interpreter ends work, or raise one clear Error."""

import os

import pytest

# A finalizer asks when the modules of the program go. It keeps what it needs itself,
# because the names of modules are None by then.
ASKED_LATE = """
import os, leakgraph

kept = [1]
snapshot = leakgraph.snapshot()
node = snapshot.find(kept)
calls = {{
{calls}
}}

class Late:
    def __del__(self, calls=calls, Error=leakgraph.Error, write=os.write, type=type):
        for text, call in calls.items():
            try:
                call()
                said = "answered"
            except Error as error:
                said = "Error: " + str(error)
            except BaseException as error:
                said = type(error).__name__ + ": " + str(error)
            write(1, (text + " -> " + said + "\\n").encode())

{place} = Late()
del Late
"""

CALLS = """\
leakgraph.top()
leakgraph.cycles()
leakgraph.why(kept)
leakgraph.memory()
leakgraph.findings()
leakgraph.tensors()
leakgraph.figures()
leakgraph.snapshot()
leakgraph.show_refs(kept)
leakgraph.show_backrefs(kept, "backrefs.svg")
leakgraph.save_snapshot("saved.lgs")
leakgraph.load("saved.lgs").top()
leakgraph.arm()
leakgraph.register_buffers(list, length="nope")
leakgraph.expect_collectable(kept)
snapshot.top()._repr_html_()
snapshot.top().json
snapshot.top()[0].json
node.json
snapshot.top().to_dicts()
snapshot.cycles()._repr_html_()
snapshot.why(node)._repr_html_()
snapshot.why(node)._repr_svg_()
snapshot.merged_paths(node)
snapshot.memory().to_dicts()
snapshot.info()
snapshot.uncollected()
leakgraph.Size({"host": 1}).items()
snapshot.save("./here/../kept.lgs")
node.__reduce__()
"""


@pytest.mark.parametrize("place", ["keep", "leakgraph.keep"])
def test_asked_by_a_finalizer(python, tmp_path, place):
    os.mkdir(tmp_path / "here")
    script = tmp_path / "late.py"
    lambdas = (f"    {call!r}: lambda: {call}," for call in CALLS.splitlines())
    script.write_text(ASKED_LATE.format(place=place, calls="\n".join(lambdas)))
    done = python(script)
    assert (done.code, done.err) == (0, "")
    answers = dict(line.split(" -> ", 1) for line in done.out.splitlines())
    assert list(answers) == CALLS.splitlines()
    bad = {
        call: answer
        for call, answer in answers.items()
        if answer != "answered" and "the interpreter is ending" not in answer
    }
    assert not bad
    assert answers["leakgraph.top()"] == "answered"
    assert answers['leakgraph.load("saved.lgs").top()'] == "answered"


# The thread stops in its progress callback, and never comes back.
THREAD_AT_WORK = """
import os, threading, leakgraph

snapshot = leakgraph.snapshot()
came, never = threading.Event(), threading.Event()

def stop(phase, done):
    came.set()
    never.wait()

threading.Thread(target=lambda: snapshot.analyze(progress=stop), daemon=True).start()
came.wait()

class Late:
    def __del__(self, snapshot=snapshot, Error=leakgraph.Error, write=os.write):
        try:
            snapshot.top()
        except Error as error:
            write(1, str(error).encode())

leakgraph.keep = Late()
del Late
"""


def test_a_thread_that_never_comes_back(python):
    done = python("-c", THREAD_AT_WORK)
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "A thread was analysing the snapshot when the interpreter began to end: "
        "join the thread first."
    )


# igraph needs some time for these. It calls back every tenth of a second at most, and
# the test lets one call pass, to be called inside igraph as well.
INSIDE_IGRAPH = """
import os, random, threading, time, leakgraph

class Thing:
    pass

choice = random.Random(5)
things = [Thing() for _ in range(20_000)]
for i, thing in enumerate(things):
    thing.near, thing.far = things[i - 1], choice.choice(things)
kept = things[0]
del things, thing
snapshot = leakgraph.snapshot()

def at_igraph(phase, seconds=0.11):
    start = time.monotonic()
    while time.monotonic() - start < seconds:
        pass
    return phase == "solving components"
"""

THREAD_IN_IGRAPH = """
came, never = threading.Event(), threading.Event()

def stop(phase, done, write=os.write):
    if at_igraph(phase):
        write(1, b"stopped ")
        came.set()
        never.wait()

def work():
    snapshot.analyze(progress=stop)
    came.set()

threading.Thread(target=work, daemon=True).start()
came.wait()

class Late:
    def __del__(self, take=leakgraph.snapshot, kept=kept, write=os.write):
        write(1, b"answered" if len(take().top()) else b"?")

leakgraph.keep = Late()
del Late
"""


def test_a_thread_that_never_comes_back_from_igraph(python):
    done = python("-c", INSIDE_IGRAPH + THREAD_IN_IGRAPH)
    assert (done.code, done.out, done.err) == (0, "stopped answered", "")


ASKED_BY_ITS_CALLBACK = """
said = []

def ask(phase, done):
    if at_igraph(phase) and not said:
        try:
            said.append(len(leakgraph.top()))
        except leakgraph.Error as error:
            said.append(str(error))

snapshot.analyze(progress=ask)
print(said, snapshot.find(kept).retained.host > 20_000 * 32)
"""


def test_a_callback_that_asks_igraph_as_well(python):
    done = python("-c", INSIDE_IGRAPH + ASKED_BY_ITS_CALLBACK)
    assert (done.code, done.err) == (0, "")
    assert "this very thread" in done.out and "True" in done.out
