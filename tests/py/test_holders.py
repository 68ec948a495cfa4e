"""What a report calls the holder of what grows, and that it can be asked for."""

import asyncio
import atexit
import builtins
import functools
import gc
import io
import itertools
import logging
import os
import queue
import re
import sys
import threading
import weakref

import pytest

import leakgraph

pytestmark = pytest.mark.ends


class Connection:
    def close(self):
        """Do nothing."""


class Entry:
    pass


class Reader:
    def __init__(self):
        self.queue = queue.Queue()
        self.buffer = bytearray(2000)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        self.queue.get()


class Registries:
    def __init__(self):
        self.hooks = {"teardown": []}
        self.keys = {}
        self.calls = []
        self.views = []
        self.classes = []
        self.mixed = []
        self.both = [[], []]
        self.local = threading.local()
        self.local.entries = []


registries = Registries()
readers = []
ending = []
numbers = itertools.count(10**12)
an_alias = logging.getLogger(__name__)


def generate():
    yield 1


@functools.cache
def cached(key: str):
    return key


def leak():
    def done():
        return None

    def other():
        return None

    number = next(numbers)
    connection, entry, generator = Connection(), Entry(), generate()
    registries.hooks["teardown"].append(done)
    registries.keys[number] = True
    registries.calls.append(functools.partial(connection.close))
    registries.classes.append(type("Local", (), {}))
    registries.views.append(generator)
    registries.mixed.append(other if number % 2 else lambda: None)
    logging.getLogger(f"{__name__}.{number}")
    registries.local.entries.append(Entry())
    for each in registries.both:
        each.append(entry)
    last = Connection()
    ending.append(weakref.ref(last))
    atexit.register(last.close)
    cached(f"key {number}")
    next(generator)
    readers.append(Reader())


@pytest.fixture(scope="module")
def snapshots():
    made = []
    for _ in range(3):
        for _ in range(20):
            leak()
        gc.collect()
        made.append(leakgraph.snapshot())
    yield made
    for reader in readers:
        reader.queue.put(None)
    for each in ending:
        atexit.unregister(each().close)
    ending.clear()
    readers.clear()
    registries.__init__()
    cached.cache_clear()


@pytest.fixture(scope="module")
def growth(snapshots):
    return leakgraph.diff(*snapshots)


def row_of(growth, holder):
    return next(row for row in growth if row.held_by == f"{__name__}.{holder}")


def test_a_row_says_which_function_method_class_or_generator_it_is(growth):
    names = {
        "registries.hooks[*][*]": f"function {__name__}.leak.<locals>.done",
        "registries.calls[*]": f"partial {__name__}.Connection.close",
        "registries.classes[*]": "class test_holders.Local",
        "registries.views[*]": "generator generate() test_holders.py",
        "registries.mixed[*]": f"function {__name__}.leak.<locals>.",
    }
    for holder, name in names.items():
        assert f": {name}" in row_of(growth, holder).text
    assert " or similar accumulates" in row_of(growth, "registries.mixed[*]").text
    handlers = next(row for row in growth if "atexit" in row.held_by)
    assert f": method {__name__}.Connection.close" in handlers.text


def test_a_class_names_what_its_instances_share(growth):
    row = next(row for row in growth if row.type == "logging.Logger")
    # The class, the root logger, and others that a program made have the manager.
    assert row.held_by.endswith(".manager.loggerDict[*]")


def test_what_one_object_holds_most_of_says_which(growth):
    row = next(row for row in growth if row.held_by.startswith(f"{__name__}.cached"))
    assert row.node.label.startswith("str 'key ")


def without_companions(text):
    """Leave out which companions are the largest: a summary drops small places."""
    return text.split(",")[0].split(" with ")[0]


def test_summaries_say_the_same_as_snapshots(snapshots, growth, tmp_path):
    paths = [tmp_path / f"{number}.lgsum" for number in range(3)]
    for path, snapshot in zip(paths, snapshots):
        snapshot.summary(path)
    told = {row.place: row.text for row in leakgraph.diff(*paths)}
    rows = [row for row in growth if not row.minor]
    both = [row for row in rows if row.place in told]
    assert len(both) > len(rows) / 2
    for row in both:
        assert without_companions(told[row.place]) == without_companions(row.text)
    assert all(os.path.getsize(path) < 300_000 for path in paths)


def test_a_thread_that_waits_is_one_row_with_all_it_keeps(growth):
    row = next(row for row in growth if row.type == "thread")
    assert row.counts[2] - row.counts[1] == 20
    # Which of Reader and Thread is larger depends on how their attributes are kept.
    assert re.search("with (Reader|Thread), (Reader|Thread) and ", row.text)
    assert row.gained > 40 * 2000
    kept = (".Queue", ".lock", ".Thread", ".Reader", ".Condition")
    assert not [row for row in growth if row.type.endswith(kept)]


def test_every_holder_can_be_asked_for(snapshots, growth):
    newest = snapshots[-1]
    held = [holder for row in growth for holder in (row.held_by, *row.other_holders)]
    held += [row.held_by for row in newest.top(30)]
    held += [row.held_by for row in newest.findings()]
    native = {row.held_by for row in growth if row.verdict == "native"}
    # Each thread of a free-threaded build has a heap: its memory grows in step with
    # objects, whose holder the row has.
    native -= {row.held_by for row in growth if row.verdict != "native"}
    assert len(held) > 20
    for holder in held:
        for selector in (holder, f"name:{holder}"):
            if holder in native:
                with pytest.raises(leakgraph.NotFoundError, match="is no object"):
                    newest.why(selector)
            else:
                assert newest.select(selector), selector
    assert newest.why(f"{__name__}.registries.keys key").node.type_name == "int"


def test_a_row_has_the_number_of_an_object(growth):
    for row in growth:
        if row.node is not None and not row.minor:
            assert f"#{row.node.index}" in str(growth)


def test_what_shares_only_ids_is_no_one_leak():
    events, sessions, snapshots = [], {}, []
    for _ in range(4):
        for _ in range(300):
            user = 100_000 + len(events)
            events.append((user, bytearray(2000)))
            sessions[user] = [user, bytearray(1000)]
        snapshots.append(leakgraph.snapshot())
    growth = leakgraph.diff(*snapshots)
    leads = [row for number, row in enumerate(growth) if row.lead == number]
    assert [(row.type, len(row.holders)) for row in leads] == [
        ("tuple", 1),
        ("list", 1),
    ]


def test_an_object_that_has_all_that_objects_in_a_list_have_is_a_holder():
    class One:
        def __init__(self, entry):
            self.entry = entry

    class Two:
        def __init__(self, entry):
            self.entry = entry

    root, snapshots = Entry(), []
    root.wrapped, root.book = [], Entry()
    for _ in range(4):
        for _ in range(60):
            entry = Entry()
            entry.data = bytearray(2000)
            root.wrapped.append((One, Two)[len(root.wrapped) % 2](entry))
            setattr(root.book, f"entry{len(root.wrapped)}", entry)
        del entry
        snapshots.append(leakgraph.snapshot())
    row = leakgraph.diff(*snapshots)[0]
    names = {re.search(r"root\.(\w+)", holder.held_by)[1] for holder in row.holders}
    assert names == {"book", "wrapped"}
    assert row.freed.total > row.gained


def in_a_tuple(held, entry):
    return (*(held or ()), entry)


def in_a_partial(held, entry):
    return functools.partial(held or print, entry)


def in_iterators(held, entry):
    return itertools.chain(held or (), [entry])


def in_a_frozenset(held, entry):
    return (held or frozenset()) | {entry}


def in_maps(held, entry):
    return map(str, itertools.chain(held or (), [entry]))


@pytest.mark.parametrize(
    "add", [in_a_tuple, in_a_frozenset, in_a_partial, in_iterators, in_maps]
)
def test_what_nobody_can_take_out_goes_with_who_holds_all(add):
    """No program empties a tuple: it lets go of the tuple."""
    root, snapshots = Entry(), []
    registries.last = root
    root.held = None
    for _ in range(4):
        for _ in range(60):
            entry = Entry()
            entry.data = bytearray(2000)
            root.held = add(root.held, entry)
        alive = weakref.ref(entry)
        del entry
        snapshots.append(leakgraph.snapshot())
    (row,) = leakgraph.diff(*snapshots)
    (holder,) = row.holders
    assert holder.held_by.endswith(".held"), holder
    assert row.freed.total > row.gained
    del root.held
    assert alive() is None


def longer_text(old):
    return (old or "") + "a line " * 1000


def longer_array(old):
    numpy = pytest.importorskip("numpy")
    return numpy.zeros((0 if old is None else len(old)) + 1000)


class Text(str):
    """A text of the program's own."""


def longer_text_of_a_class(old):
    return Text((old or "") + "a line " * 1000)


def longer_records(old):
    return longer_array(old).view(pytest.importorskip("numpy").recarray)


def longer_tuple(old):
    return (old or ()) + (1,) * 1000


def longer_text_in_a_tuple(old):
    return (longer_text(old and old[0]), 1)


@pytest.mark.parametrize(
    "longer",
    [
        longer_text,
        longer_text_of_a_class,
        longer_text_in_a_tuple,
        longer_tuple,
        longer_array,
        longer_records,
    ],
)
def test_what_a_longer_one_replaces_is_cut_where_it_is(longer):
    """Nobody empties a text or an array, and its neighbours in a dict stay."""
    registries.last = kept = {str(i): "a text" * 100 for i in range(50)}
    kept["log"] = None
    snapshots = []
    for _ in range(4):
        kept["log"] = longer(kept["log"])
        snapshots.append(leakgraph.snapshot())
    growth = leakgraph.diff(*snapshots)
    (row,) = growth
    (holder,) = row.holders
    assert row.verdict == "grows in place"
    assert holder.held_by.endswith("['log']"), holder
    assert "cut " in str(growth)


def test_a_stream_of_bytes_is_emptied():
    """Its bytes are one object, which a program does not see."""
    registries.last, snapshots = io.BytesIO(), []
    for _ in range(4):
        registries.last.write(b"a line " * 1000)
        snapshots.append(leakgraph.snapshot())
    growth = leakgraph.diff(*snapshots)
    (row,) = growth
    (holder,) = row.holders
    assert holder.held_by.endswith("registries.last"), holder
    assert f"empty {holder.held_by}" in str(growth)
    assert row.freed.total > row.gained


@pytest.mark.skipif(sys.version_info < (3, 11), reason="there are no groups")
def test_the_exceptions_of_a_group_go_with_the_group():
    registries.last, snapshots = None, []
    for _ in range(4):
        for _ in range(60):
            error = ValueError("of some length" * 50)
            old = () if registries.last is None else registries.last.exceptions
            registries.last = vars(builtins)["ExceptionGroup"]("all", (*old, error))
        del old, error
        snapshots.append(leakgraph.snapshot())
    (row,) = leakgraph.diff(*snapshots)
    (holder,) = row.holders
    assert holder.held_by.endswith("registries.last"), holder
    assert row.freed.total > row.gained


def add_callbacks(futures):
    for number in range(90):
        future = futures[number % 3] if isinstance(futures, list) else futures
        future.add_done_callback(functools.partial(print, bytearray(500)))


@pytest.mark.parametrize("several", [False, True])
def test_who_has_a_future_lets_go_of_its_callbacks(several):
    """A program that asks for them gets a copy: to empty that frees nothing."""
    loop, snapshots = asyncio.new_event_loop(), []
    registries.last = loop.create_future()
    if several:
        registries.last = [loop.create_future() for _ in range(3)]
    for _ in range(4):
        add_callbacks(registries.last)
        snapshots.append(leakgraph.snapshot())
    loop.close()
    growth = leakgraph.diff(*snapshots)
    (holder,) = growth[0].holders
    assert holder.held_by.endswith("registries.last"), holder
    assert f"{'empty' if several else 'cut'} {holder.held_by}" in str(growth)
    assert growth[0].freed.total > growth[0].gained
