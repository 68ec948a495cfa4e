"""Small views keep all of the bytes and bytearrays behind them."""

import pytest
from builds import needs
from shapes import Thing

import leakgraph

BIG = 1 << 20


def found(view):
    """Return findings() about the view's memory: (pattern, bytes), or nothing."""
    snapshot = leakgraph.snapshot()
    node = snapshot.find(view)
    return [
        (finding.pattern, finding.retained.host >= BIG)
        for finding in snapshot.findings()
        if finding.holder == node
    ]


def of_bytes():
    return memoryview(bytes(bytearray(BIG)))[:100]


def of_bytearray():
    return memoryview(bytearray(BIG))[10:20]


def of_cast():
    return memoryview(bytes(bytearray(BIG))).cast("I")[5:7]


@pytest.mark.parametrize("make", [of_bytes, of_bytearray, of_cast])
def test_memoryview(make):
    held = Thing()
    held.view = make()
    assert found(held.view) == [("small-view", True)]


def test_not_small():
    held = Thing()
    held.view = memoryview(bytes(bytearray(BIG)))[: BIG // 4]
    assert found(held.view) == []


def test_bytes_in_use():
    """Something else keeps the bytes anyway."""
    held = Thing()
    held.all = bytes(bytearray(BIG))
    held.view = memoryview(held.all)[:100]
    assert found(held.view) == []


def test_several_views():
    """Several views show most of it together."""
    held = Thing()
    whole = memoryview(bytes(bytearray(BIG)))
    held.views = [whole[i : i + BIG // 16] for i in range(0, BIG, BIG // 16)]
    whole.release()
    assert found(held.views[0]) == []


VIEWS, BY_NUMBER = [], {}


def test_views_that_two_containers_share_name_these_and_no_other_holder():
    for number in range(16):
        VIEWS.append(of_bytes())
        BY_NUMBER[number] = VIEWS[-1]
    with leakgraph.snapshot() as snapshot:
        ours = [snapshot.find(VIEWS), snapshot.find(BY_NUMBER)]
        (finding,) = [one for one in snapshot.findings() if one.holder in ours]
        names = {holder.held_by.split("  ")[0] for holder in finding.holders}
        assert names == {f"{__name__}.VIEWS", f"{__name__}.BY_NUMBER"}
        assert {holder.pattern for holder in finding.holders} == {"small-view"}
        assert (finding.count, finding.freed) == (16, finding.retained)
    VIEWS.clear()
    BY_NUMBER.clear()


FROMBUFFER = f"""
import numpy, torch
import leakgraph
array = numpy.frombuffer(bytes(bytearray({BIG})), dtype="u1")[:100]
tensor = torch.frombuffer(bytearray({BIG}), dtype=torch.uint8)[:100]
snapshot = leakgraph.snapshot()
for view in (array, tensor):
    for finding in snapshot.findings():
        if finding.holder == snapshot.find(view):
            print(finding.pattern, finding.retained.host >= {BIG})
"""


@needs("torch")
@pytest.mark.libraries
def test_frombuffer(warm, tmp_path):
    script = tmp_path / "frombuffer.py"
    script.write_text(FROMBUFFER)
    done = warm("torch").run(script)
    assert done.code == 0, done.err
    assert done.out == "small-view True\n" * 2


@pytest.mark.libraries
def test_embedded_shell():
    """A shell keeps outputs even if its namespace is no module."""
    from IPython.core.interactiveshell import InteractiveShell

    names = {}
    shell = InteractiveShell(user_ns=names)
    for cell in ["import numpy", "numpy.zeros(60_000)", "numpy.ones(60_000)", "1"]:
        shell.run_cell(cell, store_history=True)
    snapshot = leakgraph.snapshot()
    node = snapshot.find(shell.user_ns["Out"])
    (finding,) = [one for one in snapshot.findings() if one.holder == node]
    assert (finding.pattern, finding.count) == ("notebook-output", 2)
    assert finding.retained.host > 900_000
