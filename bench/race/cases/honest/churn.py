"""Each call makes and drops a thousand objects, some in cycles."""

import program


class Node:
    def __init__(self, name):
        self.name = name
        self.peer = self if len(name) % 3 else None


def work(number):
    for place in range(1000):
        Node(f"node {number + place}")


if __name__ == "__main__":
    program.run(work, lambda: None)
