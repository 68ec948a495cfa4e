"""Prints what a snapshot says of the lines that allocated; argument: a folder."""

import array
import json
import linecache
import sys
import tracemalloc
import types
from pathlib import Path

import leakgraph


class Session:
    def __init__(self, name):
        self.notes = [name + str(number) for number in range(20)]  # notes


class App:
    def __init__(self):
        self.sessions = {}

    def handle(self, number):
        self.sessions[number] = Session(f"user{number}")  # session


def load():
    import imported  # import

    return imported


def plug(number):
    plugin = types.ModuleType(f"plugin_{number}")
    plugin.TABLE = [f"{number} and {each}" for each in range(20)]  # rules
    sys.modules[plugin.__name__] = plugin


app = App()
before = [object() for _ in range(500)]
numbers, names, seen = [], {}, set()
packets, readings = bytearray(), array.array("d")
folder = Path(sys.argv[1])
(folder / "imported.py").write_text("def serve(request):\n    return [request]\n")
sys.path.insert(0, str(folder))
tracemalloc.start(16)
module = load()
for number in range(300):
    app.handle(1000 + number)
    plug(1000 + number)
sys.modules["plugin_1009"].TABLE += [f"own {each}" for each in range(50)]  # own
sys.modules["plugin_1007"].ALONE = [str(each) * 9 for each in range(50)]  # alone
for each in before:
    numbers.append(each)  # list
    names[each] = each  # dict
    seen.add(each)  # set
    packets += b"x" * 64  # bytearray
    readings.append(1.0)  # array
first, second = [], []
for _ in range(40):
    first.append(bytes(2000) + b"both")  # both
second += first
tables = {"list": (numbers, []), "dict": (names, {}), "set": (seen, set())}
tables["bytearray"] = (packets, bytearray())
tables["array"] = (readings, array.array("d"))

snapshot = leakgraph.snapshot(allocations=True)
leakgraph.save_snapshot(folder / "a.lgs", allocations=True)
snapshot.export(folder / "a.allocations.folded")
snapshot.report(folder / "a.html")


def mark_of(line):
    file, _, number = line.rpartition(":")
    return linecache.getline(file, int(number)).partition("#")[2].strip()


print(
    json.dumps(
        {
            "rows": [
                [mark_of(row.line), row.held_by, row.count, row.size.host]
                for row in snapshot.allocations(limit="all", mine=True)
                if row.line and row.held_by and mark_of(row.line)
            ],
            "shared": sorted(
                {
                    (mark_of(row.line), row.held_by)
                    for row in snapshot.allocations(limit="all", mine=True)
                    if row.line and row.held_by and row.shared
                }
            ),
            "text": str(snapshot.allocations(limit="all", mine=True)),
            "tables": {
                name: sys.getsizeof(full) - sys.getsizeof(empty)
                for name, (full, empty) in tables.items()
            },
            "now": len(leakgraph.allocations(limit=3)) > 0,
            "why": snapshot.why(app.sessions[1000]).allocated,
            "file": leakgraph.load(folder / "a.lgs").allocations().traced,
            "importing": [
                row.line
                for row in snapshot.allocations(limit="all")
                if row.line and "frozen importlib" in row.line
            ],
            "before": [
                path
                for path in (row.held_by for row in snapshot.allocations(limit="all"))
                if path and path.startswith("__main__.before")
            ],
        }
    )
)
