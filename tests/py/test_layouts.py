"""Words of C types have names, even if no header shows the struct."""

import abc
import array
import asyncio
import codecs
import collections
import contextvars
import csv
import ctypes
import functools
import gc
import io
import itertools
import json
import operator
import pickle
import queue
import re
import sqlite3
import struct
import sys
import threading
import types
import typing
import xml.etree.ElementTree as ElementTree
from random import Random

import pytest

import leakgraph


class Thing:
    pass


class Sequence:
    def __getitem__(self, index):
        raise IndexError

    def __len__(self):
        return 0


def call(*arguments):
    return None


def held(snapshot, holder):
    """Map the labels of an object's references to addresses."""
    return {edge.label: edge.node.address for edge in snapshot.find(holder).referents()}


def property_of_a_class():
    name = "called_" + str(len(sys.path))
    one = property(call, call, call, "documented")
    one.__set_name__(Thing, name) if hasattr(one, "__set_name__") else None
    expected = {".fget": call, ".fset": call, ".fdel": call}
    if sys.version_info >= (3, 10):
        expected[".__name__"] = name
    return one, expected


def mapping_proxy():
    mapping = {1: Thing()}
    return types.MappingProxyType(mapping), {"mapping": mapping}


def generic_alias():
    one = list[Thing, typing.TypeVar("T")]
    parameters = one.__parameters__
    return one, {
        ".__origin__": list,
        ".__args__": one.__args__,
        ".__parameters__": parameters,
    }


def union():
    one = Thing | int
    return one, {".__args__": one.__args__}


def context_variable():
    default = [Thing()]
    return contextvars.ContextVar("variable", default=default), {"default": default}


def context_token():
    variable = contextvars.ContextVar("variable", default=None)
    old = [Thing()]
    context = contextvars.Context()
    context.run(variable.set, old)
    token = context.run(variable.set, [])
    return token, {"context": context, ".var": variable, ".old_value": old}


def mapped():
    return map(call, []), {"function": call}


def filtered():
    things = iter([Thing()])
    return filter(call, things), {"function": call, "iterator": things}


def list_iterator():
    things = [Thing()]
    return iter(things), {"sequence": things}


def reversed_list():
    things = [Thing()]
    return reversed(things), {"sequence": things}


def reversed_sequence():
    things = Sequence()
    return reversed(things), {"sequence": things}


def sequence_iterator():
    things = Sequence()
    return iter(things), {"sequence": things}


def call_iterator():
    sentinel = Thing()
    return iter(call, sentinel), {"callable": call, "sentinel": sentinel}


def dict_iterator():
    mapping = {1: Thing()}
    return iter(mapping.items()), {"dict": mapping}


def dict_view():
    mapping = {1: Thing()}
    return mapping.values(), {".mapping": mapping}


def ordered_view():
    mapping = collections.OrderedDict(a=Thing())
    return mapping.keys(), {".mapping": mapping}


def ordered_iterator():
    mapping = collections.OrderedDict(a=Thing())
    return iter(mapping.items()), {"dict": mapping}


def set_iterator():
    things = {Thing()}
    return iter(things), {"set": things}


def deque_iterator():
    things = collections.deque([Thing()])
    return iter(things), {"deque": things}


def enumerated():
    things = iter([Thing()])
    return enumerate(things), {"iterator": things}


def accumulated():
    total, things = Thing(), iter([Thing()])
    one = itertools.accumulate(things, call, initial=total)
    return one, {"iterator": things, "function": call, "initial": total}


def chained():
    source = iter([[Thing()]])
    return itertools.chain.from_iterable(source), {"source": source}


def cycled():
    things = iter([Thing()])
    return itertools.cycle(things), {"iterator": things}


def grouped():
    things = iter([Thing()])
    one = itertools.groupby(things, call)
    return one, {"iterator": things, "keyfunc": call}


def repeated():
    thing = Thing()
    return itertools.repeat(thing, 3), {"element": thing}


def counted():
    start = float(10**9)
    step = float(3)
    return itertools.count(start, step), {"count": start, "step": step}


def zipped_longest():
    fill = Thing()
    return itertools.zip_longest([], fillvalue=fill), {"fillvalue": fill}


def attribute_getter():
    return operator.attrgetter("a.b"), {}


def item_getter():
    item = Thing()
    return operator.itemgetter(item), {"item": item}


def method_caller():
    argument = Thing()
    return operator.methodcaller("called", argument), {}


def compared_key():
    # CPython 3.9 and older do not track the type.
    known = sys.version_info >= (3, 10)
    return functools.cmp_to_key(call), {"cmp": call} if known else {}


def pattern():
    return re.compile("(?P<word>.)"), {}


def packed():
    return struct.Struct("ii"), {}


def csv_reader():
    lines = iter(["a"])
    return csv.reader(lines), {"iterator": lines}


def queued():
    thing = Thing()
    one = queue.SimpleQueue()
    one.put(thing)
    return one, {"[0]": thing} if sys.version_info >= (3, 13) else {}


def ctypes_callback():
    one = ctypes.CFUNCTYPE(ctypes.c_int)(call)
    return one, {"callable": call}


def text_stream():
    raw = io.BytesIO()
    one = io.TextIOWrapper(raw, encoding="utf-8", errors="ignore")
    return one, {".buffer": raw}


def newline_decoder():
    inner = codecs.getincrementaldecoder("utf-8")()
    return io.IncrementalNewlineDecoder(inner, True), {"decoder": inner}


def pair_of_buffers():
    class Raw(io.RawIOBase):
        readable = writable = lambda self: True

    raw = Raw()
    one = io.BufferedRWPair(raw, Raw())
    near = gc.get_referrers(raw)
    (reader,) = [each for each in near if type(each) is io.BufferedReader]
    return one, {"reader": reader}


def pickler():
    return pickle.Pickler(io.BytesIO()), {}


def element_builder():
    def make(*arguments):
        return None

    return ElementTree.TreeBuilder(make), {"element_factory": make}


def element():
    one = ElementTree.Element("tag")
    one.text = "words " * 3
    return one, {".text": one.text}


def element_parser():
    target = ElementTree.TreeBuilder()
    return ElementTree.XMLParser(target=target), {".target": target}


def database():
    one = sqlite3.connect(":memory:")
    one.execute("select 1")
    return one, {}


def async_generator_step():
    async def generate():
        yield

    generator = generate()
    return generator.__anext__(), {"generator": generator}


def awaited_coroutine():
    async def wait():
        pass

    coroutine = wait()
    return coroutine.__await__(), {"coroutine": coroutine}


def json_scanner():
    return json.JSONDecoder().scan_once, {}


KINDS = [
    property_of_a_class,
    mapping_proxy,
    generic_alias,
    newline_decoder,
    pair_of_buffers,
    context_variable,
    context_token,
    mapped,
    filtered,
    list_iterator,
    reversed_list,
    reversed_sequence,
    sequence_iterator,
    call_iterator,
    dict_iterator,
    dict_view,
    ordered_view,
    ordered_iterator,
    set_iterator,
    deque_iterator,
    enumerated,
    accumulated,
    chained,
    cycled,
    grouped,
    repeated,
    counted,
    zipped_longest,
    attribute_getter,
    item_getter,
    method_caller,
    compared_key,
    pattern,
    packed,
    csv_reader,
    queued,
    ctypes_callback,
    text_stream,
    pickler,
    element_builder,
    element,
    element_parser,
    database,
    async_generator_step,
    awaited_coroutine,
    json_scanner,
]
if sys.version_info >= (3, 10):
    KINDS.append(union)


@pytest.fixture(scope="module")
def taken():
    """Make each kind, and one snapshot of all."""
    made = {make: make() for make in KINDS}
    with leakgraph.snapshot() as snapshot:
        yield made, snapshot
    made[awaited_coroutine][0].close()
    made[database][0].close()


@pytest.mark.parametrize("make", KINDS)
def test_words_have_names(make, taken):
    made, snapshot = taken
    one, expected = made[make]
    found = held(snapshot, one)
    for label, target in expected.items():
        assert found[label] == id(target), label
    assert "field" not in {edge.kind for edge in snapshot.find(one).referents()}


def test_registry_of_an_abstract_class():
    class Derived(Thing):
        pass

    Base = abc.ABCMeta("Base", (), {})
    Base.register(Thing)
    assert isinstance(Derived(), Base) and not isinstance(3, Base)
    data = Base._abc_impl
    with leakgraph.snapshot() as snapshot:
        found = held(snapshot, data)
        registry = snapshot.select(f"0x{found['_abc_registry']:x}")[0]
        behind = [
            deep.node.address
            for edge in registry.referents()
            for deep in edge.node.referents()
        ]
    assert id(Thing) in behind
    assert {"_abc_cache", "_abc_negative_cache"} <= set(found)


def test_a_class_of_the_same_name_is_none_of_these():
    """Its first word is a slot, unlike a mappingproxy's."""
    fake = type("mappingproxy", (), {"__slots__": ("own",)})
    one = fake()
    one.own = thing = Thing()
    with leakgraph.snapshot() as snapshot:
        assert held(snapshot, one)[".own"] == id(thing)


@pytest.mark.parametrize("count", [40, 300])
def test_values_of_a_context_are_under_their_variables(count):
    """A node with 32 children counts them in a word that seems to be an object."""
    context = contextvars.Context()
    variables = [contextvars.ContextVar(f"number_{i}") for i in range(count)]
    values = [[Thing()] for _ in variables]
    for variable, value in zip(variables, values):
        context.run(variable.set, value)
    with leakgraph.snapshot() as snapshot:
        for i, value in enumerate(values):
            labels = [edge.label for edge in snapshot.find(value).referrers()]
            assert f"[number_{i}]" in labels
        assert snapshot.find(variables[7]).text == "number_7"


def test_values_of_variables_that_only_a_context_has_share_a_row():
    context = contextvars.Context()
    declared = contextvars.ContextVar("declared")
    context.run(declared.set, bytearray(400_000))
    for number in range(9):
        made = contextvars.ContextVar(f"call {number}")
        context.run(made.set, bytearray(100_000))
    del made
    with leakgraph.snapshot() as snapshot:
        rows = str(snapshot.dominators(snapshot.find(context)))
    assert "[declared]  bytearray" in rows
    assert re.search(r"\[\*\]  \d x bytearray", rows)


async def wait_for(future):
    await future


async def look_at_a_task():
    future = asyncio.get_running_loop().create_future()
    future.add_done_callback(call)
    named = asyncio.ensure_future(wait_for(future))
    named.set_name("fetch page 7")
    numbered = asyncio.ensure_future(wait_for(future))
    await asyncio.sleep(0)
    with leakgraph.snapshot() as snapshot:
        node = snapshot.find(named)
        found = held(snapshot, named)
        texts = node.text, snapshot.find(numbered).text
        callbacks = held(snapshot, future)
    coroutine = named.get_coro()
    name = numbered.get_name()
    named.cancel()
    numbered.cancel()
    return texts, found, callbacks, coroutine, future, name


def test_a_task_is_told_by_name_and_coroutine_and_what_it_awaits():
    texts, found, callbacks, coroutine, future, name = asyncio.run(look_at_a_task())
    assert found["._coro"] == id(coroutine)
    assert found["._fut_waiter"] == id(future)
    assert callbacks["_callback0"] == id(call)
    if leakgraph.snapshot().method == "internal":
        assert texts[0].startswith("fetch page 7 wait_for() test_layouts.py:")
        assert texts[1].startswith(f"{name} wait_for() test_layouts.py:")


class Local(threading.local):
    pass


def in_a_thread(work):
    """Return what `work` gives while a thread named "keeper" has stored something."""
    local, entered, leave = Local(), threading.Event(), threading.Event()
    addresses = []

    def store():
        local.kept = [Thing(), bytearray(100_000)]
        addresses.append(id(local.kept))
        entered.set()
        leave.wait()

    local.own = [Thing()]
    thread = threading.Thread(target=store, name="keeper")
    thread.start()
    entered.wait()
    try:
        return work(local, addresses[0])
    finally:
        leave.set()
        thread.join()


def test_thread_local_data_is_charged_to_its_thread():
    def look(local, address):
        with leakgraph.snapshot() as snapshot:
            node = snapshot.select(f"0x{address:x}")[0]
            why = str(snapshot.why(node))
            holder = node
            while holder.type_name != "thread":
                holder = holder.dominator
            retained = holder.retained.get("host")
            unexplained = [
                edge.node.unexplained
                for edge in snapshot.find(local).referents()
                if edge.label == "dummies"
            ]
            return why, holder.text, retained, unexplained, node

    if leakgraph.snapshot().method != "internal":
        pytest.skip("the public method does not know what a thread has")
    why, name, retained, unexplained, _ = in_a_thread(look)
    assert "↓ threading.local\n" in why and "↓ ['kept']\n" in why
    assert name == "keeper"
    assert retained >= 100_000
    assert unexplained == [0]


def test_a_thread_does_not_keep_a_local_that_holds_itself():
    """The dict is the local's, so one reference keeps both; without it, they go."""
    if leakgraph.snapshot().method != "internal":
        pytest.skip("the public method does not know what a thread has")
    gc.collect()
    local = Local()
    local.owner = [{"local": local}]
    local.kept = bytearray(100_000)
    with leakgraph.snapshot() as snapshot:
        node = snapshot.find(local)
        cuts = snapshot.why(node).cuts
        retained = node.retained.host
    assert len(cuts) == 1 and retained >= 100_000
    del local
    with leakgraph.snapshot() as snapshot:
        nodes = snapshot.select(f"type:{Local.__module__}.Local")
        assert [node.is_reachable for node in nodes] == [False]


def leads(start, target):
    """Whether lists and dicts lead from one object to another."""
    seen, left = set(), [start]
    while left:
        item = left.pop()
        if item is target:
            return True
        if id(item) not in seen and isinstance(item, (list, dict)):
            seen.add(id(item))
            left += item.values() if isinstance(item, dict) else item
    return False


@pytest.mark.parametrize("seed", range(20))
def test_what_threads_share_leads_back_for_all_of_them(seed):
    """Each search knows what the earlier ones found, and no more than that."""
    if leakgraph.snapshot().method != "internal":
        pytest.skip("the public method does not know what a thread has")
    random = Random(seed)
    local = Local()
    shared = [[] for _ in range(10)]
    for _ in range(12):
        random.choice(shared).append(random.choice(shared))
    random.choice(shared).append(local)
    ready, leave, expected = threading.Barrier(9), threading.Event(), []

    def work(chosen):
        local.kept = chosen
        expected.append(leads(local.__dict__, local))
        ready.wait()
        leave.wait()

    threads = [
        threading.Thread(target=work, args=(random.sample(shared, 2),))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    ready.wait()
    try:
        with leakgraph.snapshot() as snapshot:
            (dicts,) = [
                edge.node
                for edge in snapshot.find(local).referents()
                if edge.label == "dummies"
            ]
            held = [
                not edge.weak
                for edge in dicts.referents()
                if edge.node.type_name == "dict"
            ]
    finally:
        leave.set()
        for thread in threads:
            thread.join()
    assert sum(held) == sum(expected)


def test_words_that_a_tee_never_cleared_are_no_references():
    """A tee takes its memory as it comes, here with the addresses of live strs."""
    texts = [f"never in the tee {number}" for number in range(59)]
    recycled = [tuple(texts) for _ in range(100)]
    del recycled
    value = ["in the tee"]
    tees = [itertools.tee([value])[0] for _ in range(100)]
    for tee in tees:
        next(tee)
    with leakgraph.snapshot() as snapshot:
        for tee in tees:
            [data] = [
                edge.node
                for edge in snapshot.find(tee).referents()
                if edge.node.type_name == "itertools._tee_dataobject"
            ]
            found = [edge for edge in data.referents() if edge.kind == "index"]
            assert [edge.node.address for edge in found] == [id(value)]


def test_values_of_an_array_iterator():
    numbers = array.array("i", [1])
    one = iter(numbers)
    with leakgraph.snapshot() as snapshot:
        assert held(snapshot, one)["array"] == id(numbers)


@pytest.mark.libraries
def test_functions_of_cython_show_their_attributes():
    """Getters such as that of `__defaults__` may make what they return.

    So this asks for the value after the capture, which keeps what is there.
    """
    pytest.importorskip("pandas")
    with leakgraph.snapshot() as snapshot:
        found = [
            edge
            for edge in snapshot.edges
            if edge.source.type_name.rpartition(".")[2]
            in {"cython_function_or_method", "fused_cython_function"}
        ]
        labels = collections.Counter(edge.label for edge in found)
        assert not [edge for edge in found if edge.kind in {"field", "reference"}]
        for name in (".__globals__", ".__defaults__", ".__kwdefaults__"):
            same = [
                getattr(function, name[1:]) is value
                for edge in found
                if edge.label == name
                for function, value in [living(edge)]
            ]
            assert same and all(same), (name, labels)
    assert labels[".__qualname__"] == labels["__class__"]


def living(edge):
    """Return the two objects of an edge, which live as long as their modules."""
    ends = edge.source.address, edge.target.address
    return [ctypes.cast(end, ctypes.py_object).value for end in ends]
