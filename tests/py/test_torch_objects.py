"""Tests what PyTorch keeps in C++ behind futures, containers, graphs and generators."""

import gc

import pytest

import leakgraph

pytestmark = [
    pytest.mark.libraries,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
torch = pytest.importorskip("torch")
MIB = 2**20


def large():
    return torch.zeros(1024, 1024)


def retained(thing):
    gc.collect()
    with leakgraph.snapshot() as snapshot:
        node = snapshot.find(thing)
        assert node.unexplained == 0
        return node.retained.host / MIB


def completed(value):
    future = torch.futures.Future()
    future.set_result(value)
    return future


class Holder:
    def __init__(self):
        self.tensor = large()


@pytest.mark.parametrize("make", [large, Holder, lambda: [large()]])
def test_the_value_of_a_future(make):
    future = completed(make())
    assert 4 <= retained(future) < 4.1


def test_the_value_of_a_forked_function():
    def double(x):
        return x * 2

    future = torch.jit.fork(double, large())
    assert 4 <= retained(future) < 4.1


def test_a_value_that_several_futures_have_belongs_to_none():
    value = Holder()
    futures = [completed(value), completed(value)]
    del value
    gc.collect()
    with leakgraph.snapshot() as snapshot:
        assert all(snapshot.find(f).retained.host < 10_000 for f in futures)
        assert 4 <= snapshot.find(futures).retained.host / MIB < 4.1
        (holder,) = snapshot.select("type:*test_torch_objects.Holder")
        assert holder.unexplained == 0


def test_the_functions_that_wait_for_a_future():
    def wait(future):
        tensor = large()
        return future.then(lambda done: tensor.sum())

    future = torch.futures.Future()
    waiting = wait(future)
    assert 4 <= retained(future) < 4.1
    future.set_result(1)
    assert retained(future) < 0.1
    del waiting


def test_scripted_containers():
    made = torch.jit.script([large(), large()])
    assert 8 <= retained(made) < 8.1
    made = torch.jit.script({"a": large(), "b": large()})
    assert 8 <= retained(made) < 8.1


def test_an_empty_scripted_container():
    numbers = torch.jit.script([1, 2])
    assert retained(numbers) < 0.1


def test_a_function_keeps_its_unit():
    """The unit has no Python object any more."""
    graph = torch._C.Graph()
    node = graph.create("prim::Constant")
    node.t_("value", large())
    graph.insertNode(node)
    function = torch._C.CompilationUnit().create_function("sample", graph)
    del graph, node
    assert 4 <= retained(function) < 4.1


def test_a_graph_keeps_its_constants():
    graph = torch._C.Graph()
    node = graph.create("prim::Constant")
    node.t_("value", large())
    graph.insertNode(node)
    del node
    assert 4 <= retained(graph) < 4.1


def test_a_copy_of_a_graph_shares_its_constants():
    graph = torch._C.Graph()
    node = graph.create("prim::Constant")
    node.t_("value", large())
    graph.insertNode(node)
    del node
    copies = [graph, graph.copy()]
    del graph
    assert retained(copies[0]) < 0.1
    assert 4 <= retained(copies) < 4.1


def test_the_state_of_a_generator():
    """The Mersenne Twister has 624 numbers of 32 bits."""
    generators = [torch.Generator() for _ in range(256)]
    gc.collect()
    with leakgraph.snapshot() as snapshot:
        assert all(snapshot.find(g).size > 4 * 624 for g in generators)
        assert snapshot.find(generators).retained.host > 256 * 4 * 624
