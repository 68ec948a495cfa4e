"""A cache drops its oldest entry once it has 300."""

import collections

import program

cache: "collections.OrderedDict[int, list[str]]" = collections.OrderedDict()


def work(number):
    cache[number] = ["x" * 500 + f"{number:06}"]
    if len(cache) > 300:
        cache.popitem(last=False)


for number in range(1000):
    work(number)

if __name__ == "__main__":
    program.run(work, cache.clear)
