"""Each connection has a compressor, and no connection leaves the list.

https://docs.python.org/3/library/zlib.html#zlib.compressobj
"""

import zlib

import program

HOLDERS = ("__main__.connections[*]",)
NATIVE = True


class Connection:
    def __init__(self):
        self.deflate = zlib.compressobj(wbits=-9, memLevel=1)
        self.deflate.compress(b"hello")


connections = []


def work(number):
    connections.append(Connection())
    if program.FIXED:
        connections.clear()


if __name__ == "__main__":
    program.run(work, connections.clear)
