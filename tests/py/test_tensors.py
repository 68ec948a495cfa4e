"""Tests tensors() on a training program of torch, in a process of its own."""

import pytest
from builds import needs

import leakgraph

CASES = ["kinds", "holders", "waste", "once", "parts", "sums", "places"]
CASES += ["forms", "mistakes"]


@needs("torch")
@pytest.mark.libraries
def test_training(warm):
    done = warm("torch._dynamo").isolated("tensors.py", *CASES)
    assert done.code == 0 and done.out.split() == CASES, done.err


def test_without_tensors(snap):
    tensors = snap.tensors()
    assert len(tensors) == 0 == tensors.storages and tensors.size.total == 0
    assert str(tensors).startswith("There is no tensor.\n")
    on_host = str(snap.tensors(device="host", group="kind"))
    assert on_host.startswith("There is no tensor on host.\n")
    assert tensors._repr_html_().startswith("<p>There is no tensor.</p>")
    groups = leakgraph.tensors(group="dtype", limit=None)
    assert groups.rows == () and "<table>" not in groups._repr_html_()


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"device": "cuda:7"}, "no device 'cuda:7'; it has 'host'"),
        (
            {"group": "type"},
            "group takes place, storage, kind, device, dtype or shape, not",
        ),
    ],
)
def test_misuse(snap, options, error):
    with pytest.raises(leakgraph.ArgumentError, match=error):
        snap.tensors(**options)


def test_types_of_arguments(snap):
    with pytest.raises(TypeError):
        snap.tensors(20, "cuda:0")
    with pytest.raises(TypeError, match="group must be a str"):
        snap.tensors(group=3)
    with pytest.raises(TypeError, match="device must be a str"):
        snap.tensors(device=0)
    with pytest.raises(ValueError, match="limit"):
        snap.tensors(limit=-1)
    snap = leakgraph.snapshot()
    snap.close()
    with pytest.raises(leakgraph.ClosedError):
        snap.tensors()
