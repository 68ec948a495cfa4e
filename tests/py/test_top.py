"""top() of real heaps shows what retains the most, and its rows lose no byte."""

import pytest
from shapes import Thing

import leakgraph

pytestmark = [pytest.mark.ends, pytest.mark.small]

MIB = 1 << 20


def whole(snapshot):
    """Count all bytes of the heap."""
    return snapshot.types().size.total


@pytest.mark.parametrize("limit", [1, 10, None])
@pytest.mark.parametrize("libraries", [False, True])
def test_the_rows_and_the_rest_are_the_whole_heap(limit, libraries):
    with leakgraph.snapshot() as snapshot:
        top = snapshot.top(limit, libraries=libraries)
        parts = [row.retained.total for row in top]
        assert top.more is not None and top.libraries is not None
        assert sum(parts) + top.more.total + top.libraries.total == whole(snapshot)
        assert (top.libraries.total == 0) == libraries
        assert parts == sorted(parts, reverse=True)


def test_little_is_left_over():
    """With all rows, only objects that pass bytes on are in none."""
    with leakgraph.snapshot() as snapshot:
        more = snapshot.top(None, libraries=True).more
        assert more is not None and more.total < whole(snapshot) // 10


def test_a_linked_list_is_one_row():
    head = None
    for _ in range(40_000):
        head = Thing(next=head, data=bytearray(500))
    owner = Thing(list=head)
    (row, *_) = leakgraph.top(1)
    assert (row.title, row.count) == ("Thing", 1)
    assert row.held_by.endswith(("local owner.list", "local head")), row.held_by
    assert row.retained.total > 20 * MIB
    assert owner.list is head


def test_many_small_ones_are_one_row():
    """Two owners share it, so it hangs from no single object."""
    ones = [Thing(data=bytearray(10_000)) for _ in range(2_000)]
    others = ones[:]
    snapshot = leakgraph.snapshot()
    (row,) = (row for row in snapshot.top(40) if row.count == 2_000)
    assert row.title == "Thing" and row.node in {snapshot.find(one) for one in ones}
    assert row.retained.total > 2_000 * 10_000
    assert f"2,000 x Thing #{row.node.index} " in str(snapshot.top(40))
    assert len(others) == len(ones)


REGISTRIES = {
    "logging.Logger.manager.loggerDict": "import logging\n"
    "for n in range(3000): logging.getLogger(f'job {n}')",
    "linecache.cache": "import linecache\n"
    "for n in range(300): linecache.cache[f'<{n}>'] = (1, None, [str(n) * 900], '')",
    "weakref.finalize._registry": "import weakref\n"
    "keys = [type('Key', (), {})() for n in range(3)] * 1000\n"
    "for key in keys: weakref.finalize(key, print)",
    "xml.etree.ElementTree._namespace_map": "import xml.etree.ElementTree as tree\n"
    "for n in range(6000): tree.register_namespace(f'p{n}', f'http://{n}')",
}


@pytest.mark.parametrize("registry", REGISTRIES)
def test_a_registry_that_the_program_filled_has_a_row(python, registry):
    done = python(
        "-c",
        f"{REGISTRIES[registry]}\n"
        "import leakgraph, os\n"
        "top = leakgraph.top(4)\n"
        "print([row.held_by for row in top], top.libraries, flush=True)\n"
        "os._exit(0)",
    )
    assert f"'{registry}'" in done.out, done.out + done.err


def test_what_the_standard_library_brings_has_no_row(python):
    done = python(
        "-c",
        "import asyncio, html.entities, inspect, logging, mimetypes, pydoc, unittest\n"
        "mimetypes.init()\n"
        "import leakgraph\n"
        "print([str(row.held_by) for row in leakgraph.top(None)])",
    )
    assert "'leakgraph" not in done.out
    for module in ("encodings", "html", "inspect", "logging", "mimetypes", "sys"):
        assert f"'{module}." not in done.out, done.out


def test_types_and_modules_do_not_add_up():
    snapshot = leakgraph.snapshot()
    for group in ("type", "module"):
        top = snapshot.top(5, group=group)
        assert top.libraries is None and top.more is None


def test_a_module_of_the_program_is_told_by_its_file(python, tmp_path):
    """The same holds if it has a library's name that nobody has imported."""
    (tmp_path / "pytz.py").write_text("table = [bytes(1000) for _ in range(5000)]\n")
    done = python(
        "-c",
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import pytz, json, leakgraph\n"
        "snapshot = leakgraph.snapshot()\n"
        "print(*(snapshot.select(f'name:{n}')[0].facts.get('origin')\n"
        "        for n in ('pytz', 'json', 'sys')))\n"
        "print('pytz.table' in str(snapshot.top(3)))\n",
    )
    assert done.out.splitlines() == ["program library None", "True"], done.err


MINE = """
import sys
sys.path.insert(0, {folder!r})
import helpers, json, leakgraph
class Ring:
    pass
def ring(size):
    one = Ring()
    one.me, one.data = one, bytearray(size)
    return one
kept = ring(3 << 20)
helpers.kept = ring(3 << 20)
json.kept = ring(3 << 20)
helpers.table = [bytearray(1000) for _ in range(5000)]
def work():
    local = ring(3 << 20)
    return leakgraph.snapshot()
snapshot = work()
snapshot.save("x.lgs")
"""


@pytest.fixture
def modules(tmp_path, python):
    """Take a snapshot of a program with a module of its own."""
    (tmp_path / "helpers.py").write_text("")
    done = python("-c", MINE.format(folder=str(tmp_path)))
    assert done.code == 0, done.err
    return leakgraph.load(done.folder / "x.lgs")


def test_mine_and_module_of_top(modules):
    def shown(**options):
        top = modules.top(None, **options)
        sums = sum(row.retained.total for row in top)
        assert sums + top.more.total + top.libraries.total == whole(modules)
        names = ("__main__.kept", "helpers.kept", "json.kept", "local local")
        held = [row.held_by for row in top]
        return [n for n in names if any(h.endswith(f"{n}.data") for h in held)]

    mine = ["__main__.kept", "helpers.kept", "local local"]
    assert shown(mine=True) == mine
    assert shown(module="helpers") == ["helpers.kept"]
    assert shown(module="__main__") == ["__main__.kept", "local local"]
    assert shown(module="js*") == ["json.kept"]
    assert shown(mine=True, module="js*") == []
    assert len(shown()) == 4


def test_mine_and_module_of_cycles(modules):
    def shown(**options):
        return {cycle.held_by for cycle in modules.cycles(**options)}

    assert "helpers.kept" in shown() and "json.kept" in shown()
    assert "json.kept" not in shown(mine=True) and "helpers.kept" in shown(mine=True)
    assert shown(module="helpers") == {"helpers.kept"}


def test_a_module_that_is_not_there(modules):
    for ask in (modules.top, modules.cycles):
        with pytest.raises(leakgraph.NotFoundError, match="did you mean 'helpers'"):
            ask(module="helper")
    for options in ({"mine": True}, {"module": "json"}):
        with pytest.raises(leakgraph.ArgumentError, match="not of types"):
            modules.top(group="type", **options)


class Rows(list):
    """A container by its base."""


def test_a_row_has_the_references_of_its_object():
    big = [bytearray(30 * MIB)]
    others = [big] * 5
    snapshot = leakgraph.snapshot()
    row = next(row for row in snapshot.top(5) if row.retained.total > 30 * MIB)
    assert row.node is not None and row.refcount == row.node.refcount
    assert {row.refcount for row in snapshot.top(5, group="type")} == {None}
    assert others[0] is big


def test_an_object_and_its_type_have_one_category():
    rows = Rows(bytearray(50_000) for _ in range(200))
    snapshot = leakgraph.snapshot()
    (one,) = (row for row in snapshot.top(40) if row.node == snapshot.find(rows))
    types = {row.type: row for row in snapshot.top(None, group="type")}
    assert one.type == f"{__name__}.Rows" and one.module == __name__
    assert one.category == types[one.type].category == "container"
    assert types["bytearray"].category == "array"
    assert {row.category for row in snapshot.top(5, group="module")} == {"object"}
