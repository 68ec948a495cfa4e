"""Tests Size: bytes by device."""

import pickle
from collections.abc import Mapping

import pytest

import leakgraph
from leakgraph import Size


def test_it_is_a_mapping_that_always_has_the_host():
    size = Size({"cuda:0": 3, "host": 5})
    assert isinstance(size, Mapping)
    assert list(size) == ["host", "cuda:0"] == list(size.keys())
    assert dict(size) == {"host": 5, "cuda:0": 3}
    assert list(size.items()) == [("host", 5), ("cuda:0", 3)]
    assert list(size.values()) == [5, 3]
    assert (size["cuda:0"], size.get("cuda:1"), size.get("cuda:1", 7)) == (3, None, 7)
    assert "host" in size
    assert "cuda:1" not in size
    assert dict(Size()) == {"host": 0} == dict(Size({}))
    assert dict(Size({"cuda:0": 1})) == {"host": 0, "cuda:0": 1}
    with pytest.raises(KeyError, match="cuda:1"):
        size["cuda:1"]
    with pytest.raises(TypeError):
        size["host"] = 1


def test_sums():
    size = Size({"host": 5, "cuda:0": 3, "cuda:1": 4})
    assert (size.host, size.total) == (5, 12)
    assert not hasattr(size, "device")  # that is a name, elsewhere
    assert Size({"host": 2**64 - 1, "cuda:0": 1}).total == 2**64 - 1
    both = size + Size({"cuda:2": 1, "host": 1})
    assert both == {"host": 6, "cuda:0": 3, "cuda:1": 4, "cuda:2": 1}
    assert sum([size, size]) == {"host": 10, "cuda:0": 6, "cuda:1": 8}
    assert size
    assert not Size()
    with pytest.raises(OverflowError):
        Size({"host": 2**64 - 1}) + Size({"host": 1})
    with pytest.raises(TypeError):
        size + 1


def test_a_device_without_bytes_is_as_good_as_none():
    assert Size({"host": 1}) == Size({"cuda:0": 0, "host": 1}) == {"host": 1}
    assert hash(Size({"host": 1})) == hash(Size({"cuda:0": 0, "host": 1}))
    assert hash(Size({"cuda:0": 1, "cuda:1": 2})) == hash(
        Size({"cuda:1": 2, "cuda:0": 1})
    )
    assert Size({"host": 1}) != Size({"cuda:0": 1})
    assert Size({"host": 1}) != 1
    assert Size() != {"host": "?"}


def test_order_is_that_of_totals():
    small, big = Size({"host": 9}), Size({"host": 5, "cuda:0": 5})
    assert small < big
    assert big > small
    assert small <= small
    assert sorted([big, small]) == [small, big]
    assert max(small, big) is big
    assert big > 9
    assert big >= 10.0
    assert not big < 10
    with pytest.raises(TypeError):
        big < "x"  # noqa: B015


def test_text():
    size = Size({"host": 12, "cuda:0": 2048})
    assert repr(size) == "Size({'host': 12, 'cuda:0': 2048})"
    assert str(size) == f"{size}" == "2.00 KiB cuda:0 · 12 B host"
    assert str(Size({"host": 12})) == "12 B"
    assert f"{size:,}" == "2,060"


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_it_pickles(protocol):
    size = Size({"host": 12, "cuda:0": 0, "cuda:1": 4})
    read = pickle.loads(pickle.dumps(size, protocol))
    assert read == size
    assert list(read) == list(size)


@pytest.mark.parametrize(
    "given", [{"host": -1}, {"host": 2**64}, {"host": 1.5}, {3: 1}, 7, [("host", 1)]]
)
def test_what_is_no_size(given):
    with pytest.raises((TypeError, OverflowError)):
        Size(given)


def test_a_name_that_cannot_be_hashed_or_compared():
    class Odd:
        def __eq__(self, other):
            raise ZeroDivisionError

        __hash__ = None

    with pytest.raises(ZeroDivisionError):
        Size()[Odd()]
    with pytest.raises(ZeroDivisionError):
        Odd() in Size()  # noqa: B015


def test_it_cannot_be_subclassed():
    with pytest.raises(TypeError):
        type("Mine", (leakgraph.Size,), {})
