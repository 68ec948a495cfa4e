"""Captures by one thread and by two find the same of every object.

A capture of so many objects uses a second thread if there are two processors.
"""

import gc
import os
import threading
import time

import leakgraph

CPUS = sorted(os.sched_getaffinity(0))
KINDS = (
    "def f{n}(first, second=None):\n    def inner{n}():\n        return first\n"
    "    return inner{n}\n"
    "class C{n}:\n    'A class.'\n    def method_{n}(self): return self.field_{n}\n"
)


def make_heap():
    """Parts of a program, keys of all kinds, and objects that refer to nothing."""
    heap = {"functions": {"__name__": "app"}, "tables": [], "texts": []}
    for n in range(3000):
        exec(KINDS.format(n=n), heap["functions"])
        function = heap["functions"][f"f{n}"]
        heap["tables"].append({f"made by {n}": function(n), ("part", f"key {n}"): n})
    for n in range(10_000):
        key = "k" * (n % 80) + f" {n}" if n % 3 else f"clé {n}"
        heap["tables"].append({key: [n], f"name_{n}": None, b"%d" % n: {n}})
        heap["texts"].append(f"no key {n}")
    # The collector does not track these tuples, so a walk meets one after the other,
    # and the code object as its last part of the program.
    heap["last"] = compile("", "last.py", "exec")
    for _ in range(10_000):
        heap["last"] = (heap["last"],)
    return heap


def keep_locals(count):
    """Start threads that have data of their own, and wait until they wait."""
    local, ready, done = (
        threading.local(),
        threading.Barrier(count + 1),
        threading.Event(),
    )

    def run(number):
        local.numbers = [number]
        local.itself = local if number % 2 else None
        mine.append(local.__dict__)
        ready.wait()
        done.wait()

    mine = []
    for number in range(count):
        threading.Thread(target=run, args=(number,), daemon=True).start()
    ready.wait()
    while len(done._cond._waiters) < count:
        time.sleep(0.001)
    return local, mine, done


def objects_of(heap):
    """All objects below the heap, by breadth."""
    found = {id(heap): heap}
    queue = [heap]
    for thing in queue:
        if type(thing).__name__ == "hamt":
            continue  # that of an empty context is static: no capture enters it
        for referent in gc.get_referents(thing):
            if id(referent) not in found and referent is not __builtins__:
                found[id(referent)] = referent
                queue.append(referent)
    return queue


def capture(cpus, **options):
    """A snapshot by a process with so many processors; whether others helped."""
    os.sched_setaffinity(0, CPUS[:cpus])
    process, thread = time.process_time(), time.thread_time()
    snapshot = leakgraph.snapshot(**options)
    others = time.process_time() - process - (time.thread_time() - thread)
    return snapshot, others > 0.002


def look(snapshot, things):
    """What the snapshot says of each object."""
    size, flags, found, count = map(
        snapshot.column, ("size", "node_flags", "found", "refcount")
    )
    for thing in things:
        # A str may be a selector. The address names this object, whatever its text is.
        node = snapshot.find(hex(id(thing)) if type(thing) is str else thing)
        i = node.index
        missing = count[i] - found[i] if gc.is_tracked(thing) else None
        yield (
            node.text,
            node.label,
            size[i],
            flags[i],
            missing,
            sorted(edge.label for edge in node.referents()[:40]),
        )


def main():
    heap = make_heap()
    heap["locals"] = keep_locals(6)
    gc.collect()
    for options in ({}, {"keys": False}, {"previews": True}):
        leakgraph.snapshot(**options).close()  # the next one knows how many there are
        alone, helped = capture(1, **options)
        assert not helped
        beside, helped = capture(len(CPUS), **options)
        assert helped == (len(CPUS) > 1)
        # A list of all objects would have been a short way to each.
        things = [thing for thing in objects_of(heap) if type(thing) is not type]
        assert len(things) > 150_000
        for one, other in zip(look(alone, things), look(beside, things)):
            assert one == other, (one, other)
        function = heap["functions"]["f7"]
        assert beside.find(function).text == "app.f7"
        assert beside.find(function.__code__).text.startswith("f7 <string>:1")
        del things
        alone.close()
        beside.close()


main()
print("fine")
