"""memory() and cuda.attribute() account for every byte of an allocator, by holder."""

import json
import os
import pickle
import sys
from pathlib import Path

import pytest

import leakgraph

pytestmark = pytest.mark.ends

FAKES = Path(__file__).with_name("fakes")
FIXTURES = Path(__file__).parents[1] / "fixtures" / "allocator"
NAMES = sorted(path.stem for path in FIXTURES.glob("*.json"))


def evidence(account):
    """Return bytes and blocks of what has any."""
    found = {name: tuple(one.values()) for name, one in account.by_evidence.items()}
    return {name: one for name, one in found.items() if one != (0, 0)}


def check(account):
    """Check the sums of every device, to the byte."""
    assert account.reserved == account.allocated + account.pending + account.inactive
    assert account.allocated == account.attributed + account.unattributed
    assert account.attributed == account.used + account.rounding + account.slack
    assert account.attributed == sum(account.by_kind.values())
    assert account.unattributed == sum(size for size, _ in evidence(account).values())


def segments_of(fixture):
    found = json.loads((FIXTURES / f"{fixture}.json").read_text())
    return found["segments"] if isinstance(found, dict) else found


@pytest.mark.parametrize("name", NAMES)
def test_identities(snap, name):
    """Account for a heap that has nothing on a device: all is unattributed."""
    accounting = leakgraph.cuda.attribute(FIXTURES / f"{name}.json", snap)
    segments = segments_of(name)
    assert len(accounting.devices) == len({segment["device"] for segment in segments})
    parsed = json.loads(accounting.json)
    assert parsed["host"] == accounting.host
    assert parsed["rows"] == accounting.to_dicts()
    values = {
        (row["device"], row["name"]): row["value"] for row in accounting.to_dicts()
    }
    for account in accounting.devices:
        assert values[account.device, "reserved"] == account.reserved
        assert values[account.device, "peak_reserved"] == account.peak_reserved
        parts = [
            value
            for (device, name), value in values.items()
            if device == account.device and name.startswith("by_evidence.")
        ]
        assert sum(parts) == account.unattributed
    for row, account in zip(parsed["devices"], accounting.devices):
        stacks = [stack._asdict() for stack in account.stacks]
        assert row == {**account._asdict(), "stacks": stacks}
    for account in accounting.devices:
        check(account)
        mine = [s for s in segments if f"cuda:{s['device']}" == account.device]
        blocks = [block for segment in mine for block in segment["blocks"]]
        active = sum(b["size"] for b in blocks if b["state"] == "active_allocated")
        assert account.reserved == sum(segment["total_size"] for segment in mine)
        assert account.allocated == account.unattributed == active
        assert account.residual == 0 and account.known
        assert f"\n{account.device}\n" in str(accounting)


LIVE = """
import json, pathlib, sys, torch, leakgraph, cupy
from torch.cuda import memory

path = pathlib.Path(sys.argv[1])
fixture = json.loads(path.read_text())
segments = fixture["segments"] if isinstance(fixture, dict) else fixture
torch.cuda._initialized = True
memory.answers = [fixture]
arrays = []
for segment in segments:
    at = segment["address"]
    for number, block in enumerate(segment["blocks"]):
        asked = block.get("requested_size", 0)
        if asked and number % 2 == 0 and block["state"] == "active_allocated":
            memory_block = cupy.Memory(at, asked, segment["device"])
            arrays.append(cupy.ndarray((asked // 4,), memory_block))
        at += block["size"]
live = leakgraph.memory()
snap = leakgraph.snapshot()
snap.save("heap.lgs")
later = leakgraph.cuda.attribute(path, "heap.lgs")
used = sum(array.data.mem.size for array in arrays)
print(json.dumps([[list(a) for a in t.devices]
                  for t in (live, snap.memory(), later)]))
print(used)
"""


@pytest.mark.parametrize("name", [name for name in NAMES if name != "legacy"])
def test_live(python, name):
    """Put every other block into CuPy's arrays, on fakes of torch.cuda and CuPy."""
    path = os.pathsep.join([str(FAKES), *filter(None, sys.path)])
    done = python("-c", LIVE, FIXTURES / f"{name}.json", PYTHONPATH=path)
    assert done.code == 0, done.err
    live, own, later = (
        [leakgraph.Account(row) for row in rows]
        for rows in json.loads(done.out.splitlines()[0])
    )
    for accounts in (live, own, later):
        for account in accounts:
            check(account)
            assert account.residual == 0 and account.outside == account.stale == 0
        assert sum(account.used for account in accounts) == int(done.out.split()[-1])
    # The driver's figures describe only the process's own snapshot.
    assert all(a.beyond == 300 * 2**20 for a in own if len(own) == 1)
    same = slice(0, leakgraph.Account._fields.index("beyond"))
    assert [a[same] for a in own] == [a[same] for a in later]


def test_in_flux(python):
    """Blocks that differ before and after the walk are in flux."""
    code = f"""
import json, pathlib, torch, leakgraph
from torch.cuda import memory
folder = pathlib.Path({str(FIXTURES)!r})
torch.cuda._initialized = True
memory.answers = [
    json.loads((folder / f"flux_{{when}}.json").read_text())
    for when in ("before", "after")
]
(account,) = leakgraph.memory().devices
print([item for item in account.by_evidence.items() if item[1]["blocks"]])
"""
    path = os.pathsep.join([str(FAKES), *filter(None, sys.path)])
    done = python("-c", code, PYTHONPATH=path)
    found = [
        ("in flux", {"bytes": 1048576, "blocks": 1}),
        ("unknown", {"bytes": 3145728, "blocks": 1}),
    ]
    assert done.out == f"{found}\n", done.err


def test_files(snap, tmp_path):
    plain = json.loads((FIXTURES / "plain.json").read_text())
    expected = str(leakgraph.cuda.attribute(plain, snap))
    for protocol in (2, pickle.HIGHEST_PROTOCOL):
        path = tmp_path / "gpu.pickle"
        path.write_bytes(pickle.dumps(plain, protocol))
        assert str(leakgraph.cuda.attribute(path, snap)) == expected
    assert str(leakgraph.cuda.attribute(str(FIXTURES / "plain.json"), snap)) == expected
    assert leakgraph.cuda.attribute(plain).host["python"] > 2**20


class Hostile:
    def __reduce__(self):
        return os.system, ("touch hostile",)


@pytest.mark.parametrize(
    "content",
    [
        pickle.dumps(Hostile()),
        pickle.dumps([1, {}])[:-3],
        b"\x80garbage",
        b"{",
        b"",
        b"[1]",
        b'{"segments": 3}',
    ],
)
def test_other_files(snap, tmp_path, content):
    path = tmp_path / "gpu.bin"
    path.write_bytes(content)
    with pytest.raises(leakgraph.FileError, match=r"gpu\.bin") as caught:
        leakgraph.cuda.attribute(path, snap)
    assert "\n" not in str(caught.value)
    assert not Path("hostile").exists()


def broken(**changes):
    made = json.loads((FIXTURES / "plain.json").read_text())
    block = made["segments"][0]["blocks"][1]
    for key, value in changes.items():
        target = made["segments"][0] if key in made["segments"][0] else block
        target[key] = value
    return made


@pytest.mark.parametrize(
    ("snapshot", "message"),
    [
        ({}, "it has no 'segments'"),
        ({"segments": {}}, "it is a dict"),
        ([3], r"segments\[0\] is no dict"),
        (broken(total_size=-1), r"segments\[0\] has no whole number 'total_size'"),
        (broken(total_size=2**20), r"segments\[0\]\.blocks\[3\] ends beyond"),
        (broken(total_size=2**22), "is 4194304 bytes long, but its blocks are 2097152"),
        (broken(device=10**6), "the impossible device"),
        (broken(segment_pool_id=[1]), "no pair of whole numbers"),
        (broken(blocks=None), "has no list 'blocks'"),
        (broken(state=None), r"blocks\[1\] has no 'state'"),
        (broken(size="9"), r"segments\[0\]\.blocks\[1\] has no whole number 'size'"),
        (broken(address=0x20), "does not begin where the one before it ends"),
    ],
)
def test_malformed(snap, snapshot, message):
    with pytest.raises(leakgraph.ArgumentError, match=message) as caught:
        leakgraph.cuda.attribute(snapshot, snap)
    assert "\n" not in str(caught.value)


def test_unknown_state(snap):
    """The error hides no other block, and the report counts its bytes."""
    accounting = leakgraph.cuda.attribute(broken(state="asleep"), snap)
    (account,) = accounting.devices
    check(account)
    assert account.by_evidence["unknown state"] == {"bytes": 1024, "blocks": 1}
    assert account.allocated == sum(size for size, _ in evidence(account).values())
    assert "1 block: asleep\n" in str(accounting)


def test_frames_before_sizes(snap):
    accounting = leakgraph.cuda.attribute(FIXTURES / "buckets.json", snap)
    (account,) = accounting.devices
    assert evidence(account) == {
        "DDP buckets": (32 * 2**20, 1),
        "held by C++": (2 * 2**20, 1),
    }
    assert "user_metadata 'epoch ?3>' < load (backward/autocast/" in str(accounting)
    accounting = leakgraph.cuda.attribute(FIXTURES / "workspaces.json", snap)
    assert set(evidence(accounting.devices[0])) == {
        "probably cuBLAS workspace",
        "unknown",
    }


def test_overlap(snap):
    made = json.loads((FIXTURES / "plain.json").read_text())
    made["segments"].append(made["segments"][0])
    with pytest.raises(leakgraph.ArgumentError, match=r"overlaps segments\[0\]"):
        leakgraph.cuda.attribute(made, snap)


def test_memory(snap):
    accounting = snap.memory()
    assert set(accounting.host) >= {"python", "arrays", "tensors", "rss"}
    assert accounting.host["python"] > 2**20
    assert [row[1:] for row in accounting] == list(accounting.host.items())
    assert "<table>" in accounting._repr_html_() and "resident" in str(accounting)


RECORDED = FIXTURES.with_name("allocator_recorded")
MIB = 2**20

#: Accounts of a heap with nothing on a device, by what PyTorch 2.11 recorded on an
#: H100.
FOUND = {
    "training": {
        "probably cuBLAS workspace": (64 * MIB, 2),
        "held by C++": (13_904_896, 16),
        "unknown": (4_284_928, 4),
    },
    "autocast": {
        "cuBLAS workspace": (33 * MIB, 2),
        "autocast cache": (2_208_256, 5),
        "held by C++": (4_548_608, 6),
    },
    "distributed": {
        "cuBLAS workspace": (65 * MIB, 3),
        "DDP buckets": (4_284_928, 1),
        "backward": (4_284_928, 4),
        "held by C++": (4_284_928, 4),
    },
    "graph": {
        "probably cuBLAS workspace": (32 * MIB, 1),
        "private pool": (34_605_568, 3),
        "unknown": (5_465_600, 8),
    },
    "expandable": {
        "probably cuBLAS workspace": (32 * MIB, 1),
        "unknown": (7_307_264, 14),
    },
}


@pytest.mark.parametrize("name", FOUND)
def test_recorded(snap, name):
    """What a GPU's allocator answered to tests/gpu/record.py."""
    (account,) = leakgraph.cuda.attribute(RECORDED / f"{name}.json", snap).devices
    check(account)
    assert evidence(account) == FOUND[name]


def test_recorded_stacks(snap):
    """Name functions that say who allocates, without machinery, arguments, folders."""
    text = str(leakgraph.cuda.attribute(RECORDED / "distributed.json", snap))
    stacks = text.partition("innermost first\n")[2]
    assert "at::empty < c10d::Reducer::initialize_buckets < c10d::Reducer" in stacks
    assert "__init__ (torch/nn/parallel/distributed.py:896) < distributed" in stacks
    for machinery in ("unwind", "CUDACaching", "wrap_kernel", "_PyEval", "pybind"):
        assert machinery not in stacks
    assert "Tensor const&" not in stacks
