"""Takes and drops things of each kind many times; memory and references stay level.

test_leaks.py runs this script, because other tests would change the figures.
"""

import contextlib
import gc
import resource
import sys
import sysconfig

import leakgraph

FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
OBJECT = {"losses": [object() for _ in range(10)], "text": "x" * 100}


def once():
    snapshot = leakgraph.snapshot()
    node = snapshot.find(OBJECT)
    list(node.referrers())
    list(node.referents())
    list(snapshot.roots[:5])
    snapshot.types(limit=5)
    snapshot.info()
    snapshot.threads()
    list(snapshot.select("type:dict")[:3])
    snapshot.column("size")[0]
    str(snapshot.show_refs(node))
    snapshot._repr_html_()
    str(leakgraph.show_refs(OBJECT, also=[[1]]))
    (cycle, *_) = snapshot.cycles(min_bytes=0)
    str(cycle), cycle.cut, cycle.path, cycle.types, list(cycle.edges[:3])
    str(snapshot.why(node)), snapshot.why(node).paths, snapshot.why(node).drawing
    list(snapshot.top(3)), snapshot.retained(node), snapshot.collectable()
    node.dominator, node.dominated, node.retained, str(snapshot.dominators())
    for wrong in ("no such selector", "type:no.such.Thing"):
        with contextlib.suppress(leakgraph.Error):
            snapshot.select(wrong)
    node = None
    with snapshot:
        pass


def level():
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        resident = int(file.read().split()[1]) * resource.getpagesize()
    names = [name for name in dir(leakgraph) if name[0] != "_"]
    # Each thread of a free-threaded build counts references to types apart.
    kinds = [] if FREE_THREADED else [getattr(leakgraph, name) for name in names]
    counts = [sys.getrefcount(kind) for kind in kinds]
    counts += [sys.getrefcount(OBJECT), sys.getrefcount(OBJECT["losses"])]
    # In a free-threaded 3.13, a count of blocks makes CPython keep freed memory.
    blocks = 0 if FREE_THREADED else sys.getallocatedblocks()
    return resident, counts, blocks, len(gc.get_objects())


def stretch(rounds):
    """Measure how memory, blocks and objects grow over so many rounds."""
    resident, counts, blocks, objects = level()
    for _ in range(rounds):
        once()
    resident_now, counts_now, blocks_now, objects_now = level()
    assert counts_now == counts, "reference counts moved"
    return resident_now - resident, blocks_now - blocks, objects_now - objects


def main(rounds):
    for _ in range(30):
        once()
    # A leak shows in each stretch. What is kept once, such as memory for the next
    # snapshot, shows in one of them, or in two if threads have to wait.
    each = rounds // 3
    grown = [min(figures) for figures in zip(*(stretch(each) for _ in "abc"))]
    assert grown[0] < each * 20_000, f"{grown[0]:,} bytes more in {each} rounds"
    assert grown[1] < each // 2, f"{grown[1]} blocks more"
    assert grown[2] < each // 10, f"{grown[2]} objects more"
    print("level")


if __name__ == "__main__":
    main(int(sys.argv[1]))
