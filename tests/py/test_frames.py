"""Tests threads, their frames, and suspended code."""

import asyncio
import os
import sys
import threading

import pytest
from builds import FREE_THREADED

import leakgraph

pytestmark = [
    pytest.mark.skipif(
        os.environ.get("LEAKGRAPH_CAPTURE") == "public",
        reason="the public method sees no frames",
    ),
    pytest.mark.small,
]


#: Frames larger than the 16 KiB of a chunk.
DEEP = 400


class Batch:
    pass


def roots(snapshot, kind):
    return {root.name: root.node for root in snapshot.roots if root.kind == kind}


def frames(thread):
    return [edge.node for edge in thread.referents() if edge.kind == "frame"]


def local_edges(frame):
    return {edge.label: edge.node for edge in frame.referents() if edge.kind == "local"}


def test_a_local_of_the_calling_function_is_found():
    batch = Batch()
    snapshot = leakgraph.snapshot()
    main = roots(snapshot, "thread")["MainThread"]
    here = frames(main)[0]
    assert here.text.startswith("test_a_local_of_the_calling_function_is_found")
    assert here.text.split()[1].startswith("test_frames.py:")
    assert local_edges(here)["local batch"] == snapshot.find(batch)


def test_leakgraph_itself_is_not_on_the_stack():
    batch = Batch()
    drawing = leakgraph.show_backrefs(batch)
    assert "local batch" in drawing.text
    assert "leakgraph" not in drawing.text.replace("leakgraph_", "")


@pytest.mark.parametrize(
    ("module", "own"),
    [
        ("leakgraph", True),
        ("leakgraph.run", True),
        ("leakgraphs", False),
        ("leakgrap", False),
        ("app.leakgraph", False),
    ],
)
def test_frames_of_leakgraphs_own_modules_are_left_out(module, own):
    """For what these frames hold, the report counts no holder, and misses none."""
    namespace = {"__name__": module}
    code = "def take(snapshot, box):\n    kept = box[0]\n    return snapshot()\n"
    exec(code, namespace)
    batch = Batch()
    snapshot = namespace["take"](leakgraph.snapshot, [batch])
    top = frames(roots(snapshot, "thread")["MainThread"])[0]
    assert top.text.startswith("take") == (not own)
    node = snapshot.find(batch)
    holders = {edge.label for edge in node.referrers()}
    assert "local batch" in holders
    assert ("local kept" in holders) == (not own)
    assert node.unexplained == 0


def test_every_thread_is_a_root_by_name():
    entered, leave = threading.Event(), threading.Event()
    batch = Batch()

    def work(payload):
        nested(payload, DEEP)

    def nested(inner, depth):
        own = Batch()
        if depth > 1:
            return nested(inner, depth - 1)
        entered.set()
        leave.wait()
        return own

    worker = threading.Thread(target=work, args=(batch,), name="loader")
    worker.start()
    entered.wait()
    try:
        snapshot = leakgraph.snapshot()
        loader = roots(snapshot, "thread")["loader"]
        named = [frame.text.split("(")[0] for frame in frames(loader)]
        assert any(name.endswith("nested") for name in named)
        assert any(name.endswith("work") for name in named)
        held = [local_edges(frame) for frame in frames(loader)]
        assert any(local.get("local inner") == snapshot.find(batch) for local in held)
        # The frames of a deep recursion lie in several chunks of memory.
        own = [local["local own"] for local in held if "local own" in local]
        assert len(set(own)) == DEEP
        assert all(node.unexplained == 0 for node in own)
        assert {node.dominator for node in own} < set(frames(loader))
    finally:
        leave.set()
        worker.join()


class Door:
    def __enter__(self):
        return None

    def __exit__(self, *_):
        return None


@pytest.mark.skipif(
    (3, 11) <= sys.version_info < (3, 14),
    reason="from 3.11 to 3.13, the stack of a frame that runs is hidden",
)
def test_a_frame_has_the_exit_method_of_its_with_statement():
    door = Door()
    with door, Door():
        snapshot = leakgraph.snapshot()
    here = frames(roots(snapshot, "thread")["MainThread"])[0]
    on_stack = [edge.node for edge in here.referents() if edge.kind == "stack"]
    if sys.version_info >= (3, 14):
        # The function and the object, not a bound method of both.
        assert on_stack.count(snapshot.find(Door.__exit__)) == 2
        assert snapshot.find(door) in on_stack
    else:
        methods = [node for node in on_stack if node.type_name == "method"]
        assert len(methods) == 2
        assert snapshot.find(door) in [edge.node for edge in methods[0].referents()]
    assert all(node.unexplained == 0 for node in on_stack)


class Relay:
    """Passes on what it is called with."""

    def __init__(self, entered, leave):
        self.entered, self.leave = entered, leave

    def wait(self, *arguments, **keywords):
        del arguments, keywords
        self.entered.set()
        self.leave.wait()

    def call(self, *arguments, **keywords):
        self.wait(*arguments, **keywords)


def plain(relay, *arguments, **keywords):
    relay.wait(*arguments, **keywords)


@pytest.mark.skipif(FREE_THREADED, reason="C code's references are not looked for")
@pytest.mark.parametrize("target", [Relay.call, Relay.wait, plain])
@pytest.mark.parametrize("names", [(), ("x",), ("x", "y")])
def test_a_call_with_a_tuple_holds_its_arguments(target, names):
    """They are in no variable any more, and CPython hides the stack of the call."""
    relay = Relay(threading.Event(), threading.Event())
    batches = [Batch() for _ in range(2)]
    worker = threading.Thread(
        target=target,
        args=(relay, *batches),
        kwargs={name: Batch() for name in names},
    )
    worker.start()
    relay.entered.wait()
    try:
        snapshot = leakgraph.snapshot()
    finally:
        relay.leave.set()
        worker.join()
    thread = roots(snapshot, "thread")[worker.name]
    kinds = [
        edge.node.type_name
        for frame in frames(thread)
        for edge in frame.referents()
        if edge.kind == "stack"
    ]
    assert all(node.unexplained == 0 for node in snapshot.select("type:*.Batch"))
    assert sys.version_info >= (3, 12) or kinds.count("tuple") > 0


def test_words_above_the_stack_are_not_followed():
    """Stale ones are addresses of what is gone, or of what has come in its place."""

    def wait(*arguments):
        entered.set()
        leave.wait()

    def deep(*arguments):
        return [(), [], {}, (arguments, [(arguments, *[object()] * 20)])]

    def call(*arguments):
        for _ in range(20):
            deep(*[object() for _ in range(9)])
        wait(*arguments)

    entered, leave = threading.Event(), threading.Event()
    worker = threading.Thread(target=call, args=(Batch(),))
    worker.start()
    entered.wait()
    try:
        fresh = [(Batch(), Batch()) for _ in range(1000)]
        snapshot = leakgraph.snapshot()
    finally:
        leave.set()
        worker.join()
    for pair in fresh:
        node = snapshot.find(pair)
        assert node.unexplained == 0
        assert {edge.kind for edge in node.referrers()} == {"index"}


def test_a_generator_being_run_stands_for_its_frame():
    def generate():
        batch = Batch()
        yield leakgraph.snapshot(), batch

    snapshot, batch = next(generate())
    main = roots(snapshot, "thread")["MainThread"]
    running = frames(main)[0]
    assert running.type_name in ("generator", "frame")
    assert local_edges(running)["local batch"] == snapshot.find(batch)


def test_a_suspended_task_is_listed_with_its_locals():
    async def pending(batch):
        await asyncio.sleep(60)

    async def main():
        task = asyncio.ensure_future(pending(Batch()))
        await asyncio.sleep(0)
        report = str(leakgraph.snapshot().threads())
        task.cancel()
        return report

    report = asyncio.run(main())
    assert "pending" in report
    assert "batch" in report


def test_an_exception_holds_the_locals_of_its_frames():
    def fail():
        batch = Batch()
        raise ValueError(batch)

    try:
        fail()
    except ValueError as error:
        kept = error.with_traceback(error.__traceback__)
    snapshot = leakgraph.snapshot()
    frame = snapshot.find(kept.__traceback__.tb_next.tb_frame)
    assert local_edges(frame)["local batch"].type_name.endswith("Batch")


def test_modules_are_roots():
    snapshot = leakgraph.snapshot()
    modules = roots(snapshot, "module")
    assert modules["leakgraph"] == snapshot.find(leakgraph)
    assert modules["threading"] == snapshot.find(threading)


def test_the_interpreter_explains_sys_modules():
    import sys

    snapshot = leakgraph.snapshot()
    node = snapshot.find(sys.modules)
    assert node.unexplained == 0
    held_by = {edge.label for edge in node.referrers()}
    assert any("modules" in label for label in held_by)
