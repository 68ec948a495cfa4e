"""Fails: each order stays in PRICES.listeners. Run `pytest test_shop.py`."""

import pytest
import shop


@pytest.mark.leakgraph
def test_selling_leaves_nothing_behind():
    assert shop.sell() == 0
