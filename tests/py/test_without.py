"""The environment can exclude adapters from captures."""

import pytest

import leakgraph


def captured(monkeypatch, without):
    monkeypatch.setenv("LEAKGRAPH_WITHOUT", without)
    data = bytearray(50_000)
    snapshot = leakgraph.snapshot()
    memory = [e.node for e in snapshot.find(data).referents() if e.node.buffer]
    return snapshot.info(), memory


@pytest.mark.parametrize("without", ["builtin", "torch,builtin", "builtin,cuda", "all"])
def test_left_out(monkeypatch, without):
    info, memory = captured(monkeypatch, without)
    assert info["adapter.builtin"] == "not inspected: left out by LEAKGRAPH_WITHOUT"
    assert not memory
    assert ("memory.rss" in info) == (without != "all")


@pytest.mark.parametrize("without", ["", "torch", "built", "builtin2,x", ","])
def test_others_take_part(monkeypatch, without):
    info, memory = captured(monkeypatch, without)
    assert "LEAKGRAPH_WITHOUT" not in info.get("adapter.builtin", "")
    assert len(memory) == 1
