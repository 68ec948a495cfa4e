import re
import sys
from pathlib import Path

LIST = Path(__file__).parents[2] / "libgraph/src/graph/origin.c"
# Modules that programs do not import, or that are new in a later Python.
UNUSED = {
    "annotationlib",
    "antigravity",
    "compression",
    "idlelib",
    "lib2to3",
    "nturl2path",
    "site",
    "this",
    "turtledemo",
}


def lists():
    for text in LIST.read_text().split("static const char ")[1:]:
        lines = re.findall(r'^    "([^"]*)"', text, re.MULTILINE)
        yield "".join(lines).split()


def test_familiar_packages_are_in_the_order_of_the_search():
    for names in lists():
        assert len(names) > 150
        assert names == sorted(set(names))


def test_the_standard_library_has_its_own_list():
    standard, common = map(set, lists())
    known = set(getattr(sys, "stdlib_module_names", ()))
    assert {name for name in known if name[0] != "_"} - standard <= UNUSED
    assert not common & (standard | known)
