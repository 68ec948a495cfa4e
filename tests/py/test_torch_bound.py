"""What PyTorch keeps in C++ behind objects without tensors of Python's: packed weights,
the constants of compiled code, the buckets of DistributedDataParallel.
"""

import gc
import warnings

import pytest

import leakgraph

pytestmark = pytest.mark.libraries
torch = pytest.importorskip("torch")
MIB = 2**20


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


def packed_linear():
    return torch.ao.quantization.quantize_dynamic(
        torch.nn.Sequential(torch.nn.Linear(2048, 2048)),
        {torch.nn.Linear},
        dtype=torch.qint8,
    )


def test_packed_weights():
    if "fbgemm" not in torch.backends.quantized.supported_engines:
        pytest.skip("this build cannot pack weights")
    # From the second time on there is free memory that looks like such weights.
    for _ in range(4):
        packed = packed_linear()
        gc.collect()
        with leakgraph.snapshot() as snapshot:
            assert 4 <= snapshot.find(packed).retained.host / MIB < 4.5
            holder = snapshot.find(packed[0]._packed_params._packed_params)
            assert holder.facts["memory in C++"].startswith("at least 4.0")
            assert holder.unexplained == 0


def test_constants_of_compiled_code_belong_to_no_module():
    """PyTorch keeps them until the process ends: deleting the module frees nothing."""
    frozen = torch.jit.freeze(torch.jit.script(Weighted().eval()))
    assert retained(frozen) < 1


def test_buckets_of_distributed_data_parallel(tmp_path):
    distributed = torch.distributed
    if not distributed.is_available() or not distributed.is_gloo_available():
        pytest.skip("this build has no gloo")
    distributed.init_process_group(
        "gloo", init_method=f"file://{tmp_path / 'store'}", rank=0, world_size=1
    )
    try:
        module = torch.nn.Linear(1024, 1024)
        parallel = torch.nn.parallel.DistributedDataParallel(module)
        parallel(torch.randn(2, 1024)).sum().backward()
        assert 4 <= retained(parallel.reducer) < 4.5
        del parallel
    finally:
        distributed.destroy_process_group()
