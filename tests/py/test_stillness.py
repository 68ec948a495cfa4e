"""Tests the cheap look that tells a test without leaks from one that may have some."""

import gc
import sysconfig
from array import array

import pytest
from builds import FREE_THREADED

from leakgraph.stillness import _rises, observe

pytestmark = pytest.mark.ends

kept = []

needs_accounts = pytest.mark.skipif(
    FREE_THREADED, reason="mimalloc does not say what it has given out"
)


@pytest.fixture(autouse=True)
def fresh():
    kept.clear()
    yield
    kept.clear()


buffer = bytearray()


def grow():
    buffer.extend(bytes(5000))


def cycle():
    one = []
    one.append(one)


#: What stays with each call; of some, Python has more in free lists.
LEAKS = {
    "list": lambda: kept.append([]),
    "float": lambda: kept.append(len(kept) + 0.5),
    "tuple": lambda: kept.append((len(kept),)),
    "dict": lambda: kept.append({}),
    "class": lambda: kept.append(type("A", (), {})),
    "cycle": lambda: kept.append(cycle) or kept.append([kept]),
    "growth in place": grow,
}


@pytest.mark.parametrize("name", LEAKS)
def test_a_leak_makes_numbers_rise(name):
    assert observe(LEAKS[name], 2, 4).grows


@needs_accounts
def test_what_leaves_nothing_behind():
    seen = observe(lambda: [str(number) for number in range(1000)], 2, 4)
    assert (seen.grows, seen.has_cycles) == (False, False)


@needs_accounts
def test_a_cache_that_fills_at_first_is_no_leak():
    def fill():
        if len(kept) < 5:
            kept.append([])

    assert not observe(fill, 1, 4).grows


@needs_accounts
def test_garbage_in_cycles_is_seen():
    seen = observe(cycle, 2, 4)
    assert (seen.grows, seen.has_cycles) == (False, True)


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_as_before(enabled):
    def fail():
        raise KeyError

    was = gc.isenabled()
    frozen = gc.get_freeze_count()
    try:
        gc.enable() if enabled else gc.disable()
        observe(list, 0, 1)
        with pytest.raises(KeyError):
            observe(fail, 0, 1)
        assert (gc.isenabled(), gc.get_freeze_count()) == (enabled, frozen)
    finally:
        gc.enable() if was else gc.disable()


def test_a_program_that_has_frozen_its_heap_keeps_it_frozen(python):
    code = """
import gc
from leakgraph.stillness import observe
gc.freeze()
count, kept = gc.get_freeze_count(), []
print(observe(lambda: kept.append([]), 1, 2).grows, gc.get_freeze_count() == count)
"""
    assert python("-c", code).out == "True True\n"


@pytest.mark.parametrize("allocator", ["malloc", "mimalloc"])
def test_without_pymalloc_nothing_is_known(python, allocator):
    if allocator == "mimalloc" and not sysconfig.get_config_var("WITH_MIMALLOC"):
        pytest.skip("mimalloc is new in version 3.13")
    if allocator == "malloc" and FREE_THREADED:
        pytest.skip("a free-threaded build has mimalloc only")
    code = """
from leakgraph.stillness import observe
print(observe(lambda: None, 1, 2).grows)
"""
    assert python("-c", code, PYTHONMALLOC=allocator).out == "True\n"


@pytest.mark.parametrize(
    ("series", "rises"),
    [
        ([5, 5, 5], False),
        ([5, 6, 5], False),
        ([5, 5, 6], True),
        ([9, 5, 6, 7], True),
        ([9, 5, 6, 6], False),
    ],
)
def test_what_rises(series, rises):
    assert _rises(array("q", series)) is rises
