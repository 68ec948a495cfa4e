"""What one call of a function holds, and then another one, is no growth."""

import itertools
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from builds import needs_fork

import leakgraph
from leakgraph.sequence import SLOTS
from leakgraph.snapshot_files import SnapshotFiles
from leakgraph.watching import Watch

pytestmark = pytest.mark.small


class Row:
    """What programs collect."""


class Program:
    """Calls functions, which take a snapshot now and then."""

    def __init__(self):
        self.taken = []

    def look(self):
        self.taken.append(leakgraph.snapshot())

    def steps(self):
        return range(4)


def draw(program, size):
    rows = [Row() for _ in range(size)]
    program.look()
    return len(rows)


def calls_again(program):
    """Each call has more by chance; its caller has another number each time."""
    for number in program.steps():
        size = 1000 * (number + 1)
        draw(program, size)


def calls_another_line(program):
    draw(program, 300)
    draw(program, 400)
    draw(program, 500)
    draw(program, 600)


def begins_late(program):
    """Only the last two snapshots fall into the call."""
    program.look()
    program.look()
    collects(program, range(2))


def collects(program, steps=None):
    kept = []
    for _ in steps or program.steps():
        kept.extend(Row() for _ in range(300))
        program.look()


def copies(program):
    kept = []
    for _ in program.steps():
        kept = [*kept, *(Row() for _ in range(300))]
        program.look()


def chains(program):
    last = None
    for _ in program.steps():
        for _ in range(300):
            row = Row()
            row.before, last = last, row
        program.look()


def lends(program):
    """The function that fills a list holds it, too."""
    kept = []
    for _ in program.steps():
        fill(program, kept)


def fill(program, rows):
    rows.extend(Row() for _ in range(300))
    program.look()


def collects_late(program):
    """A call that begins after the first snapshot goes on."""
    program.look()
    collects(program)


def changes_its_closure(program):
    """A callee changes a variable of its caller."""
    done = 0

    def step():
        nonlocal done
        done += 1000
        program.look()

    def loop():
        kept = []
        for _ in program.steps():
            kept.extend(Row() for _ in range(300))
            step()

    loop()


def piles_threads(program):
    """Each thread waits for ever, with what it holds."""
    ended = threading.Event()

    def wait(begun):
        rows = [Row() for _ in range(100)]
        begun.set()
        ended.wait()
        return rows

    threads = []
    for _ in program.steps():
        for _ in range(5):
            begun = threading.Event()
            threads.append(threading.Thread(target=wait, args=(begun,), daemon=True))
            threads[-1].start()
            begun.wait()
        program.look()
    ended.set()
    for thread in threads:
        thread.join()


pool = queue.SimpleQueue()


def borrow(program, size):
    """Nobody else has what a call takes out of the pool, until it puts that back."""
    rows = pool.get()
    rows.extend(Row() for _ in range(size))
    program.look()
    pool.put(rows)


def borrows(program, sizes=(300,) * 5):
    pool.put([])
    for number, size in enumerate(sizes):
        other = 1000 * (number + 1)
        borrow(program, size)
        assert other
    pool.get()


def borrows_unevenly(program):
    borrows(program, (300, 100, 900, 300, 100, 900, 300))


def draws(program, sizes):
    for number, size in enumerate(sizes):
        other = 1000 * (number + 1)
        draw(program, size)
        assert other


def draws_more_unevenly(program):
    draws(program, (100, 200, 600, 700, 1500, 1600))


def draws_less_once(program):
    draws(program, (300, 600, 900, 880, 1200, 1500, 1800))


def draw_and_sort(program, size):
    """C code has the rows, too, where no snapshot sees them."""
    rows = [Row() for _ in range(size)]
    return sorted([rows], key=lambda _: program.look())


def calls_and_sorts_again(program):
    for number in program.steps():
        size = 1000 * (number + 1)
        draw_and_sort(program, size)


HONEST = [
    calls_again,
    calls_and_sorts_again,
    calls_another_line,
    begins_late,
    draws_more_unevenly,
    draws_less_once,
]
LEAKS = [
    collects,
    copies,
    chains,
    lends,
    collects_late,
    changes_its_closure,
]
BORROWED = [borrows, borrows_unevenly]
BOTH = [(calls_again, False), (collects, True)]
NAMES = ["calls_again", "collects"]


def told(snapshots, name=f"{__name__}.Row"):
    """Find whether a row is of objects of a type: those of the program."""
    return any(row.type == name for row in leakgraph.diff(*snapshots))


def ran(run, program):
    """Run the program in a thread of its own, which has no frames of a test."""
    thread = threading.Thread(target=run, args=(program,))
    thread.start()
    thread.join()
    return program


def saved(snapshots, folder):
    """Save summaries, as a long run does."""
    return [
        snapshot.summary(folder / f"{number}.lgsum")
        for number, snapshot in enumerate(snapshots)
    ]


@pytest.mark.parametrize("run", HONEST, ids=lambda run: run.__name__)
def test_what_calls_hold_one_after_the_other_is_no_growth(run, tmp_path):
    taken = ran(run, Program()).taken
    files = saved(taken, tmp_path)
    assert not told(taken)
    assert not told(files)
    assert not told(files[1:3])


@pytest.mark.parametrize("run", LEAKS, ids=lambda run: run.__name__)
def test_what_one_call_collects_is_growth(run, tmp_path):
    taken = ran(run, Program()).taken
    files = saved(taken, tmp_path)
    assert told(taken)
    assert told(files)
    assert told(files[-2:])


@pytest.mark.parametrize("run", BORROWED, ids=lambda run: run.__name__)
def test_what_calls_take_from_a_pool_and_put_back_is_growth(run, tmp_path):
    """It rises too often, or too evenly, for chance."""
    taken = ran(run, Program()).taken
    assert told(taken)
    assert told(saved(taken, tmp_path))
    assert not told(taken[:4])


def test_threads_that_wait_for_ever_pile_up():
    assert told(ran(piles_threads, Program()).taken, "thread")


@pytest.mark.parametrize(("lasting", "growth"), [(1, False), (2, True)])
def test_most_of_several_threads_go_on(lasting, growth):
    """Threads that are alike share their places; some begin another call."""
    together = threading.Barrier(4)

    def hold(*sizes):
        kept = []
        for size in sizes:
            kept.extend(Row() for _ in range(size))
            together.wait()
            together.wait()

    def work(number):
        if number < lasting:
            hold(300, 300)
        else:
            hold(300)
            hold(600)

    taken = []
    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(2):
        together.wait()
        taken.append(leakgraph.snapshot())
        together.wait()
    for thread in threads:
        thread.join()
    assert told(taken) is growth


class Watched(Program):
    """Looks with a watch, until that has compared its snapshots."""

    def __init__(self):
        super().__init__()
        self.now, self.found = 0.0, []
        self.files = Compared(SLOTS)
        self.watch = Watch(
            1.0,
            lambda row, growth: self.found.append(row.type),
            clock=lambda: self.now,
            read=lambda: (int(2e6 * self.now), 0, 0, 0, 0),
            snapshots=self.files,
            background=False,
        )

    def look(self):
        self.now += 1.0
        self.watch.step()

    def steps(self):
        return itertools.takewhile(lambda _: not self.files.are_compared, range(99))


class Compared(SnapshotFiles):
    """Knows whether they were compared."""

    are_compared = False

    def compare(self, *arguments, **options):
        self.are_compared = True
        return super().compare(*arguments, **options)


@pytest.mark.parametrize(("run", "growth"), BOTH, ids=NAMES)
def test_a_watch_tells_calls_apart(run, growth, monkeypatch):
    monkeypatch.setattr("leakgraph.found.LATE", 0.0)
    program = Watched()
    with program.watch:
        ran(run, program)
        told = f"{__name__}.Row" in program.found
    assert program.files.are_compared
    assert told is growth


#: Takes no snapshot: it waits for one.
TARGET = """
import sys
sys.path.insert(0, {folder!r})
import {module} as programs

class Seen(programs.Program):
    def look(self):
        print("ready", flush=True)
        sys.stdin.readline()

programs.ran(programs.{run}, Seen())
"""


@needs_fork
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="attach knows x86-64 only")
@pytest.mark.parametrize(("run", "growth"), BOTH, ids=NAMES)
def test_attach_tells_calls_apart(run, growth, tmp_path):
    files = [tmp_path / f"{number}.lgs" for number in range(4)]
    source = TARGET.format(
        folder=str(Path(__file__).parent), module=__name__, run=run.__name__
    )
    with subprocess.Popen(
        [sys.executable, "-c", source],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as target:
        for file in files:
            assert target.stdout.readline() == "ready\n"
            with leakgraph.attach(target.pid) as snapshot:
                snapshot.save(file)
            target.stdin.write("\n")
            target.stdin.flush()
    assert told(files) is growth
