"""Passes: an order that is paid is gone. Run `pytest test_shop_fixed.py`."""

import pytest
import shop_fixed


@pytest.mark.leakgraph
def test_selling_leaves_nothing_behind():
    assert shop_fixed.sell() == 0
