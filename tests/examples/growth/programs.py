"""Programs that leak at a known rate, that move and are honest, and that do both.

Each is a function that prepares `program`, and returns what a step of it does. The
decorator says what diff() must find first: a holder (`*` stands for any text), and the
verdict. How many bytes a step adds is `program.rate`, or what tracemalloc counts.
"""

import asyncio
import collections
import contextlib
import contextvars
import ctypes
import functools
import heapq
import io
import itertools
import json
import logging
import queue
import random
import re
import sqlite3
import sys
import threading
import time
import traceback
import types
import uuid
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

#: By name: the function, and what is known of it.
PROGRAMS = {}
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.mmap.restype = ctypes.c_void_p
libc.pthread_self.restype = ctypes.c_void_p
libc.mmap.argtypes = [
    ctypes.c_void_p,
    ctypes.c_size_t,
    *[ctypes.c_int] * 3,
    ctypes.c_long,
]
libc.free.argtypes = [ctypes.c_void_p]
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
#: How many bytes more a list or deque takes for a reference, in the long run.
REFERENCE = 8


def tell(
    kind, holder="", verdict="accumulates", calls=100, library="", rows=1, beside=""
):
    """Note what diff() must find: the first row, and at most so many rows.

    beside: what also grows; native memory in step with it may be told as its holder's.
    """

    def note(make):
        make.kind, make.holder, make.verdict = kind, holder, verdict
        make.calls, make.library, make.rows = calls, library, rows
        make.beside = beside
        PROGRAMS[make.__name__] = make
        return make

    return note


leaks = functools.partial(tell, "leaks")
mixed = functools.partial(tell, "mixed")
honest = functools.partial(tell, "honest")
native = functools.partial(tell, "native", verdict="native", calls=20)


class Record:
    __slots__ = ("data",)

    def __init__(self, size):
        self.data = b"x" * size


def size_of(record):
    return sys.getsizeof(record) + sys.getsizeof(record.data)


class Cell:
    __slots__ = ("data", "next")

    def __init__(self, data, following):
        self.data = data
        self.next = following


class Session:
    def __init__(self, number):
        self.number = number
        self.log = [f"line {number} {i}" for i in range(60)]


def in_each_thread(pool, count, work):
    """Let each of so many threads do the work once."""
    together = threading.Barrier(count)

    def once(_):
        together.wait()
        work()

    list(pool.map(once, range(count)))


def use_and_free(size):
    """Fill what glibc keeps of a thread's freed blocks of that size."""
    for block in [libc.malloc(size) for _ in range(7)]:
        libc.free(block)


@leaks("program.history[*]")
def every_record_stays_in_a_list(program):
    program.history = []
    program.rate = size_of(Record(2000)) + REFERENCE
    return lambda number: program.history.append(Record(2000))


@leaks("program.cache[*]")
def a_cache_without_a_limit(program):
    program.cache = {}

    def step(number):
        program.cache[f"key {number}"] = b"x" * (4000 + number % 2)

    return step


@leaks("shop.__compiled_fn_*")
def functions_that_a_compiler_makes_anew(program):
    """Each has a name of its own, and torch keeps more for each."""
    shop, guards = types.ModuleType("shop"), types.ModuleType("torch._dynamo.guards")
    sys.modules.update({"shop": shop, "torch._dynamo.guards": guards})
    guards.all, guards.local = [], threading.local()
    guards.local.edits = []

    def step(number):
        weights = Record(3000 + number % 2)

        def forward():
            return weights

        name = f"__compiled_fn_{number}_{uuid.uuid4()}".replace("-", "_")
        vars(shop)[name] = forward
        guards.all.append(Record(500 + number % 2))
        guards.local.edits.append(Record(300 + number % 2))
        contextvars.ContextVar(name).set(Record(200 + number % 2))

    return step


@leaks("thread MainThread context variables[*]")
def variables_of_a_context(program):
    """How the context's mapping branches is nobody's growth."""

    def step(number):
        contextvars.ContextVar(f"variable {number}").set(Record(2000 + number % 2))

    return step


@leaks("program.locks[*]")
def locks_with_their_semaphores(program):
    program.locks = []
    return lambda number: program.locks.extend(threading.Lock() for _ in range(20))


@leaks("program.scope.maps[*]")
def scopes_that_are_entered_and_never_left(program):
    program.scope = collections.ChainMap()

    def step(number):
        program.scope = program.scope.new_child({"value": b"x" * (3000 + number % 2)})

    return step


@leaks("program.answer.cache[*]")
def answers_that_are_cached_for_ever(program):
    program.answer = functools.lru_cache(maxsize=None)(
        lambda number: b"x" * (3000 + number % 2)
    )
    return lambda number: program.answer(number)


@leaks("program.seen[*]", calls=250)
def a_set_whose_table_grows_by_jumps(program):
    program.seen = set()
    # A set has a slot of 16 bytes for each element, and 0.6 of them are in use before
    # it takes a larger table.
    one = (1000, bytes(300))
    program.rate = sys.getsizeof(one) + sum(map(sys.getsizeof, one)) + 16 / 0.6
    return lambda number: program.seen.add((1000 + number, bytes(300)))


@leaks("program.made[*]", calls=300)
def small_classes_in_a_list(program):
    program.made = []

    def step(number):
        program.made.append(type(f"Made{number}", (), {"data": b"x" * 500}))

    return step


@leaks("program.frames[*]", calls=100, library="pandas")
def frames_that_nobody_drops(program):
    import pandas

    program.frames = []

    def step(number):
        program.frames.append(pandas.DataFrame({"a": range(200)}))

    return step


@leaks("program.head.next")
def each_element_refers_to_the_one_before(program):
    program.head = None

    def step(number):
        program.head = Cell(b"x" * (1000 + number % 2), program.head)

    return step


@leaks("program.buffer", verdict="grows in place")
def bytes_that_nobody_empties(program):
    program.buffer = b""
    program.rate = 5000

    def step(number):
        program.buffer = program.buffer + b"x" * 5000

    return step


@leaks("program.sessions[*]")
def instances_in_a_dict_keyed_by_id(program):
    program.sessions = {}

    def step(number):
        session = Session(number)
        program.sessions[id(session)] = session

    return step


@leaks("program.load*")
def a_function_that_caches_without_a_limit(program):
    @functools.lru_cache(maxsize=10**9)
    def load(number):
        return [float(number)] * 500

    program.load = load
    return lambda number: program.load(number)


@leaks("*.handlers[*]")
def a_handler_for_each_request(program):
    log = logging.getLogger("app.requests")

    def step(number):
        handler = logging.NullHandler()
        handler.options = [float(number)] * 500
        log.addHandler(handler)

    return step


@leaks("*.loggerDict[*]")
def a_logger_for_each_request(program):
    def step(number):
        logging.getLogger(f"request-{number}").options = [float(number)] * 500

    return step


@leaks("program.log.buffer[*]")
def records_that_no_handler_flushes(program):
    from logging.handlers import MemoryHandler

    program.log = MemoryHandler(10**9, flushLevel=logging.CRITICAL + 1)
    log = logging.Logger("app")
    log.addHandler(program.log)
    return lambda number: log.warning("request %s", "x" * 500 + str(number))


@leaks("thread Thread-*", calls=10, rows=5)
def threads_that_wait_forever(program):
    program.rate = sys.getsizeof(b"x" * 300_000)

    def wait(ready):
        data = b"x" * 300_000
        ready.set()
        threading.Event().wait()
        return data

    def step(number):
        ready = threading.Event()
        threading.Thread(target=wait, args=(ready,), daemon=True).start()
        ready.wait()

    return step


@leaks("program.waiting[*]")
def tasks_whose_future_nobody_sets(program):
    loop = asyncio.new_event_loop()
    program.waiting = []
    program.loop = loop

    async def request(number):
        data = bytes(3000)
        program.waiting.append(loop.create_future())
        await program.waiting[-1]
        return data

    async def serve(number):
        # The loop refers to the task by a weak reference only, its future does not.
        program.latest = loop.create_task(request(number))
        await asyncio.sleep(0)

    return lambda number: loop.run_until_complete(serve(number))


@leaks("program.handler*")
def a_function_that_is_wrapped_again_and_again(program):
    def wrap(inner):
        label = bytes(500)

        def outer():
            return label, inner

        return outer

    program.handler = print

    def step(number):
        program.handler = wrap(program.handler)

    return step


@leaks("program.readers[*]")
def generators_that_are_never_finished(program):
    program.readers = []

    def read(number):
        lines = ["x" * 100 + str(number + i) for i in range(10)]
        yield from lines

    def step(number):
        program.readers.append(read(number))
        next(program.readers[-1])

    return step


@leaks("program.errors[*]")
def exceptions_with_their_tracebacks(program):
    program.errors = []

    def fail(number):
        data = bytes(5000)
        raise ValueError(len(data))

    def step(number):
        try:
            fail(number)
        except ValueError as error:
            program.errors.append(error)

    return step


@leaks("program.listeners[*]")
def bound_methods_in_a_registry(program):
    program.listeners = []

    class View:
        def __init__(self):
            self.pixels = bytes(2000)

        def refresh(self):
            pass

    def step(number):
        program.listeners.append(View().refresh)

    return step


@leaks("weakref.finalize._registry[*]")
def finalizers_of_what_never_dies(program):
    program.anchor = Session(0)

    def step(number):
        weakref.finalize(program.anchor, print, bytes(2000))

    return step


@leaks("program.types[*]")
def a_class_for_each_call(program):
    program.types = []

    def step(number):
        program.types.append(type("Row", (), {"template": bytes(9000)}))

    return step


@leaks("program.queue.queue[*]")
def a_queue_that_nobody_reads(program):
    program.queue = queue.Queue()
    return lambda number: program.queue.put({"body": "x" * 1000 + str(number)})


@leaks("program.tree*")
def a_tree_that_only_grows(program):
    order = random.Random(3)
    program.tree = None

    def step(number):
        node = [order.random(), bytes(1000), None, None]
        if program.tree is None:
            program.tree = node
            return
        at = program.tree
        while True:
            side = 2 if node[0] < at[0] else 3
            if at[side] is None:
                at[side] = node
                return
            at = at[side]

    return step


@leaks("garbage*", verdict="garbage piles up")
def cycles_without_a_collector(program):
    import gc

    program.collects = False
    gc.disable()

    def step(number):
        session = Session(number)
        session.itself = session

    return step


@leaks("program.rows[*]")
def rows_of_a_database(program):
    database = sqlite3.connect(":memory:")
    database.execute("create table t (a text)")
    database.execute("insert into t values (?)", ("x" * 1000,))
    program.rows = []

    def step(number):
        program.rows += database.execute("select a, a from t").fetchall()

    return step


@leaks("*figs[*]", calls=4, library="matplotlib.pyplot")
def figures_that_are_never_closed(program):
    import matplotlib.pyplot as plt

    plt.rcParams["figure.max_open_warning"] = 0

    def step(number):
        plt.subplots()[1].plot(range(10))

    return step


@leaks("program.losses[*]", calls=8, library="torch")
def losses_that_keep_their_graph(program):
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.Tanh())
    program.losses = []
    # The input, for the gradient of the weights, and the output of tanh.
    program.rate = 2 * 512 * 256 * 4

    def step(number):
        program.losses.append(model(torch.rand(512, 256)).sum())

    return step


@leaks("program.total", calls=8, library="torch")
def a_total_that_keeps_the_graph_of_each_step(program):
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.Tanh())
    program.total = torch.zeros(())
    program.rate = 2 * 512 * 256 * 4

    def step(number):
        program.total = program.total + model(torch.rand(512, 256)).sum()

    return step


@leaks("program.frames[*]", calls=20, library="pandas")
def frames_of_every_batch(program):
    import pandas

    program.frames = []
    program.rate = 20_000 * 4 * 8

    def step(number):
        rows = {name: [float(number)] * 20_000 for name in "abcd"}
        program.frames.append(pandas.DataFrame(rows))

    return step


@honest()
def a_ring_that_was_full_long_ago(program):
    program.ring = collections.deque(maxlen=20)
    return lambda number: program.ring.append(Record(3000))


@honest()
def a_ring_that_fills(program):
    program.ring = collections.deque(maxlen=150)
    return lambda number: program.ring.append(Record(3000))


@honest()
def a_buffer_that_is_flushed_now_and_then(program):
    program.batch = []

    def step(number):
        program.batch.append(Record(1000))
        if len(program.batch) >= 37:
            program.batch.clear()

    return step


@honest()
def a_cache_with_a_limit(program):
    program.load = functools.lru_cache(maxsize=30)(lambda number: Record(1000))
    return lambda number: program.load(number)


@honest()
def parsing_matching_and_tracebacks(program):
    def step(number):
        json.loads(json.dumps({"a": [number, str(number)]}))
        re.compile(f"a{number % 40}b+").match("a1bb")
        try:
            json.loads("{")
        except ValueError:
            traceback.format_exc()

    return step


@honest()
def a_server_that_finishes_its_requests(program):
    loop = asyncio.new_event_loop()
    program.loop = loop

    async def request(number):
        data = [b"x" * 100 for _ in range(number % 50)]
        await asyncio.sleep(0)
        return len(data)

    async def serve(number):
        await asyncio.gather(*(request(number + i) for i in range(5)))

    return lambda number: loop.run_until_complete(serve(number))


@honest()
def logging_that_formats_and_forgets(program):
    log = logging.getLogger("app")
    log.addHandler(logging.FileHandler("/dev/null"))
    log.setLevel(logging.INFO)

    def step(number):
        log.info("request %d of %s", number, "x" * 100)
        with contextlib.suppress(ZeroDivisionError):
            try:
                number // 0
            except ZeroDivisionError:
                log.exception("failed")
                raise

    return step


@honest()
def a_pool_of_threads(program):
    program.pool = ThreadPoolExecutor(4)

    def step(number):
        list(program.pool.map(lambda size: b"x" * size, range(20)))

    return step


@honest(calls=10)
def threads_whose_caches_of_freed_blocks_fill(program):
    """Each step frees blocks of a size that was not used before."""
    pool = ThreadPoolExecutor(8)
    return lambda number: in_each_thread(
        pool, 8, lambda: use_and_free(1000 - 16 * number)
    )


@honest()
def a_table_that_is_replaced(program):
    program.table = {}

    def step(number):
        if number % 10 == 0:
            program.table = {i: Record(500) for i in range(40 + number % 7)}

    return step


@honest(calls=10, library="torch._dynamo")
def a_right_training_loop(program):
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.Linear(32, 1))
    optimizer = torch.optim.AdamW(model.parameters())
    program.model, program.losses = model, collections.deque(maxlen=5)

    def step(number):
        optimizer.zero_grad()
        loss = model(torch.rand(16, 32)).square().mean()
        loss.backward()
        optimizer.step()
        program.losses.append(loss.item())

    return step


@honest(calls=4, library="matplotlib.pyplot")
def figures_that_are_closed(program):
    import matplotlib.pyplot as plt

    def step(number):
        figure, axes = plt.subplots()
        axes.plot(range(10), label=f"run {number}")
        axes.set_title(f"step {number}")
        axes.legend()
        figure.savefig(io.BytesIO(), format="png", dpi=40)
        plt.close(figure)

    return step


@honest(calls=10, library="pandas")
def frames_that_are_grouped_and_dropped(program):
    import pandas

    def step(number):
        frame = pandas.DataFrame({"a": range(100), "b": ["x", "y"] * 50})
        frame["c"] = frame["a"] * number
        frame.groupby("b").sum().merge(frame, on="b").describe()

    return step


@honest(calls=350)
def tuples_that_wait_to_be_used_again(program):
    """What becomes shorter leaves one of its last size in CPython's free lists."""
    program.collects = False

    def step(number):
        for size in range(1, 6):
            tuple(each for each in range(size))

    return step


@mixed("program.kept[*]")
def a_leak_beside_a_ring(program):
    program.ring = collections.deque(maxlen=150)
    program.kept = []
    program.rate = size_of(Record(1500)) + REFERENCE

    def step(number):
        program.ring.append(Record(200))
        program.kept.append(Record(1500))

    return step


@mixed("program.sessions[*]")
def a_leak_under_noise(program):
    order = random.Random(1)
    program.sessions, program.busy = {}, []
    program.rate = size_of(Record(2500)) + sys.getsizeof(10**6) + 100

    def step(number):
        program.sessions[10**6 + number] = Record(2500)
        program.busy = [Record(500) for _ in range(order.randrange(50))]

    return step


@mixed("program.logs[*]")
def handlers_that_leave_their_log_behind(program):
    program.logs, program.handlers = [], {}
    program.rate = sys.getsizeof([0]) + size_of(Record(1800)) + REFERENCE

    def step(number):
        program.handlers[number % 5] = Record(700)
        program.logs.append([Record(1800)])

    return step


@mixed("program.users[*].visits[*]")
def a_list_in_each_of_some_users(program):
    program.users = [types.SimpleNamespace(visits=[]) for _ in range(7)]
    program.rate = sys.getsizeof("x" * 700) + REFERENCE
    program.cache = functools.lru_cache(maxsize=64)(lambda number: Record(1000))

    def step(number):
        program.users[number % 7].visits.append("x" * (700 - number % 2))
        program.cache(number)

    return step


@mixed("program.results[*]")
def results_of_a_pool_of_threads(program):
    program.pool, program.results = ThreadPoolExecutor(4), {}
    program.rate = sys.getsizeof(b"x" * 2000) + 28 + 100

    def step(number):
        data = program.pool.submit(lambda: b"x" * (2000 + number % 2)).result()
        program.results[number + 10**6] = data

    return step


@mixed("program.open[*]")
def a_server_that_registers_and_finishes(program):
    loop = asyncio.new_event_loop()
    program.loop, program.open = loop, set()
    program.rate = size_of(Record(3000)) + 50

    async def request(number):
        program.open.add(Record(3000))
        await asyncio.sleep(0)

    return lambda number: loop.run_until_complete(request(number))


@mixed("program.late[*]")
def priorities_that_only_get_more(program):
    program.late, numbers = [], itertools.count()
    program.rate = sys.getsizeof((0, 0, 0)) + 16 + sys.getsizeof(bytes(900)) + 56 + 8

    def step(number):
        heapq.heappush(program.late, (number, 10**6 + next(numbers), bytes(900)))
        if number % 3 == 0:
            program.busy = heapq.nsmallest(10, program.late)

    return step


@mixed("program.kept[*]", calls=10, library="torch._dynamo")
def a_training_loop_that_keeps_activations(program):
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.Linear(64, 1))
    optimizer = torch.optim.AdamW(model.parameters())
    program.model, program.kept = model, []
    model[0].register_forward_hook(lambda *a: program.kept.append(a[2].detach()))
    program.rate = 256 * 64 * 4

    def step(number):
        optimizer.zero_grad()
        model(torch.rand(256, 64)).square().mean().backward()
        optimizer.step()

    return step


@mixed("program.columns[*]", calls=10, library="pandas")
def a_column_of_each_frame(program):
    import pandas

    program.columns = []
    program.rate = 20_000 * 8

    def step(number):
        frame = pandas.DataFrame({"a": range(100), "b": ["x", "y"] * 50})
        frame.groupby("b").sum().merge(frame, on="b")
        program.columns.append(pandas.Series([float(number)] * 20_000))

    return step


@mixed("program.images[*]", calls=4, library="matplotlib.pyplot")
def figures_that_are_closed_but_drawn_to_memory(program):
    import matplotlib.pyplot as plt

    program.images = []

    def step(number):
        figure, axes = plt.subplots()
        axes.plot(range(10))
        buffer = io.BytesIO()
        figure.savefig(buffer, format="raw", dpi=50)
        program.images.append(buffer.getvalue())
        plt.close(figure)

    program.rate = 320 * 240 * 4 + 33
    return step


#: What grows beside objects in the same allocator.
OF_ALLOCATORS = (
    "memory that no object explains",
    "small blocks of Python that no object explains",
)


@native("memory that no object explains")
def an_extension_that_never_frees(program):
    program.rate = 20_000 + 16
    return lambda number: libc.memset(libc.malloc(20_000), 1, 20_000)


@native("memory that no object explains")
def threads_that_never_free(program):
    pool = ThreadPoolExecutor(8)
    program.rate = 8 * 1008

    def lose():
        use_and_free(500)
        libc.malloc(1000)

    return lambda number: in_each_thread(pool, 8, lose)


@native("small blocks of Python that no object explains")
def small_blocks_that_an_extension_never_frees(program):
    allocate = ctypes.pythonapi.PyObject_Malloc
    allocate.restype = ctypes.c_void_p
    allocate.argtypes = [ctypes.c_size_t]
    program.rate = 20 * 96

    def step(number):
        for _ in range(20):
            allocate(90)

    return step


# The weak references to its cursors pile up in a connection, too.
@native("memory that no object explains", rows=2, beside="*database*")
def pages_that_sqlite_keeps(program):
    database = sqlite3.connect(":memory:")
    database.execute("create table t (a blob)")
    size = database.execute("pragma page_size").fetchone()[0]
    program.measure = lambda: size * database.execute("pragma page_count").fetchone()[0]
    return lambda number: database.execute(
        "insert into t values (randomblob(40000))"
    ).close()


@native("mapped memory that no object explains")
def mappings_that_nobody_unmaps(program):
    size = program.rate = 512 << 10

    def step(number):
        private_and_anonymous = 0x22
        address = libc.mmap(None, size, 3, private_and_anonymous, -1, 0)
        libc.memset(address, 1, size)

    return step


@native("stacks of threads", rows=12)
def a_thread_that_calls_deeper_and_deeper(program):
    sys.setrecursionlimit(100_000)
    go, done = threading.Semaphore(0), threading.Semaphore(0)
    top = []

    def dive(depth):
        # Sorting calls in C, which takes stack in all versions.
        if depth % 10 == 0:
            done.release()
            go.acquire()
        sorted([0], key=lambda _: dive(depth + 1))

    def start():
        top[:] = libc.pthread_self(), threading.get_native_id()
        dive(1)

    def settle():
        """Until the thread waits: while it runs, nobody sees where its stack ends."""
        done.acquire()
        path = Path(f"/proc/self/task/{top[1]}/syscall")
        time.sleep(0.002)
        while path.read_text().startswith("running"):
            time.sleep(0.002)

    def resident():
        """Of the mapping that the thread's stack lies in, as the kernel counts."""
        inside = False
        with open("/proc/self/smaps") as lines:
            for line in lines:
                words = line.split()
                if "-" in words[0]:
                    first, last = (int(word, 16) for word in words[0].split("-"))
                    inside = first <= top[0] < last
                elif inside and words[0] == "Rss:":
                    return 1024 * int(words[1])
        raise LookupError("a thread without a stack")

    def step(number):
        go.release()
        settle()

    program.measure = resident
    threading.Thread(target=start, daemon=True).start()
    settle()
    return step
