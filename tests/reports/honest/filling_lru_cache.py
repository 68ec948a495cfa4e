"""A cache with a limit of 300 small results is still filling."""

import functools

import program


@functools.lru_cache(maxsize=300)
def title(number):
    return f"title {number:06}"


def work(number):
    title(number)


if __name__ == "__main__":
    program.run(work, title.cache_clear)
