"""Makes ten heaps of everyday programs, and saves a snapshot of each.

    python bench/heaps.py FOLDER [--objects 1500000] [--only NAME ...]

Each heap is made in a process of its own and saved as FOLDER/NAME.lgs, about so many
objects each, and with the libraries that it needs. The heaps are the same in each run,
apart from addresses. `bench/encoding.c` reads the files.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import functools
import json
import random
import sqlite3
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Optional
from xml.etree import ElementTree

import heap
from capture import in_new_process

import leakgraph

Save = Callable[[object], None]


def ordered(objects: int, save: Save) -> None:
    """Records that refer to their neighbours."""
    save(heap.records(objects, shuffled=False))


def shuffled(objects: int, save: Save) -> None:
    """Records that refer to any others."""
    save(heap.records(objects, shuffled=True))


def libraries(objects: int, save: Save) -> None:
    """A process of torch, pandas and matplotlib with a model, a frame and figures."""
    pandas = import_module("pandas")
    torch = import_module("torch")
    pyplot = import_module("matplotlib.pyplot")
    model = torch.nn.Sequential(*(torch.nn.Linear(8, 8) for _ in range(200)))
    more = range(max(objects - 1_000_000, 0) // 27_000)
    pyplot.rcParams["figure.max_open_warning"] = 0
    figures = [pyplot.subplots(4, 4) for _ in more]
    frame = pandas.DataFrame({"a": range(1000), "b": [str(i) for i in range(1000)]})
    save((model, figures, frame))


def service(objects: int, save: Save) -> None:
    """An application of starlette, with sessions and orders as models of pydantic."""
    pydantic = import_module("pydantic")
    applications, responses, routing = (
        import_module(f"starlette.{name}")
        for name in ("applications", "responses", "routing")
    )
    model = pydantic.create_model
    item = model("Item", number=(int, ...), title=(str, ...), price=(float, ...))
    order_of = model(
        "Order",
        number=(int, ...),
        items=(list[item], ...),  # type: ignore[valid-type]
        state=(str, "open"),
        note=(Optional[str], None),
    )

    class Session:
        def __init__(self, number: int) -> None:
            self.token = f"{number * 7919:032x}"
            self.user = {"id": number, "email": f"user{number}@example.org"}
            self.orders = [order(number + i) for i in range(2)]
            self.headers = [(b"host", b"example.org"), (b"x-request-id", self.token)]

    @functools.cache
    def order(number: int) -> object:
        items = [item(number=number + i, title=f"item {i}", price=i) for i in range(3)]
        return order_of(number=number + 1_000_000, items=items)

    async def answer(request: object) -> object:
        return responses.JSONResponse({"request": str(request)})

    routes = [routing.Route(f"/orders/{i}", answer) for i in range(500)]
    app = applications.Starlette(routes=routes)
    app.state.sessions = {
        session.token: session for session in map(Session, range(objects // 70))
    }
    save(app)


def tasks(objects: int, save: Save) -> None:
    """Tasks of asyncio, each of which waits for its turn and its result."""

    async def work(number: int, turn: asyncio.Event, results: dict[int, str]) -> None:
        request = {"number": number, "path": f"/path/{number}"}
        await step(request, turn)
        results[number] = str(request)

    async def step(request: dict[str, object], turn: asyncio.Event) -> None:
        deadline = [request, "deadline", 0.5]
        await turn.wait()
        deadline.clear()

    async def run() -> None:
        turn, results = asyncio.Event(), dict[int, str]()
        count = objects // 18
        waiting = [asyncio.create_task(work(i, turn, results)) for i in range(count)]
        await asyncio.sleep(0)
        save(waiting)
        turn.set()
        await asyncio.gather(*waiting)

    asyncio.run(run())


def documents(objects: int, save: Save) -> None:
    """Parsed JSON: dicts, lists and strings."""
    chance = random.Random(2)

    def document(number: int) -> dict[str, object]:
        person = {"name": f"name {number}", "age": number % 90, "mail": None}
        places = [
            {"street": f"street {chance.randrange(9999)}", "zip": f"{i:05}"}
            for i in range(chance.randrange(4))
        ]
        return {
            "id": f"{number:08x}",
            "person": person,
            "places": places,
            "scores": [chance.random() for _ in range(chance.randrange(6))],
            "active": number % 3 == 0,
            f"extra {number % 50}": {"x": number, "tags": ["a", "b", str(number)]},
        }

    save(json.loads(json.dumps([document(i) for i in range(objects // 22)])))


def tables(objects: int, save: Save) -> None:
    """Rows of a database, and elements of an XML document."""
    connection = sqlite3.connect(":memory:")
    connection.execute(
        "create table people (id integer, name text, place text, x real)"
    )
    connection.executemany(
        "insert into people values (?, ?, ?, ?)",
        (
            (i + 1000, f"name {i}", f"place {i % 100}", i * 0.5)
            for i in range(objects // 10)
        ),
    )
    rows = connection.execute("select * from people").fetchall()
    root = ElementTree.Element("people")
    for number, name, place, _x in rows:
        person = ElementTree.SubElement(root, "person", {"id": str(number)})
        ElementTree.SubElement(person, "name").text = name
        ElementTree.SubElement(person, "place").text = place
    parsed = ElementTree.fromstring(ElementTree.tostring(root))
    root.clear()
    save((connection, rows, parsed))


def trees(objects: int, save: Save) -> None:
    """Syntax trees of the modules of the standard library."""
    folder = Path(json.__file__).parents[1]
    parsed: list[ast.AST] = []
    count = 0
    for file in sorted(folder.rglob("*.py")):
        if count > objects // 3:
            break
        try:
            parsed.append(ast.parse(file.read_bytes()))
        except (SyntaxError, ValueError):
            continue
        count += sum(1 for _ in ast.walk(parsed[-1]))
    save(parsed)


def networks(objects: int, save: Save) -> None:
    """A graph of networkx with attributes."""
    networkx = import_module("networkx")
    nodes = objects // 16
    graph = networkx.gnm_random_graph(nodes, 4 * nodes, seed=3)
    for number in graph:
        graph.nodes[number]["label"] = f"node {number}"
    for weight, (_a, _b, attributes) in enumerate(graph.edges(data=True)):
        attributes["weight"] = weight * 0.5
    save(graph)


def arrays(objects: int, save: Save) -> None:
    """Arrays of objects, small arrays and strings."""
    numpy = import_module("numpy")
    pandas = import_module("pandas")
    count = objects // 8
    words = numpy.array([f"word {i}" for i in range(2 * count)], dtype=object)
    chance = numpy.random.default_rng(4)
    chosen = words[chance.integers(len(words), size=len(words))]
    vectors = [numpy.arange(i % 7) for i in range(count)]
    pieces = [f"piece {i}".encode() * (i % 9) for i in range(2 * count)]
    frame = pandas.DataFrame({"word": chosen, "piece": pieces})
    save((words, vectors, frame))


HEAPS = {
    work.__name__: work
    for work in (
        ordered,
        shuffled,
        libraries,
        service,
        tasks,
        documents,
        tables,
        trees,
        networks,
        arrays,
    )
}


def make(name: str, objects: int, file: str) -> None:
    """Make a heap in this process and save it."""
    sys.setrecursionlimit(100_000)

    def save(kept: object) -> None:
        with leakgraph.snapshot() as snapshot:
            snapshot.save(file)
            print(f"{name}: {len(snapshot):,} nodes", flush=True)

    HEAPS[name](objects, save)


def main() -> None:
    """Save the heaps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--objects", type=int, default=1_500_000)
    parser.add_argument("--only", nargs="+", choices=HEAPS, default=list(HEAPS))
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    for name in options.only:
        file = options.folder / f"{name}.lgs"
        in_new_process(make, name, options.objects, str(file))


if __name__ == "__main__":
    main()
