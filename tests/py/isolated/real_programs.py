"""Cuts what why() and cycles() name for objects of real programs, in forks.

Each program holds what people make with a library. A fork cuts all that why() names for
a random object, which must be gone then, or all that one of cycles() names, after which
no cycle is left through its objects. Prints how often that is so, and where it is not.
"""

import array
import bisect
import collections
import contextlib
import ctypes
import gc
import os
import random
import sys
import types
import weakref

import leakgraph


class Item:
    """What a user would look for."""

    def __init__(self, number):
        self.number = number
        self.data = [object() for _ in range(3)]

    def forget(self, _):
        """Do nothing."""


def tie(thing):
    """A program adds this to an object of a library: an owner that refers back."""
    thing.owner = Item(0)
    thing.owner.thing = thing


def parsers():
    """Make a parser with a subparser, and what it parsed."""
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--x", type=int, default=3)
    part = parser.add_subparsers().add_parser("a")
    tie(part)
    part.add_argument_group("g").add_argument("--y")
    part.add_mutually_exclusive_group().add_argument("--z")
    return [parser, parser.parse_args(["a", "--y", "1"])]


def loggers():
    """Make handlers, filters and records."""
    import io
    import logging.handlers

    logger = logging.getLogger("app.db")
    handler = logging.StreamHandler(io.StringIO())
    logger.addHandler(handler)
    logger.addFilter(logging.Filter())
    logger.item = Item(2)
    tie(handler)
    memory = logging.handlers.MemoryHandler(100, target=handler)
    logging.getLogger("app").addHandler(memory)
    logging.getLogger("app").warning("hello %s", Item(4))
    return [logger, memory, logging.makeLogRecord({"item": Item(5)})]


def servers():
    """Make tasks of asyncio, and a server of HTTP.

    A coroutine that waits for a queue cancels its future when it ends. From 3.15 on
    the loop would then keep the task until it runs, so these wait for an event.
    """
    import asyncio
    import http.server

    class Handler(http.server.BaseHTTPRequestHandler):
        cache = Item(4)

    async def work(event, item):
        while True:
            await event.wait()

    async def main():
        event = asyncio.Event()
        tasks = [asyncio.ensure_future(work(event, Item(i))) for i in range(4)]
        await asyncio.sleep(0)
        return [event, tasks, asyncio.Condition(), asyncio.Queue()]

    loop = asyncio.new_event_loop()
    made = loop.run_until_complete(main())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    tie(server)
    server.sessions = {i: Item(i) for i in range(5)}
    return [loop, made, server]


def documents():
    """Make a tree of XML with parents, and one without."""
    import xml.etree.ElementTree as etree
    from xml.dom import minidom

    document = minidom.parseString("<a><b c='1'><e/>text</b><b>more</b></a>")
    document.documentElement.setUserData("k", Item(1), None)
    return [document, etree.ElementTree(etree.fromstring("<a><b/><c/></a>"))]


def futures():
    """Make an executor, its futures, and callbacks."""
    import concurrent.futures
    import threading

    executor = concurrent.futures.ThreadPoolExecutor(2)
    done = [executor.submit(Item, i) for i in range(6)]
    concurrent.futures.wait(done)
    pending, item, local = concurrent.futures.Future(), Item(8), threading.local()
    pending.add_done_callback(lambda future: item)
    timer = threading.Timer(1000, Item, (Item(3),))
    local.x = Item(4)
    return [executor, done, pending, timer, local]


def containers():
    """Make the standard library's containers."""
    import contextlib
    import enum
    import functools
    import queue
    import sched
    import unittest.mock

    @functools.lru_cache(None)
    def cached(number):
        return Item(number)

    for number in range(4):
        cached(number)
    stack, mock = contextlib.ExitStack(), unittest.mock.MagicMock()
    stack.callback(print, Item(5))
    tie(stack)

    class Color(enum.Enum):
        RED = 1

    Color.RED.item = Item(2)
    ordered, scheduler = queue.PriorityQueue(), sched.scheduler()
    ordered.put((1, 2, Item(4)))
    scheduler.enter(10, 1, Item, (Item(3),))
    key = Item(1)
    weak = weakref.WeakKeyDictionary({key: Item(2)})
    waiting = (item for item in [Item(6)])
    try:
        try:
            raise ValueError(Item(1))
        except ValueError as error:
            raise KeyError("x") from error
    except KeyError as error:
        failed = error
    return [
        cached,
        stack,
        mock,
        Color,
        ordered,
        scheduler,
        key,
        weak,
        waiting,
        failed,
        collections.deque([Item(1), Item(2)]),
        collections.OrderedDict(a=Item(1)),
        collections.defaultdict(list, k=[Item(1)]),
        collections.ChainMap({"a": Item(1)}, {"b": Item(2)}),
        types.SimpleNamespace(a=Item(1)),
        functools.partial(Item, Item(1), key=Item(2)),
        zip([Item(3)], [Item(4)]),
    ]


def borrowers():
    """Make objects whose references a program can read and cannot set."""
    import io
    import re

    class Row(collections.namedtuple("Row", "item")):
        pass

    class Text(str):
        pass

    class Buffer(bytearray):
        pass

    class Raw(io.BytesIO):
        pass

    text, buffer, raw = Text("ab"), Buffer(b"ab"), Raw(b"ab")
    text.item, buffer.item, raw.item = Item(1), Item(2), Item(3)
    return [
        Row(Item(4)),
        types.GenericAlias(list, (Item(5),)),
        super(Item, Item(6)),
        weakref.ref(Row, Item(7).forget),
        re.match("a", text),
        memoryview(buffer)[:1],
        io.BufferedReader(raw),
        io.TextIOWrapper(Raw(b"ab")),
    ]


def training():
    """Make a training loop that keeps a graph."""
    import torch

    net = torch.nn.Sequential(
        torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1)
    )
    optimizer = torch.optim.Adam(net.parameters())
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 3)
    losses, outputs = [], {}
    tie(net)
    hook = net[0].register_forward_hook(lambda m, i, o: outputs.__setitem__("a", o))
    data = torch.utils.data.TensorDataset(torch.randn(32, 8), torch.randn(32, 1))
    loader = torch.utils.data.DataLoader(data, batch_size=8)
    for x, y in loader:
        loss = ((net(x) - y) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(((net(x) - y) ** 2).mean())
    return [net, optimizer, schedule, losses, outputs, hook, loader, iter(loader)]


def figures():
    """Make open and closed figures, with callbacks."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2)
    (line,) = left.plot([1, 3, 2])
    left.legend(["x"])
    figure.colorbar(right.imshow([[1, 2], [3, 4]]))
    figure.canvas.draw()
    item = Item(1)
    item.figure = figure
    figure.canvas.mpl_connect("button_press_event", lambda event: item)
    own, closed = matplotlib.figure.Figure(), plt.figure()
    own.subplots().plot([1, 2])
    closed.item = left.item = Item(3)
    plt.close(closed)
    return [figure, line, own, closed]


def frames():
    """Make frames of pandas, views of them, and groups."""
    import pandas

    frame = pandas.DataFrame({"a": range(9), "b": [1.5] * 9, "c": list("xyz") * 3})
    groups = frame.groupby("c")
    groups.mean(numeric_only=True)
    indexed = frame.set_index("a")
    indexed.index.get_loc(5)
    items = pandas.Series([Item(i) for i in range(5)])
    frame.attrs["item"] = Item(1)
    return [frame, groups, frame["b"].rolling(3), indexed, frame[["a", "b"]], items]


class CannotCut(Exception):
    """No statement of Python cuts it: it is a read-only field of a C object."""


def cut_item(holder, label, target):
    """Remove an item of a container."""
    if isinstance(holder, (list, collections.deque)):
        holder[int(label[1:-1])] = None
    elif isinstance(holder, set):
        for value in [value for value in holder if id(value) == target]:
            holder.discard(value)
    elif isinstance(holder, dict):
        for key, value in list(holder.items()):
            named = not label.startswith("['") or repr(key)[:50] == label[1:-1][:50]
            if target in (id(key), id(value)) and named:
                dict.__delitem__(holder, key)
    else:
        raise CannotCut(f"{type(holder)}{label}")


def cut(holder, label, target):
    """Remove one reference, as a person who reads its label would."""
    if label.startswith("."):
        try:
            try:
                delattr(holder, label[1:])
            except (AttributeError, TypeError):
                setattr(holder, label[1:], None)
        except (AttributeError, TypeError) as error:
            raise CannotCut(label) from error
    elif label.startswith("["):
        cut_item(holder, label, target)
    elif label.startswith("closure "):
        place = holder.__code__.co_freevars.index(label.split()[1])
        del holder.__closure__[place].cell_contents
    else:
        raise CannotCut(label)


def live_addresses(frozen=()):
    """Return the addresses of all objects, sorted; a snapshot sees one object."""
    return array.array("Q", sorted([*frozen, *map(id, gc.get_objects())]))


def objects_at(addresses, live):
    """Return the objects at these addresses that are alive."""
    found = {}
    for address in addresses:
        place = bisect.bisect_left(live, address)
        if place < len(live) and live[place] == address:
            found[address] = ctypes.cast(address, ctypes.py_object).value
    return found


def cut_all(hops, live):
    """Cut these references; return False if nobody can."""
    sources = objects_at({source for source, _, _ in hops}, live)
    if any(source not in sources for source, _, _ in hops):
        return False
    plan = [(sources[source], label, target) for source, label, target in hops]
    sources.clear()
    try:
        while plan:
            cut(*plan.pop())
    except CannotCut:
        return False
    return True


def is_gone(live, hops, reference):
    """In a child: 0 if the object dies by the cuts, 1 if not, 2 if nobody can cut."""
    if not cut_all(hops, live):
        return 2
    gc.collect()
    return int(reference() is not None)


def is_untied(live, hops, members):
    """In a child: 0 if no cycle leads through them, 1 if one does, 2 as above."""
    kept = list(objects_at(members, live).values())
    if not cut_all(hops, live):
        return 2
    left = leakgraph.snapshot().cycles(min_bytes=0, limit=None)
    addresses = {id(thing) for thing in kept}
    return int(
        any(addresses & {node.address for node in cycle.nodes} for cycle in left)
    )


def in_fork(function, *arguments):
    """Return what the function returns in a fork, from 0 to 2."""
    child = os.fork()
    if child == 0:
        code = 3
        try:
            code = function(*arguments)
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def below(made):
    """Make weak references to the program's objects."""
    seen, found, left = set(), [], list(made)
    program = (types.ModuleType, type, types.FunctionType, types.BuiltinFunctionType)
    while left and len(seen) < 20000:
        thing = left.pop()
        if id(thing) in seen or isinstance(thing, program) or thing is sys.modules:
            continue
        seen.add(id(thing))
        left.extend(gc.get_referents(thing))
        with contextlib.suppress(TypeError):
            found.append(weakref.ref(thing))
    return found


def cut_for_why(snapshot, live, references):
    """Yield each object in question, and what a fork says of it."""
    for reference in references:
        why = snapshot.why(snapshot.find(reference()))
        if why.kept is not None or why.cut_count != len(why.cuts) or not why.cuts:
            yield "not asked", why
            continue
        hops = [(h.source.address, h.label, h.target.address) for h in why.cuts]
        yield in_fork(is_gone, live, hops, reference), why


def cut_for_frees(snapshot, live, references):
    """Yield each object in question, and what a fork says of each single cut."""
    for reference in references:
        why = snapshot.why(snapshot.find(reference()))
        for hop in why.frees:
            hops = [(hop.source.address, hop.label, hop.target.address)]
            code = in_fork(is_gone, live, hops, reference)
            yield ("nobody can" if code == 2 else code), why


def cut_for_cycles(snapshot, live, references):
    """Yield each cycle of these objects, and what a fork says of it."""
    ours = {id(reference()) for reference in references}
    for cycle in snapshot.cycles(kind="held", min_bytes=0, limit=None):
        members = {node.address for node in cycle.nodes}
        if not ours & members:
            continue
        if cycle.more or cycle.left or not cycle.cuts:
            yield "not asked", cycle
            continue
        edges = [(e.source.address, e.label, e.target.address) for e in cycle.cut_edges]
        yield in_fork(is_untied, live, edges, members), cycle


def main(name, question, count):
    """Ask about so many objects of a program, and cut."""
    # In each fork the collector looks only at what the program makes.
    frozen = live_addresses()
    gc.freeze()
    globals()["state"] = globals()[name]()
    references = below(globals()["state"])
    references = random.Random(1).sample(references, min(count, len(references)))
    gc.collect()
    results = collections.Counter()
    ask = {"why": cut_for_why, "frees": cut_for_frees, "cycles": cut_for_cycles}[
        question
    ]
    snapshot = leakgraph.snapshot()
    for code, answer in ask(snapshot, live_addresses(frozen), references):
        results[code] += 1
        if code not in (0, 2, "not asked"):
            print(f"{name}: {code} after the cuts of\n{answer}")
    wrong = set(results) - {0, 2, "not asked"}
    fine = not wrong and results[0] > 2 * results[2]
    print(f"{fine}: {name} {dict(results)}", flush=True)
    os._exit(not fine)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
