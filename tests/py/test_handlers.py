"""Handlers that the interpreter and asyncio keep, each with its own way out."""

import json
import sys

import pytest

pytestmark = pytest.mark.ends

EXIT_HANDLERS = pytest.mark.skipif(
    sys.version_info < (3, 10),
    reason="3.9 keeps exit handlers in the state of a module, not in a list",
)

REGISTRIES = """
import asyncio, atexit, functools, json, os, weakref
import leakgraph

class Conn:
    def __init__(self):
        self.buffer = bytearray(4000)

    def close(self, *arguments):
        pass

future = asyncio.new_event_loop().create_future()
known = {"atexit": [], "fork": [], "future": []}

def new(registry):
    conn = Conn()
    known[registry].append(weakref.ref(conn))
    return conn

for _ in range(20):
    atexit.register(new("atexit").close)
    os.register_at_fork(after_in_child=new("fork").close)
    future.add_done_callback(new("future").close)
findings = leakgraph.findings()
rows = [(f.pattern, f.held_by, f.retained.host, f.count, f.fix) for f in findings]
for conn in known["atexit"]:
    atexit.unregister(conn().close)
for conn in known["future"]:
    future.remove_done_callback(conn().close)
alive = {name: sum(one() is not None for one in all) for name, all in known.items()}
left = [(f.pattern, f.held_by) for f in leakgraph.findings()]
print(json.dumps([rows, alive, left]))
"""


@EXIT_HANDLERS
def test_each_registry_has_its_own_fix(python):
    rows, alive, left = json.loads(python("-c", REGISTRIES).out)
    assert {row[0] for row in rows} == {"event-handlers"} and len(rows) == 3
    fixes = {row[1].split("  ")[0]: row[4] for row in rows}
    assert "atexit.unregister(" in fixes["interpreter state"]
    assert (
        "Nothing takes a function out" in fixes["interpreter state after_forkers_child"]
    )
    assert "future.remove_done_callback(" in fixes["__main__.future"]
    for _, _, retained, count, _ in rows:
        assert count == 20 and 20 * 4000 < retained < 20 * 4400
    assert alive == {"atexit": 0, "fork": 20, "future": 0}
    assert [held_by.split("  ")[0] for _, held_by in left] == [
        "interpreter state after_forkers_child"
    ]


LIBRARIES = """
import asyncio, concurrent.futures, json, sched, threading, time, weakref
import leakgraph

class Conn:
    def __init__(self):
        self.buffer = bytearray(9000)

    def close(self):
        return self

known = {"agenda": [], "loop": [], "timers": [], "futures": []}

def new(holder):
    conn = Conn()
    known[holder].append(weakref.ref(conn))
    return conn

agenda = sched.scheduler(time.time, time.sleep)
loop = asyncio.new_event_loop()
pool = concurrent.futures.ThreadPoolExecutor(1)
timers, handles, futures = [], [], set()
for _ in range(20):
    agenda.enter(3600, 1, new("agenda").close)
    handles.append(weakref.ref(loop.call_later(3600, new("loop").close)))
    timers.append(threading.Timer(0, new("timers").close))
    timers[-1].start()
    futures.add(pool.submit(new("futures").close))
for timer in timers:
    timer.join()
del timer
pool.shutdown()
findings = leakgraph.findings()
rows = [(f.pattern, f.held_by, f.retained.host, f.count, f.fix) for f in findings]
for event in list(agenda.queue):
    agenda.cancel(event)
del event
for handle in handles:
    handle().cancel()
timers[:] = [timer for timer in timers if timer.is_alive()]
for future in list(futures):
    future.add_done_callback(futures.discard)
del future
alive = {name: sum(one() is not None for one in all) for name, all in known.items()}
print(json.dumps([rows, alive, [f.held_by for f in leakgraph.findings()]]))
"""


def test_what_libraries_keep_has_a_fix_of_its_own_that_frees_it(python):
    done = python("-c", LIBRARIES)
    rows, alive, left = json.loads(done.out)
    fixes = {row[1].split("  ")[0]: (row[0], row[4]) for row in rows}
    assert len(fixes) == len(rows) == 4
    assert "scheduler.cancel(event)" in fixes["__main__.agenda._queue"][1]
    assert "a function that has a weakref" in fixes["__main__.agenda._queue"][1]
    assert "handle.cancel()" in fixes["__main__.loop._scheduled"][1]
    assert "when it has ended" in fixes["__main__.timers"][1]
    assert fixes["__main__.futures"][0] == "done-tasks"
    assert "future.add_done_callback(futures.discard)" in fixes["__main__.futures"][1]
    for _, _, retained, count, _ in rows:
        assert count == 20 and 20 * 9000 < retained < 20 * 13_000
    assert alive == {"agenda": 0, "loop": 0, "timers": 0, "futures": 0} and left == []


ARGUMENTS = """
import atexit, leakgraph

def bye(rows, name=None):
    pass

for number in range(20):
    atexit.register(bye, ["x" * 5000 + str(number)], name=number)
(finding,) = leakgraph.findings()
print(finding.pattern, finding.count, "atexit.unregister" in finding.fix)
atexit.unregister(bye)
print(len(leakgraph.findings()))
"""


@EXIT_HANDLERS
def test_arguments_of_an_exit_handler(python):
    assert python("-c", ARGUMENTS).out == "event-handlers 20 True\n0\n"


GROWING = """
import atexit, leakgraph

class Conn:
    def __init__(self):
        self.buffer = bytearray(4000)

    def close(self):
        pass

def work():
    atexit.register(Conn().close)

growth = leakgraph.repeat(work, warmup=3, rounds=4, calls=20)
print({(row.finding, "atexit.unregister" in row.fix) for row in growth if row.finding})
"""


@EXIT_HANDLERS
def test_a_row_of_growth_has_the_fix_of_its_registry(python):
    assert python("-c", GROWING).out == "{('event-handlers', True)}\n"


GROWING_ARGUMENTS = """
import atexit, leakgraph

def bye(rows, name=None):
    pass

snapshots = []
for start in range(0, 60, 20):
    for number in range(start, start + 20):
        atexit.register(bye, ["x" * 5000 + str(number)], name=number)
    snapshots.append(leakgraph.snapshot())
rows = [row for row in leakgraph.diff(*snapshots) if row.type == "tuple"]
print("20 → 40 → 60 objects" in rows[0].text, len(rows))
"""


@EXIT_HANDLERS
def test_a_handler_counts_once_whatever_its_arguments(python):
    assert python("-c", GROWING_ARGUMENTS).out == "True 1\n"


CLOSURES = """
import functools, sys, leakgraph

class App:
    def __init__(self):
        self.teardown = {None: []}

app, pending = App(), []

def request(number):
    data = {"body": "x" * 5000 + str(number)}

    def bye(error):
        return data

    app.teardown[None].append(bye)

class Text:
    def __init__(self, number):
        self.text = "x" * 5000 + str(number)

def log(name, step, data):
    pass

for number in range(20):
    if sys.argv[1] == "closures":
        request(number)
    else:
        pending.append(functools.partial(log, "text", number, Text(number)))
print([(f.pattern, f.count) for f in leakgraph.findings()])
"""


@pytest.mark.parametrize(
    ("kind", "found"),
    [("closures", "[('event-handlers', 20)]\n"), ("partials", "[]\n")],
)
def test_a_backlog_of_calls_is_no_registry(python, kind, found):
    assert python("-c", CLOSURES, kind).out == found


GROWS = """
import atexit, leakgraph, os, sys

class Conn:
    def __init__(self):
        self.data = bytearray(20_000)

    def close(self):
        pass

def register():
    for _ in range(20):
        if sys.argv[1] == "atexit":
            atexit.register(Conn().close)
        else:
            os.register_at_fork(after_in_child=Conn().close)

register()
with leakgraph.snapshot() as before:
    register()
    print(before.diff(leakgraph.snapshot()))
"""


@pytest.mark.parametrize(
    ("registry", "held", "helps"),
    [
        ("atexit", "atexit handlers", "KiB. Call atexit.unregister(object.method)"),
        ("fork", "after_forkers_child[*]", "KiB. Nothing takes a function out again."),
    ],
)
def test_growth_names_what_a_registry_keeps(python, registry, held, helps):
    """A program cannot empty what the interpreter has: a call helps, or nothing."""
    if registry == "atexit" and sys.version_info < (3, 10):
        pytest.skip("3.9 keeps exit handlers in the state of a module, not in a list")
    done = python("-c", GROWS, registry, COLUMNS="200")
    assert done.code == 0, done.err
    assert "method __main__.Conn.close accumulates (event-handlers)" in done.out
    assert f"in  interpreter state {held}" in done.out
    assert helps in done.out
    assert "empty interpreter" not in done.out and "cut interpreter" not in done.out


FINALIZERS = """
import gc, json, weakref
import leakgraph

class File:
    def __init__(self):
        self.buffer = bytearray(4000)
        self.closing = weakref.finalize(self, self.close)

    def close(self):
        pass

for _ in range(20):
    File()
findings = leakgraph.findings()
print(json.dumps([[f.pattern, f.held_by, len(f.holders)] for f in findings]))
for finalizer in list(weakref.finalize._registry):
    finalizer.detach()
"""


def test_what_a_finalizer_keeps_of_its_own_object_is_no_handler(python):
    ((pattern, held_by, holders),) = json.loads(python("-c", FINALIZERS).out)
    assert (pattern, holders) == ("finalizer-cycle", 1)
    assert held_by.startswith("weakref.finalize._registry  ")


def test_the_fix_of_functions_is_none_for_methods(python):
    done = python("-c", LISTENERS)
    methods, functions = done.out.splitlines()
    assert "weakref.WeakMethod(object.method)" in methods
    assert "remove this one" in functions and "WeakMethod" not in functions


LISTENERS = """
import leakgraph

class View:
    def __init__(self):
        self.data = bytearray(5000)

    def draw(self):
        pass

class Bus:
    def __init__(self):
        self.listeners = []

def show(data):
    return lambda: data

for kind in ("methods", "functions"):
    bus = Bus()
    for _ in range(20):
        bus.listeners.append(
            View().draw if kind == "methods" else show(bytearray(5000))
        )
    (finding,) = leakgraph.findings()
    print(finding.fix)
"""
