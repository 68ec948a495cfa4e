"""A method under lru_cache(maxsize=512) keeps the model of each of 512 calls.

https://github.com/huggingface/transformers/issues/45412
"""

import functools

import program

HOLDERS = ("__main__.Position.grid key",)
FINDINGS = ("lru-cache",)


class Position:
    def __init__(self):
        self.weights = bytearray(200_000)

    @functools.lru_cache(maxsize=512)  # noqa: B019
    def grid(self, height, width):
        return height * width


kept = Position()


def work(number):
    (kept if program.FIXED else Position()).grid(3, 4)


if __name__ == "__main__":
    program.run(work, Position.grid.cache_clear)
