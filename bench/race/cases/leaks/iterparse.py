"""A parser of a long document keeps each element below the root.

https://docs.python.org/3/library/xml.etree.elementtree.html#xml.etree.ElementTree.iterparse
"""

import xml.etree.ElementTree as ElementTree

import program

HOLDERS = ("__main__.root[*]",)
NATIVE = True

parser = ElementTree.XMLPullParser(["start", "end"])
parser.feed("<items>")
root = next(event[1] for event in parser.read_events())


def work(number):
    parser.feed(
        f"<item id='{number}'><name>n{number}</name><text>{'t' * 900}</text></item>"
    )
    for _ in parser.read_events():
        pass
    if program.FIXED:
        root.clear()


if __name__ == "__main__":
    program.run(work, root.clear)
