"""A tree of prefixes forgets the oldest of its forty leaves."""

import collections

import program

root = {}
leaves = collections.deque()


def work(number):
    path = (number % 3, number % 5, number)
    node = root
    for token in path:
        node = node.setdefault(token, {})
    node["text"] = f"{number} " + "t" * 900
    leaves.append(path)
    if len(leaves) > 40:
        first, second, last = leaves.popleft()
        del root[first][second][last]


if __name__ == "__main__":
    program.run(work, root.clear)
