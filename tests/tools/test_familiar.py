import re
from pathlib import Path

LIST = Path(__file__).parents[2] / "libgraph/src/graph/familiar.c"


def test_familiar_packages_are_in_the_order_of_the_search():
    lines = re.findall(r'^    "([^"]*)"', LIST.read_text(), re.MULTILINE)
    names = "".join(lines).split()
    assert len(names) > 400
    assert names == sorted(set(names))
