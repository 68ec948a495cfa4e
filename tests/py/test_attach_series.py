"""How many snapshots `leakgraph attach --diff` takes, and how long it waits between."""

import time
import types

import pytest

from leakgraph import attached

NATIVE = {"--native": ""}


@pytest.fixture
def series(monkeypatch):
    """Take the snapshots of a process that lists memory of C code at some cost."""

    def run(count, costs, options=None, needs_native=True, every=3.0):
        now, listed, waits = [0.0], [], []
        options = dict(options or {})

        def save(pid, path, given):
            listed.append("--native" in given)
            now[0] += costs[min(len(listed), len(costs)) - 1]
            return path.format(n=len(listed))

        answer = types.SimpleNamespace(needs_native=needs_native)
        monkeypatch.setattr(attached, "_save", save)
        monkeypatch.setattr(attached, "identity", lambda pid: None)
        monkeypatch.setattr(attached, "_check", lambda pid, known: None)
        monkeypatch.setattr(attached, "diff", lambda *files: answer)
        monkeypatch.setattr(
            attached, "_wait", lambda pid, time, log: waits.append(time)
        )
        monkeypatch.setattr(time, "monotonic", lambda: now[0])
        files = attached._save_each(1, "{n}.lgs", options, count, every, None)
        assert files == [f"{n + 1}.lgs" for n in range(len(listed))]
        return listed, waits

    return run


@pytest.mark.parametrize(
    ("count", "costs", "native"),
    [
        (2, [1.0], 0),
        (3, [1.0], 3),
        (4, [1.0], 4),
        (4, [1.0, 1.0, 10.0], 4),
        (4, [1.0, 1.0, 10.1], 3),
        (4, [1.0, 1.0, 1.0, 1.0, 60.0], 3),
        (3, [1.0, 1.0, 60.0], 3),
        (5, [1.0, 1.0, 60.0], 3),
        (9, [60.0], 7),
    ],
)
def test_slow_snapshots_of_c_memory_are_fewer(series, count, costs, native):
    plain = min(count, 2)
    assert series(count, costs)[0] == [False] * plain + [True] * native


def test_only_growing_memory_of_c_code_calls_for_more(series):
    assert series(4, [1.0], needs_native=False)[0] == [False] * 4
    assert series(4, [60.0], NATIVE)[0] == [True] * 4


def test_the_time_of_a_snapshot_is_part_of_the_distance(series):
    _, waits = series(4, [1.0, 2.0, 5.0, 1.0], needs_native=False)
    assert waits == [2.0, 1.0, 0.0]
