"""A forked child takes no more than a group has that the kernel kills whole."""

import sys

import pytest
from builds import needs_fork
from test_fork import leftovers

pytestmark = [pytest.mark.ends, needs_fork]

MIB = 1 << 20
GIB = 1 << 30


@pytest.fixture
def group(tmp_path_factory, preload):
    """Put processes with this environment into a group; the object sets its files."""

    class Group:
        def __init__(self):
            self.top = tmp_path_factory.mktemp("groups")
            self.folder = self.top / "job"
            self.folder.mkdir()
            mount = f"31 23 0:28 / {self.top} rw - cgroup2 cgroup2 rw\n"
            (self.top / "mountinfo").write_text(mount)
            (self.top / "cgroup").write_text("0::/job\n")
            self.environment = {
                "LD_PRELOAD": preload("groups"),
                "GROUPS_FOLDER": str(self.top),
            }

        def set(self, left, whole=1):
            files = {"max": GIB, "current": GIB - left, "oom.group": whole}
            for name, number in files.items():
                (self.folder / f"memory.{name}").write_text(f"{number}\n")

    return Group()


#: Has a hundred thousand objects more than Python has, for which a snapshot needs more
#: than 10 MiB. Tells what becomes of a snapshot.
SAVES = """
import sys, leakgraph
kept = [[] for _ in range(100_000)]
options = {option: True for option in sys.argv[1:]}
try:
    if "native" in options:
        leakgraph.snapshot(**options).close()
    else:
        leakgraph.save_snapshot("x.lgs", fork=True, **options)
    print("saved")
except leakgraph.UnsupportedError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("left", "whole", "options", "said"),
    [
        (24 * MIB, 1, (), "24 MiB (memory.max)"),
        (24 * MIB, 1, ("native",), "24 MiB (memory.max)"),
        (24 * MIB, 0, (), None),
        (24 * MIB, 1, ("spill",), None),
        (MIB, 1, ("spill",), "1 MiB (memory.max)"),
        (GIB, 1, (), None),
    ],
)
def test_a_snapshot_by_a_child(python, group, tmp_path, left, whole, options, said):
    group.set(left, whole)
    done = python("-c", SAVES, *options, **group.environment)
    if said is None:
        assert done.out == "saved\n", done.err
        return
    assert f"the control group {group.folder} leaves {said}" in done.out, done.err
    assert "kills the whole control group" in done.out
    assert "raise that limit for a while" in done.out
    assert ("spill=True" in done.out) == ("spill" not in options)
    assert leftovers(tmp_path) == []


ARMS = """
import leakgraph
kept = [[] for _ in range(100_000)]
armed = leakgraph.arm("x.lgs", on_oom=False, signal=None)
armed._series.take("shortage")
print(len(armed.snapshots))
"""


def test_arm_keeps_the_childs_memory_in_a_file(python, group):
    """It acts when memory runs out, so there is no room for another way."""
    group.set(24 * MIB)
    done = python("-c", ARMS, **group.environment)
    assert done.out == "1\n", done.err


@pytest.mark.parametrize("left", [8 * MIB, 8 * MIB - 1])
def test_a_child_gives_up_before_the_kernel_kills_its_parent(
    python, group, tmp_path, left
):
    """Its parent, or another process of the group, has taken what was left."""
    group.set(GIB // 2)
    (group.folder / "memory.current.child").write_text(str(GIB - left))
    source = SAVES.replace("UnsupportedError", "ChildError")
    done = python("-c", source, **group.environment)
    if left == 8 * MIB:
        assert done.out == "saved\n", done.err
        return
    assert done.out.startswith("the capturing child gave up"), done.err
    assert "raise its limit for a while" in done.out
    assert leftovers(tmp_path) == []


@pytest.mark.skipif(sys.maxsize < 2**32, reason="attach knows 64 bits only")
@pytest.mark.parametrize("method", ["ptrace", "auto"])
def test_an_attach(group, method):
    from test_attach import COMPUTES, Target, refused

    group.set(24 * MIB)
    words = [f"{name}={value}" for name, value in group.environment.items()]
    one = Target(COMPUTES, "env", *words, first="many = [[] for _ in range(100_000)]")
    try:
        before = one.traces()
        text = refused(one.pid, method=method)
        assert f"process {one.pid} cannot be captured: a snapshot may take" in text
        assert f"{group.folder} leaves 24 MiB (memory.max)" in text
        assert "spill" not in text
        assert one.traces() == before
        group.set(GIB)
        import leakgraph

        leakgraph.attach(one.pid, method=method).close()
        assert one.traces() == before
    finally:
        one.end()


@pytest.mark.skipif(sys.maxsize < 2**32, reason="attach knows 64 bits only")
@pytest.mark.parametrize(
    ("left", "path", "refuses"),
    [
        (16 * MIB - 1, "/job", True),
        (16 * MIB, "/job", False),
        # The group of another container, of which nothing is seen here.
        (16 * MIB - 1, "/../job", False),
    ],
)
def test_an_attach_looks_at_the_group_before_it_touches_the_process(
    group, python, left, path, refuses
):
    """From here it sees groups, too, that the process does not."""
    from test_attach import COMPUTES, Target

    group.set(left)
    (group.top / "cgroup").write_text(f"0::{path}\n")
    one = Target(COMPUTES)
    try:
        before = one.traces()
        done = python("-m", "leakgraph", "attach", one.pid, **group.environment)
        said = f"a snapshot may take 16 MiB, the control group {group.folder} leaves 15"
        assert (said in done.err) == refuses, done.err
        assert (done.code == 0) != refuses
        assert one.traces() == before
    finally:
        one.end()
