"""A cached function has more arguments than its cache, which is full, has room for."""

import functools

import program


@functools.lru_cache(maxsize=64)
def page(number):
    return f"page {number:06} " * 100


for number in range(500):
    page(number)


def work(number):
    page(number)


if __name__ == "__main__":
    program.run(work, page.cache_clear)
