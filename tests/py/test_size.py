"""Tests Size: bytes by device."""

import json
import math
import pickle
import statistics
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

import pytest
from builds import needs

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


def test_a_device_without_bytes_is_as_good_as_none():
    assert Size({"host": 1}) == Size({"cuda:0": 0, "host": 1}) == {"host": 1}
    assert hash(Size({"host": 1})) == hash(Size({"cuda:0": 0, "host": 1}))
    assert hash(Size({"cuda:0": 1, "cuda:1": 2})) == hash(
        Size({"cuda:1": 2, "cuda:0": 1})
    )
    assert Size({"host": 1}) != {"cuda:0": 1}
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
    with pytest.raises(TypeError, match=r"'leakgraph\.Size' and 'NoneType'"):
        big < None  # noqa: B015


def test_equality_agrees_with_order_and_hash():
    """Neither less nor more is equal, with numbers and between devices, too."""
    size = Size({"host": 5, "cuda:0": 5})
    for other in (10, 10.0, Fraction(10), Decimal(10), Size({"host": 10})):
        assert size == other and size <= other and size >= other
        assert (size != other) is False
        assert hash(size) == hash(other)
    for other in (11, 10.5, Size({"cuda:0": 11}), {"host": 10}):
        assert size != other
        assert (size == other) is False
    assert {size: "found"}[10] == "found"
    assert size != None and size != object()  # noqa: E711


def test_texts_compare_as_the_bytes_that_they_stand_for():
    size = Size({"host": 2**19, "cuda:0": 2**19})
    assert size == "1 MiB" and size == "1024KiB" and size == "1M" and size != "1 MB"
    assert size >= "1MiB" and size <= "1MiB" and size > "0 B" and size < "1 GiB"
    assert size != "much"
    with pytest.raises(leakgraph.ArgumentError, match="A size to compare with must be"):
        size < "much"  # noqa: B015
    with pytest.raises(TypeError):
        size - "1 MiB"


MUCH, LITTLE = Size({"host": 2**20, "cuda:0": 24}), Size({"host": 24})

NAMES = {
    "math": math,
    "statistics": statistics,
    "Fraction": Fraction,
    "Decimal": Decimal,
    "Size": Size,
    "MUCH": MUCH,
    "LITTLE": LITTLE,
}
CALCULATED = {
    "MUCH - LITTLE": 2**20,
    "LITTLE - MUCH": -(2**20),
    "MUCH - 24": 2**20,
    "2**20 - LITTLE": 2**20 - 24,
    "LITTLE + 1": 25,
    "1 + LITTLE": 25,
    "0.5 + LITTLE": 24.5,
    "LITTLE / 16": 1.5,
    "48 / LITTLE": 2.0,
    "LITTLE / LITTLE": 1.0,
    "LITTLE // 10": 2,
    "LITTLE % 10": 4,
    "divmod(LITTLE, 10)": (2, 4),
    "LITTLE * 2": 48,
    "1.5 * LITTLE": 36.0,
    "LITTLE ** 2": 576,
    "MUCH >> 20": 1,
    "-LITTLE": -24,
    "+LITTLE": 24,
    "abs(LITTLE)": 24,
    "int(MUCH)": 2**20 + 24,
    "float(LITTLE)": 24.0,
    "round(LITTLE)": 24,
    "round(LITTLE, -1)": 20,
    "round(LITTLE / 7, 1)": 3.4,
    "math.floor(LITTLE), math.ceil(LITTLE), math.trunc(LITTLE)": (24, 24, 24),
    "math.log2(Size({'host': 8}))": 3.0,
    "hex(LITTLE)": "0x18",
    "'%d' % LITTLE": "24",
    "'%.1f' % LITTLE": "24.0",
    "statistics.mean([LITTLE, Size({'host': 25})])": 24.5,
    "statistics.fmean([LITTLE, Size({'host': 25})])": 24.5,
    "statistics.median([LITTLE, Size({'host': 25})])": 24.5,
    "statistics.pvariance([MUCH, LITTLE])": 2.0**38,
    "LITTLE * Fraction(1, 3)": 8,
    "LITTLE * Decimal(2)": 48,
    "range(LITTLE)": range(24),
}


@pytest.mark.parametrize("text", CALCULATED)
def test_anything_but_a_sum_of_sizes_calculates_with_the_total(text):
    result = eval(text, NAMES)
    assert (type(result), result) == (type(CALCULATED[text]), CALCULATED[text]) or (
        type(result) in (Fraction, Decimal) and result == CALCULATED[text]
    )


def test_what_a_size_does_not_calculate_with():
    for text in ("MUCH - 'x'", "MUCH + None", "MUCH / {}"):
        with pytest.raises(TypeError):
            eval(text, NAMES)
    with pytest.raises(ZeroDivisionError):
        MUCH / 0


def test_json_has_the_total():
    size = Size({"host": 5, "cuda:0": 3})
    assert json.dumps([size, Size()]) == "[8, 0]"
    assert json.loads(json.dumps({"size": size}, indent=1)) == {"size": 8}
    assert isinstance(size, int)


def test_rows_and_info_are_written_as_json():
    row = leakgraph.types(1)[0]
    assert json.loads(json.dumps(row)) == [row.count, row.size, row.spent, row.type]
    info = leakgraph.info()
    assert json.loads(json.dumps(info))["memory.rss"] == info["memory.rss"]


def test_zero_and_a_size_are_the_size():
    assert dict(LITTLE + 0) == {"host": 24} == dict(0 + LITTLE)
    assert dict(sum([MUCH, 0, LITTLE])) == {"host": 2**20 + 24, "cuda:0": 24}


NUMPY = """
import numpy
from leakgraph import Size

size, much = Size({"host": 24}), Size({"host": 2**64 - 1})
array = numpy.array([size, Size({"host": 20, "cuda:0": 5})])
print(array.dtype, array.tolist(), numpy.mean(array), numpy.array(much) == 2**64 - 1)
print((numpy.array([1, 2]) * size).tolist(), numpy.int64(25) > size)
"""


@needs("numpy")
def test_numpy_takes_the_total_for_a_number(python):
    done = python("-c", NUMPY)
    assert done.out == "int64 [24, 25] 24.5 True\n[24, 48] True\n", done.err


def test_rows_with_sizes_are_ranked_and_written():
    rows = leakgraph.top(3)
    biggest = max(rows, key=lambda row: row.retained)
    assert biggest.retained == max(row.retained.total for row in rows)
    assert json.loads(json.dumps(biggest.to_dict()))["retained"] == dict(
        biggest.retained
    )


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
