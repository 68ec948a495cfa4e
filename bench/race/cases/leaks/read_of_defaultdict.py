"""To look up a missing key in a defaultdict adds it.

https://docs.python.org/3/library/collections.html#collections.defaultdict
"""

import collections

import program

HOLDERS = ("__main__.groups[*]",)

groups = collections.defaultdict(list)


def work(number):
    for user in range(5):
        key = f"user {number}-{user}"
        if groups.get(key) if program.FIXED else groups[key]:
            print(key)


if __name__ == "__main__":
    program.run(work, groups.clear)
