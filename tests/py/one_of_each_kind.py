"""One object of each kind whose references the capture names.

A factory returns the object and its expected references: {label: referent}. KINDS lists
the factories in order, and a test runs them on every Python version.
"""

import array
import asyncio
import builtins
import collections
import contextvars
import ctypes
import datetime
import decimal
import enum
import fractions
import functools
import io
import itertools
import operator
import pathlib
import queue
import re
import sys
import threading
import types
import uuid
import weakref
from xml.etree import ElementTree

KINDS = {}


def kind(function):
    KINDS[function.__name__] = function
    return function


class Thing:
    """Make a unique referent."""


class Plain:
    pass


class Slotted:
    __slots__ = ("__weakref__", "first", "second")


class SlottedChild(Slotted):
    __slots__ = ("third",)


class SlottedWithDict(Slotted):
    pass


def fresh(text):
    """Make a new str, which no constant shares."""
    return text + str(len(sys.argv) + 1000)


@kind
def instance():
    one = Plain()
    one.attribute = Thing()
    return one, {".attribute": one.attribute, "__class__": Plain}


@kind
def instance_with_its_dict():
    one = Plain()
    one.attribute = Thing()
    namespace = one.__dict__
    return one, {".__dict__": namespace}


@kind
def the_dict_of_an_instance():
    one = Plain()
    one.attribute = Thing()
    THE_OWNERS.append(one)
    return one.__dict__, {"['attribute']": one.attribute}


THE_OWNERS = []


@kind
def instance_with_replaced_dict():
    one = Plain()
    one.__dict__ = {"swapped": Thing()}
    return one, {".__dict__": one.__dict__}


@kind
def many_attributes():
    one = Plain()
    for i in range(40):
        setattr(one, f"attribute{i}", Thing())
    return one, {}


@kind
def slots():
    one = Slotted()
    one.first = Thing()
    return one, {".first": one.first, "__class__": Slotted}


@kind
def inherited_slots():
    one = SlottedChild()
    one.first, one.third = Thing(), Thing()
    return one, {".first": one.first, ".third": one.third}


@kind
def slots_and_dict():
    one = SlottedWithDict()
    one.second, one.attribute = Thing(), Thing()
    return one, {".second": one.second, ".attribute": one.attribute}


@kind
def private_name():
    class Private:
        __slots__ = ("__hidden",)

        def __init__(self):
            self.__hidden = Thing()

        def hidden(self):
            return self.__hidden

    one = Private()
    return one, {"._Private__hidden": one.hidden()}


@kind
def list_():
    one = [Thing(), Thing()]
    return one, {"[0]": one[0], "[1]": one[1]}


@kind
def long_list():
    shared = Thing()
    one = [shared] * 1000 + [Thing()]
    return one, {"[999]": shared, "[1000]": one[1000]}


@kind
def list_subclass():
    class Sub(list):
        pass

    one = Sub([Thing(), Thing()])
    one.attribute = Thing()
    return one, {"[0]": one[0], "[1]": one[1], ".attribute": one.attribute}


@kind
def long_list_subclass():
    class Sub(list):
        pass

    shared = Thing()
    one = Sub([shared, None] * 500)
    return one, {"[998]": shared}


@kind
def tuple_():
    one = (Thing(), Thing())
    return one, {"[0]": one[0], "[1]": one[1]}


@kind
def tuple_subclass():
    class Sub(tuple):
        pass

    one = Sub([Thing()])
    one.attribute = Thing()
    return one, {"[0]": one[0], ".attribute": one.attribute}


@kind
def named_tuple():
    one = collections.namedtuple("Pair", "left right")(Thing(), Thing())
    return one, {"[0]": one.left, "[1]": one.right}


@kind
def struct_sequence():
    one = sys.version_info
    return one, {"[3]": one.releaselevel}


@kind
def dict_of_str():
    key = fresh("key")
    one = {key: Thing()}
    return one, {f"['{key}']": one[key], f"key '{key}'": key}


@kind
def dict_of_anything():
    one = {7: Thing(), b"bytes": Thing(), None: Thing(), fresh("a"): Thing()}
    return one, {"[7]": one[7], "[b'bytes']": one[b"bytes"], "[None]": one[None]}


@kind
def dict_that_lost_items():
    one = {str(i): Thing() for i in range(20)}
    for i in range(19):
        del one[str(i)]
    return one, {"['19']": one["19"]}


@kind
def dict_subclass():
    class Sub(dict):
        pass

    one = Sub(first=Thing())
    one.attribute = Thing()
    return one, {"['first']": one["first"], ".attribute": one.attribute}


@kind
def default_dict():
    one = collections.defaultdict(Plain, first=Thing())
    return one, {"['first']": one["first"], ".default_factory": Plain}


@kind
def ordered_dict():
    key = fresh("key")
    one = collections.OrderedDict()
    one[key] = Thing()
    return one, {f"['{key}']": one[key], f"key '{key}'": key}


@kind
def ordered_dict_of_objects():
    key = Thing()
    one = collections.OrderedDict()
    one[key] = Thing()
    return one, {}


@kind
def counter():
    one = collections.Counter(a=3)
    return one, {}


@kind
def chain_map():
    one = collections.ChainMap({"a": Thing()})
    return one, {".maps": one.maps}


@kind
def set_():
    member = Thing()
    return {member}, {"element": member}


@kind
def frozen_set():
    member = Thing()
    return frozenset([member]), {"element": member}


@kind
def set_subclass():
    class Sub(set):
        pass

    one = Sub([Thing()])
    one.attribute = Thing()
    return one, {"element": next(iter(one)), ".attribute": one.attribute}


@kind
def deque():
    one = collections.deque([Thing(), Thing()], maxlen=5)
    return one, {"[0]": one[0], "[1]": one[1]}


@kind
def deque_subclass():
    class Sub(collections.deque):
        pass

    one = Sub([Thing()])
    one.attribute = Thing()
    return one, {"[0]": one[0], ".attribute": one.attribute}


@kind
def class_():
    class Base:
        pass

    class Derived(Base):
        member = Thing()

    namespaces = [
        space
        for space in __import__("gc").get_referents(Derived)
        if type(space) is dict and "member" in space
    ]
    return Derived, {
        ".__mro__": Derived.__mro__,
        ".__base__": Base,
        ".__bases__": Derived.__bases__,
        ".__dict__": namespaces[0],
    }


@kind
def class_with_metaclass():
    class Meta(type):
        pass

    class Made(metaclass=Meta):
        pass

    return Made, {"__class__": Meta}


@kind
def builtin_class():
    return int, {".__mro__": int.__mro__, ".__base__": object}


@kind
def function():
    def made(first=Thing(), *, second=Thing()) -> Plain:
        """Text of the function."""

    made.attribute = Thing()
    return made, {
        ".__code__": made.__code__,
        ".__defaults__": made.__defaults__,
        ".__kwdefaults__": made.__kwdefaults__,
        ".__doc__": made.__doc__,
        ".__annotations__": made.__annotations__,
        ".__dict__": made.__dict__,
        "__globals__": made.__globals__,
    }


@kind
def closure():
    captured = Thing()

    def inner():
        return captured

    return inner, {".__closure__": inner.__closure__}


@kind
def cell():
    captured = Thing()
    return (lambda: captured).__closure__[0], {".cell_contents": captured}


@kind
def lambda_():
    return (lambda: None), {}


@kind
def code():
    one = class_.__code__
    return one, {
        ".co_consts": one.co_consts,
        ".co_names": one.co_names,
        ".co_filename": one.co_filename,
    }


@kind
def bound_method():
    one = Plain()
    method = types.MethodType(fresh, one)
    return method, {".__self__": one, ".__func__": fresh}


@kind
def builtin_method():
    owner = [Thing()]
    return owner.append, {".__self__": owner}


@kind
def slot_wrapper():
    return object.__eq__, {".__objclass__": object}


@kind
def method_wrapper():
    one = Plain()
    return one.__eq__, {}


@kind
def method_descriptor():
    return list.append, {".__objclass__": list}


@kind
def member_descriptor():
    return Slotted.first, {".__objclass__": Slotted, ".__name__": "first"}


@kind
def getset_descriptor():
    return type.__dict__["__module__"], {".__objclass__": type}


@kind
def property_():
    def getter(self):
        return self

    one = property(getter, doc=fresh("doc"))
    return one, {".fget": getter, ".__doc__": one.__doc__}


@kind
def class_method():
    def function(cls):
        return cls

    return classmethod(function), {".__func__": function}


@kind
def static_method():
    def function():
        return None

    return staticmethod(function), {".__func__": function}


@kind
def module():
    one = types.ModuleType(fresh("module"))
    one.member = Thing()
    return one, {".__dict__": one.__dict__}


@kind
def extension_module():
    return sys.modules["_functools"], {}


@kind
def weak_reference():
    referent = Plain()
    THE_OWNERS.append(referent)

    def called(reference):
        return reference

    one = weakref.ref(referent, called)
    return one, {"weak referent": referent, ".__callback__": called}


@kind
def weak_proxy():
    referent = Plain()
    THE_OWNERS.append(referent)
    return weakref.proxy(referent), {"weak referent": referent}


@kind
def keyed_reference():
    referent = Plain()
    THE_OWNERS.append(referent)
    table = weakref.WeakValueDictionary(key=referent)
    THE_OWNERS.append(table)
    return table.data["key"], {"weak referent": referent, ".key": "key"}


@kind
def mapping_proxy():
    inner = {"a": Thing()}
    return types.MappingProxyType(inner), {}


@kind
def simple_namespace():
    one = types.SimpleNamespace(first=Thing())
    return one, {}


@kind
def partial():
    argument = Thing()
    one = functools.partial(fresh, argument, keyword=1)
    return one, {".func": fresh, ".args": one.args, ".keywords": one.keywords}


@kind
def lru_cache_bounded():
    @functools.lru_cache(maxsize=8)
    def cached(key):
        return result

    result = [Thing()]
    key = fresh("key")
    cached(key)
    return cached, {
        ".__wrapped__": cached.__wrapped__,
        f"['{key}']": result,
        f"key '{key}'": key,
    }


@kind
def lru_cache_unbounded():
    @functools.lru_cache(maxsize=None)
    def cached(key):
        return [key]

    cached(fresh("key"))
    return cached, {".__wrapped__": cached.__wrapped__}


@kind
def attribute_getter():
    return operator.attrgetter("a.b"), {}


@kind
def item_getter():
    item = Thing()
    return operator.itemgetter(item), {}


@kind
def memory_view():
    owner = bytearray(b"bytes")
    return memoryview(owner), {}


@kind
def array_():
    return array.array("d", [1.0]), {}


@kind
def slice_():
    start = Thing()
    return slice(start), {".stop": start}


@kind
def range_():
    one = range(10**20, 10**21)
    return one, {".start": one.start, ".stop": one.stop}


@kind
def iterator():
    items = [Thing()]
    return iter(items), {}


@kind
def dict_view():
    inner = {"a": Thing()}
    return inner.values(), {}


@kind
def dict_item_iterator():
    inner = {"a": Thing()}
    return iter(inner.items()), {}


@kind
def zipped():
    return zip([Thing()], [Thing()]), {}


@kind
def mapped():
    return map(fresh, [Thing()]), {}


@kind
def enumerated():
    return enumerate([Thing()]), {}


@kind
def chained():
    return itertools.chain([Thing()], [Thing()]), {}


@kind
def product():
    return itertools.product([Thing()], [Thing()]), {}


@kind
def grouped():
    return itertools.groupby([Thing()], fresh), {}


@kind
def teed():
    return itertools.tee([Thing()])[0], {}


def failing():
    local = Thing()
    raise ValueError(local)


def caught():
    try:
        try:
            failing()
        except ValueError as first:
            raise KeyError(fresh("missing")) from first
    except KeyError as error:
        return error


@kind
def exception():
    one = caught()
    one.attribute = Thing()
    return one, {
        ".args": one.args,
        ".__traceback__": one.__traceback__,
        ".__cause__": one.__cause__,
        ".__context__": one.__context__,
        ".__dict__": one.__dict__,
    }


@kind
def os_error():
    one = OSError(2, "text", fresh("file"))
    return one, {".filename": one.filename}


@kind
def stop_iteration():
    one = StopIteration(Thing())
    return one, {".value": one.value}


@kind
def traceback():
    one = caught().__cause__.__traceback__
    return one, {".tb_next": one.tb_next, ".tb_frame": one.tb_frame}


@kind
def finished_frame():
    trace = caught().__cause__.__traceback__.tb_next
    frame = trace.tb_frame
    return frame, {"local local": frame.f_locals["local"]}


@kind
def suspended_generator():
    def generate(argument):
        local = Thing()
        yield local
        yield argument

    argument = Thing()
    one = generate(argument)
    local = next(one)
    return one, {"local local": local, "local argument": argument}


@kind
def new_generator():
    def generate(argument):
        yield argument

    argument = Thing()
    return generate(argument), {"local argument": argument}


@kind
def finished_generator():
    def generate():
        yield 1

    one = generate()
    list(one)
    return one, {}


@kind
def delegating_generator():
    def inner():
        yield 1

    def outer(source):
        yield from source

    source = inner()
    one = outer(source)
    next(one)
    return one, {"local source": source}


@kind
def generator_expression():
    source = [Thing()]
    return (item for item in source), {}


@types.coroutine
def pause():
    yield


@kind
def coroutine():
    async def work(argument):
        local = [argument]
        await pause()
        return local

    argument = Thing()
    one = work(argument)
    one.send(None)
    THE_OWNERS.append(one)
    return one, {"local argument": argument}


@kind
def asynchronous_generator():
    async def generate(argument):
        yield argument

    argument = Thing()
    return generate(argument), {"local argument": argument}


@kind
def future():
    loop = asyncio.new_event_loop()
    one = loop.create_future()
    one.set_result(Thing())
    loop.close()
    return one, {}


@kind
def thread():
    one = threading.Thread(target=fresh, args=(Thing(),))
    return one, {"._target": fresh}


@kind
def lock():
    return threading.Lock(), {}


@kind
def condition():
    one = threading.Condition()
    return one, {"._lock": one._lock}


@kind
def thread_local():
    one = threading.local()
    one.attribute = Thing()
    return one, {}


@kind
def queue_():
    one = queue.Queue()
    one.put(Thing())
    return one, {".queue": one.queue}


@kind
def simple_queue():
    one = queue.SimpleQueue()
    one.put(Thing())
    return one, {}


@kind
def context_variable():
    return contextvars.ContextVar(fresh("variable"), default=Thing()), {}


@kind
def context():
    variable = contextvars.ContextVar("variable")
    variable.set(Thing())
    return contextvars.copy_context(), {}


@kind
def structure():
    class Struct(ctypes.Structure):
        _fields_ = [("number", ctypes.c_int), ("object", ctypes.py_object)]

    one = Struct()
    one.object = Thing()
    return one, {}


@kind
def callback():
    return ctypes.CFUNCTYPE(None)(lambda: None), {}


@kind
def time_with_zone():
    class Zone(datetime.tzinfo):
        pass

    zone = Zone()
    return datetime.datetime(2026, 1, 1, tzinfo=zone), {}


@kind
def pattern():
    one = re.compile(fresh("(?P<name>x)"))
    return one, {".pattern": one.pattern}


@kind
def match():
    text = fresh("x")
    one = re.compile("x").match(text)
    return one, {".re": one.re, ".string": text}


@kind
def text_stream():
    inner = io.BytesIO(b"bytes")
    one = io.TextIOWrapper(inner)
    return one, {}


@kind
def bytes_stream():
    one = io.BytesIO(b"bytes")
    one.attribute = Thing()
    return one, {}


@kind
def path():
    return pathlib.PurePosixPath("/a") / fresh("b"), {}


@kind
def decimal_():
    return decimal.Decimal(7), {}


@kind
def fraction():
    one = fractions.Fraction(10**20, 3)
    return one, {"._numerator": one.numerator}


@kind
def enumeration_member():
    class Colour(enum.Enum):
        RED = 7

    return Colour.RED, {"__class__": Colour}


@kind
def unique_id():
    one = uuid.uuid4()
    return one, {".int": one.int}


@kind
def generic_alias():
    return list[int], {}


@kind
def element():
    one = ElementTree.Element("tag", {"a": "b"})
    child = ElementTree.SubElement(one, "child")
    THE_OWNERS.append(child)
    return one, {}


@kind
def capsule():
    import datetime as library

    return library.datetime_CAPI, {}


@kind
def recursive_list():
    one = []
    one.append(one)
    return one, {"[0]": one}


if sys.version_info >= (3, 15):

    @kind
    def frozen_dict_of_str():
        key = fresh("key")
        one = builtins.frozendict({key: Thing()})
        return one, {f"['{key}']": one[key], f"key '{key}'": key}

    @kind
    def frozen_dict_of_anything():
        member = Thing()
        one = builtins.frozendict({7: Thing(), b"bytes": Thing(), member: Thing()})
        return one, {"[7]": one[7], "[b'bytes']": one[b"bytes"]}

    @kind
    def frozen_dict_of_an_instance():
        thing = instance()[0]
        one = builtins.frozendict(vars(thing))
        return one, {f"['{name}']": value for name, value in one.items()}

    @kind
    def frozen_dict_subclass():
        class Sub(builtins.frozendict):
            pass

        one = Sub(first=Thing())
        one.attribute = Thing()
        return one, {"['first']": one["first"], ".attribute": one.attribute}

    @kind
    def sentinel():
        return builtins.sentinel(fresh("MISSING")), {}

    @kind
    def sentinel_with_a_text():
        text = fresh("<missing>")
        return builtins.sentinel("MISSING", repr=text), {"repr": text}

    @kind
    def lazy_import():
        names = {}
        exec("lazy import json.tool", names)
        return names["json"], {"builtins": vars(builtins)}

    @kind
    def lazy_import_of_a_name():
        names = {}
        exec("lazy from json import tool", names)
        return names["tool"], {}
