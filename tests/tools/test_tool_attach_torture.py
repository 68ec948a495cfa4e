"""A short form of the torture, and harms that it must see."""

import os
import signal
import struct
import sys
from types import SimpleNamespace

import attach_torture
import pytest
import tortured

import leakgraph

if sys.maxsize < 2**32 or os.uname().machine != "x86_64":
    pytest.skip("attach knows x86-64 only", allow_module_level=True)

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("torture")
    attach_torture.build(made)
    return made


@pytest.fixture(scope="module")
def attachable(folder):
    """Skip the tests where leakgraph attaches to no process, as in some containers."""
    one = tortured.Target("busy", folder, sys.executable)
    try:
        leakgraph.attach(one.pid).close()
    except leakgraph.UnsupportedError as error:
        pytest.skip(str(error))
    finally:
        one.process.kill()
        one.process.wait()


@pytest.fixture
def target(attachable, folder, monkeypatch):
    one = tortured.Target("busy", folder, sys.executable)
    leakgraph.attach(one.pid).close()
    monkeypatch.setattr(tortured, "STAYING", 0.3)
    yield one
    one.process.kill()
    one.process.wait()


def test_a_process_that_nobody_harms(target):
    assert target.harms() == []
    assert target.end() == []


def test_a_process_that_is_frozen(target, monkeypatch):
    monkeypatch.setattr(tortured, "FROZEN", 0.3)
    os.kill(target.pid, signal.SIGSTOP)
    frozen, deaf = target.harms()
    assert frozen.startswith("frozen (T, ")
    assert deaf == "deaf"


def test_a_process_that_dies(target):
    target.process.kill()
    target.process.wait()
    assert target.harms() == ["dead (-9)"]
    assert target.end() == ["ends with -9"]


def test_a_process_with_another_mask(target):
    target.masks = {task: {"shown"} for task in target.masks}
    (harm,) = target.harms()
    assert harm.startswith("other mask 0000000000000000 instead of shown")


@pytest.mark.parametrize("name", ["code", "descriptors", "children", "traced"])
def test_a_process_that_keeps_something(target, name):
    target.before[name] = "something else"
    assert target.harms() == [f"other {name}"]


def test_a_process_whose_check_fails(target):
    struct.pack_into("<Q", target.page, 8 * tortured.WRONG, 1)
    assert target.harms() == ["wrong (0)"]


def test_a_process_that_loses_a_signal(target, monkeypatch):
    monkeypatch.setattr(tortured, "FROZEN", 0.3)
    assert target.harms(target.get(tortured.SIGNALS) + 9) == ["without the signal"]


def test_a_process_with_another_result(target, monkeypatch):
    monkeypatch.setattr(tortured, "twin", lambda _: bytes(32))
    assert target.end() == ["other result"]


@pytest.mark.parametrize(("patience", "shown"), [(-1.0, 2), (60.0, 1)])
def test_a_line_that_takes_long_says_how_far_it_is(
    capsys, monkeypatch, patience, shown
):
    """So does one that has found a harm."""
    monkeypatch.setattr(attach_torture, "PATIENCE_OF_READERS", patience)
    torture = SimpleNamespace(finish=lambda: "", faults=[], step=1)
    plan = iter([("0", ""), ("-9", "dead (-9)")])
    attach_torture.report(torture, "busy", "leakgraph killed, each call", plan)
    *meanwhile, last = capsys.readouterr().out.splitlines()
    assert len(meanwhile) == shown
    assert all(" runs so far, ends {'0': 1" in line for line in meanwhile)
    assert (
        "     2 runs, ends {'0': 1, '-9': 1}, 0 without effect: {'dead (-9)': 1}"
        in last
    )


@pytest.mark.parametrize("step", [1, 2, 3])
def test_as_many_runs_as_the_step_torture_at_every_call(step):
    """Each begins at another call that somebody names."""
    reached = []

    def begin(first):
        torture = SimpleNamespace(
            step=step,
            first=first,
            calls=None,
            count=lambda _: 7,
            run_at=lambda *at: reached.append(at) or ("0", ""),
        )
        return attach_torture.each_call(torture, "busy", attach_torture.KILL)

    for first in range(1, step + 1):
        assert set(begin(first)) == {("0", "")}
    every = [("busy", attach_torture.KILL, 1 + at // 2, at % 2) for at in range(14)]
    assert sorted(reached) == every


def torture(capfd, words):
    """Run the torture; return its lines, all of which a failure shows."""
    code = attach_torture.main(words)
    shown = capfd.readouterr().out
    assert code == 0, shown
    assert shown.endswith(" runs, 0 with harm\n"), shown
    return shown.splitlines()


def test_no_torture_harms_a_process(attachable, capfd):
    """Each action befalls each target, but for those that may have no effect."""
    words = ["--runs", "18", "--step", "60", "--modes", "threaded", "queue", "replaced"]
    *lines, last = torture(capfd, words)
    actions = attach_torture.AT_CALLS.items()
    may_miss = [one for one, at in actions if at in attach_torture.IN_TWO_STEPS]
    sure = [line for line in lines if not any(one in line for one in may_miss)]
    assert int(last.split()[0]) >= len(sure) > 30, lines


def test_no_visit_that_is_cut_off_loses_a_signal(attachable, capfd):
    """The second and third call are those at which a visit begins to trace."""
    words = ["--runs", "0", "--calls", "3", "--modes", "waiting", "--method", "ptrace"]
    torture(capfd, [*words, "--actions", "signalled and cut off"])


def test_no_torture_harms_tiles(attachable, capfd):
    """The main thread and another one hold values in the tiles of AMX."""
    if reason := attach_torture.reason_without("tiles"):
        pytest.skip(reason)
    words = ["--runs", "6", "--step", "20", "--modes", "tiles", "--method", "ptrace"]
    torture(capfd, [*words, "--actions", "leakgraph killed", "stopped shortly"])


def test_a_target_that_the_machine_cannot_run(capsys, folder, monkeypatch):
    monkeypatch.setattr(attach_torture, "TILES", 0)
    words = ["--runs", "3", "--modes", "tiles", "--folder", str(folder)]
    assert attach_torture.main(words) == 1
    skipped, last = capsys.readouterr().out.splitlines()
    assert skipped == "tiles       skipped: the processor or the kernel has no AMX"
    assert last == "0 runs, 0 with harm"
