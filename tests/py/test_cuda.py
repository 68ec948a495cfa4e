"""Asks CUDA's allocator on a fake of torch.cuda: which questions, and when."""

import os
import sys
from pathlib import Path

import pytest
from builds import DROPPED, FREE_THREADED

import leakgraph

FAKES = Path(__file__).with_name("fakes")
FIXTURES = Path(__file__).parents[1] / "fixtures" / "allocator"

START = f"""
import json, pathlib, torch, leakgraph
from torch.cuda import memory

def fixture(name):
    return json.loads(pathlib.Path({str(FIXTURES)!r}, name + ".json").read_text())

def facts(snap, part):
    return {{k: v for k, v in snap.info().items() if part in k}}

torch.cuda._initialized = True
"""


@pytest.fixture
def fake(python):
    """Run code with the fake as torch, and CUDA in use."""
    path = os.pathsep.join([str(FAKES), *filter(None, sys.path)])

    def run(code):
        done = python("-c", START + code, PYTHONPATH=path)
        assert done.code == 0, done.err
        return done.out.splitlines()

    return run


def test_totals(fake):
    out = fake("""
memory.answers = [fixture("devices")]
snap = leakgraph.snapshot()
print(facts(snap, "adapter.cuda"), memory.asked.count(("_snapshot", None)))
for key, value in facts(snap, "device.").items():
    print(key, value)
""")
    mib = 2**20
    assert out == [
        "{'adapter.cuda': 'inspected: 2.13.0'} 2",
        f"device.cuda:0.allocated {13 * mib}",
        f"device.cuda:0.reserved {22 * mib}",
        f"device.cuda:0.driver_total {2**34}",
        f"device.cuda:0.driver_free {2**34 - 322 * mib}",
        "device.cuda:1.allocated 1024",
        f"device.cuda:1.reserved {2 * mib}",
        f"device.cuda:1.driver_total {2**34}",
        f"device.cuda:1.driver_free {2**34 - 302 * mib}",
    ]


def test_peaks_and_pinned_memory(fake):
    out = fake("""
memory.answers = [fixture("bare")]
memory.stats = {"allocated_bytes.all.peak": 9, "reserved_bytes.all.peak": 10}
memory.host_stats = {
    "allocated_bytes.current": 4096,
    "active_bytes.current": 5,
    "allocated_bytes.peak": 8192,
}
made = leakgraph.memory()
account = made.devices[0]
print(account.peak_allocated, account.peak_reserved, account.process)
print([made.host[f"pinned_{what}"] for what in ("pool", "used", "peak")])
""")
    assert out == ["9 10 None", "[4096, 5, 8192]"]


#: NVML as the program initialises it: the handle of a device is its UUID.
NVML = """
import os, types
cuda = torch.cuda
cuda.get_device_properties = lambda i: types.SimpleNamespace(uuid=f"ab-{i}")
nvml = types.ModuleType("pynvml")
def processes(handle):
    memory.asked.append(handle)
    return [types.SimpleNamespace(pid=1, usedGpuMemory=7),
            types.SimpleNamespace(pid=os.getpid() + other, usedGpuMemory=used)]
nvml.nvmlDeviceGetHandleByUUID = lambda uuid: uuid
nvml.nvmlDeviceGetComputeRunningProcesses = processes
memory.answers = [fixture("bare")]
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("other, used = 0, 123456789", "123456789 ['GPU-ab-0']"),
        ("other, used = 0, None", "None ['GPU-ab-0']"),
        ("other, used = 1, 5", "None ['GPU-ab-0']"),
        ("del nvml.nvmlDeviceGetHandleByUUID", "None []"),
        ("del cuda.get_device_properties", "None []"),
    ],
)
def test_what_the_driver_counts_for_the_process(fake, code, expected):
    out = fake(f"""{NVML}
{code}
import sys
sys.modules["pynvml"] = nvml
(account,) = leakgraph.memory().devices
print(account.process, [a for a in memory.asked if "GPU" in a])
""")
    assert out == [expected]


def test_nvml_is_not_loaded(fake):
    out = fake(f"""{NVML}
import sys
made = leakgraph.memory()
print("pynvml" in sys.modules, made.devices[0].process)
print("this process's share is unknown" in str(made))
""")
    assert out == ["False None", "True"]


QUIET = """
keys = ("allocation.all.allocated", "allocation.all.freed", "active.all.freed",
        "segment.all.allocated", "segment.all.freed")
torch._C.contexts.add(0)
memory.answers = [fixture("bare")]
memory.stats = dict.fromkeys(keys, 5)
"""


@pytest.mark.parametrize(
    ("code", "snapshots"),
    [
        ("", 1),
        ("del memory.stats['active.all.freed']", 2),
        ("torch._C.contexts.clear()", 2),
        ("given, memory.stats = memory.stats, grow", 2),
    ],
)
def test_one_snapshot_is_enough_when_nothing_happens(fake, code, snapshots):
    out = fake(f"""
def grow():
    given["allocation.all.freed"] += 1
    return given

{QUIET}
{code}
(account,) = leakgraph.memory().devices
print([ask[0] for ask in memory.asked].count("_snapshot"))
print([item for item in account.by_evidence.items() if item[1]["blocks"]])
""")
    assert out == [str(snapshots), "[('unknown', {'bytes': 512, 'blocks': 1})]"]


@pytest.mark.parametrize(
    "code",
    ["torch.cuda._initialized = False", "torch.cuda._forked = True", "part = [[]]"],
)
def test_nothing_is_asked(fake, code):
    """CUDA is not in use, or unusable, or the snapshot is partial."""
    out = fake(f"""
part = None
{code}
memory.answers = [fixture("plain")]
snap = leakgraph.snapshot(roots=part)
print(memory.asked, facts(snap, "device."))
""")
    assert out == ["[] {}"]


def test_forked(fake):
    out = fake("""
torch.cuda._forked = True
print(leakgraph.snapshot().info()["adapter.cuda"])
""")
    assert out == [
        "not inspected: CUDA cannot be used in a process forked from one that used it"
    ]


@pytest.mark.parametrize("backend", ["cudaMallocAsync", "pluggable"])
def test_other_allocators(fake, backend):
    """They list totals, but no blocks. leakgraph asks only devices in use."""
    out = fake(f"""
memory.backend = {backend!r}
torch._C.contexts.add(2)
snap = leakgraph.snapshot()
print(facts(snap, "adapter.cuda")["adapter.cuda"])
print(memory.asked)
print(sorted(facts(snap, "device.")))
""")
    assert out == [
        f"inspected: 2.13.0, totals only: the allocator {backend} does not list "
        "its blocks",
        "[('memory_stats', 2), ('mem_get_info', 2)]",
        "['device.cuda:2.allocated', 'device.cuda:2.driver_free', "
        "'device.cuda:2.driver_total', 'device.cuda:2.reserved']",
    ]


def test_no_snapshot(fake):
    """Failures and nonsense appear in the report."""
    out = fake("""
print(leakgraph.snapshot().info()["adapter.cuda"])
memory.answers = [{"segments": [{"device": 0, "address": 1}]}]
print(leakgraph.snapshot().info()["adapter.cuda"])
""")
    assert out == [
        "inspected: 2.13.0, totals only: torch.cuda.memory._snapshot() failed",
        "inspected: 2.13.0, totals only: not an allocator snapshot: segments[0] has "
        "no whole number 'total_size'; pass what torch.cuda.memory._snapshot() "
        "returned, or a file of it",
    ]


def test_traces_are_left_out(fake):
    """leakgraph asks PyTorch for a snapshot without history, if PyTorch has one."""
    out = fake("""
def memory_snapshot(mempool_id=None, include_traces=True):
    memory.asked.append(("memory_snapshot", include_traces))
    return fixture("bare")

memory.memory_snapshot = memory_snapshot
memory.answers = [fixture("bare")]
snap = leakgraph.snapshot()
print([ask for ask in memory.asked if "snapshot" in ask[0]])
print(snap.info()["adapter.cuda"])
""")
    assert out == [
        "[('memory_snapshot', False), ('memory_snapshot', False)]",
        "inspected: 2.13.0",
    ]


def test_no_collection(fake):
    """Allocations on the way leave the process's garbage alone."""
    out = fake("""
import gc
memory._snapshot = lambda: [[] for _ in range(100000)]
gc.collect()
runs = []
gc.callbacks.append(lambda phase, info: runs.append(phase))
leakgraph.snapshot()
print(runs, gc.isenabled())
gc.disable()
leakgraph.snapshot()
print(runs, gc.isenabled())
""")
    assert out == ["[] True", "[] False"]


def test_interrupt(fake):
    """Ctrl-C during the library's code is not lost."""
    out = fake("""
import os, signal
def _snapshot():
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000):
        pass
    return fixture("plain")
memory._snapshot = _snapshot
try:
    leakgraph.snapshot()
    for _ in range(1000):
        pass
except KeyboardInterrupt:
    print("interrupted")
""")
    assert out == ["interrupted"]


@pytest.mark.skipif(FREE_THREADED, reason="it has mimalloc instead of pymalloc")
def test_host(python):
    """The figures of the process: resident bytes, malloc's and pymalloc's share."""
    done = python(
        "-c",
        """
import leakgraph, os
pages = int(open("/proc/self/statm").read().split()[1])
info = leakgraph.snapshot().info()
print(int(info["memory.rss"]), pages * os.sysconf("SC_PAGESIZE"))
print(int(info["memory.python"]), int(info.get("memory.malloc", 1)))
""",
    )
    rss, resident, arenas, malloc = map(int, done.out.split())
    assert abs(rss - resident) < resident / 2
    assert 2**18 < arenas < rss and 0 < malloc < 100 * rss


def test_what_leakgraph_keeps_itself(python):
    """An open snapshot has a line of its own, and a closed one has none."""
    done = python(
        "-c",
        f"""
import leakgraph
made = [[i] for i in range(200_000)]
print(leakgraph.memory().host["leakgraph"])
with leakgraph.snapshot() as snapshot:
    print(leakgraph.memory().host["leakgraph"] / len(snapshot))
{DROPPED}
print(leakgraph.memory().host["leakgraph"])
""",
    )
    before, each, after = done.out.split()
    assert before == after == "None"
    assert 10 < float(each) < 150


@pytest.mark.skipif(FREE_THREADED, reason="it cannot do without mimalloc")
def test_host_with_malloc(python):
    """Without pymalloc there are no arenas."""
    code = "import leakgraph; print('memory.python' in leakgraph.snapshot().info())"
    assert python("-c", code, PYTHONMALLOC="malloc").out == "False\n"
    assert "memory.rss" not in leakgraph.snapshot(roots=[[]]).info()
