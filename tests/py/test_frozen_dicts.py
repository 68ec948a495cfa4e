"""Frozen dicts, sentinels and compiled code, which CPython 3.15 has."""

import builtins
import sys

import pytest
from builds import PUBLIC, needs_attributes

import leakgraph

pytestmark = pytest.mark.skipif(
    sys.version_info < (3, 15), reason="new in version 3.15"
)


class Part:
    """Holds what a test puts into it."""


@needs_attributes
def test_no_advice_takes_an_item_out_of_a_frozen_dict():
    it, model = Part(), Part()
    model.weights = bytearray(100_000)
    it.config = builtins.frozendict(model=model, other=Part())
    del model
    why = leakgraph.snapshot().why(it.config["model"])
    assert [hop.label for hop in why.cuts] == [".config"]
    assert "['model']" not in {hop.label for hop in why.frees}
    assert "['model']" in {hop.label for hop in why.path}


@needs_attributes
def test_an_attribute_of_a_derived_class_can_be_cut():
    class Derived(builtins.frozendict):
        pass

    it = Part()
    it.config = Derived(model=Part())
    it.config.extra = Part()
    snapshot = leakgraph.snapshot()
    frees = snapshot.why(it.config.extra).frees
    assert [hop.label for hop in frees][-2:] == [".config", ".extra"]
    frees = snapshot.why(it.config["model"]).frees
    assert [hop.label for hop in frees][-1] == ".config"


@needs_attributes
def test_a_cycle_is_cut_beside_the_frozen_dict():
    loop = Part()
    loop.frozen = builtins.frozendict(loop=loop)
    snapshot = leakgraph.snapshot()
    cycles = snapshot.cycles(min_bytes=0, limit=None, holding=Part)
    (cycle,) = [one for one in cycles if snapshot.find(loop) in one.nodes]
    assert cycle.cut.label == ".frozen"


@pytest.mark.parametrize("text", [None, "<nothing given>"])
def test_a_sentinel_is_shown_with_its_name(text):
    options = {} if text is None else {"repr": text}
    it = Part()
    it.missing = builtins.sentinel("MISSING", **options)
    node = leakgraph.snapshot().find(it.missing)
    assert (node.type_name, node.text) == ("sentinel", "MISSING")


COMPILED = """
import sys
import leakgraph
if not sys._jit.is_enabled():
    raise SystemExit(print("none"))
class Part:
    def __init__(self, number):
        self.number = number
def hot(held):
    total = 0
    for number in range(20_000):
        part = Part(number)
        total += part.number
    return leakgraph.snapshot()
held = [Part(0)]
snapshot = hot(held)
executors = list(snapshot.select("type:uop_executor"))
print(
    len(executors) > 0,
    all(one.unexplained == 0 for one in executors),
    "local held" in {edge.label for edge in snapshot.find(held).referrers()},
)
"""


@pytest.mark.skipif(PUBLIC, reason="the public method sees no executors")
def test_what_the_compiler_makes_belongs_to_its_code(python):
    done = python("-c", COMPILED, PYTHON_JIT="1")
    if done.out == "none\n":
        pytest.skip("this CPython has no compiler")
    assert done.out == "True True True\n", done.out + done.err
