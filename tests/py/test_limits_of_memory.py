"""Tests a process's memory limits: control groups of both versions, in fake roots."""

import os
import resource

import pytest

from leakgraph import _core
from leakgraph.limits import Memory, gib, size

GIB = 1 << 30
PAGE = os.sysconf("SC_PAGE_SIZE")


@pytest.fixture
def machine(tmp_path):
    """Write the files of a machine with 16 GiB; return its Memory."""

    def make(files, resident=1 << 20):
        files = {
            "proc/meminfo": "MemTotal: 16777216 kB\nMemAvailable: 8388608 kB\n",
            "proc/self/statm": f"99999 {resident // PAGE} 1 1 0 1 0\n",
            **files,
        }
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return Memory(str(tmp_path))

    return make


V2 = {
    "proc/self/cgroup": "0::/pod/job\n",
    "proc/self/mountinfo": "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
    "sys/fs/cgroup/pod/job/memory.stat": "anon 900\nfile 5000\nshmem 100\nslab 7\n",
}

V1 = {
    "proc/self/cgroup": "5:devices:/x\n4:cpu,memory:/docker/abc\n0::/\n",
    "proc/self/mountinfo": (
        "30 23 0:27 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
        "31 30 0:28 / /sys/fs/cgroup/cpu\\040set rw,nosuid shared:1 - cgroup c rw,cpu\n"
        "32 30 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
    ),
    "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
    "sys/fs/cgroup/memory/docker/abc/memory.stat": (
        "cache 70\nrss 30\ntotal_cache 700\ntotal_rss 800\ntotal_shmem 50\n"
    ),
}


def test_no_group_at_all(machine):
    memory = machine({}, resident=5 * PAGE)
    assert (memory.limit, memory.owner) == (16 * GIB, "this machine")
    assert memory.used() == 5 * PAGE
    assert memory.left() == 8 * GIB


def test_version_2(machine):
    memory = machine({**V2, "sys/fs/cgroup/pod/job/memory.max": f"{GIB}\n"}, resident=0)
    assert memory.limit == GIB
    assert memory.owner.startswith("the control group /")
    assert memory.owner.endswith("pod/job")
    assert memory.used() == 1000
    assert memory.left() == GIB - 1000


def test_what_is_resident_here_counts_if_it_is_more(machine):
    memory = machine({**V2, "sys/fs/cgroup/pod/job/memory.max": str(GIB)}, GIB // 2)
    assert memory.used() == GIB // 2


def test_no_limit_is_the_machines(machine):
    memory = machine({**V2, "sys/fs/cgroup/pod/job/memory.max": "max\n"})
    assert memory.owner == "this machine"


def test_the_tightest_of_the_groups_above(machine):
    memory = machine(
        {
            **V2,
            "sys/fs/cgroup/pod/job/memory.max": f"{4 * GIB}\n",
            "sys/fs/cgroup/pod/memory.max": f"{2 * GIB}\n",
            "sys/fs/cgroup/pod/memory.stat": "anon 3000\nshmem 4\n",
        },
        resident=0,
    )
    assert memory.limit == 2 * GIB and memory.owner.endswith("/pod")
    assert memory.used() == 3004


def test_version_1(machine):
    limit = "sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes"
    memory = machine({**V1, limit: f"{3 * GIB}\n"}, resident=0)
    assert memory.limit == 3 * GIB and memory.owner.endswith("/docker/abc")
    assert memory.used() == 850


def test_version_1_without_limit(machine):
    assert machine(V1).owner == "this machine"


def test_in_a_container_the_group_is_mounted_as_the_top(machine):
    mount = (
        "32 30 0:29 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
    )
    memory = machine(
        {
            **V1,
            "proc/self/mountinfo": mount,
            "sys/fs/cgroup/memory/memory.limit_in_bytes": f"{GIB}\n",
            "sys/fs/cgroup/memory/memory.stat": "total_rss 12\ntotal_shmem 3\n",
        },
        resident=0,
    )
    assert memory.limit == GIB and memory.used() == 15


def test_a_path_of_another_namespace(machine):
    """The process moved to another group, so its path is not below the mounted one."""
    memory = machine(
        {
            **V2,
            "proc/self/cgroup": "0::/../../elsewhere\n",
            "sys/fs/memory.max": "7000\n",
            "sys/fs/cgroup/memory.max": f"{GIB}\n",
            "sys/fs/cgroup/memory.stat": "anon 1\n",
        },
        resident=0,
    )
    assert memory.limit == GIB and memory.used() == 1


def test_a_limit_of_addresses_counts_if_it_leaves_least(machine, monkeypatch):
    limits = {resource.RLIMIT_AS: 2 * GIB, resource.RLIMIT_DATA: -1}
    monkeypatch.setattr(resource, "getrlimit", lambda which: (limits[which], -1))
    status = "VmSize:\t1048576 kB\nVmData:\t 524288 kB\n"
    memory = machine({"proc/self/status": status})
    assert (memory.limit, memory.owner) == (2 * GIB, "ulimit -v")
    assert memory.is_of_addresses and memory.used() == GIB and not memory.refresh()
    limits[resource.RLIMIT_DATA] = GIB
    assert memory.refresh() and (memory.limit, memory.owner) == (GIB, "ulimit -d")
    assert memory.used() == GIB // 2 and memory.left() == GIB // 2
    limits.update({resource.RLIMIT_AS: 64 * GIB, resource.RLIMIT_DATA: -1})
    assert memory.refresh() and memory.owner == "this machine"
    assert not memory.is_of_addresses and memory.used() == 1 << 20


def test_what_a_snapshot_needs_grows_with_the_heap(machine):
    memory = machine({})
    before = memory.need()
    kept = [[] for _ in range(100_000)]
    assert memory.need() - before > 50 * len(kept)


def test_of_several_mounts_the_one_that_has_the_group(machine):
    other = "30 23 0:28 /other /mnt/other rw - cgroup2 cgroup2 rw\n"
    part = "32 23 0:28 /po /mnt/po rw - cgroup2 cgroup2 rw\n"
    memory = machine(
        {
            **V2,
            "proc/self/mountinfo": other + part + V2["proc/self/mountinfo"],
            "mnt/other/memory.max": "7000\n",
            "mnt/po/memory.max": "7000\n",
            "sys/fs/cgroup/pod/job/memory.max": f"{GIB}\n",
        }
    )
    assert memory.limit == GIB and memory.owner.endswith("/pod/job")


def test_a_machine_with_many_mounts(machine):
    rows = "".join(f"{i} 23 0:9 / /mnt/{i} rw - tmpfs tmpfs rw\n" for i in range(2000))
    mounts = rows + V2["proc/self/mountinfo"]
    files = {**V2, "proc/self/mountinfo": mounts}
    memory = machine({**files, "sys/fs/cgroup/pod/job/memory.max": f"{GIB}\n"})
    assert memory.limit == GIB


def group(name, limit, current, idle=0, whole=0, high="max"):
    """Make the files of a group of version 2."""
    stat = f"anon 7\nfile 9\nactive_file 5\ninactive_file {idle}\nslab 3"
    files = {
        "memory.max": limit,
        "memory.high": high,
        "memory.current": current,
        "memory.stat": stat,
        "memory.oom.group": whole,
    }
    folder = f"sys/fs/cgroup/{name}".rstrip("/")
    return {f"{folder}/{file}": f"{text}\n" for file, text in files.items()}


NO_ROOM = {
    "proc/self/cgroup": V2["proc/self/cgroup"],
    "proc/self/mountinfo": V2["proc/self/mountinfo"],
}
MIB = 1 << 20
ANY = 2**64 - 1


@pytest.mark.parametrize(
    ("pod", "job", "left", "limit", "owner"),
    [
        # Nothing ends as one, or nothing has a limit but the machine.
        ((GIB, GIB - MIB), (GIB, GIB - MIB), ANY, "", ""),
        (("max", MIB), ("max", MIB, 0, 1), 8 * GIB, "MemAvailable", ""),
        # What the kernel can drop counts as room.
        ((GIB, 0), (GIB, GIB - 9 * MIB, MIB, 1), 10 * MIB, "memory.max", "/pod/job"),
        ((GIB, 0), (MIB, 5, 7, 1), MIB, "memory.max", "/pod/job"),
        ((GIB, 0), (MIB, 2 * MIB, 0, 1), 0, "memory.max", "/pod/job"),
        ((GIB, 0), (GIB, MIB, 0, 1, 3 * MIB), 2 * MIB, "memory.high", "/pod/job"),
        # Memory that runs out above ends a group below as one, not the other way.
        ((GIB, GIB - MIB), ("max", 0, 0, 1), MIB, "memory.max", "/pod"),
        ((9 * GIB, 0, 0, 1), (MIB, 0), 8 * GIB, "MemAvailable", ""),
        ((GIB, GIB - MIB, 0, 1), (MIB, MIB), MIB, "memory.max", "/pod"),
        ((GIB, GIB - MIB, 0, 0), (9 * MIB, 0, 0, 1), MIB, "memory.max", "/pod"),
    ],
)
def test_the_room_of_a_group_that_ends_whole(machine, pod, job, left, limit, owner):
    files = {**group("pod", *pod), **group("pod/job", *job)}
    memory = machine({**NO_ROOM, **files}, resident=0)
    root = memory._root
    folder = f"{root}/sys/fs/cgroup{owner}" if owner else ""
    assert _core._group_room(root) == (left, limit, folder)
    assert memory.left() <= left


def test_groups_of_version_1_never_end_whole(machine):
    files = group("memory/docker/abc", MIB, MIB, whole=1)
    memory = machine({**V1, **files})
    assert _core._group_room(memory._root) == (ANY, "", "")


def test_a_snapshot_takes_no_more_than_such_a_group_has(machine):
    memory = machine({**NO_ROOM, **group("pod/job", GIB, GIB - MIB, whole=1)})
    assert memory.left() == MIB


def test_this_machine():
    memory = Memory()
    assert 0 < memory.used() < memory.limit
    assert 0 <= memory.left() <= memory.limit


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90%", 900),
        (" 12.5 % ".replace(" %", "%"), 125),
        ("100%", 1000),
        ("12GiB", 12 * GIB),
        ("12G", 12 * GIB),
        ("12gb", 12 * GIB),
        ("1.5MiB", 3 << 19),
        ("4096", 4096),
        ("4096.0", 4096),
        ("4096B", 4096),
        ("2T", 2 << 40),
        ("3k", 3072),
    ],
)
def test_sizes(text, expected):
    assert size(text, 1000) == expected


@pytest.mark.parametrize(
    "text", ["", "%", "0%", "101%", "-5%", "GiB", "12X", "0", "-1", "much", "1 2", "B"]
)
def test_no_sizes(text):
    with pytest.raises(ValueError):
        size(text, 1000)


@pytest.mark.parametrize("text", ["1.5", "0.9", "1.5B", "nan", "inf", "1e999"])
def test_no_whole_numbers_of_bytes(text):
    with pytest.raises(ValueError):
        size(text, 1000)


def test_how_limits_are_written():
    assert gib(3 * GIB // 2) == "1.50 GiB"
