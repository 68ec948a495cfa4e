"""The list of native blocks, against heaps that are known block by block."""

import json

import pytest
from builds import FREE_THREADED

DAMAGES = ("size", "odd", "zero", "flag", "cache")

pytestmark = pytest.mark.skipif(
    FREE_THREADED, reason="a free-threaded build takes its blocks from mimalloc"
)


def run(isolated, *damages, **environment):
    """What the script finds in all its heaps."""
    done = isolated("native_heap.py", *damages, **environment)
    assert done.code == 0, done.err
    return json.loads(done.out)


@pytest.fixture(scope="module", params=["pymalloc", "malloc", "debug"])
def found(request, isolated):
    """The heaps, with each allocator that Python can use."""
    results = run(isolated, PYTHONMALLOC=request.param)
    # With malloc, the script's own next objects take what it has freed.
    results["reused"] = request.param == "malloc"
    return results


@pytest.fixture(scope="module")
def damaged(isolated):
    """What is said of damaged heaps."""
    return run(isolated, *DAMAGES)


def test_blocks_have_the_sizes_that_malloc_says(found):
    assert found["sizes"] == {"failure": None, "wrong": [], "mapped": 5}


def test_freed_blocks_are_not_listed(found):
    again = found["freed"].pop("listed")
    assert again <= (4 if found["reused"] else 0)  # of 80
    assert found["freed"] == {"failure": None, "kept": 20, "cached": True}


def test_all_arenas_and_heaps_of_threads_are_listed_and_their_caches_are_not(found):
    threads = found["threads"]
    assert threads["listed"] == threads["made"] == 900
    assert threads["gone"] == 0 or found["reused"]
    assert threads["own"] == 3
    assert threads["arenas"] >= 4


def test_the_blocks_add_up_to_what_malloc_counts(found):
    account = found["account"]
    assert account["failure"] is None
    assert abs(account["in_use"] - account["sum"]) <= 64  # padding of mapped blocks
    assert account["in_use"] + account["cached"] == pytest.approx(
        account["told"], rel=0.01
    )


def test_small_objects_are_blocks_and_freed_ones_are_not(found):
    pools = found["pools"]
    assert pools["in_use"] == 2500
    # The script's own next objects take a few of the freed blocks.
    assert pools["gone"] <= 10 or found["reused"]
    # Objects come and go between the account and the list.
    assert pools["bytes"] == pytest.approx(pools["told"], rel=0.01)


@pytest.mark.parametrize("damage", ["size", "odd", "zero", "flag"])
def test_a_damaged_header_is_told(damaged, damage):
    failure = damaged[damage]["failure"]
    assert failure == "a header in a heap of malloc is damaged"


def test_a_damaged_cache_of_a_thread_harms_nobody(damaged):
    assert damaged["cache"]["failure"] is None


def test_memory_that_looks_like_blocks_is_told(found):
    assert "but malloc counts" in found["lookalike"]["failure"]
