"""Tests what PyTorch keeps in C++ behind objects without Python tensors.

These are packed weights, scripted modules, the constants of compiled code, and the
buckets of DistributedDataParallel.
"""

import gc
import io
import warnings

import pytest

import leakgraph

pytestmark = pytest.mark.libraries
torch = pytest.importorskip("torch")
MIB = 2**20
reductions = pytest.importorskip("torch.multiprocessing.reductions")


class Weighted(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(1024, 1024))

    def forward(self, x):
        return x @ self.weight


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def retained(thing):
    gc.collect()
    with leakgraph.snapshot() as snapshot:
        return snapshot.find(thing).retained.host / MIB


def members(node):
    return [e.target for e in node.referents() if "C++" in e.label]


def packed_linear():
    return torch.ao.quantization.quantize_dynamic(
        torch.nn.Sequential(torch.nn.Linear(2048, 2048)),
        {torch.nn.Linear},
        dtype=torch.qint8,
    )


def test_packed_weights():
    if "fbgemm" not in torch.backends.quantized.supported_engines:
        pytest.skip("this build cannot pack weights")
    # After the first time, free memory looks like such weights.
    for _ in range(4):
        packed = packed_linear()
        gc.collect()
        with leakgraph.snapshot() as snapshot:
            assert 4 <= snapshot.find(packed).retained.host / MIB < 4.5
            holder = snapshot.find(packed[0]._packed_params._packed_params)
            assert holder.unexplained == 0
            (script,) = members(holder)
            (weights,) = members(script)
            assert weights.type_name == "PackedLinearWeight (C++)"
            assert weights.facts["memory in C++"].startswith("4.0")


def test_packed_weights_that_several_share():
    """None of their owners owns them, but a holder of all owners does."""
    if "fbgemm" not in torch.backends.quantized.supported_engines:
        pytest.skip("this build cannot pack weights")
    prepack = torch.ops.quantized.linear_prepack
    weight = torch.quantize_per_tensor(torch.randn(1024, 1024), 0.1, 0, torch.qint8)
    bias = torch.randn(1024)
    shared = prepack(weight, bias)
    cells = [
        torch.ops.quantized.make_quantized_cell_params_dynamic(
            shared, shared, bias, bias, False
        )
        for _ in range(2)
    ]
    del weight, shared
    gc.collect()
    with leakgraph.snapshot() as snapshot:
        assert all(snapshot.find(cell).retained.host < 10_000 for cell in cells)
        assert 1 <= snapshot.find(cells).retained.host / MIB < 1.2


def test_weights_of_an_unknown_engine_are_a_lower_bound():
    """A class whose members the capture does not know says so."""
    if "fbgemm" not in torch.backends.quantized.supported_engines:
        pytest.skip("this build cannot pack weights")
    weight = torch.zeros(256, 256)
    weight[::8, :8] = 1
    rows = torch.quantize_per_tensor(weight, 0.1, 0, torch.qint8)
    engine = torch.backends.quantized.engine
    torch.backends.quantized.engine = "fbgemm"
    try:
        packed = torch.ops.sparse.qlinear_prepack(rows, None, 1, 4)
    finally:
        torch.backends.quantized.engine = engine
    with leakgraph.snapshot() as snapshot:
        (script,) = members(snapshot.find(packed))
        (weights,) = members(script)
        assert weights.facts["memory in C++"].startswith("at least ")


def test_stale_words_take_no_tensor():
    """Two zero points of packed weights look like the address of a tensor's data."""
    if "fbgemm" not in torch.backends.quantized.supported_engines:
        pytest.skip("this build cannot pack weights")
    tensor = torch.zeros(1 << 20)
    words = torch.tensor([tensor.data_ptr()]).view(torch.int32).long()
    rows = torch.zeros(2, 16, dtype=torch.int8)
    weight = torch._make_per_channel_quantized_tensor(rows, torch.ones(2), words, 0)
    packed = torch.ops.quantized.linear_prepack(weight, None)
    del weight, words
    with leakgraph.snapshot() as snapshot:
        assert 4 <= snapshot.find(tensor).retained.host / MIB < 4.1
        assert snapshot.find(packed).retained.host < 100_000


class Inner(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(256, 1024)

    def forward(self, x):
        return self.linear(x)


class Outer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.register_buffer("buffer", torch.randn(512, 256))
        self.many = [torch.randn(256, 256), torch.randn(512, 256)]
        self.table = {str(i): torch.randn(64, 256) for i in range(20)}
        self.pair = (torch.randn(256, 256), torch.randn(256, 256))
        self.none = None
        self.numbers = [id(self.many), id(type(self))] * 50

    def forward(self, x):
        return self.inner(x)


def scripted_modules():
    """List modules, and the tensors that only they hold."""
    outer = torch.jit.script(Outer())
    outer(torch.randn(2, 256))
    inner = [outer.inner.linear.weight, outer.inner.linear.bias, outer.buffer]
    held = [*inner, *outer.many, *outer.table.values(), *outer.pair]
    scripted = torch.jit.script(Weighted())
    traced = torch.jit.trace(Weighted(), torch.randn(1, 1024))
    made = {"outer": (outer, held)}
    made["scripted"] = (scripted, [scripted.weight])
    made["traced"] = (traced, [traced.weight])
    made["empty"] = (torch.jit.script(torch.nn.ReLU()), [])
    return made


def test_scripted_modules():
    made = scripted_modules()
    storages, modules, sizes = {}, {}, {}
    for name, (module, tensors) in made.items():
        storages[name] = [
            reductions.StorageWeakRef(t.untyped_storage()) for t in tensors
        ]
        sizes[name] = sum(t.untyped_storage().nbytes() for t in tensors)
        modules[name] = module
    del made, module, tensors
    raw = torch._C.ScriptModule.__new__(torch._C.ScriptModule)  # without __init__
    gc.collect()
    with leakgraph.snapshot() as snapshot:
        assert snapshot.find(raw).retained.host < 200
        for name, module in modules.items():
            held = snapshot.find(module).retained.host
            assert sizes[name] <= held < 1.01 * sizes[name] + 40000, name
        core = snapshot.find(modules["outer"]._c)
        assert core.unexplained == 0
        (script,) = [e.target for e in core.referents() if "C++" in e.label]
        names = {e.label: e.target for e in script.referents()}
        assert {".inner", ".buffer", ".many", ".table", ".pair"} <= set(names)
        assert ".none" not in names
        assert {e.label for e in names[".many"].referents()} == {"[0]", "[1]"}
        assert len(list(names[".table"].referents())) == 20
        assert not list(names[".numbers"].referents())
    del module, core, script, names
    for name in list(modules):
        del modules[name]
        gc.collect()
        assert all(storage.expired() for storage in storages[name]), name


def unit_of(snapshot, thing):
    (unit,) = members(snapshot.find(thing))
    assert unit.type_name == "torch.jit.CompilationUnit (C++)"
    return unit.retained.host / MIB


def frozen_module():
    return torch.jit.freeze(torch.jit.script(Weighted().eval()))


def traced_function():
    weight = torch.randn(1024, 1024)
    return torch.jit.trace(lambda x: x @ weight, torch.randn(2, 1024))


@pytest.mark.parametrize("make", [frozen_module, traced_function])
def test_constants_of_compiled_code_belong_to_no_module(make):
    """PyTorch keeps them until the process ends: deleting the module frees nothing."""
    unit = torch.jit._state._python_cu
    gc.collect()
    with leakgraph.snapshot() as snapshot:
        before = unit_of(snapshot, unit)
    made = make()
    made(torch.randn(2, 1024))
    gc.collect()
    assert retained(made) < 1
    del made
    gc.collect()
    with leakgraph.snapshot() as snapshot:
        assert 4 <= unit_of(snapshot, unit) - before < 4.5


def test_constants_of_a_loaded_module_go_with_it():
    file = io.BytesIO()
    torch.jit.save(frozen_module(), file)
    file.seek(0)
    loaded = torch.jit.load(file)
    file.close()
    assert 4 <= retained(loaded) < 4.5


def test_constants_that_only_the_executor_has_belong_to_the_unit():
    """It computes them when it optimizes a function that has run."""
    scripted = torch.jit.CompilationUnit(
        "def f(x):\n    return x + torch.ones([1024, 1024]) * torch.eye(1024)\n"
    )
    assert retained(scripted) < 1
    for _ in range(4):
        scripted.f(torch.randn(1024, 1024))
    assert "torch.eye" not in str(torch.jit.last_executed_optimized_graph())
    assert 4 <= retained(scripted) < 4.5


def test_constants_in_lists_and_in_graphs_within_graphs():
    graph = torch._C.Graph()
    inner = torch._C.Graph()
    node = inner.create("prim::Constant")
    node.t_("value", torch.zeros(1024, 1024))
    inner.insertNode(node)
    group = graph.create("prim::FusionGroup")
    group.g_("Subgraph", inner)
    graph.insertNode(group)
    constants = graph.create("prim::Constant")
    constants.ts_("value", [torch.zeros(1024, 1024), torch.zeros(1024, 1024)])
    graph.insertNode(constants)
    unit = torch._C.CompilationUnit()
    unit.create_function("sample", graph)
    del graph, inner, node, group, constants
    assert 12 <= retained(unit) < 12.5


def test_each_of_many_units_has_its_own_constants():
    file = io.BytesIO()
    torch.jit.save(frozen_module(), file)
    saved = file.getvalue()
    loaded = []
    for i in range(9):
        loaded.append(torch.jit.load(io.BytesIO(saved)))
        loaded[-1](torch.randn(2, 1024))
        if i < 6:  # so that later units lie where earlier ones lay
            del loaded[-2:-1]
    del file, saved
    gc.collect()
    with leakgraph.snapshot() as snapshot:
        assert [round(snapshot.find(m).retained.host / MIB) for m in loaded] == [4] * 4
        units = snapshot.select("type:torch.jit.CompilationUnit*")
        assert not any("not inspected" in unit.facts for unit in units)


@pytest.fixture
def job(tmp_path):
    """Make this process the only one of its job."""
    distributed = torch.distributed
    if not distributed.is_available() or not distributed.is_gloo_available():
        pytest.skip("this build has no gloo")
    distributed.init_process_group(
        "gloo", init_method=f"file://{tmp_path / 'store'}", rank=0, world_size=1
    )
    yield
    distributed.destroy_process_group()


@pytest.mark.usefixtures("job")
def test_buckets_of_distributed_data_parallel():
    module = torch.nn.Linear(1024, 1024)
    parallel = torch.nn.parallel.DistributedDataParallel(module)
    parallel(torch.randn(2, 1024)).sum().backward()
    assert 4 <= retained(parallel.reducer) < 4.5


@pytest.mark.usefixtures("job")
def test_the_tensors_of_asynchronous_work():
    work = torch.distributed.all_reduce(torch.ones(1024, 1024), async_op=True)
    work.wait()
    assert 4 <= retained(work) < 4.1


@pytest.mark.usefixtures("job")
def test_a_number_of_the_reducer_takes_no_tensor():
    """The limit of a bucket looks like the address of a tensor with other owners."""
    held = [torch.zeros(1 << 20)]
    losses = [torch.zeros(1 << 20, requires_grad=True).exp().sum()]
    saved = losses[0].grad_fn.next_functions[0][0]._saved_result
    numbers = {held[0]._cdata: held, saved._cdata: losses}
    del saved
    for number, holder in numbers.items():
        parallel = torch.nn.parallel.DistributedDataParallel(
            torch.nn.Linear(4, 4), bucket_cap_mb=number / MIB
        )
        parallel(torch.randn(2, 4)).sum().backward()
        assert retained(parallel.reducer) < 0.5
        assert retained(holder) >= 4
        del parallel
