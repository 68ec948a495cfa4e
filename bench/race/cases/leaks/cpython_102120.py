"""An archive that is read as a stream remembers each member that it has read.

https://github.com/python/cpython/issues/102120
"""

import io
import itertools
import tarfile

import program

HOLDERS = ("__main__.archive.members[*]",)


class Endless(io.RawIOBase):
    """An archive with a small file for each number, of which no end comes."""

    def __init__(self):
        self.blocks = itertools.chain.from_iterable(map(self.file, itertools.count()))
        self.rest = b""

    def file(self, number):
        info = tarfile.TarInfo(f"shard/sample-{number:08}.json")
        info.size = 300
        yield info.tobuf()
        yield bytes(512)

    def read(self, size):
        while len(self.rest) < size:
            self.rest += next(self.blocks)
        taken, self.rest = self.rest[:size], self.rest[size:]
        return taken


archive = tarfile.TarFile.open(fileobj=Endless(), mode="r|")


def work(number):
    for _ in range(3):
        archive.extractfile(archive.next()).read()
    if program.FIXED:
        archive.members.clear()


if __name__ == "__main__":
    program.run(work, lambda: archive.members.clear())
